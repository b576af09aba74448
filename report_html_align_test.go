package main

import (
	"slices"
	"strings"
	"testing"
)

// unfolded are all rows of a page in their order.
func unfolded(rows []pageRow) (list []pageRow) {
	for _, r := range rows {
		if r.Kind == "fold" {
			list = append(list, unfolded(r.Fold)...)
		} else {
			list = append(list, r)
		}
	}
	return list
}

func cellText(c pageCell) (text, marks string) {
	for _, r := range c.Runs {
		if r.Feed {
			r.Text += "↵"
		}
		text += r.Text
		if r.Op != "" {
			marks += r.Text
		}
	}
	return text, marks
}

func blankless(s string) string {
	// Text that spells a mark of ours across two pieces is escaped only when whole.
	return strings.NewReplacer(" ", "", "\n", "", "↵", "", "<U+005B>", "[", "<U+007B>", "{", "<U+003C>", "<").Replace(s)
}

// checkAligned: each change is shown once, each side says exactly what the value
// says, and a row is marked if and only if it differs.
func checkAligned(t testing.TB, old, new string) {
	t.Helper()
	before, after := canonicalTree(t, old), canonicalTree(t, new)
	changes := diffDefinitions(toolList, before, after)
	if len(changes) == 0 {
		return
	}
	entries := make([]edit, len(changes))
	budget := fullWordBudget
	for i, c := range changes {
		entries[i].change = c
		if c.old.kind == '"' && c.new.kind == '"' && isProse(c.old.text, c.new.text) {
			entries[i].pieces = budget.words(c.old.text, c.new.text)
		}
	}
	a := newAligner(1, entries, &budget, 1<<30)
	tree := diffTree(toolList, &before, &after)
	rows := a.part(func() { a.node(&tree, slot{}) })
	shown := map[string]int{}
	var left, right string
	for _, r := range unfolded(rows) {
		if r.Kind == "change" {
			shown[r.Change.Pointer]++
			continue
		}
		o, oldMarks := cellText(r.Old)
		n, newMarks := cellText(r.New)
		left, right = left+o, right+n
		if r.Kind == "same" && (strings.TrimSuffix(o, ",") != strings.TrimSuffix(n, ",") || oldMarks+newMarks != "") {
			t.Errorf("not the same: %q and %q", o, n)
		}
		if r.Kind == "diff" && o == n && oldMarks == newMarks && oldMarks != o {
			t.Errorf("%s -> %s\nthe same on both sides: %q", old, new, o)
		}
	}
	for _, c := range changes {
		shown[quotedPointer(c.pointer)]--
	}
	for pointer, n := range shown {
		if n != 0 {
			t.Errorf("%s -> %s\nthe changes at %s are shown %d times too often", old, new, pointer, n)
		}
	}
	if plainText := func(s string) bool {
		return !strings.ContainsFunc(s, func(r rune) bool { return r > 0x7e }) && !strings.Contains(s, `\u`)
	}; !plainText(old + new) {
		return // what can't be seen is spelled otherwise in a piece than in the whole
	}
	if slices.ContainsFunc(changes, func(c change) bool { return c.old.kind == 0 && c.new.kind == 0 }) {
		return // what stood elsewhere is shown beside where it is now
	}
	for _, side := range []struct {
		rows string
		v    value
	}{{left, before}, {right, after}} {
		want := blankless(strings.Join(jsonLines(side.v, false, inlineJSON), ""))
		if got := blankless(side.rows); got != want {
			t.Errorf("%s -> %s: a side says\n%s, not\n%s", old, new, got, want)
		}
	}
}

func TestAligned(t *testing.T) {
	long := `"a text of several words that is long enough to be compared word by word, as prose is"`
	longer := `"a text of many words\nthat is long enough to be compared word by word, as most prose is"`
	for _, pair := range [][2]string{
		{`{}`, `{"a":1}`},
		{`{"a":1,"b":2}`, `{"b":2}`},
		{`{"a":{"b":[1,2]}}`, `{"a":{"b":[2,3]}}`},
		{`{"a":[1,2]}`, `{"a":[2,1]}`},
		{`{"a":[{"x":1},{"x":2},{"x":3}]}`, `{"a":[{"x":1},{"x":3}]}`},
		{`{"a":[{"x":1},{"x":3}]}`, `{"a":[{"x":1},{"x":2},{"y":2},{"x":3}]}`},
		{`{"a":[1,{"x":1}]}`, `{"a":[{"x":1}]}`},
		{`{"d":` + long + `}`, `{"d":` + longer + `,"e":[]}`},
		{long, longer},
		{`[]`, `{}`},
		{`[[],[]]`, `[[1],[]]`},
		{`{"enum":["a","b","c"]}`, `{"enum":["b","c","d"]}`},
	} {
		checkAligned(t, pair[0], pair[1])
		checkAligned(t, pair[1], pair[0])
	}
}

func TestAlignedText(t *testing.T) {
	text := "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven\ntwelve\nlast"
	budget := fullWordBudget
	c := change{pointer: "/description", old: value{kind: '"', text: text},
		new: value{kind: '"', text: strings.Replace(text, "last", "the very\nlast", 1)}}
	entries := []edit{{change: c, pieces: budget.words(c.old.text, c.new.text)}}
	a := newAligner(1, entries, &budget, 1<<20)
	var got []string
	at := (&path{}).to("description")
	for _, r := range a.part(func() {
		a.node(&diffNode{was: at, now: at, old: &c.old, new: &c.new}, slot{prose: true})
	}) {
		old, oldMarks := cellText(r.Old)
		new, newMarks := cellText(r.New)
		switch r.Kind {
		case "fold":
			got = append(got, strings.Repeat("~", len(r.Fold)))
		case "change":
			got = append(got, "@"+r.Change.ID)
		default:
			got = append(got, old+"|"+oldMarks+"|"+new+"|"+newMarks)
		}
	}
	want := "@g1c1 one||one| two||two| three||three| ~~~~~~ ten||ten| eleven||eleven| twelve||twelve| last||the very↵|the very↵ ||last|"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
}

func TestAlignedRandom(t *testing.T) {
	t.Parallel()
	random := newMaker(11)
	for range 3_000 {
		old := random.object(4, "")
		checkAligned(t, old, string(appendJSON(nil, random.mutate(t, tree(t, old), 3))))
	}
}
