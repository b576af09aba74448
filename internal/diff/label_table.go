package diff

import (
	"math"
	"slices"

	"pinproof/internal/schema"
)

// A Label says what a change means to a reviewer. It explains and sorts; whether there is
// drift never depends on it. Its value is its rank, and the lowest is read first. First
// comes what lets a tool be run more easily, or take or send more. Then comes what the
// model or a client reads, then what lets a tool do less, and last what changes nothing.
// A change whose effect can't be told from the definition alone ranks with the dangerous ones.
type Label int

const (
	labelTooMany Label = iota
	labelTowardsSafe
	labelAskingDropped
	labelAppWidened
	labelExported
	labelScriptAdded
	labelSkillTools
	labelNewRequired
	labelNewOptional
	labelNowRequired
	labelInputChanged
	labelReferenceChanged
	labelDefinitionAdded
	labelTypeWidened
	labelEnumAdded
	labelEnumSwapped
	labelLoosened
	labelNoLongerRequired
	labelConstRemoved
	labelConstChanged
	labelFormatRemoved
	labelFormatChanged
	labelPatternChanged
	labelTypeChanged
	labelOther
	labelDefaultChanged
	labelInputOpened
	labelWording
	labelRenamed
	labelOutputRemoved
	labelOutputWidened
	labelOutputAdded
	labelOutputNarrowed
	labelExamples
	labelComment
	labelLessCare
	labelChanged
	labelClientMetadata
	labelTitle
	labelUnusedDefinition
	labelTowardsCaution
	labelHintLeftOut
	labelNotExported
	labelInputClosed
	labelParameterRemoved
	labelTypeNarrowed
	labelEnumRemoved
	labelTightened
	labelConstAdded
	labelFormatAdded
	labelDefinitionRemoved
	labelNamesOpened
	labelHintStated
	labelRequiredFollows
	labelOtherOrder
	labelOtherForm
	labelChurn
	labelFileDigest
)

