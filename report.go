package main

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// A report is the result of a comparison, ready for any writer: nothing in it
// depends on the format, the terminal or the clock. Its drift is sorted, the most
// dangerous first.
type report struct {
	lockfile string // the path, as the user gave it; "" if two files are compared: next.against stands for the pins
	pairs    []pair // sorted by server
	guessed  bool   // no flag named the server of a single manifest

	uncompared []string // lists that at least one of the two files has no answer to

	drifts   []drift     // in the order of groups
	changes  [][]change  // of CHANGED and HIDDEN drift with stored texts, the most dangerous first
	findings [][]finding // for each drift, without those its approved definition already had
	groups   []*group

	general   []finding // about whole manifests; only those not approved yet
	approved  []finding // in drifted entries, approved with the pinned definition
	standing  []finding // approved warnings in entries that match their pins
	unpinned  []finding // warnings in prose of matching entries that a policy keeps out of pins
	uncovered []finding // such warnings in drifted entries
	elsewhere []finding // warnings that names of these manifests give to what was approved before

	cost   textCost
	others []string // all labels in the lockfile, to offer where it lacks a server

	allowed map[kind]bool // kinds of drift that are reported without failing the run
	next    command       // how this run was called, for the commands we print

	noAnswer error // why the run ends with exit code 2, whatever else the report shows; or nil

	expect []string // flags that tie a command to these manifests; none if a name is repeated
}

// A driftKey identifies an entry across servers.
type driftKey struct {
	server string
	entryKey
}

func (d *drift) key() driftKey { return driftKey{d.server, d.entryKey} }

func (f *finding) key() driftKey { return driftKey{f.server, entryKey{f.list, f.entry}} }

// newReport compares pairs. With standing it also reviews the entries that match
// their pins.
func newReport(pairs []pair, lock lockfile, standing bool) *report {
	r := &report{pairs: pairs}
	r.drifts = comparePairs(pairs)
	r.listChanges()
	r.review(lock, standing)
	r.group()
	if len(r.drifts) > 0 {
		r.cost = measureText(pairs)
	}
	if r.verdict() != "match" {
		r.expect = expectations(pairs)
	}
	return r
}

// listChanges finds what changed inside each CHANGED or HIDDEN entry.
func (r *report) listChanges() {
	findRenames(r.drifts)
	r.changes = make([][]change, len(r.drifts))
	for i := range r.drifts {
		d := &r.drifts[i]
		if (d.kind == changed || d.kind == concealed) && d.textsKnown() {
			r.changes[i] = diffDefinitions(d.list, d.pinned.tree(), d.found.tree())
		}
	}
}

// An entryReview is what was found in one entry.
type entryReview struct {
	pair     *pair
	pin      *pin
	drift    int       // 1 + the index of its drift; 0: it matches
	list     []finding // in all of it
	unpinned []finding // warnings in what a policy keeps out of the pin
}

// review collects the findings. In entries that match it reads only what no pin
// covers, unless standing is set.
func (r *report) review(lock lockfile, standing bool) {
	r.findings = make([][]finding, len(r.drifts))
	stripped := func(p pair) bool { return p.found.policy.descriptions != "" }
	all := standing || len(r.drifts) > 0
	if !all && !slices.ContainsFunc(r.pairs, stripped) {
		return
	}
	var found, pinned []pinset
	for i := range r.pairs {
		p := r.pairs[i]
		if p.from != "" {
			lock.drop(p.from) // the same server under its old label
		}
		if p.present {
			found = append(found, p.found)
		}
		p.pinned.server = p.server
		pinned = append(pinned, p.pinned)
	}
	x := newNameIndex(lock, found)
	before := sync.OnceValue(func() *nameIndex { return newNameIndex(lock, pinned) }) // the names when all was approved
	reviews := r.entries(func(e entryReview) bool { return e.drift > 0 || standing || stripped(*e.pair) })
	inParallel(len(reviews), func(i int) {
		e := &reviews[i]
		if stripped(*e.pair) {
			e.unpinned = x.reviewUnpinned(e.pair.server, *e.pin)
		}
		switch {
		case e.drift > 0:
			e.list = x.review(e.pair.server, *e.pin, e.pair.pinned.find(e.pin.entryKey))
		case standing:
			if e.list = warningsIn(x.review(e.pair.server, *e.pin, nil)); len(e.list) > 0 {
				approve(e.list, before().review(e.pair.server, *e.pin, nil), func(finding) bool { return true })
			}
		}
	})
	r.sortFindings(reviews)
	if !all {
		return
	}
	isApproved := func(f finding) bool { return f.approved }
	for i := range r.pairs {
		p := &r.pairs[i]
		if p.present && r.differs(p) { // a server that matches was approved as it is
			r.general = append(r.general, slices.DeleteFunc(x.reviewServer(p.found, &p.pinned), isApproved)...)
		}
	}
	r.elsewhere = append(r.elsewhere, slices.DeleteFunc(x.reviewOthers(lock, found), isApproved)...)
}

// entries lists the entries of the manifests that are to be reviewed.
func (r *report) entries(wanted func(entryReview) bool) (list []entryReview) {
	number := make(map[driftKey]int, len(r.drifts))
	for i := range r.drifts {
		number[r.drifts[i].key()] = i + 1
	}
	for i := range r.pairs {
		p := &r.pairs[i]
		for j := range p.found.pins {
			e := entryReview{pair: p, pin: &p.found.pins[j]}
			if e.drift = number[driftKey{p.server, e.pin.entryKey}]; wanted(e) {
				list = append(list, e)
			}
		}
	}
	return list
}

