package diff

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pinproof/internal/effort"
	"pinproof/internal/jsontest"
	"pinproof/internal/jsontree"
	"pinproof/internal/label"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
)

// TestDiffValues compares the values in testdata/values.txt.
func TestDiffValues(t *testing.T) {
	for _, row := range jsontest.ReadRows(t, "testdata/values.txt", 4) {
		t.Run(row[0], func(t *testing.T) {
			var lines []string
			changes, _ := CompareDefinitions(effort.NewBudget(), pin.Tools, pintest.CanonicalTree(t, row[1]), pintest.CanonicalTree(t, row[2]))
			for _, c := range changes {
				lines = append(lines, fmt.Sprintf("%s: %s -> %s", c.Pointer, orDash(c.Old), orDash(c.New)))
			}
			if got := strings.Join(lines, "\n"); got != row[3] {
				t.Errorf("got\n%s\nwant\n%s", got, row[3])
			}
		})
	}
}

func orDash(v jsontree.Value) string {
	if v.Kind == 0 {
		return "-"
	}
	return string(jsontree.Append(nil, v))
}

// TestDigestsDifferIfAndOnlyIfThereAreChanges is the equivalence that diff and
// verify rest on, over values that differ little or not at all.
func TestDigestsDifferIfAndOnlyIfThereAreChanges(t *testing.T) {
	random := jsontest.NewMaker(5)
	same := 0
	for range 5_000 {
		old := random.Object(4, "")
		new := old
		for range random.IntN(3) {
			new = string(jsontree.Append(nil, pintest.MutateValue(random, t, pintest.ParseTree(t, new), 3)))
		}
		if checkDiff(t, []byte(old), []byte(new)) {
			same++
		}
	}
	if same < 500 || same > 4_500 {
		t.Errorf("%d of 5,000 pairs were the same: a poor sample", same)
	}
}

// FuzzDiff checks the same equivalence over any two texts.
func FuzzDiff(f *testing.F) {
	f.Add([]byte(`{"a":[{"b":1}]}`), []byte(`{"a":[{"b":1.0},{"c":2}]}`))
	f.Add([]byte(`[1,[2],{}]`), []byte(`[[2],{},1]`))
	f.Add([]byte(`{"a":"\u200b"}`), []byte(`{"a":""}`))
	f.Add([]byte(`{"":{"~/":[]}}`), []byte(`{"":{"~/":[null]}}`))
	f.Add([]byte(`0`), []byte(`-0`))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		for _, raw := range [][]byte{a, b} {
			r := jsontree.NewReader(raw)
			if _, err := r.ReadSingle(); err != nil {
				return
			}
		}
		checkDiff(t, a, b)
	})
}

// checkDiff checks the changes between two texts against their canonical forms, made by
// another implementation, and each change against what its pointer leads to. It
// reports whether the two texts are the same value.
func checkDiff(t *testing.T, a, b []byte) (same bool) {
	t.Helper()
	one, two := jsontest.CanonicalForm(t, a), jsontest.CanonicalForm(t, b)
	old, new := jsontree.ParseTrusted([]byte(one)), jsontree.ParseTrusted([]byte(two))
	changes, _ := CompareDefinitions(effort.NewBudget(), pin.Tools, old, new)
	checkChanges(t, old, new, changes, one == two)
	return one == two
}

// uncovered returns the pointer to a member that differs, and that no change is about or in; "" if there is none.
func uncovered(old, new *jsontree.Value, at string, changes []Change) string {
	switch {
	case old != nil && new != nil && jsontree.Equal(*old, *new):
		return ""
	case old != nil && new != nil && old.Kind == '{' && new.Kind == '{':
		for _, m := range slices.Concat(old.Members(), new.Members()) {
			if inside := uncovered(jsontree.Lookup(old, m.Name), jsontree.Lookup(new, m.Name), jsontree.ExtendPointer(at, m.Name), changes); inside != "" {
				return inside
			}
		}
		return ""
	}
	isAbout := func(pointer string) bool {
		shared := min(len(pointer), len(at))
		rest := pointer[shared:] + at[shared:]
		return pointer[:shared] == at[:shared] && (rest == "" || rest[0] == '/')
	}
	if slices.ContainsFunc(changes, func(c Change) bool { return isAbout(c.Pointer) || c.OldPointer != "" && isAbout(c.OldPointer) }) {
		return ""
	}
	return at
}

