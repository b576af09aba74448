package diff

import (
	"fmt"
	"testing"

	"pinproof/internal/effort"
	"pinproof/internal/label"
	"pinproof/internal/pin"
)

// TestSeveritiesAreTrue checks the severity of a change against a judgement by hand, made
// before there was code for it: would a call that worked fail now, or would a reader of its
// result fail? If neither, does the model read or do something else?
func TestSeveritiesAreTrue(t *testing.T) {
	const ( // what the two sides of a case are put into
		whole  = `{"name":"t"%s}`
		input  = `{"name":"t","inputSchema":{"type":"object",%s}}`
		output = `{"name":"t","outputSchema":{"type":"object",%s}}`

		prompt   = `{"name":"p"%s}`
		resource = `{"uri":"log:"%s}`
	)
	for _, c := range []struct {
		in, old, new string
		want         label.Severity
	}{
		// inputs
		{input, `"properties":{"city":{"type":"string"}}`, `"properties":{"city":{"type":"string"},"unit":{"type":"string"}}`, label.Behaviour},
		{input, `"properties":{"city":{"type":"string"}}`, `"properties":{"city":{"type":"string"},"unit":{"type":"string"}},"required":["unit"]`, label.Breaking},
		{input, `"properties":{"city":{},"unit":{}}`, `"properties":{"city":{}}`, label.Breaking},
		{input, `"properties":{"city":{}}`, `"properties":{"city":{}},"required":["city"]`, label.Breaking},
		{input, `"properties":{"city":{}},"required":["city"]`, `"properties":{"city":{}}`, label.Behaviour},
		{input, `"properties":{"n":{"type":"number"}}`, `"properties":{"n":{"type":"integer"}}`, label.Breaking},
		{input, `"properties":{"n":{"type":"integer"}}`, `"properties":{"n":{"type":"number"}}`, label.Behaviour},
		{input, `"properties":{"n":{"type":"string"}}`, `"properties":{"n":{"type":"integer"}}`, label.Breaking},
		{input, `"properties":{"n":{"type":"string"}}`, `"properties":{"n":{"type":["string","null"]}}`, label.Behaviour},
		{input, `"properties":{"u":{"enum":["c","f","k"]}}`, `"properties":{"u":{"enum":["c","f"]}}`, label.Breaking},
		{input, `"properties":{"u":{"enum":["c","f"]}}`, `"properties":{"u":{"enum":["c","f","k"]}}`, label.Behaviour},
		{input, `"properties":{"u":{"enum":["c","f"]}}`, `"properties":{"u":{"enum":["f","c"]}}`, label.None},
		{input, `"properties":{"u":{"type":"string"}}`, `"properties":{"u":{"type":"string","pattern":"^[a-z]+$"}}`, label.Breaking},
		{input, `"properties":{"days":{"maximum":14}}`, `"properties":{"days":{"maximum":7}}`, label.Breaking},
		{input, `"properties":{"days":{"maximum":7}}`, `"properties":{"days":{"maximum":14}}`, label.Behaviour},
		{input, `"properties":{"days":{"default":3}}`, `"properties":{"days":{"default":5}}`, label.Behaviour},
		{input, `"properties":{"days":{"description":"How many days."}}`, `"properties":{"days":{"description":"The number of days."}}`, label.Behaviour},
		{input, `"properties":{"a":{}}`, `"properties":{"a":{}},"additionalProperties":false`, label.Breaking},
		{input, `"properties":{"a":{}},"additionalProperties":false`, `"properties":{"a":{}}`, label.Behaviour},
		{input, `"properties":{"a":{"type":"string"}}`, `"properties":{"a":{"anyOf":[{"type":"string"},{"items":{"type":"string"},"type":"array"}]}}`, label.Behaviour},
		{input, `"properties":{"a":{"anyOf":[{"type":"string"},{"items":{"type":"string"},"type":"array"}]}}`, `"properties":{"a":{"type":"string"}}`, label.Breaking},
		{input, `"properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}}`, `"properties":{"a":{"type":["string","null"]}}`, label.None},
		{input, `"properties":{"a":{"maxLength":9}}`, `"$defs":{"A":{"maxLength":9}},"properties":{"a":{"$ref":"#/$defs/A"}}`, label.None},
		{input, `"properties":{"from":{},"to":{}}`, `"anyOf":[{"required":["from"]},{"required":["to"]}],"properties":{"from":{},"to":{}}`, label.Breaking},
		{input, `"properties":{"filter":{"type":"object"}}`, `"properties":{"filter":{"properties":{"tag":{"type":"string"}},"required":["tag"],"type":"object"}}`, label.Breaking},
		{input, `"properties":{"at":{"type":"string"}}`, `"properties":{"at":{"format":"date-time","type":"string"}}`, label.Breaking},
		{input, `"properties":{"to":{"items":{"type":"string"},"type":"array"}}`, `"properties":{"to":{"items":{"type":"string"},"minItems":1,"type":"array"}}`, label.Breaking},
		{input, `"$schema":"http://json-schema.org/draft-07/schema#"`, `"$schema":"https://json-schema.org/draft/2020-12/schema"`, label.None},
		{input, `"properties":{"a":{"not":{"const":"x"}}}`, `"properties":{"a":{"not":{"enum":["x","y"]}}}`, label.Breaking},
		{input, `"properties":{"a":{"pattern":"^a"}}`, `"properties":{"a":{"pattern":"^b"}}`, label.Breaking},

		// outputs
		{whole, ``, `,"outputSchema":{"type":"object","properties":{"sky":{"type":"string"}}}`, label.Behaviour},
		{whole, `,"outputSchema":{"type":"object","properties":{"sky":{"type":"string"}}}`, ``, label.Breaking},
		{output, `"properties":{"sky":{},"wind":{}}`, `"properties":{"sky":{}}`, label.Breaking},
		{output, `"properties":{"sky":{}}`, `"properties":{"sky":{},"wind":{}}`, label.Behaviour},
		{output, `"properties":{"sky":{}}`, `"properties":{"sky":{},"wind":{}},"required":["wind"]`, label.Behaviour},
		{output, `"properties":{"sky":{}},"required":["sky"]`, `"properties":{"sky":{}}`, label.Breaking},
		{output, `"properties":{"sky":{}}`, `"properties":{"sky":{}},"required":["sky"]`, label.Behaviour},
		{output, `"properties":{"t":{"type":"number"}}`, `"properties":{"t":{"type":["number","null"]}}`, label.Breaking},
		{output, `"properties":{"t":{"type":["number","null"]}}`, `"properties":{"t":{"type":"number"}}`, label.Behaviour},
		{output, `"properties":{"t":{"type":"number"}}`, `"properties":{"t":{"type":"string"}}`, label.Breaking},
		{output, `"properties":{"sky":{"enum":["clear","rain"]}}`, `"properties":{"sky":{"enum":["clear","rain","snow"]}}`, label.Breaking},
		{output, `"properties":{"sky":{"enum":["clear","rain","snow"]}}`, `"properties":{"sky":{"enum":["clear","rain"]}}`, label.Behaviour},
		{output, `"properties":{"p":{"maximum":100}}`, `"properties":{"p":{"maximum":1000}}`, label.Breaking},
		{output, `"properties":{"p":{"maximum":100}}`, `"properties":{"p":{"maximum":10}}`, label.Behaviour},
		{output, `"properties":{"at":{"format":"date-time","type":"string"}}`, `"properties":{"at":{"type":"string"}}`, label.Breaking},
		{output, `"properties":{"sky":{"description":"What it looks like."}}`, `"properties":{"sky":{"description":"How it looks."}}`, label.Behaviour},
		{output, `"properties":{"list":{"items":{"type":"string"},"type":"array"}}`, `"properties":{"list":{"items":{"type":"integer"},"type":"array"}}`, label.Breaking},
		{output, `"properties":{"v":{"type":"string"}}`, `"properties":{"v":{"anyOf":[{"type":"string"},{"type":"null"}]}}`, label.Breaking},
		{output, `"properties":{"v":{"anyOf":[{"type":"string"},{"type":"null"}]}}`, `"properties":{"v":{"type":["string","null"]}}`, label.None},
		{output, `"additionalProperties":false,"properties":{"v":{}}`, `"properties":{"v":{}}`, label.Behaviour},

		// what is neither input nor output
		{whole, `,"description":"Says how the weather is."`, `,"description":"Tells the weather."`, label.Behaviour},
		{whole, `,"annotations":{}`, `,"annotations":{"readOnlyHint":true}`, label.Behaviour},
		{whole, `,"annotations":{}`, `,"annotations":{"readOnlyHint":false}`, label.None},
		{whole, ``, `,"execution":{"taskSupport":"forbidden"}`, label.None},
		{whole, `,"execution":{"taskSupport":"optional"}`, `,"execution":{"taskSupport":"required"}`, label.Breaking},

		// prompts, resources, instructions
		{prompt, `,"arguments":[{"name":"a"}]`, `,"arguments":[{"name":"a"},{"name":"b"}]`, label.Behaviour},
		{prompt, `,"arguments":[{"name":"a"}]`, `,"arguments":[{"name":"a"},{"name":"b","required":true}]`, label.Breaking},
		{prompt, `,"arguments":[{"name":"a"},{"name":"b"}]`, `,"arguments":[{"name":"a"}]`, label.Breaking},
		{prompt, `,"arguments":[{"name":"a"}]`, `,"arguments":[{"name":"a","required":true}]`, label.Breaking},
		{prompt, `,"arguments":[{"name":"a","required":true}]`, `,"arguments":[{"name":"a"}]`, label.Behaviour},
		{resource, `,"mimeType":"text/plain"`, `,"mimeType":"application/pdf"`, label.Breaking},
		{resource, `,"description":"The log."`, `,"description":"The log of today."`, label.Behaviour},

		// a second judgement, also made before the code ran
		{input, `"properties":{"berth":{"type":"integer"}}`, `"properties":{"berth":{"type":["integer","string"]}}`, label.Behaviour},
		{input, `"properties":{"berth":{"type":["integer","string"]}}`, `"properties":{"berth":{"type":"string"}}`, label.Breaking},
		{input, `"properties":{"tide":{"type":"string"}}`, `"properties":{"tide":{"type":"string","x-mcp-header":"Tide"}}`, label.Behaviour},
		{input, `"properties":{"tide":{"type":"string","x-mcp-header":"Tide"}}`, `"properties":{"tide":{"type":"string"}}`, label.Behaviour},
		{input, `"properties":{"tide":{"type":"string"}}`, `"properties":{"tide":{"type":"string"},"quay":{"type":"string","x-mcp-header":"Quay"}},"required":["quay"]`, label.Breaking},
		{input, `"properties":{"tide":{"type":"string","x-mcp-header":"Tide"}}`, `"properties":{"tide":{"type":"integer","x-mcp-header":"Tide"}}`, label.Breaking},
		{input, `"properties":{"crew":{"minItems":2,"type":"array"}}`, `"properties":{"crew":{"type":"array"}}`, label.Behaviour},
		{input, `"properties":{"crew":{"type":"array"}}`, `"properties":{"crew":{"type":"array","uniqueItems":true}}`, label.Breaking},
		{input, `"properties":{"crew":{"items":{"type":"string"},"type":"array"}}`, `"properties":{"crew":{"items":{"enum":["cook","mate"],"type":"string"},"type":"array"}}`, label.Breaking},
		{input, `"properties":{"depth":{"exclusiveMinimum":0,"type":"number"}}`, `"properties":{"depth":{"minimum":0,"type":"number"}}`, label.Behaviour},
		{input, `"properties":{"depth":{"minimum":0,"type":"number"}}`, `"properties":{"depth":{"exclusiveMinimum":0,"type":"number"}}`, label.Breaking},
		{input, `"properties":{"step":{"multipleOf":2,"type":"integer"}}`, `"properties":{"step":{"multipleOf":6,"type":"integer"}}`, label.Breaking},
		{input, `"properties":{"step":{"multipleOf":6,"type":"integer"}}`, `"properties":{"step":{"multipleOf":3,"type":"integer"}}`, label.Behaviour},
		{input, `"properties":{"flag":{"const":"red"}}`, `"properties":{"flag":{"enum":["red","white"]}}`, label.Behaviour},
		{input, `"properties":{"flag":{"enum":["red","white"]}}`, `"properties":{"flag":{"const":"red"}}`, label.Breaking},
		{input, `"properties":{"flag":{"enum":["red"]}}`, `"properties":{"flag":{"const":"red"}}`, label.None},
		{input, `"properties":{"hull":{"type":"object"}}`, `"properties":{"hull":{"properties":{"mast":{"type":"integer"}},"type":"object"}}`, label.Breaking},
		{input, `"properties":{"hull":{"properties":{"mast":{}},"required":["mast"],"type":"object"}}`, `"properties":{"hull":{"properties":{"mast":{}},"type":"object"}}`, label.Behaviour},
		{input, `"properties":{"hull":{"$ref":"#/$defs/H"}},"$defs":{"H":{"maxLength":4}}`, `"properties":{"hull":{"$ref":"#/$defs/H"}},"$defs":{"H":{"maxLength":3}}`, label.Breaking},
		{input, `"properties":{"hull":{"$ref":"#/$defs/H"}},"$defs":{"H":{"maxLength":4}}`, `"properties":{"hull":{"$ref":"#/$defs/H"}},"$defs":{"H":{"maxLength":5}}`, label.Behaviour},
		{input, `"properties":{"hull":{}},"$defs":{"H":{"maxLength":4}}`, `"properties":{"hull":{}},"$defs":{"H":{"maxLength":3}}`, label.Behaviour},
		{input, `"properties":{"sail":{"anyOf":[{"type":"string"},{"type":"boolean"}]}}`, `"properties":{"sail":{"type":["boolean","string"]}}`, label.None},
		{input, `"properties":{"sail":{"oneOf":[{"type":"string"},{"type":"boolean"}]}}`, `"properties":{"sail":{"anyOf":[{"type":"string"},{"type":"boolean"}]}}`, label.None},
		{input, `"properties":{"sail":{"oneOf":[{"maxLength":3},{"minLength":2}],"type":"string"}}`, `"properties":{"sail":{"anyOf":[{"maxLength":3},{"minLength":2}],"type":"string"}}`, label.Behaviour},
		{input, `"properties":{"sail":{"anyOf":[{"maxLength":3},{"minLength":2}],"type":"string"}}`, `"properties":{"sail":{"oneOf":[{"maxLength":3},{"minLength":2}],"type":"string"}}`, label.Breaking},
		{input, `"properties":{"knot":{"nullable":true,"type":"string"}}`, `"properties":{"knot":{"type":"string"}}`, label.Breaking},
		{input, `"properties":{"knot":{"type":"string"}}`, `"properties":{"knot":{"nullable":true,"type":"string"}}`, label.Behaviour},
		{input, `"properties":{"knot":{"examples":["bowline"]}}`, `"properties":{"knot":{"examples":["clove hitch"]}}`, label.Behaviour},
		{input, `"properties":{"knot":{"default":"bowline"}}`, `"properties":{"knot":{}}`, label.Behaviour},
		{input, `"properties":{"knot":{"type":"string"}}`, `"properties":{"knot":{"deprecated":true,"type":"string"}}`, label.Behaviour},
		{input, `"properties":{"a":{},"b":{}},"dependentRequired":{"a":["b"]}`, `"properties":{"a":{},"b":{}}`, label.Behaviour},
		{input, `"properties":{"a":{},"b":{}}`, `"properties":{"a":{},"b":{}},"dependentRequired":{"a":["b"]}`, label.Breaking},
		{input, `"properties":{"a":{}},"patternProperties":{"^x":{"type":"string"}}`, `"properties":{"a":{}}`, label.Behaviour},
		{input, `"properties":{"a":{}},"required":["a"]`, `"properties":{"b":{}},"required":["b"]`, label.Breaking},
		{input, `"minProperties":1,"properties":{"a":{}}`, `"properties":{"a":{}}`, label.Behaviour},
		{input, `"properties":{"lane":{"type":"string"}}`, `"properties":{"lane":false}`, label.Breaking},
		{input, `"properties":{"lane":{"type":"string"}}`, `"properties":{"lane":true}`, label.Behaviour},
		{input, `"properties":{"z":{"title":"Z"}}`, `"properties":{"z":{}}`, label.None},
		{output, `"properties":{"log":{"$ref":"#/$defs/L"}},"$defs":{"L":{"type":"string"}}`, `"properties":{"log":{"type":"string"}}`, label.None},
		{output, `"properties":{"log":{"minLength":3,"type":"string"}}`, `"properties":{"log":{"type":"string"}}`, label.Breaking},
		{output, `"properties":{"log":{"type":"string"}}`, `"properties":{"log":{"minLength":3,"type":"string"}}`, label.Behaviour},
		{output, `"properties":{"log":{"const":"ok"}}`, `"properties":{"log":{"enum":["late","ok"]}}`, label.Breaking},
		{output, `"properties":{"log":{"enum":["late","ok"]}}`, `"properties":{"log":{"const":"ok"}}`, label.Behaviour},
		{output, `"properties":{"log":{"items":{"properties":{"at":{},"by":{}},"type":"object"},"type":"array"}}`, `"properties":{"log":{"items":{"properties":{"at":{}},"type":"object"},"type":"array"}}`, label.Breaking},
		{output, `"properties":{"log":{"items":{"properties":{"at":{}},"type":"object"},"type":"array"}}`, `"properties":{"log":{"items":{"properties":{"at":{},"by":{}},"type":"object"},"type":"array"}}`, label.Behaviour},
		{output, `"properties":{"log":{"type":"integer"}}`, `"properties":{"log":{"type":"number"}}`, label.Breaking},
		{output, `"properties":{"log":{"type":"number"}}`, `"properties":{"log":{"type":"integer"}}`, label.Behaviour},
		{output, `"properties":{"log":{"maxItems":9,"type":"array"}}`, `"properties":{"log":{"type":"array"}}`, label.Breaking},
		{output, `"properties":{"log":{"pattern":"^a"}}`, `"properties":{"log":{"pattern":"^b"}}`, label.Breaking},
		{output, `"properties":{"log":{"description":"What was written."}}`, `"properties":{"log":{}}`, label.Behaviour},
		{whole, ``, `,"title":"Harbour master"`, label.Behaviour},
		{whole, `,"annotations":{"destructiveHint":false}`, `,"annotations":{"destructiveHint":true}`, label.Behaviour},
		{whole, `,"annotations":{"openWorldHint":true}`, `,"annotations":{}`, label.None},
		{whole, `,"execution":{"taskSupport":"required"}`, `,"execution":{"taskSupport":"optional"}`, label.Behaviour},
		{whole, `,"_meta":{"a":1}`, `,"_meta":{"a":2}`, label.Behaviour},
		{prompt, `,"arguments":[{"name":"ship"}]`, `,"arguments":[{"name":"vessel"}]`, label.Breaking},
		{prompt, `,"arguments":[{"name":"ship"}]`, `,"arguments":[{"description":"Which one.","name":"ship"}]`, label.Behaviour},
		{prompt, `,"arguments":[{"name":"ship"},{"name":"port"}]`, `,"arguments":[{"name":"port"},{"name":"ship"}]`, label.None},
		{prompt, `,"arguments":[{"name":"ship","required":true}]`, ``, label.Breaking},
		{resource, `,"mimeType":"text/csv"`, ``, label.Breaking}, // judged harmless at first, but a reader that relies on the type has none now
	} {
		entryType := map[string]pin.EntryType{prompt: pin.Prompts, resource: pin.Resources}[c.in]
		old, new := fmt.Sprintf(c.in, c.old), fmt.Sprintf(c.in, c.new)
		changes := Definitions(effort.New(), entryType, parseCanonical(t, old), parseCanonical(t, new))
		if got := SeverityOf(&pin.Drift{Kind: pin.Changed, Key: pin.Key{Type: entryType}}, changes); got != c.want {
			t.Errorf("%s\n -> %s\n is %s, want %s; %+v", old, new, got, c.want, changes)
		}
	}
}

