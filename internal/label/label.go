// Package label lists the kinds of changes. Each kind is a row of one table, with the words that people
// read, what the change means to callers, and an example. The package decides nothing: whether there is
// drift never depends on it.
package label

// A Label says what a change means to a reviewer. It explains and sorts; whether there is
// drift never depends on it. Its value is its rank, and the lowest is read first. First
// comes what lets a tool be run more easily, or take or send more. Then comes what the
// model or a client reads, then what lets a tool do less, and last what changes nothing.
// A change whose effect can't be told from the definition alone ranks with the dangerous ones.
type Label int

// The labels, by rank. The table says what each means.
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
	InputChanged
	ReferenceChanged
	DefinitionAdded
	TypeWidened
	EnumAdded
	EnumSwapped
	Loosened
	NoLongerRequired
	ConstRemoved
	ConstChanged
	FormatRemoved
	FormatChanged
	PatternChanged
	TypeChanged
	Other
	DefaultChanged
	InputOpened
	Wording
	Renamed
	OutputRemoved
	OutputWidened
	OutputAdded
	OutputNarrowed
	Examples
	Comment
	LessCare
	Changed
	ClientMetadata
	Title
	UnusedDefinition
	TowardsCaution
	HintLeftOut
	NotExported
	InputClosed
	ParameterRemoved
	TypeNarrowed
	EnumRemoved
	Tightened
	ConstAdded
	FormatAdded
	DefinitionRemoved
	NamesOpened
	HintStated
	RequiredFollows
	OtherOrder
	OtherForm
	Churn
	FileDigest
)

// A row has everything about one label.
type row struct {
	id    string // stable, for selectors and JSON
	words string // for people, beside a change

	// What an entry with such a change does now. What follows from that is behind a colon.
	does string

	// How the breadth of the schema changes. It's Same, too, for a change that has nothing to do with breadth.
	effect Breadth

	severity Severity

	// The label of the same change in an output schema. That label has a severity of its own.
	output Label

	minor   bool // worth no more than a line
	example Example
}

// An Example is one change that has a label: members of a definition, before and after. The first label
// has no example, because it takes thousands of changes.
type Example struct {
	Of       Place
	Old, New string // JSON text of members
}

// A Place says what the members of an example belong to.
type Place int

const (
	Tool Place = iota
	Input
	Parameter
	Output
	Skill
)

