package cli

import (
	"testing"

	"pinproof/internal/pin"
)

// TestHasPath: a drift is nothing but a folder if the folder is wherever one other absolute
// path was, and nothing else differs.
func TestHasPath(t *testing.T) {
	for _, tt := range []struct {
		old, new, path string
		want           bool
	}{
		{`{"d":"In /home/ada."}`, `{"d":"In /home/runner."}`, "/home/runner", true},
		{`{"d":"In /home/ada, file:///home/ada/x"}`, `{"d":"In /home/runner, file:///home/runner/x"}`, "/home/runner", true},
		{`{"d":"In C:\\ada."}`, `{"d":"In C:\\Users\\runner."}`, `C:\Users\runner`, true},
		{`{"d":"/srv/a-long-name-for-a-folder"}`, `{"d":"/home/é"}`, "/home/é", true},
		{`{"d":"In /home/ada, /home/grace"}`, `{"d":"In /home/runner, /home/runner"}`, "/home/runner", false},
		{`{"d":"In /home/ada."}`, `{"d":"In /home/runner!"}`, "/home/runner", false},
		{`{"d":"In /home/ada."}`, `{"d":"In /home/grace."}`, "/home/runner", false},
		{`{"d":"In home."}`, `{"d":"In /home/runner."}`, "/home/runner", false},
		{`{"d":"In ."}`, `{"d":"In /home/runner."}`, "/home/runner", false},
		{`{"d":"/a","e":"/b"}`, `{"d":"/home/runner"}`, "/home/runner", false},
		{`{}`, `{"d":"/home/runner /home/runner /home/runner"}`, "/home/runner", false},
		{`{"d":"` + "/home/runner and much more text than there was" + `"}`, `{"d":"/home/runner"}`, "/home/runner", true}, // a longer path, as far as anyone can tell
		{``, `{"d":"In /home/runner."}`, "/home/runner", true},
		{``, `{"d":"In /home/ada."}`, "/home/runner", false},
	} {
		d := pin.Drift{Kind: pin.Changed, Locked: &pin.Pin{Form: pin.Form{Definition: []byte(tt.old)}}, Captured: &pin.Pin{Form: pin.Form{Definition: []byte(tt.new)}}}
		if tt.old == "" {
			d.Kind, d.Locked = pin.Added, nil
		}
		if got := hasPath(&d, tt.path); got != tt.want {
			t.Errorf("%s -> %s, %s: %t", tt.old, tt.new, tt.path, got)
		}
	}
}
