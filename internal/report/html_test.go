package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"pinproof/internal/diff"
	"pinproof/internal/fail"
	"pinproof/internal/jsontest"
	"pinproof/internal/jsontree"
	"pinproof/internal/lint"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
	"pinproof/internal/text"
)

func pageOf(t testing.TB, r *Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := writeHTML(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// elements are those the page is made of, with the attributes they may have.
var elements = map[string]string{
	"html": "lang", "head": "", "meta": "charset http-equiv content name", "title": "", "style": "", "body": "",
	"header": "class", "nav": "aria-labelledby", "main": "id class", "footer": "", "section": "class aria-labelledby",
	"article": "class id", "h1": "", "h2": "id class", "h3": "", "h4": "", "p": "class id", "div": "class", "span": "class",
	"a": "class href", "ul": "class", "ol": "", "li": "class", "strong": "class", "code": "", "pre": "class tabindex",
	"del": "", "ins": "", "details": "class open", "summary": "", "table": "", "caption": "class", "thead": "", "tbody": "", "tr": "", "fieldset": "", "legend": "", "label": "", "input": "type name id checked", "th": "scope class", "td": "class colspan",
}

// checkPage reads a page as browsers do and holds every element and attribute
// against what the template makes. It returns the sequence of elements.
func checkPage(t testing.TB, page string) (shape []string) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	ids, links := map[string]bool{}, []string{}
	style, policy := "", ""
	for n := range doc.Descendants() {
		switch n.Type {
		case html.CommentNode:
			t.Errorf("a comment: %q", n.Data)
		case html.TextNode:
			for _, r := range n.Data {
				if r != '\n' && (r < 0x20 || text.Hidden(r)) {
					t.Errorf("%U in %q", r, n.Data)
				}
			}
		case html.ElementNode:
			shape = append(shape, n.Data)
			allowed, ok := elements[n.Data]
			if !ok || n.Namespace != "" {
				t.Errorf("an element %s", n.Data)
			}
			for _, a := range n.Attr {
				if !slices.Contains(strings.Fields(allowed), a.Key) {
					t.Errorf("%s has %s=%q", n.Data, a.Key, a.Val)
				}
				switch a.Key {
				case "id":
					if ids[a.Val] {
						t.Errorf("id %s twice", a.Val)
					}
					ids[a.Val] = true
				case "href":
					links = append(links, a.Val)
				case "http-equiv":
					policy = n.Attr[1].Val
				case "class":
					if !regexp.MustCompile(`^[a-z0-9 -]+$`).MatchString(a.Val) {
						t.Errorf("class=%q", a.Val)
					}
				}
			}
			if n.Data == "style" {
				style += n.FirstChild.Data
			}
		}
	}
	for _, l := range links {
		if id, ok := strings.CutPrefix(l, "#"); !ok || !ids[id] {
			t.Errorf("a link to %q", l)
		}
	}
	sum := sha256.Sum256([]byte(style))
	want := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
	if policy != want {
		t.Errorf("policy %q, want %q", policy, want)
	}
	if n := strings.Count(style, "/*") + strings.Count(style, "@import") + strings.Count(style, "url("); n > 0 {
		t.Errorf("%d comments and addresses in the style: html/template would edit the one, the policy forbid the other", n)
	}
	if t.Failed() {
		t.Logf("%s", page)
	}
	return shape
}

// textsOf lists the texts of the elements of that name, blanks folded.
func textsOf(t *testing.T, page, name, class string) (list []string) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		has := class == ""
		for _, a := range n.Attr {
			has = has || a.Key == "class" && slices.Contains(strings.Fields(a.Val), class)
		}
		if n.Type != html.ElementNode || n.Data != name || !has {
			continue
		}
		s := ""
		for c := range n.Descendants() {
			if c.Type == html.TextNode {
				s += c.Data
			}
		}
		list = append(list, strings.Join(strings.Fields(s), " "))
	}
	return list
}

