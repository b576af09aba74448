package main

import (
	"slices"

	"pinproof/internal/pin"
)

// A selection says which drift a person accepts.
type selection struct {
	all     bool
	part    bool // of all, nothing but what --only selects
	accepts []selector
	labels  []selector   // of accepts, those that are labels: they become chosen
	chosen  map[int]bool // indexes of drifts: from the prompt, or by their labels
	refused map[int]bool // indexes of drifts with a new warning: never accepted, even if selected
	whole   bool         // a warning about the manifests as a whole was not accepted

	recorded warningRecord // accepted warnings of entries that match their pins
}

// record puts a warning on record. It is about an entry that matches its pin.
func (sel *selection) record(of pin.Ref, id string) {
	if sel.recorded == nil {
		sel.recorded = warningRecord{}
	}
	sel.recorded.add(of, id)
}

// A warningRecord has the ids of accepted warnings, by entry. Those about a server's list as
// a whole stand under the empty entry.
type warningRecord map[pin.Ref][]string

func (r warningRecord) add(of pin.Ref, id string) { r[of] = append(r[of], id) }

// of reports whether there is a warning of a server.
func (r warningRecord) of(server string) bool {
	for key := range r {
		if key.Server == server {
			return true
		}
	}
	return false
}

// with returns the ids on record for an entry together with others, sorted, without repeats.
func (r warningRecord) with(key pin.Ref, ids []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(ids, r[key]))))
}

// A decision is the result of a selection.
type decision struct {
	all      bool
	accepted map[int]bool  // indexes of drifts
	refused  map[int]bool  // indexes of drifts that were selected, but have a new warning
	idle     []selector    // selectors of entries that have not drifted
	recorded warningRecord // accepted warnings of entries that match their pins
}

// newDecision applies a selection to the drift.
func newDecision(pairs []pin.Pair, drifts []pin.Drift, sel selection) (d decision, err error) {
	d = decision{all: sel.all && !sel.part, refused: map[int]bool{}, recorded: sel.recorded}
	if d.accepted, d.idle, err = selectDrifts(pairs, drifts, sel); err != nil {
		return d, err
	}
	for i := range sel.refused {
		if sel.all || slices.ContainsFunc(sel.accepts, func(s selector) bool { return s.takes(&drifts[i]) }) {
			d.refused[i] = true
		}
	}
	d.idle = slices.DeleteFunc(d.idle, func(s selector) bool {
		for key := range d.recorded {
			if s.means(key.Key) {
				return true // its warning was accepted
			}
		}
		return false
	})
	return d, nil
}

// selectDrifts returns which drifts the selection accepts, and the selectors of
// entries that have not drifted. The error wraps fail.ErrDrift if the manifest is not what
// the person reviewed.
func selectDrifts(pairs []pin.Pair, drifts []pin.Drift, sel selection) (accepted map[int]bool, idle []selector, err error) {
	accepted = map[int]bool{}
	for i := range drifts {
		if drifts[i].Kind != pin.Duplicate && (sel.all || sel.chosen[i]) {
			accepted[i] = true
		}
	}
	for i := range sel.accepts {
		s := &sel.accepts[i]
		s.settle(pairs)
		fits, err := s.drifts(pairs, drifts)
		if err != nil {
			return nil, nil, err
		}
		for _, i := range fits {
			accepted[i] = true
		}
		if len(fits) == 0 {
			idle = append(idle, *s)
		}
	}
	for i := range sel.refused {
		delete(accepted, i)
	}
	return accepted, idle, nil
}

// nowhere and ambiguous say why a flag that names an entry is refused. Instructions have no
// name.
func nowhere(list pin.List) string {
	if list == pin.Instructions {
		return "no instructions are pinned or listed"
	}
	return "no " + pin.ListInfo[list].Entry + " of that name is pinned or listed"
}

func ambiguous(list pin.List) string {
	if list == pin.Instructions {
		return "several servers have instructions"
	}
	return "several servers have a " + pin.ListInfo[list].Entry + " of that name"
}

// relockPins returns a pair's pins after its accepted drifts, each with the warnings that
// were accepted with it. Every other entry keeps its pin.
func relockPins(p *pin.Pair, accepted []*pin.Drift, warnings warningRecord) pin.Set {
	next := pin.Set{Server: p.Server, Policy: p.Found.Policy, Accepted: warnings.with(pin.Ref{Server: p.Server}, nil)}
	taken := make(map[pin.Key]bool, len(accepted))
	for _, d := range accepted {
		taken[d.Key] = true
		if d.Kind != pin.Removed {
			new := *d.Found
			new.Accepted = warnings.with(pin.Ref{Server: p.Server, Key: d.Key}, nil)
			next.Pins = append(next.Pins, new)
		}
	}
	for _, old := range p.Pinned.Pins {
		if taken[old.Key] {
			continue
		}
		// A hash-only pin takes the definition of the entry that matches it, in case the
		// policy stores definitions from now on.
		if f := p.Found.Find(old.Key); f != nil && f.Form.Digest == old.Form.Digest {
			old.Definition = f.Definition
		}
		old.Accepted = warnings.with(pin.Ref{Server: p.Server, Key: old.Key}, old.Accepted)
		next.Pins = append(next.Pins, old)
	}
	slices.SortFunc(next.Pins, pin.ComparePins)
	return next
}
