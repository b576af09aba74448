package fail_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"pinproof/internal/fail"
)

// TestAsDrift: only ErrDrift itself and an error made by AsDrift, however it is wrapped, are drift.
func TestAsDrift(t *testing.T) {
	refusal := fail.New("no").AsDrift()
	for _, tt := range []struct {
		what  string
		err   error
		drift bool
	}{
		{"drift", fail.ErrDrift, true},
		{"a refusal", refusal, true},
		{"a refusal in another error", fmt.Errorf("of one: %w", refusal), true},
		{"a refusal with a hint", fail.New("no").AsDrift().Hint("look"), true},
		{"a refusal of a place", fail.NewAt("a:1:1", "no").AsDrift(), true},
		{"an error", fail.New("drift"), false},
		{"an error about a place", fail.NewAt("a", "drift"), false},
		{"an error of a path", fail.PathError("a", io.EOF), false},
		{"another's error of that text", errors.New("drift"), false},
		{"that, told to a person", fail.AsError(errors.New("drift")), false},
		{"what a path has of drift", fail.PathError("a", fail.ErrDrift), false},
	} {
		if errors.Is(tt.err, fail.ErrDrift) != tt.drift {
			t.Errorf("%s: want drift: %t", tt.what, tt.drift)
		}
	}
	if errors.Is(refusal, io.EOF) {
		t.Error("a refusal is any error")
	}
}

// TestText: what a person reads, and which place the error names.
func TestText(t *testing.T) {
	told := fail.New("%d of %d", 1, 2).Hint("see %s", "a").Hint("100%%")
	for _, tt := range []struct {
		what         string
		err          error
		lines, where string
	}{
		{"an error with hints", told, "1 of 2|hint: see a|hint: 100%", ""},
		{"the same in another", fmt.Errorf("not shown: %w", told), "1 of 2|hint: see a|hint: 100%", ""},
		{"a place", fail.NewAt("a:1:2", "no %s", "tool"), "a:1:2: no tool", "a:1:2"},
		{"a per cent sign in a place", fail.NewAt("50%d", "full"), "50%d: full", "50%d"},
		{"a hostile place", fail.NewAt("a\u202e:1", "full"), "a<U+202E>:1: full", "a<U+202E>:1"},
		// The library's error has the path raw, which may come from an archive.
		{"a hostile path", fail.PathError("a\x1b[2J\u200b", &fs.PathError{Op: "open", Path: "a\x1b[2J\u200b", Err: fs.ErrNotExist}),
			"a<U+001B>[2J<U+200B>: file does not exist", "a<U+001B>[2J<U+200B>"},
		{"of two paths", fail.PathError("b", fmt.Errorf("moved: %w", &os.LinkError{Op: "rename", Old: "\x07", New: "\x07", Err: fs.ErrPermission})), "b: permission denied", "b"},
		{"another's error", errors.New("a\x1b]0;x\x07\n::error"), "a<U+001B>]0;x<U+0007><U+000A>::error", ""},
	} {
		if got := strings.Join(fail.ErrorLines(tt.err), "|"); got != tt.lines {
			t.Errorf("%s\ngot  %s\nwant %s", tt.what, got, tt.lines)
		}
		f := fail.AsError(tt.err)
		if first, _, _ := strings.Cut(tt.lines, "|"); f.Error() != first || f.Where != tt.where {
			t.Errorf("%s: %q at %q, want %q", tt.what, f.Error(), f.Where, tt.where)
		}
	}
}

// TestAt: an error has the place in the file, counted by hand.
func TestAt(t *testing.T) {
	const data = "ab\ncd\r\n\ref\r\r\n\n\xc3\xa9g"
	f := fail.NewFile("x\u202e.json", []byte(data))
	for at, want := range map[int]string{
		0: "1:1", 1: "1:2", 2: "1:3", 3: "2:1", 5: "2:3", 6: "2:4", // CR and LF stand on the line that they end
		7: "3:1", 8: "4:1", 9: "4:2", 10: "4:3", 11: "5:1", 12: "5:2", 13: "6:1", 14: "7:1",
		16: "7:3", // é has two bytes
		17: "7:4", // the end
	} {
		if got := f.ErrorAt(at, "no %d", at).Error(); got != fmt.Sprintf("x<U+202E>.json:%s: no %d", want, at) {
			t.Errorf("%d: %s, want %s", at, got, want)
		}
	}
	if got := f.ErrorAt(-1, "empty").Error(); got != "x<U+202E>.json: empty" {
		t.Error(got)
	}
}

// TestPositionInAnyOrder asks for places of made-up texts in any order. The second opinion
// turns every line end into LF and counts from the beginning.
func TestPositionInAnyOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(20, 1))
	for range 300 {
		data := make([]byte, r.IntN(30))
		for i := range data {
			data[i] = "a\r\n"[r.IntN(3)]
		}
		ended := []byte(strings.ReplaceAll(string(data), "\r\n", "a\n")) // CR and LF are one end
		for i, c := range ended {
			if c == '\r' {
				ended[i] = '\n'
			}
		}
		f := fail.NewFile("a", data)
		places := r.Perm(len(data) + 1)
		if r.IntN(2) == 0 {
			slices.Sort(places)
		}
		for _, at := range places {
			before := string(ended[:at])
			line, column := f.Position(at)
			if wantLine, wantColumn := 1+strings.Count(before, "\n"), at-strings.LastIndex(before, "\n"); line != wantLine || column != wantColumn {
				t.Fatalf("%q, %d: %d:%d, want %d:%d", data, at, line, column, wantLine, wantColumn)
			}
		}
	}
}
