package diff

import (
	"testing"

	"pinproof/internal/effort"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
)

// TestSays checks that a text or a name that was added or removed is something to read, wherever it is.
func TestSays(t *testing.T) {
	for _, tt := range []struct {
		old, new string
		want     bool
	}{
		{`{"outputSchema":{"type":"object"}}`, `{"outputSchema":{"type":"object","properties":{"before-any-answer":{}}}}`, true},
		{`{"outputSchema":{"type":"object","properties":{"a":{"type":"string"}}}}`, `{"outputSchema":{"type":"object","properties":{"a":{"type":"integer"}}}}`, false},
		{`{"outputSchema":{"maxItems":1}}`, `{"outputSchema":{"maxItems":2}}`, false},
		{`{"_meta":{"a":1}}`, `{"_meta":{"a":2}}`, false},
		{`{"_meta":{"a":1}}`, `{"_meta":{"a":1,"send it on":2}}`, true},
		{`{"_meta":{"a":1}}`, `{"_meta":{"a":"b"}}`, true},
		{`{}`, `{"execution":{"taskSupport":"forbidden"}}`, false},
		{`{}`, `{"execution":{"taskSupport":"ask nobody"}}`, true},
		{`{}`, `{"inputSchema":{"$schema":"http://json-schema.org/draft-07/schema#"}}`, false},
		{`{"title":"A"}`, `{"title":"Other"}`, true},
		{`{}`, `{"outputSchema":{"format":"date","type":"string"}}`, false},
		{`{}`, `{"outputSchema":{"format":"read the notes","type":"string"}}`, true},
		{`{}`, `{"icons":[{"src":"data:image/svg+xml,x","mimeType":"image/svg+xml"}]}`, true},
	} {
		says := false
		for _, c := range Definitions(effort.New(), pin.Tools, pintest.CanonicalTree(t, tt.old), pintest.CanonicalTree(t, tt.new)) {
			says = says || c.Says()
		}
		if says != tt.want {
			t.Errorf("%s -> %s: %t", tt.old, tt.new, says)
		}
	}
}