// checkChanges checks the changes between two values against what their pointers lead
// to. Every text that the new value has and the old one doesn't must be in some change.
func checkChanges(t testing.TB, old, new jsontree.Value, changes []Change, same bool) {
	t.Helper()
	fatalf := func(format string, args ...any) {
		t.Helper()
		t.Fatalf("%s\n%s\n"+format, append([]any{orDash(old), orDash(new)}, args...)...)
	}
	if (len(changes) == 0) != same {
		fatalf("%d changes", len(changes))
	}
	seen := map[string]bool{}
	texts := map[string]bool{}
	if at := uncovered(&old, &new, "", changes); at != "" {
		fatalf("no change at %q or in it", at)
	}
	for _, c := range changes {
		key := fmt.Sprint(c.Pointer, "\x00", c.OldPointer, "\x00", c.Old.Kind == 0, c.New.Kind == 0)
		if seen[key] {
			fatalf("two changes at %q", c.Pointer)
		}
		seen[key] = true
		if c.Old.Kind != 0 && c.New.Kind != 0 && jsontree.Equal(c.Old, c.New) {
			fatalf("no change at %q", c.Pointer)
		}
		at := c.Pointer
		if c.OldPointer != "" {
			at = c.OldPointer
		}
		if c.Label == label.TooManyChanges {
			if was, ok := resolve(old, at); ok {
				c.Old = was
			}
			if is, ok := resolve(new, c.Pointer); ok {
				c.New = is
			}
		}
		if got, ok := resolve(old, at); c.Old.Kind != 0 && (!ok || !jsontree.Equal(got, c.Old)) {
			fatalf("the old value at %q is %s, not %s", at, orDash(got), orDash(c.Old))
		}
		if got, ok := resolve(new, c.Pointer); c.New.Kind != 0 && (!ok || !jsontree.Equal(got, c.New)) {
			fatalf("the new value at %q is %s, not %s", c.Pointer, orDash(got), orDash(c.New))
		}
		for _, token := range strings.Split(c.Pointer, "/") {
			texts[strings.NewReplacer("~1", "/", "~0", "~").Replace(token)] = true
		}
		eachTextIn(c.New, func(s string) { texts[s] = true })
	}
	eachTextIn(old, func(s string) { texts[s] = true })
	eachTextIn(new, func(s string) {
		if !texts[s] {
			fatalf("%q is in no change", s)
		}
	})
}

// eachText calls f for all strings, names and numbers of a value.
func eachTextIn(v jsontree.Value, f func(string)) {
	if v.Kind == '"' || v.Kind == '0' {
		f(v.Text)
	}
	for _, item := range v.Items() {
		eachTextIn(item.Value, f)
	}
	for _, m := range v.Members() {
		f(m.Name)
		eachTextIn(m.Value, f)
	}
}

// resolve follows a JSON Pointer, RFC 6901, section 4.
func resolve(v jsontree.Value, pointer string) (jsontree.Value, bool) {
	if pointer == "" {
		return v, true
	}
	for _, token := range strings.Split(pointer, "/")[1:] {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		switch v.Kind {
		case '{':
			if v = v.Get(token); v.Kind == 0 {
				return v, false
			}
		case '[':
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(v.Items()) {
				return jsontree.Value{}, false
			}
			v = v.Parts[i].Value
		default:
			return jsontree.Value{}, false
		}
	}
	return v, true
}

// numbered is a list of n parts. In the format, @ is replaced by the number of the part.
func numbered(n int, format string) string {
	var parts []string
	for i := range n {
		parts = append(parts, strings.ReplaceAll(format, "@", strconv.Itoa(i)))
	}
	return strings.Join(parts, ",")
}

