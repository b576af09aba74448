package github

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pinproof/internal/fail"
	"pinproof/internal/report"
	"pinproof/internal/report/reporttest"
	"pinproof/internal/text"
)

func TestReport(t *testing.T) {
	for name, want := range map[string]string{
		"match": "OK: 0 drift (5 tools match tools.lock)\n",
		"drift": `::error file=tools.lock,line=1,title=pinproof::DRIFT: 1 duplicate, 2 added, 2 changed, 2 removed; 1 matches tools.lock
::error file=tools.lock,line=4,title=DUPLICATE twice::2 tools of this name: an agent may get any of them; this can't be accepted
::error file=tools.lock,line=13,title=CHANGED list_dir::text at /description
::error file=tools.lock,line=4,title=ADDED "t<U+00F6><U+0000>ol%2C \"%3A%3Aerror%3A%3Ax\""::no pin names it
::error file=tools.lock,line=4,title=ADDED new_name::renamed from old_name: nothing else differs
::error file=tools.lock,line=20,title=REMOVED old_name::renamed to new_name: nothing else differs
::error file=tools.lock,line=27,title=CHANGED read_file::new parameter at /inputSchema/properties/post_to; takes more at /inputSchema/properties/limit/maximum
::error file=tools.lock,line=6,title=REMOVED gone::it is gone
DRIFT: 1 duplicate, 2 added, 2 changed, 2 removed; 1 matches tools.lock
hint: review: pinproof diff live.json
`,
		"allowed": `::warning file=tools.lock,line=1,title=pinproof::PASS WITH DRIFT: 1 added, 1 removed; 1 matches tools.lock
::warning file=tools.lock,line=4,title=ADDED c::renamed from a: nothing else differs
::warning file=tools.lock,line=6,title=REMOVED a::renamed to c: nothing else differs
PASS WITH DRIFT: 1 added, 1 removed; 1 matches tools.lock
hint: review: pinproof diff live.json
`,
		"hidden": `::error file=tools.lock,line=1,title=pinproof::DRIFT: 1 hidden; 4 match tools.lock
::error file=tools.lock,line=27,title=HIDDEN read_file::2 characters no reader sees at /description
DRIFT: 1 hidden; 4 match tools.lock
hint: review: pinproof diff live.json
`,
		"nothing": `::error file=tools.lock,line=1,title=pinproof::DRIFT: no pins of server files; 0 match tools.lock
::error file=tools.lock,line=1,title=no pins of server files::tools.lock has no server files
DRIFT: no pins of server files; 0 match tools.lock
hint: review: pinproof diff live.json
`,
	} {
		r := reporttest.Scenes[name].Report(t)
		var b bytes.Buffer
		if err := Write(&b, r.Model); err != nil || b.String() != want {
			t.Errorf("%s: error %v, got\n%swant\n%s", name, err, b.String(), want)
		}
	}
}

func TestScenes(t *testing.T) {
	for name, s := range reporttest.Scenes {
		t.Run(name, func(t *testing.T) {
			r := s.Report(t)
			checkGitHub(t, r)
		})
	}
}

