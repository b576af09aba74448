package pin

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/schema"
	"pinproof/internal/text"
)

// A Policy determines what a server's pins cover, and is recorded with the pins. The zero value is the default: every
// list except resources is pinned, as received.
type Policy struct {
	// How much prose of tools is pinned: "" (all), "strip" or "truncate=N".
	Descriptions string

	EmptyCursorEnds bool // an empty nextCursor ends the list
	HashOnly        bool // definitions are not stored

	// JSON Pointers of members left out, sorted, without repeats.
	Ignore []string

	NoSkills bool // skills are not pinned

	// The entries of apps' pages (ui://) in the list of resources are pinned.
	AppPages bool

	RequireClean bool // entries with hidden text are refused
	Resources    bool // the list of resources is pinned, too

	// An integer that a double can't represent is pinned as the double.
	RoundIntegers bool

	// The names of local values, such as a folder: the pins have <NAME> in place of each value. Sorted, without
	// repeats.
	Substitute []string

	ToolsOnly bool // nothing but the tools is pinned
}

// A PolicySwitch is a boolean member of a policy, which is recorded only if it is true.
type PolicySwitch struct {
	Member  string // in the lockfile
	Flag    string // of lock and relock
	Usage   string // the help text of the flag
	words   string // for a verdict line
	FieldOf func(p *Policy) *bool
}

// PolicySwitches lists the switches in the order of their members.
var PolicySwitches = [...]PolicySwitch{
	{"emptyCursorEnds", "empty-cursor-ends", "take an empty nextCursor as the end of a list",
		"an empty cursor ends the list", func(p *Policy) *bool { return &p.EmptyCursorEnds }},
	{"hashOnly", "hash-only", "store digests without the definitions",
		"definitions not stored", func(p *Policy) *bool { return &p.HashOnly }},
	{"noSkills", "no-skills", "pin no skills",
		"skills not pinned", func(p *Policy) *bool { return &p.NoSkills }},
	{"pages", "pages", "pin the entries of apps' pages (ui://); lock does so if a tool names one",
		"pages of apps pinned", func(p *Policy) *bool { return &p.AppPages }},
	{"requireClean", "require-clean", "refuse entries with hidden text, terminal escapes or bidi controls",
		"hidden text refused", func(p *Policy) *bool { return &p.RequireClean }},
	{"resources", "resources", "also pin the list of resources",
		"resources pinned", func(p *Policy) *bool { return &p.Resources }},
	{"roundIntegers", "round-integers", "pin integers that a double can't hold exactly as doubles",
		"integers rounded to doubles", func(p *Policy) *bool { return &p.RoundIntegers }},
	{"toolsOnly", "tools-only", "pin only the tools",
		"only tools pinned", func(p *Policy) *bool { return &p.ToolsOnly }},
}

// PolicyFlags lists the flags of lock that ask for a policy, in the order of their names.
func PolicyFlags() []string {
	flags := []string{"descriptions", "ignore", "substitute"}
	for _, s := range PolicySwitches {
		flags = append(flags, s.Flag)
	}
	slices.Sort(flags)
	return flags
}

// CoversType reports whether a list is pinned, whole or in part.
func (p Policy) CoversType(entryType EntryType) bool {
	switch entryType {
	case Tools:
		return true
	case Resources:
		return !p.ToolsOnly && (p.Resources || p.AppPages)
	case Skills:
		return !p.ToolsOnly && !p.NoSkills
	}
	return !p.ToolsOnly
}

// CoversEntry reports whether an entry is pinned. With the switch pages, only apps' pages are pinned from the
// list of resources.
func (p Policy) CoversEntry(key Key) bool {
	return p.CoversType(key.Type) && (key.Type != Resources || p.Resources || IsAppPage(key.Name))
}

// ConflictingFlags names the flags of two switches of the policy that exclude each other, or returns "".
func (p Policy) ConflictingFlags() string {
	switch {
	case p.ToolsOnly && p.AppPages:
		return "--pages and --tools-only"
	case p.ToolsOnly && p.Resources:
		return "--resources and --tools-only"
	}
	return ""
}

// WithFlags returns the policy with each given switch set as in asked, and turns off the switches that a given one
// excludes. In asked, only given switches may be on, and they must not conflict.
func (p Policy) WithFlags(asked Policy, given func(flag string) bool) Policy {
	for _, s := range PolicySwitches {
		if given(s.Flag) {
			*s.FieldOf(&p) = *s.FieldOf(&asked)
		}
	}
	if asked.ToolsOnly {
		p.AppPages = false
		p.Resources = false
	} else if asked.AppPages || asked.Resources {
		p.ToolsOnly = false
	}
	p.AppPages = p.AppPages && !p.Resources // the list of resources has the pages
	return p
}

// ChangesDefinitions reports whether pinned definitions may differ from the received ones, apart from substitutes.
func (p Policy) ChangesDefinitions() bool { return p.Descriptions != "" || len(p.Ignore) > 0 }

// Equal reports whether two policies have the same record.
func (p Policy) Equal(q Policy) bool {
	return slices.Equal(jsontree.Append(nil, p.Tree()), jsontree.Append(nil, q.Tree()))
}

