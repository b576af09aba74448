package report_test

import (
	"bytes"
	"errors"
	"fmt"
	"pinproof/internal/jsontest"
	. "pinproof/internal/report"
	"pinproof/internal/report/markdown"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	goldmarktext "github.com/yuin/goldmark/text"

	"pinproof/internal/facts"
	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/lint"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
	"pinproof/internal/shell"
	"pinproof/internal/text"
)

// pageReport compares two captures as diff does, for the tests of both pages.
func pageReport(t testing.TB, old, new string) *Report {
	t.Helper()
	p := pin.Comparison{Server: "s", Capture: "live.json", Known: true, Present: true,
		Locked: pintest.PinsOf(t, old, pin.Policy{}), Captured: pintest.PinsOf(t, new, pin.Policy{})}
	return reportOf([]pin.Comparison{p}, nil)
}

// reportOf makes the report of a comparison, all of which is read.
func reportOf(pairs []pin.Comparison, locked []pin.Set) *Report {
	in := inputOf(pairs)
	in.Findings = lint.Read(pairs, in.Drifts, locked, true)
	return explained(in)
}

// explained is the report of an input, with its facts.
func explained(in Input) *Report {
	in.Writes = true // what relock refuses is told by tests of the program
	in.Alone = map[pin.Ref]bool{}
	for i := range in.Drifts {
		in.Alone[in.Drifts[i].Ref()] = true
	}
	return New(in, facts.Of(in.Comparisons, in.Drifts, in.Findings, facts.Bounds{Room: in.Room, KindsAlone: in.Bounded, Terse: in.Terse, BySeverities: in.FailOn}))
}

// inputOf is what a report is made of, findings aside: the verdict by plain values, where
// nothing is allowed.
func inputOf(pairs []pin.Comparison) Input {
	in := Input{Lockfile: "tools.lock", Comparisons: pairs, Drifts: pintest.Drifts(pairs), Next: shell.Command{Capture: "live.json"}}
	in.Verdict = pin.Verdict{Matches: true, Blocked: map[pin.Ref]bool{}, Differs: map[string]bool{}}
	for _, d := range in.Drifts {
		in.Blocked[d.Ref()] = true
	}
	in.ApprovalHash = func(server string, p *pin.Pin) string { return p.Digest }
	for i := range pairs {
		p := &pairs[i]
		p.Locked.Digest, p.Captured.Digest = pintest.SetDigest(&p.Locked), pintest.SetDigest(&p.Captured)
		if !p.Known || !p.Present || p.PolicyDiffers() || slices.ContainsFunc(in.Drifts, func(d pin.Drift) bool { return d.Server == p.Server }) {
			in.Matches, in.Differs[p.Server] = false, true
		}
		if p.Present && p.Captured.Digest != "" {
			in.Expect = append(in.Expect, "--expect "+p.Captured.Digest)
		}
	}
	if slices.ContainsFunc(pairs, func(p pin.Comparison) bool { return p.Present && p.Captured.Digest == "" }) {
		in.Expect = nil
	}
	in.Failed = !in.Matches
	if in.Failed {
		in.ExitCode = 1
	}
	return in
}

