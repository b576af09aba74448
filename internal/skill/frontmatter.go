package skill

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"pinproof/internal/jsontree"
	"pinproof/internal/text"
)

// The frontmatter of a SKILL.md is YAML, which two libraries may read differently. It is never decoded to
// values: its nodes are compared with the entry's frontmatter, and what libraries are known to read differently
// (duplicate keys, aliases, tags, a second document) is refused.

// maxHead is the maximum size of a SKILL.md's frontmatter, in bytes. Real ones have a few hundred.
const maxHead = 64 << 10

// CheckFrontmatter returns an error if the frontmatter of a SKILL.md differs from its entry's, because some
// models read the file and others the entry. The error is safe to print.
func CheckFrontmatter(file string, frontmatter jsontree.Value) error {
	head, err := Frontmatter(file)
	if err != nil {
		return err
	}
	d := yaml.NewDecoder(strings.NewReader(head))
	var document, more yaml.Node
	if err := d.Decode(&document); err != nil && err != io.EOF {
		return errors.New("its head is no YAML that every library reads")
	}
	if err := d.Decode(&more); err != io.EOF {
		return errors.New("its head is more than one YAML document")
	}
	if document.Kind != yaml.DocumentNode || len(document.Content) != 1 {
		return errors.New("its head is empty")
	}
	return compareNodes(document.Content[0], frontmatter, func() string { return "" })
}

// Frontmatter returns the frontmatter of a SKILL.md: the YAML between the first line, which is ---, and the next such
// line.
func Frontmatter(file string) (string, error) {
	first, rest, ok := strings.Cut(file, "\n")
	if !ok || strings.TrimRight(first, "\r") != "---" {
		return "", errors.New("it doesn't begin with a line ---, so it has no frontmatter")
	}
	at := 0
	// Gray-matter ends the frontmatter at any line that begins with ---.
	endsBefore := false
	for line := range strings.Lines(rest) {
		if at > maxHead {
			return "", fmt.Errorf("its head has more than %s bytes", text.FormatNumber(maxHead))
		}
		isEnd := strings.TrimRight(line, " \t\r\n") == "---"
		if isEnd && endsBefore {
			return "", errors.New("a line in its head begins with ---, where some libraries end it")
		} else if isEnd {
			return rest[:at], nil
		}
		endsBefore = endsBefore || strings.HasPrefix(line, "---")
		at += len(line)
	}
	return "", errors.New("no line --- ends its head")
}

// LenientFrontmatter returns the lines at the start of a file that some library may read as frontmatter: gray-matter
// and others also accept it after a byte order mark or spaces, with text after the first --- (---js, which it runs),
// and in TOML (+++). It returns the whole file if no line ends the frontmatter.
func LenientFrontmatter(file string) string {
	const mark = 3
	start := strings.TrimLeft(file, "\uFEFF \t\r\n")
	if !strings.HasPrefix(start, "---") && !strings.HasPrefix(start, "+++") {
		return ""
	}
	_, rest, _ := strings.Cut(start, "\n")
	at := len(file) - len(rest)
	for line := range strings.Lines(rest) {
		at += len(line)
		if strings.HasPrefix(strings.TrimLeft(line, " \t"), start[:mark]) {
			return file[:at]
		}
	}
	return file
}

// A place returns a JSON Pointer into the frontmatter. The pointer is created only when an error quotes it.
type place func() string

func (at place) below(token string) place {
	return func() string { return jsontree.ExtendPointer(at(), token) }
}

func (at place) errorf(format string, args ...any) error {
	where := "its head"
	if pointer := at(); pointer != "" {
		where = "in its head, " + text.QuotePointer(pointer)
	}
	return errors.New(where + fmt.Sprintf(format, args...))
}