// Tree returns the policy as the lockfile records it, without the members that are default.
func (p Policy) Tree() jsontree.Value {
	members := []jsontree.Member{
		{Name: "descriptions", Value: jsontree.String(p.Descriptions)},
		{Name: "ignore", Value: jsontree.Strings(p.Ignore)},
		{Name: "substitute", Value: jsontree.Strings(p.Substitute)},
	}
	members = slices.DeleteFunc(members, func(m jsontree.Member) bool { return m.Text == "" && len(m.Parts) == 0 })
	for _, s := range PolicySwitches {
		if *s.FieldOf(&p) {
			members = append(members, jsontree.Member{Name: s.Member, Value: jsontree.Value{Kind: 't'}})
		}
	}
	return jsontree.Object(members...)
}

// Summary returns what a verdict line prints about a policy other than the default, or "":
// "; descriptions not pinned".
func (p Policy) Summary() string {
	var parts []string
	if n, ok := strings.CutPrefix(p.Descriptions, "truncate="); ok {
		parts = append(parts, "descriptions pinned to "+n+" characters")
	} else if p.Descriptions != "" {
		parts = append(parts, "descriptions not pinned")
	}
	for _, pointer := range p.Ignore {
		parts = append(parts, text.QuotePointer(pointer)+" not pinned")
	}
	if len(p.Substitute) > 0 {
		parts = append(parts, strings.Join(p.Substitute, ", ")+" substituted")
	}
	for _, s := range PolicySwitches {
		if !*s.FieldOf(&p) {
			continue
		}
		words := s.words
		if s.Member == "requireClean" && p.HashOnly {
			// No definition is stored that could be checked.
			words += " by lock and relock only"
		}
		parts = append(parts, words)
	}
	if len(parts) == 0 {
		return ""
	}
	return "; " + strings.Join(parts, ", ")
}

// ParseDescriptions parses a value of --descriptions, or the member descriptions of a recorded policy.
func ParseDescriptions(s string) (string, error) {
	digits, truncate := strings.CutPrefix(s, "truncate=")
	n, _ := strconv.Atoi(digits)
	if s == "preserve" {
		return "", nil
	}
	if s == "strip" || truncate && n > 0 && strconv.Itoa(n) == digits {
		return s, nil
	}
	return "", fail.New("%s: must be preserve, truncate=N or strip", text.QuoteName(s))
}

// Every definition is searched for each pointer of a policy: without a limit, a lockfile could make that work endless.
const (
	maxIgnored      = 32  // pointers
	maxIgnoredBytes = 256 // in one pointer
)

// ParseIgnore checks pointers, from --ignore or from a recorded policy, and returns them sorted, without repeats. Only
// members that no model reads may be ignored, and only if the path to them has no array.
func ParseIgnore(pointers []string) ([]string, error) {
	if len(pointers) > maxIgnored || slices.ContainsFunc(pointers, func(p string) bool { return len(p) > maxIgnoredBytes }) {
		return nil, fail.New("more than %d pointers, or one of more than %d bytes", maxIgnored, maxIgnoredBytes)
	}
	for _, p := range pointers {
		tokens, ok := jsontree.SplitPointer(p)
		allowed := ok && len(tokens) > 0 && (tokens[0] == "_meta" || tokens[0] == "execution" ||
			tokens[0] == "icons" && len(tokens) == 1 || // icons is an array
			len(tokens) == 2 && (tokens[0] == "inputSchema" || tokens[0] == "outputSchema") && tokens[1] == "$schema")
		if !allowed {
			return nil, fail.New("%s can't be ignored: only /_meta, /icons, /execution, members below them but not through an array, and the $schema of a schema can", text.QuoteName(p))
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(pointers))), nil
}

// Apply returns the part of the definition v that p pins: all but the ignored members and, for a tool, the prose that
// p.Descriptions excludes.
func (p Policy) Apply(entryType EntryType, v jsontree.Value) jsontree.Value {
	for _, pointer := range p.Ignore {
		if tokens, ok := jsontree.SplitPointer(pointer); ok {
			v = without(v, tokens)
		}
	}
	if p.Descriptions == "" || entryType != Tools {
		return v
	}
	n, _ := strconv.Atoi(strings.TrimPrefix(p.Descriptions, "truncate="))
	return schema.MapMembers(v, schema.AtDefinition, func(m *jsontree.Member) bool {
		if m.Name != "description" || m.Kind != '"' { // only strings are prose
			return true
		}
		text := []rune(m.Text)
		m.Text = string(text[:min(n, len(text))])
		return p.Descriptions != "strip"
	})
}

// without returns v without the member that tokens lead to. It doesn't look into arrays.
func without(v jsontree.Value, tokens []string) jsontree.Value {
	if v.Kind != '{' {
		return v
	}
	return jsontree.FilterParts(v, func(m *jsontree.Member) bool {
		if m.Name != tokens[0] {
			return true
		}
		if len(tokens) > 1 {
			m.Value = without(m.Value, tokens[1:])
		}
		return len(tokens) > 1
	})
}

// DescribePolicy describes a policy in words.
func DescribePolicy(p Policy) string {
	return cmp.Or(strings.TrimPrefix(p.Summary(), "; "), "default")
}
