package report_test

import (
	"bytes"
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
	. "pinproof/internal/report"
	"pinproof/internal/report/formats"
	"pinproof/internal/text"
)

// The tests in this file walk the table of formats: a new row is held to all of it without a line here.

// eachFormat runs a test for each format that is written from the model alone.
func eachFormat(t *testing.T, test func(t *testing.T, write func(io.Writer, *Model) error)) {
	t.Helper()
	for _, f := range formats.Table {
		if f.Write != nil {
			t.Run(f.Name, func(t *testing.T) { test(t, f.Write) })
		}
	}
}

// bytesOf is a report in a format.
func bytesOf(t testing.TB, write func(io.Writer, *Model) error, r *Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, r.Model); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// lineStart is what a hostile text begins a line of its own with.
const lineStart = "FORGED"

// checkFormat holds a report to what is asked of every format, and of its language as far as its first bytes tell
// which one that is: JSON is strict, and ours is as its schema says; XML is well formed; a page is made of what pages
// may be made of.
func checkFormat(t testing.TB, ours *jsonschema.Schema, out string) {
	t.Helper()
	checkShown(t, out)
	if !strings.HasSuffix(out, "\n") {
		t.Error("the last line has no end")
	}
	if regexp.MustCompile(`(?m)^\s*` + lineStart).MatchString(out) {
		t.Errorf("a line begins with text of the server:\n%s", out)
	}
	switch {
	case strings.HasPrefix(out, "{") && strings.Contains(out, `"$schema"`):
		validate(t, nil, []byte(out)) // somebody else's schema, which its own test holds it against
	case strings.HasPrefix(out, "{"):
		validate(t, ours, []byte(out))
	case strings.HasPrefix(out, "<!DOCTYPE html"):
		checkPage(t, out)
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

// TestFormatsTakeHostileText: whatever is in names, keys, texts, labels of servers and errors.
func TestFormatsTakeHostileText(t *testing.T) {
	t.Parallel()
	ours := compiledSchema(t, pintest.Path("docs/report.schema.json"))
	texts := append(slices.Clone(pageTexts), "a\n"+lineStart+"\r"+lineStart+"\u2028"+lineStart+"\u0085"+lineStart, "##[error]x\n::error::x", "]]></x><x>")
	if testing.Short() {
		// Each fifth of them, and those made for this test.
		few := slices.Clone(texts[len(pageTexts):])
		for i := 0; i < len(pageTexts); i += 5 {
			few = append(few, pageTexts[i])
		}
		texts = few
	}
	eachFormat(t, func(t *testing.T, write func(io.Writer, *Model) error) {
		for _, s := range texts {
			r := hostileReport(t, s, s, "before "+s, "after "+s)
			checkFormat(t, ours, bytesOf(t, write, r))
			checkFormat(t, ours, bytesOf(t, write, ofServer(r, s)))
			for _, err := range []error{errors.New(s), fail.New("%s", text.Printable(s)).Hint("%s", text.Printable(s))} {
				out := bytesOf(t, write, failed(err))
				checkFormat(t, ours, out)
				if out == bytesOf(t, write, failed(errors.New("another"))) {
					t.Errorf("an error %q is told like another", s)
				}
			}
		}
	})
}

// TestFormatsTakeScenes: what matches, drifts, has no pins, no capture, no entries.
func TestFormatsTakeScenes(t *testing.T) {
	t.Parallel()
	ours := compiledSchema(t, pintest.Path("docs/report.schema.json"))
	eachFormat(t, func(t *testing.T, write func(io.Writer, *Model) error) {
		for name, s := range scenes {
			r, _ := s.report(t)
			out := bytesOf(t, write, r)
			checkFormat(t, ours, out)
			again, _ := s.report(t)
			if bytesOf(t, write, again) != out {
				t.Errorf("%s: another report of the same", name)
			}
		}
	})
}

// TestFormatsFailWhole: a report that couldn't be written is an error.
func TestFormatsFailWhole(t *testing.T) {
	drifted := pageReport(t, pageOld, pageNew)
	eachFormat(t, func(t *testing.T, write func(io.Writer, *Model) error) {
		for _, r := range []*Report{drifted, failed(fail.New("x"))} {
			size := len(bytesOf(t, write, r))
			for _, room := range []int{0, 20, size / 2, size - 1} {
				if err := write(&fullDisk{room: room}, r.Model); !errors.Is(err, errFullDisk) {
					t.Errorf("with room for %d of %d bytes: %v", room, size, err)
				}
			}
		}
	})
}

// TestFormatsWarnFirst: the verdict names the warning before any entry is named, and the entry that has it is the first of all.
func TestFormatsWarnFirst(t *testing.T) {
	const list = `[{"name":"aaa_tool","description":"Reads."},{"name":"bbb_tool","description":"Writes a file."},{"name":"ccc_tool","description":"Lists."}]`
	old, new := poisoned(t, list, "bbb_tool")
	r := pageReport(t, old, new)
	eachFormat(t, func(t *testing.T, write func(io.Writer, *Model) error) {
		out := bytesOf(t, write, r)
		_, below, found := strings.Cut(out, "1 WARNING hidden-text in bbb_tool")
		if !found {
			t.Fatalf("the verdict has no warning:\n%s", out)
		}
		if first := regexp.MustCompile(`(aaa|bbb|ccc)_tool`).FindString(below); first != "bbb_tool" {
			t.Errorf("%s is named first", first)
		}
	})
}

// TestFormatsDiffer: drift isn't told like a match, nor drift that is allowed like drift that isn't.
func TestFormatsDiffer(t *testing.T) {
	s := scenes["allowed"]
	allowed, _ := s.report(t)
	s.allowed = nil
	blocked, _ := s.report(t)
	s.allowed = []pin.DriftKind{}
	s.new = s.old
	match, _ := s.report(t)
	eachFormat(t, func(t *testing.T, write func(io.Writer, *Model) error) {
		told := []string{bytesOf(t, write, allowed), bytesOf(t, write, blocked), bytesOf(t, write, match)}
		if told[0] == told[1] || told[1] == told[2] || told[0] == told[2] {
			t.Errorf("two of these are told alike:\n%s", strings.Join(told, "\n"))
		}
	})
}
