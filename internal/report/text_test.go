package report_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"pinproof/internal/prompt"
	. "pinproof/internal/report"
	"pinproof/internal/report/plain"
	"slices"
	"strings"
	"testing"

	"pinproof/internal/pin"
	"pinproof/internal/pintest"
	"pinproof/internal/shell"
)

func upgradeReport(pinned, found pin.Set) *Report {
	in := reportOf([]pin.Comparison{{Server: "s", Capture: "new.json", Known: true, Present: true, Locked: pinned, Captured: found}}, []pin.Set{pinned}).Input
	in.Next = shell.Command{Capture: "new.json"}
	return explained(in)
}

// TestMassUpgradesFitAScreen: where all tools changed alike, or nearly so, the gate says
// little more than which. No line is wider than its place, commands and BLOCK lines
// aside.
func TestMassUpgradesFitAScreen(t *testing.T) {
	t.Parallel()
	alike := 0
	pintest.SomeUpgrades(t, func(old, new string) {
		r := upgradeReport(pintest.RealPins(t, old, "s"), pintest.RealPins(t, new, "s"))
		tools := len(r.Comparisons[0].Captured.Pins)
		var said bytes.Buffer
		if err := plain.WriteVerify(&said, r.Model, plain.Style{}, false); err != nil {
			t.Fatal(err)
		}
		lines := strings.Count(said.String(), "\n")
		mass := len(r.Drifts) == tools && !slices.ContainsFunc(r.Drifts, func(d pin.Drift) bool { return d.Kind != pin.Changed })
		if mass && len(r.Model.Blocks) <= tools/2 {
			alike++
			if lines >= 2*tools+20 {
				t.Errorf("%s -> %s: %d lines for %d tools\n%s", old, new, lines, tools, said.String())
			}
		}
		for _, width := range []int{60, 100, 200} {
			for _, write := range []func(io.Writer, *Model, plain.Style) error{
				plain.WriteDiff, func(w io.Writer, m *Model, s plain.Style) error { return plain.WriteVerify(w, m, s, false) },
			} {
				var b bytes.Buffer
				if err := write(&b, r.Model, plain.Style{Width: width}); err != nil {
					t.Fatal(err)
				}
				for line := range strings.Lines(b.String()) {
					line = strings.TrimSuffix(line, "\n")
					if columnsOf(line) > width && !strings.Contains(line, ": pinproof ") && !strings.Contains(line, ": sha256:") && !strings.HasPrefix(line, "BLOCK ") {
						t.Errorf("%s -> %s: wider than %d: %s", old, new, width, line)
					}
				}
			}
		}
	})
	if alike < 3 {
		t.Errorf("only %d upgrades in which all tools changed alike", alike)
	}
}

// TestPoisonedRealUpgrade: hidden text in one tool of a real upgrade that changes all of
// them comes first, is in the headline, and is left out by what accepts the rest.
func TestPoisonedRealUpgrade(t *testing.T) {
	for _, versions := range [][2]string{
		{pintest.MadeUpServers + "/files/2.1.0.json", pintest.MadeUpServers + "/files/2.10.0.json"},
		{pintest.RealServers + "/mcp-filesystem/2026.7.4.json", pintest.RealServers + "/mcp-filesystem/2026.7.10.json"},
	} {
		if _, err := os.Stat(versions[0]); err != nil && strings.HasPrefix(versions[0], pintest.RealServers) {
			continue // not at hand
		}
		t.Run(filepath.Base(filepath.Dir(versions[0])), func(t *testing.T) { poisonedUpgrade(t, versions[0], versions[1]) })
	}
}

func poisonedUpgrade(t *testing.T, old, new string) {
	poisoned := pintest.PoisonedCapture(t, new)
	r := upgradeReport(pintest.RealPins(t, old, "s"), pintest.RealPins(t, poisoned, "s"))
	if got := verdictLine(r); !strings.HasPrefix(got, "DRIFT: 1 WARNING hidden-text in write_file; ") {
		t.Errorf("the verdict: %s", got)
	}
	if b := r.Model.Blocks[0]; b.Title != "write_file" {
		t.Errorf("first comes %s", b.Title)
	}

	// At the prompt: no to the poison, yes to all that remain.
	var shown, asked bytes.Buffer
	p := prompt.New(strings.NewReader("y\nn\na\ny\n"), &asked, plain.New(&shown, plain.Style{}), r.Model, "pinproof relock", nil)
	said, err := p.Review()
	if err != nil {
		t.Fatal(err)
	}
	if poison := said.Entries[r.Drifts[0].Ref()]; poison != "" || len(said.Entries) != len(r.Drifts)-1 {
		t.Errorf("accepted %d of %d, the first as %q", len(said.Entries), len(r.Drifts), poison)
	}
	if !strings.HasPrefix(asked.String(), "Accept write_file despite the warning? (1 of ") {
		t.Errorf("asked\n%s", asked.String())
	}
}

// TestFullNamesPlaces: with --full a long name is whole in its pointer, and a keyword that
// became another one says which it was.
func TestFullNamesPlaces(t *testing.T) {
	long := strings.Repeat("long_", 60)
	list := func(keyword, more string) string {
		return `[{"name":"t","inputSchema":{"type":"object","properties":{"a":{"` + keyword + `":[{"type":"string"},{"type":"integer"}]}` + more + `}}}]`
	}
	var b strings.Builder
	if err := plain.WriteDiff(&b, pageReport(t, list("anyOf", ""), list("oneOf", `,"`+long+`":{"type":"string"}`)).Model, plain.Style{Full: true, Width: 2_000}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"/inputSchema/properties/` + long + `"`, "/inputSchema/properties/a/oneOf", "was arguments.a/anyOf"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in\n%s", want, b.String())
		}
	}
}
