package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// addCompletion adds the command that prints a completion script. cobra's own exits with 0
// for a misspelled shell.
func addCompletion(root *cobra.Command, a *app) {
	root.InitDefaultCompletionCmd("completion")
	completion, _, _ := root.Find([]string{"completion"})
	completion.Args = cobra.ArbitraryArgs
	completion.RunE = func(*cobra.Command, []string) error {
		return fail("completion for which shell? one of bash, zsh, fish, powershell").hint("pinproof completion bash")
	}
	completeValues(root, a)
}

// completeValues has the shell complete the values of flags: fixed words, the labels of
// the lockfile, the names of drifted entries. If a file can't be read, it offers nothing
// and prints no error.
func completeValues(root *cobra.Command, a *app) {
	const noFiles = cobra.ShellCompDirectiveNoFileComp
	words := func(list ...string) cobra.CompletionFunc { return cobra.FixedCompletions(list, noFiles) }
	labels := func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		path := defaultLockfile
		if len(args) > 1 {
			path = args[1]
		}
		l, _, _ := readLockfile(path)
		return slices.DeleteFunc(l.labels(), func(label string) bool { return !pasteableLabel(label) }), noFiles
	}
	drifted := func(cmd *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
		req, err := (&sharedFlags{}).request(a, cmd, args)
		if err != nil || req.manifest == "-" { // the shell's standard input is no manifest
			return nil, noFiles
		}
		if w, _ := a.load(req); w != nil {
			for _, d := range w.drifts {
				if pasteable(d.name) || d.list == instructionsList {
					names = append(names, strings.TrimPrefix(d.ref(), "tool="))
				}
			}
		}
		return names, noFiles
	}
	var reports []string
	for format := range strings.SplitSeq(formatNames, ", ") {
		reports = append(reports, format+"=")
	}
	flags := map[string]cobra.CompletionFunc{
		"accept":         drifted,
		"accept-label":   words(labelIDs()...),
		"accept-warning": drifted,
		"against":        cobra.FixedCompletions([]string{"json", "jsonl"}, cobra.ShellCompDirectiveFilterFileExt),
		"allow":          words("added", "removed"),
		"color":          words("auto", "always", "never"),
		"descriptions":   words("preserve", "strip", "truncate="),
		"drop-server":    labels,
		"format":         words(strings.Split(formatNames, ", ")...),
		"ignore":         words("/_meta", "/icons", "/execution", "/inputSchema/$schema", "/outputSchema/$schema"),
		"report":         cobra.FixedCompletions(reports, noFiles|cobra.ShellCompDirectiveNoSpace),
		"server":         labels,
	}
	for _, cmd := range root.Commands() {
		for name, complete := range flags {
			_ = cmd.RegisterFlagCompletionFunc(name, complete) // fails for a flag that cmd doesn't have
		}
	}
}
