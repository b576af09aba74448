package formats

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"pinproof/internal/fail"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
	"pinproof/internal/report"
	"pinproof/internal/report/reporttest"
	"pinproof/internal/text"
)

// The tests in this file walk the table of formats, so a new format is tested without a change here.

// eachFormat runs a test for each format that is written from the model alone.
func eachFormat(t *testing.T, test func(t *testing.T, write func(io.Writer, *report.Model) error)) {
	t.Helper()
	for _, f := range Table {
		if f.Write != nil {
			t.Run(f.Name, func(t *testing.T) { test(t, f.Write) })
		}
	}
}

// lineStart is how a hostile text begins lines of its own.
const lineStart = "FORGED"

var forgedLine = regexp.MustCompile(`(?m)^\s*` + lineStart)

// checkFormat checks a report for what every format has to keep, and for what its language asks, which its first bytes
// tell: JSON is strict, and our own fits our schema; XML is well formed; a page has only what pages may have.
func checkFormat(t testing.TB, ours *jsonschema.Schema, out string) {
	t.Helper()
	reporttest.CheckPrintable(t, out)
	if !strings.HasSuffix(out, "\n") {
		t.Error("the last line has no end")
	}
	if forgedLine.MatchString(out) {
		t.Errorf("a line begins with text of the server:\n%s", out)
	}
	switch {
	case strings.HasPrefix(out, "{") && strings.Contains(out, `"$schema"`):
		reporttest.ValidateJSON(t, nil, out) // the schema isn't ours: the format's own test uses it
	case strings.HasPrefix(out, "{"):
		reporttest.ValidateJSON(t, ours, out)
	case strings.HasPrefix(out, "<!DOCTYPE html"):
		reporttest.CheckPage(t, out)
	case strings.HasPrefix(out, "<?xml"):
		d := xml.NewDecoder(strings.NewReader(out))
		for {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		}
	}
}

// TestHostileText: every format keeps its form for anything in names, keys, texts, server IDs and errors.
func TestHostileText(t *testing.T) {
	t.Parallel()
	ours := reporttest.CompileSchema(t, pintest.FromRoot("docs/report.schema.json"))
	texts := append(slices.Clone(reporttest.HostileTexts), "a\n"+lineStart+"\r"+lineStart+"\u2028"+lineStart+"\u0085"+lineStart, "##[error]x\n::error::x", "]]></x><x>")
	if testing.Short() {
		// Each fifth of them, and those made for this test.
		few := slices.Clone(texts[len(reporttest.HostileTexts):])
		for i := 0; i < len(reporttest.HostileTexts); i += 5 {
			few = append(few, reporttest.HostileTexts[i])
		}
		texts = few
	}
	var drifted []*report.Report
	for _, s := range texts {
		r := reporttest.HostileReport(t, s, s, "before "+s, "after "+s)
		drifted = append(drifted, r, reporttest.WithServerID(r, s))
	}
	eachFormat(t, func(t *testing.T, write func(io.Writer, *report.Model) error) {
		for _, r := range drifted {
			checkFormat(t, ours, reporttest.WriteToString(t, write, r.Model))
		}
		another := reporttest.WriteToString(t, write, reporttest.FailedReport(errors.New("another")))
		for _, s := range texts {
			for _, err := range []error{errors.New(s), fail.New("%s", text.Printable(s)).Hint("%s", text.Printable(s))} {
				out := reporttest.WriteToString(t, write, reporttest.FailedReport(err))
				checkFormat(t, ours, out)
				if out == another {
					t.Errorf("an error %q is told like another", s)
				}
			}
		}
	})
}

// TestScenes has reports of a match, of drift, and of servers without pins, a capture or entries.
func TestScenes(t *testing.T) {
	t.Parallel()
	ours := reporttest.CompileSchema(t, pintest.FromRoot("docs/report.schema.json"))
	eachFormat(t, func(t *testing.T, write func(io.Writer, *report.Model) error) {
		for name, s := range reporttest.Scenes {
			r := s.Report(t)
			out := reporttest.WriteToString(t, write, r.Model)
			checkFormat(t, ours, out)
			again := s.Report(t)
			if reporttest.WriteToString(t, write, again.Model) != out {
				t.Errorf("%s: another report of the same", name)
			}
		}
	})
}

// TestFailsWhole: a report that couldn't be written is an error.
func TestFailsWhole(t *testing.T) {
	drifted := reporttest.ListsReport(t, reporttest.OldList, reporttest.NewList).Model
	eachFormat(t, func(t *testing.T, write func(io.Writer, *report.Model) error) {
		for _, m := range []*report.Model{drifted, reporttest.FailedReport(fail.New("x"))} {
			size := len(reporttest.WriteToString(t, write, m))
			for _, room := range []int{0, 20, size / 2, size - 1} {
				if err := write(&reporttest.FullDisk{Room: room}, m); !errors.Is(err, reporttest.ErrFullDisk) {
					t.Errorf("with room for %d of %d bytes: %v", room, size, err)
				}
			}
		}
	})
}

// TestVerdictsDiffer: a match, drift that is allowed and drift that isn't are told differently.
func TestVerdictsDiffer(t *testing.T) {
	s := reporttest.Scenes["allowed"]
	allowed := s.Report(t)
	s.Allowed = nil
	blocked := s.Report(t)
	s.Allowed = []pin.DriftKind{}
	s.New = s.Old
	match := s.Report(t)
	eachFormat(t, func(t *testing.T, write func(io.Writer, *report.Model) error) {
		told := []string{reporttest.WriteToString(t, write, allowed.Model), reporttest.WriteToString(t, write, blocked.Model), reporttest.WriteToString(t, write, match.Model)}
		if told[0] == told[1] || told[1] == told[2] || told[0] == told[2] {
			t.Errorf("two of these are told alike:\n%s", strings.Join(told, "\n"))
		}
	})
}