var table = [...]row{
	TooMany:           {"many-changes", "too much changed", "changed in more places than can be told apart", Same, Breaking, TooMany, false, Example{}},
	TowardsSafe:       {"hint-harmless", "clients ask less", "now claims to be harmless: clients ask less", Same, Behaviour, TowardsSafe, false, Example{Tool, `"annotations":{"destructiveHint":true}`, `"annotations":{"destructiveHint":false}`}},
	AskingDropped:     {"asking-dropped", "nobody is asked", "no longer has a person asked at each call", Same, Behaviour, AskingDropped, false, Example{Tool, `"_meta":{"anthropic/requiresUserInteraction":true}`, `"_meta":{}`}},
	AppWidened:        {"app-widened", "page may do more", "lets its page do more, or the model call what only the page could", Same, Behaviour, AppWidened, false, Example{Tool, `"_meta":{"ui":{"visibility":["app"]}}`, `"_meta":{"ui":{"visibility":["app","model"]}}`}},
	Exported:          {"header-exported", "sent as a header", "sends an argument as an HTTP header", Same, Behaviour, Changed, false, Example{Parameter, `"type":"string"`, `"type":"string","x-mcp-header":"Tide"`}},
	ScriptAdded:       {"script-added", "new script", "brings a script that it didn't have", Same, Behaviour, ScriptAdded, false, Example{Skill, `"files":{"SKILL.md":"x"}`, `"files":{"SKILL.md":"x","run.py":"y"}`}},
	SkillTools:        {"skill-tools", "other tools", "names other tools that it may use: clients may ask less", Same, Behaviour, SkillTools, false, Example{Skill, `"frontmatter":{"name":"s"}`, `"frontmatter":{"name":"s","allowed-tools":"Bash"}`}},
	NewRequired:       {"required-parameter-added", "new, required", "takes a new required parameter", Unknown, Breaking, OutputAdded, false, Example{Input, `"properties":{"a":{}}`, `"properties":{"a":{},"b":{}},"required":["b"]`}},
	NewOptional:       {"parameter-added", "new parameter", "takes a new parameter", Unknown, Behaviour, OutputAdded, false, Example{Input, `"properties":{"a":{}}`, `"properties":{"a":{},"b":{}}`}},
	NowRequired:       {"parameter-required", "required now", "requires a parameter that was optional", Unknown, Breaking, OutputNarrowed, false, Example{Input, `"properties":{"a":{}}`, `"properties":{"a":{}},"required":["a"]`}},
	InputChanged:      {"input-changed", "other input", "describes the input in another way", Unknown, Breaking, Other, false, Example{Input, `"$schema":"https://example.com/mine"`, ``}},
	ReferenceChanged:  {"reference-changed", "other reference", "refers to another schema", Unknown, Breaking, ReferenceChanged, false, Example{Input, `"$defs":{"A":{"maxLength":9},"B":{"maxLength":3}},"properties":{"a":{"$ref":"#/$defs/A"}}`, `"$defs":{"A":{"maxLength":9},"B":{"maxLength":3}},"properties":{"a":{"$ref":"#/$defs/B"}}`}},
	DefinitionAdded:   {"definition-added", "new schema", "adds a schema to refer to", Unknown, Behaviour, DefinitionAdded, false, Example{Input, `"properties":{"a":{"$ref":"#/$defs/A"}}`, `"$defs":{"A":{}},"properties":{"a":{"$ref":"#/$defs/A"}}`}},
	TypeWidened:       {"type-widened", "more types", "takes other types, too", Wider, Behaviour, OutputWidened, false, Example{Parameter, `"type":"string"`, `"type":["string","null"]`}},
	EnumAdded:         {"enum-added", "new value", "takes a new value", Wider, Behaviour, OutputWidened, false, Example{Parameter, `"enum":["a"]`, `"enum":["a","b"]`}},
	EnumSwapped:       {"enum-changed", "other values", "takes other values", Unknown, Breaking, OutputWidened, false, Example{Parameter, `"enum":["a","b"]`, `"enum":["c","d"]`}},
	Loosened:          {"constraint-loosened", "takes more", "takes more than before", Wider, Behaviour, OutputWidened, false, Example{Parameter, `"maximum":10`, `"maximum":100`}},
	NoLongerRequired:  {"parameter-optional", "optional now", "no longer requires a parameter", Unknown, Behaviour, OutputWidened, false, Example{Input, `"properties":{"a":{}},"required":["a"]`, `"properties":{"a":{}}`}},
	ConstRemoved:      {"const-removed", "no fixed value", "no longer insists on one value", Wider, Behaviour, OutputWidened, false, Example{Parameter, `"const":"a"`, ``}},
	ConstChanged:      {"const-changed", "other fixed value", "insists on another value", Unknown, Breaking, OutputWidened, false, Example{Parameter, `"const":"a"`, `"const":"b"`}},
	FormatRemoved:     {"format-removed", "no format", "no longer asks for a format", Wider, Behaviour, OutputWidened, false, Example{Parameter, `"format":"date"`, ``}},
	FormatChanged:     {"format-changed", "other format", "asks for another format", Unknown, Breaking, OutputWidened, false, Example{Parameter, `"format":"date"`, `"format":"time"`}},
	PatternChanged:    {"pattern-changed", "other pattern", "asks for another pattern", Unknown, Breaking, OutputWidened, false, Example{Parameter, `"pattern":"^a"`, `"pattern":"^b"`}},
	TypeChanged:       {"type-changed", "other type", "takes another type", Unknown, Breaking, OutputWidened, false, Example{Parameter, `"type":"string"`, `"type":"integer"`}},
	Other:             {"other", "unclear", "changed in a way that can't be judged", Unknown, Breaking, Other, false, Example{Tool, ``, `"description":["x"]`}},
	DefaultChanged:    {"default-changed", "other default", "takes another value where none is given", Unknown, Behaviour, Changed, false, Example{Parameter, `"default":1`, `"default":2`}},
	InputOpened:       {"input-anything", "takes anything", "takes anything in a place that was checked", Wider, Behaviour, OutputWidened, false, Example{Input, `"additionalProperties":{"type":"string"}`, `"additionalProperties":true`}},
	Wording:           {"wording", "text", "reworded", Same, Behaviour, Wording, false, Example{Tool, `"description":"Reads a file."`, `"description":"Reads one file."`}},
	Renamed:           {"renamed", "renamed", "renamed", Same, Breaking, Renamed, false, Example{Tool, `"name":"a"`, `"name":"b"`}},
	OutputRemoved:     {"output-removed", "no longer returned", "no longer returns something", Same, Breaking, OutputRemoved, false, Example{Output, `"properties":{"a":{},"b":{}}`, `"properties":{"a":{}}`}},
	OutputWidened:     {"output-widened", "may return more", "may return more than it said before", Same, Breaking, OutputWidened, false, Example{Output, `"properties":{"a":{"type":"string"}}`, `"properties":{"a":{"type":["string","null"]}}`}},
	OutputAdded:       {"output-added", "returned now", "returns something new", Same, Behaviour, OutputAdded, false, Example{Output, `"properties":{"a":{}}`, `"properties":{"a":{},"b":{}}`}},
	OutputNarrowed:    {"output-narrowed", "returns less", "returns less than it might have", Same, Behaviour, OutputNarrowed, false, Example{Output, `"properties":{"a":{"type":["string","null"]}}`, `"properties":{"a":{"type":"string"}}`}},
	Examples:          {"examples", "examples", "changed in its examples", Same, Behaviour, Examples, false, Example{Parameter, `"examples":["a"]`, `"examples":["b"]`}},
	Comment:           {"comment", "comment", "changed in a comment", Same, Behaviour, Comment, false, Example{Parameter, `"$comment":"a"`, `"$comment":"b"`}},
	LessCare:          {"hint-safer", "claims to be safer", "now claims to be safer: clients ask less", Same, Behaviour, LessCare, false, Example{Tool, `"annotations":{"openWorldHint":true}`, `"annotations":{"openWorldHint":false}`}},
	Changed:           {"changed", "other member", "changed in another member", Same, Behaviour, Changed, false, Example{Tool, `"other":1`, `"other":2`}},
	ClientMetadata:    {"client-metadata", "shown by clients", "changed in what clients show", Same, Behaviour, ClientMetadata, false, Example{Tool, `"_meta":{"a":1}`, `"_meta":{"a":2}`}},
	Title:             {"title", "title", "changed in a title that is the name in words", Same, None, Title, true, Example{Tool, ``, `"title":"T"`}},
	UnusedDefinition:  {"definition-unused", "unused schema", "changed in a schema that nothing refers to", Same, Behaviour, UnusedDefinition, false, Example{Input, `"$defs":{"A":{"maxLength":3}}`, `"$defs":{"A":{"maxLength":4}}`}},
	TowardsCaution:    {"hint-caution", "clients ask more", "now claims less: clients ask more", Same, Behaviour, TowardsCaution, false, Example{Tool, `"annotations":{"destructiveHint":false}`, `"annotations":{"destructiveHint":true}`}},
	HintLeftOut:       {"hint-left-out", "hint left out", "leaves out a hint that had no effect", Same, None, HintLeftOut, true, Example{Tool, `"annotations":{"destructiveHint":true}`, `"annotations":{}`}},
	NotExported:       {"header-not-exported", "no header", "no longer sends an argument as an HTTP header", Same, Behaviour, Changed, false, Example{Parameter, `"type":"string","x-mcp-header":"Tide"`, `"type":"string"`}},
	InputClosed:       {"input-closed", "takes no others", "no longer takes unnamed parameters", Narrower, Breaking, OutputNarrowed, false, Example{Input, `"properties":{"a":{}}`, `"properties":{"a":{}},"additionalProperties":false`}},
	ParameterRemoved:  {"parameter-removed", "parameter gone", "no longer takes a parameter", Unknown, Breaking, OutputRemoved, false, Example{Input, `"properties":{"a":{},"b":{}}`, `"properties":{"a":{}}`}},
	TypeNarrowed:      {"type-narrowed", "fewer types", "takes fewer types", Narrower, Breaking, OutputNarrowed, false, Example{Parameter, `"type":["string","null"]`, `"type":"string"`}},
	EnumRemoved:       {"enum-removed", "value gone", "no longer takes a value", Narrower, Breaking, OutputNarrowed, false, Example{Parameter, `"enum":["a","b"]`, `"enum":["a"]`}},
	Tightened:         {"constraint-tightened", "takes less", "takes less than before", Narrower, Breaking, OutputNarrowed, false, Example{Parameter, `"maximum":100`, `"maximum":10`}},
	ConstAdded:        {"const-added", "fixed value", "insists on one value", Narrower, Breaking, OutputNarrowed, false, Example{Parameter, ``, `"const":"a"`}},
	FormatAdded:       {"format-added", "new format", "asks for a format", Narrower, Breaking, OutputNarrowed, false, Example{Parameter, ``, `"format":"date"`}},
	DefinitionRemoved: {"definition-removed", "schema gone", "drops a schema to refer to", Unknown, Behaviour, DefinitionRemoved, false, Example{Output, `"$defs":{"A":{}},"$ref":"#/$defs/A"`, `"$ref":"#/$defs/A"`}},
	NamesOpened:       {"input-opened", "takes others", "takes unnamed parameters", Wider, Behaviour, OutputAdded, true, Example{Input, `"properties":{"a":{}},"additionalProperties":false`, `"properties":{"a":{}}`}},
	HintStated:        {"hint-stated", "hint stated", "states a hint that has no effect", Same, None, HintStated, true, Example{Tool, ``, `"annotations":{"readOnlyHint":false}`}},
	RequiredFollows:   {"required-follows", "required, follows", "requires what follows from the parameters", Unknown, None, RequiredFollows, true, Example{Input, `"properties":{"a":{}}`, `"properties":{"a":{},"b":{}},"required":["b"]`}},
	OtherOrder:        {"other-order", "other order", "lists the same values in another order", Same, None, OtherOrder, true, Example{Parameter, `"enum":["a","b"]`, `"enum":["b","a"]`}},
	OtherForm:         {"other-form", "other form", "says the same in another form", Same, None, OtherForm, true, Example{Parameter, `"enum":["a"]`, `"const":"a"`}},
	Churn:             {"sdk-churn", "written by an SDK", "changed by an SDK, without effect", Same, None, Churn, true, Example{Tool, ``, `"execution":{"taskSupport":"forbidden"}`}},
	FileDigest:        {"file-digest", "digest of a file", "the digest or the size of a file that is shown, or has a warning", Same, None, FileDigest, true, Example{Skill, `"resources":[{"uri":"a","digest":"1","size":1}]`, `"resources":[{"uri":"a","digest":"2","size":1}]`}},
}

