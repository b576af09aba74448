package pin_test

import (
	"strings"
	"testing"

	"pinproof/internal/jsontest"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
)

const zeros = "sha256:0000000000000000000000000000000000000000000000000000000000000000"

// TestRecord: records are spelled as here, by hand after RFC 6901, section 6, and RFC 3986, section 3.5.
func TestRecord(t *testing.T) {
	for line, want := range map[string]pin.AcceptedWarning{
		"oversize " + zeros:                                                 {"oversize", "", zeros},
		"hidden-text /description " + zeros:                                 {"hidden-text", "/description", zeros},
		"remote-ref /inputSchema/properties/a~1b/$ref " + zeros:             {"remote-ref", "/inputSchema/properties/a~1b/$ref", zeros},
		"padding /_meta/a%20b%22%25%5C%5E%60%7C%23%5B%0A " + zeros:          {"padding", "/_meta/a b\"%\\^`|#[\n", zeros},
		"look-alike-name /n%C3%A4me/%E2%80%8B " + zeros:                     {"look-alike-name", "/näme/\u200b", zeros},
		"from-a-later-version-2 / " + zeros:                                 {"from-a-later-version-2", "/", zeros},
		"x /-._~0!$&'()*+,;=:@/?" + strings.Repeat("/", 4000) + " " + zeros: {"x", "/-._~0!$&'()*+,;=:@/?" + strings.Repeat("/", 4000), zeros},
	} {
		if got := want.String(); got != line {
			t.Errorf("%+v: %s, want %s", want, got, line)
		}
		if got, ok := pin.ParseAcceptedWarning(line); !ok || got != want {
			t.Errorf("%s: %+v, %v", line, got, ok)
		}
	}
	for _, bad := range []string{
		"", " ", "hidden-text", "hidden-text /description", "hidden-text " + zeros[:70], "hidden-text /description " + zeros + " ", " hidden-text " + zeros,
		"hidden-text  " + zeros, "hidden-text  /a " + zeros, "hidden-text /a  " + zeros, "hidden-text a " + zeros, "hidden-text /a b " + zeros,
		"Hidden-text /a " + zeros, "hidden_text /a " + zeros, strings.Repeat("a", 65) + " /a " + zeros, "/a " + zeros,
		"hidden-text /%61 " + zeros, "hidden-text /%c3%a4 " + zeros, "hidden-text /ä " + zeros, "hidden-text /a\u00a0 " + zeros, "hidden-text /a%2 " + zeros,
		"hidden-text /a~2 " + zeros, "hidden-text /a~ " + zeros, "hidden-text /a\" " + zeros, "hidden-text /a " + strings.ToUpper(zeros), "hidden-text\t/a " + zeros,
	} {
		if got, ok := pin.ParseAcceptedWarning(bad); ok {
			t.Errorf("%q is read as %+v", bad, got)
		}
	}
}

// FuzzRecord: a line that is read as a record is written again with the same bytes. Every place has
// its own spelling in printable ASCII without blanks and double quotes, and is read back from it.
func FuzzRecord(f *testing.F) {
	f.Add("hidden-text /description "+zeros, "a b")
	f.Add("x /%25 "+zeros, "\"\u202e%\x00~/")
	f.Fuzz(func(t *testing.T, line, token string) {
		if r, ok := pin.ParseAcceptedWarning(line); ok && r.String() != line {
			t.Errorf("%q is written again as %q", line, r)
		}
		r := pin.AcceptedWarning{ID: "x", Place: jsontree.ExtendPointer("/a", strings.ToValidUTF8(token, "")), Digest: zeros}
		again, ok := pin.ParseAcceptedWarning(r.String())
		if !ok || again != r || strings.Count(r.String(), " ") != 2 || strings.Trim(r.String(), " abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@/?%") != "" {
			t.Errorf("%q is read as %+v, %v", r, again, ok)
		}
	})
}

// TestMangledRecords: every edit of a byte gives another record, or no record.
func TestMangledRecords(t *testing.T) {
	r := pin.AcceptedWarning{ID: "hidden-text", Place: "/a b/é", Digest: zeros}
	jsontest.EachByteEdit(r.String(), func(edited string) {
		if got, ok := pin.ParseAcceptedWarning(edited); ok && got == r {
			t.Errorf("%q is the same", edited)
		}
	})
}
