package layout

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"

	"pinproof/internal/effort"
	"pinproof/internal/jsontest"
	"pinproof/internal/jsontree"
	"pinproof/internal/pintest"
	"pinproof/internal/text"
	"pinproof/internal/words"
)

// row returns what is printed of a line after its gutter.
func (l Line) row() string {
	var b strings.Builder
	for _, r := range l.Runs {
		b.WriteString(r.Text)
	}
	return b.String()
}

// wrap breaks lines that are too wide.
func wrap(lines []Line, width int) (rows []Line) {
	for _, l := range lines {
		rows = append(rows, l.Wrap(width, width)...)
	}
	return rows
}

// columnsOf measures a row as terminals do.
func columnsOf(row string) int {
	n := 0
	for _, r := range row {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		case width.LookupRune(r).Kind() == width.EastAsianWide, width.LookupRune(r).Kind() == width.EastAsianFullwidth:
			n += 2
		default:
			n++
		}
	}
	return n
}

// checkRows checks that no row is too wide or hides anything.
func checkRows(t *testing.T, lines []Line, width int) {
	t.Helper()
	for i, l := range lines {
		row := l.row()
		if n := columnsOf(row); n > width {
			t.Fatalf("row %d has %d columns: %q", i, n, row)
		}
		if strings.ContainsAny(row, "\r\n") || strings.Contains(row, "##[") {
			t.Fatalf("row %d: %q", i, row)
		}
		if i == 0 && l.Continued {
			t.Fatal("the first row is a continued one")
		}
		for _, r := range l.Runs {
			if i := strings.IndexFunc(r.Text, func(r rune) bool { return r < 0x20 || text.IsHidden(r) || text.UnusualSpace(r) }); i >= 0 || r.Text == "" && len(l.Runs) > 1 { // a blank line is one empty run: it has its sign
				t.Fatalf("a run of row %q: %q", row, r.Text)
			}
		}
	}
}

// unwrapped joins continued rows to whole lines.
func unwrapped(lines []Line) []Line {
	var out []Line
	for _, l := range lines {
		if l.Continued {
			last := &out[len(out)-1]
			last.Runs = append(last.Runs, l.Runs...)
		} else {
			out = append(out, Line{Sign: l.Sign, Runs: append([]Run{}, l.Runs...)})
		}
	}
	return out
}

func TestShowText(t *testing.T) {
	long := strings.Repeat("x", 250)
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{"one\ntwo", "one\ntwo"},
		{strings.Repeat("word ", 30), strings.Repeat("word ", 20) + "\n> " + strings.Repeat("word ", 9) + "word<1 space>"},
		{long, long[:100] + "\n> " + long[100:200] + "\n> " + long[200:]},
		{long[:100], long[:100]},
		{strings.Repeat("名", 60), strings.Repeat("名", 50) + "\n> " + strings.Repeat("名", 10)},
		{long[:95] + "\u200b", long[:95] + "\n> <U+200B>"},
		{long[:95] + "   \u200b", long[:95] + "\n>    <U+200B>"}, // all blanks begin the row: at the end of one, nobody sees them
		{long[:48] + "   /" + long[:70], long[:48] + "\n>    /" + long[:70]},
		{"a\n" + strings.Repeat("\n", 9) + "::error::b", "a\n<10 line feeds>\n::error::b"},
		{strings.Repeat(" ", 200), "<200 spaces>"},
	} {
		lines := wrap(ValueLines('+', jsontree.String(tt.text), false), DefaultWidth)
		var rows []string
		for _, l := range lines {
			row := l.row()
			if l.Continued {
				row = "> " + row
			}
			rows = append(rows, row)
			for _, r := range l.Runs {
				if r.Op != '+' {
					t.Errorf("%q is shown as %c", tt.text, r.Op)
				}
			}
		}
		if got := strings.Join(rows, "\n"); got != tt.want {
			t.Errorf("%.60q\ngot\n%s\nwant\n%s", tt.text, got, tt.want)
		}
	}
}

func TestShowJSON(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`null`, `null`},
		{`-1.5`, `-1.5`},
		{`"a\"b\\c\nd\te\u200b"`, `"a\"b\\c\nd\te<U+200B>"`},
		{`{"a":[1,{"b":true}],"c":{}}`, `{"a":[1,{"b":true}],"c":{}}`},
		{`[]`, `[]`},
		{`{"description":"A text that is too long to stand on one line with all that is beside it here.","type":"string"}`,
			"{\n" + `  "description":"A text that is too long to stand on one line with all that is beside it here.",` + "\n" + `  "type":"string"` + "\n}"},
		{`[["a text of some length, so that the arrays break"],["another text of some length, so that they do"]]`,
			"[\n" + `  ["a text of some length, so that the arrays break"],` + "\n" + `  ["another text of some length, so that they do"]` + "\n]"},
		{`{"a":{"b":"` + strings.Repeat("x", 70) + `","c":"` + strings.Repeat("y", 20) + `"}}`,
			"{\n  \"a\":{\n    \"b\":\"" + strings.Repeat("x", 70) + "\",\n    \"c\":\"" + strings.Repeat("y", 20) + "\"\n  }\n}"},
		{`{"\u001b[2J":1}`, `{"<U+001B>[2J":1}`},
	} {
		var rows []string
		for _, l := range wrap(jsonLines('=', pintest.ParseTree(t, tt.text), false), DefaultWidth) {
			rows = append(rows, l.row())
		}
		if got := strings.Join(rows, "\n"); got != tt.want {
			t.Errorf("%s\ngot\n%s\nwant\n%s", tt.text, got, tt.want)
		}
	}
	if got := jsonLines('=', pintest.ParseTree(t, `{"é":"\u0430"}`), true)[0].row(); got != `{"<U+00E9>":"<U+0430>"}` {
		t.Errorf("in ASCII: %s", got)
	}
}

