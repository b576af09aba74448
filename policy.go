package main

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A policy shapes a server's pins and is recorded with them. The zero value is
// the default: every list but resources is pinned, as received.
type policy struct {
	descriptions    string   // how much prose of tools is pinned: "" (all), "strip" or "truncate=N"
	emptyCursorEnds bool     // an empty nextCursor ends the list
	hashOnly        bool     // definitions are not stored
	ignore          []string // JSON Pointers of members left out, sorted, without repeats
	requireClean    bool     // entries with hidden text are refused
	resources       bool     // the list of resources is pinned, too
	roundIntegers   bool     // an integer that a double can't hold exactly is pinned as the double
	substitute      []string // names of values; <NAME> is pinned in their place; sorted, without repeats
	toolsOnly       bool     // nothing but the tools is pinned
}

// policyMembers are the members of a policy in the lockfile, in their order there.
var policyMembers = []string{"descriptions", "emptyCursorEnds", "hashOnly", "ignore", "requireClean", "resources", "roundIntegers", "substitute", "toolsOnly"}

// flag returns the field of a member that is true or left out, and nil for any other member.
func (p *policy) flag(member string) *bool {
	return map[string]*bool{"emptyCursorEnds": &p.emptyCursorEnds, "hashOnly": &p.hashOnly, "requireClean": &p.requireClean,
		"resources": &p.resources, "roundIntegers": &p.roundIntegers, "toolsOnly": &p.toolsOnly}[member]
}

func (p policy) isDefault() bool { return p.equal(policy{}) }

// pins reports whether a list is pinned.
func (p policy) pins(list listKind) bool {
	return list == toolList || !p.toolsOnly && (list != resourceList || p.resources)
}

// shapes reports whether the pinned definition can differ from the received one,
// substitutes aside.
func (p policy) shapes() bool { return p.descriptions != "" || len(p.ignore) > 0 }

func (p policy) equal(q policy) bool {
	return slices.Equal(appendJSON(nil, p.value()), appendJSON(nil, q.value()))
}

// value returns the policy as the lockfile records it, without the members that are default.
func (p policy) value() value {
	v := value{kind: '{'}
	lists := map[string][]string{"ignore": p.ignore, "substitute": p.substitute}
	for _, member := range policyMembers {
		m := value{}
		switch on := p.flag(member); {
		case on != nil && *on:
			m.kind = 't'
		case member == "descriptions" && p.descriptions != "":
			m = textValue(p.descriptions)
		case len(lists[member]) > 0:
			m = textList(lists[member])
		}
		if m.kind != 0 {
			v.parts = append(v.parts, namedValue{member, m})
		}
	}
	return v
}

