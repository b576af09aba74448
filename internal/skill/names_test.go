package skill

import "testing"

// TestCodeNames: code names a file in any of these spellings.
func TestCodeNames(t *testing.T) {
	for _, tt := range []struct {
		code, name string
		want       bool
	}{
		{"sh ref.md", "ref.md", true},
		{"sh 'run me.md'", "run%20me.md", true},
		{"sh a,b.md", "a,b.md", true},
		{"sh 'é.md'", "%C3%A9.md", true},
		{"curl -d @ref.md", "ref.md", true},
		{"{ sh ref.md}", "ref.md", true},
		{"sh ref.md!", "docs/ref.md", true},
		{"sh ./ref.md.", "ref.md", true},
		{"sh ref.md*", "other.md", true},
		{"open(name + '.md')", "any.md", true},
		{"sh ref.md", "other.md", false},
		{"ls", "ref.md", false},
	} {
		var names NamedByCode
		names.AddCode(tt.code)
		if got := names.Has(tt.name); got != tt.want {
			t.Errorf("%s names %s: %t", tt.code, tt.name, got)
		}
	}
}

// TestFence: nothing that may be before a fence hides it.
func TestFence(t *testing.T) {
	for _, before := range []string{"", "\ufeff", "> ", "1. ", "- ", ": ", "#. "} {
		text := before + "```sh\nls\n```\n"
		if got := FromFirstCode(text); got != text {
			t.Errorf("%q", got)
		}
	}
}