// TestHugeDiffs compares definitions at the limits, forwards and backwards.
func TestHugeDiffs(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it compares definitions of 50,000 members")
	tool := func(schema string) string { return `{"name":"t","inputSchema":` + schema + `}` }
	deep := func(open, inner, end string) string {
		return strings.Repeat(open, 50) + inner + strings.Repeat(end, 50)
	}
	parameters := numbered(3_000, `"p@":{"type":"string"}`)
	for _, tt := range []struct {
		what, old, new string
		changes        int
	}{
		{"members", `{` + numbered(50_000, `"m@":1`) + `}`, `{` + numbered(50_000, `"m@":2`) + `}`, 1},
		{"elements", `[` + numbered(15_000, `{"name":"a@","v":1}`) + `]`, `[{"z":0},` + numbered(15_000, `{"name":"a@","v":2}`) + `]`, 1},
		{"deep arrays", `[` + deep("[", "1,"+numbered(20_000, "@"), "]") + `]`, `[` + deep("[", "2,"+numbered(20_000, "@"), "]") + `]`, 1},
		{"branches", tool(`{"type":"string","minLength":1}`), tool(`{"anyOf":[` + numbered(8_000, `{"type":"string","minLength":@}`) + `]}`), 3},
		{"branches around parameters", tool(`{"properties":{` + parameters + `}}`),
			tool(`{"anyOf":[` + numbered(3_000, `{"required":["p@"]}`) + `],"properties":{` + parameters + `}}`), 1},
		{"wrapped parameters", tool(`{"properties":{` + parameters + `}}`), tool(`{"properties":{` + numbered(3_000, `"p@":{"anyOf":[{"type":"string"},{"type":"null"}]}`) + `}}`), 1},
		{"a definition for all", tool(`{"properties":{` + parameters + `}}`),
			tool(`{"$defs":{"A":{"type":"string",` + numbered(jsontest.RoundCount(100, 500), `"x@":1`) + `}},"properties":{` + numbered(3_000, `"p@":{"$ref":"#/$defs/A"}`) + `}}`), 2}, // too many below properties, and $defs
		{"another form for all", tool(`{"properties":{` + parameters + `}}`),
			tool(`{"$defs":{"A":{"type":["string"]}},"properties":{` + numbered(3_000, `"p@":{"allOf":[{"$ref":"#/$defs/A"}]}`) + `}}`), 2},
	} {
		old, new := pintest.CanonicalTree(t, tt.old), pintest.CanonicalTree(t, tt.new)
		for range 2 {
			changes, _ := CompareDefinitions(effort.NewBudget(), pin.Tools, old, new)
			if len(changes) != tt.changes {
				t.Errorf("%s: %d changes, want %d", tt.what, len(changes), tt.changes)
			}
			old, new = new, old
		}
	}
}

// TestRefactoredTexts has schemas that change their form and a text at once. The old text and the
// new one must be in the changes, and not only in changes that count as another form.
func TestRefactoredTexts(t *testing.T) {
	for _, tt := range []struct{ old, new string }{
		{`{"$defs":{"X":{"type":"string","description":"went"}},"properties":{"p":{"$ref":"#/$defs/X","title":"T"}}}`,
			`{"properties":{"p":{"anyOf":[{"title":"T","type":"string","description":"came"},{"type":"null"}]}}}`},
		{`{"$defs":{"X":{"type":"string","description":"went"}},"properties":{"p":{"$ref":"#/$defs/X"}}}`,
			`{"properties":{"p":{"type":"string","description":"came"}}}`},
		// The description next to the reference was in other words.
		{`{"$defs":{"X":{"type":"string","description":"went"}},"properties":{"p":{"$ref":"#/$defs/X","description":"came"}}}`,
			`{"properties":{"p":{"type":"string","description":"came"}}}`},
		// A definition that nobody uses came with the others.
		{`{"properties":{"p":{"type":"string"}},"title":"went"}`,
			`{"$defs":{"X":{"type":"string"},"Y":{"description":"came"}},"properties":{"p":{"$ref":"#/$defs/X"}},"title":"went"}`},
		{`{"properties":{"p":{"type":"string"}},"title":"went"}`,
			`{"$defs":{"X":{"type":"string","$defs":{"Y":{"description":"came"}}}},"properties":{"p":{"$ref":"#/$defs/X"}},"title":"went"}`},
		{`{"anyOf":[{"type":"string","description":"went"},{"type":"null"}]}`, `{"oneOf":[{"type":"string","description":"came"},{"type":"null"}]}`},
	} {
		for range 2 {
			old := pintest.CanonicalTree(t, `{"name":"t","inputSchema":`+tt.old+`}`)
			new := pintest.CanonicalTree(t, `{"name":"t","inputSchema":`+tt.new+`}`)
			changes, _ := CompareDefinitions(effort.NewBudget(), pin.Tools, old, new)
			checkChanges(t, old, new, changes, false)
			for _, want := range []string{"went", "came"} {
				shown := strings.Contains(tt.old, want) && strings.Contains(tt.new, want)
				for _, c := range changes {
					find := func(s string) { shown = shown || s == want && c.Label != label.EquivalentForm }
					eachTextIn(c.Old, find)
					eachTextIn(c.New, find)
				}
				if !shown {
					t.Errorf("%s\n -> %s\n%q is in no change that says more than another form", tt.old, tt.new, want)
				}
			}
			tt.old, tt.new = tt.new, tt.old
		}
	}
}

