// Package label lists the kinds of changes. Each kind is a row of one table, with the words that people read and what
// the change means to callers. Whether there is drift never depends on this package.
package label

// A Label is what a change means to a reviewer. It explains and sorts changes; whether there is drift never depends
// on it. Its value is its rank, and the lowest rank is read first: changes after which a tool runs more easily, or
// accepts or sends more; then changes in what the model or a client reads; then changes after which a tool does less;
// last, changes without effect. A change whose effect can't be determined from the definition ranks with the
// dangerous ones.
type Label int

// The labels, by rank. The table has what each means.
const (
	TooManyChanges Label = iota
	HintHarmless
	ConfirmationDropped
	AppWidened
	HeaderExported
	ScriptAdded
	SkillToolsChanged
	RequiredParameterAdded
	ParameterAdded
	ParameterRequired
	EnumValueAdded
	ValuesChanged
	ConstraintLoosened
	ParameterOptional
	Unclear
	DefaultChanged
	AnyInputAccepted
	TextChanged
	Renamed
	OutputRemoved
	OutputWidened
	OutputAdded
	OutputNarrowed
	HintSafer
	OtherMember
	ClientMetadata
	UnusedDefinition
	HintCautious
	UnnamedRejected
	ParameterRemoved
	EnumValueRemoved
	ConstraintTightened
	IndentationChanged
	UnnamedAccepted
	EquivalentForm
	FileDigestChanged
)

// A row has everything about one label.
type row struct {
	id    string // stable, for selectors and JSON
	words string // for people, next to a change

	// What an entry with such a change does now, with the consequence after a colon.
	does string

	severity Severity

	// The label of the same change in an output schema. That label has a severity of its own.
	output Label
}

var table = [...]row{
	TooManyChanges:         {"many-changes", "too much changed", "changed in more places than can be told apart", Breaking, TooManyChanges},
	HintHarmless:           {"hint-harmless", "clients ask less", "now claims to be harmless: clients ask less", Behaviour, HintHarmless},
	ConfirmationDropped:    {"asking-dropped", "nobody is asked", "no longer has a person asked at each call", Behaviour, ConfirmationDropped},
	AppWidened:             {"app-widened", "rights of a page", "lets its page do more or less, or others call it", Behaviour, AppWidened},
	HeaderExported:         {"header-exported", "sent as a header", "sends an argument as an HTTP header", Behaviour, OtherMember},
	ScriptAdded:            {"script-added", "new script", "brings a script that it didn't have", Behaviour, ScriptAdded},
	SkillToolsChanged:      {"skill-tools", "other tools", "names other tools that it may use: clients may ask less", Behaviour, SkillToolsChanged},
	RequiredParameterAdded: {"required-parameter-added", "new, required", "takes a new required parameter", Breaking, OutputAdded},
	ParameterAdded:         {"parameter-added", "new parameter", "takes a new parameter", Behaviour, OutputAdded},
	ParameterRequired:      {"parameter-required", "required now", "requires a parameter that was optional", Breaking, OutputNarrowed},
	EnumValueAdded:         {"enum-added", "new value", "takes a new value", Behaviour, OutputWidened},
	ValuesChanged:          {"values-changed", "other values", "takes other values than before", Breaking, OutputWidened},
	ConstraintLoosened:     {"constraint-loosened", "takes more", "takes more than before", Behaviour, OutputWidened},
	ParameterOptional:      {"parameter-optional", "optional now", "no longer requires a parameter", Behaviour, OutputWidened},
	Unclear:                {"other", "unclear", "changed in a way that can't be judged", Breaking, Unclear},
	DefaultChanged:         {"default-changed", "default, examples", "has another default value, or other examples", Behaviour, DefaultChanged},
	AnyInputAccepted:       {"input-anything", "takes anything", "takes anything in a place that was checked", Behaviour, OutputWidened},
	TextChanged:            {"wording", "text", "reworded", Behaviour, TextChanged},
	Renamed:                {"renamed", "renamed", "renamed", Breaking, Renamed},
	OutputRemoved:          {"output-removed", "no longer returned", "no longer returns something", Breaking, OutputRemoved},
	OutputWidened:          {"output-widened", "may return more", "may return more than it said before", Breaking, OutputWidened},
	OutputAdded:            {"output-added", "returned now", "returns something new", Behaviour, OutputAdded},
	OutputNarrowed:         {"output-narrowed", "returns less", "returns less than it might have", Behaviour, OutputNarrowed},
	HintSafer:              {"hint-safer", "claims to be safer", "now claims to be safer: clients ask less", Behaviour, HintSafer},
	OtherMember:            {"other-member", "other member", "changed in another member", Behaviour, OtherMember},
	ClientMetadata:         {"client-metadata", "shown by clients", "changed in what clients show", Behaviour, ClientMetadata},
	UnusedDefinition:       {"definition-unused", "unused schema", "changed in a schema that nothing refers to", Behaviour, UnusedDefinition},
	HintCautious:           {"hint-caution", "clients ask more", "now claims less: clients ask more", Behaviour, HintCautious},
	UnnamedRejected:        {"input-closed", "takes no others", "no longer takes unnamed parameters", Breaking, OutputNarrowed},
	ParameterRemoved:       {"parameter-removed", "parameter gone", "no longer takes a parameter", Breaking, OutputRemoved},
	EnumValueRemoved:       {"enum-removed", "value gone", "no longer takes a value", Breaking, OutputNarrowed},
	ConstraintTightened:    {"constraint-tightened", "takes less", "takes less than before", Breaking, OutputNarrowed},
	IndentationChanged:     {"layout", "layout", "has a text whose lines are indented in another way", Behaviour, IndentationChanged},
	UnnamedAccepted:        {"input-opened", "takes others", "takes unnamed parameters", Behaviour, OutputAdded},
	EquivalentForm:         {"other-form", "other form", "says the same in another form", NoEffect, EquivalentForm},
	FileDigestChanged:      {"file-digest", "digest of a file", "the digest or the size of a file that is shown", NoEffect, FileDigestChanged},
}