func TestShowWords(t *testing.T) {
	for _, tt := range []struct{ old, new, want string }{
		{"Reads a file.", "Reads one file.", "Reads [-a-]{+one+} file."},
		{"a\nb\nc", "a\nc", "a\n[-b<U+000A>-]c"},
		{"a\nc", "a\nb\nc", "a\n{+b<U+000A>+}c"},
		{"a\nb", "a b", "a[-<U+000A>-]{+ +}b"},
		{"a b", "a\n\n\n\n\nb", "a[- -]{+<U+000A><U+000A><U+000A><U+000A><U+000A>+}b"},
		{"file", "file\u200b", "file{+<U+200B>+}"},
		{"reаd all", "read all", "[-re<U+0430>d-]{+read+} all"}, // the first has a Cyrillic letter
		{"x", "x -] +} [- {+", "x{+ -] <U+002B>} <U+005B>- <U+007B>++}"},
		{"x -] y", "y", "[-x <U+002D>] -]y"},
		{"", "::error::x\n##[error]", "+::error::x\n+##<U+005B>error]"},
	} {
		budget := effort.NewBudget()
		var rows []string // each after its sign, unless that is '='
		for _, l := range WordDiffLines(words.DiffWords(budget, tt.old, tt.new)) {
			row := l.MarkChanges().row()
			if l.Sign != '=' {
				row = string(l.Sign) + row
			}
			rows = append(rows, row)
		}
		if got := strings.Join(rows, "\n"); got != tt.want {
			t.Errorf("%q -> %q\ngot\n%s\nwant\n%s", tt.old, tt.new, got, tt.want)
		}
	}
}

// FuzzShowText: no row is too wide, and no text is lost.
func FuzzShowText(f *testing.F) {
	for _, s := range append(jsontest.HostileTexts, strings.Repeat("long text, ", 40), strings.Repeat("名前", 90), strings.Repeat("e\u0301", 150), strings.Repeat("\u200b\u200c", 40), strings.Repeat("x", 99)+"名") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		width := MinWidth + len(s)%DefaultWidth
		lines := wrap(ValueLines('-', jsontree.String(s), false), width)
		checkRows(t, lines, width)
		var got []string
		for _, l := range unwrapped(lines) {
			got = append(got, l.row())
		}
		shown, want := strings.Join(got, "\n"), strings.Join(text.PrintableLines(s, false), "\n")
		if quoted := printableString(s, false); strings.Join(got, "") == quoted { // FuzzShowJSON reads it back
			shown, want = quoted, quoted
		} else if json.Valid([]byte(s)) {
			t.Fatalf("%q passes for another value", s)
		}
		if shown != want {
			t.Fatalf("%q\ngot\n%s\nwant\n%s", s, shown, want)
		}
	})
}

var indent = regexp.MustCompile(`^ *`)