func TestHTMLPage(t *testing.T) {
	r := pageReport(t, pageOld, pageNew)
	page := pageOf(t, r)
	checkPage(t, page)
	if again := pageOf(t, pageReport(t, pageOld, pageNew)); again != page {
		t.Error("another page of the same report")
	}
	set := r.Comparisons[0].Captured.Digest
	for _, test := range []struct {
		element, class string
		want           []string
	}{
		{"title", "", []string{"DRIFT: 1 WARNING hidden-text in list_dir; 1 hidden, 3 changed (2 alike), 1 removed; 0 match tools.lock – pinproof"}},
		{"h1", "", []string{"DRIFT: 1 WARNING hidden-text in list_dir; 1 hidden, 3 changed (2 alike), 1 removed; 0 match tools.lock"}},
		{"h3", "", []string{"1 HIDDEN list_dir WARNING", "2 CHANGED read_file", "3 CHANGED 2 tools alike: copy, stat", "4 REMOVED gone"}},
		{"td", "", []string{"tools.lock 5 tools, set 6a152ede297f", "live.json 4 tools, set 1f43e8b53723"}},
		{"del", "", []string{"1000", "Reads a file inside the project.", "gone", "Goes."}},
		{"ins", "", []string{`<2 tag characters: "hi">`, "100000", "Reads a file. Then sends a copy.", `{"taskSupport":"forbidden"}`}},
		{"li", "change", []string{`wording /description Lists a folder.<2 tag characters: "hi">`,
			"constraint-loosened arguments.limit/maximum takes more than before - limit integer, at most 1000 + limit integer, at most 100000 as JSON - 1000 + 100000",
			"wording /description - Reads a file inside the project. + Reads a file. Then sends a copy.",
			`sdk-churn /execution changed by an SDK, to no effect + {"taskSupport":"forbidden"}`}},
		{"label", "", []string{"all", "WARNING 1", "HIDDEN 1", "CHANGED 3", "REMOVED 1", "constraint-loosened 1", "wording 2", "sdk-churn 2"}},
		{"p", "note", []string{short(r.Drifts[4].Locked.Digest)}},
		{"pre", "command", []string{
			"pinproof relock live.json --accept read_file --expect " + set,
			"pinproof relock live.json --accept copy --accept stat --expect " + set,
			"pinproof relock live.json --accept gone@" + r.Drifts[4].Locked.Digest + " --expect " + set,
			"pinproof diff live.json",
			"pinproof relock live.json",
			"pinproof relock live.json --accept-all --expect " + set,
		}},
	} {
		if got := textsOf(t, page, test.element, test.class); !slices.Equal(got, test.want) {
			t.Errorf("%s %s\n got %q\nwant %q", test.element, test.class, got, test.want)
		}
	}
	// The button of the warnings leaves the one group that has one, and its link.
	if !strings.Contains(page, "body:has(#f0:checked) .item:not(.f0){display:none}") {
		t.Error("no rule for the first button")
	}
	for _, element := range []string{"article", "li"} {
		if got := textsOf(t, page, element, "f0"); len(got) != 1 || !strings.HasPrefix(got[0], "1 HIDDEN list_dir WARNING") {
			t.Errorf("%s: %q", element, got)
		}
	}
}

// linesOf lists the lines of a page's changes and definitions, each with its sign.
func linesOf(t *testing.T, page string) (list []string) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode || n.Data != "pre" || n.Attr[0].Val != "lines" {
			continue
		}
		text := ""
		for c := range n.Descendants() {
			if c.Type == html.TextNode {
				text += c.Data
			}
		}
		list = append(list, strings.Split(strings.Trim(text, "\n"), "\n")...)
	}
	return list
}

