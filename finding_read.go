package main

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// A findingScope says what a finding is in.
type findingScope int

const (
	inDrift        findingScope = iota // an entry that has drifted, or a manifest with such an entry
	inMatch                            // an entry that matches its pin, or a manifest without drift
	inOthers                           // a pin of a server that has no manifest at hand
	notPinned                          // text of a matching entry that its policy leaves out of the pin
	notPinnedDrift                     // such text of a drifted entry
)

func (f *finding) key() driftKey { return driftKey{f.server, entryKey{f.list, f.entry}} }

// blocks reports whether a warning fails a run in which every entry matches: it is in text
// that no pin covers or, where a review was asked for, it is not on record.
func (f *finding) blocks(review bool) bool {
	return f.warning && (f.scope == notPinned || review && f.scope == inMatch && !f.approved)
}

// A textReading lists the findings of one comparison.
type textReading struct {
	pairs   []pair
	drifted map[driftKey]bool
	locked  []pinset
	all     bool
	names   func() *nameIndex // of all servers, once a text is read
}

// readFindings lists the findings of a comparison. It reads the texts of drifted entries,
// and prose that no pin covers; with all, also those of matching entries, and the pins of
// servers without a manifest for what the names at hand make of them. The accepted warnings
// of what isn't read come from the record.
func readFindings(pairs []pair, drifts []drift, locked []pinset, all bool) []finding {
	r := textReading{pairs: pairs, drifted: map[driftKey]bool{}, locked: locked, all: all}
	r.names = sync.OnceValue(func() *nameIndex { return newNameIndex(locked, foundSets(pairs)) })
	for i := range drifts {
		r.drifted[drifts[i].key()] = true
	}
	var wanted []entryText
	for i := range pairs {
		p := &pairs[i]
		for j := range p.found.pins {
			e := entryText{pair: p, pin: &p.found.pins[j]}
			if e.drifted = r.drifted[driftKey{p.server, e.pin.entryKey}]; e.drifted || all || e.stripped() {
				wanted = append(wanted, e)
			}
		}
	}
	inParallel(len(wanted), func(i int) { r.read(&wanted[i]) })
	var list []finding
	seen := map[finding]bool{} // copies of a repeated name share findings
	for _, e := range wanted {
		for _, f := range e.list {
			if !seen[f] {
				seen[f] = true
				list = append(list, f)
			}
		}
	}
	list = append(list, r.servers()...)
	list = append(list, r.onRecord(list)...)
	if all {
		for _, f := range r.names().reviewOthers(locked, foundSets(pairs)) {
			if f.scope = inOthers; !f.approved {
				list = append(list, f)
			}
		}
	}
	return list
}

func foundSets(pairs []pair) (sets []pinset) {
	for i := range pairs {
		if pairs[i].present {
			sets = append(sets, pairs[i].found)
		}
	}
	return sets
}

// An entryText is an entry whose text is read, with what was found in it.
type entryText struct {
	pair    *pair
	pin     *pin
	drifted bool
	list    []finding
}

// stripped reports whether prose of the entry may be left out of its pin.
func (e *entryText) stripped() bool { return e.pair.found.policy.descriptions != "" }

// read reads one entry. A warning is approved if it is on record with the pinned definition
// and, in an entry that has drifted, about the very text that was approved.
func (r *textReading) read(e *entryText) {
	pinned := e.pair.pinned.find(e.pin.entryKey)
	if e.stripped() {
		for _, f := range r.names().reviewUnpinned(e.pair.server, *e.pin) {
			if f.scope = notPinned; e.drifted {
				f.scope = notPinnedDrift
			}
			e.list = append(e.list, f)
		}
	}
	if !e.drifted && !r.all {
		return
	}
	unpinned := slices.Clone(e.list)
	recorded := func(f *finding) bool { return pinned != nil && slices.Contains(pinned.accepted, f.id) }
	if e.drifted {
		for _, f := range r.names().review(e.pair.server, *e.pin, pinned) {
			f.approved = f.approved && (!f.warning || recorded(&f) || r.toldElsewhere(&f))
			e.list = append(e.list, f)
		}
		return
	}
	for _, f := range r.names().review(e.pair.server, *e.pin, nil) {
		isUnpinned := slices.ContainsFunc(unpinned, func(u finding) bool { return u.id == f.id && u.pointer == f.pointer })
		f.scope, f.approved = inMatch, recorded(&f)
		if !f.warning || isUnpinned || !f.approved && r.toldElsewhere(&f) {
			continue
		}
		e.list = append(e.list, f)
	}
}