// FuzzShowJSON: what is shown of a value can be read back as that value.
func FuzzShowJSON(f *testing.F) {
	f.Add([]byte(jsontest.DefinitionOfListDir))
	f.Add([]byte(jsontest.ManyDescriptions))
	f.Add([]byte(`{"a":["` + strings.Repeat("long ", 60) + `",["\u200b\ud83d\ude00"]],"":{"##[":[null,1e5]}}`))
	f.Add([]byte("{\"\x7fa\":1,\"b\":2}"))
	f.Add([]byte(`[[[[[[[["` + strings.Repeat("x", 90) + `"]]]]]]]]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := jsontree.NewReader(data)
		v, err := r.ReadSingle()
		if err != nil {
			return
		}
		for _, asciiOnly := range []bool{false, true} {
			width := MinWidth + len(data)%DefaultWidth
			lines := wrap(jsonLines('+', v, asciiOnly), width)
			checkRows(t, lines, width)
			var text strings.Builder
			for i, l := range lines {
				row := l.row()
				if i > 0 && !l.Continued {
					row = indent.ReplaceAllString(row, "")
				}
				text.WriteString(row)
			}
			shown := text.String()
			if strings.Contains(shown, ` tag character`) || strings.Contains(shown, ` variation selector`) {
				continue // these have quotes of their own
			}
			if !json.Valid([]byte(shown)) {
				t.Fatalf("%s\nis shown as\n%s", data, shown)
			}
			back := unescapedTexts(t, pintest.ParseTree(t, shown))
			if !jsontree.Equal(back, v) {
				t.Fatalf("%s\nis shown as\n%s\nwhich reads as\n%s", data, shown, jsontree.Append(nil, back))
			}
		}
	})
}

// unescapedTexts reads every text and key of a value back from its printable form.
func unescapedTexts(t *testing.T, v jsontree.Value) jsontree.Value {
	if v.Kind == '"' {
		v.Text = jsontest.ParsePrintable(t, v.Text)
	}
	for i, p := range v.Parts {
		v.Parts[i] = jsontree.Member{Name: jsontest.ParsePrintable(t, p.Name), Value: unescapedTexts(t, p.Value)}
	}
	if v.Kind == '{' {
		return jsontree.Object(v.Parts...) // unescaped keys can have another order
	}
	return v
}

var lineFeedsWithin = regexp.MustCompile(`<([0-9]+) line feeds>$`)

// FuzzShowWords: both texts can be read back from a word diff, except their line feeds.
func FuzzShowWords(f *testing.F) {
	for i, s := range jsontest.HostileTexts {
		f.Add(s, jsontest.HostileTexts[(i+5)%len(jsontest.HostileTexts)])
	}
	f.Add("## x", "##[x")
	f.Add("##", "## [x] {y}")
	f.Add("a\n\n\n\n\n\nb\nc", "a\nb\n\n\n\n\n\n\nc\n")
	f.Add("one\ntwo\nthree\n", "one\n2\n\nthree")
	f.Add("a [b] -] +}", "a {b} -] +} -")
	f.Add(strings.Repeat("lorem ipsum ", 30), strings.Repeat("lorem dolor ", 30))
	f.Fuzz(func(t *testing.T, old, new string) {
		if !utf8.ValidString(old) || !utf8.ValidString(new) || len(old) > 2_000 || len(new) > 2_000 {
			return
		}
		budget := effort.NewBudget()
		lines := WordDiffLines(words.DiffWords(budget, old, new))
		width := MinWidth + len(old)%DefaultWidth
		var rows []Line
		for _, l := range lines {
			rows = append(rows, l.MarkChanges().Wrap(width, width)...)
		}
		checkRows(t, rows, width)
		var before, after strings.Builder
		for _, l := range unwrapped(rows) {
			var runs []Run // with neighbours of one kind joined
			for _, r := range l.Runs {
				if n := len(runs); n > 0 && runs[n-1].Op == r.Op {
					runs[n-1].Text += r.Text
				} else {
					runs = append(runs, r)
				}
			}
			for _, r := range runs {
				if r.Op != l.Sign {
					open, closing := "[-", "-]"
					if r.Op == '+' {
						open, closing = "{+", "+}"
					}
					if inner, marked := strings.CutPrefix(r.Text, open); r.Op != '=' && (!marked || strings.Index(inner, closing) != len(inner)-len(closing)) {
						t.Fatalf("%q -> %q: a run %q", old, new, r.Text)
					}
					r.Text = strings.TrimSuffix(strings.TrimPrefix(r.Text, open), closing)
				}
				text := jsontest.ParsePrintable(t, lineFeedsWithin.ReplaceAllString(r.Text, ""))
				if r.Op != '+' {
					before.WriteString(text)
				}
				if r.Op != '-' {
					after.WriteString(text)
				}
			}
		}
		flat := func(s string) string { return strings.ReplaceAll(s, "\n", "") }
		if flat(before.String()) != flat(old) || flat(after.String()) != flat(new) {
			t.Fatalf("%q -> %q\nreads as %q -> %q", old, new, before.String(), after.String())
		}
	})
}

func TestAlike(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"read", "read", true}, {"read", "read\u200b", true}, {"caf\u00e9", "cafe\u0301", true}, {"re\u0430d", "read", true}, {"x", "\u0445", true},
		{"read", "rend", false}, {"read", "reads", false}, {"a\u0430b", "aac", false}, {"", "", true}, {"a", "", false},
	} {
		if got := Confusable(tt.a, tt.b); got != tt.want {
			t.Errorf("Confusable(%+q, %+q) = %v", tt.a, tt.b, got)
		}
	}
}

// TestDeepIndentation: the indentation of JSON has a limit, so that a list of numbers at a deep place isn't a hundred
// times its size, and the brackets still show what is in what.
func TestDeepIndentation(t *testing.T) {
	const depth = 100
	list := "[" + strings.Repeat("12345678,", 20) + "1]"
	value := pintest.ParseTree(t, strings.Repeat(`{"a":`, depth)+list+strings.Repeat("}", depth))
	written := ""
	for _, l := range ValueLines('=', value, true) {
		row := ""
		for _, r := range l.Runs {
			row += r.Text
		}
		if len(row) > 45 {
			t.Fatalf("a row of %d bytes: %q", len(row), row)
		}
		written += strings.TrimLeft(row, " ")
	}
	if want := CompactJSON(value); written != want {
		t.Errorf("got %.200s\nwant %.200s", written, want)
	}
}