// labelTable has for each label its stable id, what an entry does that has it, its effect,
// and whether it is minor, which means worth no more than a line. A consequence stands behind
// a colon. The effect is how the breadth of the schema changes. It is also breadthSame for
// labels that have nothing to do with breadth; these are the same wherever the schema stands.
var labelTable = [...]struct {
	id, text string
	effect   breadth
	severity Severity
	output   Label
	minor    bool
}{
	labelTooMany:           {"many-changes", "changed in more places than can be told apart", breadthSame, Breaking, labelTooMany, false},
	labelTowardsSafe:       {"hint-harmless", "now claims to be harmless: clients ask less", breadthSame, Behaviour, labelTowardsSafe, false},
	labelAskingDropped:     {"asking-dropped", "no longer has a person asked at each call", breadthSame, Behaviour, labelAskingDropped, false},
	labelAppWidened:        {"app-widened", "lets its page do more, or the model call what only the page could", breadthSame, Behaviour, labelAppWidened, false},
	labelExported:          {"header-exported", "sends an argument as an HTTP header", breadthSame, Behaviour, labelChanged, false},
	labelScriptAdded:       {"script-added", "brings a script that it didn't have", breadthSame, Behaviour, labelScriptAdded, false},
	labelSkillTools:        {"skill-tools", "names other tools that it may use: clients may ask less", breadthSame, Behaviour, labelSkillTools, false},
	labelNewRequired:       {"required-parameter-added", "takes a new required parameter", breadthUnknown, Breaking, labelOutputAdded, false},
	labelNewOptional:       {"parameter-added", "takes a new parameter", breadthUnknown, Behaviour, labelOutputAdded, false},
	labelNowRequired:       {"parameter-required", "requires a parameter that was optional", breadthUnknown, Breaking, labelOutputNarrowed, false},
	labelInputChanged:      {"input-changed", "describes the input in another way", breadthUnknown, Breaking, labelOther, false},
	labelReferenceChanged:  {"reference-changed", "refers to another schema", breadthUnknown, Breaking, labelReferenceChanged, false},
	labelDefinitionAdded:   {"definition-added", "adds a schema to refer to", breadthUnknown, Behaviour, labelDefinitionAdded, false},
	labelTypeWidened:       {"type-widened", "takes other types, too", breadthWider, Behaviour, labelOutputWidened, false},
	labelEnumAdded:         {"enum-added", "takes a new value", breadthWider, Behaviour, labelOutputWidened, false},
	labelEnumSwapped:       {"enum-changed", "takes other values", breadthUnknown, Breaking, labelOutputWidened, false},
	labelLoosened:          {"constraint-loosened", "takes more than before", breadthWider, Behaviour, labelOutputWidened, false},
	labelNoLongerRequired:  {"parameter-optional", "no longer requires a parameter", breadthUnknown, Behaviour, labelOutputWidened, false},
	labelConstRemoved:      {"const-removed", "no longer insists on one value", breadthWider, Behaviour, labelOutputWidened, false},
	labelConstChanged:      {"const-changed", "insists on another value", breadthUnknown, Breaking, labelOutputWidened, false},
	labelFormatRemoved:     {"format-removed", "no longer asks for a format", breadthWider, Behaviour, labelOutputWidened, false},
	labelFormatChanged:     {"format-changed", "asks for another format", breadthUnknown, Breaking, labelOutputWidened, false},
	labelPatternChanged:    {"pattern-changed", "asks for another pattern", breadthUnknown, Breaking, labelOutputWidened, false},
	labelTypeChanged:       {"type-changed", "takes another type", breadthUnknown, Breaking, labelOutputWidened, false},
	labelOther:             {"other", "changed in a way that can't be judged", breadthUnknown, Breaking, labelOther, false},
	labelDefaultChanged:    {"default-changed", "takes another value where none is given", breadthUnknown, Behaviour, labelChanged, false},
	labelInputOpened:       {"input-anything", "takes anything in a place that was checked", breadthWider, Behaviour, labelOutputWidened, false},
	labelWording:           {"wording", "reworded", breadthSame, Behaviour, labelWording, false},
	labelRenamed:           {"renamed", "renamed", breadthSame, Breaking, labelRenamed, false},
	labelOutputRemoved:     {"output-removed", "no longer returns something", breadthSame, Breaking, labelOutputRemoved, false},
	labelOutputWidened:     {"output-widened", "may return more than it said before", breadthSame, Breaking, labelOutputWidened, false},
	labelOutputAdded:       {"output-added", "returns something new", breadthSame, Behaviour, labelOutputAdded, false},
	labelOutputNarrowed:    {"output-narrowed", "returns less than it might have", breadthSame, Behaviour, labelOutputNarrowed, false},
	labelExamples:          {"examples", "changed in its examples", breadthSame, Behaviour, labelExamples, false},
	labelComment:           {"comment", "changed in a comment", breadthSame, Behaviour, labelComment, false},
	labelLessCare:          {"hint-safer", "now claims to be safer: clients ask less", breadthSame, Behaviour, labelLessCare, false},
	labelChanged:           {"changed", "changed in another member", breadthSame, Behaviour, labelChanged, false},
	labelClientMetadata:    {"client-metadata", "changed in what clients show", breadthSame, Behaviour, labelClientMetadata, false},
	labelTitle:             {"title", "changed in a title that is the name in words", breadthSame, None, labelTitle, true},
	labelUnusedDefinition:  {"definition-unused", "changed in a schema that nothing refers to", breadthSame, Behaviour, labelUnusedDefinition, false},
	labelTowardsCaution:    {"hint-caution", "now claims less: clients ask more", breadthSame, Behaviour, labelTowardsCaution, false},
	labelHintLeftOut:       {"hint-left-out", "leaves out a hint that had no effect", breadthSame, None, labelHintLeftOut, true},
	labelNotExported:       {"header-not-exported", "no longer sends an argument as an HTTP header", breadthSame, Behaviour, labelChanged, false},
	labelInputClosed:       {"input-closed", "no longer takes unnamed parameters", breadthNarrower, Breaking, labelOutputNarrowed, false},
	labelParameterRemoved:  {"parameter-removed", "no longer takes a parameter", breadthUnknown, Breaking, labelOutputRemoved, false},
	labelTypeNarrowed:      {"type-narrowed", "takes fewer types", breadthNarrower, Breaking, labelOutputNarrowed, false},
	labelEnumRemoved:       {"enum-removed", "no longer takes a value", breadthNarrower, Breaking, labelOutputNarrowed, false},
	labelTightened:         {"constraint-tightened", "takes less than before", breadthNarrower, Breaking, labelOutputNarrowed, false},
	labelConstAdded:        {"const-added", "insists on one value", breadthNarrower, Breaking, labelOutputNarrowed, false},
	labelFormatAdded:       {"format-added", "asks for a format", breadthNarrower, Breaking, labelOutputNarrowed, false},
	labelDefinitionRemoved: {"definition-removed", "drops a schema to refer to", breadthUnknown, Behaviour, labelDefinitionRemoved, false},
	labelNamesOpened:       {"input-opened", "takes unnamed parameters", breadthWider, Behaviour, labelOutputAdded, true},
	labelHintStated:        {"hint-stated", "states a hint that has no effect", breadthSame, None, labelHintStated, true},
	labelRequiredFollows:   {"required-follows", "requires what follows from the parameters", breadthUnknown, None, labelRequiredFollows, true},
	labelOtherOrder:        {"other-order", "lists the same values in another order", breadthSame, None, labelOtherOrder, true},
	labelOtherForm:         {"other-form", "says the same in another form", breadthSame, None, labelOtherForm, true},
	labelChurn:             {"sdk-churn", "changed by an SDK, without effect", breadthSame, None, labelChurn, true},
	labelFileDigest:        {"file-digest", "the digest or the size of a file that is shown, or has a warning", breadthSame, None, labelFileDigest, true},
}