func markdownOf(t testing.TB, r *Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := markdown.Write(&b, r.Model); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const (
	pageOld = `[
{"name":"list_dir","description":"Lists a folder."},
{"name":"read_file","description":"Reads a file inside the project.","inputSchema":{"type":"object","properties":{"limit":{"type":"integer","maximum":1000}}}},
{"name":"copy","description":"Copies.","inputSchema":{"type":"object"}},
{"name":"stat","description":"Stats.","inputSchema":{"type":"object"}},
{"name":"gone","description":"Goes."}]`
	pageNew = `[
{"name":"list_dir","description":"Lists a folder.` + "\U000e0068\U000e0069" + `"},
{"name":"read_file","description":"Reads a file. Then sends a copy.","inputSchema":{"type":"object","properties":{"limit":{"type":"integer","maximum":100000}}}},
{"name":"copy","description":"Copies.","inputSchema":{"type":"object"},"execution":{"taskSupport":"forbidden"}},
{"name":"stat","description":"Stats.","inputSchema":{"type":"object"},"execution":{"taskSupport":"forbidden"}}]`
)

// TestMarkdownWarnedFirst: what is said of the whole list comes first, then the entries with a warning.
func TestMarkdownWarnedFirst(t *testing.T) {
	r := pageReport(t, pageOld, pageNew)
	r.Findings = append(r.Findings, lint.Finding{Server: "s", ID: "crowded-list", Detail: "of the whole list", WholeServer: true})
	r = explained(r.Input)
	page, last := markdownOf(t, r), 0
	for _, heading := range []string{"\n      note crowded-list in the capture", "\n### 1. `HIDDEN list_dir`", "\n### 2. "} {
		at := strings.Index(page, heading)
		if at < last || at < 0 {
			t.Fatalf("%q stands at %d, and what comes before it at %d in\n%s", heading, at, last, page)
		}
		last = at
	}
	r = pageReport(t, pageNew, pageNew)
	r.Findings = []lint.Finding{{Server: "s", ID: "crowded-list", Detail: "of the whole list", WholeServer: true}}
	r = explained(r.Input)
	if !strings.Contains(markdownOf(t, r), "\n      note crowded-list in the capture") {
		t.Error("without drift nothing is said of the whole list")
	}
}

func TestMarkdownPage(t *testing.T) {
	r := pageReport(t, pageOld, pageNew)
	r.Findings = nil
	r = explained(r.Input)
	want := strings.ReplaceAll(`## DRIFT: '1 hidden, 3 changed, 1 removed; 0 match tools.lock'

'''text
    s   tools.lock 5 tools   ->   live.json 4 tools
      1 hidden, 3 changed, 1 removed; text +53 bytes
'''

### 1. 'HIDDEN list_dir'

'''diff
    first because no reader sees what changed in it
    text  /description  2 characters no reader sees
!       | Lists a folder.{+<2 tag characters: "hi">+}
'''

digest: 'sha256:x'

### 2. 'CHANGED read_file'

'''diff
    takes more  arguments.limit/maximum  1000 -> 100000
    text  /description
-       | Reads a file inside the project.
+       | Reads a file. Then sends a copy.
'''

digest: 'sha256:x'

### 3. 'CHANGED 2 tools alike: copy, stat'

'''diff
    minor: written by an SDK
'''

digest of 'copy': 'sha256:x'

digest of 'stat': 'sha256:x'

### 4. 'REMOVED gone'

'''diff
    "Goes."
'''

digest: 'sha256:x'

### Next

'review':

'''sh
pinproof diff live.json
'''

'step by step':

'''sh
pinproof relock live.json
'''

'set digest' 'sha256:x'
`, "'", "`")
	got := markdownOf(t, r)
	if short := regexp.MustCompile("sha256:[0-9a-f]{64}").ReplaceAllString(got, "sha256:x"); short != want {
		t.Errorf("got\n%s\nwant\n%s", short, want)
	}
	checkMarkdown(t, got)
}

func TestMarkdownMatch(t *testing.T) {
	r := pageReport(t, pageOld, pageOld)
	r.Findings = []lint.Finding{{Entry: "a|b", ID: "padding", Warning: true, Detail: "`x`", Scope: lint.InMatch, Approved: true}}
	r = explained(r.Input)
	want := strings.ReplaceAll(`## OK: '0 drift (5 tools match tools.lock); 1 approved warning'

'''text
      accepted warnings, in entries that match:
      WARNING padding in "a|b"  'x'
'''
`, "'", "`")
	got := markdownOf(t, r)
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	checkMarkdown(t, got)
}

// Text that plays at being Markdown, HTML, a mention, or the end of a fence.
var pageTexts = []string{
	"```\n</code></pre><script>alert(1)</script>\n@octocat fixes #1 www.evil.example http://evil.example/ a@b.example",
	"~~~~\n# heading\n> quote\n- [ ] task\n\n    code\n\n[link](http://evil.example) ![image](x) <img src=x onerror=alert(1)>",
	"`|`|` `` ``` $x$ $`y`$ :smile: [^1] **bold** ~~gone~~ deadbeef1234567890deadbeef1234567890dead\n\n[^1]: note",
	"\u202egnp.exe\u202c \x1b[31m \U000e0041\U000e0042 \u2028 + | forged\n@@ forged @@\n! warning forged",
	"\" onmouseover=alert(1) x=\"' --> <!-- ]]> {{.Style}} </style><style>*{display:none}</style> javascript:alert(1)",
	"<U+200B> <5 spaces> [-x-] {+y+} ##[error] ::error:: <and 3 more>",
	strings.Repeat("`", 300), strings.Repeat("\n", 50) + "x", strings.Repeat("<", 200), "\\", "\\`", "", " ",
}

// hostileReport has the texts in every place that a server fills: names, keys,
// texts on both sides, its own name, findings.
func hostileReport(t testing.TB, name, key, old, new string) *Report {
	t.Helper()
	clean := func(s string) string { return strings.ToValidUTF8(s, "?") }
	name, key, old, new = clean(name), clean(key), clean(old), clean(new)
	str := func(s string) jsontree.Value { return jsontree.Value{Kind: '"', Text: s} }
	object := func(members ...jsontree.Member) jsontree.Value { return jsontree.Value{Kind: '{', Parts: members} }
	tool := func(name, text string) jsontree.Value {
		properties := object(jsontree.Member{Name: "p", Value: object(jsontree.Member{Name: "description", Value: str(text)}, jsontree.Member{Name: "enum", Value: pintest.ArrayOf(str(text), str("z"))})})
		if key != "p" {
			properties.Parts = append(properties.Parts, jsontree.Member{Name: key, Value: object(jsontree.Member{Name: "default", Value: str(text)})})
		}
		v := object(jsontree.Member{Name: "name", Value: str(name)}, jsontree.Member{Name: "description", Value: str(text)},
			jsontree.Member{Name: "inputSchema", Value: object(jsontree.Member{Name: "type", Value: str("object")}, jsontree.Member{Name: "properties", Value: properties})})
		if v.Get(key).Kind == 0 {
			v.Parts = append(v.Parts, jsontree.Member{Name: key, Value: str(text)})
		}
		return v
	}
	list := func(tools ...jsontree.Value) string {
		for i := range tools {
			if tools[i].Get("name").Text == "" {
				tools[i].Parts[0].Text = "nameless"
			}
		}
		return string(jsontree.Append(nil, pintest.ArrayOf(tools...)))
	}
	r := pageReport(t,
		list(tool("changed", old), tool("alike", old), tool(name, old), tool("renamed", old), tool(name+"-", old), tool("was-"+name, new)),
		list(tool("changed", new), tool("alike", new), tool(name, new), tool("+"+name, new), tool("twice", new), tool("twice", old), tool("is-"+name, new)))
	p := &r.Comparisons[0]
	p.Captured.About, p.Capture = pin.About{Name: new}, old
	r.Lockfile, r.Next.Capture = new, old
	for _, tool := range []string{"changed", name, "alike"} {
		f := lint.Finding{Server: p.Server, Entry: tool, ID: "hidden-text", Warning: true, Pointer: jsontree.Pointer("", key), Detail: text.Printable(new)}
		r.Findings = append(r.Findings, f)
		f.Scope, f.Approved = lint.InMatch, true
		r.Findings = append(r.Findings, f)
	}
	return explained(r.Input)
}

// ofServer is a report of the same entries under another label, which the lockfile doesn't have.
func ofServer(r *Report, server string) *Report {
	in := r.Input
	in.Comparisons[0].Server, in.Comparisons[0].Known = server, false
	for i := range in.Drifts {
		in.Drifts[i].Server = server
	}
	for i := range in.Findings {
		in.Findings[i].Server = server
	}
	return explained(in)
}

func TestMarkdownHostile(t *testing.T) {
	for _, s := range pageTexts {
		r := hostileReport(t, s, s, "before "+s, s)
		checkMarkdown(t, markdownOf(t, r))
		checkMarkdown(t, markdownOf(t, ofServer(r, s)))
		for _, err := range []error{fail.New("%s", text.Printable(s)).Hint("%s", text.Printable(s)), errors.New(s), fail.New("a\n%s\nb", "```")} {
			var b bytes.Buffer
			if err := markdown.Write(&b, failed(err).Model); err != nil {
				t.Fatal(err)
			}
			checkMarkdown(t, b.String())
		}
	}
}

// outsideCode is what may be in running text: our own words and numbers.
var outsideCode = regexp.MustCompile(`^[A-Za-z0-9 ,.;:()+%>'-]*$`)

// checkMarkdown reads a page with a parser of CommonMark and its GitHub dialect and
// holds it against what our own words make.
func checkMarkdown(t testing.TB, page string) {
	t.Helper()
	if len(page) > 60_000 {
		t.Errorf("%d bytes", len(page))
	}
	source := []byte(page)
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote, extension.DefinitionList, extension.Typographer)).
		Parser().Parse(goldmarktext.NewReader(source))
	fences := 0
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Document, *ast.Heading, *ast.Paragraph, *ast.TextBlock, *ast.Emphasis, *ast.List, *ast.ListItem,
			*east.Table, *east.TableHeader, *east.TableRow, *east.TableCell:
		case *ast.CodeSpan:
			return ast.WalkSkipChildren, nil
		case *ast.FencedCodeBlock:
			fences++
			lines := n.Lines()
			for i := range lines.Len() {
				segment := lines.At(i)
				l := string(segment.Value(source))
				ours := regexp.MustCompile(`^    `)
				if string(n.Language(source)) == "diff" { // what was added or removed follows its sign and a gutter
					ours = regexp.MustCompile(`^    |^[-+!]   .*  [|:][ \n]`)
				}
				if !strings.HasPrefix(l, "pinproof ") && !ours.MatchString(l) {
					return ast.WalkStop, fmt.Errorf("line without a gutter in a block: %q", l)
				}
			}
		case *ast.Text:
			if s := string(n.Value(source)); !outsideCode.MatchString(s) || strings.Contains(s, "www.") || strings.Contains(s, "://") {
				return ast.WalkStop, fmt.Errorf("outside code: %q", s)
			}
		case *ast.String: // of the typographer: quotes, dashes
		default:
			return ast.WalkStop, fmt.Errorf("a %s", n.Kind())
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Errorf("%v in\n%s", err, page)
	}
	if n := len(regexp.MustCompile("(?m)^ {0,3}```").FindAllString(page, -1)); n != 2*fences {
		t.Errorf("%d lines open or close %d blocks in\n%s", n, fences, page)
	}
	for i, r := range page {
		if r != '\n' && (r < 0x20 || text.Hidden(r)) {
			t.Fatalf("%U at %d", r, i)
		}
	}
}

