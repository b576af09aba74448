package diff

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pinproof/internal/jsontest"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
)

func TestSentences(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{"One.", []string{"One."}},
		{"One. Two!  Three? Four; five", []string{"One. ", "Two!  ", "Three? ", "Four; ", "five"}},
		{"Line one\nline two\n\n  three", []string{"Line one\n", "line two\n\n  ", "three"}},
		{"Version 2.10.0 of a.b at 10.0.0.1.", []string{"Version 2.10.0 of a.b at 10.0.0.1."}},
		{"Fields, e.g. a name, i.e. a word. Then more.", []string{"Fields, e.g. a name, i.e. a word. ", "Then more."}},
		{"一つ。二つ！三つ？四つ", []string{"一つ。", "二つ！", "三つ？", "四つ"}},
		{"أولا؟ ثانيا", []string{"أولا؟ ", "ثانيا"}},
	} {
		if got := Sentences(tt.text); !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
}

// FuzzSentences checks that no character of a text is lost.
func FuzzSentences(f *testing.F) {
	for _, s := range jsontest.HostileTexts {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got := strings.Join(Sentences(s), ""); got != s {
			t.Errorf("%q became %q", s, got)
		}
	})
}

func TestSentenceEdits(t *testing.T) {
	for _, tt := range []struct{ what, old, new, want string }{
		{"a sentence joined", "Reads a file.", "Reads a file. Sends it on.", `"" "Sends it on." false`},
		{"one went", "Asks first. Deletes it.", "Deletes it.", `"Asks first." "" false`},
		{"a word", "It is not optional. Stays.", "It is optional. Stays.", `"It is not optional." "It is optional." true`},
		{"rewritten", "Reads a file from the disk.", "Sends mail to anyone who asks.", `"Reads a file from the disk." "Sends mail to anyone who asks." false`},
		{"blanks alone", "One.\nTwo.", "One. Two.", ""},
		{"another order", "One. Two.", "Two. One.", `"One." "" false "" "One." false`},
	} {
		budget := FullWordBudget
		edits, ok := budget.Sentences(tt.old, tt.new)
		var got []string
		for _, e := range edits {
			got = append(got, fmt.Sprintf("%q %q %t", e.Old, e.New, e.Pieces != nil))
		}
		if strings.Join(got, " ") != tt.want || !ok {
			t.Errorf("%s: %s, want %s", tt.what, strings.Join(got, " "), tt.want)
		}
	}
}

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
		for _, c := range Definitions(pin.Tools, pintest.CanonicalTree(t, tt.old), pintest.CanonicalTree(t, tt.new)) {
			says = says || c.Says()
		}
		if says != tt.want {
			t.Errorf("%s -> %s: %t", tt.old, tt.new, says)
		}
	}
}
