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
	TooMany Label = iota
	TowardsSafe
	AskingDropped
	AppWidened
	Exported
	ScriptAdded
	SkillTools
	NewRequired
	NewOptional
	NowRequired
	EnumAdded
	ValuesChanged
	Loosened
	NoLongerRequired
	Other
	DefaultChanged
	InputOpened
	Wording
	Renamed
	OutputRemoved
	OutputWidened
	OutputAdded
	OutputNarrowed
	LessCare
	Changed
	ClientMetadata
	UnusedDefinition
	TowardsCaution
	InputClosed
	ParameterRemoved
	EnumRemoved
	Tightened
	Layout
	NamesOpened
	OtherForm
	FileDigest
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
	TooMany:          {"many-changes", "too much changed", "changed in more places than can be told apart", Breaking, TooMany},
	TowardsSafe:      {"hint-harmless", "clients ask less", "now claims to be harmless: clients ask less", Behaviour, TowardsSafe},
	AskingDropped:    {"asking-dropped", "nobody is asked", "no longer has a person asked at each call", Behaviour, AskingDropped},
	AppWidened:       {"app-widened", "rights of a page", "lets its page do more or less, or others call it", Behaviour, AppWidened},
	Exported:         {"header-exported", "sent as a header", "sends an argument as an HTTP header", Behaviour, Changed},
	ScriptAdded:      {"script-added", "new script", "brings a script that it didn't have", Behaviour, ScriptAdded},
	SkillTools:       {"skill-tools", "other tools", "names other tools that it may use: clients may ask less", Behaviour, SkillTools},
	NewRequired:      {"required-parameter-added", "new, required", "takes a new required parameter", Breaking, OutputAdded},
	NewOptional:      {"parameter-added", "new parameter", "takes a new parameter", Behaviour, OutputAdded},
	NowRequired:      {"parameter-required", "required now", "requires a parameter that was optional", Breaking, OutputNarrowed},
	EnumAdded:        {"enum-added", "new value", "takes a new value", Behaviour, OutputWidened},
	ValuesChanged:    {"values-changed", "other values", "takes other values than before", Breaking, OutputWidened},
	Loosened:         {"constraint-loosened", "takes more", "takes more than before", Behaviour, OutputWidened},
	NoLongerRequired: {"parameter-optional", "optional now", "no longer requires a parameter", Behaviour, OutputWidened},
	Other:            {"other", "unclear", "changed in a way that can't be judged", Breaking, Other},
	DefaultChanged:   {"default-changed", "default, examples", "has another default value, or other examples", Behaviour, DefaultChanged},
	InputOpened:      {"input-anything", "takes anything", "takes anything in a place that was checked", Behaviour, OutputWidened},
	Wording:          {"wording", "text", "reworded", Behaviour, Wording},
	Renamed:          {"renamed", "renamed", "renamed", Breaking, Renamed},
	OutputRemoved:    {"output-removed", "no longer returned", "no longer returns something", Breaking, OutputRemoved},
	OutputWidened:    {"output-widened", "may return more", "may return more than it said before", Breaking, OutputWidened},
	OutputAdded:      {"output-added", "returned now", "returns something new", Behaviour, OutputAdded},
	OutputNarrowed:   {"output-narrowed", "returns less", "returns less than it might have", Behaviour, OutputNarrowed},
	LessCare:         {"hint-safer", "claims to be safer", "now claims to be safer: clients ask less", Behaviour, LessCare},
	Changed:          {"other-member", "other member", "changed in another member", Behaviour, Changed},
	ClientMetadata:   {"client-metadata", "shown by clients", "changed in what clients show", Behaviour, ClientMetadata},
	UnusedDefinition: {"definition-unused", "unused schema", "changed in a schema that nothing refers to", Behaviour, UnusedDefinition},
	TowardsCaution:   {"hint-caution", "clients ask more", "now claims less: clients ask more", Behaviour, TowardsCaution},
	InputClosed:      {"input-closed", "takes no others", "no longer takes unnamed parameters", Breaking, OutputNarrowed},
	ParameterRemoved: {"parameter-removed", "parameter gone", "no longer takes a parameter", Breaking, OutputRemoved},
	EnumRemoved:      {"enum-removed", "value gone", "no longer takes a value", Breaking, OutputNarrowed},
	Tightened:        {"constraint-tightened", "takes less", "takes less than before", Breaking, OutputNarrowed},
	Layout:           {"layout", "layout", "has a text whose lines are indented in another way", Behaviour, Layout},
	NamesOpened:      {"input-opened", "takes others", "takes unnamed parameters", Behaviour, OutputAdded},
	OtherForm:        {"other-form", "other form", "says the same in another form", None, OtherForm},
	FileDigest:       {"file-digest", "digest of a file", "the digest or the size of a file that is shown", None, FileDigest},
}

// ID returns the stable name of the label, such as "parameter-added", which people type.
func (l Label) ID() string { return table[l].id }

// Words returns the words that people read next to a change, such as "new parameter".
func (l Label) Words() string { return table[l].words }

// Does returns what an entry with the label does, such as "takes a new parameter".
func (l Label) Does() string { return table[l].does }

// Severity returns the severity of a change with the label. For a change in an output schema, use the label that
// OfOutput returns.
func (l Label) Severity() Severity { return table[l].severity }

// OfOutput returns the label of the same change in an output schema.
func (l Label) OfOutput() Label { return table[l].output }

// Minor reports whether one line is enough for a change with the label. Such labels are the last ones.
func (l Label) Minor() bool { return l >= NamesOpened }

// BreaksOnlyByValues reports whether a change with the label can break something only through the values that the
// schema accepts. A removed parameter or result is different: it breaks those who used it, whatever is accepted
// instead. So is an input that was closed: it rejects names that it ignored before.
func (l Label) BreaksOnlyByValues() bool {
	switch l {
	case TooMany, Renamed, ParameterRemoved, OutputRemoved, InputClosed:
		return false
	}
	return true
}

// IsOfValues reports whether a change with the label affects, or may affect, which values a schema accepts.
func (l Label) IsOfValues() bool {
	switch l {
	case NewRequired, NewOptional, NowRequired, EnumAdded, ValuesChanged, Loosened, NoLongerRequired, InputOpened, OutputAdded, OutputWidened, OutputNarrowed,
		Other, InputClosed, EnumRemoved, Tightened, NamesOpened:
		return true
	}
	return false
}

// AsksLess reports whether clients ask for confirmation less often after a change with the label.
func (l Label) AsksLess() bool {
	return l == TowardsSafe || l == LessCare || l == AskingDropped || l == AppWidened || l == SkillTools
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
