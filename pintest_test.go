package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/unicode/norm"
)

// secondForm makes the form of a definition by other means than canon.go: another
// library's canonical form, and texts sanitized by the standard library's tables.
func secondForm(list listKind, v *value) form {
	hash := func(b []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(b)) }
	if list == instructionsList {
		definition := jsontext.Value(appendJSON(nil, *v))
		return form{definition, hash([]byte(v.text)), hash([]byte(secondSanitized(v.text)))}
	}
	definition := jsontext.Value(appendJSON(nil, *v))
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
	at, end := v.at, v.end
	*v = readCanonical(definition) // its members sorted
	v.at, v.end = at, end
	return form{bytes.Clone(definition), hash(definition), hash(sanitized)}
}

// cleaned is a decoded value with every string sanitized, but no name of a member.
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
		switch {
		case r == '\t' || r == '\n' || r == '\r':
			return r
		case r == 0x2800, unicode.In(r, unicode.C, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector), !unicode.IsGraphic(r):
			return -1
		}
		return r
	}, s))
}

// plainDrifts compares pins as plain values: by their definitions, name by name.
func plainDrifts(pairs []pair) (drifts []drift) {
	for _, p := range pairs {
		found := map[entryKey][]pin{}
		for _, f := range p.found.pins {
			found[f.entryKey] = append(found[f.entryKey], f)
		}
		keys := map[entryKey]bool{}
		for _, one := range slices.Concat(p.pinned.pins, p.found.pins) {
			if keys[one.entryKey] {
				continue
			}
			keys[one.entryKey] = true
			d := drift{server: p.server, entryKey: one.entryKey, pinned: p.pinned.find(one.entryKey), copies: found[one.entryKey], blocked: true}
			if len(d.copies) > 0 {
				d.found = &d.copies[0]
			}
			switch {
			case d.found == nil:
				d.kind = removed
			case len(d.copies) > 1:
				d.kind = duplicate
			case d.pinned == nil:
				d.kind = added
			case d.pinned.digest == d.found.digest:
				continue
			case d.pinned.sanitized == d.found.sanitized:
				d.kind = concealed
			default:
				d.kind = changed
			}
			drifts = append(drifts, d)
		}
	}
	slices.SortFunc(drifts, compareDrifts)
	return drifts
}

// plainSetDigest is the set digest of pins that are all tools.
func plainSetDigest(s *pinset) string {
	if s.repeated() {
		return ""
	}
	var lines []string
	if policy := appendJSON(nil, s.policy.value()); string(policy) != "{}" {
		lines = append(lines, fmt.Sprintf("policy:%x", sha256.Sum256(policy)))
	}
	for _, p := range s.pins {
		lines = append(lines, p.name+":"+strings.TrimPrefix(p.digest, "sha256:"))
	}
	return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(strings.Join(lines, "\n"))))
}

// inRoot returns a path from the folder of the module's go.mod.
func inRoot(path string) string {
	dir := "."
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, path)
		}
		dir = filepath.Join(dir, "..")
	}
}