// ID is the stable name of the label, such as "parameter-added". It is what people type.
func (l Label) ID() string { return table[l].id }

// Words are what people read beside a change, such as "new parameter".
func (l Label) Words() string { return table[l].words }

// Does is what an entry with the label does, such as "takes a new parameter".
func (l Label) Does() string { return table[l].does }

// Effect says how a change with the label affects the breadth of its schema. It's Same, too, for a
// change that has nothing to do with breadth: that means the same however the schema is used.
func (l Label) Effect() Breadth { return table[l].effect }

// Severity returns the severity of a change with the label. For a change in an output schema, ask the
// label that OfOutput returns.
func (l Label) Severity() Severity { return table[l].severity }

// OfOutput returns the label of the same change in an output schema.
func (l Label) OfOutput() Label { return table[l].output }

// Minor reports whether one line is enough for a change with the label.
func (l Label) Minor() bool { return table[l].minor }

// ByValidity reports whether a change with the label can break something only through the values that
// the schema takes. That isn't so for a parameter or a result that is gone, which breaks whoever used
// it, whatever is still taken in its place; nor for an input that was closed, which refuses names that
// it ignored before.
func (l Label) ByValidity() bool {
	switch l {
	case TooMany, Renamed, ParameterRemoved, OutputRemoved, InputClosed:
		return false
	}
	return true
}

// BearsOnValues reports whether a label is about the values that a schema takes.
func (l Label) BearsOnValues() bool {
	switch l {
	case NewOptional, DefinitionAdded, TypeWidened, EnumAdded, Loosened, NoLongerRequired, ConstRemoved,
		FormatRemoved, InputOpened, OutputAdded, OutputNarrowed, DefinitionRemoved, NamesOpened:
		return true
	}
	return false
}

// IsForm reports whether a label is for a change that seems to say the same in another form, or for a
// change of a keyword that we don't know.
func (l Label) IsForm() bool {
	switch l {
	case Changed, RequiredFollows, OtherForm, Churn:
		return true
	}
	return false
}

// AsksLess reports whether clients ask less because of a change with the label.
func (l Label) AsksLess() bool {
	return l == TowardsSafe || l == LessCare || l == AskingDropped || l == AppWidened || l == SkillTools
}

// Example is a change that has the label.
func (l Label) Example() Example { return table[l].example }

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

// A Breadth says how the values that a schema takes compare with those that it took before.
type Breadth int

const (
	Unknown Breadth = iota // it can't be told
	Same
	Wider
	Narrower
)
