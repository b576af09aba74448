package main

import (
	"regexp"
	"slices"
	"strings"

	"pinproof/internal/fail"
	"pinproof/internal/pin"
	"pinproof/internal/text"
)

// A selection says which drift a person accepts.
type selection struct {
	all     bool
	accepts []acceptance
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
	idle     []acceptance  // acceptances of entries that have not drifted
	recorded warningRecord // accepted warnings of entries that match their pins
}

// newDecision applies a selection to the drift.
func newDecision(pairs []pin.Pair, drifts []pin.Drift, sel selection) (d decision, err error) {
	d = decision{all: sel.all, refused: map[int]bool{}, recorded: sel.recorded}
	if d.accepted, d.idle, err = selectDrifts(pairs, drifts, sel); err != nil {
		return d, err
	}
	for i := range sel.refused {
		if sel.all || slices.ContainsFunc(sel.accepts, func(a acceptance) bool { return a.fits(&drifts[i]) }) {
			d.refused[i] = true
		}
	}
	d.idle = slices.DeleteFunc(d.idle, func(a acceptance) bool {
		for key := range d.recorded {
			if a.means(key.Key) {
				return true // its warning was accepted
			}
		}
		return false
	})
	return d, nil
}

// An acceptance is one --accept: an entry, a digest, or both; or a pattern of names.
type acceptance struct {
	arg string // as it was given
	pin.Key
	digest  string
	pattern *regexp.Regexp
}

// means reports whether the acceptance names an entry, whatever the digest.
func (a *acceptance) means(key pin.Key) bool {
	switch {
	case a.pattern != nil:
		return key.List == a.List && a.pattern.MatchString(key.Name)
	case a.Name == "" && a.List != pin.Instructions:
		return true // a digest alone
	}
	return key == a.Key
}

// fits reports whether the acceptance names a drift, and its digest if it names any.
func (a *acceptance) fits(d *pin.Drift) bool {
	return a.means(d.Key) && (a.digest == "" || a.digest == d.DefinitionDigest())
}

// parseAcceptance reads the value of --accept. A digest at the end of the value is always
// read as a digest. A tool whose name ends like that must be accepted by its own digest:
// otherwise it could stand in for the tool that was meant.
func parseAcceptance(arg string) (acceptance, error) {
	name, digest := arg, ""
	at := strings.LastIndex(arg, "@"+pin.DigestPrefix)
	switch {
	case pin.IsDigest(arg):
		name, digest = "", arg
	case at >= 0:
		if name, digest = arg[:at], arg[at+1:]; name == "" || !pin.IsDigest(digest) {
			return acceptance{}, fail.New("--accept %s: before @ stands a name, behind it sha256: and 64 lower-case hex digits", text.Name(arg))
		}
	case arg == "" || strings.HasPrefix(arg, pin.DigestPrefix):
		return acceptance{}, fail.New("--accept %s: give NAME, NAME@sha256:HEX or sha256:HEX, all 64 digits", text.Name(arg))
	}
	a := acceptance{arg: arg, Key: pin.ParseEntry(name), digest: digest}
	if digest == "" && strings.ContainsAny(a.Name, "*?") { // * stands for any text, ? for a character
		pattern, err := regexp.Compile("(?s)^" + strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(a.Name)) + "$")
		if err != nil {
			return acceptance{}, fail.New("--accept %s: not a pattern of names", text.Name(arg))
		}
		a.pattern = pattern
	}
	return a, nil
}

// selectDrifts returns which drifts the selection accepts, and the acceptances of
// entries that have not drifted. The error wraps fail.ErrDrift if the manifest is not what
// the person reviewed.
func selectDrifts(pairs []pin.Pair, drifts []pin.Drift, sel selection) (accepted map[int]bool, idle []acceptance, err error) {
	accepted = map[int]bool{}
	for i := range drifts {
		if drifts[i].Kind != pin.Duplicate && (sel.all || sel.chosen[i]) {
			accepted[i] = true
		}
	}
	for i := range sel.accepts {
		a := &sel.accepts[i]
		if pin.Holders(pairs, a.Key) > 0 {
			a.pattern = nil // an entry has exactly this name, and that comes before a pattern
		}
		fits, err := a.drifts(pairs, drifts)
		if err != nil {
			return nil, nil, err
		}
		for _, i := range fits {
			accepted[i] = true
		}
		if len(fits) == 0 {
			idle = append(idle, *a)
		}
	}
	for i := range sel.refused {
		delete(accepted, i)
	}
	return accepted, idle, nil
}

// drifts returns the indexes of what an acceptance selects. A pattern skips repeated names.
func (a *acceptance) drifts(pairs []pin.Pair, drifts []pin.Drift) (fits []int, err error) {
	servers := map[string]bool{}
	for i := range drifts {
		if d := &drifts[i]; a.fits(d) && (a.pattern == nil || d.Kind != pin.Duplicate) {
			fits = append(fits, i)
			servers[d.Server] = true
		}
	}
	known, matches := false, false // some pin or entry has that name; one with that digest matches its pin
	for i := range pairs {
		p := &pairs[i]
		for _, pin := range p.Pinned.Pins {
			if a.means(pin.Key) {
				known = true
				found := p.Found.Find(pin.Key)
				matches = matches || pin.Digest == a.digest && found != nil && found.Digest == pin.Digest
			}
		}
		known = known || slices.ContainsFunc(p.Found.Pins, func(f pin.Pin) bool { return a.means(f.Key) })
	}
	named := a.Name != "" || a.List == pin.Instructions
	switch {
	case named && !known:
		return nil, fail.New("--accept %s: %s", text.Name(strings.TrimSuffix(a.arg, "@"+a.digest)), nowhere(a.List))
	case a.pattern != nil:
	// A bare name that several servers have is ambiguous, whichever of them drifted.
	case len(servers) > 1, a.digest == "" && pin.Holders(pairs, a.Key) > 1:
		f := fail.New("--accept %s: %s", text.Name(a.arg), ambiguous(a.List))
		if a.digest != "" {
			return nil, f.Hint("say which: --server ID")
		}
		return nil, f.Hint("say which: --server ID, or --accept NAME@sha256:HEX")
	case a.digest != "" && len(fits) == 0 && !matches:
		what := "no drifted entry has the digest " + a.digest
		if named {
			what = pin.EntryRef(a.List, a.Name) + " no longer has the digest " + a.digest
		}
		return nil, fail.New("%s: nothing was written", what).Hint("the manifest is not the one you reviewed: review it again").Refusal()
	}
	for _, i := range fits {
		if d := &drifts[i]; d.Kind == pin.Duplicate {
			return nil, fail.New("%s is listed %d times: that can't be accepted", pin.EntryRef(d.List, d.Name), len(d.Copies)).Refusal()
		}
	}
	return fits, nil
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
