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
	labelExported
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
	labelConstraintChanged
	labelDefaultChanged
	labelInputOpened
	labelWording
	labelRenamed
	labelOutputWording
	labelExamples
	labelComment
	labelLessCare
	labelChanged
	labelClientMetadata
	labelOutput
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
)

// labelTable has for each label its stable id, its text, its effect, and whether it is
// minor, which means worth no more than a line. The effect is how the breadth of the
// schema changes. It is also breadthSame for labels that have nothing to do with breadth;
// these are the same wherever the schema stands.
var labelTable = [...]struct {
	id, text string
	effect   breadth
	minor    bool
}{
	labelTooMany:           {"many-changes", "more changes than can be told apart", breadthSame, false},
	labelTowardsSafe:       {"hint-harmless", "hint that it does no harm (less confirmation in clients)", breadthSame, false},
	labelExported:          {"header-exported", "argument exported as a header", breadthSame, false},
	labelNewRequired:       {"required-parameter-added", "new parameter, required", breadthUnknown, false},
	labelNewOptional:       {"parameter-added", "new parameter, optional", breadthUnknown, false},
	labelNowRequired:       {"parameter-required", "parameter now required", breadthUnknown, false},
	labelInputChanged:      {"input-changed", "input schema changed", breadthUnknown, false},
	labelReferenceChanged:  {"reference-changed", "reference changed", breadthUnknown, false},
	labelDefinitionAdded:   {"definition-added", "definition added", breadthUnknown, false},
	labelTypeWidened:       {"type-widened", "type widened", breadthWider, false},
	labelEnumAdded:         {"enum-added", "enum value added", breadthWider, false},
	labelEnumSwapped:       {"enum-changed", "enum values added and removed", breadthUnknown, false},
	labelLoosened:          {"constraint-loosened", "constraint loosened", breadthWider, false},
	labelNoLongerRequired:  {"parameter-optional", "parameter no longer required", breadthUnknown, false},
	labelConstRemoved:      {"const-removed", "const removed", breadthWider, false},
	labelConstChanged:      {"const-changed", "const changed", breadthUnknown, false},
	labelFormatRemoved:     {"format-removed", "format removed", breadthWider, false},
	labelFormatChanged:     {"format-changed", "format changed", breadthUnknown, false},
	labelPatternChanged:    {"pattern-changed", "pattern changed", breadthUnknown, false},
	labelTypeChanged:       {"type-changed", "type changed", breadthUnknown, false},
	labelConstraintChanged: {"constraint-changed", "constraint changed", breadthUnknown, false},
	labelDefaultChanged:    {"default-changed", "default changed", breadthUnknown, false},
	labelInputOpened:       {"input-anything", "input takes anything", breadthWider, false},
	labelWording:           {"wording", "wording", breadthSame, false},
	labelRenamed:           {"renamed", "renamed", breadthSame, false},
	labelOutputWording:     {"output-wording", "output schema wording", breadthSame, false},
	labelExamples:          {"examples", "examples", breadthSame, false},
	labelComment:           {"comment", "comment", breadthSame, false},
	labelLessCare:          {"hint-safer", "hint towards safe (less confirmation in clients)", breadthSame, false},
	labelChanged:           {"changed", "changed", breadthSame, false},
	labelClientMetadata:    {"client-metadata", "client metadata", breadthSame, true},
	labelOutput:            {"output-schema", "output schema", breadthSame, true},
	labelTitle:             {"title", "a title that is the name in words", breadthSame, true},
	labelUnusedDefinition:  {"definition-unused", "unused definition", breadthSame, false},
	labelTowardsCaution:    {"hint-caution", "hint towards caution", breadthSame, false},
	labelHintLeftOut:       {"hint-left-out", "hint left out, to no effect", breadthSame, true},
	labelNotExported:       {"header-not-exported", "argument no longer exported as a header", breadthSame, false},
	labelInputClosed:       {"input-closed", "input closed", breadthNarrower, false},
	labelParameterRemoved:  {"parameter-removed", "parameter removed", breadthUnknown, false},
	labelTypeNarrowed:      {"type-narrowed", "type narrowed", breadthNarrower, false},
	labelEnumRemoved:       {"enum-removed", "enum value removed", breadthNarrower, false},
	labelTightened:         {"constraint-tightened", "constraint tightened", breadthNarrower, false},
	labelConstAdded:        {"const-added", "const added", breadthNarrower, false},
	labelFormatAdded:       {"format-added", "format added", breadthNarrower, false},
	labelDefinitionRemoved: {"definition-removed", "definition removed", breadthUnknown, false},
	labelNamesOpened:       {"input-opened", "input opened to unnamed parameters", breadthWider, true},
	labelHintStated:        {"hint-stated", "hint stated, to no effect", breadthSame, true},
	labelRequiredFollows:   {"required-follows", "required list follows the parameters", breadthUnknown, true},
	labelOtherOrder:        {"other-order", "same values, other order", breadthSame, true},
	labelOtherForm:         {"other-form", "same meaning, other form", breadthSame, true},
	labelChurn:             {"sdk-churn", "SDK churn", breadthSame, true},
}

// ID is the stable name of the label, such as "parameter-added".
func (l Label) ID() string { return labelTable[l].id }

// Text is what the label says, such as "new parameter, optional".
func (l Label) Text() string { return labelTable[l].text }

// Minor reports whether a line is enough for the change.
func (l Label) Minor() bool { return labelTable[l].minor }

