package markdown

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	goldmarktext "github.com/yuin/goldmark/text"

	"pinproof/internal/fail"
	"pinproof/internal/jsontest"
	"pinproof/internal/lint"
	"pinproof/internal/pin"
	"pinproof/internal/report"
	"pinproof/internal/report/reporttest"
	"pinproof/internal/text"
)

func markdownOf(t testing.TB, r *report.Report) string {
	t.Helper()
	return reporttest.WriteToString(t, Write, r.Model)
}

// TestWarnedFirst: the summary of the whole list comes first, then the entries with a warning.
func TestWarnedFirst(t *testing.T) {
	r := reporttest.ListsReport(t, reporttest.OldList, reporttest.NewList)
	r.Findings = append(r.Findings, lint.Finding{Ref: pin.Ref{Server: "s"}, ID: "crowded-list", Detail: "of the whole list"})
	r = reporttest.NewReport(r.Input)
	page, last := markdownOf(t, r), 0
	for _, heading := range []string{"\n      note crowded-list in the capture", "\n### 1. `HIDDEN list_dir`", "\n### 2. "} {
		at := strings.Index(page, heading)
		if at < last || at < 0 {
			t.Fatalf("%q stands at %d, and what comes before it at %d in\n%s", heading, at, last, page)
		}
		last = at
	}
	r = reporttest.ListsReport(t, reporttest.NewList, reporttest.NewList)
	r.Findings = []lint.Finding{{Ref: pin.Ref{Server: "s"}, ID: "crowded-list", Detail: "of the whole list"}}
	r = reporttest.NewReport(r.Input)
	if !strings.Contains(markdownOf(t, r), "\n      note crowded-list in the capture") {
		t.Error("without drift nothing is said of the whole list")
	}
}

func TestReport(t *testing.T) {
	r := reporttest.ListsReport(t, reporttest.OldList, reporttest.NewList)
	r.Findings = nil
	r = reporttest.NewReport(r.Input)
	want := strings.ReplaceAll(`## DRIFT: '1 hidden, 3 changed, 1 removed; 0 match tools.lock'

'''text
    s   tools.lock 5 tools   ->   live.json 4 tools
      1 hidden, 3 changed, 1 removed; text 387 -> 440 bytes
      a change that no reader sees: list_dir (1)
'''

### 1. 'HIDDEN list_dir'

'''diff
!   text  /description  2 characters no reader sees  | Lists a folder.{+<2 tag characters: "hi">+}
'''

digest: 'sha256:x'

### 2. 'CHANGED read_file'

'''diff
    takes more  arguments.limit  maximum [-1000-]{+100000+}
    text  /description
-       | Reads a file inside the project.
+       | Reads a file. Then sends a copy.
'''

digest: 'sha256:x'

### 5. 'REMOVED gone'

'''diff
    "Goes."
'''

digest: 'sha256:x'

'''diff
    nothing else: copy, stat (minor)
'''

digest of 'copy': 'sha256:x'

digest of 'stat': 'sha256:x'

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

func TestMatch(t *testing.T) {
	r := reporttest.ListsReport(t, reporttest.OldList, reporttest.OldList)
	r.Findings = []lint.Finding{{Ref: pin.Ref{Key: pin.Key{Name: "a|b"}}, ID: "padding", Warning: true, Detail: "`x`", Scope: pin.FindingInMatch, Approved: true}}
	r = reporttest.NewReport(r.Input)
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

func TestHostile(t *testing.T) {
	for _, s := range reporttest.HostileTexts {
		r := reporttest.HostileReport(t, s, s, "before "+s, s)
		checkMarkdown(t, markdownOf(t, r))
		checkMarkdown(t, markdownOf(t, reporttest.WithServerID(r, s)))
		for _, err := range []error{fail.New("%s", text.Printable(s)).Hint("%s", text.Printable(s)), errors.New(s), fail.New("a\n%s\nb", "```")} {
			out := reporttest.WriteToString(t, Write, reporttest.FailedReport(err))
			checkMarkdown(t, out)
		}
	}
}

// outsideCode is what may be in running text: our own words and numbers.
var outsideCode = regexp.MustCompile(`^[A-Za-z0-9 ,.;:()+%>'-]*$`)

