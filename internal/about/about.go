// Package about sets up the root commands of both programs, and provides their commands version and completion.
package about

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"pinproof/internal/fail"
	"pinproof/internal/text"
)

// A Build has the versions of this program and the project's address.
type Build struct {
	Version    string // "v1.2.3", or "devel"
	GoVersion  string // of the toolchain: "go1.26.0"
	ProjectURL string // the address of the project's page; "" for a build that nobody published
}

// String returns the versions of the program and of Go.
func (b Build) String() string { return b.Version + " " + b.GoVersion }

// SetUpRoot sets up the root command of a program. names lists its subcommands, for error messages.
func SetUpRoot(root *cobra.Command, b Build, names string) {
	root.Version = b.String()
	root.SilenceErrors = true
	root.SilenceUsage = true
	root.SuggestionsMinimumDistance = 2
	root.Args = cobra.ArbitraryArgs
	root.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmp.Or[error](c.Help(), fail.New("no command: one of %s", names))
		}
		f := fail.New("unknown command %s: one of %s", text.QuoteName(args[0]), names)
		if near := c.SuggestionsFor(args[0]); args[0] != "" && len(near) > 0 {
			f.Hint("did you mean: %s %s", c.Name(), near[0])
		}
		return f.Hint("%s --help", c.Name())
	}
}

// NewVersionCommand makes the command that prints the version of the program.
func NewVersionCommand(program string, b Build) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Say which version this is",
		Args:  cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fail.New("version takes no arguments").Hint("%s version --json", program)
			}
			if !asJSON {
				fmt.Fprintf(c.OutOrStdout(), "%s version %s\n", program, b)
				return nil
			}
			// Both versions are plain ASCII, so %q prints valid JSON.
			fmt.Fprintf(c.OutOrStdout(), "{\"go\":%q,\"version\":%q}\n", b.GoVersion, b.Version)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print an object with version and go")
	return cmd
}

// AddCompletion adds the command that prints a completion script. It fails for a misspelled shell; cobra's own
// exits with 0.
func AddCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd("completion")
	completion, _, _ := root.Find([]string{"completion"})
	completion.Args = cobra.ArbitraryArgs
	completion.RunE = func(*cobra.Command, []string) error {
		return fail.New("completion for which shell? one of bash, zsh, fish, powershell").Hint("%s completion bash", root.Name())
	}
}
