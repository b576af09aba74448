package diff

import (
	"math"
	"slices"
	"sync"

	"pinproof/internal/label"
	"pinproof/internal/schema"
)

// A keywordRule gives the labels for a change of a keyword: the schema around it takes
// more values now (wider), or fewer (narrower), or compare can't tell (other).
type keywordRule struct {
	compare                func(Change, *location) label.Breadth
	wider, narrower, other label.Label
}

// keywordRules are for the values of keywords (JSON Schema 2020-12 Validation, 6).
var keywordRules = sync.OnceValue(func() map[string]keywordRule {
	return map[string]keywordRule{
		"$comment":           {byPresence, label.Comment, label.Comment, label.Comment},
		"examples":           {byPresence, label.Examples, label.Examples, label.Examples},
		"example":            {byPresence, label.Examples, label.Examples, label.Examples},
		"default":            {byPresence, label.DefaultChanged, label.DefaultChanged, label.DefaultChanged},
		"type":               {byTypes, label.TypeWidened, label.TypeNarrowed, label.TypeChanged},
		"nullable":           {byFlag, label.TypeNarrowed, label.TypeWidened, label.TypeChanged}, // it adds null
		"enum":               {byPresence, label.Loosened, label.Tightened, label.EnumSwapped},
		"const":              {byPresence, label.ConstRemoved, label.ConstAdded, label.ConstChanged},
		"pattern":            {byPresence, label.Loosened, label.Tightened, label.PatternChanged},
		"format":             {byPresence, label.FormatRemoved, label.FormatAdded, label.FormatChanged},
		"multipleOf":         {byFactor, label.Loosened, label.Tightened, label.Other},
		"minimum":            {byBound(math.Inf(-1), -1), label.Loosened, label.Tightened, label.Other},
		"exclusiveMinimum":   {byBound(math.Inf(-1), -1), label.Loosened, label.Tightened, label.Other},
		"minLength":          {byBound(0, -1), label.Loosened, label.Tightened, label.Other},
		"minItems":           {byBound(0, -1), label.Loosened, label.Tightened, label.Other},
		"minProperties":      {byBound(0, -1), label.Loosened, label.Tightened, label.Other},
		"minContains":        {byBound(1, -1), label.Loosened, label.Tightened, label.Other},
		"maximum":            {byBound(math.Inf(1), 1), label.Loosened, label.Tightened, label.Other},
		"exclusiveMaximum":   {byBound(math.Inf(1), 1), label.Loosened, label.Tightened, label.Other},
		"maxLength":          {byBound(math.Inf(1), 1), label.Loosened, label.Tightened, label.Other},
		"maxItems":           {byBound(math.Inf(1), 1), label.Loosened, label.Tightened, label.Other},
		"maxProperties":      {byBound(math.Inf(1), 1), label.Loosened, label.Tightened, label.Other},
		"maxContains":        {byBound(math.Inf(1), 1), label.Loosened, label.Tightened, label.Other},
		"uniqueItems":        {byFlag, label.Loosened, label.Tightened, label.Other},
		"dependentRequired":  {byPresence, label.Loosened, label.Tightened, label.Other},
		"$ref":               {byPresence, label.ReferenceChanged, label.ReferenceChanged, label.ReferenceChanged},
		"$dynamicRef":        {byPresence, label.ReferenceChanged, label.ReferenceChanged, label.ReferenceChanged},
		"$recursiveRef":      {byPresence, label.ReferenceChanged, label.ReferenceChanged, label.ReferenceChanged},
		"$id":                {byPresence, label.ReferenceChanged, label.ReferenceChanged, label.ReferenceChanged},
		"$anchor":            {byPresence, label.ReferenceChanged, label.ReferenceChanged, label.ReferenceChanged},
		"$dynamicAnchor":     {byPresence, label.ReferenceChanged, label.ReferenceChanged, label.ReferenceChanged},
		"$defs":              {byPresence, label.DefinitionRemoved, label.DefinitionAdded, label.Other},
		"definitions":        {byPresence, label.DefinitionRemoved, label.DefinitionAdded, label.Other},
		"patternProperties":  {byPresence, label.Loosened, label.Tightened, label.Other},
		"dependentSchemas":   {byPresence, label.Loosened, label.Tightened, label.Other},
		"dependencies":       {byPresence, label.Loosened, label.Tightened, label.Other},
		"allOf":              {byPresence, label.Loosened, label.Tightened, label.Other},
		"anyOf":              {byPresence, label.Loosened, label.Tightened, label.Other},
		"oneOf":              {byPresence, label.Loosened, label.Tightened, label.Other},
		"prefixItems":        {byPresence, label.Loosened, label.Tightened, label.Other},
		"items":              {byPresence, label.Loosened, label.Tightened, label.Other},
		schema.HeaderKeyword: {byPresence, label.NotExported, label.Exported, label.Exported},
	}
})