// LabelNamed returns the label with an id, and false if there is none.
func LabelNamed(id string) (Label, bool) {
	for l := range labelTable {
		if labelTable[l].id == id {
			return Label(l), true
		}
	}
	return 0, false
}

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
	"multipleOf":         {byFactor, labelLoosened, labelTightened, labelConstraintChanged},
	"minimum":            {byBound(math.Inf(-1), -1), labelLoosened, labelTightened, labelConstraintChanged},
	"exclusiveMinimum":   {byBound(math.Inf(-1), -1), labelLoosened, labelTightened, labelConstraintChanged},
	"minLength":          {byBound(0, -1), labelLoosened, labelTightened, labelConstraintChanged},
	"minItems":           {byBound(0, -1), labelLoosened, labelTightened, labelConstraintChanged},
	"minProperties":      {byBound(0, -1), labelLoosened, labelTightened, labelConstraintChanged},
	"minContains":        {byBound(1, -1), labelLoosened, labelTightened, labelConstraintChanged},
	"maximum":            {byBound(math.Inf(1), 1), labelLoosened, labelTightened, labelConstraintChanged},
	"exclusiveMaximum":   {byBound(math.Inf(1), 1), labelLoosened, labelTightened, labelConstraintChanged},
	"maxLength":          {byBound(math.Inf(1), 1), labelLoosened, labelTightened, labelConstraintChanged},
	"maxItems":           {byBound(math.Inf(1), 1), labelLoosened, labelTightened, labelConstraintChanged},
	"maxProperties":      {byBound(math.Inf(1), 1), labelLoosened, labelTightened, labelConstraintChanged},
	"maxContains":        {byBound(math.Inf(1), 1), labelLoosened, labelTightened, labelConstraintChanged},
	"uniqueItems":        {byFlag, labelLoosened, labelTightened, labelConstraintChanged},
	"dependentRequired":  {byPresence, labelLoosened, labelTightened, labelConstraintChanged},
	"$ref":               {byPresence, labelReferenceChanged, labelReferenceChanged, labelReferenceChanged},
	"$dynamicRef":        {byPresence, labelReferenceChanged, labelReferenceChanged, labelReferenceChanged},
	"$recursiveRef":      {byPresence, labelReferenceChanged, labelReferenceChanged, labelReferenceChanged},
	"$id":                {byPresence, labelReferenceChanged, labelReferenceChanged, labelReferenceChanged},
	"$anchor":            {byPresence, labelReferenceChanged, labelReferenceChanged, labelReferenceChanged},
	"$dynamicAnchor":     {byPresence, labelReferenceChanged, labelReferenceChanged, labelReferenceChanged},
	"$defs":              {byPresence, labelDefinitionRemoved, labelDefinitionAdded, labelConstraintChanged},
	"definitions":        {byPresence, labelDefinitionRemoved, labelDefinitionAdded, labelConstraintChanged},
	"patternProperties":  {byPresence, labelLoosened, labelTightened, labelConstraintChanged},
	"dependentSchemas":   {byPresence, labelLoosened, labelTightened, labelConstraintChanged},
	"dependencies":       {byPresence, labelLoosened, labelTightened, labelConstraintChanged},
	"allOf":              {byPresence, labelLoosened, labelTightened, labelConstraintChanged},
	"anyOf":              {byPresence, labelLoosened, labelTightened, labelConstraintChanged},
	"oneOf":              {byPresence, labelLoosened, labelTightened, labelConstraintChanged},
	"prefixItems":        {byPresence, labelLoosened, labelTightened, labelConstraintChanged},
	"items":              {byPresence, labelLoosened, labelTightened, labelConstraintChanged},
	schema.HeaderKeyword: {byPresence, labelNotExported, labelExported, labelExported},
}

// listedRule is for values that both sides list.
var listedRule = keywordRule{byListed, labelEnumAdded, labelEnumRemoved, labelEnumSwapped}

// schemaRules are for a whole schema that a keyword holds (Core, 10 and 11).
var schemaRules = map[string]keywordRule{
	"properties":            {byOpenness(2), labelInputOpened, labelInputClosed, labelConstraintChanged},
	"additionalProperties":  {byOpenness(2), labelInputOpened, labelInputClosed, labelConstraintChanged},
	"unevaluatedProperties": {byOpenness(2), labelInputOpened, labelInputClosed, labelConstraintChanged},
	"additionalItems":       {byOpenness(2), labelInputOpened, labelInputClosed, labelConstraintChanged},
	"unevaluatedItems":      {byOpenness(2), labelInputOpened, labelInputClosed, labelConstraintChanged},
	"anyOf":                 {byOpenness(0), labelTypeWidened, labelTypeNarrowed, labelConstraintChanged},
	"oneOf":                 {byOpenness(0), labelTypeWidened, labelTypeNarrowed, labelConstraintChanged},
	"not":                   {byOpenness(0), labelTightened, labelLoosened, labelConstraintChanged},
	"if":                    {byOpenness(2), labelConstraintChanged, labelConstraintChanged, labelConstraintChanged},
}

// anySchemaRule is for a whole schema that any other keyword holds.
var anySchemaRule = keywordRule{byOpenness(2), labelLoosened, labelTightened, labelConstraintChanged}

// closedRule is for the patternProperties of an object that takes no other names.
var closedRule = keywordRule{byOpenness(0), labelInputOpened, labelInputClosed, labelConstraintChanged}

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

// annotationKeywords say nothing about which values a schema takes.
var annotationKeywords = [...]string{
	"title", "description", "default", "examples", "example", "$comment", "deprecated", "readOnly", "writeOnly",
}

func isAnnotation(keyword string) bool { return slices.Contains(annotationKeywords[:], keyword) }
