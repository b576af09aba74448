package main

import (
	"math"
	"math/big"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// A label says what a change means to a reviewer. It explains and sorts; whether
// there is drift never depends on it.
type label struct {
	text string // "new parameter, required"
	rank int    // the lower, the earlier it is read
}

// A meaning is a row of labelTable, and its number there the rank: first what lets
// a tool be run, take or send more, then what the model or a client reads, then
// what lets a tool do less, last what changes nothing. What can't be told from
// the schema alone stands with the dangerous.
type meaning int

const (
	meansTowardsSafe meaning = iota
	meansExported
	meansInputOpened
	meansNewRequired
	meansNewOptional
	meansNowRequired
	meansInputChanged
	meansReferenceChanged
	meansDefinitionAdded
	meansTypeWidened
	meansEnumAdded
	meansEnumSwapped
	meansLoosened
	meansNoLongerRequired
	meansConstRemoved
	meansConstChanged
	meansFormatRemoved
	meansFormatChanged
	meansPatternChanged
	meansTypeChanged
	meansConstraintChanged
	meansDefaultChanged
	meansWording
	meansOutputWording
	meansExamples
	meansComment
	meansChanged
	meansClientMetadata
	meansOutput
	meansUnusedDefinition
	meansTowardsCaution
	meansHintLeftOut
	meansNotExported
	meansInputClosed
	meansParameterRemoved
	meansTypeNarrowed
	meansEnumRemoved
	meansTightened
	meansConstAdded
	meansFormatAdded
	meansDefinitionRemoved
	meansHintStated
	meansRequiredFollows
	meansOtherOrder
	meansOtherForm
	meansChurn
)

// labelTable has the text of each meaning, and on what it bears (see applied).
var labelTable = [...]struct {
	text   string
	effect labelEffect
}{
	meansTowardsSafe:       {"hint towards safe (less confirmation in clients)", effectNone},
	meansExported:          {"argument exported as a header", effectNone},
	meansInputOpened:       {"input opened", effectLooser},
	meansNewRequired:       {"new parameter, required", effectShape},
	meansNewOptional:       {"new parameter, optional", effectShape},
	meansNowRequired:       {"parameter now required", effectShape},
	meansInputChanged:      {"input schema changed", effectNone},
	meansReferenceChanged:  {"reference changed", effectShape},
	meansDefinitionAdded:   {"definition added", effectShape},
	meansTypeWidened:       {"type widened", effectLooser},
	meansEnumAdded:         {"enum value added", effectLooser},
	meansEnumSwapped:       {"enum values added and removed", effectShape},
	meansLoosened:          {"constraint loosened", effectLooser},
	meansNoLongerRequired:  {"parameter no longer required", effectShape},
	meansConstRemoved:      {"const removed", effectLooser},
	meansConstChanged:      {"const changed", effectShape},
	meansFormatRemoved:     {"format removed", effectLooser},
	meansFormatChanged:     {"format changed", effectShape},
	meansPatternChanged:    {"pattern changed", effectShape},
	meansTypeChanged:       {"type changed", effectShape},
	meansConstraintChanged: {"constraint changed", effectShape},
	meansDefaultChanged:    {"default changed", effectShape},
	meansWording:           {"wording", effectNone},
	meansOutputWording:     {"output schema wording", effectNone},
	meansExamples:          {"examples", effectNone},
	meansComment:           {"comment", effectNone},
	meansChanged:           {"changed", effectNone},
	meansClientMetadata:    {"client metadata", effectNone},
	meansOutput:            {"output schema", effectNone},
	meansUnusedDefinition:  {"unused definition", effectNone},
	meansTowardsCaution:    {"hint towards caution", effectNone},
	meansHintLeftOut:       {"hint left out, same as its default", effectNone},
	meansNotExported:       {"argument no longer exported as a header", effectNone},
	meansInputClosed:       {"input closed", effectTighter},
	meansParameterRemoved:  {"parameter removed", effectShape},
	meansTypeNarrowed:      {"type narrowed", effectTighter},
	meansEnumRemoved:       {"enum value removed", effectTighter},
	meansTightened:         {"constraint tightened", effectTighter},
	meansConstAdded:        {"const added", effectTighter},
	meansFormatAdded:       {"format added", effectTighter},
	meansDefinitionRemoved: {"definition removed", effectShape},
	meansHintStated:        {"hint stated, same as its default", effectNone},
	meansRequiredFollows:   {"required list follows the parameters", effectShape},
	meansOtherOrder:        {"same values, other order", effectNone},
	meansOtherForm:         {"same meaning, other form", effectNone},
	meansChurn:             {"SDK churn", effectNone},
}

type labelEffect int

const (
	effectNone    labelEffect = iota // says the same wherever its schema stands
	effectLooser                     // its schema takes more values
	effectTighter                    // its schema takes fewer values
	effectShape                      // neither, or not to be told
)

// A schemaUse is how a schema bears on the input.
type schemaUse int

const (
	usePlain   schemaUse = 1 << iota // what it takes, the input takes
	useNegated                       // it stands under not
	useTested                        // it stands under if
)

// applied is what m comes to for the input, given the uses of its schema. Of
// several uses the dangerous one counts.
func (m meaning) applied(u schemaUse) meaning {
	switch e := labelTable[m].effect; {
	case e == effectNone:
		return m
	case u == 0:
		return meansUnusedDefinition
	case u == usePlain, u&usePlain != 0 && e != effectTighter:
		return m
	case u == useNegated && e == effectLooser:
		return meansTightened
	case u == useNegated && e == effectTighter:
		return meansLoosened
	}
	return meansConstraintChanged
}

// labelChanges gives each change of a tool its label and sorts the changes by
// rank; those of one rank keep their order. Both values must be parsed from
// canonical forms, and the changes be those between them.
func labelChanges(old, new value, changes []change) {
	l := labeller{tools: [2]*value{&old, &new}, required: map[*value]map[string]bool{}}
	for i := range changes {
		m := l.meaning(changes[i])
		changes[i].label = label{labelTable[m].text, int(m)}
	}
	slices.SortStableFunc(changes, func(a, b change) int { return a.label.rank - b.label.rank })
}

// A labeller holds what is worked out once for all changes of a tool, so that
// each of them costs no more than its own size and the way to it.
type labeller struct {
	tools    [2]*value                  // old and new
	uses     map[*value]schemaUse       // of the schemas in both inputs; nil: not yet worked out
	lost     bool                       // a reference leads where we can't follow: any definition may be used
	required map[*value]map[string]bool // the names that a schema requires
}

func (l *labeller) meaning(c change) meaning {
	path, _ := pointerTokens(c.pointer)
	if len(path) == 0 {
		return meansChanged
	}
	switch path[0] {
	case "title", "description":
		return proseMeaning(c, path[1:])
	case "annotations":
		return annotationsMeaning(c, path[1:])
	case "_meta", "icons":
		return meansClientMetadata
	case "execution":
		return executionMeaning(c, path[1:])
	case "inputSchema":
		return l.inputMeaning(c, path[1:])
	case "outputSchema":
		return l.outputMeaning(c, path[1:])
	}
	return meansChanged
}

// proseMeaning is for a title or a description, of which only strings are prose.
func proseMeaning(c change, path []string) meaning {
	isText := func(v value) bool { return v.kind == 0 || v.kind == '"' }
	if len(path) == 0 && isText(c.old) && isText(c.new) {
		return meansWording
	}
	return meansChanged
}

// toolHints are the annotations that the approval logic of clients reads, with
// their defaults and the values that make a client ask less (MCP 2025-03-26).
var toolHints = [...]struct {
	name             string
	absent, asksLess bool
}{
	{"readOnlyHint", false, true},
	{"destructiveHint", true, false},
	{"idempotentHint", false, true},
	{"openWorldHint", true, false},
}

// annotationsMeaning is for the annotations whole, where the first rank among
// their members counts, or for what a path leads to in them.
func annotationsMeaning(c change, path []string) meaning {
	if len(path) > 0 {
		return annotationMeaning(c, path[0], path[1:])
	}
	first, known := meansChurn, 0
	look := func(name string) {
		m := change{old: c.old.get(name), new: c.new.get(name)}
		if m.old.kind != 0 || m.new.kind != 0 {
			first = min(first, annotationMeaning(m, name, nil))
			known++
		}
	}
	look("title")
	for _, h := range toolHints {
		look(h.name)
	}
	if known == 0 || known < max(len(c.old.members), len(c.new.members)) {
		first = min(first, meansClientMetadata)
	}
	return first
}

func annotationMeaning(c change, name string, path []string) meaning {
	if name == "title" {
		return proseMeaning(c, path)
	}
	for _, h := range toolHints {
		if h.name != name || len(path) > 0 {
			continue
		}
		// Clients read a hint that is no boolean in different ways: it may
		// make one ask less, and can't be relied on to have done so before.
		asksLess := func(v value, odd bool) bool {
			switch v.kind {
			case 0:
				return h.absent == h.asksLess
			case 't', 'f':
				return (v.kind == 't') == h.asksLess
			}
			return odd
		}
		switch before, after := asksLess(c.old, false), asksLess(c.new, true); {
		case after && !before:
			return meansTowardsSafe
		case before && !after:
			return meansTowardsCaution
		}
		return c.choose(meansHintStated, meansHintLeftOut, meansHintStated)
	}
	return meansClientMetadata
}

// executionMeaning is for what SDKs gave every tool and take away again (MCP
// 2025-11-25, 2026-07-28). Nothing but the specified values passes for that.
func executionMeaning(c change, path []string) meaning {
	var support *value
	switch {
	case len(path) == 0 && len(c.new.members) < 2:
		support = stepTo(&c.new, "taskSupport")
	case len(path) == 1 && path[0] == "taskSupport":
		support = &c.new
	}
	if c.new.kind == 0 || slices.Contains([]string{"forbidden", "optional", "required"}, textOf(support)) {
		return meansChurn
	}
	return meansChanged
}

// outputMeaning is for the output schema: data that comes back.
func (l *labeller) outputMeaning(c change, path []string) meaning {
	if len(path) > 0 {
		switch m := l.schemaMeaning(c, l.locate("outputSchema", path)); m {
		case meansWording:
			return meansOutputWording
		case meansChurn:
			return m
		}
	}
	return meansOutput
}

// inputMeaning is for the input schema, whole or what a path leads to in it.
func (l *labeller) inputMeaning(c change, path []string) meaning {
	if len(path) == 0 {
		switch {
		case exportsArgument(&c.new, holdsSchema):
			return meansExported
		case openness(c.new, 2) > openness(c.old, 1):
			return meansInputOpened
		}
		return meansInputChanged
	}
	if l.uses == nil {
		l.findUses()
	}
	s := l.locate("inputSchema", path)
	if exportsArgument(&c.new, s.holds()) {
		return meansExported
	}
	m := l.schemaMeaning(c, s)
	e := labelTable[m].effect
	if (e == effectLooser || e == effectTighter) && (c.old.kind == 0 || c.new.kind == 0) &&
		textOf(s.member(0, "$ref")) != textOf(s.member(1, "$ref")) {
		m = meansConstraintChanged // moved to or from what is referred to
	}
	if e == effectTighter && s.keyword != "not" {
		m = introduced(c, s, m)
	}
	return m.applied(l.useAt(c, s))
}

// introduced is m, the meaning of a schema that comes in and only takes away; or
// a new parameter if it names one that the schema around lacks, for the model
// sees that first.
func introduced(c change, s spot, m meaning) meaning {
	old, new := s.member(0, "properties"), s.member(1, "properties")
	eachInner(&c.new, s.holds(), func(v *value) {
		properties := stepTo(v, "properties")
		if v.kind != '{' || properties == nil {
			return
		}
		required, _ := stringSet(stepTo(v, "required"))
		for _, p := range properties.members {
			if stepTo(old, p.name) == nil && stepTo(new, p.name) == nil {
				m = min(m, meansNewOptional)
				if required[p.name] {
					m = min(m, meansNewRequired)
				}
			}
		}
	})
	return m
}

// choose picks by whether the change adds, removes or replaces what it is at.
func (c change) choose(onAdd, onRemove, onReplace meaning) meaning {
	switch {
	case c.old.kind == 0:
		return onAdd
	case c.new.kind == 0:
		return onRemove
	}
	return onReplace
}

// openness is 0 for a schema that takes nothing, 1 for one that takes some values,
// 2 for one that takes all, as what is no schema does. What it is for an absent
// one depends on the keyword.
func openness(v value, absent int) int {
	switch {
	case v.kind == 0:
		return absent
	case v.kind == 'f':
		return 0
	case v.kind == '{' && len(v.members) > 0:
		return 1
	}
	return 2
}

// byOpenness picks by how open the schema was and is that the change is at.
func (c change) byOpenness(rule schemaRule) meaning {
	odd := func(v value) bool { return v.kind == 'n' || v.kind == '0' || v.kind == '"' || v.kind == '[' }
	switch old, new := openness(c.old, rule.absent), openness(c.new, rule.absent); {
	case new > old:
		return rule.more
	case new < old:
		return rule.fewer
	case new == 1 || odd(c.old) || odd(c.new):
		return meansConstraintChanged
	}
	return meansOtherForm
}

// A schemaRule is for a keyword that holds schemas: how open it is where it is
// absent (see openness), and what it means for the schema around to get one that
// takes more or less (JSON Schema 2020-12 Core, 10 and 11).
type schemaRule struct {
	absent      int
	more, fewer meaning
}

var schemaRules = map[string]schemaRule{
	"":                      {2, meansLoosened, meansTightened}, // any other
	"properties":            {2, meansInputOpened, meansInputClosed},
	"additionalProperties":  {2, meansInputOpened, meansInputClosed},
	"unevaluatedProperties": {2, meansInputOpened, meansInputClosed},
	"additionalItems":       {2, meansInputOpened, meansInputClosed},
	"unevaluatedItems":      {2, meansInputOpened, meansInputClosed},
	"anyOf":                 {0, meansTypeWidened, meansTypeNarrowed},
	"oneOf":                 {0, meansTypeWidened, meansTypeNarrowed},
	"not":                   {0, meansTightened, meansLoosened},
	"if":                    {2, meansConstraintChanged, meansConstraintChanged},
}

// A presenceRule is what it means to add a keyword, to remove it and to replace
// its value or something inside.
type presenceRule [3]meaning

var presenceRules = map[string]presenceRule{
	"$comment":          {meansComment, meansComment, meansComment},
	"examples":          {meansExamples, meansExamples, meansExamples},
	"example":           {meansExamples, meansExamples, meansExamples},
	"default":           {meansDefaultChanged, meansDefaultChanged, meansDefaultChanged},
	"enum":              {meansTightened, meansLoosened, meansEnumSwapped},
	"const":             {meansConstAdded, meansConstRemoved, meansConstChanged},
	"pattern":           {meansTightened, meansLoosened, meansPatternChanged},
	"format":            {meansFormatAdded, meansFormatRemoved, meansFormatChanged},
	"dependentRequired": {meansTightened, meansLoosened, meansConstraintChanged},
	"$ref":              {meansReferenceChanged, meansReferenceChanged, meansReferenceChanged},
	"$dynamicRef":       {meansReferenceChanged, meansReferenceChanged, meansReferenceChanged},
	"$recursiveRef":     {meansReferenceChanged, meansReferenceChanged, meansReferenceChanged},
	"$id":               {meansReferenceChanged, meansReferenceChanged, meansReferenceChanged},
	"$anchor":           {meansReferenceChanged, meansReferenceChanged, meansReferenceChanged},
	"$dynamicAnchor":    {meansReferenceChanged, meansReferenceChanged, meansReferenceChanged},
	"$defs":             {meansDefinitionAdded, meansDefinitionRemoved, meansConstraintChanged},
	"definitions":       {meansDefinitionAdded, meansDefinitionRemoved, meansConstraintChanged},
	headerKeyword:       {meansExported, meansNotExported, meansExported},
}

// A boundRule is for a bound: its value where it is absent, and what it means to
// raise or lower it (Validation, 6.2 to 6.5).
type boundRule struct {
	absent        float64
	higher, lower meaning
}

var boundRules = map[string]boundRule{
	"minimum":          {math.Inf(-1), meansTightened, meansLoosened},
	"exclusiveMinimum": {math.Inf(-1), meansTightened, meansLoosened},
	"minLength":        {0, meansTightened, meansLoosened},
	"minItems":         {0, meansTightened, meansLoosened},
	"minProperties":    {0, meansTightened, meansLoosened},
	"minContains":      {1, meansTightened, meansLoosened},
	"maximum":          {math.Inf(1), meansLoosened, meansTightened},
	"exclusiveMaximum": {math.Inf(1), meansLoosened, meansTightened},
	"maxLength":        {math.Inf(1), meansLoosened, meansTightened},
	"maxItems":         {math.Inf(1), meansLoosened, meansTightened},
	"maxProperties":    {math.Inf(1), meansLoosened, meansTightened},
	"maxContains":      {math.Inf(1), meansLoosened, meansTightened},
}

// schemaDialects are the values of $schema that SDKs write, less a final "#".
var schemaDialects = [...]string{
	"http://json-schema.org/draft-04/schema", "http://json-schema.org/draft-06/schema",
	"http://json-schema.org/draft-07/schema", "http://json-schema.org/schema",
	"https://json-schema.org/draft/2019-09/schema", "https://json-schema.org/draft/2020-12/schema",
}

// schemaMeaning is what a change means for the schema around it.
func (l *labeller) schemaMeaning(c change, s spot) meaning {
	switch {
	case s.held:
		return l.heldMeaning(c, s)
	case s.holds() != holdsOther:
		return l.holderMeaning(c, s)
	case len(s.inside) == 0:
		return keywordMeaning(c, s)
	case s.keyword == "enum" && len(s.inside) == 1:
		return c.choose(meansEnumAdded, meansEnumRemoved, meansEnumSwapped)
	case s.keyword == "dependentRequired" && len(s.inside) == 1:
		return c.choose(meansTightened, meansLoosened, meansConstraintChanged)
	}
	if rule, ok := presenceRules[s.keyword]; ok {
		return rule[2]
	}
	return meansChanged
}

// heldMeaning is for a whole schema that a keyword holds.
func (l *labeller) heldMeaning(c change, s spot) meaning {
	rule, ok := schemaRules[s.keyword]
	if !ok {
		rule = schemaRules[""]
	}
	m := c.byOpenness(rule)
	switch {
	case s.keyword == "properties" && c.old.kind == 0 && c.new.kind != 'f':
		return l.newParameter(s, s.inside[0])
	case s.keyword == "properties" && c.new.kind == 0 && c.old.kind != 'f':
		return meansParameterRemoved
	case s.keyword == "patternProperties" && s.closed(c):
		return c.byOpenness(schemaRule{0, meansInputOpened, meansInputClosed})
	case s.defines():
		return c.choose(meansDefinitionAdded, meansDefinitionRemoved, m)
	}
	return m
}

// holderMeaning is for the whole value of a keyword that holds several schemas.
func (l *labeller) holderMeaning(c change, s spot) meaning {
	empty := func(v value) bool { return v.kind == 0 || v.kind == '{' && len(v.members) == 0 }
	if empty(c.old) && empty(c.new) {
		return meansOtherForm
	}
	switch s.keyword {
	case "properties":
		m := meansChanged
		if len(c.old.members) > 0 {
			m = meansParameterRemoved
		}
		for _, p := range c.new.members {
			m = min(m, l.newParameter(s, p.name))
		}
		return m
	case "$defs", "definitions":
		return c.choose(meansDefinitionAdded, meansDefinitionRemoved, meansConstraintChanged)
	case "patternProperties":
		if s.closed(c) {
			return c.choose(meansInputOpened, meansInputClosed, meansConstraintChanged)
		}
	case "anyOf", "oneOf":
		if (s.alternatives(0) == nil) == (s.alternatives(1) == nil) {
			return meansConstraintChanged // one for the other
		}
		if (s.member(0, "type") == nil) != (s.member(1, "type") == nil) {
			// They take the place of type, or it theirs. What else they
			// say doesn't show in the types.
			return min(typeMeaning(s), meansConstraintChanged)
		}
	}
	return c.choose(meansTightened, meansLoosened, meansConstraintChanged)
}

// keywordMeaning is for the whole value of a keyword that holds no schema.
func keywordMeaning(c change, s spot) meaning {
	switch s.keyword {
	case "title", "description":
		return proseMeaning(c, nil)
	case "type":
		return typeMeaning(s)
	case "enum", "const":
		old, new := fixedValues(s.around[0]), fixedValues(s.around[1])
		if old != nil && new != nil && (s.keyword == "enum" || c.old.kind == 0 || c.new.kind == 0) {
			return c.bySets(old, new, meansEnumAdded, meansEnumRemoved, meansEnumSwapped)
		}
	case "required":
		return requiredMeaning(c, s)
	case "multipleOf":
		return multipleMeaning(c)
	case "uniqueItems":
		off := func(v value) bool { return v.kind == 0 || v.kind == 'f' }
		switch {
		case off(c.old) && off(c.new):
			return meansOtherForm
		case off(c.old) && c.new.kind == 't':
			return meansTightened
		case c.old.kind == 't' && off(c.new):
			return meansLoosened
		}
		return meansConstraintChanged
	case "$schema":
		if s.root && (c.new.kind == 0 || slices.Contains(schemaDialects[:], strings.TrimSuffix(textOf(&c.new), "#"))) {
			return meansChurn
		}
	}
	if rule, ok := boundRules[s.keyword]; ok {
		return boundMeaning(c, rule)
	}
	if rule, ok := presenceRules[s.keyword]; ok {
		return c.choose(rule[0], rule[1], rule[2])
	}
	return meansChanged
}

// alternatives is anyOf or oneOf of the old (0) or new (1) schema around.
func (s *spot) alternatives(side int) *value {
	if v := s.member(side, "anyOf"); v != nil {
		return v
	}
	return s.member(side, "oneOf")
}

// closed reports whether the object that gets what the change adds, or had what it
// removes, takes no members beside those that are named.
func (s *spot) closed(c change) bool {
	around := s.around[1]
	if c.new.kind == 0 {
		around = s.around[0]
	}
	for _, name := range []string{"additionalProperties", "unevaluatedProperties"} {
		if v := stepTo(around, name); v != nil && v.kind == 'f' {
			return true
		}
	}
	return false
}

// newParameter is for a property that the schema around gets.
func (l *labeller) newParameter(s spot, name string) meaning {
	names, ok := l.required[s.around[1]]
	if !ok {
		names, _ = stringSet(s.member(1, "required"))
		l.required[s.around[1]] = names
	}
	if names[name] {
		return meansNewRequired
	}
	return meansNewOptional
}

// stringSet is the set of an array of strings, empty if it is absent; false if v is
// anything else.
func stringSet(v *value) (map[string]bool, bool) {
	set := map[string]bool{}
	if v == nil || v.kind == 0 {
		return set, true
	}
	for _, item := range v.items {
		if item.kind != '"' {
			return set, false
		}
		set[item.text] = true
	}
	return set, v.kind == '['
}

// bySets picks by which of two sets has what the other lacks, if not both. Equal
// sets can differ in order or in how they are written.
func (c change) bySets(old, new map[string]bool, more, fewer, both meaning) meaning {
	var plus, minus bool
	for name := range new {
		plus = plus || !old[name]
	}
	for name := range old {
		minus = minus || !new[name]
	}
	switch {
	case plus && minus:
		return both
	case plus:
		return more
	case minus:
		return fewer
	case len(c.old.items) == len(c.new.items) && len(c.new.items) > 1:
		return meansOtherOrder
	}
	return meansOtherForm
}

// requiredMeaning is for the list of required names (Validation, 6.5.3). A name
// that comes or goes with its own parameter says nothing new.
func requiredMeaning(c change, s spot) meaning {
	old, ok := stringSet(&c.old)
	new, ok2 := stringSet(&c.new)
	if !ok || !ok2 {
		return meansConstraintChanged
	}
	parameters := [2]*value{s.member(0, "properties"), s.member(1, "properties")}
	follows := func(name string, side int) bool {
		return stepTo(parameters[side], name) != nil && stepTo(parameters[1-side], name) == nil
	}
	m := c.bySets(old, new, meansRequiredFollows, meansRequiredFollows, meansRequiredFollows)
	for name := range old {
		if !new[name] && !follows(name, 0) {
			m = min(m, meansNoLongerRequired)
		}
	}
	for name := range new {
		if !old[name] && !follows(name, 1) {
			m = min(m, meansNowRequired)
		}
	}
	return m
}

// typeSet is the set of types that a schema names (Validation, 6.1.1), or that all
// its alternatives do; nil if it names none, false if that can't be told.
func (s *spot) typeSet(side int) (map[string]bool, bool) {
	var types []value
	add := func(schema *value) bool {
		t := stepTo(schema, "type")
		if t != nil && t.kind == '[' {
			types = append(types, t.items...)
		} else if t != nil {
			types = append(types, *t)
		}
		return t != nil
	}
	ok := true
	if !add(s.around[side]) {
		alternatives := s.alternatives(side)
		if alternatives == nil {
			return nil, true
		}
		for i := range alternatives.items {
			ok = add(&alternatives.items[i]) && ok
		}
	}
	set := map[string]bool{}
	for _, t := range types {
		switch name := textOf(&t); name {
		case "null", "boolean", "object", "array", "string", "integer":
			set[name] = true
		case "number":
			set["number"], set["integer"] = true, true
		default:
			ok = false
		}
	}
	return set, ok && len(types) > 0
}

// typeMeaning compares the types that the schema around named and names.
func typeMeaning(s spot) meaning {
	old, ok := s.typeSet(0)
	new, ok2 := s.typeSet(1)
	switch {
	case !ok || !ok2:
		return meansTypeChanged
	case old == nil:
		return meansTypeNarrowed
	case new == nil:
		return meansTypeWidened
	}
	var c change
	if t := [2]*value{s.member(0, "type"), s.member(1, "type")}; t[0] != nil && t[1] != nil {
		c.old, c.new = *t[0], *t[1]
	}
	return c.bySets(old, new, meansTypeWidened, meansTypeNarrowed, meansTypeChanged)
}

// fixedValues are the values that a schema lists by enum or, as the only one, by
// const (Validation, 6.1.2 and 6.1.3); nil if it has neither or both.
func fixedValues(schema *value) map[string]bool {
	list, one := stepTo(schema, "enum"), stepTo(schema, "const")
	if (list == nil) == (one == nil) {
		return nil
	}
	if one != nil {
		return map[string]bool{string(appendJSON(nil, *one)): true}
	}
	if list.kind != '[' {
		return nil
	}
	set := map[string]bool{}
	for _, v := range list.items {
		set[string(appendJSON(nil, v))] = true
	}
	return set
}

// boundMeaning compares two bounds; absent ones count as the rule has it.
func boundMeaning(c change, rule boundRule) meaning {
	var bounds [2]float64
	for i, v := range [2]value{c.old, c.new} {
		switch v.kind {
		case 0:
			bounds[i] = rule.absent
		case '0':
			bounds[i], _ = strconv.ParseFloat(v.text, 64)
		default:
			return meansConstraintChanged
		}
	}
	switch {
	case bounds[1] > bounds[0]:
		return rule.higher
	case bounds[1] < bounds[0]:
		return rule.lower
	}
	return meansOtherForm
}

// multipleMeaning is for multipleOf (Validation, 6.2.1): a multiple of it has fewer
// multiples. Fractions are compared as they are written.
func multipleMeaning(c change) meaning {
	var factors [2]big.Rat
	for i, v := range [2]value{c.old, c.new} {
		if v.kind == 0 {
			continue
		}
		if _, ok := factors[i].SetString(v.text); v.kind != '0' || !ok || factors[i].Sign() <= 0 {
			return meansConstraintChanged
		}
	}
	if c.old.kind == 0 || c.new.kind == 0 {
		return c.choose(meansTightened, meansLoosened, meansConstraintChanged)
	}
	switch ratio := new(big.Rat).Quo(&factors[1], &factors[0]); {
	case ratio.IsInt():
		return meansTightened
	case ratio.Inv(ratio).IsInt():
		return meansLoosened
	}
	return meansConstraintChanged
}

// A spot is where in a schema a change is.
type spot struct {
	around  [2]*value // the innermost schema around it, old and new
	root    bool      // which is the whole input or output schema
	keyword string    // the member of that schema that the change is at or in
	inside  []string  // the way on from there
	held    bool      // the change is at a whole schema that the keyword holds:
	schema  [2]*value // this one, nil where absent
}

// locate follows a path from a root schema. It tells schemas from data and names
// from keywords by their position (JSON Schema 2020-12 Core, 10 and 11), and takes
// for a schema what a reference uses as one, wherever it stands.
func (l *labeller) locate(root string, path []string) (s spot) {
	at := [2]*value{stepTo(l.tools[0], root), stepTo(l.tools[1], root)}
	is := func(kind byte) bool {
		return at[0] != nil && byte(at[0].kind) == kind || at[1] != nil && byte(at[1].kind) == kind
	}
	holds := holdsSchema // what at is: a schema, several, or something else
	for i, token := range path {
		switch holds {
		case holdsSchema:
			s = spot{around: at, root: i == 0, keyword: token, inside: path[i+1:]}
			holds = schemaKeyword(token)
		case holdsSchemas, holdsNamedSchemas:
			holds = holdsSchema
		}
		at = [2]*value{stepTo(at[0], token), stepTo(at[1], token)}
		switch {
		case holds == holdsSchemas && !is('['):
			holds = holdsSchema // draft-07 has one schema in items, too
		case holds == holdsNamedSchemas && is('['):
			holds = holdsOther
		}
		if holds == holdsOther && l.uses[at[0]]|l.uses[at[1]] != 0 {
			holds = holdsSchema
		}
	}
	s.held, s.schema = holds == holdsSchema, at
	return s
}

// holds says what schemas stand in the values of a change.
func (s *spot) holds() int {
	switch {
	case s.held:
		return holdsSchema
	case len(s.inside) == 0:
		return schemaKeyword(s.keyword)
	}
	return holdsOther
}

// member is a member of the schema around, old (0) or new (1), or nil.
func (s *spot) member(side int, name string) *value { return stepTo(s.around[side], name) }

// defines reports whether the change is at a schema, or at several, that bear on
// the input only through references.
func (s *spot) defines() bool {
	return isDefinitions(s.keyword) && len(s.inside) < 2 || s.held && schemaKeyword(s.keyword) == holdsOther
}

func isDefinitions(keyword string) bool { return keyword == "$defs" || keyword == "definitions" }

// stepTo returns the member or element of v that a token of a JSON Pointer names
// (RFC 6901, section 4), or nil. Members are sorted, as in canonical forms.
func stepTo(v *value, token string) *value {
	switch {
	case v == nil:
	case v.kind == '{':
		i, ok := slices.BinarySearchFunc(v.members, token, func(m namedValue, name string) int { return compareUTF16(m.name, name) })
		if ok {
			return &v.members[i].value
		}
	case v.kind == '[':
		if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(v.items) && strconv.Itoa(i) == token {
			return &v.items[i]
		}
	}
	return nil
}

// textOf is the text of a string, of anything else none.
func textOf(v *value) string {
	if v == nil || v.kind != '"' {
		return ""
	}
	return v.text
}

// eachSchema calls f for each schema that stands directly in the value of a keyword.
func eachSchema(v *value, holds int, f func(*value)) {
	switch {
	case holds == holdsSchema, holds == holdsSchemas && v.kind != '[':
		f(v)
	case holds == holdsSchemas:
		for i := range v.items {
			f(&v.items[i])
		}
	case holds == holdsNamedSchemas:
		for i := range v.members {
			f(&v.members[i].value)
		}
	}
}

// eachInner is eachSchema at every depth.
func eachInner(v *value, holds int, f func(*value)) {
	eachSchema(v, holds, func(s *value) {
		f(s)
		for i := range s.members {
			eachInner(&s.members[i].value, schemaKeyword(s.members[i].name), f)
		}
	})
}

// headerKeyword makes an HTTP client copy an argument into a request header
// (MCP 2026-07-28).
const headerKeyword = "x-mcp-header"

func exportsArgument(v *value, holds int) bool {
	found := false
	eachInner(v, holds, func(s *value) { found = found || s.kind == '{' && stepTo(s, headerKeyword) != nil })
	return found
}

// findUses works out how each schema of both inputs bears on the input. Those under
// $defs do so only through references (JSON Schema 2020-12 Core, 8.2). Each
// schema is visited once for each use of it.
func (l *labeller) findUses() {
	l.uses = map[*value]schemaUse{}
	type visit struct {
		schema *value
		use    schemaUse
	}
	var queue []visit
	enter := func(s *value, u schemaUse) {
		if s != nil && l.uses[s]&u == 0 {
			l.uses[s] |= u
			queue = append(queue, visit{s, u})
		}
	}
	for _, tool := range l.tools {
		root := stepTo(tool, "inputSchema")
		enter(root, usePlain)
		for len(queue) > 0 {
			v := queue[len(queue)-1]
			queue = queue[:len(queue)-1]
			for i := range v.schema.members {
				m, u := &v.schema.members[i], v.use
				switch m.name {
				case "$defs", "definitions":
					continue
				case "$ref":
					enter(l.resolve(root, textOf(&m.value)), u)
				case "$dynamicRef", "$recursiveRef":
					l.lost = true
				case "$id":
					l.lost = l.lost || v.schema != root // references in there count from it
				case "not":
					if u != useTested {
						u = usePlain + useNegated - u
					}
				case "if":
					u = useTested
				}
				eachSchema(&m.value, schemaKeyword(m.name), func(s *value) { enter(s, u) })
			}
		}
	}
}

// resolve returns what a reference inside the document names: its fragment is a
// percent-encoded JSON Pointer (RFC 6901, section 6). Anchors and other documents
// are not looked for; there, and below a definition, any definition may be used.
func (l *labeller) resolve(root *value, ref string) *value {
	fragment, local := strings.CutPrefix(ref, "#")
	pointer, err := url.PathUnescape(fragment)
	path, ok := pointerTokens(pointer)
	if !local || err != nil || !ok {
		l.lost = true
		return nil
	}
	at := root
	for i, token := range path {
		at = stepTo(at, token)
		l.lost = l.lost || isDefinitions(token) && len(path) != i+2
	}
	return at
}

// useOf is the use of a schema, old or new; 0 if no reference leads to it.
func (l *labeller) useOf(schema [2]*value) schemaUse {
	u := l.uses[schema[0]] | l.uses[schema[1]]
	if u == 0 && l.lost {
		return usePlain
	}
	return u
}

// useAt is the use of what a change is said of: of definitions their own, of
// anything else that of the schema around it.
func (l *labeller) useAt(c change, s spot) (u schemaUse) {
	switch {
	case !s.defines():
		return l.useOf(s.around)
	case s.held:
		return l.useOf(s.schema)
	}
	for _, v := range [2]value{c.old, c.new} {
		eachSchema(&v, holdsNamedSchemas, func(d *value) { u |= l.useOf([2]*value{d}) })
	}
	return u
}