// ID is the stable name of the label, such as "parameter-added".
func (l Label) ID() string { return labelTable[l].id }

// Text is what an entry with the label does, such as "takes a new value".
func (l Label) Text() string { return labelTable[l].text }

// Minor reports whether a line is enough for the change.
func (l Label) Minor() bool { return labelTable[l].minor }

// LabelIDs lists the ids of all labels, in the order of their ranks.
func LabelIDs() []string {
	var ids []string
	for _, row := range labelTable {
		ids = append(ids, row.id)
	}
	return ids
}

// A breadth says how the values that a schema takes compare with those that it took.
type breadth int

const (
	breadthUnknown breadth = iota // it can't be told
	breadthSame
	breadthWider
	breadthNarrower
)

// A keywordRule gives the labels for a change of a keyword: the schema around it takes
// more values now (wider), or fewer (narrower), or compare can't tell (other).
type keywordRule struct {
	compare                func(Change, *location) breadth
	wider, narrower, other Label
}

// keywordRules are for the values of keywords (JSON Schema 2020-12 Validation, 6).
var keywordRules = map[string]keywordRule{
	"$comment":           {byPresence, labelComment, labelComment, labelComment},
	"examples":           {byPresence, labelExamples, labelExamples, labelExamples},
	"example":            {byPresence, labelExamples, labelExamples, labelExamples},
	"default":            {byPresence, labelDefaultChanged, labelDefaultChanged, labelDefaultChanged},
	"type":               {byTypes, labelTypeWidened, labelTypeNarrowed, labelTypeChanged},
	"nullable":           {byFlag, labelTypeNarrowed, labelTypeWidened, labelTypeChanged}, // it adds null
	"enum":               {byPresence, labelLoosened, labelTightened, labelEnumSwapped},
	"const":              {byPresence, labelConstRemoved, labelConstAdded, labelConstChanged},
	"pattern":            {byPresence, labelLoosened, labelTightened, labelPatternChanged},
	"format":             {byPresence, labelFormatRemoved, labelFormatAdded, labelFormatChanged},
	"multipleOf":         {byFactor, labelLoosened, labelTightened, labelOther},
	"minimum":            {byBound(math.Inf(-1), -1), labelLoosened, labelTightened, labelOther},
	"exclusiveMinimum":   {byBound(math.Inf(-1), -1), labelLoosened, labelTightened, labelOther},
	"minLength":          {byBound(0, -1), labelLoosened, labelTightened, labelOther},
	"minItems":           {byBound(0, -1), labelLoosened, labelTightened, labelOther},
	"minProperties":      {byBound(0, -1), labelLoosened, labelTightened, labelOther},
	"minContains":        {byBound(1, -1), labelLoosened, labelTightened, labelOther},
	"maximum":            {byBound(math.Inf(1), 1), labelLoosened, labelTightened, labelOther},
	"exclusiveMaximum":   {byBound(math.Inf(1), 1), labelLoosened, labelTightened, labelOther},
	"maxLength":          {byBound(math.Inf(1), 1), labelLoosened, labelTightened, labelOther},
	"maxItems":           {byBound(math.Inf(1), 1), labelLoosened, labelTightened, labelOther},
	"maxProperties":      {byBound(math.Inf(1), 1), labelLoosened, labelTightened, labelOther},
	"maxContains":        {byBound(math.Inf(1), 1), labelLoosened, labelTightened, labelOther},
	"uniqueItems":        {byFlag, labelLoosened, labelTightened, labelOther},
	"dependentRequired":  {byPresence, labelLoosened, labelTightened, labelOther},
	"$ref":               {byPresence, labelReferenceChanged, labelReferenceChanged, labelReferenceChanged},
	"$dynamicRef":        {byPresence, labelReferenceChanged, labelReferenceChanged, labelReferenceChanged},
	"$recursiveRef":      {byPresence, labelReferenceChanged, labelReferenceChanged, labelReferenceChanged},
	"$id":                {byPresence, labelReferenceChanged, labelReferenceChanged, labelReferenceChanged},
	"$anchor":            {byPresence, labelReferenceChanged, labelReferenceChanged, labelReferenceChanged},
	"$dynamicAnchor":     {byPresence, labelReferenceChanged, labelReferenceChanged, labelReferenceChanged},
	"$defs":              {byPresence, labelDefinitionRemoved, labelDefinitionAdded, labelOther},
	"definitions":        {byPresence, labelDefinitionRemoved, labelDefinitionAdded, labelOther},
	"patternProperties":  {byPresence, labelLoosened, labelTightened, labelOther},
	"dependentSchemas":   {byPresence, labelLoosened, labelTightened, labelOther},
	"dependencies":       {byPresence, labelLoosened, labelTightened, labelOther},
	"allOf":              {byPresence, labelLoosened, labelTightened, labelOther},
	"anyOf":              {byPresence, labelLoosened, labelTightened, labelOther},
	"oneOf":              {byPresence, labelLoosened, labelTightened, labelOther},
	"prefixItems":        {byPresence, labelLoosened, labelTightened, labelOther},
	"items":              {byPresence, labelLoosened, labelTightened, labelOther},
	schema.HeaderKeyword: {byPresence, labelNotExported, labelExported, labelExported},
}

