package prompt

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pinproof/internal/pintest"
	"pinproof/internal/report/plain"
	"pinproof/internal/report/reporttest"
)

// TestPoisonedRealUpgrade hides text in one tool of an upgrade that changes all tools. That
// tool comes first and is in the headline, and accepting all the rest leaves it out.
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
	r := reporttest.UpgradeReport(pintest.ReadPins(t, old, "s"), pintest.ReadPins(t, poisoned, "s"))
	if got := reporttest.Headline(r); !strings.HasPrefix(got, "DRIFT: 1 WARNING hidden-text in write_file; ") {
		t.Errorf("the verdict: %s", got)
	}
	if b := r.Model.Blocks[0]; b.Title != "write_file" {
		t.Errorf("first comes %s", b.Title)
	}

	// At the prompt: no to the poison, yes to all that remain.
	var shown, asked bytes.Buffer
	p := New(strings.NewReader("n\n"+strings.Repeat("y\n", 20)), &asked, plain.New(&shown, plain.Style{}), r.Model, "pinproof relock", nil)
	said, err := p.Review()
	if err != nil {
		t.Fatal(err)
	}
	if poison := said.AcceptedDigests[r.Drifts[0].Ref()]; poison != "" || len(said.AcceptedDigests) != len(r.Drifts)-1 {
		t.Errorf("accepted %d of %d, the first as %q", len(said.AcceptedDigests), len(r.Drifts), poison)
	}
	if !strings.HasPrefix(asked.String(), "Accept write_file despite the warning? (1 of ") {
		t.Errorf("asked\n%s", asked.String())
	}
}