// TestTooManyChanges checks that a value with more than MaxChanges changes inside is one change, and
// that what is next to it keeps its own changes.
func TestTooManyChanges(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it compares values with thousands of changes")
	const n = 4_000 // as in docs/review.md
	tool := func(schema string) string { return `{"description":"x","inputSchema":{` + schema + `}}` }
	parameters := numbered(n+1, `"p@":{"type":"string"}`)
	for _, tt := range []struct {
		what, old, new string
		changes        int
		pointer        string // of what is one change
	}{
		{"as many as are told apart", `{` + numbered(n, `"m@":1`) + `}`, `{` + numbered(n, `"m@":2`) + `}`, n, ""},
		{"members of the whole", `{` + numbered(n+1, `"m@":1`) + `}`, `{` + numbered(n+1, `"m@":2`) + `}`, 1, ""},
		{"elements", `{"a":[` + numbered(n+1, `{"name":"a@","v":1}`) + `],"b":1}`, `{"a":[` + numbered(n+1, `{"name":"a@","v":2}`) + `],"b":2}`, 2, "/a"},
		{"members that came, in two values", `{"a":{"b":{"x":0},"c":{"x":0}}}`, `{"a":{"b":{` + numbered(n/2+1, `"y@":0`) + `},"c":{` + numbered(n/2, `"y@":0`) + `}}}`, 1, "/a"},
		{"parameters, and a word elsewhere", tool(`"properties":{` + parameters + `}`),
			strings.Replace(tool(`"properties":{`+strings.ReplaceAll(parameters, "string", "null")+`}`), `"x"`, `"y"`, 1), 2, "/inputSchema/properties"},
		{"parameters, and alternatives that came beside them", tool(`"properties":{` + parameters + `}`),
			tool(`"properties":{` + strings.ReplaceAll(parameters, "string", "null") + `},"anyOf":[{"required":["p1"]},{"required":["p2"]}]`), 2, "/inputSchema/properties"},
		{"members that a branch took along", tool(numbered(n+1, `"x@":1`)), tool(`"anyOf":[{` + numbered(n+1, `"x@":2`) + `},{"type":"null"}]`), 1, "/inputSchema"},
		{"a definition that took them along", tool(`"properties":{"a":{` + numbered(n+1, `"x@":1`) + `}}`),
			tool(`"$defs":{"A":{` + numbered(n+1, `"x@":2`) + `}},"properties":{"a":{"$ref":"#/$defs/A"}}`), 2, "/inputSchema/properties/a"},
	} {
		for _, way := range [][2]string{{tt.old, tt.new}, {tt.new, tt.old}} {
			old, new := pintest.CanonicalTree(t, way[0]), pintest.CanonicalTree(t, way[1])
			changes, _ := CompareDefinitions(effort.NewBudget(), pin.Tools, old, new)
			checkChanges(t, old, new, changes, false)
			tooMany := slices.IndexFunc(changes, func(c Change) bool { return c.Label.ID() == "many-changes" })
			switch {
			case tt.changes == n && (len(changes) != n || tooMany >= 0):
				t.Errorf("%s: %d changes", tt.what, len(changes))
			case tt.changes == n:
			case tooMany != 0 || changes[0].Label.Minor():
				t.Errorf("%s: %d changes, the first %q at %q", tt.what, len(changes), changes[0].Label.ID(), changes[0].Pointer)
			case way[0] == tt.old && (len(changes) != tt.changes || changes[0].Pointer != tt.pointer):
				t.Errorf("%s: %d changes, many at %q; want %d, at %q", tt.what, len(changes), changes[0].Pointer, tt.changes, tt.pointer)
			}
		}
	}
}
