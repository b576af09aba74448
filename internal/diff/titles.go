package diff

import (
	"regexp"
	"strings"
	"sync"

	"pinproof/internal/jsontree"
	"pinproof/internal/label"
	"pinproof/internal/text"
)

// RepeatsName reports whether a title is nothing but a name in words: "Read file" for read_file
// and readFile. SDKs make such titles. A title that splits the name elsewhere may mean something else.
func RepeatsName(title, name string) bool {
	if title == name {
		return text.Name(name) == name
	}
	if !titleWords().MatchString(title) || !plainName().MatchString(name) {
		return false
	}
	words := strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("_-.", r) })
	said := strings.Join(words, " ")
	return strings.EqualFold(title, said) || strings.EqualFold(title, apart(said))
}

var (
	titleWords = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9]+( [A-Za-z0-9]+)*$`) })
	plainName  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_.-]+$`) })
)

// titles reports whether a change only adds, removes or replaces a title that is the name of a tool or
// of a parameter in words.
func (l *labeller) titles(c Change, s location) bool {
	n := len(s.steps)
	if n == 0 || s.steps[n-1] != "title" || c.Label != label.Wording {
		return false
	}
	name := l.name
	if n > 2 {
		name = s.steps[n-2]
	}
	inWords := func(v jsontree.Value) bool { return v.Kind == 0 || v.Kind == '"' && RepeatsName(v.Text, name) }
	return inWords(c.Old) && inWords(c.New)
}
