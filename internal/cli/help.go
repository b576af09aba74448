package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pinproof/internal/pin"
)

// headings returns the groups of flags in every command's help, in the order of printing: a title and the names of the
// flags. --help prints the first two groups, which have the flags of the documented recipes; --help-all prints all
// groups. --substitute isn't among the policy flags although it belongs to a policy, because every command has it.
func headings() [][2]string {
	return [][2]string{
		{"Flags", "server only stat against fail-on format report allow review hook yes json help help-all version"},
		{"How to accept", "accept accept-all accept-warning deny expect drop-server"},
		{"Policies that the lockfile records", strings.Join(slices.DeleteFunc(pin.PolicyFlags(), func(flag string) bool { return flag == "substitute" }), " ")},
		{"More flags", "full part quiet substitute accept-warnings approved-by allow-empty max-tokens terse leave-out uncaptured warn capture-as no-descriptions"},
	}
}

// printUsage prints how a command is called, with its flags under headings.
func (a *app) printUsage(c *cobra.Command) error {
	w := c.OutOrStderr()
	line := c.UseLine()
	if c.HasAvailableSubCommands() {
		line = c.CommandPath() + " [command]"
	}
	fmt.Fprintf(w, "Usage:\n  %s\n", line)
	if c.HasExample() {
		fmt.Fprintf(w, "\nExamples:\n%s\n", c.Example)
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprint(w, "\nAvailable Commands:\n")
		for _, sub := range c.Commands() {
			fmt.Fprintf(w, "  %-11s %s\n", sub.Name(), sub.Short)
		}
	}
	shown := headings()
	if !a.helpAll {
		shown = shown[:2]
	}
	for _, h := range shown {
		set := pflag.NewFlagSet("", pflag.ContinueOnError)
		set.SortFlags = false
		for name := range strings.FieldsSeq(h[1]) {
			if f := c.Flag(name); f != nil {
				set.AddFlag(f)
			}
		}
		if set.HasFlags() {
			fmt.Fprintf(w, "\n%s:\n%s", h[0], set.FlagUsagesWrapped(100))
		}
	}
	return nil
}
