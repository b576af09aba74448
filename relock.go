package main

import (
	"regexp"
	"slices"
	"strings"
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
func (sel *selection) record(f finding) {
	if sel.recorded == nil {
		sel.recorded = warningRecord{}
	}
	sel.recorded.add(f)
}

// A warningRecord has the ids of accepted warnings, by entry. Those about a server's list as
// a whole stand under the empty entry.
type warningRecord map[driftKey][]string

func (r warningRecord) add(f finding) { r[f.key()] = append(r[f.key()], f.id) }

// of reports whether there is a warning of a server.
func (r warningRecord) of(server string) bool {
	for key := range r {
		if key.server == server {
			return true
		}
	}
	return false
}

// with returns the ids on record for an entry together with others, sorted, without repeats.
func (r warningRecord) with(key driftKey, ids []string) []string {
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
func newDecision(pairs []pair, drifts []drift, sel selection) (d decision, err error) {
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
			if a.means(key.entryKey) {
				return true // its warning was accepted
			}
		}
		return false
	})
	return d, nil
}

// warnings returns what goes on record with the decision: every warning in an accepted
// definition, those about the lists as a whole, and the ones of matching entries that were
// accepted.
func (d *decision) warnings(drifts []drift, findings []finding) warningRecord {
	accepted := map[driftKey]bool{}
	for i := range drifts {
		if d.accepted[i] {
			accepted[drifts[i].key()] = true
		}
	}
	record := warningRecord{}
	for key, ids := range d.recorded {
		record[key] = slices.Clone(ids)
	}
	for _, f := range findings {
		if f.warning && (f.wholeServer || f.scope == inDrift && accepted[f.key()]) {
			record.add(f)
		}
	}
	return record
}

// An acceptance is one --accept: an entry, a digest, or both; or a pattern of names.
type acceptance struct {
	arg string // as it was given
	entryKey
	digest  string
	pattern *regexp.Regexp
}

// means reports whether the acceptance names an entry, whatever the digest.
func (a *acceptance) means(key entryKey) bool {
	switch {
	case a.pattern != nil:
		return key.list == a.list && a.pattern.MatchString(key.name)
	case a.name == "" && a.list != instructionsList:
		return true // a digest alone
	}
	return key == a.entryKey
}

// fits reports whether the acceptance names a drift, and its digest if it names any.
func (a *acceptance) fits(d *drift) bool {
	return a.means(d.entryKey) && (a.digest == "" || a.digest == d.definitionDigest())
}

// parseAcceptance reads the value of --accept. A digest at the end of the value is always
// read as a digest. A tool whose name ends like that must be accepted by its own digest:
// otherwise it could stand in for the tool that was meant.
func parseAcceptance(arg string) (acceptance, error) {
	name, digest := arg, ""
	at := strings.LastIndex(arg, "@"+digestPrefix)
	switch {
	case isDigest(arg):
		name, digest = "", arg
	case at >= 0:
		if name, digest = arg[:at], arg[at+1:]; name == "" || !isDigest(digest) {
			return acceptance{}, fail("--accept %s: before @ stands a name, behind it sha256: and 64 lower-case hex digits", quotedName(arg))
		}
	case arg == "" || strings.HasPrefix(arg, digestPrefix):
		return acceptance{}, fail("--accept %s: give NAME, NAME@sha256:HEX or sha256:HEX, all 64 digits", quotedName(arg))
	}
	a := acceptance{arg: arg, entryKey: parseEntry(name), digest: digest}
	if digest == "" && strings.ContainsAny(a.name, "*?") { // * stands for any text, ? for a character
		pattern, err := regexp.Compile("(?s)^" + strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(a.name)) + "$")
		if err != nil {
			return acceptance{}, fail("--accept %s: not a pattern of names", quotedName(arg))
		}
		a.pattern = pattern
	}
	return a, nil
}

