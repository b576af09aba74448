package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pinproof/internal/pin"
)

// headings group the flags in every command's help, in the order in which they are listed here.
// --substitute belongs to a policy, but isn't listed as one, because every command takes it.
var headings = [...][2]string{
	{"Flags", "server only stat full against format report quiet allow review yes help version"},
	{"How to accept", "accept accept-all accept-warning accept-warnings deny expect approved-by allow-empty"},
	{"Policies that the lockfile records", strings.Join(slices.DeleteFunc(pin.Flags(), func(flag string) bool { return flag == "substitute" }), " ")},
	{"More flags", "fail-on max-tokens substitute drop-server part hook terse uncaptured warn capture-as no-descriptions color"},
}

// printUsage prints how a command is called, with its flags under headings.
func printUsage(c *cobra.Command) error {
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
	for _, h := range headings {
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
