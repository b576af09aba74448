package diff

import (
	"strings"

	"pinproof/internal/inclusion"
	"pinproof/internal/jsontree"
	"pinproof/internal/label"
)

// Labels say what each change means by itself. Package inclusion decides what all changes of a schema do
// together, where it can: an input breaks callers if something that it took isn't taken any more, an
// output breaks readers if it may be something that it couldn't be before. What can't be decided may break.

// judge adjusts the severities of the changes in one schema of a tool to what they do together.
func (l *labeller) judge(side string, old, new *jsontree.Value) {
	if old == nil || new == nil || jsontree.Equal(*old, *new) {
		return
	}
	narrow := old
	wide := new
	if side == "outputSchema" {
		narrow = new
		wide = old
	}
	proven := l.sameMeaning[old] || inclusion.Proven(narrow, wide)
	// Changes that bear on the values that the schema takes.
	var values []*Change
	// Changes that were taken for another form of the same, or of keywords that we don't know.
	var forms []*Change
	breaking := false
	for i := range l.changes {
		c := &l.changes[i]
		if c.Pointer != "/"+side && !strings.HasPrefix(c.Pointer, "/"+side+"/") {
			continue
		}
		if proven && c.Severity == label.Breaking && c.Label.ByValidity() {
			c.Severity = label.Behaviour
		}
		breaking = breaking || c.Severity == label.Breaking
		if c.Label.BearsOnValues() {
			values = append(values, c)
		} else if c.Label.IsForm() {
			forms = append(forms, c)
		}
	}
	if proven || breaking {
		return
	}
	worse := values
	if len(values) == 0 {
		worse = forms
	}
	for _, c := range worse {
		c.Severity = label.Breaking
	}
}
