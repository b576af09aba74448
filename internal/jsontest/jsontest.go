// Package jsontest generates JSON for tests, and provides hostile texts and second implementations to compare with.
package jsontest

import (
	"bytes"
	"encoding/json"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/cases"
)

// init makes tests, and the programs that they start, collect garbage rarely: they are short, and collection took a
// fifth of their time. A benchmark collects garbage as a user's program does.
func init() {
	isBenchmark := slices.ContainsFunc(os.Args, func(arg string) bool { return strings.HasPrefix(arg, "-test.bench=") })
	if isBenchmark || os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(GCPercent)
	debug.SetMemoryLimit(1 << 30)
	os.Setenv("GOGC", strconv.Itoa(GCPercent))
}

// GCPercent is GOGC for tests: how much the heap may grow between collections, in percent.
const GCPercent = 1600

// Every digest in this file was made by another implementation (sorted keys and
// JSON.stringify in Node, sha256sum), and must never change: pins in committed
// lockfiles have the same digests.

// DefinitionOfListDir is one tool as a server sends it.
const DefinitionOfListDir = `{"name":"list_dir","description":"Lists a folder.",
  "inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}`

// ReadParagraphs reads a file of cases, and returns the lines of each paragraph. A line that begins with # is a comment.
func ReadParagraphs(t testing.TB, path string) (list [][]string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for paragraph := range strings.SplitSeq(strings.TrimSpace(string(data)), "\n\n") {
		lines := strings.Split(paragraph, "\n")
		lines = slices.DeleteFunc(lines, func(line string) bool { return strings.HasPrefix(line, "#") })
		if len(lines) > 0 {
			list = append(list, lines)
		}
	}
	return list
}

// ReadLines reads a file of cases, one a line. Empty lines, and lines that begin with #, are left out.
func ReadLines(t testing.TB, path string) []string {
	t.Helper()
	return slices.Concat(ReadParagraphs(t, path)...)
}

var (
	rowField = regexp.MustCompile("`[^`]*`|\"(?:[^\"\\\\]|\\\\.)*\"|[^ ]+")
	rowMark  = regexp.MustCompile(`(?s)⟪(\d+|tags|selectors) (.+?)⟫`)
)

// ExpandTemplates replaces the marks in a text of a file of cases: ⟪N TEXT⟫ is the text N times, ⟪tags TEXT⟫ and
// ⟪selectors TEXT⟫ spell it in those characters.
func ExpandTemplates(text string) string {
	return rowMark.ReplaceAllStringFunc(text, func(mark string) string {
		m := rowMark.FindStringSubmatch(mark)
		switch m[1] {
		case "tags":
			return AsTagCharacters(m[2])
		case "selectors":
			return AsVariationSelectors(m[2])
		}
		times, _ := strconv.Atoi(m[1])
		return strings.Repeat(m[2], times)
	})
}

// ReadRows reads a file of cases as ReadLines does. Each line is a row with the given number of fields. A field is a
// word or a Go string literal, whose marks are expanded (ExpandTemplates). After a line "$NAME = TEXT", each $NAME in a
// field stands for that text.
func ReadRows(t testing.TB, path string, fields int) (rows [][]string) {
	t.Helper()
	var names []string
	for _, line := range ReadLines(t, path) {
		row := rowField.FindAllString(line, -1)
		for i, value := range row {
			if strings.ContainsAny(value[:1], "\"`") {
				var err error
				if value, err = strconv.Unquote(value); err != nil {
					t.Fatalf("%s: %v: %s", path, err, row[i])
				}
			}
			row[i] = ExpandTemplates(strings.NewReplacer(names...).Replace(value))
		}
		if len(row) == 3 && row[1] == "=" && strings.HasPrefix(row[0], "$") {
			names = append(names, row[0], row[2])
			continue
		}
		if len(row) != fields {
			t.Fatalf("%s: %d fields instead of %d: %s", path, len(row), fields, line)
		}
		rows = append(rows, row)
	}
	return rows
}

