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

// parseEntry reads how a flag names an entry: NAME of a tool, prompt=NAME,
// template=URI, resource=URI, tool=NAME, or instructions.
func parseEntry(arg string) entryKey {
	if arg == listInfo[instructionsList].entry {
		return entryKey{list: instructionsList}
	}
	for list := range instructionsList {
		if name, ok := strings.CutPrefix(arg, listInfo[list].entry+"="); ok && name != "" {
			return entryKey{list, name}
		}
	}
	return entryKey{toolList, arg}
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

// definitionDigest is the digest that a person accepts with a drift: that of the
// definition found or, for a REMOVED entry, of the pinned one.
func (d *drift) definitionDigest() string {
	if d.kind == removed {
		return d.pinned.digest
	}
	return d.found.digest
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

// holders counts the servers that pin or list an entry.
func holders(pairs []pair, key entryKey) int {
	n := 0
	for i := range pairs {
		if p := &pairs[i]; p.pinned.find(key) != nil || p.found.find(key) != nil {
			n++
		}
	}
	return n
}

// relockPins returns a pair's pins after its accepted drifts. Every other entry keeps its
// pin as it is.
func relockPins(p *pair, accepted []*drift) pinset {
	next := pinset{server: p.server, policy: p.found.policy}
	if !p.present {
		next.policy = p.pinned.policy
	}
	settled := make(map[entryKey]bool, len(accepted))
	for _, d := range accepted {
		settled[d.entryKey] = true
		if d.kind != removed {
			next.pins = append(next.pins, *d.found)
		}
	}
	for _, old := range p.pinned.pins {
		key := entryKey{old.list, old.name}
		if settled[key] {
			continue
		}
		// A hash-only pin takes the definition of the entry that matches it, in case the
		// policy stores definitions from now on.
		if f := p.found.find(key); f != nil && f.digest == old.digest {
			old.definition = f.definition
		}
		next.pins = append(next.pins, old)
	}
	slices.SortFunc(next.pins, comparePins)
	return next
}