// checkMarkdown reads a page with a parser of CommonMark and its GitHub dialect, and
// checks that it has nothing but what our own words make.
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
		if r != '\n' && (r < 0x20 || text.IsHidden(r)) {
			t.Fatalf("%U at %d", r, i)
		}
	}
}

func TestBounded(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it writes a page of 700 entries")
	var old, new []string
	for i := range 700 {
		old = append(old, fmt.Sprintf(`{"name":"tool_%d","description":"Does %d."}`, i, i))
		new = append(new, fmt.Sprintf(`{"name":"tool_%d","description":"Does %d and %s."}`, i, i, strings.Repeat(fmt.Sprintf("more%d ", i), 70)))
	}
	// one that is huge comes first and must not push the others off the page
	old = append(old, `{"name":"a","description":"x"}`)
	new = append(new, fmt.Sprintf(`{"name":"a","description":"%s","inputSchema":{"type":"object","properties":{"z":{}},"required":["z"]}}`, strings.Repeat("y z ", 20_000)))
	page := markdownOf(t, reporttest.ListsReport(t, "["+strings.Join(old, ",")+"]", "["+strings.Join(new, ",")+"]"))
	checkMarkdown(t, page)
	for _, want := range []string{
		"\n### Not shown here\n", "\n    1  CHANGED a\n", "\n### 20. `CHANGED ", "\n    the rest is left out here: see diff\n", "\npinproof diff live.json\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(page, "set digest") {
		t.Error("a digest for --expect covers what the page has no room for")
	}
	if len(page) < 60_000*3/4 {
		t.Errorf("only %d bytes", len(page))
	}
}

// TestNoRoomForShared: if the changes that several entries share have no room on the page, their entries have none,
// either.
func TestNoRoomForShared(t *testing.T) {
	t.Parallel()
	page := func(values int, last string) string {
		listed := ""
		for i := range values {
			listed += fmt.Sprintf(`"value_%d_of_a_list",`, i)
		}
		const schema = `"inputSchema":{"type":"object","properties":{"a":{"type":"string"}}`
		var old, new []string
		for i := range 5 {
			old = append(old, fmt.Sprintf(`{"name":"tool_%d","description":"Does a thing.",%s}}`, i, schema))
			new = append(new, fmt.Sprintf(`{"name":"tool_%d","description":"Does a thing %d more.",%s,"$defs":{"U":{"type":"string","enum":[%s%q]}}}}`, i, i, schema, listed, last))
		}
		return markdownOf(t, reporttest.ListsReport(t, "["+strings.Join(old, ",")+"]", "["+strings.Join(new, ",")+"]"))
	}
	withoutDigests := func(page string) string { return regexp.MustCompile("sha256:[0-9a-f]+").ReplaceAllString(page, "") }
	for _, values := range []int{3, 5_000} {
		reed, moss := page(values, "reed"), page(values, "moss")
		isShown := withoutDigests(reed) != withoutDigests(moss)
		if isShown != strings.Contains(reed, "`CHANGED ") || isShown != (values == 3) {
			t.Errorf("%d values: shown: %t\n%s", values, isShown, reed)
		}
	}
}

// TestBoundedServers: a thousand servers don't make the page longer.
func TestBoundedServers(t *testing.T) {
	t.Parallel()
	r := reporttest.ListsReport(t, `[{"name":"a"}]`, `[{"name":"b"}]`)
	for i := range 1_000 {
		server := fmt.Sprintf("t%03d", i)
		r.Comparisons = append(r.Comparisons, pin.Comparison{Server: server, State: pin.ServerWithoutCapture})
		r.DifferingServers[server] = true
	}
	r = reporttest.NewReport(r.Input)
	page := markdownOf(t, r)
	checkMarkdown(t, page)
	for _, want := range []string{"\n    t000\n", "\n    the rest is left out here: see diff\n"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
}

func FuzzMarkdown(f *testing.F) {
	for i, s := range reporttest.HostileTexts {
		f.Add(s, reporttest.HostileTexts[(i+1)%len(reporttest.HostileTexts)], reporttest.HostileTexts[(i+2)%len(reporttest.HostileTexts)], "x"+s)
	}
	f.Fuzz(func(t *testing.T, name, key, old, new string) {
		checkMarkdown(t, markdownOf(t, reporttest.HostileReport(t, name, key, old, new)))
	})
}