// AsTagCharacters spells an ASCII text in tag characters.
func AsTagCharacters(s string) string {
	return strings.Map(func(r rune) rune { return r + 0xe0000 }, s)
}

// AsVariationSelectors spells a text in variation selectors, one for each byte.
func AsVariationSelectors(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if s[i] < 16 {
			b.WriteRune(0xfe00 + rune(s[i]))
		} else {
			b.WriteRune(0xe0100 + rune(s[i]) - 16)
		}
	}
	return b.String()
}

// WantError compares an error's text with the whole expected one; "" for no error.
func WantError(t *testing.T, err error, want string) {
	t.Helper()
	got := ""
	if err != nil {
		got = err.Error()
	}
	if got != want {
		t.Errorf("error\n%s\nwant\n%s", got, want)
	}
}

// CanonicalForm returns the RFC 8785 form, made by another library than the one
// that makes digests.
func CanonicalForm(t testing.TB, raw []byte) string {
	t.Helper()
	v := jsontext.Value(bytes.Clone(raw))
	if err := v.Canonicalize(); err != nil {
		t.Fatalf("the second implementation refuses %.200q: %v", raw, err)
	}
	return string(v)
}

// DecodeJSON returns a JSON text as encoding/json reads it, with numbers as doubles.
// The text must not repeat names.
func DecodeJSON(t testing.TB, raw []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("encoding/json refuses %.200q: %v", raw, err)
	}
	return v
}

