package normal_test

import (
	"fmt"
	"testing"

	"pinproof/internal/effort"
	"pinproof/internal/normal"
	"pinproof/internal/pintest"
)

// equal reports whether two whole schemas have the same form.
func equal(t testing.TB, old, new string) bool {
	t.Helper()
	a, b := pintest.CanonicalTree(t, old), pintest.CanonicalTree(t, new)
	return normal.Equal(normal.New(effort.New(), &a, "get_page", false), normal.New(effort.New(), &b, "get_page", false), &a, &b)
}

// TestEqual has schemas that are another form of each other, of a parameter or whole.
func TestEqual(t *testing.T) {
	for _, tt := range []struct{ old, new string }{
		{`{"type":"string","title":null,"enum":null}`, `{"type":"string"}`},
		{`{"title":"P","type":"string"}`, `{"type":"string"}`},
		{`{"type":"integer","maximum":9007199254740991,"minimum":-9007199254740991}`, `{"type":"integer"}`},
		{`{"oneOf":[{"const":"a"},{"const":"b"}]}`, `{"enum":["a","b"]}`},
		{`{"oneOf":[{"const":"a","type":"string"},{"const":"b","type":"string"}]}`, `{"enum":["a","b"],"type":"string"}`},
		{`{"anyOf":[{"const":"a"},{"enum":["b",1]}],"description":"D."}`, `{"enum":["a","b",1],"description":"D."}`},
		{`{"const":"a"}`, `{"enum":["a"]}`},
		{`{"items":[{"type":"string"}],"additionalItems":{"type":"null"}}`, `{"prefixItems":[{"type":"string"}],"items":{"type":"null"}}`},
		{`{"allOf":[{"type":"string"},{"maxLength":5}],"description":"D."}`, `{"description":"D.","maxLength":5,"type":"string"}`},
		{`{"allOf":[{"properties":{"a":{}},"required":["a"]},{"properties":{"b":{}},"required":["b"]}]}`, `{"properties":{"a":{},"b":{}},"required":["b","a"]}`},
		{`{"type":["string","null"],"maxLength":5}`, `{"anyOf":[{"type":"null"},{"maxLength":5,"type":"string"}]}`},
		{`{"type":["string","integer"]}`, `{"oneOf":[{"type":"integer"},{"type":"string"}]}`},
		{`{"propertyNames":{"type":"string"},"additionalProperties":true,"items":{}}`, `{}`},
		{`{"additionalProperties":true,"properties":{},"required":[]}`, `{"additionalProperties":{}}`},
		{`{"anyOf":[{"type":"string","description":"S."}]}`, `{"type":"string","description":"S."}`},
		{`{"anyOf":[{"description":"A.","const":1},{"description":"B.","const":2}]}`, `{"oneOf":[{"description":"B.","const":2},{"description":"A.","const":1}]}`},
	} {
		for _, frame := range []string{`{"properties":{"p":%s}}`, `{"properties":{"p":{"$ref":"#/$defs/p"}},"$defs":{"p":%s}}`} {
			old, new := fmt.Sprintf(frame, tt.old), fmt.Sprintf(`{"properties":{"p":%s}}`, tt.new)
			if !equal(t, old, new) || !equal(t, new, old) {
				t.Errorf("%s\n%s\ndiffer", old, new)
			}
		}
	}
	for _, tt := range []struct{ old, new string }{
		{`{"title":"Get page","type":"object"}`, `{}`},
		{`{"type":"object","allOf":[{"type":"object","properties":{"a":{}}},{"type":"object","properties":{"b":{}}}]}`, `{"type":"object","properties":{"a":{},"b":{}}}`},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{}]}`, `{"$schema":"https://json-schema.org/draft/2020-12/schema","prefixItems":[{}]}`},
		{`{"$ref":"#/$defs/a","$defs":{"a":{"properties":{"b":{"$ref":"#/$defs/a"}}},"b":{}}}`, `{"type":"object","$ref":"#/$defs/a","$defs":{"a":{"properties":{"b":{"$ref":"#/$defs/a"}}}}}`},
	} {
		if !equal(t, tt.old, tt.new) {
			t.Errorf("%s\n%s\ndiffer", tt.old, tt.new)
		}
	}
}

// TestDifferent has schemas that a rewriting too many would make one.
func TestDifferent(t *testing.T) {
	for _, tt := range []struct{ old, new string }{
		// What a reader finds is another text, or about another value.
		{`{"title":"P","type":"string"}`, `{"title":"Q","type":"string"}`},
		{`{"anyOf":[{"const":"a","description":"A."},{"const":"b"}]}`, `{"anyOf":[{"const":"a"},{"const":"b","description":"A."}]}`},
		{`{"anyOf":[{"const":"a","description":"A."},{"const":"b"}]}`, `{"enum":["a","b"]}`},
		{`{"anyOf":[{"type":"null"},{"type":"string","description":"S."}]}`, `{"type":["null","string"],"description":"S."}`},
		{`{"allOf":[{"description":"A."}],"description":"B."}`, `{"allOf":[{"description":"B."}],"description":"A."}`},
		{`{"allOf":[{"description":"A."}],"description":"B."}`, `{"description":"A."}`},
		{`{"allOf":[{"description":"A."}],"description":"B."}`, `{"description":"B."}`},
		{`{"additionalProperties":{"description":"A."}}`, `{}`},
		{`{"x-note":null}`, `{}`},
		{`{"$defs":{"a":{"description":"A."}}}`, `{}`},
		{`{"enum":["a","b"]}`, `{"enum":["b","a"]}`},
		{`{"prefixItems":[{"type":"string"},{}]}`, `{"prefixItems":[{},{"type":"string"}]}`},
		{`{"anyOf":[{"type":"string"}],"allOf":"A."}`, `{"type":"string"}`},
		{`{"anyOf":"A."}`, `{}`},
		{`{"allOf":[{"x-mcp-header":"A"}]}`, `{"x-mcp-header":"A"}`},
		// Other values fit.
		{`{"oneOf":[{"type":"integer"},{"type":"number"}]}`, `{"type":["integer","number"]}`},
		{`{"oneOf":[{"const":1},{"enum":[1,2]}]}`, `{"enum":[1,2]}`},
		{`{"oneOf":[{"type":"string"},{"maxLength":5}]}`, `{"anyOf":[{"type":"string"},{"maxLength":5}]}`},
		{`{"allOf":[{"additionalProperties":false,"properties":{"a":{}}},{"properties":{"b":{}}}]}`, `{"additionalProperties":false,"properties":{"a":{},"b":{}}}`},
		{`{"additionalProperties":false,"allOf":[{"properties":{"b":{}}}]}`, `{"additionalProperties":false,"properties":{"b":{}}}`},
		{`{"allOf":[{"prefixItems":[{}]},{"items":{"type":"null"}}]}`, `{"prefixItems":[{}],"items":{"type":"null"}}`},
		{`{"allOf":[{"if":{}},{"then":false}]}`, `{"if":{},"then":false}`},
		{`{"allOf":[{"nullable":true},{"type":"string"}]}`, `{"type":["null","string"]}`},
		{`{"nullable":true}`, `{}`},
		{`{"nullable":true,"type":"string"}`, `{"type":["string","null"]}`},
		{`{"nullable":false,"type":"string"}`, `{"type":"string"}`},
		{`{"anyOf":[{"type":"string","maxLength":1},{"type":"boolean"}],"x-notes":["A.","B."]}`, `{"anyOf":[{"type":"boolean"},{"type":"string","maxLength":1}],"x-notes":["A.","B."]}`},
		{`{"type":["string","boolean"],"x-notes":["A.","B."]}`, `{"type":["boolean","string"],"x-notes":["A.","B."]}`},
		{`{"allOf":[{"maximum":5},{"exclusiveMaximum":true}]}`, `{"maximum":5,"exclusiveMaximum":true}`},
		{`{"allOf":[{"items":[{}]},{"prefixItems":[{}]}]}`, `{"items":[{}],"prefixItems":[{}]}`},
		{`{"nullable":true,"type":"string","enum":["a"]}`, `{"nullable":true,"enum":["a"]}`},
		{`{"type":"number","maximum":9007199254740991}`, `{"type":"number"}`},
		{`{"type":"integer","minimum":9007199254740991}`, `{"type":"integer"}`},
		{`{"anyOf":[{"type":"null"},{"type":"string","enum":["a"]}]}`, `{"type":["null","string"],"enum":["a"]}`},
		{`{"anyOf":[{"type":"null"},{"maxLength":5}]}`, `{"maxLength":5}`},
		{`{"const":null}`, `{}`},
		{`{"items":[{"type":"string"}]}`, `{"items":{"type":"string"}}`},
	} {
		old, new := `{"properties":{"p":`+tt.old+`}}`, `{"properties":{"p":`+tt.new+`}}`
		if equal(t, old, new) || equal(t, new, old) {
			t.Errorf("%s\n%s\nare equal", old, new)
		}
	}
	for _, tt := range []struct{ old, new string }{
		{`{"items":[{}]}`, `{"$schema":"https://json-schema.org/draft/2020-12/schema","items":[{}]}`},
		{`{"prefixItems":[{}]}`, `{"$schema":"http://json-schema.org/draft-07/schema#","prefixItems":[{}]}`},
		{`{"$schema":"http://json-schema.org/draft-04/schema#","const":1}`, `{"const":1}`},
		{`{"$ref":"#/$defs/a","minLength":1,"$defs":{"a":{}}}`, `{"$schema":"http://json-schema.org/draft-07/schema#","$ref":"#/$defs/a","minLength":1,"$defs":{"a":{}}}`},
		{`{"$ref":"#/$defs/a","$defs":{"a":{"properties":{"b":{"$ref":"#/$defs/a"}}}}}`, `{"$ref":"#/$defs/a","$defs":{"a":{"properties":{"b":{"properties":{"b":{"$ref":"#/$defs/a"}}}}}}}`},
		{`{"properties":{"a":{"$ref":"#"}}}`, `{"type":"object","properties":{"a":{"$ref":"#"}}}`},
		// Other dialects, and keywords that a dialect lacks.
		{`{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"p":{"prefixItems":[{}]}}}`, `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"p":{"items":[{}]}}}`},
		{`{"$schema":"https://json-schema.org/draft/2020-12/schema","properties":{"p":{"prefixItems":[{}]}}}`, `{"$schema":"https://json-schema.org/draft/2020-12/schema","properties":{"p":{"items":[{}]}}}`},
		{`{"$schema":"http://json-schema.org/draft-04/schema#","properties":{"p":{"const":1}}}`, `{"$schema":"http://json-schema.org/draft-04/schema#","properties":{"p":{"enum":[1]}}}`},
		{`{"properties":{"p":{"type":"integer"}}}`, `{"$schema":"http://json-schema.org/draft-04/schema#","properties":{"p":{"type":"integer"}}}`},
		{`{"properties":{"p":{"dependentRequired":{"a":["b"]}}}}`, `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"p":{"dependentRequired":{"a":["b"]}}}}`},
		{`{"properties":{"p":{"dependencies":{"a":["b"]}}}}`, `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"p":{"dependencies":{"a":["b"]}}}}`},
		{`{"$schema":"http://json-schema.org/draft-06/schema#","if":{}}`, `{"$schema":"http://json-schema.org/draft-06/schema#","if":true}`},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","allOf":[{"$ref":"#/definitions/a","maxProperties":1}],"definitions":{"a":{"properties":{"b":{"$ref":"#/definitions/a"}}}}}`,
			`{"$schema":"http://json-schema.org/draft-07/schema#","allOf":[{"$ref":"#/definitions/a"}],"maxProperties":1,"definitions":{"a":{"properties":{"b":{"$ref":"#/definitions/a"}}}}}`},
		// No form is known.
		{`{"discriminator":{"mapping":{"a":"#/$defs/a"}},"$defs":{"a":{"const":1},"b":{"const":2}}}`, `{"discriminator":{"mapping":{"a":"#/$defs/a"}},"$defs":{"a":{"const":2},"b":{"const":1}}}`},
		{`{"$ref":"#/examples/0","examples":[{}]}`, `{"$ref":"#/examples/0","examples":[{}],"type":"object"}`},
		{`{"$ref":"#/properties","properties":{}}`, `{"$ref":"#/properties","properties":{},"type":"object"}`},
		{`{"$ref":"#/$defs/a"}`, `{"$ref":"#/$defs/a","type":"object"}`},
		{`{"$dynamicRef":"#a"}`, `{"$dynamicRef":"#a","type":"object"}`},
		{`{"unevaluatedProperties":false}`, `{"unevaluatedProperties":false,"type":"object"}`},
		{`{"properties":{"a":{"$id":"a"}}}`, `{"properties":{"a":{"$id":"a"}},"type":"object"}`},
	} {
		if equal(t, tt.old, tt.new) || equal(t, tt.new, tt.old) {
			t.Errorf("%s\n%s\nare equal", tt.old, tt.new)
		}
	}
}

// TestBudget: what the budget is too small for has no form.
func TestBudget(t *testing.T) {
	v := pintest.CanonicalTree(t, `{"properties":{"a":{"description":"A."}}}`)
	small := effort.Of(10)
	if a := normal.New(small, &v, "", false); normal.Equal(a, a, &v, &v) || small.Refusals() == 0 {
		t.Error("a form without a budget")
	}
}
