package diff

import (
	"strings"
	"unicode"

	"pinproof/internal/jsontree"
	"pinproof/internal/text"
)

// InWords reports whether a title is nothing but a name in words: "Read file" for read_file
// and readFile. SDKs make such titles.
func InWords(title, name string) bool {
	if title == name {
		return text.Name(name) == name
	}
	a, plain := letters(title, " ")
	b, named := letters(name, "_-.")
	return plain && named && a == b && !strings.Contains(title, "  ")
}

// letters returns the letters and digits of s in lower case. It returns false if s has
// anything else but these separators.
func letters(s, separators string) (string, bool) {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r < unicode.MaxASCII && text.IsAlnum(byte(r)):
			b.WriteRune(unicode.ToLower(r))
		case !strings.ContainsRune(separators, r):
			return "", false
		}
	}
	return b.String(), b.Len() > 0
}

// titles reports whether a change is about a title that is the name in words, of a tool or of
// a parameter: such a title came, or went.
func (l *labeller) titles(c Change, s location) bool {
	n := len(s.steps)
	if n == 0 || s.steps[n-1] != "title" || c.Label != labelWording {
		return false
	}
	name := l.name
	if n > 2 {
		name = s.steps[n-2]
	}
	inWords := func(v jsontree.Value) bool { return v.Kind == 0 || v.Kind == '"' && InWords(v.Text, name) }
	return inWords(c.Old) && inWords(c.New)
}
