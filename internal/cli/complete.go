package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pinproof/internal/approval"
	"pinproof/internal/facts"
	"pinproof/internal/label"
	"pinproof/internal/report/formats"
)

// completeValues has the shell complete the values of flags that are fixed words. It reads no files, because their content
// isn't trusted.
func completeValues(root *cobra.Command) {
	const noFiles = cobra.ShellCompDirectiveNoFileComp
	words := func(list ...string) cobra.CompletionFunc { return cobra.FixedCompletions(list, noFiles) }
	selectors := append(approval.Kinds[:4:4], label.IDs()...)
	flags := map[string]cobra.CompletionFunc{
		"accept":       words(selectors...),
		"allow":        words("added", "missing", "removed"),
		"color":        words("auto", "always", "never"),
		"descriptions": words("preserve", "strip", "truncate="),
		"fail-on":      words("breaking", "behaviour"),
		"format":       words(formats.Names()...),
		"ignore":       words("/_meta", "/icons", "/execution", "/inputSchema/$schema", "/outputSchema/$schema"),
		"only":         words(slices.Concat(selectors, facts.NoteIDs)...),
		"report":       cobra.FixedCompletions(strings.Fields(strings.Join(formats.Names(), "= ")+"="), noFiles|cobra.ShellCompDirectiveNoSpace),
	}
	for _, cmd := range root.Commands() {
		for name, complete := range flags {
			_ = cmd.RegisterFlagCompletionFunc(name, complete) // fails for a flag that cmd doesn't have
		}
	}
}
