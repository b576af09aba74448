package lint

import (
	"runtime"
	"slices"
	"sync"

	"pinproof/internal/pin"
	"pinproof/internal/text"
)

// A textReading lists the findings of one comparison.
type textReading struct {
	pairs []pin.Comparison

	// Drifted entries and, with an empty key, their servers.
	drifted pin.RefSet

	locked []pin.Set
	of     AcceptScope
	names  func() *NameIndex // the names of all servers, computed on first use

	// The result of laterTools, computed on first use.
	later func() map[toolRecord]bool
}

// Findings lists the findings of a comparison. It reads the texts of drifted entries and the prose that
// no pin covers and, with all, also the texts of matching entries. For texts that it doesn't read, it
// lists the accepted warnings that are recorded. With all, it also reads the pins of servers without a capture, and
// searches pinned texts for the names of added tools.
func Findings(pairs []pin.Comparison, drifts []pin.Drift, locked []pin.Set, all bool) []Finding {
	return FindingsFor(pairs, drifts, locked, AcceptScope{Acceptable: drifts, All: all})
}

// An AcceptScope is what a run may accept.
type AcceptScope struct {
	Acceptable []pin.Drift // the drift that may be accepted
	Gone       pin.RefSet  // entries that the run denies or whose pins it drops
	All        bool        // read all texts, not only those of Acceptable
}

// FindingsFor is like Findings, for a run that may accept only some of the drift. A text that names a tool of its own
// server gets a warning if the run can't accept that tool.
func FindingsFor(pairs []pin.Comparison, drifts []pin.Drift, locked []pin.Set, of AcceptScope) []Finding {
	if of.All {
		pairs = asPinned(pairs)
	}
	r := textReading{pairs: pairs, drifted: pin.RefSet{}, locked: locked, of: of}
	r.later = sync.OnceValue(r.laterTools)
	isNamed := pin.RefSet{}
	for i := range of.Acceptable {
		isNamed[of.Acceptable[i].Ref()] = true
	}
	r.names = sync.OnceValue(func() *NameIndex {
		var found []pin.Set
		for i := range pairs {
			if pairs[i].HasCapture() {
				found = append(found, pairs[i].Captured)
			}
		}
		x := NewNameIndex(locked, found)
		left := readLimit(maxRead)
		for i := range pairs {
			p := &pairs[i]
			// The server is in the lockfile, or in the older of two files.
			x.known[p.Server] = p.IsLocked()
			if now := x.now[p.Server]; p.HasCapture() {
				if of.All || p.Captured.Policy.Descriptions != "" || r.drifted[pin.Ref{Server: p.Server}] {
					now.readable = left.pinsRead(&p.Captured)
				}
				now.gone = of.Gone
				if !p.IsLocked() && len(of.Acceptable) < len(drifts) {
					now.pinned = namedOf(p.Captured, isNamed)
				}
			}
		}
		return x
	})
	for i := range drifts {
		r.drifted[drifts[i].Ref()] = true
		r.drifted[pin.Ref{Server: drifts[i].Server}] = true
	}
	var wanted []capturedEntry
	for i := range pairs {
		p := &pairs[i]
		for j := range p.Captured.Pins {
			e := capturedEntry{p, &p.Captured.Pins[j]}
			if of.All || p.Captured.Policy.Descriptions != "" || isNamed[p.Ref(e.pin.Key)] {
				wanted = append(wanted, e)
			}
		}
	}
	list := append(r.readAll(wanted), r.servers()...)
	if of.All {
		list = append(list, r.mentions(list)...)
	}
	return append(list, r.onRecord(list)...)
}

// A capturedEntry is an entry of a capture, with its server.
type capturedEntry struct {
	of  *pin.Comparison
	pin *pin.Pin
}

// readAll returns the findings about entries, up to maxFindings; of each further entry, only the first open one.
func (r *textReading) readAll(wanted []capturedEntry) (list []Finding) {
	// Entries with the same name, which are adjacent, can have equal findings: list each once.
	seen := map[Finding]bool{}
	last := pin.Ref{}
	left := maxFindings
	for batch := range slices.Chunk(wanted, batchSize) {
		found := make([][]Finding, len(batch))
		var workers sync.WaitGroup
		step := runtime.GOMAXPROCS(0)
		for first := range step {
			workers.Go(func() {
				for i := first; i < len(batch); i += step {
					found[i] = r.read(batch[i].of, batch[i].pin)
				}
			})
		}
		workers.Wait()
		for i, ofEntry := range found {
			if left -= len(ofEntry); left < 0 {
				ofEntry = firstOpen(ofEntry)
			}
			if ref := batch[i].of.Ref(batch[i].pin.Key); ref != last {
				clear(seen)
				last = ref
			}
			for _, f := range ofEntry {
				if !seen[f] {
					list = append(list, f)
				}
				seen[f] = true
			}
		}
	}
	return list
}

// batchSize is the number of entries that are read before the number of their findings is limited.
const batchSize = 256

