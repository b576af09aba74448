package cli

import (
	"testing"

	"pinproof/internal/pin"
)

// TestGained: an entry gains a path if it is captured with it, as JSON spells it, and pinned without it.
func TestGained(t *testing.T) {
	for _, row := range [][]string{
		{"", `{"d":"In /home/runner."}`, "/home/runner", "gained"},
		{"", `{"d":"In /home/ada."}`, "/home/runner", ""},
		{`{"d":"In /home/ada."}`, `{"d":"In /home/runner, /home/runner"}`, "/home/runner", "gained"},
		{`{"d":"In C:\\ada."}`, `{"d":"In C:\\Users\\runner."}`, `C:\Users\runner`, "gained"},
		{`{"d":"In /home/runner."}`, `{"d":"In /home/runner!"}`, "/home/runner", ""},
		{"unknown", `{"d":"In /home/runner."}`, "/home/runner", ""},
	} {
		d := pin.Drift{Kind: pin.DriftChanged, Captured: &pin.Pin{HashedDefinition: pin.HashedDefinition{Definition: []byte(row[1])}}}
		switch row[0] {
		case "":
		case "unknown":
			d.Locked = &pin.Pin{}
		default:
			d.Locked = &pin.Pin{HashedDefinition: pin.HashedDefinition{Definition: []byte(row[0])}}
		}
		if got := gained(&d, row[2]); got != (row[3] != "") {
			t.Errorf("%q: %t", row, got)
		}
	}
}