// loud returns what a verdict line says about a policy other than the default, or "":
// "; descriptions not pinned".
func (p policy) loud() string {
	var parts []string
	if n, ok := strings.CutPrefix(p.descriptions, "truncate="); ok {
		parts = append(parts, "descriptions pinned to "+n+" characters")
	} else if p.descriptions != "" {
		parts = append(parts, "descriptions not pinned")
	}
	for _, pointer := range p.ignore {
		parts = append(parts, quotedPointer(pointer)+" not pinned")
	}
	said := map[string]string{
		"emptyCursorEnds": "an empty cursor ends the list",
		"hashOnly":        "definitions not stored",
		"requireClean":    "hidden text refused",
		"resources":       "resources pinned",
		"roundIntegers":   "integers rounded to doubles",
		"substitute":      strings.Join(p.substitute, ", ") + " substituted",
		"toolsOnly":       "only tools pinned",
	}
	for _, m := range p.value().members() {
		if said[m.name] != "" {
			parts = append(parts, said[m.name])
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "; " + strings.Join(parts, ", ")
}

// A substitute is a value that differs from place to place, such as a folder, and
// the name that stands for it in the pins.
type substitute struct{ name, value string }

// minSubstitute is the least length of a value, in characters. A shorter one could occur
// in a text by chance.
const minSubstitute = 8

// parseSubstitutes reads the values of --substitute NAME=VALUE. Longer values come
// first: replacing a shorter one inside them would hide them.
func parseSubstitutes(args []string) ([]substitute, error) {
	var list []substitute
	var names []string
	for _, arg := range args {
		name, text, ok := strings.Cut(arg, "=")
		switch {
		case !ok:
			return nil, fail("%s: NAME=VALUE", quotedName(arg))
		case utf8.RuneCountInString(text) < minSubstitute || !utf8.ValidString(text):
			return nil, fail("%s: its value has fewer than 8 characters, and could stand anywhere", quotedName(name))
		}
		list, names = append(list, substitute{name, text}), append(names, name)
	}
	switch unique, err := parseSubstituteNames(names); {
	case err != nil:
		return nil, err
	case len(unique) < len(names):
		return nil, fail("a name is given twice")
	}
	slices.SortFunc(list, func(a, b substitute) int {
		return cmp.Or(len(b.value)-len(a.value), strings.Compare(a.name, b.name))
	})
	return list, nil
}

// substituteNames lists the names, sorted.
func substituteNames(list []substitute) (names []string) {
	for _, s := range list {
		names = append(names, s.name)
	}
	slices.Sort(names)
	return names
}

// parseSubstituteNames checks the names of --substitute or of their record.
func parseSubstituteNames(names []string) ([]string, error) {
	for _, n := range names {
		if n == "" || len(n) > 64 || strings.Trim(n, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" {
			return nil, fail("%s: a name is of A to Z, 0 to 9 and _", quotedName(n))
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(names))), nil
}

// putPlaceholders returns v with <NAME> in place of each value in its strings. A string
// that spells a placeholder itself is refused: it could pass for a replaced value.
func putPlaceholders(v value, list []substitute) (value, error) {
	var err error
	v = mapTexts(v, func(text string) string {
		out := text
		for _, s := range list {
			if strings.Contains(text, "<"+s.name+">") && err == nil {
				err = fail("it spells the placeholder <%s> itself", s.name)
			}
			out = strings.ReplaceAll(out, s.value, "<"+s.name+">")
		}
		return out
	})
	return v, err
}

// fillPlaceholders returns v with each value in place of its <NAME>.
func fillPlaceholders(v value, list []substitute) value {
	return mapTexts(v, func(text string) string {
		for _, s := range list {
			text = strings.ReplaceAll(text, "<"+s.name+">", s.value)
		}
		return text
	})
}

// parseDescriptions reads the value of --descriptions or of its record.
func parseDescriptions(s string) (string, error) {
	digits, truncate := strings.CutPrefix(s, "truncate=")
	n, _ := strconv.Atoi(digits)
	switch {
	case s == "preserve":
		return "", nil
	case s == "strip", truncate && n > 0 && strconv.Itoa(n) == digits:
		return s, nil
	}
	return "", fail("%s is none of preserve, truncate=N, strip", quotedName(s))
}

// A policy's pointers are followed in every definition: a lockfile could make that work
// without end.
const (
	maxIgnored      = 32  // pointers
	maxIgnoredBytes = 256 // in one of them
)

// parseIgnore checks the pointers of --ignore or of its record. Only members that no
// model reads may be left out, and only if no array is on the way to them.
func parseIgnore(pointers []string) ([]string, error) {
	if len(pointers) > maxIgnored || slices.ContainsFunc(pointers, func(p string) bool { return len(p) > maxIgnoredBytes }) {
		return nil, fail("more than %d pointers, or one of more than %d bytes", maxIgnored, maxIgnoredBytes)
	}
	for _, p := range pointers {
		tokens, ok := pointerTokens(p)
		allowed := ok && len(tokens) > 0 && (tokens[0] == "_meta" || tokens[0] == "execution" ||
			tokens[0] == "icons" && len(tokens) == 1 || // icons is an array
			len(tokens) == 2 && (tokens[0] == "inputSchema" || tokens[0] == "outputSchema") && tokens[1] == "$schema")
		if !allowed {
			return nil, fail("%s can't be ignored: only /_meta, /icons, /execution, members below them but not through an array, and the $schema of a schema can", quotedName(p))
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(pointers))), nil
}

// apply returns what p pins of the definition v: all but the ignored members and, for a
// tool, the prose that descriptions leaves out.
func (p policy) apply(list listKind, v value) value {
	for _, pointer := range p.ignore {
		if tokens, ok := pointerTokens(pointer); ok {
			v = without(v, tokens)
		}
	}
	if p.descriptions == "" || list != toolList {
		return v
	}
	n, _ := strconv.Atoi(strings.TrimPrefix(p.descriptions, "truncate="))
	return mapSchema(v, atDefinition, func(name string, m value) (value, bool) {
		if name != "description" || m.kind != '"' { // only strings are prose
			return m, true
		}
		text := []rune(m.text)
		m.text = string(text[:min(n, len(text))])
		return m, p.descriptions != "strip"
	})
}

// without returns v without the member that tokens lead to. It doesn't look into arrays.
func without(v value, tokens []string) value {
	if v.kind != '{' {
		return v
	}
	return mapParts(v, func(name string, m value) (value, bool) {
		switch {
		case name != tokens[0]:
			return m, true
		case len(tokens) == 1:
			return m, false
		}
		return without(m, tokens[1:]), true
	})
}