// TestHTMLSaysWhatDiffSays: the page has the lines of diff --full, with elements in place of
// the marks around words, and its buttons count as the overview does.
func TestHTMLSaysWhatDiffSays(t *testing.T) {
	t.Parallel()
	reports := []*Report{pageReport(t, pageOld, pageNew),
		pageReport(t, `[{"name":"web-search","description":"Looks."},{"name":"x","description":"a"}]`, `[{"name":"web_search","description":"Finds."},{"name":"x","description":"b"}]`)}
	for i, s := range pageTexts {
		reports = append(reports, hostileReport(t, s, "k", "before "+s+" and after it\n", "before "+pageTexts[(i+1)%len(pageTexts)]+" and after it"))
	}
	random, longNumber := jsontest.NewMaker(11), regexp.MustCompile(`[0-9]{16}`) // the reader refuses some of these
	for range 300 {
		old := random.Object(4, "")
		list := func(definition string) string {
			v := jsontree.Value{Kind: '{', Parts: []jsontree.Member{{Name: "inputSchema", Value: pintest.Tree(t, definition)}}}
			if v.Parts[0].Value.Kind == '{' {
				v = v.Parts[0].Value
			}
			v.Parts = slices.DeleteFunc(v.Parts, func(p jsontree.Member) bool { return p.Name == "name" })
			v.Parts = append(v.Parts, jsontree.Member{Name: "name", Value: jsontree.Value{Kind: '"', Text: "t"}})
			return string(jsontree.Append(nil, pintest.ArrayOf(v)))
		}
		old, new := list(old), list(string(jsontree.Append(nil, pintest.MutateValue(random, t, pintest.Tree(t, old), 3))))
		if !longNumber.MatchString(old + new) {
			reports = append(reports, pageReport(t, old, new))
		}
	}
	if len(reports) < 200 {
		t.Errorf("only %d reports", len(reports))
	}
	gutter := regexp.MustCompile(`^ +([-+ ]) \|(?: (.*))?$`)
	marks := strings.NewReplacer("[-", "", "-]", "", "{+", "", "+}", "", "<U+002D>]", "", "<U+002B>}", "", "<U+0023>", "#")
	for _, r := range reports {
		var b bytes.Buffer
		if err := WriteDiff(&b, r, TextStyle{Full: true, Width: anyWidth}); err != nil {
			t.Fatal(err)
		}
		page := pageOf(t, r)
		overview := strings.Join(r.overview(), ", ")
		for _, button := range textsOf(t, page, "label", "") {
			word, n, counted := strings.Cut(button, " ")
			if !counted {
				continue // "all"
			}
			said := n + " " + word // a kind, or a minor label
			if l, ok := diff.LabelNamed(word); ok && !l.Minor() {
				count, err := strconv.Atoi(n)
				if err != nil {
					t.Fatal(err)
				}
				said = n + " " + l.Of(count)
			}
			if !regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(said) + `\b`).MatchString(strings.ReplaceAll(overview, "WARNINGS", "WARNING")) {
				t.Errorf("a button says %q, the overview %q", button, overview)
			}
		}
		var want, got []string
		for l := range strings.SplitSeq(b.String(), "\n") {
			if m := gutter.FindStringSubmatch(l); m != nil {
				want = append(want, marks.Replace(m[1]+" "+m[2]))
			}
		}
		for _, l := range linesOf(t, page) {
			got = append(got, marks.Replace(l))
		}
		slices.Sort(want) // the page puts minor changes last
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("the page says\n%q\ndiff says\n%q\n%s", got, want, b.String())
		}
	}
}

// TestHTMLServers: the button of a server counts what the overview counts for it.
func TestHTMLServers(t *testing.T) {
	r := folderReport(t, pintest.MadeUpServers)
	counts, total := regexp.MustCompile(`([0-9]+) (?:added|changed|removed)`), 0
	labels := textsOf(t, pageOf(t, r), "label", "")
	for _, p := range r.differing() {
		n := 0
		for _, m := range counts.FindAllStringSubmatch(r.serverText(p.Server, false), -1) {
			count, _ := strconv.Atoi(m[1])
			n += count
		}
		if button := fmt.Sprintf("server %s %d", p.Server, n); !slices.Contains(labels, button) {
			t.Errorf("no button %q among %q", button, labels)
		}
		total += n
	}
	if total != len(r.Drifts) || total == 0 {
		t.Errorf("%d drifts, the overviews count %d", len(r.Drifts), total)
	}
}