// compareNodes compares a node with a value.
func compareNodes(n *yaml.Node, v jsontree.Value, at place) error {
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		return at.errorf(" is an alias or an anchor")
	}
	if isTagged(n) {
		return at.errorf(" has a tag")
	}
	switch n.Kind {
	case yaml.MappingNode:
		if v.Kind == '{' {
			return compareMembers(n, v, at)
		}
	case yaml.SequenceNode:
		if v.Kind != '[' || len(v.Items()) != len(n.Content) {
			break
		}
		for i, item := range v.Items() {
			if err := compareNodes(n.Content[i], item.Value, at.below(strconv.Itoa(i))); err != nil {
				return err
			}
		}
		return nil
	case yaml.ScalarNode:
		if readsAs(n, v) {
			return nil
		}
	}
	return at.errorf(" is not what the entry's frontmatter says")
}

func isTagged(n *yaml.Node) bool {
	return n.Style&yaml.TaggedStyle != 0 || n.Tag == "!!merge" || n.Tag == "!!binary"
}

func compareMembers(n *yaml.Node, v jsontree.Value, at place) error {
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode || key.Anchor != "" || isTagged(key) {
			return at.errorf(" has a key that is no plain text")
		}
		if seen[key.Value] {
			return at.errorf(" has the key %s twice", text.QuoteName(key.Value))
		}
		seen[key.Value] = true
		member := jsontree.Lookup(&v, key.Value)
		if member == nil {
			return at.errorf(" has %s, which the entry's frontmatter lacks", text.QuoteName(key.Value))
		}
		if err := compareNodes(n.Content[i+1], *member, at.below(key.Value)); err != nil {
			return err
		}
	}
	for _, m := range v.Members() {
		if !seen[m.Name] {
			return at.errorf(" lacks %s, which the entry's frontmatter has", text.QuoteName(m.Name))
		}
	}
	return nil
}

// readsAs reports whether some library reads a scalar as this value: as a string or, if the scalar isn't quoted, as the
// value that it has in YAML 1.1 or 1.2.
func readsAs(n *yaml.Node, v jsontree.Value) bool {
	if v.Kind == '"' && v.Text == n.Value {
		return true
	}
	const quoted = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	if n.Style&quoted != 0 {
		return false
	}
	plain := n.Value
	switch v.Kind {
	case '0':
		return readsAsNumber(plain, v.Text)
	case '"':
		return readsAsDate(plain, v.Text)
	}
	return slices.Contains(wordsFor[v.Kind], strings.ToLower(plain))
}

// wordsFor are the scalars that some library reads as null, true or false, by the kind of that value.
var wordsFor = map[byte][]string{'n': {"", "~", "null"}, 't': {"true", "yes", "on", "y"}, 'f': {"false", "no", "off", "n"}}

// readsAsNumber reports whether a plain scalar may be read as this number: 0o17 as 15, 017 as 15 or 17,
// and likewise 0x1F, 0b11, 1_000, 1.10, 1e3.
func readsAsNumber(plain, number string) bool {
	want, err := strconv.ParseFloat(number, 64)
	digits := strings.ToLower(strings.ReplaceAll(plain, "_", ""))
	whole, notWhole := strconv.ParseInt(digits, 0, 64) // 0o17 and 017 as 15
	if err != nil || len(digits) > 400 || strings.ContainsAny(digits, "pn") {
		return false
	}
	decimal, notDecimal := strconv.ParseFloat(digits, 64) // 017 as 17
	return notWhole == nil && float64(whole) == want || notDecimal == nil && decimal == want
}

// readsAsDate reports whether a plain scalar is a day, and written is the form in which a library writes that day as a
// point in time.
func readsAsDate(plain, written string) bool {
	rest, ok := strings.CutPrefix(written, plain)
	return ok && len(plain) == len("2026-01-02") && strings.Trim(plain, "0123456789-") == "" && midnight().MatchString(rest)
}

// midnight matches the time (midnight in UTC) that libraries write after a date that has no time.
var midnight = text.LazyRegexp(`^[T ]00:00:00(\.000(000)?)?(\+00:00)?Z?$`)
