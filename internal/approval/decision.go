package approval

import (
	"slices"
	"strings"

	"pinproof/internal/pin"
)

// A Selection says which drift a person accepts.
type Selection struct {
	All     bool
	Part    bool // of all, nothing but what --only selects
	Accepts []Selector
	Labels  []Selector   // of accepts, those that are labels: they become chosen
	Chosen  map[int]bool // indexes of drifts: from the prompt, or by their labels
	Refused map[int]bool // indexes of drifts with a new warning: never accepted, even if selected
	Whole   bool         // a warning about the captures as a whole was not accepted

	Recorded WarningRecord // accepted warnings of entries that match their pins
}

// A WarningRecord has the accepted warnings of entries. Those about a server's list as
// a whole stand under the empty entry.
type WarningRecord map[pin.Ref][]pin.Record

// Add adds a warning of an entry.
func (r WarningRecord) Add(of pin.Ref, record pin.Record) { r[of] = append(r[of], record) }

// of returns what stands in the lockfile for an entry: sorted, without repeats.
func (r WarningRecord) of(key pin.Ref) []pin.Record {
	return slices.Compact(slices.SortedFunc(slices.Values(r[key]), func(a, b pin.Record) int { return strings.Compare(a.String(), b.String()) }))
}

// A Decision is the result of a selection.
type Decision struct {
	All      bool
	Accepted map[int]bool  // indexes of drifts
	Refused  map[int]bool  // indexes of drifts that were selected, but have a new warning
	Idle     []Selector    // selectors of entries that have not drifted
	Recorded WarningRecord // accepted warnings of entries that match their pins
}

// Decide applies a selection to the drift. The error wraps fail.ErrDrift if the capture is not
// what the person reviewed.
func Decide(sides []pin.Comparison, drifts []pin.Drift, sel Selection) (Decision, error) {
	d := Decision{All: sel.All && !sel.Part, Accepted: map[int]bool{}, Refused: map[int]bool{}, Recorded: sel.Recorded}
	for i := range drifts {
		if drifts[i].Kind != pin.Duplicate && (sel.All || sel.Chosen[i]) {
			d.Accepted[i] = true
		}
	}
	for _, s := range sel.Accepts {
		fits, err := s.drifts(sides, drifts)
		if err != nil {
			return Decision{}, err
		}
		for _, i := range fits {
			d.Accepted[i] = true
		}
		recorded := false // its warning was accepted
		for key := range d.Recorded {
			recorded = recorded || s.means(key.Key)
		}
		if len(fits) == 0 && !recorded {
			d.Idle = append(d.Idle, s)
		}
	}
	for i := range sel.Refused {
		delete(d.Accepted, i)
		if sel.All || slices.ContainsFunc(sel.Accepts, func(s Selector) bool { return s.takes(&drifts[i]) }) {
			d.Refused[i] = true
		}
	}
	return d, nil
}

// Pins returns a server's pins after its accepted drifts, each with the warnings that
// were accepted with it. Every other entry keeps its pin, but for warnings that are put on record.
func Pins(p *pin.Comparison, accepted []*pin.Drift, warnings WarningRecord) pin.Set {
	next := pin.Set{Server: p.Server, About: p.Captured.About, Policy: p.Captured.Policy, Accepted: warnings.of(pin.Ref{Server: p.Server})}
	if p.Part { // no finding about the whole list shows in a part of it
		next.Accepted = p.Locked.Accepted
	}
	var pins []pin.Pin
	taken := make(map[pin.Key]bool, len(accepted))
	for _, d := range accepted {
		taken[d.Key] = true
		if d.Kind != pin.Removed {
			new := *d.Captured
			new.Accepted = warnings.of(pin.Ref{Server: p.Server, Key: d.Key})
			pins = append(pins, new)
		}
	}
	for _, old := range p.Locked.Pins {
		if taken[old.Key] {
			continue
		}
		// A hash-only pin takes the definition of the entry that matches it, in case the
		// policy stores definitions from now on.
		if f := p.Captured.Find(old.Key); f != nil && f.Form.Digest == old.Form.Digest {
			old.Definition = f.Definition
		}
		if ref := (pin.Ref{Server: p.Server, Key: old.Key}); len(warnings[ref]) > 0 {
			old.Accepted = warnings.of(ref)
		}
		pins = append(pins, old)
	}
	next.Put(pins)
	// The version stays that of the old pins as long as one of them differs from the capture.
	left := func(c pin.Pin) bool { f := next.Find(c.Key); return f == nil || f.Digest != c.Digest }
	if p.Known && (p.Part && next.About == (pin.About{}) || slices.ContainsFunc(p.Captured.Pins, left)) {
		next.About = p.Locked.About
	}
	return next
}
