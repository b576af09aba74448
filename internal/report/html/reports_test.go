package html

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"pinproof/internal/diff"
	"pinproof/internal/jsontest"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
	"pinproof/internal/report"
	"pinproof/internal/report/plain"
	"pinproof/internal/report/reporttest"
	"pinproof/internal/text"
)

func pageOf(t testing.TB, r *report.Report) string {
	t.Helper()
	return reporttest.WriteToString(t, Write, r.Model)
}

func TestReport(t *testing.T) {
	r := reporttest.ListsReport(t, reporttest.OldList, reporttest.NewList)
	page := pageOf(t, r)
	reporttest.CheckPage(t, page)
	if again := pageOf(t, reporttest.ListsReport(t, reporttest.OldList, reporttest.NewList)); again != page {
		t.Error("another page of the same report")
	}
	set := r.Comparisons[0].Captured.Digest
	for _, test := range []struct {
		element, class string
		want           []string
	}{
		{"title", "", []string{"DRIFT: 1 WARNING hidden-text in list_dir; 1 hidden, 3 changed, 1 removed; 0 match tools.lock – pinproof"}},
		{"h1", "", []string{"DRIFT: 1 WARNING hidden-text in list_dir; 1 hidden, 3 changed, 1 removed; 0 match tools.lock"}},
		{"h3", "", []string{"1 HIDDEN list_dir WARNING hidden-text", "2 CHANGED read_file takes more", "3 CHANGED copy other form (minor)", "4 CHANGED stat other form (minor)", "5 REMOVED gone"}},
		{"pre", "lines", []string{
			"s tools.lock 5 tools -> live.json 4 tools 1 hidden, 3 changed, 1 removed; text 387 -> 440 bytes 1 WARNING hidden-text in list_dir",
			`WARNING hidden-text /description 2 characters no reader sees: "Lists a folder. \ <2 tag characters: "hi">" text /description | Lists a folder.{+<2 tag characters: "hi">+}`,
			"takes more arguments.limit maximum [-1000-]{+100000+} text /description - | Reads a file inside the project. + | Reads a file. Then sends a copy.",
			"minor: other form",
			"minor: other form",
			`"Goes."`,
		}},
		{"span", "old", []string{"- |", "Reads a file inside the project."}},
		{"span", "new", []string{`{+<2 tag characters: "hi">+}`, "+ |", "Reads a file. Then sends a copy."}},
		{"label", "", []string{"all", "HIDDEN 1", "WARNING 1", "CHANGED 3", "REMOVED 1", "hidden text 1", "minor 2", "text 2", "takes more 1", "other form 2"}},
		{"pre", "command", []string{
			"pinproof relock live.json --accept " + r.Drifts[1].Captured.Digest,
			"pinproof relock live.json --accept " + r.Drifts[2].Captured.Digest,
			"pinproof relock live.json --accept " + r.Drifts[3].Captured.Digest,
			"pinproof relock live.json --accept " + r.Drifts[4].Locked.Digest,
			"pinproof diff live.json",
			"pinproof relock live.json",
			"pinproof relock live.json --accept-all --expect " + set,
		}},
	} {
		if got := reporttest.ElementTexts(t, page, test.element, test.class); !slices.Equal(got, test.want) {
			t.Errorf("%s %s\n got %q\nwant %q", test.element, test.class, got, test.want)
		}
	}
	// The button of the warnings leaves the one block with a warning, and the link to it.
	if !strings.Contains(page, "body:has(#f1:checked) .item:not(.f1){display:none}") {
		t.Error("no rule for the first button")
	}
	for _, element := range []string{"article", "li"} {
		if got := reporttest.ElementTexts(t, page, element, "f1"); len(got) != 1 || !strings.HasPrefix(got[0], "1 HIDDEN list_dir WARNING") {
			t.Errorf("%s: %q", element, got)
		}
	}
}

// textsIn returns the lines of server text on a page, each after its gutter.
func textsIn(t *testing.T, page string) (list []string) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		if !reporttest.HasClass(n, "lines") {
			continue
		}
		lines := ""
		for c := range n.Descendants() {
			if c.Type == html.TextNode {
				lines += c.Data
			}
		}
		for l := range strings.SplitSeq(lines, "\n") {
			if reporttest.DisplayWidth(l) > 100 {
				t.Errorf("a browser may wrap this: %s", l)
			}
		}
		list = append(list, gutters(lines)...)
	}
	slices.Sort(list)
	return list
}

var gutter, continued = regexp.MustCompile(`^ *(?:.* )?([-+ ] \|(?: .*)?)$`), regexp.MustCompile(`^ *[-+ ] : (.*)$`)