// sortFindings puts the findings in entries where they belong.
func (r *report) sortFindings(reviews []entryReview) {
	seen := map[finding]bool{} // copies of a repeated name share findings
	for _, e := range reviews {
		if e.drift > 0 {
			r.uncovered = append(r.uncovered, e.unpinned...)
		} else {
			r.unpinned = append(r.unpinned, e.unpinned...)
		}
		for _, f := range e.list {
			switch {
			case e.drift > 0 && f.approved:
				r.approved = append(r.approved, f)
			case e.drift > 0 && !seen[f]:
				r.findings[e.drift-1] = append(r.findings[e.drift-1], f)
			case e.drift > 0 || slices.ContainsFunc(e.unpinned, func(u finding) bool { return u.id == f.id && u.pointer == f.pointer }):
			case f.approved:
				r.standing = append(r.standing, f)
			case f.id != "look-alike-name": // that one is told at the other name, which has drifted
				r.elsewhere = append(r.elsewhere, f)
			}
			seen[f] = true
		}
	}
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

func warningsIn(list []finding) []finding {
	return slices.DeleteFunc(slices.Clone(list), func(f finding) bool { return !f.warning })
}

// pairOf returns the pair of a server, or nil.
func (r *report) pairOf(server string) *pair {
	i, ok := slices.BinarySearchFunc(r.pairs, server, func(p pair, server string) int { return compareUTF16(p.server, server) })
	if !ok {
		return nil
	}
	return &r.pairs[i]
}

// verdict is "match" or "drift". It ignores noAnswer, which writers check first.
func (r *report) verdict() string {
	if len(r.drifts) == 0 && len(r.unpinned) == 0 && !slices.ContainsFunc(r.pairs, unsettled) {
		return "match"
	}
	return "drift"
}

// unsettled reports whether a pair fails as a whole, whatever its entries are.
func unsettled(p pair) bool { return p.policyDiffers() || !p.known || !p.present }

// bare reports whether a pair fails as a whole and has no entry that could be accepted.
func bare(p pair) bool {
	return (!p.known || !p.present) && len(p.pinned.pins)+len(p.found.pins) == 0
}

// differs reports whether a pair has drift or fails as a whole.
func (r *report) differs(p *pair) bool {
	return unsettled(*p) || slices.ContainsFunc(r.drifts, func(d drift) bool { return d.server == p.server })
}

// failed reports whether the run ends with exit code 1.
func (r *report) failed() bool {
	return len(r.unpinned) > 0 && !r.warnOnly() || slices.ContainsFunc(r.pairs, unsettled) ||
		slices.ContainsFunc(r.drifts, func(d drift) bool { return r.blocked(&d) })
}

// warnOnly reports whether --warn was given: nothing else allows CHANGED.
func (r *report) warnOnly() bool { return r.allowed[changed] }

// blocked reports whether a drift fails the run.
func (r *report) blocked(d *drift) bool {
	// No flag lets a server without pins pass, or an empty list where tools are pinned: its
	// other entries don't make up for them.
	p := r.pairOf(d.server)
	emptied := func(pinned, found []pin) bool { return len(pinned) > 0 && len(found) == 0 }
	return !r.allowed[d.kind] || p == nil || !p.known || !p.present ||
		emptied(p.pinned.of(toolList), p.found.of(toolList)) || emptied(p.pinned.pins, p.found.pins)
}

// warned reports whether a drift has a new warning.
func (r *report) warned(i int) bool {
	return slices.ContainsFunc(r.findings[i], func(f finding) bool { return f.warning })
}

// definitions lists the different definitions of a repeated name.
func (d *drift) definitions() []pin {
	return slices.CompactFunc(slices.Clone(d.copies), func(a, b pin) bool { return a.digest == b.digest })
}

// A textCost is how much of all entries a model reads, in bytes of canonical form: of
// a tool its name, description and input schema, of other entries everything.
type textCost struct {
	before, after int
	known         bool // false if a definition isn't stored
}

func measureText(pairs []pair) textCost {
	cost := textCost{known: true}
	measure := func(pins []pin, size *int) {
		for i := range pins {
			cost.known = cost.known && pins[i].definition != nil
			*size += modelText(&pins[i])
		}
	}
	for i := range pairs {
		measure(pairs[i].pinned.pins, &cost.before)
		measure(pairs[i].found.pins, &cost.after)
	}
	return cost
}

// modelText is the size of what a model reads of a definition, in bytes. For speed it
// builds no tree: every entry is measured, drifted or not.
func modelText(p *pin) int {
	if p.list != toolList || p.definition == nil {
		return len(p.definition)
	}
	size := 0
	eachMember(p.definition, func(name string, bytes int) {
		if name == "name" || name == "description" || name == "inputSchema" {
			size += bytes - len(":")
		}
	})
	return size
}

// A foldedFinding is one finding of several entries.
type foldedFinding struct {
	finding
	entries []string // where it was found: "write_file", "prompt review", "the manifest"
}

// foldFindings joins equal findings of different entries, warnings first. ref names an entry.
func foldFindings(list []finding, ref func(driftKey) string) []foldedFinding {
	var folded []foldedFinding
	index := map[finding]int{}
	for _, f := range list {
		key := f
		key.entry, key.list = "", 0
		at, ok := index[key]
		if !ok || f.wholeServer {
			at = len(folded)
			index[key] = at
			folded = append(folded, foldedFinding{finding: f})
		}
		name := "the manifest"
		if !f.wholeServer {
			name = ref(f.key())
		}
		folded[at].entries = append(folded[at].entries, name)
	}
	slices.SortStableFunc(folded, func(a, b foldedFinding) int { return rankOf(b.warning) - rankOf(a.warning) })
	return folded
}
