package diff

import (
	"fmt"
	"testing"

	"pinproof/internal/effort"
	"pinproof/internal/label"
	"pinproof/internal/pin"
)

// TestWholeSchemasDecide has changes whose severity can't be told from one keyword alone. They were
// judged by hand: can a call that worked fail now, or can a result come that couldn't before?
func TestWholeSchemasDecide(t *testing.T) {
	const (
		input  = `{"name":"t","inputSchema":{"type":"object",%s}}`
		output = `{"name":"t","outputSchema":{"type":"object",%s}}`
	)
	for _, c := range []struct {
		in, old, new string
		breaks       bool
	}{
		// names that are required, each by itself
		{output, `"properties":{"id":{},"url":{}},"required":["id"]`, `"properties":{"id":{},"url":{}},"required":["url"]`, true},
		{input, `"properties":{"id":{},"url":{}},"required":["id"]`, `"properties":{"id":{},"url":{}},"required":["url"]`, true},
		{input, `"properties":{"id":{},"url":{}},"required":["id","url"]`, `"properties":{"id":{},"url":{}},"required":["url"]`, false},

		// an element that has to be there: the proof is no judge of contains
		{input, `"properties":{"to":{"minItems":1,"type":"array"}}`, `"properties":{"to":{"contains":{},"type":"array"}}`, true},
		{input, `"properties":{"to":{"type":"array"}}`, `"properties":{"to":{"contains":{},"type":"array"}}`, true},
		{input, `"properties":{"to":{"items":{"type":"string"},"minItems":2,"type":"array"}}`, `"properties":{"to":{"contains":{"type":"string"},"type":"array"}}`, true},

		// names that were free, and are described now
		{input, `"properties":{"m":{"additionalProperties":{"type":"string"},"type":"object"}}`, `"properties":{"m":{"additionalProperties":{"type":"string"},"properties":{"a":{"type":"integer"}},"type":"object"}}`, true},
		{input, `"properties":{"m":{"additionalProperties":{"type":"string"},"type":"object"}}`, `"properties":{"m":{"additionalProperties":{"type":"string"},"properties":{"a":{"type":"string"}},"type":"object"}}`, false},
		{input, `"properties":{"m":{"additionalProperties":{"type":"string"},"type":"object"}}`, `"properties":{"m":{"additionalProperties":{"type":"string"},"patternProperties":{"^n":{"type":"integer"}},"type":"object"}}`, true},

		// the dialect decides what counts next to a reference
		{input, `"$defs":{"A":{"type":"string"}},"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"$ref":"#/$defs/A","maxLength":3}}`,
			`"$defs":{"A":{"type":"string"}},"$schema":"https://json-schema.org/draft/2020-12/schema","properties":{"a":{"$ref":"#/$defs/A","maxLength":3}}`, true},
		{input, `"$defs":{"A":{"type":"string"}},"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"$ref":"#/$defs/A"}}`,
			`"$defs":{"A":{"type":"string"}},"$schema":"https://json-schema.org/draft/2020-12/schema","properties":{"a":{"$ref":"#/$defs/A"}}`, false},

		// the same text, read in another way
		{input, `"properties":{"f":{"contentEncoding":"base64","type":"string"}}`, `"properties":{"f":{"type":"string"}}`, true},
		{input, `"properties":{"f":{"type":"string"}}`, `"properties":{"f":{"contentEncoding":"base64","type":"string"}}`, true},
		{output, `"properties":{"f":{"contentMediaType":"text/csv","type":"string"}}`, `"properties":{"f":{"contentMediaType":"text/html","type":"string"}}`, true},
		{input, `"properties":{"f":{"format":"date","type":"string"}}`, `"properties":{"f":{"format":"date-time","type":"string"}}`, true},

		// the same values, or more of them, in another form
		{input, `"if":{"required":["a"]},"properties":{"a":{},"b":{}},"then":{"required":["b"]}`, `"properties":{"a":{},"b":{}}`, false},
		{input, `"properties":{"u":{"const":"c"}}`, `"properties":{"u":{"anyOf":[{"const":"c"},{"const":"f"}]}}`, false},
		{input, `"properties":{"u":{"type":"string"}}`, `"properties":{"u":{"allOf":[{"type":"string"}]}}`, false},
		{input, `"properties":{"u":{"anyOf":[{"const":"c"},{"const":"f"}]}}`, `"properties":{"u":{"oneOf":[{"const":"c"},{"const":"f"}]}}`, false},
		{input, `"properties":{"u":{"anyOf":[{"type":"string"},{"const":"f"}]}}`, `"properties":{"u":{"oneOf":[{"type":"string"},{"const":"f"}]}}`, true},
		{input, `"properties":{"n":{"maximum":100,"type":"integer"}}`, `"properties":{"n":{"exclusiveMaximum":101,"type":"integer"}}`, false},
		{input, `"properties":{"n":{"maximum":100,"type":"number"}}`, `"properties":{"n":{"exclusiveMaximum":101,"type":"number"}}`, false},
		{input, `"properties":{"n":{"exclusiveMaximum":101,"type":"number"}}`, `"properties":{"n":{"maximum":100,"type":"number"}}`, true},
		{input, `"properties":{"n":{"exclusiveMaximum":101,"type":"integer"}}`, `"properties":{"n":{"maximum":100,"type":"integer"}}`, false},

		// a result that was closed
		{output, `"additionalProperties":false,"properties":{"sky":{}}`, `"additionalProperties":false,"properties":{"sky":{},"wind":{}}`, true},
		{output, `"additionalProperties":false,"properties":{"sky":{}}`, `"properties":{"sky":{}}`, false},
	} {
		old := fmt.Sprintf(c.in, c.old)
		new := fmt.Sprintf(c.in, c.new)
		changes := Definitions(effort.New(), pin.Tools, parseCanonical(t, old), parseCanonical(t, new))
		got := SeverityOf(&pin.Drift{Kind: pin.Changed}, changes)
		if (got == label.Breaking) != c.breaks {
			t.Errorf("%s\n -> %s\n is %s; %+v", old, new, got, changes)
		}
	}
}
