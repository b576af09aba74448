package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"pinproof/internal/jsontest"
	"pinproof/internal/pintest"
)

// TestUpgradesAreShownWhole draws upgrades of real servers. encoding/json finds what
// changed in them; diff --full must show all of it, and the short form show or name it. Blanks
// don't count: they are where lines are broken.
func TestUpgradesAreShownWhole(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat(pintest.RealServers); err != nil {
		t.Skip("no captures of real servers at hand")
	}
	if underRace() {
		t.Skip("a hundred upgrades take a minute under the race detector")
	}
	versions := map[string][]string{} // by server, the oldest first
	pintest.RealUpgrades(t, func(old, new string) {
		server := filepath.Dir(old)
		if filepath.Dir(server) != pintest.RealServers {
			return
		}
		if versions[server] == nil {
			versions[server] = []string{old}
		}
		versions[server] = append(versions[server], new)
	})
	servers, m := slices.Sorted(maps.Keys(versions)), jsontest.NewMaker(14)
	start, leaves, named, rounds := time.Now(), 0, 0, jsontest.Rounds(16, 100)
	for range rounds {
		list := versions[servers[m.IntN(len(servers))]]
		at := m.IntN(len(list) - 1)
		old, new := list[at], list[at+1+m.IntN(len(list)-1-at)]
		_, full := runHere("diff", new, "--against", old, "--full")
		_, short := runHere("diff", new, "--against", old)
		_, machine := runHere("diff", new, "--against", old, "--format", "json")
		u := &upgrade{t: t, name: old + " -> " + new, full: readReview(full), short: readReview(short), labels: labelsOf(t, machine)}
		was, is := toolsOf(t, old), toolsOf(t, new)
		for _, name := range slices.Sorted(maps.Keys(was)) {
			if to := renamed(shownOf(u.full, name)); is[name] == nil && is[to] != nil { // shown there as a change
				delete(was[name], "name")
				definition := maps.Clone(is[to])
				delete(definition, "name")
				u.entry(to, was[name], definition)
			} else {
				u.entry(name, was[name], is[name])
			}
		}
		for _, name := range slices.Sorted(maps.Keys(is)) {
			if was[name] == nil {
				u.entry(name, nil, is[name])
			}
		}
		leaves, named = leaves+u.leaves, named+u.named
		if t.Failed() {
			return
		}
	}
	t.Logf("%d values and names, %d of them only named in the short form, %v", leaves, named, time.Since(start))
	if leaves < 100*rounds || named < 10*rounds || named > leaves/2 {
		t.Errorf("%d values and names, %d only named", leaves, named)
	}
}

// toolsOf reads the tools of a capture, by name.
func toolsOf(t *testing.T, path string) map[string]map[string]any {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var result struct{ Tools []map[string]any }
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&result); err != nil {
		t.Fatal(err)
	}
	tools := map[string]map[string]any{}
	for _, tool := range result.Tools {
		tools[tool["name"].(string)] = tool
	}
	return tools
}

// labelsOf lists for each changed entry the labels of its changes by their pointers.
func labelsOf(t *testing.T, report string) map[string]map[string]string {
	var r struct {
		Drift []struct {
			Name    string
			Changes []struct{ Label, Pointer string }
		}
	}
	if err := json.Unmarshal([]byte(report), &r); err != nil {
		t.Fatal(err)
	}
	labels := map[string]map[string]string{}
	for _, d := range r.Drift {
		labels[d.Name] = map[string]string{}
		for _, c := range d.Changes {
			labels[d.Name][c.Pointer] = c.Label
		}
	}
	return labels
}

// A shownGroup is a group of a review as a reader of the text finds it.
type shownGroup struct {
	title  string
	said   string   // words without a gutter, as printed
	blocks []string // lines behind gutters, each begins with its sign; a continued line is joined
	refs   []int    // groups it refers to
}

