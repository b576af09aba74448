// Package pintest makes pins for tests, and repeats hashing and comparison by other means than the program.
package pintest

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/unicode/norm"

	"pinproof/internal/capture"
	"pinproof/internal/jsontest"
	"pinproof/internal/jsontree"
	"pinproof/internal/lockfile"
	"pinproof/internal/pin"
)

// CanonicalTree returns the tree of a text's canonical form, which diffs compare.
func CanonicalTree(t testing.TB, text string) jsontree.Value {
	t.Helper()
	return jsontree.ParseTrusted([]byte(jsontest.CanonicalForm(t, []byte(text))))
}

// ArrayOf returns an array of values.
func ArrayOf(items ...jsontree.Value) jsontree.Value {
	v := jsontree.Value{Kind: '['}
	for _, item := range items {
		v.Parts = append(v.Parts, jsontree.Member{Value: item})
	}
	return v
}

// MutateValue makes small changes to a value, or no change.
func MutateValue(m jsontest.Maker, t testing.TB, v jsontree.Value, depth int) jsontree.Value {
	switch {
	case m.IntN(6) == 0:
		return ParseTree(t, m.JSON(depth))
	case v.Kind == '"' && m.IntN(3) == 0:
		v.Text += m.Pick("\u200b", " ", "\u0301", "x")
	case v.Kind == '[' || v.Kind == '{':
		v.Parts = slices.Clone(v.Parts)
		for i := range v.Parts {
			v.Parts[i].Value = MutateValue(m, t, v.Parts[i].Value, depth-1)
		}
		switch n := m.IntN(6); {
		case n == 0 && len(v.Parts) > 0:
			at := m.IntN(len(v.Parts))
			v.Parts = slices.Delete(v.Parts, at, at+1)
		case n == 1 && v.Kind == '[':
			v.Parts = slices.Insert(v.Items(), m.IntN(len(v.Items())+1), jsontree.Member{Value: ParseTree(t, m.JSON(depth-1))})
		case n == 2 && v.Kind == '{':
			if name := "new" + strconv.Itoa(m.IntN(100)); !v.Has(name) {
				v = jsontree.Object(append(v.Parts, jsontree.Member{Name: name, Value: ParseTree(t, m.JSON(depth-1))})...)
			}
		case n == 3 && len(v.Items()) > 1:
			m.Shuffle(len(v.Items()), func(i, j int) { v.Items()[i], v.Items()[j] = v.Items()[j], v.Items()[i] })
		}
	}
	return v
}

