package report

import (
	"strings"

	"pinproof/internal/label"
	"pinproof/internal/lint"
)

// A Rule is a kind of annotation, with its usual level and its meaning.
type Rule struct{ ID, Level, Text string }

// Rules lists all rules. Those of findings are those of package lint.
func Rules() (rules []Rule) {
	for _, r := range [][2]string{
		{"drift/duplicate", "Two entries of one name: an agent may get either. This can't be accepted."},
		{"drift/hidden", "An entry that changed only in what no reader sees: the most suspicious drift."},
		{"drift/added", "An entry that no pin names: nobody approved it."},
		{"drift/changed", "An entry whose definition is not the one that was approved."},
		{"drift/removed", "A pin whose entry is gone from the capture."},
		{"drift/no-pins", "A server that the lockfile doesn't have: nobody approved what it lists."},
		{"drift/no-capture", "A server of the lockfile without a capture."},
		{"drift/policy", "A server that was pinned under another policy."},
		{"drift/other-server", "A capture that shares nothing with the pins it was compared with."},
		{"record/approval", "An approval that holds for a part of the definition beside it, or that a change of the lockfile brings or takes."},
		{"record/warning", "An accepted warning that a change of the lockfile adds or removes."},
		{"record/denied", "An entry that matches its pin and is denied, where only a guard would leave it out, or whose mark a change of the lockfile brings or takes."},
		{"record/file", "The text of a skill's file that a change of the lockfile adds or removes."},
		{"record/policy", "A policy that a change of the lockfile brings."},
	} {
		rules = append(rules, Rule{r[0], "error", r[1]})
	}
	for _, f := range lint.Rules {
		level := "note"
		if f.Warning {
			level = "error"
		}
		rules = append(rules, Rule{"finding/" + f.ID, level, strings.ToUpper(f.Text[:1]) + f.Text[1:] + "."})
	}
	return rules
}

// LabelWords returns the words of all labels of changes, by id.
func LabelWords() map[string]string {
	words := map[string]string{}
	for _, l := range label.All() {
		words[l.ID()] = l.Words()
	}
	return words
}
