package diff

import (
	"fmt"
	"testing"

	"pinproof/internal/pin"
)

// TestSeveritiesAreTrue holds the severity of a change against a judgement by hand, made
// before there was code for it: would a call that worked fail now, or would a reader of the
// result? If neither, does the model read or do something else?
func TestSeveritiesAreTrue(t *testing.T) {
	const ( // where the two sides of a case stand
		whole  = `{"name":"t"%s}`
		input  = `{"name":"t","inputSchema":{"type":"object",%s}}`
		output = `{"name":"t","outputSchema":{"type":"object",%s}}`

		prompt   = `{"name":"p"%s}`
		resource = `{"uri":"log:"%s}`
	)
	for _, c := range []struct {
		in, old, new string
		want         Severity
	}{
		// inputs
		{input, `"properties":{"city":{"type":"string"}}`, `"properties":{"city":{"type":"string"},"unit":{"type":"string"}}`, Behaviour},
		{input, `"properties":{"city":{"type":"string"}}`, `"properties":{"city":{"type":"string"},"unit":{"type":"string"}},"required":["unit"]`, Breaking},
		{input, `"properties":{"city":{},"unit":{}}`, `"properties":{"city":{}}`, Breaking},
		{input, `"properties":{"city":{}}`, `"properties":{"city":{}},"required":["city"]`, Breaking},
		{input, `"properties":{"city":{}},"required":["city"]`, `"properties":{"city":{}}`, Behaviour},
		{input, `"properties":{"n":{"type":"number"}}`, `"properties":{"n":{"type":"integer"}}`, Breaking},
		{input, `"properties":{"n":{"type":"integer"}}`, `"properties":{"n":{"type":"number"}}`, Behaviour},
		{input, `"properties":{"n":{"type":"string"}}`, `"properties":{"n":{"type":"integer"}}`, Breaking},
		{input, `"properties":{"n":{"type":"string"}}`, `"properties":{"n":{"type":["string","null"]}}`, Behaviour},
		{input, `"properties":{"u":{"enum":["c","f","k"]}}`, `"properties":{"u":{"enum":["c","f"]}}`, Breaking},
		{input, `"properties":{"u":{"enum":["c","f"]}}`, `"properties":{"u":{"enum":["c","f","k"]}}`, Behaviour},
		{input, `"properties":{"u":{"enum":["c","f"]}}`, `"properties":{"u":{"enum":["f","c"]}}`, None},
		{input, `"properties":{"u":{"type":"string"}}`, `"properties":{"u":{"type":"string","pattern":"^[a-z]+$"}}`, Breaking},
		{input, `"properties":{"days":{"maximum":14}}`, `"properties":{"days":{"maximum":7}}`, Breaking},
		{input, `"properties":{"days":{"maximum":7}}`, `"properties":{"days":{"maximum":14}}`, Behaviour},
		{input, `"properties":{"days":{"default":3}}`, `"properties":{"days":{"default":5}}`, Behaviour},
		{input, `"properties":{"days":{"description":"How many days."}}`, `"properties":{"days":{"description":"The number of days."}}`, Behaviour},
		{input, `"properties":{"a":{}}`, `"properties":{"a":{}},"additionalProperties":false`, Breaking},
		{input, `"properties":{"a":{}},"additionalProperties":false`, `"properties":{"a":{}}`, Behaviour},
		{input, `"properties":{"a":{"type":"string"}}`, `"properties":{"a":{"anyOf":[{"type":"string"},{"items":{"type":"string"},"type":"array"}]}}`, Behaviour},
		{input, `"properties":{"a":{"anyOf":[{"type":"string"},{"items":{"type":"string"},"type":"array"}]}}`, `"properties":{"a":{"type":"string"}}`, Breaking},
		{input, `"properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}}`, `"properties":{"a":{"type":["string","null"]}}`, None},
		{input, `"properties":{"a":{"maxLength":9}}`, `"$defs":{"A":{"maxLength":9}},"properties":{"a":{"$ref":"#/$defs/A"}}`, None},
		{input, `"properties":{"from":{},"to":{}}`, `"anyOf":[{"required":["from"]},{"required":["to"]}],"properties":{"from":{},"to":{}}`, Breaking},
		{input, `"properties":{"filter":{"type":"object"}}`, `"properties":{"filter":{"properties":{"tag":{"type":"string"}},"required":["tag"],"type":"object"}}`, Breaking},
		{input, `"properties":{"at":{"type":"string"}}`, `"properties":{"at":{"format":"date-time","type":"string"}}`, Breaking},
		{input, `"properties":{"to":{"items":{"type":"string"},"type":"array"}}`, `"properties":{"to":{"items":{"type":"string"},"minItems":1,"type":"array"}}`, Breaking},
		{input, `"$schema":"http://json-schema.org/draft-07/schema#"`, `"$schema":"https://json-schema.org/draft/2020-12/schema"`, None},
		{input, `"properties":{"a":{"not":{"const":"x"}}}`, `"properties":{"a":{"not":{"enum":["x","y"]}}}`, Breaking},
		{input, `"properties":{"a":{"pattern":"^a"}}`, `"properties":{"a":{"pattern":"^b"}}`, Breaking},

		// outputs
		{whole, ``, `,"outputSchema":{"type":"object","properties":{"sky":{"type":"string"}}}`, Behaviour},
		{whole, `,"outputSchema":{"type":"object","properties":{"sky":{"type":"string"}}}`, ``, Breaking},
		{output, `"properties":{"sky":{},"wind":{}}`, `"properties":{"sky":{}}`, Breaking},
		{output, `"properties":{"sky":{}}`, `"properties":{"sky":{},"wind":{}}`, Behaviour},
		{output, `"properties":{"sky":{}}`, `"properties":{"sky":{},"wind":{}},"required":["wind"]`, Behaviour},
		{output, `"properties":{"sky":{}},"required":["sky"]`, `"properties":{"sky":{}}`, Breaking},
		{output, `"properties":{"sky":{}}`, `"properties":{"sky":{}},"required":["sky"]`, Behaviour},
		{output, `"properties":{"t":{"type":"number"}}`, `"properties":{"t":{"type":["number","null"]}}`, Breaking},
		{output, `"properties":{"t":{"type":["number","null"]}}`, `"properties":{"t":{"type":"number"}}`, Behaviour},
		{output, `"properties":{"t":{"type":"number"}}`, `"properties":{"t":{"type":"string"}}`, Breaking},
		{output, `"properties":{"sky":{"enum":["clear","rain"]}}`, `"properties":{"sky":{"enum":["clear","rain","snow"]}}`, Breaking},
		{output, `"properties":{"sky":{"enum":["clear","rain","snow"]}}`, `"properties":{"sky":{"enum":["clear","rain"]}}`, Behaviour},
		{output, `"properties":{"p":{"maximum":100}}`, `"properties":{"p":{"maximum":1000}}`, Breaking},
		{output, `"properties":{"p":{"maximum":100}}`, `"properties":{"p":{"maximum":10}}`, Behaviour},
		{output, `"properties":{"at":{"format":"date-time","type":"string"}}`, `"properties":{"at":{"type":"string"}}`, Breaking},
		{output, `"properties":{"sky":{"description":"What it looks like."}}`, `"properties":{"sky":{"description":"How it looks."}}`, Behaviour},
		{output, `"properties":{"list":{"items":{"type":"string"},"type":"array"}}`, `"properties":{"list":{"items":{"type":"integer"},"type":"array"}}`, Breaking},
		{output, `"properties":{"v":{"type":"string"}}`, `"properties":{"v":{"anyOf":[{"type":"string"},{"type":"null"}]}}`, Breaking},
		{output, `"properties":{"v":{"anyOf":[{"type":"string"},{"type":"null"}]}}`, `"properties":{"v":{"type":["string","null"]}}`, None},
		{output, `"additionalProperties":false,"properties":{"v":{}}`, `"properties":{"v":{}}`, Behaviour},

		// what is neither
		{whole, `,"description":"Says how the weather is."`, `,"description":"Tells the weather."`, Behaviour},
		{whole, `,"annotations":{}`, `,"annotations":{"readOnlyHint":true}`, Behaviour},
		{whole, `,"annotations":{}`, `,"annotations":{"readOnlyHint":false}`, None},
		{whole, ``, `,"execution":{"taskSupport":"forbidden"}`, None},
		{whole, `,"execution":{"taskSupport":"optional"}`, `,"execution":{"taskSupport":"required"}`, Breaking},

		// prompts, resources, instructions
		{prompt, `,"arguments":[{"name":"a"}]`, `,"arguments":[{"name":"a"},{"name":"b"}]`, Behaviour},
		{prompt, `,"arguments":[{"name":"a"}]`, `,"arguments":[{"name":"a"},{"name":"b","required":true}]`, Breaking},
		{prompt, `,"arguments":[{"name":"a"},{"name":"b"}]`, `,"arguments":[{"name":"a"}]`, Breaking},
		{prompt, `,"arguments":[{"name":"a"}]`, `,"arguments":[{"name":"a","required":true}]`, Breaking},
		{prompt, `,"arguments":[{"name":"a","required":true}]`, `,"arguments":[{"name":"a"}]`, Behaviour},
		{resource, `,"mimeType":"text/plain"`, `,"mimeType":"application/pdf"`, Breaking},
		{resource, `,"description":"The log."`, `,"description":"The log of today."`, Behaviour},

		// a second judgement, likewise before the code ran
		{input, `"properties":{"berth":{"type":"integer"}}`, `"properties":{"berth":{"type":["integer","string"]}}`, Behaviour},
		{input, `"properties":{"berth":{"type":["integer","string"]}}`, `"properties":{"berth":{"type":"string"}}`, Breaking},
		{input, `"properties":{"tide":{"type":"string"}}`, `"properties":{"tide":{"type":"string","x-mcp-header":"Tide"}}`, Behaviour},
		{input, `"properties":{"tide":{"type":"string","x-mcp-header":"Tide"}}`, `"properties":{"tide":{"type":"string"}}`, Behaviour},
		{input, `"properties":{"tide":{"type":"string"}}`, `"properties":{"tide":{"type":"string"},"quay":{"type":"string","x-mcp-header":"Quay"}},"required":["quay"]`, Breaking},
		{input, `"properties":{"tide":{"type":"string","x-mcp-header":"Tide"}}`, `"properties":{"tide":{"type":"integer","x-mcp-header":"Tide"}}`, Breaking},
		{input, `"properties":{"crew":{"minItems":2,"type":"array"}}`, `"properties":{"crew":{"type":"array"}}`, Behaviour},
		{input, `"properties":{"crew":{"type":"array"}}`, `"properties":{"crew":{"type":"array","uniqueItems":true}}`, Breaking},
		{input, `"properties":{"crew":{"items":{"type":"string"},"type":"array"}}`, `"properties":{"crew":{"items":{"enum":["cook","mate"],"type":"string"},"type":"array"}}`, Breaking},
		{input, `"properties":{"depth":{"exclusiveMinimum":0,"type":"number"}}`, `"properties":{"depth":{"minimum":0,"type":"number"}}`, Behaviour},
		{input, `"properties":{"depth":{"minimum":0,"type":"number"}}`, `"properties":{"depth":{"exclusiveMinimum":0,"type":"number"}}`, Breaking},
		{input, `"properties":{"step":{"multipleOf":2,"type":"integer"}}`, `"properties":{"step":{"multipleOf":6,"type":"integer"}}`, Breaking},
		{input, `"properties":{"step":{"multipleOf":6,"type":"integer"}}`, `"properties":{"step":{"multipleOf":3,"type":"integer"}}`, Behaviour},
		{input, `"properties":{"flag":{"const":"red"}}`, `"properties":{"flag":{"enum":["red","white"]}}`, Behaviour},
		{input, `"properties":{"flag":{"enum":["red","white"]}}`, `"properties":{"flag":{"const":"red"}}`, Breaking},
		{input, `"properties":{"flag":{"enum":["red"]}}`, `"properties":{"flag":{"const":"red"}}`, None},
		{input, `"properties":{"hull":{"type":"object"}}`, `"properties":{"hull":{"properties":{"mast":{"type":"integer"}},"type":"object"}}`, Breaking},
		{input, `"properties":{"hull":{"properties":{"mast":{}},"required":["mast"],"type":"object"}}`, `"properties":{"hull":{"properties":{"mast":{}},"type":"object"}}`, Behaviour},
		{input, `"properties":{"hull":{"$ref":"#/$defs/H"}},"$defs":{"H":{"maxLength":4}}`, `"properties":{"hull":{"$ref":"#/$defs/H"}},"$defs":{"H":{"maxLength":3}}`, Breaking},
		{input, `"properties":{"hull":{"$ref":"#/$defs/H"}},"$defs":{"H":{"maxLength":4}}`, `"properties":{"hull":{"$ref":"#/$defs/H"}},"$defs":{"H":{"maxLength":5}}`, Behaviour},
		{input, `"properties":{"hull":{}},"$defs":{"H":{"maxLength":4}}`, `"properties":{"hull":{}},"$defs":{"H":{"maxLength":3}}`, Behaviour},
		{input, `"properties":{"sail":{"anyOf":[{"type":"string"},{"type":"boolean"}]}}`, `"properties":{"sail":{"type":["boolean","string"]}}`, None},
		{input, `"properties":{"sail":{"oneOf":[{"type":"string"},{"type":"boolean"}]}}`, `"properties":{"sail":{"anyOf":[{"type":"string"},{"type":"boolean"}]}}`, None},
		{input, `"properties":{"sail":{"oneOf":[{"maxLength":3},{"minLength":2}],"type":"string"}}`, `"properties":{"sail":{"anyOf":[{"maxLength":3},{"minLength":2}],"type":"string"}}`, Behaviour},
		{input, `"properties":{"sail":{"anyOf":[{"maxLength":3},{"minLength":2}],"type":"string"}}`, `"properties":{"sail":{"oneOf":[{"maxLength":3},{"minLength":2}],"type":"string"}}`, Breaking},
		{input, `"properties":{"knot":{"nullable":true,"type":"string"}}`, `"properties":{"knot":{"type":"string"}}`, Breaking},
		{input, `"properties":{"knot":{"type":"string"}}`, `"properties":{"knot":{"nullable":true,"type":"string"}}`, Behaviour},
		{input, `"properties":{"knot":{"examples":["bowline"]}}`, `"properties":{"knot":{"examples":["clove hitch"]}}`, Behaviour},
		{input, `"properties":{"knot":{"default":"bowline"}}`, `"properties":{"knot":{}}`, Behaviour},
		{input, `"properties":{"knot":{"type":"string"}}`, `"properties":{"knot":{"deprecated":true,"type":"string"}}`, Behaviour},
		{input, `"properties":{"a":{},"b":{}},"dependentRequired":{"a":["b"]}`, `"properties":{"a":{},"b":{}}`, Behaviour},
		{input, `"properties":{"a":{},"b":{}}`, `"properties":{"a":{},"b":{}},"dependentRequired":{"a":["b"]}`, Breaking},
		{input, `"properties":{"a":{}},"patternProperties":{"^x":{"type":"string"}}`, `"properties":{"a":{}}`, Behaviour},
		{input, `"properties":{"a":{}},"required":["a"]`, `"properties":{"b":{}},"required":["b"]`, Breaking},
		{input, `"minProperties":1,"properties":{"a":{}}`, `"properties":{"a":{}}`, Behaviour},
		{input, `"properties":{"lane":{"type":"string"}}`, `"properties":{"lane":false}`, Breaking},
		{input, `"properties":{"lane":{"type":"string"}}`, `"properties":{"lane":true}`, Behaviour},
		{input, `"properties":{"z":{"title":"Z"}}`, `"properties":{"z":{}}`, None},
		{output, `"properties":{"log":{"$ref":"#/$defs/L"}},"$defs":{"L":{"type":"string"}}`, `"properties":{"log":{"type":"string"}}`, None},
		{output, `"properties":{"log":{"minLength":3,"type":"string"}}`, `"properties":{"log":{"type":"string"}}`, Breaking},
		{output, `"properties":{"log":{"type":"string"}}`, `"properties":{"log":{"minLength":3,"type":"string"}}`, Behaviour},
		{output, `"properties":{"log":{"const":"ok"}}`, `"properties":{"log":{"enum":["late","ok"]}}`, Breaking},
		{output, `"properties":{"log":{"enum":["late","ok"]}}`, `"properties":{"log":{"const":"ok"}}`, Behaviour},
		{output, `"properties":{"log":{"items":{"properties":{"at":{},"by":{}},"type":"object"},"type":"array"}}`, `"properties":{"log":{"items":{"properties":{"at":{}},"type":"object"},"type":"array"}}`, Breaking},
		{output, `"properties":{"log":{"items":{"properties":{"at":{}},"type":"object"},"type":"array"}}`, `"properties":{"log":{"items":{"properties":{"at":{},"by":{}},"type":"object"},"type":"array"}}`, Behaviour},
		{output, `"properties":{"log":{"type":"integer"}}`, `"properties":{"log":{"type":"number"}}`, Breaking},
		{output, `"properties":{"log":{"type":"number"}}`, `"properties":{"log":{"type":"integer"}}`, Behaviour},
		{output, `"properties":{"log":{"maxItems":9,"type":"array"}}`, `"properties":{"log":{"type":"array"}}`, Breaking},
		{output, `"properties":{"log":{"pattern":"^a"}}`, `"properties":{"log":{"pattern":"^b"}}`, Breaking},
		{output, `"properties":{"log":{"description":"What was written."}}`, `"properties":{"log":{}}`, Behaviour},
		{whole, ``, `,"title":"Harbour master"`, Behaviour},
		{whole, `,"annotations":{"destructiveHint":false}`, `,"annotations":{"destructiveHint":true}`, Behaviour},
		{whole, `,"annotations":{"openWorldHint":true}`, `,"annotations":{}`, None},
		{whole, `,"execution":{"taskSupport":"required"}`, `,"execution":{"taskSupport":"optional"}`, Behaviour},
		{whole, `,"_meta":{"a":1}`, `,"_meta":{"a":2}`, Behaviour},
		{prompt, `,"arguments":[{"name":"ship"}]`, `,"arguments":[{"name":"vessel"}]`, Breaking},
		{prompt, `,"arguments":[{"name":"ship"}]`, `,"arguments":[{"description":"Which one.","name":"ship"}]`, Behaviour},
		{prompt, `,"arguments":[{"name":"ship"},{"name":"port"}]`, `,"arguments":[{"name":"port"},{"name":"ship"}]`, None},
		{prompt, `,"arguments":[{"name":"ship","required":true}]`, ``, Breaking},
		{resource, `,"mimeType":"text/csv"`, ``, Breaking}, // judged harmless at first; but a reader that goes by the type has none now
	} {
		list := map[string]pin.EntryType{prompt: pin.Prompts, resource: pin.Resources}[c.in]
		old, new := fmt.Sprintf(c.in, c.old), fmt.Sprintf(c.in, c.new)
		changes := Definitions(list, parseCanonical(t, old), parseCanonical(t, new))
		if got := SeverityOf(&pin.Drift{Kind: pin.Changed, Key: pin.Key{Type: list}}, changes); got != c.want {
			t.Errorf("%s\n -> %s\n is %s, want %s; %+v", old, new, got, c.want, changes)
		}
	}
}

