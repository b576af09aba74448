package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pinproof/internal/approval"
	"pinproof/internal/diff"
	"pinproof/internal/fail"
	"pinproof/internal/pin"
	"pinproof/internal/report"
	"pinproof/internal/shell"
)

// addCompletion adds the command that prints a completion script. cobra's own exits with 0
// for a misspelled shell.
func addCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd("completion")
	completion, _, _ := root.Find([]string{"completion"})
	completion.Args = cobra.ArbitraryArgs
	completion.RunE = func(*cobra.Command, []string) error {
		return fail.New("completion for which shell? one of bash, zsh, fish, powershell").Hint("pinproof completion bash")
	}
}

// completeValues has the shell complete the values of flags: fixed words, the labels of
// the lockfile, the names of drifted entries. If a file can't be read, it offers nothing
// and prints no error.
func completeValues(root *cobra.Command, a *app) {
	const noFiles = cobra.ShellCompDirectiveNoFileComp
	words := func(list ...string) cobra.CompletionFunc { return cobra.FixedCompletions(list, noFiles) }
	labels := func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		path := nearestLockfile()
		if len(args) > 1 {
			path = args[1]
		}
		l, _, _ := readLockfile(path)
		return slices.DeleteFunc(l.Labels(), func(label string) bool { return !shell.PasteableLabel(label) }), noFiles
	}
	drifted := func(cmd *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
		req, err := (&sharedFlags{}).request(a, cmd, args)
		if err != nil || req.Capture == "-" { // the shell's standard input is no capture
			return nil, noFiles
		}
		if w, _ := a.load(req); w != nil {
			for _, d := range w.drifts {
				if shell.Pasteable(d.Name) || d.Type == pin.Instructions {
					names = append(names, strings.TrimPrefix(d.EntryRef(), "tool="))
				}
			}
		}
		return names, noFiles
	}
	selected := func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		names, directive := drifted(cmd, args, word)
		for _, k := range []pin.DriftKind{pin.Added, pin.Changed, pin.Removed, pin.Hidden} {
			names = append(names, strings.ToLower(string(k)))
		}
		return append(names, diff.LabelIDs()...), directive
	}
	only := func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		names, directive := selected(cmd, args, word)
		return append(append(names, approval.Warnings), report.NoteIDs...), directive
	}
	var reports []string
	for format := range strings.SplitSeq(formatNames, ", ") {
		reports = append(reports, format+"=")
	}
	flags := map[string]cobra.CompletionFunc{
		"accept":         selected,
		"accept-label":   words(diff.LabelIDs()...),
		"accept-warning": drifted,
		"against":        cobra.FixedCompletions([]string{"json", "jsonl"}, cobra.ShellCompDirectiveFilterFileExt),
		"allow":          words("added", "missing", "removed"),
		"color":          words("auto", "always", "never"),
		"descriptions":   words("preserve", "strip", "truncate="),
		"drop-server":    labels,
		"format":         words(strings.Split(formatNames, ", ")...),
		"ignore":         words("/_meta", "/icons", "/execution", "/inputSchema/$schema", "/outputSchema/$schema"),
		"only":           only,
		"report":         cobra.FixedCompletions(reports, noFiles|cobra.ShellCompDirectiveNoSpace),
		"server":         labels,
	}
	for _, cmd := range root.Commands() {
		for name, complete := range flags {
			_ = cmd.RegisterFlagCompletionFunc(name, complete) // fails for a flag that cmd doesn't have
		}
	}
}