// asPinned returns a copy of pairs in which a server without a capture has its pins as its capture.
func asPinned(pairs []pin.Comparison) []pin.Comparison {
	pairs = slices.Clone(pairs)
	for i := range pairs {
		if p := &pairs[i]; p.LacksCapture() {
			p.Captured = p.Locked
			p.State = pin.ServerPaired
		}
	}
	return pairs
}

// namedOf returns a set with the entries of s that are in isNamed.
func namedOf(s pin.Set, isNamed pin.RefSet) *pin.Set {
	of := &pin.Set{Server: s.Server}
	of.SetPins(slices.DeleteFunc(slices.Clone(s.Pins), func(p pin.Pin) bool { return !isNamed[pin.Ref{Server: s.Server, Key: p.Key}] }))
	return of
}

// read returns the findings about one entry.
func (r *textReading) read(of *pin.Comparison, p *pin.Pin) (list []Finding) {
	drifted := r.drifted[of.Ref(p.Key)]
	pinned := recording(of, drifted).Find(p.Key)
	if of.Captured.Policy.Descriptions != "" {
		list = r.names().CheckUnpinned(of.Server, *p)
	}
	type place struct{ id, pointer string }
	unpinned := map[place]bool{}
	for i := range list {
		f := &list[i]
		if f.Scope = pin.FindingUnpinned; drifted {
			f.Scope = pin.FindingUnpinnedInDrift
		}
		unpinned[place{f.ID, f.Pointer}] = true
	}
	if !drifted && !r.of.All {
		return list
	}
	for _, f := range r.names().CheckEntry(of.Server, *p, pinned) {
		isElsewhere := pinned != nil && !f.Approved && r.toldElsewhere(&f)
		if isElsewhere || !drifted && (!f.Warning || unpinned[place{f.ID, f.Pointer}]) {
			continue
		}
		if !drifted {
			f.Scope = pin.FindingInMatch
		}
		list = append(list, f)
	}
	return list
}

// firstOpen returns the approved warnings of an entry, which remain recorded, and the first open warning or, without
// one, the first finding. The detail of that finding states how many findings are left out.
func firstOpen(list []Finding) (kept []Finding) {
	first := max(0, slices.IndexFunc(list, func(f Finding) bool { return f.Warning && !f.Approved }))
	for i, f := range list {
		if i == first || f.Warning && f.Approved {
			kept = append(kept, f)
		}
	}
	if at := slices.IndexFunc(kept, func(f Finding) bool { return f == list[first] }); len(kept) < len(list) {
		kept[at].Detail += ", and " + text.FormatNumber(len(list)-len(kept)) + " more"
	}
	return kept
}

// recording returns the pins whose accepted warnings apply: those of the lockfile or, for an entry that is equal in two
// lockfiles, those of the new lockfile.
func recording(of *pin.Comparison, drifted bool) *pin.Set {
	if of.BothLockfiles && !drifted {
		return &of.Captured
	}
	return &of.Locked
}

// mentions returns the warnings about pinned texts that name an added tool, or a tool of their own server that is now
// denied or removed. When such a text was pinned, the name couldn't mean another server's tool; now it can. told has
// the findings so far, which aren't repeated.
func (r *textReading) mentions(told []Finding) (list []Finding) {
	added := map[string]bool{}
	for i := range r.of.Acceptable {
		if d := &r.of.Acceptable[i]; d.Kind == pin.DriftAdded && d.Type == pin.Tools {
			added[d.Name] = true
		}
	}
	if len(added)+len(r.of.Gone) == 0 {
		return nil
	}
	isTold := map[pin.EntryWarning]bool{}
	for i := range told {
		if told[i].Scope != pin.FindingInMatch {
			continue // this finding's text may not be pinned
		}
		isTold[told[i].EntryWarning()] = true
	}
	left := readLimit(maxRead)
	for i := range r.locked {
		s := &r.locked[i]
		side := pin.FindComparison(r.pairs, s.Server)
		// Leave out names that only a capture lists, because the pinned texts don't refer to them.
		own := newServerNames(s)
		own.readable = left.pinsRead(s)
		own.gone = r.of.Gone
		if side != nil && side.HasCapture() {
			own.pinned = &side.Captured
		}
		sought := func(name string) bool { return added[name] || r.of.Gone[pin.Ref{Server: s.Server, Key: toolKey(name)}] }
		for j := range s.Pins {
			p := &s.Pins[j]
			scope := pin.FindingInPinOnly
			if now := matching(side, p); now != nil {
				scope = pin.FindingInMatch
				p = now // the captured entry may contain text that its policy doesn't pin
			}
			accepted := recordSet(s.Pins[j].AcceptedWarnings)
			open := slices.DeleteFunc(r.names().naming(own, p, sought), func(f Finding) bool {
				return accepted[f.AcceptedWarning()] || isTold[f.EntryWarning()]
			})
			if len(told)+len(list)+len(open) > maxFindings {
				open = firstOpen(open)
			}
			for _, f := range open {
				f.Scope = scope
				list = append(list, f)
			}
		}
	}
	return list
}