// listedRule is for values that both sides list.
var listedRule = keywordRule{byListed, labelEnumAdded, labelEnumRemoved, labelEnumSwapped}

// schemaRules are for a whole schema that a keyword holds (Core, 10 and 11).
var schemaRules = map[string]keywordRule{
	"properties":            {byOpenness(2), labelInputOpened, labelInputClosed, labelOther},
	"additionalProperties":  {byOpenness(2), labelInputOpened, labelInputClosed, labelOther},
	"unevaluatedProperties": {byOpenness(2), labelInputOpened, labelInputClosed, labelOther},
	"additionalItems":       {byOpenness(2), labelInputOpened, labelInputClosed, labelOther},
	"unevaluatedItems":      {byOpenness(2), labelInputOpened, labelInputClosed, labelOther},
	"anyOf":                 {byOpenness(0), labelTypeWidened, labelTypeNarrowed, labelOther},
	"oneOf":                 {byOpenness(0), labelTypeWidened, labelTypeNarrowed, labelOther},
	"not":                   {byOpenness(0), labelTightened, labelLoosened, labelOther},
	"if":                    {byOpenness(2), labelOther, labelOther, labelOther},
}

// anySchemaRule is for a whole schema that any other keyword holds.
var anySchemaRule = keywordRule{byOpenness(2), labelLoosened, labelTightened, labelOther}

// closedRule is for the patternProperties of an object that takes no other names.
var closedRule = keywordRule{byOpenness(0), labelInputOpened, labelInputClosed, labelOther}

// schemaDialects are the values of $schema that SDKs write, less a final "#".
var schemaDialects = [...]string{
	"http://json-schema.org/draft-04/schema", "http://json-schema.org/draft-06/schema",
	"http://json-schema.org/draft-07/schema", "http://json-schema.org/schema",
	"https://json-schema.org/draft/2019-09/schema", "https://json-schema.org/draft/2020-12/schema",
}

var jsonTypes = [...]string{"array", "boolean", "integer", "null", "number", "object", "string"}

// toolHints are the annotations that the approval logic of clients reads (MCP 2025-03-26).
// Each has its default, the value that makes a client ask less, whether it is about what
// the tool writes, so that it says nothing of a tool that only reads, and the label for a
// change to the value that makes a client ask less.
var toolHints = map[string]struct {
	absent, asksLess bool
	writes           bool
	safer            Label
}{
	"readOnlyHint":    {false, true, false, labelTowardsSafe},
	"destructiveHint": {true, false, true, labelTowardsSafe},
	"idempotentHint":  {false, true, true, labelLessCare},
	"openWorldHint":   {true, false, false, labelLessCare},
}

// taskSupport is how a tool takes calls as tasks, by the text of its execution, or of the member
// in that: forbidden if it doesn't say (MCP 2025-11-25).
var taskSupport = map[string]string{
	`{}`:          "forbidden",
	`"forbidden"`: "forbidden", `{"taskSupport":"forbidden"}`: "forbidden",
	`"optional"`: "optional", `{"taskSupport":"optional"}`: "optional",
	`"required"`: "required", `{"taskSupport":"required"}`: "required",
}

// annotationKeywords say nothing about which values a schema takes.
var annotationKeywords = [...]string{
	"title", "description", "default", "examples", "example", "$comment", "deprecated", "readOnly", "writeOnly",
}

func isAnnotation(keyword string) bool { return slices.Contains(annotationKeywords[:], keyword) }
