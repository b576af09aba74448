// Package label lists the kinds of changes. Each kind is a row of one table, with the words that people read and what
// the change means to callers. Whether there is drift never depends on this package.
package label

// A Label is the kind of a change. Labels explain and sort changes; they never determine whether there is drift. The
// value of a label is its rank, and reviews show the lowest rank first: changes after which a tool runs more easily, or
// accepts or sends more; then changes in what the model or a client reads; then changes after which a tool does less;
// last, changes without effect. A change whose effect can't be determined from the definition ranks with the dangerous
// ones.
type Label int

// The labels, in the order of their ranks. table.go defines the meaning of each.
const (
	TooManyChanges Label = iota
	HintHarmless
	ConfirmationDropped
	AppWidened
	ArgumentSentAsHeader
	ScriptAdded
	SkillToolsChanged
	RequiredParameterAdded
	ParameterAdded
	ParameterRequired
	EnumValueAdded
	AcceptedValuesChanged
	ConstraintLoosened
	ParameterOptional
	Unclear
	DefaultChanged
	AnyInputAccepted
	TextChanged
	Renamed
	OutputRemoved
	OutputWidened
	OutputExtended
	OutputNarrowed
	HintSafer
	OtherMember
	ClientMetadata
	UnusedSchemaChanged
	HintCautious
	InputClosed
	ParameterRemoved
	EnumValueRemoved
	ConstraintTightened
	IndentationChanged
	InputOpened
	EquivalentForm
	FileDigestChanged
)

// ID returns the stable name of the label, such as "parameter-added", which people type.
func (l Label) ID() string { return table[l].id }

// Words returns the words that people read next to a change, such as "new parameter".
func (l Label) Words() string { return table[l].words }

// EntryPhrase returns what an entry with the label does, such as "takes a new parameter".
func (l Label) EntryPhrase() string { return table[l].does }

// Severity returns the severity of a change with the label. For a change in an output schema, use the label that
// InOutputSchema returns.
func (l Label) Severity() Severity { return table[l].severity }

// InOutputSchema returns the label of the same change in an output schema.
func (l Label) InOutputSchema() Label { return table[l].output }

// Minor reports whether a review may summarize a change with the label in one line. The minor labels rank last.
func (l Label) Minor() bool { return l >= InputOpened }

// BreaksOnlyByValues reports whether a change with the label can break something only by changing which values the
// schema accepts. A removed parameter or result breaks those who used it, even if the schema accepts as much as before.
// A closed input rejects names that it ignored before.
func (l Label) BreaksOnlyByValues() bool {
	switch l {
	case TooManyChanges, Renamed, ParameterRemoved, OutputRemoved, InputClosed:
		return false
	}
	return true
}

// AffectsValues reports whether a change with the label affects, or may affect, which values a schema accepts.
func (l Label) AffectsValues() bool {
	switch l {
	case RequiredParameterAdded, ParameterAdded, ParameterRequired, EnumValueAdded, AcceptedValuesChanged, ConstraintLoosened, ParameterOptional, AnyInputAccepted, OutputExtended, OutputWidened, OutputNarrowed,
		Unclear, InputClosed, EnumValueRemoved, ConstraintTightened, InputOpened:
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