// TestEntries has one change in many tools, and many changes in one.
func TestEntries(t *testing.T) {
	var old, new []string
	for i := range 9 {
		old = append(old, fmt.Sprintf(`{"name":"t%d"}`, i))
		new = append(new, fmt.Sprintf(`{"name":"t%d","execution":1}`, i))
	}
	old, new = append(old, `{"name":"z"}`), append(new, `{"name":"z","a":1,"b":1,"c":1,"d":1,"e":1,"f":1}`)
	r := reporttest.Scene{Server: "s", Old: "[" + strings.Join(old, ",") + "]", New: "[" + strings.Join(new, ",") + "]"}.Report(t)
	out := reporttest.WriteToString(t, Write, r.Model)
	for _, want := range []string{
		"title=CHANGED t0::unclear at /execution\n", "title=CHANGED t8::unclear at /execution\n",
		"title=CHANGED z::other member at /a; other member at /b; other member at /c; other member at /d; 2 more changes\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
	checkGitHub(t, r)
}

func TestError(t *testing.T) {
	var b bytes.Buffer
	want := "::error title=pinproof has no answer::100%25 of a.json:1:2: bad%0Ahint: do%0D%0A::error::this\n"
	if err := Write(&b, reporttest.FailedReport(fail.NewAt("100% of a.json:1:2", "bad").Hint("do\r\n::error::this"))); err != nil || b.String() != want {
		t.Errorf("error %v, got %q", err, b.String())
	}
}

// TestUpgrades reports what real servers changed.
func TestUpgrades(t *testing.T) {
	t.Parallel()
	reporttest.EachUpgrade(t, func(t *testing.T, r *report.Report) { checkGitHub(t, r) })
}

// workflowCommand reads a line as the runner does: "::NAME PROPERTIES::DATA" after
// leading blanks, each property up to a comma and cut at its first equals sign.
func workflowCommand(line string) (name string, properties map[string]string, data string, ok bool) {
	line = strings.TrimLeft(line, " \t")
	if !strings.HasPrefix(line, "::") {
		return "", nil, "", false
	}
	head, data, ok := strings.Cut(line[2:], "::")
	if !ok {
		return "", nil, "", false
	}
	unescape := strings.NewReplacer("%25", "%", "%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",")
	name, rest, _ := strings.Cut(head, " ")
	properties = map[string]string{}
	for part := range strings.SplitSeq(rest, ",") {
		key, value, _ := strings.Cut(part, "=")
		properties[key] = unescape.Replace(value)
	}
	return name, properties, strings.NewReplacer("%25", "%", "%0D", "\r", "%0A", "\n").Replace(data), true
}

// checkGitHub reads annotations as the runner does and checks them against what
// there is to report.
func checkGitHub(t testing.TB, r *report.Report) {
	t.Helper()
	out := reporttest.WriteToString(t, Write, r.Model)
	reporttest.CheckPrintable(t, out)
	want := map[string][]report.Annotation{}
	commands := map[string]string{"error": "error", "warning": "warning", "note": "notice"}
	list := r.Model.Annotations(false)
	if !r.Matches {
		first := report.Annotation{Level: "warning", Line: 1, Title: "pinproof", Text: reporttest.Headline(r)}
		if r.Failed {
			first.Level = "error"
		}
		list = append([]report.Annotation{first}, list...)
	}
	for _, m := range list {
		want[commands[m.Level]] = append(want[commands[m.Level]], m)
	}
	got := map[string]int{}
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	for i, line := range lines {
		name, properties, data, ok := workflowCommand(line)
		if !ok {
			verdict := strings.HasPrefix(line, "OK: ") || strings.HasPrefix(line, "DRIFT: ") || strings.HasPrefix(line, "PASS WITH DRIFT: ")
			if hint := strings.HasPrefix(line, "hint: "); !hint && !verdict || i < len(lines)-2 {
				t.Fatalf("line %d is %q in\n%s", i, line, out)
			}
			continue
		}
		n := got[name]
		got[name]++
		list := want[name]
		if n >= len(list) {
			t.Fatalf("one %s too many: %q", name, line)
		}
		for key := range properties {
			if key != "title" && key != "line" && key != "file" {
				t.Fatalf("property %q in %q", key, line)
			}
		}
		if file := text.Printable(r.Model.AnnotatedFile); properties["file"] != file {
			t.Fatalf("file %q, not %q, in %q", properties["file"], file, line)
		}
		if m := list[n]; properties["title"] != m.Title || data != m.Text || r.Model.AnnotatedFile != "" && properties["line"] != fmt.Sprint(m.Line) {
			t.Fatalf("not %v: %q", m, line)
		}
	}
	for level, list := range want {
		if got[level] != len(list) {
			t.Fatalf("%d of %d %s annotations in\n%s", got[level], len(list), level, out)
		}
	}
	if r.Failed != (got["error"] > 0) {
		t.Fatalf("failed is %v, with %d errors", r.Failed, got["error"])
	}
}

func FuzzGitHub(f *testing.F) {
	reporttest.Fuzz(f, func(t *testing.T, r *report.Report, s string) {
		checkGitHub(t, r)
		out := reporttest.WriteToString(t, Write, reporttest.FailedReport(errors.New(s)))
		if _, _, data, ok := workflowCommand(strings.TrimSuffix(out, "\n")); !ok || data != text.Printable(s) {
			t.Fatalf("%q", out)
		}
	})
}