var (
	headingLine = regexp.MustCompile(`^ *([0-9]+)(?:-[0-9]+)?  ([A-Z]+ .*)$`)
	gutterLine  = regexp.MustCompile(`^ +([-+ ]) ([|:])(?: (.*))?$`)
	reference   = regexp.MustCompile(`\b(?:in|under) ([0-9]+)\b`)
)

// readReview reads the groups of a review of one server, by number.
func readReview(text string) map[int]*shownGroup {
	groups, last := map[int]*shownGroup{}, (*shownGroup)(nil)
	inTitle, inBlock := false, false
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		m := headingLine.FindStringSubmatch(line)
		g := gutterLine.FindStringSubmatch(line)
		switch {
		case m != nil:
			number, _ := strconv.Atoi(m[1])
			last = &shownGroup{title: m[2]}
			groups[number] = last
			inTitle, inBlock = true, false
		case last == nil:
		case !strings.HasPrefix(line, " "):
			inTitle, inBlock = false, false
		case g != nil && g[2] == ":" && inTitle:
			last.title += " " + g[3]
		case g != nil && g[2] == ":" && !inBlock:
			last.said += " " + g[3]
		case g != nil && g[2] == ":":
			last.blocks[len(last.blocks)-1] += g[3]
		case g != nil && inBlock:
			last.blocks[len(last.blocks)-1] += "\n" + g[1] + g[3]
		case g != nil:
			last.blocks = append(last.blocks, g[1]+g[3])
			inTitle, inBlock = false, true
		default:
			last.said += "\n" + line
			inTitle, inBlock = false, false
		}
	}
	for _, g := range groups {
		for _, m := range reference.FindAllStringSubmatch(g.said, -1) {
			number, _ := strconv.Atoi(m[1])
			g.refs = append(g.refs, number)
		}
	}
	return groups
}

// A shownEntry is all that a review shows of an entry, blanks and escapes undone.
type shownEntry struct {
	said     string
	old, new string // what stands on each side
	words    []wordDiff
	known    map[string]bool // what has been asked for
	shared   bool            // some of these stand for other entries, too, that changed alike
}

var (
	removedWords = regexp.MustCompile(`(?s)\[-(.*?)-\]`)
	addedWords   = regexp.MustCompile(`(?s)\{\+(.*?)\+\}`)
	codePoint    = regexp.MustCompile(`<U\+([0-9A-F]{4,6})>`)
	lineFeeds    = regexp.MustCompile(`<[0-9,]+linefeeds>`)
	newName      = regexp.MustCompile(`it(?:lookslike|is)([A-Za-z0-9_-]+?)now`)
	leftOut      = regexp.MustCompile(`<and[0-9,]+morecharacters?,unchanged>`)
)

// bare is a text without blanks and without escapes.
func bare(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
	return lineFeeds.ReplaceAllString(codePoint.ReplaceAllStringFunc(s, func(mark string) string {
		n, _ := strconv.ParseUint(mark[3:len(mark)-1], 16, 32)
		return string(rune(n))
	}), "")
}

// of gathers what is shown of an entry, also in the groups that its own refers to.
func shownOf(groups map[int]*shownGroup, name string) *shownEntry {
	title := regexp.MustCompile(`[ "]` + regexp.QuoteMeta(name) + `(?:[", ]|$)`)
	for number, g := range groups {
		if !title.MatchString(g.title) {
			continue
		}
		e := &shownEntry{known: map[string]bool{}}
		e.shared = len(g.refs) > 0 || strings.Contains(g.said, "as it stands in")
		for _, at := range append([]int{number}, g.refs...) {
			if groups[at] == nil {
				continue // no reference: "at least in 5 …"
			}
			e.said += bare(groups[at].title + groups[at].said)
			for _, block := range groups[at].blocks {
				e.block(block)
			}
		}
		return e
	}
	return nil
}

