package reporttest

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	eastasian "golang.org/x/text/width"

	"pinproof/internal/jsontree"
	"pinproof/internal/report"
	"pinproof/internal/text"
)

// WriteToString returns a model as a format's Write writes it.
func WriteToString(t testing.TB, write func(io.Writer, *report.Model) error, m *report.Model) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// CheckPrintable fails the test if out contains what no output may show: a character that no reader sees, or a command
// for CI logs.
func CheckPrintable(t testing.TB, out string) {
	t.Helper()
	if !utf8.ValidString(out) {
		t.Fatalf("not UTF-8: %q", out)
	}
	for _, c := range out {
		if c != '\n' && (c < 0x20 || c == 0x7f || text.IsHidden(c) || text.UnusualSpace(c)) {
			t.Fatalf("U+%04X stands raw in %q", c, out)
		}
	}
	if strings.Contains(out, "##[") {
		t.Fatalf("a command for CI logs is spelled: %q", out)
	}
}

// CompileSchema compiles one of our schemas, or a published one.
func CompileSchema(t testing.TB, path string) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	s, err := c.Compile(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ValidateJSON parses JSON text strictly and, if s isn't nil, checks it against the schema.
func ValidateJSON(t testing.TB, s *jsonschema.Schema, text string) {
	t.Helper()
	r := jsontree.NewReader([]byte(text))
	if _, err := r.ReadSingle(); err != nil {
		t.Fatalf("not one strict JSON value: %v\n%s", err, text)
	}
	if s == nil {
		return
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(v); err != nil {
		t.Fatalf("%v\n%.2000s", err, text)
	}
}

// FullDisk is a writer that accepts Room bytes and then fails.
type FullDisk struct{ Room int }

// ErrFullDisk is the error that FullDisk returns.
var ErrFullDisk = errors.New("no space left")

func (d *FullDisk) Write(b []byte) (int, error) {
	if d.Room -= len(b); d.Room < 0 {
		return 0, ErrFullDisk
	}
	return len(b), nil
}

// DisplayWidth counts the columns of a row as a terminal does.
func DisplayWidth(row string) int {
	n := 0
	for _, r := range row {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		case eastasian.LookupRune(r).Kind() == eastasian.EastAsianWide, eastasian.LookupRune(r).Kind() == eastasian.EastAsianFullwidth:
			n += 2
		default:
			n++
		}
	}
	return n
}
