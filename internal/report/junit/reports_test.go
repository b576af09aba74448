package junit

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pinproof/internal/fail"
	"pinproof/internal/lint"
	"pinproof/internal/pin"
	"pinproof/internal/report"
	"pinproof/internal/report/reporttest"
)

func TestReport(t *testing.T) {
	s := reporttest.Scene{Server: "files",
		Old: `[{"name":"read_file","description":"Reads a file in a folder."},{"name":"stat"},{"name":"gone","title":"<b>"}]`,
		New: `[{"name":"read_file","description":"Reads any file in a folder.","_meta":["]]>"]},{"name":"stat"},{"name":"x\n<y>"}]`,
		Findings: []lint.Finding{
			{Ref: pin.Ref{Key: pin.Key{Name: "read_file"}}, ID: "new-address", Pointer: "/description", Detail: "grew & grew"},
			{Ref: pin.Ref{Key: pin.Key{Name: "stat"}}, ID: "padding", Warning: true, Detail: "much"},
			{ID: "oversize", Warning: true, Detail: "a large capture"}},
		Allowed: []pin.DriftKind{pin.DriftRemoved}}
	r := s.Report(t)
	got := reporttest.WriteToString(t, Write, r.Model)
	want := `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="pinproof" tests="5" failures="3" errors="0" time="0">
  <testsuite name="pinproof" tests="1" failures="1" errors="0" time="0">
    <testcase classname="pinproof" name="verdict" time="0">
      <failure type="DRIFT" message="DRIFT: 1 WARNING oversize in the capture; 1 added, 1 changed, 1 removed; 1 matches tools.lock"><![CDATA[DRIFT: 1 WARNING oversize in the capture; 1 added, 1 changed, 1 removed; 1 matches tools.lock
review: pinproof diff live.json]]></failure>
      <system-out><![CDATA[  WARNING oversize in the capture  a large capture
  accepted warnings, in entries that match:
  WARNING padding in stat  much
]]></system-out>
    </testcase>
  </testsuite>
  <testsuite name="files" tests="4" failures="2" errors="0" time="0">
    <testcase classname="files" name="read_file" time="0">
      <failure type="CHANGED" message="CHANGED read_file: text at /description; shown by clients at /_meta"><![CDATA[CHANGED read_file: text at /description; shown by clients at /_meta
  note new-address  /description  grew & grew
  text  /description  | Reads [-a-]{+any+} file in a folder.
  shown by clients  /_meta  + | ["]]]]><![CDATA[>"]
]]></failure>
    </testcase>
    <testcase classname="files" name="&#34;x&lt;U+000A&gt;&lt;y&gt;&#34;" time="0">
      <failure type="ADDED" message="ADDED &#34;x&lt;U+000A&gt;&lt;y&gt;&#34;: no pin names it"><![CDATA[ADDED "x<U+000A><y>": no pin names it
]]></failure>
    </testcase>
    <testcase classname="files" name="gone" time="0">
      <system-out><![CDATA[allowed: REMOVED gone: it is gone
]]></system-out>
    </testcase>
    <testcase classname="files" name="stat" time="0"></testcase>
  </testsuite>
</testsuites>
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	checkJUnit(t, r)
}

// TestAlike: entries in which the same words changed in different sentences aren't one block, and each
// case quotes the sentences of its own entry.
func TestAlike(t *testing.T) {
	list := func(word string) string {
		return `[{"name":"a","description":"The first tool ` + word + ` here."},{"name":"b","description":"The second tool ` + word + ` there."}]`
	}
	r := reporttest.ListsReport(t, list("works"), list("sleeps"))
	if len(r.Model.Blocks) != 2 {
		t.Fatalf("%d blocks", len(r.Model.Blocks))
	}
	out := reporttest.WriteToString(t, Write, r.Model)
	for _, want := range []string{"  | The first tool [-works-]{+sleeps+} here.\n", "  | The second tool [-works-]{+sleeps+} there.\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no\n%s in\n%s", want, out)
		}
	}
}

func TestScenes(t *testing.T) {
	folder := t.TempDir()
	for name, s := range reporttest.Scenes {
		t.Run(name, func(t *testing.T) {
			r := s.Report(t)
			checkJUnit(t, r)
			holdAgainstXSD(t, folder, func(w io.Writer) error { return Write(w, r.Model) })
		})
	}
	if os.Getenv("PINPROOF_JUNIT_XSD") == "" {
		t.Skip("not held against a published schema: PINPROOF_JUNIT_XSD is not set")
	}
}

// TestUpgrades reports what real servers changed.
func TestUpgrades(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	reporttest.EachUpgrade(t, func(t *testing.T, r *report.Report) {
		checkJUnit(t, r)
		holdAgainstXSD(t, folder, func(w io.Writer) error { return Write(w, r.Model) })
	})
}

// holdAgainstXSD has xmllint read a report, if the environment has the path of the
// schema is.
func holdAgainstXSD(t *testing.T, folder string, write func(io.Writer) error) {
	t.Helper()
	xsd := os.Getenv("PINPROOF_JUNIT_XSD")
	if xsd == "" {
		return
	}
	path := filepath.Join(folder, "report.xml")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("xmllint", "--noout", "--nonet", "--schema", xsd, path).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

func TestError(t *testing.T) {
	err := fail.NewAt("a.json:1:2", `bad "<x>"`).Hint("do & see")
	out := reporttest.WriteToString(t, Write, reporttest.FailedReport(err))
	want := `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="pinproof" tests="1" failures="0" errors="1" time="0">
  <testsuite name="pinproof" tests="1" failures="0" errors="1" time="0">
    <testcase classname="pinproof" name="verdict" time="0">
      <error type="error" message="a.json:1:2: bad &#34;&lt;x&gt;&#34;"><![CDATA[a.json:1:2: bad "<x>"
hint: do & see]]></error>
    </testcase>
  </testsuite>
</testsuites>
`
	if out != want {
		t.Errorf("got\n%s", out)
	}
	holdAgainstXSD(t, t.TempDir(), func(w io.Writer) error { return Write(w, reporttest.FailedReport(err)) })
}

// junitFile is what the tests read of a report.
type junitFile struct {
	XMLName  xml.Name      `xml:"testsuites"`
	Tests    int           `xml:"tests,attr"`
	Failures int           `xml:"failures,attr"`
	Suites   []junitInFile `xml:"testsuite"`
}

type junitInFile struct {
	Name     string `xml:"name,attr"`
	Tests    int    `xml:"tests,attr"`
	Failures int    `xml:"failures,attr"`
	Cases    []struct {
		Name     string `xml:"name,attr"`
		Failures []struct {
			Message string `xml:"message,attr"`
			Text    string `xml:",chardata"`
		} `xml:"failure"`
		Others []struct {
			XMLName xml.Name
		} `xml:",any"`
	} `xml:"testcase"`
}

// checkJUnit reads a report strictly and checks it against what there is to report.
func checkJUnit(t testing.TB, r *report.Report) {
	t.Helper()
	out := reporttest.WriteToString(t, Write, r.Model)
	reporttest.CheckPrintable(t, out)
	var got junitFile
	d := xml.NewDecoder(strings.NewReader(out))
	if err := d.Decode(&got); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if rest := strings.TrimSpace(out[d.InputOffset():]); rest != "" {
		t.Fatalf("trailing %q", rest)
	}
	tests, failures := 0, 0
	for i, suite := range got.Suites {
		n := 0
		for _, c := range suite.Cases {
			n += len(c.Failures)
			for _, f := range c.Failures {
				if strings.TrimSpace(f.Text) == "" || f.Message == "" {
					t.Fatalf("case %q fails and says nothing", c.Name)
				}
			}
			for _, o := range c.Others {
				if o.XMLName.Local != "system-out" {
					t.Fatalf("element %q in case %q", o.XMLName.Local, c.Name)
				}
			}
		}
		if n != suite.Failures || len(suite.Cases) != suite.Tests {
			t.Fatalf("suite %q says %d failures of %d, %d cases of %d", suite.Name, suite.Failures, n, suite.Tests, len(suite.Cases))
		}
		if i == 0 && (suite.Name != "pinproof" || len(suite.Cases) != 1 || (n == 1) != r.Failed || n == 1 && suite.Cases[0].Failures[0].Message != reporttest.Headline(r)) {
			t.Fatalf("the verdict doesn't come first:\n%s", out)
		}
		tests, failures = tests+len(suite.Cases), failures+n
	}
	entries, blocked := pin.RefSet{}, len(r.Model.Problems)
	for i := range r.Comparisons {
		for _, set := range []pin.Set{r.Comparisons[i].Locked, r.Comparisons[i].Captured} {
			for _, p := range set.Pins {
				entries[pin.Ref{Server: r.Comparisons[i].Server, Key: pin.Key{Type: p.Type, Name: p.Name}}] = true
			}
		}
	}
	for i := range r.Drifts {
		if r.FailingDrift[r.Drifts[i].Ref()] {
			blocked++
		}
	}
	if r.Failed {
		blocked++
	}
	if len(got.Suites) != len(r.Comparisons)+1 || tests != got.Tests || tests != len(entries)+len(r.Model.Problems)+1 || failures != got.Failures || failures != blocked {
		t.Fatalf("%d suites, %d tests of %d entries, %d failures, %d blocked:\n%s", len(got.Suites), tests, len(entries), failures, blocked, out)
	}
}

func FuzzJUnit(f *testing.F) {
	reporttest.Fuzz(f, func(t *testing.T, r *report.Report, text string) {
		checkJUnit(t, r)
		out := reporttest.WriteToString(t, Write, reporttest.FailedReport(errors.New(text)))
		if err := xml.Unmarshal([]byte(out), new(junitFile)); err != nil {
			t.Fatal(err)
		}
	})
}