func (e *shownEntry) block(block string) {
	all := ""
	for line := range strings.SplitSeq(block, "\n") {
		all += line[1:]
		if line[0] != '+' {
			e.old += bare(line[1:])
		}
		if line[0] != '-' {
			e.new += bare(line[1:])
		}
	}
	var w wordDiff
	w.sides[0] = bare(addedWords.ReplaceAllString(removedWords.ReplaceAllString(all, "$1"), ""))
	w.sides[1] = bare(removedWords.ReplaceAllString(addedWords.ReplaceAllString(all, "$1"), ""))
	for i, marks := range []*regexp.Regexp{removedWords, addedWords} {
		for _, m := range marks.FindAllStringSubmatch(all, -1) {
			w.marked[i] = append(w.marked[i], bare(m[1]))
		}
	}
	e.words = append(e.words, w)
}

// A wordDiff has both sides of a text that changed, and the words that are marked in each.
type wordDiff struct {
	sides  [2]string
	marked [2][]string
}

// quoted writes a text as JSON does; of control characters only those with short escapes.
var quoted = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`)

// has reports whether a value without parts, or a name, is in what stands on a side. Most are
// asked for many times.
func (e *shownEntry) has(side int, value any) bool {
	key := fmt.Sprintf("%d %#v", side, value)
	is, known := e.known[key]
	if !known {
		s, isText := value.(string)
		switch shown := []string{e.old, e.new, e.said}[side]; {
		case !isText:
			is = strings.Contains(shown, jsonOf(value))
		default:
			is = s != "" && strings.Contains(shown, bare(s)) || strings.Contains(shown, `"`+bare(quoted.Replace(s))+`"`)
		}
		if !is && isText && side != inWords {
			is = slices.ContainsFunc(e.words, func(w wordDiff) bool { _, ok := hiddenBy(w.sides[side], bare(s)); return ok })
		}
		e.known[key] = is
	}
	return is
}

// inWords is the side of what is said without a gutter.
const inWords = 2

// hasWords reports whether a word diff shows how one text became the other: what it leaves out
// is the same in both. Of entries that changed alike it shows one as an example; for the
// others, nothing is left of the change without the words it marks.
func (e *shownEntry) hasWords(old, new string) bool {
	old, new = bare(old), bare(new)
	return slices.ContainsFunc(e.words, func(w wordDiff) bool {
		a, ok := hiddenBy(w.sides[0], old)
		b, ok2 := hiddenBy(w.sides[1], new)
		return ok && ok2 && slices.Equal(a, b) || e.shared && sameRest(old, new, w.marked)
	})
}

// sameRest reports whether two texts are the same without some pieces of each, which stand in
// it one after the other.
func sameRest(old, new string, pieces [2][]string) bool {
	var rests [2]string
	for i, text := range []string{old, new} {
		for _, piece := range pieces[i] {
			before, after, ok := strings.Cut(text, piece)
			if !ok {
				return false
			}
			rests[i], text = rests[i]+before, after
		}
		rests[i] += text
	}
	return rests[0] == rests[1]
}

// hiddenBy returns what the marks in a shown text stand for, if it is all of that text.
func hiddenBy(shown, text string) (hidden []string, ok bool) {
	parts := leftOut.Split(shown, -1)
	rest, ok := strings.CutPrefix(text, parts[0])
	for i, part := range parts[1:] {
		at := strings.Index(rest, part)
		if i == len(parts)-2 {
			at = len(rest) - len(part)
		}
		if at < 0 || !strings.HasPrefix(rest[at:], part) {
			return nil, false
		}
		hidden, rest = append(hidden, rest[:at]), rest[at+len(part):]
	}
	return hidden, ok && rest == ""
}

// An upgrade holds what changed against what is shown of it.
type upgrade struct {
	t             *testing.T
	name          string
	full, short   map[int]*shownGroup
	labels        map[string]map[string]string
	leaves, named int

	tool                  string
	shownFull, shownBrief *shownEntry
}

// renamed is what an entry is called now, if that is said of it.
func renamed(e *shownEntry) string {
	if e == nil {
		return ""
	}
	if m := newName.FindStringSubmatch(e.said); m != nil {
		return m[1]
	}
	return ""
}

func (u *upgrade) entry(name string, old, new map[string]any) {
	if old != nil && new != nil && jsonOf(old) == jsonOf(new) {
		return
	}
	u.tool, u.shownFull, u.shownBrief = name, shownOf(u.full, name), shownOf(u.short, name)
	if u.shownFull == nil || u.shownBrief == nil {
		u.t.Errorf("%s: no group shows %s", u.name, name)
		return
	}
	switch {
	case old == nil:
		u.one(1, leavesOf("", new))
	case new == nil:
		u.one(0, leavesOf("", old))
	default:
		u.both("", old, new)
	}
}

func jsonOf(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

func under(pointer, step string) string {
	return pointer + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(step)
}

// names reports whether a pointer is in what is said. It may have * for any place in a list,
// and a keyword that became its twin has two.
func names(said, at string) bool {
	said = strings.ReplaceAll(said, "/oneOf", "/anyOf")
	parts := strings.Split(strings.ReplaceAll(bare(at), "/oneOf", "/anyOf"), "*")
	for i := strings.Index(said, parts[0]); i >= 0; {
		rest := said[i+len(parts[0]):]
		for _, part := range parts[1:] {
			digits := strings.TrimLeft(rest, "0123456789")
			if len(digits) == len(rest) || !strings.HasPrefix(digits, part) {
				rest = ""
				break
			}
			rest = digits[len(part):] + " "
		}
		if rest != "" || len(parts) == 1 {
			return true
		}
		next := strings.Index(said[i+1:], parts[0])
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return false
}

// A leaf is a value without parts, or the name of a member, of one side.
type leaf struct {
	at    string // its pointer, with * for places in a list
	value any
	name  bool
}

// leavesOf lists the leaves of a value.
func leavesOf(at string, v any) (list []leaf) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			list = append(append(list, leaf{under(at, name), name, true}), leavesOf(under(at, name), v[name])...)
		}
		if len(v) > 0 {
			return list
		}
	case []any:
		for _, item := range v {
			list = append(list, leavesOf(at+"/*", item)...)
		}
		if len(v) > 0 {
			return list
		}
	}
	return append(list, leaf{at: at, value: v})
}

// one holds what only one side has against what is shown on that side.
func (u *upgrade) one(side int, leaves []leaf) {
	for _, l := range leaves {
		u.check(l.at, l.value, func(e *shownEntry) bool {
			if name, ok := l.value.(string); ok && l.name {
				return e.has(side, name) || names(e.said, l.at) && strings.Contains(e.said, "/"+name) ||
					e == u.shownBrief && (e.has(inWords, name) || slices.Contains(vocabulary, name))
			}
			return e.has(side, l.value) || e == u.shownBrief && e.has(inWords, l.value)
		})
	}
}

// both walks two values that differ.
func (u *upgrade) both(at string, old, new any) {
	if jsonOf(old) == jsonOf(new) {
		return
	}
	x, isObject := old.(map[string]any)
	y, isObject2 := new.(map[string]any)
	a, isArray := old.([]any)
	b, isArray2 := new.([]any)
	was, isText := old.(string)
	is, isText2 := new.(string)
	switch {
	case isObject && isObject2:
		x, y = maps.Clone(x), maps.Clone(y)
		for _, pair := range [][2]string{{"anyOf", "oneOf"}, {"oneOf", "anyOf"}} { // shown as one keyword that became the other
			if v, ok := y[pair[1]]; ok && y[pair[0]] == nil && x[pair[0]] != nil && x[pair[1]] == nil {
				u.one(1, []leaf{{under(at, pair[1]), pair[1], true}})
				u.both(under(at, pair[1]), x[pair[0]], v)
				delete(x, pair[0])
				delete(y, pair[1])
			}
		}
		for _, name := range slices.Sorted(maps.Keys(x)) {
			if after, ok := y[name]; ok {
				u.both(under(at, name), x[name], after)
			} else {
				u.one(0, leavesOf(at, map[string]any{name: x[name]}))
			}
		}
		for _, name := range slices.Sorted(maps.Keys(y)) {
			if _, ok := x[name]; !ok {
				u.one(1, leavesOf(at, map[string]any{name: y[name]}))
			}
		}
	case isArray && isArray2: // which item became which nobody knows
		var sides [2][]leaf
		for _, v := range without(a, b, jsonOf) {
			sides[0] = append(sides[0], leavesOf(at+"/*", v)...)
		}
		for _, v := range without(b, a, jsonOf) {
			sides[1] = append(sides[1], leavesOf(at+"/*", v)...)
		}
		for i, side := range sides { // what was empty and has members now is shown by these
			sides[i] = slices.DeleteFunc(slices.Clone(side), func(l leaf) bool {
				return jsonOf(l.value) == "{}" && slices.ContainsFunc(sides[1-i], func(o leaf) bool { return strings.HasPrefix(o.at, l.at+"/") })
			})
		}
		u.one(0, without(sides[0], sides[1], leaf.key))
		u.one(1, without(sides[1], sides[0], leaf.key))
	case isText && isText2:
		u.check(at, is, func(e *shownEntry) bool {
			return e.has(0, was) && e.has(1, is) || e.hasWords(was, is) || e == u.shownBrief && e.has(inWords, was) && e.has(inWords, is)
		})
	default:
		u.one(0, leavesOf(at, old))
		u.one(1, leavesOf(at, new))
	}
}

// key is the same for leaves that are no change: nor is a keyword that became its twin, but
// for the name.
func (l leaf) key() string {
	return strings.ReplaceAll(l.at, "/oneOf", "/anyOf") + fmt.Sprintf(" %#v", l.value)
}

// without is a list without the elements that the other one has, too.
func without[T any](list, other []T, key func(T) string) (rest []T) {
	count := map[string]int{}
	for _, v := range other {
		count[key(v)]++
	}
	for _, v := range list {
		if count[key(v)]--; count[key(v)] < 0 {
			rest = append(rest, v)
		}
	}
	return rest
}

// vocabulary are the names that a signature says in other words, with the values in them.
var vocabulary = strings.Fields("name description inputSchema annotations type properties required items enum const default anyOf oneOf allOf $defs definitions " +
	"minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength minItems maxItems multipleOf pattern format uniqueItems additionalProperties $ref")

// hintWords are what a signature says for a hint, and for one that is false.
var hintWords = map[string][2]string{"readOnlyHint": {"read-only", "writes"}, "destructiveHint": {"destructive", "notdestructive"},
	"openWorldHint": {"openworld", "closedworld"}, "idempotentHint": {"idempotent", "notidempotent"}}

// check asks the whole review and the short one for a value. The short one may name it
// instead: with its pointer or one above it, or with the label of a change there.
func (u *upgrade) check(pointer string, v any, shown func(*shownEntry) bool) {
	u.leaves++
	if !shown(u.shownFull) {
		u.t.Errorf("%s: %s: diff --full doesn't show %s: %.200q", u.name, u.tool, pointer, fmt.Sprint(v))
	}
	said := u.shownBrief.said
	hint := hintWords[pointer[strings.LastIndexByte(pointer, '/')+1:]]
	if shown(u.shownBrief) || hint[0] != "" && (strings.Contains(said, hint[0]) || strings.Contains(said, hint[1])) {
		return
	}
	u.named++
	if strings.HasPrefix(said, "REMOVED") || strings.Contains(said, "underanewname") { // said by the line itself
		return
	}
	for at := pointer; at != ""; at = at[:strings.LastIndexByte(at, '/')] {
		if names(said, at) {
			return
		}
	}
	for at, label := range u.labels[u.tool] {
		if related(at, pointer) && strings.Contains(said, label) {
			return
		}
	}
	u.t.Errorf("%s: %s: diff neither shows nor names %s: %.200q", u.name, u.tool, pointer, fmt.Sprint(v))
}

// related reports whether one of two pointers leads to what stands in the other.
func related(a, b string) bool {
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] && y[i] != "*" {
			return false
		}
	}
	return true
}