// selectDrifts returns which drifts the selection accepts, and the acceptances of
// entries that have not drifted. The error wraps errDrift if the manifest is not what
// the person reviewed.
func selectDrifts(pairs []pair, drifts []drift, sel selection) (accepted map[int]bool, idle []acceptance, err error) {
	accepted = map[int]bool{}
	for i := range drifts {
		if drifts[i].kind != duplicate && (sel.all || sel.chosen[i]) {
			accepted[i] = true
		}
	}
	for i := range sel.accepts {
		a := &sel.accepts[i]
		if holders(pairs, a.entryKey) > 0 {
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
func (a *acceptance) drifts(pairs []pair, drifts []drift) (fits []int, err error) {
	servers := map[string]bool{}
	for i := range drifts {
		if d := &drifts[i]; a.fits(d) && (a.pattern == nil || d.kind != duplicate) {
			fits = append(fits, i)
			servers[d.server] = true
		}
	}
	known, matches := false, false // some pin or entry has that name; one with that digest matches its pin
	for i := range pairs {
		p := &pairs[i]
		for _, pin := range p.pinned.pins {
			if a.means(pin.entryKey) {
				known = true
				found := p.found.find(pin.entryKey)
				matches = matches || pin.digest == a.digest && found != nil && found.digest == pin.digest
			}
		}
		known = known || slices.ContainsFunc(p.found.pins, func(f pin) bool { return a.means(f.entryKey) })
	}
	named := a.name != "" || a.list == instructionsList
	switch {
	case named && !known:
		return nil, fail("--accept %s: no %s of that name is pinned or listed", quotedName(strings.TrimSuffix(a.arg, "@"+a.digest)), listInfo[a.list].entry)
	case a.pattern != nil:
	// A bare name that several servers have is ambiguous, whichever of them drifted.
	case len(servers) > 1, a.digest == "" && holders(pairs, a.entryKey) > 1:
		f := fail("--accept %s: several servers have a %s of that name", quotedName(a.arg), listInfo[a.list].entry)
		if a.digest != "" {
			return nil, f.hint("say which: --server ID")
		}
		return nil, f.hint("say which: --server ID, or --accept NAME@sha256:HEX")
	case a.digest != "" && len(fits) == 0 && !matches:
		what := "no drifted entry has the digest " + a.digest
		if named {
			what = entryRef(a.list, a.name) + " no longer has the digest " + a.digest
		}
		return nil, fail("%s: nothing was written", what).hint("the manifest is not the one you reviewed: review it again").refusal()
	}
	for _, i := range fits {
		if d := &drifts[i]; d.kind == duplicate {
			return nil, fail("%s is listed %d times: that can't be accepted", entryRef(d.list, d.name), len(d.copies)).refusal()
		}
	}
	return fits, nil
}

// relockPins returns a pair's pins after its accepted drifts, each with the warnings that
// were accepted with it. Every other entry keeps its pin.
func relockPins(p *pair, accepted []*drift, warnings warningRecord) pinset {
	next := pinset{server: p.server, policy: p.found.policy, accepted: warnings.with(driftKey{server: p.server}, nil)}
	if !p.present {
		next.policy, next.accepted = p.pinned.policy, p.pinned.accepted
	}
	taken := make(map[entryKey]bool, len(accepted))
	for _, d := range accepted {
		taken[d.entryKey] = true
		if d.kind != removed {
			new := *d.found
			new.accepted = warnings.with(driftKey{p.server, d.entryKey}, nil)
			next.pins = append(next.pins, new)
		}
	}
	for _, old := range p.pinned.pins {
		if taken[old.entryKey] {
			continue
		}
		// A hash-only pin takes the definition of the entry that matches it, in case the
		// policy stores definitions from now on.
		if f := p.found.find(old.entryKey); f != nil && f.form.digest == old.form.digest {
			old.definition = f.definition
		}
		old.accepted = warnings.with(driftKey{p.server, old.entryKey}, old.accepted)
		next.pins = append(next.pins, old)
	}
	slices.SortFunc(next.pins, comparePins)
	return next
}