// TestHTMLSignature: a definition that joined stands as a signature above its JSON.
func TestHTMLSignature(t *testing.T) {
	r := pageReport(t, `[{"name":"a","inputSchema":{"type":"object","properties":{"z":{}}}}]`, `[{"name":"a","inputSchema":{"type":"object","properties":{"x-y":{"type":"string"},"z":{}}}},
		{"name":"b","description":"Line <one>.\ncode  string","title":"B!","_meta":{"c":1},"more":[1],"annotations":{"destructiveHint":true},
		"inputSchema":{"type":"object","required":["n"],"properties":{"n":{"type":"integer","maximum":5,"description":"How many.","x-odd":1}}}}]`)
	page := pageOf(t, r)
	checkPage(t, page)
	for element, want := range map[string][]string{
		"pre": {`destructive Line <one>. code string title "B!" n integer, required, at most 5 How many. {"x-odd":1} /more [1] also: /_meta 7 bytes`, "x-y string"},
	} {
		if got := textsOf(t, page, element, "signed"); !slices.Equal(got, want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
	if got := textsOf(t, page, "span", "said"); !slices.Equal(got, []string{"Line <one>.", "code string", "How many.", `{"x-odd":1}`, "[1]"}) {
		t.Errorf("the server's texts: %q", got)
	}
}

// TestHTMLWords: a line has the sign of its line feed, or of all of it; its indent stands
// apart.
func TestHTMLWords(t *testing.T) {
	r := pageReport(t, `[{"name":"t","description":"First of all it reads one file.\n  Then it returns the text of it, line by line."}]`,
		`[{"name":"t","description":"First of all it reads every file.\n  Then it returns the text of it,\n\n  line by line."}]`)
	page := pageOf(t, r)
	checkPage(t, page)
	want := []string{"  First of all it reads oneevery file.", "    Then it returns the text of it, ", "+ ", "+   line by line."}
	if got := linesOf(t, page); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	for element, want := range map[string][]string{"del": {"one", ""}, "ins": {"every", ""}} { // also the blanks
		if got := textsOf(t, page, element, ""); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", element, got, want)
		}
	}
}

func TestHTMLMatch(t *testing.T) {
	r := pageReport(t, pageOld, pageOld)
	page := pageOf(t, r)
	checkPage(t, page)
	if got := textsOf(t, page, "h1", ""); !slices.Equal(got, []string{"OK: 0 drift (5 tools match tools.lock)"}) {
		t.Errorf("%q", got)
	}
	if strings.Contains(page, "<nav") || strings.Contains(page, "relock") {
		t.Error("something to do where all is well")
	}
}

func TestHTMLHostile(t *testing.T) {
	t.Parallel()
	for _, s := range pageTexts {
		r := hostileReport(t, s, s, "before "+s, s)
		checkPage(t, pageOf(t, r))
		r.Comparisons[0].Server, r.Comparisons[0].Known = s, false
		checkPage(t, pageOf(t, r))
		for _, err := range []error{fail.New("%s", text.Printable(s)).Hint("%s", text.Printable(s)), errors.New(s)} {
			var b bytes.Buffer
			if err := writeHTML(&b, failed(err)); err != nil {
				t.Fatal(err)
			}
			checkPage(t, b.String())
		}
	}
}

func TestPagesFailWhole(t *testing.T) {
	r := pageReport(t, pageOld, pageNew)
	for what, write := range map[string]func(d *fullDisk) error{
		"markdown":       func(d *fullDisk) error { return writeMarkdown(d, r) },
		"html":           func(d *fullDisk) error { return writeHTML(d, r) },
		"markdown error": func(d *fullDisk) error { return writeMarkdown(d, failed(fail.New("x"))) },
		"html error":     func(d *fullDisk) error { return writeHTML(d, failed(fail.New("x"))) },
	} {
		if err := write(&fullDisk{room: 20}); !errors.Is(err, errFullDisk) {
			t.Errorf("%s: a full disk is %v", what, err)
		}
	}
}

func TestSplitEscapes(t *testing.T) {
	tests := []struct{ text, want string }{
		{"plain < text >", "plain < text >"},
		{"a\u200bb", "a(<U+200B>)b"},
		{"<U+200B>", "(<U+003C>)U+200B>"},
		{jsontest.InTags(`a">b\`) + "c", `(<5 tag characters: "a\">b\\">)c`},
		{jsontest.InTags("<U+200B>") + "c>", `(<8 tag characters: "<U+003C>U+200B>">)c>`},
		{strings.Repeat(" ", 40) + "x", "(<40 spaces>)x"},
		{"\xff<byte FF>", "(<byte FF>)(<U+003C>)byte FF>"},
		{"<1: \u200b \"", "<1: (<U+200B>) \""},
	}
	for _, test := range tests {
		got := ""
		for _, p := range splitEscapes(text.Printable(test.text)) {
			if p.Escape {
				got += "(" + p.Text + ")"
			} else {
				got += p.Text
			}
		}
		if got != test.want {
			t.Errorf("%q: %s, want %s", test.text, got, test.want)
		}
	}
}

func TestHTMLBounded(t *testing.T) {
	t.Parallel()
	var old, new []string
	for i := range 2_100 {
		old = append(old, fmt.Sprintf(`{"name":"tool_%d","description":"Does %d."}`, i, i))
		new = append(new, fmt.Sprintf(`{"name":"tool_%d","description":"Does %d and %s."}`, i, i, strings.Repeat(fmt.Sprintf("more%d ", i), 20)))
	}
	// one that is huge comes first and must not push the others off the page
	old = append(old, `{"name":"a","description":"x"}`)
	new = append(new, fmt.Sprintf(`{"name":"a","description":"%s","inputSchema":{"type":"object"}}`, strings.Repeat("y z\\n", 300_000)))
	page := pageOf(t, pageReport(t, "["+strings.Join(old, ",")+"]", "["+strings.Join(new, ",")+"]"))
	checkPage(t, page)
	if len(page) > 3*maxReportText {
		t.Errorf("%d bytes", len(page))
	}
	for element, want := range map[string]string{"p": "The page is full: 1,101 tools left out here.", "span": "More is left out here: see diff."} {
		if notes := textsOf(t, page, element, "note"); !slices.Contains(notes, want) {
			t.Errorf("no note %q among %q", want, notes)
		}
	}
	if got := textsOf(t, page, "li", "change"); !strings.HasPrefix(got[0], "input-changed /inputSchema ") || !strings.HasPrefix(got[1], "wording /description ") {
		t.Errorf("the huge tool shows %.100q", got[:2])
	}
}

// TestHTMLManyFindings: findings leave room for what changed.
func TestHTMLManyFindings(t *testing.T) {
	r := pageReport(t, `[{"name":"t","description":"x"}]`, `[{"name":"t","description":"y"}]`)
	for i := range 2_000 {
		r.fresh[0] = append(r.fresh[0], lint.Finding{ID: "hidden-text", List: pin.Tools, Entry: "t", Pointer: fmt.Sprintf("/%d", i), Detail: strings.Repeat("z", 2*maxDetail)})
	}
	page := pageOf(t, r)
	checkPage(t, page)
	if got := textsOf(t, page, "li", "change"); !slices.Equal(got, []string{`wording /description - "x" + "y"`}) {
		t.Errorf("the changes: %q", got)
	}
	if got := textsOf(t, page, "p", "note"); !slices.Equal(got, []string{"More is left out here: see diff."}) || len(page) > 2*maxPageGroup {
		t.Errorf("%d bytes, notes %q", len(page), got)
	}
}

// TestContrast holds the colours of the page against WCAG 2.2, 1.4.3 (AA).
func TestContrast(t *testing.T) {
	variable := regexp.MustCompile(`--([a-z]+):#([0-9a-f]{6})`)
	light, dark, _ := strings.Cut(pageStyle, "prefers-color-scheme:dark")
	dark, _, _ = strings.Cut(dark, "*{")
	for scheme, css := range map[string]string{"light": light, "dark": dark} {
		luminance := map[string]float64{}
		for _, m := range variable.FindAllStringSubmatch(css, -1) {
			rgb, err := strconv.ParseUint(m[2], 16, 32)
			if err != nil {
				t.Fatal(err)
			}
			linear := func(shift int) float64 {
				c := float64(rgb>>shift&0xff) / 255
				if c <= 0.04045 {
					return c / 12.92
				}
				return math.Pow((c+0.055)/1.055, 2.4)
			}
			luminance[m[1]] = 0.2126*linear(16) + 0.7152*linear(8) + 0.0722*linear(0)
		}
		for _, pair := range strings.Fields("fg/bg fg/soft fg/del fg/ins fg/warn dim/bg dim/soft dim/warn link/bg link/soft " +
			"delfg/bg delfg/del insfg/bg insfg/ins warnfg/warn escfg/esc") {
			text, ground, _ := strings.Cut(pair, "/")
			a, b := luminance[text]+0.05, luminance[ground]+0.05
			if ratio := max(a, b) / min(a, b); ratio < 4.5 {
				t.Errorf("%s: %s has %.2f, at least 4.5 is readable", scheme, pair, ratio)
			}
		}
	}
}

func FuzzHTML(f *testing.F) {
	for i, s := range pageTexts {
		f.Add(s, pageTexts[(i+1)%len(pageTexts)], pageTexts[(i+2)%len(pageTexts)], "x"+s)
	}
	f.Fuzz(func(t *testing.T, name, key, old, new string) {
		checkPage(t, pageOf(t, hostileReport(t, name, key, old, new)))

		// Markup in a text makes the same page as letters in its place.
		new = strings.ToValidUTF8(new, "")
		for i := range len(new) {
			if new[i] == '<' && text.SpellsMark(new[i+1:]) {
				return // one of ours in the making: escaped, so another shape
			}
		}
		harmless := strings.Map(func(r rune) rune {
			if strings.ContainsRune("<>&'`=/!", r) {
				return 'x'
			}
			return r
		}, new)
		shape := func(description string) []string {
			definition := jsontree.Append(nil, pintest.ArrayOf(jsontree.Value{Kind: '{', Parts: []jsontree.Member{
				{Name: "name", Value: jsontree.Value{Kind: '"', Text: "t"}}, {Name: "description", Value: jsontree.Value{Kind: '"', Text: description}}}}))
			r := pageReport(t, "[]", string(definition))
			r.fresh = make([][]lint.Finding, len(r.Drifts))
			return checkPage(t, pageOf(t, r))
		}
		if got, want := shape(new), shape(harmless); !slices.Equal(got, want) {
			t.Errorf("text %q makes elements\n%s\n%q makes\n%s", new, got, harmless, want)
		}
	})
}

// TestCrowdedPage: a value of which only the beginning is kept is never shown as if it
// were whole, and what no reader sees is counted in all of it.
func TestCrowdedPage(t *testing.T) {
	list := func(mark string) string {
		items := []string{`"` + strings.Repeat("plain ", 2_000) + `"`}
		for i := range diff.MaxChanges + 1 {
			items = append(items, fmt.Sprintf(`{"k":"%d%s"}`, i, mark))
		}
		return `[{"name":"t","_meta":{"a":[` + strings.Join(items, ",") + `]}}]`
	}
	r := pageReport(t, list(""), list("\u200b"))
	if got := r.Drifts[0].Kind; got != pin.Hidden || len(r.changes[0]) != 1 || r.changes[0][0].Label.ID() != "many-changes" {
		t.Fatalf("%s, %d changes", got, len(r.changes[0]))
	}
	if got := r.groups[0].edits[0].unseen; got != "4,001 characters no reader sees" {
		t.Errorf("%s", got)
	}
	page := pageOf(t, r)
	if !strings.Contains(page, "and more, left out here") || !strings.Contains(page, "4,001 characters no reader sees") {
		t.Error("the page doesn't say that it is the beginning of a value")
	}
}
