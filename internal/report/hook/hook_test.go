package hook

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"pinproof/internal/modeltext"
	"pinproof/internal/pin"
	"pinproof/internal/report"
	"pinproof/internal/report/reporttest"
	"pinproof/internal/shell"
)

// written returns the answer for an input.
func written(t *testing.T, in report.Input) string {
	t.Helper()
	var b strings.Builder
	if err := Write(&b, in); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestWrite has each line that an answer can have.
func TestWrite(t *testing.T) {
	drifted := reporttest.ListsReport(t, reporttest.OldList, reporttest.NewList).Input
	drifted.Lockfile, drifted.CommandLine = "/a/tools.lock", shell.Command{Capture: "/a/live.json", Server: "files"}
	drifted.RefusesDenied, drifted.Denied = true, make([]pin.Ref, 2)
	set := drifted.Comparisons[0]
	want := "pinproof: blocked: the MCP tools of server files are not the ones approved\n" +
		"1 warning that nobody approved\n" +
		"2 denied entries, which only a guard keeps from agents\n" +
		"5 entries: 1 hidden, 3 changed, 1 removed\n" +
		"approved set " + set.Locked.Digest + "\n" +
		"listed set   " + set.Captured.Digest + "\n" +
		"Do not use this server's tools. A person reviews the change at a terminal: pinproof relock /a/live.json --server files /a/tools.lock\n"
	if got := written(t, drifted); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}

	servers := reporttest.InputOf([]pin.Comparison{{Server: "a", State: pin.ServerGone}, {Server: "b", State: pin.ServerNew}})
	servers.Lockfile = "/a/tools.lock"
	want = "pinproof: blocked: the MCP tools are not the ones approved\n" +
		"1 server without approved tools\n" +
		"1 server without a capture\n" +
		"Do not use this server's tools. A person reviews the change at a terminal: pinproof relock /a/live.json /a/tools.lock\n"
	servers.CommandLine.Capture = "/a/live.json"
	if got := written(t, servers); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}

	denied := reporttest.ListsReport(t, reporttest.OldList, reporttest.OldList).Input
	denied.RefusesDenied, denied.Denied = true, make([]pin.Ref, 1)
	want = "pinproof: blocked: a person has denied 1 MCP entry\n" +
		"Do not use this server's tools. A person lets the guard or the client leave out what is denied, and adds to this command: --allow denied\n"
	if got := written(t, denied); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// ours matches all that an answer may contain: our own words, digests and counts, and no word of the server or
// its folder.
var ours = regexp.MustCompile(`^pinproof: blocked: the MCP tools are not the ones approved
(\d+ warnings? that nobody approved
)?(\d+ servers? without approved tools
)?(\d+ entr(y|ies): [\d, a-z]+
)?approved set (none|sha256:[0-9a-f]{64})
listed set   (none|sha256:[0-9a-f]{64})
Do not use this server's tools\. A person reviews the change at a terminal(\.|: pinproof relock /a/live\.json /a/tools\.lock)
$`)

// TestHostile: for anything in names, keys, texts, server IDs and paths, the answer has no word of it.
func TestHostile(t *testing.T) {
	for _, s := range append([]string{"a model reads this", "FORGED\nFORGED"}, reporttest.HostileTexts...) {
		r := reporttest.HostileReport(t, s, s, "before "+s, s)
		for _, in := range []report.Input{r.Input, reporttest.WithServerID(r, s).Input} {
			if modeltext.SafePath(s) != "" {
				// The paths are the user's own arguments.
				in.Lockfile, in.CommandLine.Capture = "/a/tools.lock", "/a/live.json"
			}
			said := written(t, in)
			if !ours.MatchString(said) {
				t.Errorf("%q: it says\n%s", s, said)
			}
			if _, plain := modeltext.ParseHookOutput([]byte(said)); !plain {
				t.Errorf("%q: pinproof-capture refuses\n%s", s, said)
			}
		}
	}
}

func TestError(t *testing.T) {
	var b strings.Builder
	if err := WriteNoVerdict(&b, shell.Command{Capture: "/a/live.json"}, "/a/tools.lock"); err != nil {
		t.Fatal(err)
	}
	want := "pinproof: blocked: no answer whether the MCP tools are the approved ones\n" +
		"Do not use this server's tools. To see why, a person runs this at a terminal: pinproof relock /a/live.json /a/tools.lock\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

// TestFailsWhole: an answer that couldn't be written is an error.
func TestFailsWhole(t *testing.T) {
	in := reporttest.ListsReport(t, reporttest.OldList, reporttest.NewList).Input
	size := len(written(t, in))
	for _, room := range []int{0, 20, size / 2, size - 1} {
		if err := Write(&reporttest.FullDisk{Room: room}, in); !errors.Is(err, reporttest.ErrFullDisk) {
			t.Errorf("with room for %d of %d bytes: %v", room, size, err)
		}
		if err := WriteNoVerdict(&reporttest.FullDisk{Room: min(room, 20)}, in.CommandLine, in.Lockfile); !errors.Is(err, reporttest.ErrFullDisk) {
			t.Errorf("an error, with room for %d bytes: %v", room, err)
		}
	}
}