// gutters returns the lines that have a gutter, from there on, each with the rows that continue it.
func gutters(lines string) (list []string) {
	for l := range strings.SplitSeq(lines, "\n") {
		if m := continued.FindStringSubmatch(l); m != nil && len(list) > 0 {
			list[len(list)-1] += m[1]
		} else if m := gutter.FindStringSubmatch(l); m != nil {
			list = append(list, m[1])
		}
	}
	slices.Sort(list)
	return list
}

// TestSaysWhatDiffSays: the page has the lines of server text that diff has.
func TestSaysWhatDiffSays(t *testing.T) {
	t.Parallel()
	reports := []*report.Report{reporttest.ListsReport(t, reporttest.OldList, reporttest.NewList),
		reporttest.ListsReport(t, `[{"name":"web-search","description":"Looks."},{"name":"x","description":"a"}]`, `[{"name":"web_search","description":"Finds."},{"name":"x","description":"b"}]`)}
	random, longNumber := jsontest.NewMaker(11), regexp.MustCompile(`[0-9]{16}`) // the reader refuses some of these
	for range 300 {
		old := random.Object(4, "")
		list := func(definition string) string {
			v := jsontree.Value{Kind: '{', Parts: []jsontree.Member{{Name: "inputSchema", Value: pintest.ParseTree(t, definition)}}}
			if v.Parts[0].Value.Kind == '{' {
				v = v.Parts[0].Value
			}
			v.Parts = slices.DeleteFunc(v.Parts, func(p jsontree.Member) bool { return p.Name == "name" })
			v.Parts = append(v.Parts, jsontree.Member{Name: "name", Value: jsontree.Value{Kind: '"', Text: "t"}})
			return string(jsontree.Append(nil, pintest.ArrayOf(v)))
		}
		old, new := list(old), list(string(jsontree.Append(nil, pintest.MutateValue(random, t, pintest.ParseTree(t, old), 3))))
		if !longNumber.MatchString(old + new) {
			reports = append(reports, reporttest.ListsReport(t, old, new))
		}
	}
	if len(reports) < 200 {
		t.Errorf("only %d reports", len(reports))
	}
	for _, r := range reports {
		var b bytes.Buffer
		if err := plain.WriteDiff(&b, r.Model, plain.Style{}); err != nil {
			t.Fatal(err)
		}
		want := gutters(b.String())
		if got := textsIn(t, pageOf(t, r)); !slices.Equal(got, want) {
			t.Fatalf("the page says\n%q\ndiff says\n%q\n%s", got, want, b.String())
		}
	}
}

// TestServers: the button of a server counts the blocks of it, and a rename once.
func TestServers(t *testing.T) {
	r := reporttest.FolderReport(t, pintest.MadeUpServers)
	labels, blocks := reporttest.ElementTexts(t, pageOf(t, r), "label", ""), make([]int, len(r.Model.Servers))
	for _, b := range r.Model.Blocks {
		blocks[b.Server]++
	}
	for i, s := range r.Model.Servers {
		if button := fmt.Sprintf("%s %d", s.Name, blocks[i]); blocks[i] > 0 && !slices.Contains(labels, button) {
			t.Errorf("no button %q among %q", button, labels)
		}
	}
	if len(r.Model.Blocks) == 0 || len(r.Model.Blocks) == len(r.Drifts) {
		t.Errorf("%d drifts, %d blocks", len(r.Drifts), len(r.Model.Blocks))
	}
}

// TestSignature: a definition that was added is shown as a signature.
func TestSignature(t *testing.T) {
	r := reporttest.ListsReport(t, `[{"name":"a","inputSchema":{"type":"object","properties":{"z":{}}}}]`, `[{"name":"a","inputSchema":{"type":"object","properties":{"x-y":{"type":"string"},"z":{}}}},
		{"name":"b","description":"Line <one>.\ncode  string","title":"B!","_meta":{"c":1},"more":[1],"annotations":{"destructiveHint":true},
		"inputSchema":{"type":"object","required":["n"],"properties":{"n":{"type":"integer","maximum":5,"description":"How many.","x-odd":1}}}}]`)
	page := pageOf(t, r)
	reporttest.CheckPage(t, page)
	said := strings.Join(reporttest.ElementTexts(t, page, "pre", "lines"), " ")
	for _, want := range []string{"title | B!", "n integer, required, maximum 5 | How many.", `{"x-odd":1}`, `_meta | {"c":1}`,
		"/more | [1]", "Line <one>.", "code string"} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in %q", want, said)
		}
	}
	if got := reporttest.ElementTexts(t, page, "span", "risk"); !slices.Contains(got, "destructive") {
		t.Errorf("risks: %q", got)
	}
}