// matching returns the captured entry that matches a pin, or nil.
func matching(side *pin.Comparison, p *pin.Pin) *pin.Pin {
	if side == nil {
		return nil
	}
	if now := side.Captured.Find(p.Key); now != nil && now.Digest == p.Digest {
		return now
	}
	return nil
}

// ServersWithUnreadPins lists the servers with pinned texts that mentions can't read: texts that are not stored whole
// and have no matching captured entry, and texts after the first maxRead bytes.
func ServersWithUnreadPins(pairs []pin.Comparison, locked []pin.Set) (servers []string) {
	left := readLimit(maxRead)
	for i := range locked {
		s := &locked[i]
		side := pin.FindComparison(pairs, s.Server)
		isUnread := func(p pin.Pin) bool {
			return matching(side, &p) == nil && (p.Definition == nil || s.Policy.ChangesDefinitions())
		}
		if left.pinsRead(s) < len(s.Pins) || slices.ContainsFunc(s.Pins, isUnread) {
			servers = append(servers, s.Server)
		}
	}
	return servers
}

// toldElsewhere reports whether a look-alike-name finding is already reported for the other tool, because the other
// tool came later: it is new, or has an accepted warning about this name.
func (r *textReading) toldElsewhere(f *Finding) bool {
	if f.ID != "look-alike-name" || f.Subject == "" {
		return false
	}
	record := f.AcceptedWarning()
	record.Digest = pin.FinishTextDigest(pin.StartTextDigest(f.Subject), f.Name)
	later := r.later()
	return later[toolRecord{f.Subject, pin.AcceptedWarning{}}] || later[toolRecord{f.Subject, record}]
}

type toolRecord struct {
	tool   string
	record pin.AcceptedWarning
}

// laterTools returns the names of the tools that are new on a server, each with an empty record, and the names
// of pinned tools, once with each of their accepted warnings.
func (r *textReading) laterTools() map[toolRecord]bool {
	later := map[toolRecord]bool{}
	for i := range r.locked {
		for _, p := range r.locked[i].PinsOf(pin.Tools) {
			for _, record := range p.AcceptedWarnings {
				later[toolRecord{p.Name, record}] = true
			}
		}
	}
	for i := range r.pairs {
		for _, p := range r.pairs[i].Captured.PinsOf(pin.Tools) {
			if r.pairs[i].Locked.Find(p.Key) == nil {
				later[toolRecord{p.Name, pin.AcceptedWarning{}}] = true
			}
		}
	}
	return later
}

// servers returns the findings about whole captures. It skips a capture without drift unless all texts are read
// (AcceptScope.All).
func (r *textReading) servers() (list []Finding) {
	for i := range r.pairs {
		p := &r.pairs[i]
		drifted := !p.IsLocked() || r.differs(p)
		if !p.HasCapture() || !drifted && !r.of.All {
			continue
		}
		for _, f := range r.names().CheckListSize(p.Captured) {
			if f.Approved = slices.Contains(recording(p, drifted).AcceptedWarnings, f.AcceptedWarning()); !drifted {
				f.Scope = pin.FindingInMatch
			}
			list = append(list, f)
		}
	}
	return list
}

func (r *textReading) differs(p *pin.Comparison) bool {
	return p.PolicyDiffers() || r.drifted[pin.Ref{Server: p.Server}]
}

// onRecord lists the recorded accepted warnings that list lacks: those of matching texts that were not read, those that
// no rule finds any more, and those with unknown ids.
func (r *textReading) onRecord(list []Finding) (recorded []Finding) {
	type told struct {
		of pin.Ref
		id string
	}
	isTold := map[told]bool{}
	for _, f := range list {
		isTold[told{f.Ref, f.ID}] = true
	}
	add := func(f Finding, records []pin.AcceptedWarning, drifted bool) {
		if !drifted {
			f.Scope = pin.FindingInMatch
		}
		f.Warning = true
		f.Approved = true
		f.Detail = "recorded"
		for _, record := range records {
			f.ID = record.ID
			f.Pointer = record.Place
			f.Place = record.Place
			f.TextDigest = record.Digest
			if !isTold[told{f.Ref, f.ID}] && !(drifted && findingRow(f.ID) >= 0) {
				recorded = append(recorded, f)
			}
		}
	}
	for i := range r.pairs {
		p := &r.pairs[i]
		if !p.HasCapture() || !p.IsLocked() {
			continue
		}
		add(Finding{Ref: pin.Ref{Server: p.Server}}, recording(p, r.differs(p)).AcceptedWarnings, r.differs(p))
		for j := range p.Locked.Pins {
			f := Finding{Ref: p.Ref(p.Locked.Pins[j].Key)}
			drifted := r.drifted[f.Ref]
			if one := recording(p, drifted).Find(p.Locked.Pins[j].Key); one != nil {
				add(f, one.AcceptedWarnings, drifted)
			}
		}
	}
	return recorded
}