// ID returns the stable name of the label, such as "parameter-added", which people type.
func (l Label) ID() string { return table[l].id }

// Words returns the words that people read next to a change, such as "new parameter".
func (l Label) Words() string { return table[l].words }

// EntryPhrase returns what an entry with the label does, such as "takes a new parameter".
func (l Label) EntryPhrase() string { return table[l].does }

// Severity returns the severity of a change with the label. For a change in an output schema, use the label that
// ForOutput returns.
func (l Label) Severity() Severity { return table[l].severity }

// ForOutput returns the label of the same change in an output schema.
func (l Label) ForOutput() Label { return table[l].output }

// Minor reports whether one line is enough for a change with the label. Such labels are the last ones.
func (l Label) Minor() bool { return l >= EquivalentForm }

// BreaksOnlyByValues reports whether a change with the label can break something only through the values that the
// schema accepts. A removed parameter or result is different: it breaks those who used it, whatever is accepted
// instead. So is an input that was closed: it rejects names that it ignored before.
func (l Label) BreaksOnlyByValues() bool {
	switch l {
	case TooManyChanges, Renamed, ParameterRemoved, OutputRemoved, UnnamedRejected:
		return false
	}
	return true
}

// AffectsValues reports whether a change with the label affects, or may affect, which values a schema accepts.
func (l Label) AffectsValues() bool {
	switch l {
	case RequiredParameterAdded, ParameterAdded, ParameterRequired, EnumValueAdded, ValuesChanged, ConstraintLoosened, ParameterOptional, AnyInputAccepted, OutputAdded, OutputWidened, OutputNarrowed,
		Unclear, UnnamedRejected, EnumValueRemoved, ConstraintTightened, UnnamedAccepted:
		return true
	}
	return false
}

// AsksLess reports whether clients ask for confirmation less often after a change with the label.
func (l Label) AsksLess() bool {
	return l == HintHarmless || l == HintSafer || l == ConfirmationDropped || l == AppWidened || l == SkillToolsChanged
}

// All lists the labels by rank.
func All() []Label {
	list := make([]Label, len(table))
	for i := range list {
		list[i] = Label(i)
	}
	return list
}

// IDs lists the ids of all labels by rank.
func IDs() []string {
	var ids []string
	for _, row := range table {
		ids = append(ids, row.id)
	}
	return ids
}