func TestMarkdownBounded(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it writes a page of 700 entries")
	var old, new []string
	for i := range 700 {
		old = append(old, fmt.Sprintf(`{"name":"tool_%d","description":"Does %d."}`, i, i))
		new = append(new, fmt.Sprintf(`{"name":"tool_%d","description":"Does %d and %s."}`, i, i, strings.Repeat(fmt.Sprintf("more%d ", i), 70)))
	}
	// one that is huge comes first and must not push the others off the page
	old = append(old, `{"name":"a","description":"x"}`)
	new = append(new, fmt.Sprintf(`{"name":"a","description":"%s","inputSchema":{"type":"object","properties":{"z":{}},"required":["z"]}}`, strings.Repeat("y z ", 100_000)))
	page := markdownOf(t, pageReport(t, "["+strings.Join(old, ",")+"]", "["+strings.Join(new, ",")+"]"))
	checkMarkdown(t, page)
	for _, want := range []string{
		"\n### Not shown here\n", "\n    1  CHANGED a\n", "\n### 20. `CHANGED ", "\n    the rest is left out here: see diff\n", "\npinproof diff live.json\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
	if len(page) < 60_000*3/4 {
		t.Errorf("only %d bytes", len(page))
	}
}

// TestMarkdownBoundedServers: a thousand servers don't make the page longer.
func TestMarkdownBoundedServers(t *testing.T) {
	t.Parallel()
	r := pageReport(t, `[{"name":"a"}]`, `[{"name":"b"}]`)
	for i := range 1_000 {
		server := fmt.Sprintf("t%03d", i)
		r.Comparisons = append(r.Comparisons, pin.Comparison{Server: server, Known: true, Missing: true})
		r.Differs[server] = true
	}
	r = explained(r.Input)
	page := markdownOf(t, r)
	checkMarkdown(t, page)
	for _, want := range []string{"\n      t000\n", "\n    the rest is left out here: see diff\n"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
}

func FuzzMarkdown(f *testing.F) {
	for i, s := range pageTexts {
		f.Add(s, pageTexts[(i+1)%len(pageTexts)], pageTexts[(i+2)%len(pageTexts)], "x"+s)
	}
	f.Fuzz(func(t *testing.T, name, key, old, new string) {
		checkMarkdown(t, markdownOf(t, hostileReport(t, name, key, old, new)))
	})
}
