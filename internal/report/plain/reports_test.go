package plain

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"pinproof/internal/pin"
	"pinproof/internal/pintest"
	"pinproof/internal/report"
	"pinproof/internal/report/reporttest"
)

// TestMassUpgradesFitAScreen: if all tools changed alike, or nearly so, the gate prints
// little more than their names. No line is too wide, except commands, digests and BLOCK
// lines.
func TestMassUpgradesFitAScreen(t *testing.T) {
	t.Parallel()
	alike := 0
	pintest.SomeUpgrades(t, func(old, new string) {
		r := reporttest.UpgradeReport(pintest.ReadPins(t, old, "s"), pintest.ReadPins(t, new, "s"))
		tools := len(r.Comparisons[0].Captured.Pins)
		var said bytes.Buffer
		if err := WriteVerify(&said, r.Model, Style{}); err != nil {
			t.Fatal(err)
		}
		lines := strings.Count(said.String(), "\n")
		mass := len(r.Drifts) == tools && !slices.ContainsFunc(r.Drifts, func(d pin.Drift) bool { return d.Kind != pin.DriftChanged })
		if mass && lines < 2*tools+20 {
			alike++
		}
		for _, width := range []int{60, 100, 200} {
			for _, write := range []func(io.Writer, *report.Model, Style) error{
				WriteDiff, WriteVerify,
			} {
				var b bytes.Buffer
				if err := write(&b, r.Model, Style{Width: width}); err != nil {
					t.Fatal(err)
				}
				for line := range strings.Lines(b.String()) {
					line = strings.TrimSuffix(line, "\n")
					if reporttest.DisplayWidth(line) > width && !strings.Contains(line, ": pinproof ") && !strings.Contains(line, ": sha256:") && !strings.HasPrefix(line, "BLOCK ") {
						t.Errorf("%s -> %s: wider than %d: %s", old, new, width, line)
					}
				}
			}
		}
	})
	if alike < 3 {
		t.Errorf("only %d upgrades in which all tools changed take few lines", alike)
	}
}

// TestFullNamesPlaces: with --full a pointer has long names whole, and a keyword that became
// another one prints which it was.
func TestFullNamesPlaces(t *testing.T) {
	long := strings.Repeat("long_", 60)
	list := func(keyword, more string) string {
		return `[{"name":"t","inputSchema":{"type":"object","properties":{"a":{"` + keyword + `":[{"type":"string"},{"type":"integer"}]}` + more + `}}}]`
	}
	var b strings.Builder
	if err := WriteDiff(&b, reporttest.ListsReport(t, list("anyOf", ""), list("oneOf", `,"`+long+`":{"type":"string"}`)).Model, Style{Full: true, Width: 2_000}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"/inputSchema/properties/` + long + `"`, "/inputSchema/properties/a/oneOf", "was arguments.a/anyOf"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in\n%s", want, b.String())
		}
	}
}