// quoted returns a text as a JSON string.
func quoted(s string) string {
	b, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// A Maker generates random JSON. The same seed gives the same JSON.
type Maker struct{ *rand.Rand }

// NewMaker returns a maker for a seed.
func NewMaker(seed uint64) Maker { return Maker{rand.New(rand.NewPCG(seed, 1))} }

// IsLongRun reports whether tests may take long: PINPROOF_LONG is set, as .ci/run sets it.
func IsLongRun() bool { return os.Getenv("PINPROOF_LONG") != "" }

// RoundCount returns how many rounds a test with random input has: many in .ci/run, otherwise few, and with -short a
// tenth of few.
func RoundCount(few, many int) int {
	if IsLongRun() {
		return many
	}
	if testing.Short() {
		return max(few/10, 1)
	}
	return few
}

// SomeVariants returns the variants in which a test plays a case: all of them in .ci/run, otherwise the one that the
// name of the case chooses.
func SomeVariants[T any](variants []T, name string) []T {
	if IsLongRun() {
		return variants
	}
	at := crc32.ChecksumIEEE([]byte(name)) % uint32(len(variants))
	return variants[at : at+1]
}

// SkipShort skips a test with -short. why names the slow part of the test.
func SkipShort(t testing.TB, why string) {
	t.Helper()
	if testing.Short() {
		t.Skip("left out with -short: " + why)
	}
}

// Pick returns a random element of a list.
func (m Maker) Pick(list ...string) string { return list[m.IntN(len(list))] }

// Text returns a string of mostly ordinary characters.
func (m Maker) Text() string {
	var b strings.Builder
	for range m.IntN(12) {
		switch m.IntN(8) {
		case 0:
			b.WriteString(m.Pick("\u200b", "\ufe0f", "\U000e0061", "\u2028", "\u00a0", "\x00", "\x1b", "\x7f", "\u0085", "\u3164", "\ue000", "\ufffe"))
		case 1:
			b.WriteString(m.Pick("é", "e\u0301", "ﬁ", "한", "\u1112\u1161\u11ab", "😀", "\ufb33", "\ufffd", "א", "क्ष"))
		case 2:
			b.WriteString(m.Pick(`"`, `\`, "/", "\n", "\t", "<", "~1", "[-", "{+", "##["))
		default:
			b.WriteString(m.Pick("a", "path", "The ", "file", " ", "x1", "-", "Z"))
		}
	}
	return b.String()
}

// Number returns the text of a number, in any of its spellings.
func (m Maker) Number() string {
	switch m.IntN(4) {
	case 0:
		return strconv.Itoa(m.IntN(2_000_001) - 1_000_000)
	case 1:
		f := math.Float64frombits(m.Uint64())
		if math.IsNaN(f) || math.IsInf(f, 0) {
			f = 0.5
		}
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	return m.Pick("0", "-0", "1.0", "1e21", "1E+2", "100e-2", "0.1", "1e-7", "9007199254740991", "-9007199254740992", "1152921504606846976",
		"4.50", "5e-324", "1e-400", "1.7976931348623157e308", "0.000001", "123456789012345683968", "333333333.33333329")
}

// JSON returns the text of any value, nested at most depth levels deep.
func (m Maker) JSON(depth int) string {
	kinds := 7
	if depth <= 0 {
		kinds = 5
	}
	switch m.IntN(kinds) {
	case 0:
		return m.Pick("true", "false", "null")
	case 1:
		return m.Number()
	case 2, 3, 4:
		return quoted(m.Text())
	case 5:
		var items []string
		for range m.IntN(4) {
			items = append(items, m.JSON(depth-1))
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	return m.Object(depth, "")
}

// Object returns the text of an object without repeated names. The object always contains the member first, at a random
// place, unless first is "".
func (m Maker) Object(depth int, first string) string {
	seen := map[string]bool{"name": true}
	members := []string{}
	if first != "" {
		members = append(members, first)
	}
	for range m.IntN(5) {
		name := m.Pick("a", "b", "type", "properties", "description", "enum", m.Text())
		if !seen[name] {
			seen[name] = true
			members = append(members, quoted(name)+m.Pick(":", " : ")+m.JSON(depth-1))
		}
	}
	m.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	return "{" + strings.Join(members, m.Pick(",", ",\n")) + "}"
}

// Definition returns the text of a tool's definition.
func (m Maker) Definition(name string) string {
	first := `"name":` + quoted(name)
	if m.IntN(2) == 0 {
		first += `,"inputSchema":` + m.Object(3, "")
	}
	return m.Object(3, first)
}

// LockfileText is a lockfile. Its digests were made by another implementation.
const LockfileText = `{
  "lockfileVersion": 1,
  "servers": {
    "files": {
      "tools": {
        "list_dir": {
          "digest": "sha256:b19f14a17f9bce72a28c7f20abaf0ab9e90c71fe9358e943aeb33b0f660484fa",
          "definition": {
            "name": "list_dir"
          }
        },
        "read_file": {
          "digest": "sha256:db783dc82e7e7887858da33ce4ee8773e412e032a1986ff681568b8e09124cf6",
          "sanitizedDigest": "sha256:34cceba73f7a4b7e2eac928606bb2f6cd41d4a7f653b5b818f6d79ee0fd24589",
          "definition": {
            "description": "Reads a\u200b file\u00a0now, café 😀.",
            "inputSchema": {
              "extra": {},
              "properties": {
                "n": {
                  "maximum": 1e+21,
                  "minimum": 0
                }
              },
              "required": [],
              "type": "object"
            },
            "name": "read_file"
          }
        }
      }
    },
    "web": {
      "policy": {
        "hashOnly": true,
        "ignore": [
          "/_meta"
        ]
      },
      "tools": {
        "bare": {
          "digest": "sha256:79ba70ca76018216f216c2eed3e08bfa1ce350343325a262d78e658044a76d5c",
          "approval": {
            "by": "Ada\u200b <a@example.org>",
            "at": "2026-01-02T03:04:05Z",
            "hash": "sha256:ae178d187162fcfbc2394adb93daee390dfb878361615330ea7963518bfe915d",
            "digest": "sha256:79ba70ca76018216f216c2eed3e08bfa1ce350343325a262d78e658044a76d5c"
          }
        }
      }
    }
  }
}
`

// EachByteEdit calls f with every text that one edit of a byte makes of text: some
// substitutions, a deletion, some insertions. Within a digest only the first and
// last digits are tried.
func EachByteEdit(text string, f func(edited string)) {
	for i := range len(text) {
		if i >= 4 && i+4 < len(text) && strings.Trim(text[i-4:i+5], "0123456789abcdef") == "" {
			continue
		}
		for _, b := range []byte("\n \",0a\\}\x7f\xc3" + string([]byte{text[i] ^ 1, text[i] ^ 0x20, text[i] + 1})) {
			if b != text[i] {
				f(text[:i] + string([]byte{b}) + text[i+1:])
			}
		}
		f(text[:i] + text[i+1:])
		for _, b := range []byte("\n \",0a") {
			f(text[:i] + string([]byte{b}) + text[i:])
		}
	}
}

// CaptureToMangle is a small capture for EachByteEdit, with values of most kinds.
const CaptureToMangle = `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"ab","description":"a\u200bé <b>","x":[0,-1.5,1e3,true,null]},` +
	`{"name":"b","inputSchema":{"properties":{"p":{}}}}],"nextCursor":null}}`

var fullFolding = cases.Fold()

// FoldFully applies full case folding, which strings.EqualFold doesn't do.
func FoldFully(s string) string { return fullFolding.String(s) }

// ManyDescriptions has a description at every kind of place. Those at a schema position,
// and the tool's own, are "prose"; the others are "data".
const ManyDescriptions = `{
	"name": "t",
	"title": "data",
	"description": "prose",
	"annotations": {"description": "data", "title": "data"},
	"_meta": {"description": "data", "inputSchema": {"description": "data"}},
	"inputSchema": {
		"description": "prose",
		"properties": {
			"description": {"type": "string", "description": "prose"},
			"properties": {"properties": {"x": {"description": "prose"}}},
			"enum": {"description": "prose", "enum": [{"description": "data"}]},
			"list": {"items": {"description": "prose"}},
			"tuple": {"items": [{"description": "prose"}, true], "additionalItems": {"description": "prose"}},
			"more": {"prefixItems": [{"description": "prose"}], "contains": {"description": "prose"}},
			"const": {"const": {"description": "data"}, "default": {"description": "data"}, "examples": [{"description": "data"}]},
			"anything": true
		},
		"patternProperties": {"description": {"description": "prose"}},
		"additionalProperties": {"description": "prose"},
		"propertyNames": {"description": "prose"},
		"unevaluatedProperties": {"description": "prose"},
		"unevaluatedItems": {"description": "prose"},
		"contentSchema": {"description": "prose"},
		"$defs": {"description": {"description": "prose"}, "enum": {"allOf": [{"description": "prose"}]}},
		"definitions": {"d": {"anyOf": [{"oneOf": [{"not": {"description": "prose"}}]}]}},
		"dependentSchemas": {"d": {"description": "prose"}},
		"dependencies": {"d": {"description": "prose"}, "e": ["description"]},
		"if": {"description": "prose"}, "then": {"description": "prose"}, "else": {"description": "prose"},
		"required": ["description"],
		"default": {"description": "data"},
		"examples": [{"description": "data"}],
		"x-other": {"description": "data"}
	},
	"outputSchema": {"description": "prose", "properties": {"a": {"description": "prose"}}},
	"execution": {"description": "data"},
	"x": {"inputSchema": {"description": "data"}, "properties": {"p": {"description": "data"}}}
}`

// LineFeeds matches the mark for a long run of line feeds.
var LineFeeds = regexp.MustCompile(`^<([0-9]+) line feeds>$`)

var ourMarks = regexp.MustCompile(`^<(?:U\+([0-9A-F]+)|byte ([0-9A-F]{2})|([0-9]+) spaces?|([0-9]+) of U\+([0-9A-F]+)|([0-9]+) (tag character|variation selector)s?: ")`)

// ParsePrintable restores the original of a printable text, using only the description of the marks. If it restores
// every text, no two texts look alike.
func ParsePrintable(t *testing.T, s string) string {
	var b strings.Builder
	number := func(digits string, base int) int {
		n, err := strconv.ParseInt(digits, base, 64)
		if err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		return int(n)
	}
	for s != "" {
		m := ourMarks.FindStringSubmatch(s)
		if m == nil {
			b.WriteByte(s[0])
			s = s[1:]
			continue
		}
		s = s[len(m[0]):]
		switch {
		case m[1] != "":
			b.WriteRune(rune(number(m[1], 16)))
		case m[2] != "":
			b.WriteByte(byte(number(m[2], 16)))
		case m[3] != "":
			b.WriteString(strings.Repeat(" ", number(m[3], 10)))
		case m[4] != "":
			b.WriteString(strings.Repeat(string(rune(number(m[5], 16))), number(m[4], 10)))
		default:
			end := 0 // of the quoted text
			for end < len(s) && s[end] != '"' {
				if s[end] == '\\' {
					end++
				}
				end++
			}
			text := ParsePrintable(t, s[:end])
			text = regexp.MustCompile(`\\(.)`).ReplaceAllString(text, "$1")
			if len(text) != number(m[6], 10) {
				t.Fatalf("%s %ss counted for %q", m[6], m[7], text)
			}
			for i := range len(text) {
				if m[7] == "tag character" {
					b.WriteRune(0xe0000 + rune(text[i]))
				} else {
					b.WriteRune(0xe0100 + rune(text[i]) - 16)
				}
			}
			s = s[end:]
		}
		if m[6] != "" {
			if !strings.HasPrefix(s, `">`) {
				t.Fatalf("a decoded run that does not end: %q", s)
			}
			s = s[2:]
		} else if !strings.HasPrefix(s, ">") {
			t.Fatalf("a mark that does not end: %q", s)
		} else {
			s = s[1:]
		}
	}
	return b.String()
}

// CheckVisible fails a test if printable text has something that a reader could miss, judged by
// the toolchain's tables. They know more characters than our tables, so a character that ours
// don't know must have been escaped.
func CheckVisible(t *testing.T, s string) {
	t.Helper()
	if !utf8.ValidString(s) || strings.Contains(s, "##[") {
		t.Errorf("not printable: %+q", s)
	}
	marks := 0
	for i, r := range s {
		switch {
		case r == ' ' || r > 0x20 && r < 0x7f:
		case unicode.In(r, unicode.C, unicode.Z, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector),
			!unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S), r == 0x2800:
			t.Errorf("U+%04X at %d of %+q", r, i, s)
		}
		if unicode.In(r, unicode.Mn, unicode.Me) {
			if marks++; marks > 4 || i == 0 {
				t.Errorf("a mark too many, U+%04X at %d of %+q", r, i, s)
			}
		} else {
			marks = 0
		}
	}
}

// HostileTexts lists short texts of every kind that printing has to make visible.
var HostileTexts = []string{
	"plain", "<U+200B>", "\u200b", "\xff<byte FF>", strings.Repeat(" ", 40), "<40 spaces>", "\U000e0068\U000e0069", `<2 tag characters: "hi">`,
	"\U000e0022\U000e003e\U000e005c", "\U000e0151\U000e0152", "\ufe0f\ufe0f", "##[-x-]{+y+}", "a\u0301\u0301\u0301\u0301\u0301\u0301", "\n\n\n\n\n\r\t",
	strings.Repeat("\u200b", 30) + "\u3000", "<9 of U+200B>", "e\u0301<\u0301", "\U000e0023\U000e0023[x", "##\U000e005bx", "12 \x85\u0085", "<5 line feeds>\n<5",
	"\U000e01b3\U000e0199", `"\`, "\U000e0020\U000e0020", "##", "[", "-", "<", "1 of", "{", "+",
}
