package normal_test

import (
	"testing"

	"pinproof/internal/normal"
)

func TestInWords(t *testing.T) {
	for _, tt := range []struct {
		title, name string
		is          bool
	}{
		{"Read file", "read_file", true},
		{"Read File", "readFile", true},
		{"read-file", "read-file", true},
		{"API Get User", "API-get-user", true},
		{"Max 5", "max.5", true},
		{"Readfile", "readFile", true},
		{"Get URL", "getURL", true},
		{"Nowhere", "now_here", false},
		{"No where", "now_here", false},
		{"Read a file", "read_file", false},
		{"Read file!", "read_file", false},
		{"Read  file", "read_file", false},
		{"Re\u0430d file", "re\u0430d_file", false}, // a Cyrillic letter: not just the name in words
		{"Read\u200bfile", "readfile", false},
		{"", "", false},
		{" ", "_", false},
	} {
		if got := normal.RepeatsName(tt.title, tt.name); got != tt.is {
			t.Errorf("%q, %q: %v", tt.title, tt.name, got)
		}
	}
}
