package diff

import (
	"strings"

	"pinproof/internal/inclusion"
	"pinproof/internal/jsontree"
)

// Labels say what each change means by itself. What all changes of a schema do together is decided
// by inclusion, where it can be: an input breaks callers if something that it took isn't taken any
// more, an output breaks readers if it may be something that it couldn't be. Where that can't be
// decided, it may break.

// judge brings the severities of the changes in one schema of a tool into line with that.
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
	var values []*Change // what bears on the values that the schema takes
	var forms []*Change  // what was taken for another form of the same, or isn't known
	breaking := false
	for i := range l.changes {
		c := &l.changes[i]
		if !strings.HasPrefix(c.Pointer, "/"+side) {
			continue
		}
		if proven && c.Severity == Breaking && c.Label.byValidity() {
			c.Severity = Behaviour
		}
		breaking = breaking || c.Severity == Breaking
		if c.Label.bearsOnValues() {
			values = append(values, c)
		} else if c.Label.isForm() {
			forms = append(forms, c)
		}
	}
	if proven || breaking {
		return
	}
	graver := values
	if len(values) == 0 {
		graver = forms
	}
	for _, c := range graver {
		c.Severity = Breaking
	}
}

// byValidity reports whether a label says of values that they are taken no more, or are new. A
// parameter or a result that is gone breaks who used it whatever is still taken in its place, and an
// input that is closed refuses names that it passed over.
func (k Label) byValidity() bool {
	switch k {
	case labelTooMany, labelRenamed, labelParameterRemoved, labelOutputRemoved, labelInputClosed:
		return false
	}
	return true
}

// bearsOnValues reports whether a label is about the values that a schema takes.
func (k Label) bearsOnValues() bool {
	switch k {
	case labelNewOptional, labelDefinitionAdded, labelTypeWidened, labelEnumAdded, labelLoosened, labelNoLongerRequired, labelConstRemoved,
		labelFormatRemoved, labelInputOpened, labelOutputAdded, labelOutputNarrowed, labelDefinitionRemoved, labelNamesOpened:
		return true
	}
	return false
}

// isForm reports whether a label is for what seems to say the same in another form, or for a keyword
// that isn't known.
func (k Label) isForm() bool {
	switch k {
	case labelChanged, labelRequiredFollows, labelOtherForm, labelChurn:
		return true
	}
	return false
}