// listedRule is for values that both sides list.
var listedRule = keywordRule{byListed, label.EnumAdded, label.EnumRemoved, label.EnumSwapped}

// schemaRules are for a whole schema that a keyword holds (Core, 10 and 11).
var schemaRules = sync.OnceValue(func() map[string]keywordRule {
	return map[string]keywordRule{
		"properties":            {byOpenness(2), label.InputOpened, label.InputClosed, label.Other},
		"additionalProperties":  {byOpenness(2), label.InputOpened, label.InputClosed, label.Other},
		"unevaluatedProperties": {byOpenness(2), label.InputOpened, label.InputClosed, label.Other},
		"additionalItems":       {byOpenness(2), label.InputOpened, label.InputClosed, label.Other},
		"unevaluatedItems":      {byOpenness(2), label.InputOpened, label.InputClosed, label.Other},
		"anyOf":                 {byOpenness(0), label.TypeWidened, label.TypeNarrowed, label.Other},
		"oneOf":                 {byOpenness(0), label.TypeWidened, label.TypeNarrowed, label.Other},
		"not":                   {byOpenness(0), label.Tightened, label.Loosened, label.Other},
		"if":                    {byOpenness(2), label.Other, label.Other, label.Other},
	}
})

// anySchemaRule is for a whole schema that any other keyword holds.
var anySchemaRule = keywordRule{byOpenness(2), label.Loosened, label.Tightened, label.Other}

// closedRule is for the patternProperties of an object that takes no other names.
var closedRule = keywordRule{byOpenness(0), label.InputOpened, label.InputClosed, label.Other}

// schemaDialects are the values of $schema that SDKs write, without a final "#".
var schemaDialects = [...]string{
	"http://json-schema.org/draft-04/schema", "http://json-schema.org/draft-06/schema",
	"http://json-schema.org/draft-07/schema", "http://json-schema.org/schema",
	"https://json-schema.org/draft/2019-09/schema", "https://json-schema.org/draft/2020-12/schema",
}

var jsonTypes = [...]string{"array", "boolean", "integer", "null", "number", "object", "string"}

// toolHints are the annotations that the approval logic of clients reads (MCP 2025-03-26).
// Each has its default (absent), the value that makes a client ask less, whether it is about what the
// tool writes, and the label for a change to the value that makes a client ask less. A hint about what
// a tool writes says nothing about a tool that only reads.
var toolHints = map[string]struct {
	absent, asksLess bool
	writes           bool
	safer            label.Label
}{
	"readOnlyHint":    {false, true, false, label.TowardsSafe},
	"destructiveHint": {true, false, true, label.TowardsSafe},
	"idempotentHint":  {false, true, true, label.LessCare},
	"openWorldHint":   {true, false, false, label.LessCare},
}

// taskSupport says whether a tool takes calls as tasks, by the JSON text of execution or of its member
// taskSupport. A tool that doesn't say takes none: forbidden (MCP 2025-11-25).
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