// TestBump has the severity of each kind of drift, and the release that it takes.
func TestBump(t *testing.T) {
	wording := []Change{{Severity: label.Behaviour}, {Severity: label.None}}
	for _, c := range []struct {
		entryType pin.EntryType
		kind      pin.DriftKind
		changes   []Change
		want      label.Severity
		bump      string
	}{
		{pin.Tools, pin.Removed, nil, label.Breaking, "major"},
		{pin.Prompts, pin.Removed, nil, label.Breaking, "major"},
		{pin.Templates, pin.Removed, nil, label.Breaking, "major"},
		{pin.Instructions, pin.Removed, nil, label.Behaviour, "minor"},
		{pin.Tools, pin.Added, nil, label.Behaviour, "minor"},
		{pin.Tools, pin.Duplicate, wording, label.Breaking, "major"},
		{pin.Tools, pin.Changed, nil, label.Breaking, "major"}, // without its texts
		{pin.Tools, pin.Hidden, wording, label.Behaviour, "minor"},
		{pin.Tools, pin.Changed, wording[1:], label.None, "patch"},
	} {
		got := SeverityOf(&pin.Drift{Kind: c.kind, Key: pin.Key{Type: c.entryType}}, c.changes)
		if got != c.want || got.Bump() != c.bump {
			t.Errorf("%s of list %d: %s, %s", c.kind, c.entryType, got, got.Bump())
		}
	}
}
