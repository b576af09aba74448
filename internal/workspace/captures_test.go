package workspace

import (
	"strings"
	"testing"
)

// TestFileName: serverOf reads the server ID back.
func TestFileName(t *testing.T) {
	for id, want := range map[string]string{
		"files": "files.jsonl", "a.b-c_1": "a.b-c_1.jsonl", "0": "0.jsonl", "@org/pkg": "@org%2Fpkg.jsonl", "a b": "a%20b.jsonl", "a:b": "a%3Ab.jsonl",
		".": "%2E.jsonl", "..": "%2E..jsonl", ".hidden": "%2Ehidden.jsonl", "-x": "%2Dx.jsonl", `a\b`: "a%5Cb.jsonl", "50%": "50%25.jsonl",
		"": "", "caf\u00e9": "", "a\x00": "", strings.Repeat("a", 101): "",
	} {
		got := CaptureFileName(id)
		if got != want {
			t.Errorf("%q: %q, want %q", id, got, want)
		}
		if back, ok := serverOf(got); want != "" && (!ok || back != id) {
			t.Errorf("%q: read back as %q", id, back)
		}
	}
}
