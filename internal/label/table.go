package label

// A row defines one label.
type row struct {
	id    string // stable, for selectors and JSON
	words string // for people, next to a change

	// What an entry with such a change does, as the predicate of a sentence; a consequence may follow a colon.
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
	ArgumentSentAsHeader:   {"header-exported", "sent as a header", "sends an argument as an HTTP header", Behaviour, OtherMember},
	ScriptAdded:            {"script-added", "new script", "brings a script that it didn't have", Behaviour, ScriptAdded},
	SkillToolsChanged:      {"skill-tools", "other tools", "names other tools that it may use: clients may ask less", Behaviour, SkillToolsChanged},
	RequiredParameterAdded: {"required-parameter-added", "new, required", "takes a new required parameter", Breaking, OutputExtended},
	ParameterAdded:         {"parameter-added", "new parameter", "takes a new parameter", Behaviour, OutputExtended},
	ParameterRequired:      {"parameter-required", "required now", "requires a parameter that was optional", Breaking, OutputNarrowed},
	EnumValueAdded:         {"enum-added", "new value", "takes a new value", Behaviour, OutputWidened},
	AcceptedValuesChanged:  {"values-changed", "other values", "takes other values than before", Breaking, OutputWidened},
	ConstraintLoosened:     {"constraint-loosened", "takes more", "takes more than before", Behaviour, OutputWidened},
	ParameterOptional:      {"parameter-optional", "optional now", "no longer requires a parameter", Behaviour, OutputWidened},
	Unclear:                {"other", "unclear", "changed in a way that can't be judged", Breaking, Unclear},
	DefaultChanged:         {"default-changed", "default, examples", "has another default value, or other examples", Behaviour, DefaultChanged},
	AnyInputAccepted:       {"input-anything", "takes anything", "takes anything in a place that was checked", Behaviour, OutputWidened},
	TextChanged:            {"wording", "text", "reworded", Behaviour, TextChanged},
	Renamed:                {"renamed", "renamed", "renamed", Breaking, Renamed},
	OutputRemoved:          {"output-removed", "no longer returned", "no longer returns something", Breaking, OutputRemoved},
	OutputWidened:          {"output-widened", "may return more", "may return more than it said before", Breaking, OutputWidened},
	OutputExtended:         {"output-added", "returned now", "returns something new", Behaviour, OutputExtended},
	OutputNarrowed:         {"output-narrowed", "returns less", "returns less than it might have", Behaviour, OutputNarrowed},
	HintSafer:              {"hint-safer", "claims to be safer", "now claims to be safer: clients ask less", Behaviour, HintSafer},
	OtherMember:            {"other-member", "other member", "changed in another member", Behaviour, OtherMember},
	ClientMetadata:         {"client-metadata", "shown by clients", "changed in what clients show", Behaviour, ClientMetadata},
	UnusedSchemaChanged:    {"definition-unused", "unused schema", "changed in a schema that nothing refers to", Behaviour, UnusedSchemaChanged},
	HintCautious:           {"hint-caution", "clients ask more", "now claims less: clients ask more", Behaviour, HintCautious},
	InputClosed:            {"input-closed", "takes no others", "no longer takes unnamed parameters", Breaking, OutputNarrowed},
	ParameterRemoved:       {"parameter-removed", "parameter gone", "no longer takes a parameter", Breaking, OutputRemoved},
	EnumValueRemoved:       {"enum-removed", "value gone", "no longer takes a value", Breaking, OutputNarrowed},
	ConstraintTightened:    {"constraint-tightened", "takes less", "takes less than before", Breaking, OutputNarrowed},
	IndentationChanged:     {"layout", "layout", "has a text whose lines are indented in another way", Behaviour, IndentationChanged},
	InputOpened:            {"input-opened", "takes others", "takes unnamed parameters", Behaviour, OutputExtended},
	EquivalentForm:         {"other-form", "other form", "says the same in another form", NoEffect, EquivalentForm},
	FileDigestChanged:      {"file-digest", "digest of a file", "the digest or the size of a file that is shown", NoEffect, FileDigestChanged},
}