func TestMatch(t *testing.T) {
	r := reporttest.ListsReport(t, reporttest.OldList, reporttest.OldList)
	page := pageOf(t, r)
	reporttest.CheckPage(t, page)
	if got := reporttest.ElementTexts(t, page, "h1", ""); !slices.Equal(got, []string{"OK: 0 drift (5 tools match tools.lock)"}) {
		t.Errorf("%q", got)
	}
	if strings.Contains(page, "<nav") || strings.Contains(page, "relock") {
		t.Error("something to do where all is well")
	}
}

func TestBounded(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it writes a page of 300 entries")
	var old, new []string
	for i := range 300 {
		old = append(old, fmt.Sprintf(`{"name":"tool_%d","description":"Does %d."}`, i, i))
		new = append(new, fmt.Sprintf(`{"name":"tool_%d","description":"Does %d and %s."}`, i, i, strings.Repeat(fmt.Sprintf("more%d ", i), 80)))
	}
	// one that is huge comes first and must not push the others off the page
	old = append(old, `{"name":"a","description":"x"}`)
	new = append(new, fmt.Sprintf(`{"name":"a","description":"%s","inputSchema":{"type":"object"}}`, strings.Repeat(strings.Repeat("&", 500)+"\\n", 2_000)))
	page := pageOf(t, reporttest.ListsReport(t, "["+strings.Join(old, ",")+"]", "["+strings.Join(new, ",")+"]"))
	reporttest.CheckPage(t, page)
	if len(page) > 3*(4<<20) {
		t.Errorf("%d bytes", len(page))
	}
	if strings.Contains(page, "--accept-all") {
		t.Error("a command accepts what the page has no room for")
	}
	if !strings.Contains(page, "Not shown here") || !strings.Contains(page, "1 CHANGED <code>a</code>") || strings.Contains(page, "--accept a ") {
		t.Error("the huge tool isn't named as not shown, or has a command that accepts it")
	}
}

func FuzzHTML(f *testing.F) {
	for i, s := range reporttest.HostileTexts {
		f.Add(s, reporttest.HostileTexts[(i+1)%len(reporttest.HostileTexts)], reporttest.HostileTexts[(i+2)%len(reporttest.HostileTexts)], "x"+s)
	}
	f.Fuzz(func(t *testing.T, name, key, old, new string) {
		reporttest.CheckPage(t, pageOf(t, reporttest.HostileReport(t, name, key, old, new)))

		// Markup in a text makes the same page as letters in its place.
		new = strings.ToValidUTF8(new, "")
		for i := range len(new) {
			if new[i] == '<' && text.SpellsMark(new[i+1:]) {
				return // it reads as one of our marks, so it is escaped, and the page has another shape
			}
		}
		harmless := strings.Map(func(r rune) rune {
			if strings.ContainsRune("<>&'`=/!", r) {
				return 'x'
			}
			return r
		}, new)
		shape := func(description string) []string {
			definition := jsontree.Append(nil, pintest.ArrayOf(jsontree.Object(
				jsontree.Member{Name: "name", Value: jsontree.String("t")}, jsontree.Member{Name: "description", Value: jsontree.String(description)})))
			r := reporttest.ListsReport(t, "[]", string(definition))
			in := r.Input
			in.Findings = nil
			return reporttest.CheckPage(t, pageOf(t, reporttest.NewReport(in)))
		}
		if got, want := shape(new), shape(harmless); !slices.Equal(got, want) {
			t.Errorf("text %q makes elements\n%s\n%q makes\n%s", new, got, harmless, want)
		}
	})
}

// TestCrowdedPage: a value with too many changes to tell apart is shown whole, and what no reader sees is
// counted in all of it.
func TestCrowdedPage(t *testing.T) {
	jsontest.SkipShort(t, "it compares thousands of elements")
	list := func(mark string) string {
		items := []string{`"` + strings.Repeat("plain ", 2_000) + `"`}
		for i := range diff.MaxChanges + 1 {
			items = append(items, fmt.Sprintf(`{"k":"%d%s"}`, i, mark))
		}
		return `[{"name":"t","_meta":{"a":[` + strings.Join(items, ",") + `]}}]`
	}
	r := reporttest.ListsReport(t, list(""), list("\u200b"))
	if got, e := r.Drifts[0].Kind, r.Model.Entries[0]; got != pin.DriftHidden || len(e.Changes) != 1 || e.Changes[0].Label != "many-changes" {
		t.Fatalf("%s, %d changes", got, len(e.Changes))
	}
	if page := pageOf(t, r); !strings.Contains(page, "4,001 characters no reader sees") || !strings.Contains(page, "4000&lt;U&#43;200B&gt;") {
		t.Error("the page doesn't show the end of the value, or doesn't count")
	}
}