// TestBump: what drift of each kind comes to.
func TestBump(t *testing.T) {
	wording := []Change{{Severity: Behaviour}, {Severity: None}}
	for _, c := range []struct {
		list    pin.EntryType
		kind    pin.DriftKind
		changes []Change
		want    Severity
		bump    string
	}{
		{pin.Tools, pin.Removed, nil, Breaking, "major"},
		{pin.Prompts, pin.Removed, nil, Breaking, "major"},
		{pin.Templates, pin.Removed, nil, Breaking, "major"},
		{pin.Instructions, pin.Removed, nil, Behaviour, "minor"},
		{pin.Tools, pin.Added, nil, Behaviour, "minor"},
		{pin.Tools, pin.Duplicate, wording, Breaking, "major"},
		{pin.Tools, pin.Changed, nil, Breaking, "major"}, // without its texts
		{pin.Tools, pin.Hidden, wording, Behaviour, "minor"},
		{pin.Tools, pin.Changed, wording[1:], None, "patch"},
	} {
		got := SeverityOf(&pin.Drift{Kind: c.kind, Key: pin.Key{Type: c.list}}, c.changes)
		if got != c.want || got.Bump() != c.bump {
			t.Errorf("%s of list %d: %s, %s", c.kind, c.list, got, got.Bump())
		}
	}
}