// PinsOf reads a capture and pins its tools as server "s".
func PinsOf(t testing.TB, listed string, pol pin.Policy) pin.Set {
	t.Helper()
	m, err := capture.Read("m.json", []byte(listed), HashDefinition, pol)
	if err != nil {
		t.Fatalf("%v in\n%.500s", err, listed)
	}
	set, err := capture.PinCapture(m, "s", pol, nil, HashDefinition)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// ParseTree parses a JSON text of a test, without canonicalizing it first.
func ParseTree(t testing.TB, text string) jsontree.Value {
	t.Helper()
	r := jsontree.NewReader([]byte(text))
	v, err := r.Next(0, len(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// MustMarshal returns the text of a lockfile.
func MustMarshal(t testing.TB, l lockfile.Lockfile) string {
	t.Helper()
	text, err := lockfile.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// MustParse reads the text of a lockfile.
func MustParse(t testing.TB, text string) lockfile.Lockfile {
	t.Helper()
	l, err := lockfile.Read("tools.lock", []byte(text), HashDefinition, nil)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return l
}

// HashDefinition does what formOf in canon.go does, by other means: it uses another library's canonical form, and
// sanitizes texts with the standard library's tables.
func HashDefinition(entryType pin.EntryType, hashed []byte) pin.HashedDefinition {
	hash := func(b []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(b)) }
	if entryType == pin.Instructions {
		definition, err := jsontext.AppendQuote(nil, hashed)
		if err != nil {
			panic(err)
		}
		return pin.HashedDefinition{Definition: definition, Digest: hash(hashed), SanitizedDigest: hash([]byte(secondSanitized(string(hashed))))}
	}
	definition := jsontext.Value(bytes.Clone(hashed))
	if err := definition.Canonicalize(); err != nil {
		panic(err)
	}
	var tree any
	d := json.NewDecoder(bytes.NewReader(definition))
	d.UseNumber()
	if err := d.Decode(&tree); err != nil {
		panic(err)
	}
	var clean bytes.Buffer
	e := json.NewEncoder(&clean)
	e.SetEscapeHTML(false)
	if err := e.Encode(cleaned(tree)); err != nil {
		panic(err)
	}
	sanitized := jsontext.Value(bytes.TrimSpace(clean.Bytes()))
	if err := sanitized.Canonicalize(); err != nil {
		panic(err)
	}
	return pin.HashedDefinition{Definition: definition, Digest: hash(definition), SanitizedDigest: hash(sanitized)}
}

// cleaned returns a decoded value with every string sanitized. It leaves the names of members alone.
func cleaned(v any) any {
	switch v := v.(type) {
	case string:
		return secondSanitized(v)
	case []any:
		for i := range v {
			v[i] = cleaned(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = cleaned(v[name])
		}
	}
	return v
}

// secondSanitized strips what no reader sees from a text, judged by the standard library,
// and composes it. It is for texts without long runs of marks.
func secondSanitized(s string) string {
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' {
			return r
		}
		if r == 0x2800 || unicode.In(r, unicode.C, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) || !unicode.IsGraphic(r) {
			return -1
		}
		return r
	}, s))
}

// CompareByDigest compares pins as plain values: entry by entry, by their digests.
func CompareByDigest(pairs []pin.Comparison) (drifts []pin.Drift) {
	for _, p := range pairs {
		found := map[pin.Key][]pin.Pin{}
		for _, f := range p.Captured.Pins {
			found[f.Key] = append(found[f.Key], f)
		}
		keys := map[pin.Key]bool{}
		for _, one := range slices.Concat(p.Locked.Pins, p.Captured.Pins) {
			if keys[one.Key] {
				continue
			}
			keys[one.Key] = true
			d := pin.Drift{Server: p.Server, Key: one.Key, Locked: p.Locked.Find(one.Key), Copies: found[one.Key]}
			if len(d.Copies) > 0 {
				d.Captured = &d.Copies[0]
			}
			switch {
			case d.Captured == nil:
				d.Kind = pin.DriftRemoved
			case len(d.Copies) > 1:
				d.Kind = pin.DriftDuplicate
			case d.Locked == nil:
				d.Kind = pin.DriftAdded
			case d.Locked.Digest == d.Captured.Digest:
				continue
			case d.Locked.SanitizedDigest == d.Captured.SanitizedDigest:
				d.Kind = pin.DriftHidden
			default:
				d.Kind = pin.DriftChanged
			}
			drifts = append(drifts, d)
		}
	}
	slices.SortFunc(drifts, pin.CompareDrifts)
	return drifts
}

// SetDigest returns the set digest of pins that are all tools, or "" if two have the same name.
func SetDigest(s *pin.Set) string {
	if s.HasRepeatedName() {
		return ""
	}
	var lines []string
	if policy := jsontree.Append(nil, s.Policy.Tree()); string(policy) != "{}" {
		lines = append(lines, fmt.Sprintf("policy:%x", sha256.Sum256(policy)))
	}
	for _, p := range s.Pins {
		lines = append(lines, p.Name+":"+strings.TrimPrefix(p.Digest, "sha256:"))
	}
	return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(strings.Join(lines, "\n"))))
}

// FromRoot takes a path relative to the module's root, and returns one that a test in any package can open.
func FromRoot(path string) string {
	dir := "."
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, path)
		}
		dir = filepath.Join(dir, "..")
	}
}

// DriftLines describes each drift in a few words: its kind, its name, and what the entry was
// renamed to or from.
func DriftLines(drifts []pin.Drift) string {
	var lines []string
	for _, d := range drifts {
		line := fmt.Sprintf("%s %s", d.Kind, d.Name)
		if d.RenamedFrom != "" {
			line += " from " + d.RenamedFrom
		}
		if d.RenamedTo != "" {
			line += " to " + d.RenamedTo
		}
		if d.Kind == pin.DriftDuplicate {
			line += fmt.Sprintf(" %d times", len(d.Copies))
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, ", ")
}