// toldElsewhere reports whether a finding is that a name looks like another one, and is told
// at that other name: it came later, and has the warning on record, or has drifted.
func (r *textReading) toldElsewhere(f *finding) bool {
	if f.id != "look-alike-name" {
		return false
	}
	alike := map[string]bool{}
	for _, key := range skeletons(f.entry) {
		for _, other := range r.names().skeletons[key] {
			alike[other] = other != f.entry
		}
	}
	told := func(key driftKey, p *pin) bool {
		return alike[p.name] && p.list == toolList && (r.drifted[key] || slices.Contains(p.accepted, "look-alike-name"))
	}
	for i := range r.locked {
		for j := range r.locked[i].pins {
			p := &r.locked[i].pins[j]
			if told(driftKey{r.locked[i].server, p.entryKey}, p) {
				return true
			}
		}
	}
	return slices.ContainsFunc(r.pairs, func(p pair) bool {
		return slices.ContainsFunc(p.found.pins, func(f pin) bool { return told(driftKey{p.server, f.entryKey}, &f) })
	})
}

// servers lists the findings about whole manifests. Those that have no drift are only read
// with all.
func (r *textReading) servers() (list []finding) {
	for i := range r.pairs {
		p := &r.pairs[i]
		drifted := p.policyDiffers() || !p.known || r.hasDrift(p.server)
		if !p.present || !drifted && !r.all {
			continue
		}
		for _, f := range r.names().reviewServer(p.found, &p.pinned) {
			if f.warning {
				f.approved = slices.Contains(p.pinned.accepted, f.id)
			}
			if !drifted {
				f.scope, f.approved = inMatch, f.approved || !f.warning
			}
			list = append(list, f)
		}
	}
	return list
}

func (r *textReading) hasDrift(server string) bool {
	for key := range r.drifted {
		if key.server == server {
			return true
		}
	}
	return false
}

// onRecord lists the accepted warnings of what matches that list lacks: of texts that were
// not read, and those that no rule finds any more.
func (r *textReading) onRecord(list []finding) (recorded []finding) {
	type id struct {
		driftKey
		id string
	}
	told := map[id]bool{}
	for i := range list {
		told[id{list[i].key(), list[i].id}] = true
	}
	add := func(key driftKey, ids []string, whole bool) {
		for _, name := range ids {
			if !told[id{key, name}] {
				recorded = append(recorded, finding{server: key.server, list: key.list, entry: key.name, id: name, warning: true,
					detail: "on record", approved: true, scope: inMatch, wholeServer: whole})
			}
		}
	}
	for i := range r.pairs {
		p := &r.pairs[i]
		if !p.present || !p.known {
			continue
		}
		add(driftKey{server: p.server}, p.pinned.accepted, true)
		for j := range p.pinned.pins {
			if pin := &p.pinned.pins[j]; len(pin.accepted) > 0 && !r.drifted[driftKey{p.server, pin.entryKey}] {
				add(driftKey{p.server, pin.entryKey}, pin.accepted, false)
			}
		}
	}
	return recorded
}

// inParallel calls do for 0 to n-1, several at a time.
func inParallel(n int, do func(i int)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for i := next.Add(1) - 1; int(i) < n; i = next.Add(1) - 1 {
				do(int(i))
			}
		})
	}
	workers.Wait()
}
