package main

import (
	"io"
	"slices"
)

// A reportInput is what a report is made of. Nothing in a report decides anything: what
// fails the run, and the digests of sets, come with the input.
type reportInput struct {
	lockfile string // the path, as the user gave it; "" if two files are compared: next.against stands for the pins
	pairs    []pair // sorted by server
	drifts   []drift
	findings []finding

	matches  bool  // every entry matches its pin, and nothing else is wrong
	failed   bool  // an entry or a server fails the run
	noAnswer error // why there is no answer, whatever else the report shows; or nil
	exitCode int   // of the run, if nothing else fails
	warnOnly bool  // no warning fails the run
	review   bool  // what matches was read, too, and a warning that is not on record fails the run

	guessed    bool     // no flag named the server of a single manifest
	uncompared []string // lists that at least one of the two files has no answer to
	others     []string // all labels in the lockfile, to offer where it lacks a server
	next       command  // how this run was called, for the commands we print
	expect     []string // flags that tie a command to these manifests; none if a name is repeated

	approvalHash func(server string, p *pin) string
}

// A report is the result of a comparison, ready for any writer: nothing in it depends on
// the format, the terminal or the clock. Its drift is sorted, the most dangerous first.
type report struct {
	reportInput
	changes [][]change  // of CHANGED and HIDDEN drift with stored texts, the most dangerous first
	fresh   [][]finding // for each drift, the findings that nobody has approved
	groups  []*group
	cost    textCost
}

// newReport computes all that the writers lay out.
func newReport(in reportInput) *report {
	r := &report{reportInput: in}
	r.drifts = slices.Clone(in.drifts)
	r.listChanges()
	r.listFresh()
	r.group()
	if len(r.drifts) > 0 {
		r.cost = measureText(r.pairs)
	}
	return r
}

// failedReport stands for a run that has no answer at all.
func failedReport(err error) *report {
	return &report{reportInput: reportInput{noAnswer: err, exitCode: 2}}
}

// empty reports whether nothing was compared.
func (r *report) empty() bool { return r.noAnswer != nil && len(r.pairs) == 0 }

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

// listFresh sorts the findings that nobody has approved by the drift they are in.
func (r *report) listFresh() {
	r.fresh = make([][]finding, len(r.drifts))
	number := make(map[driftKey]int, len(r.drifts))
	for i := range r.drifts {
		number[r.drifts[i].key()] = i
	}
	for _, f := range r.findings {
		if i, ok := number[f.key()]; ok && f.scope == inDrift && !f.approved && !f.wholeServer {
			r.fresh[i] = append(r.fresh[i], f)
		}
	}
}

// find lists the findings that is holds for, in their order.
func (r *report) find(is func(f *finding) bool) (list []finding) {
	for i := range r.findings {
		if is(&r.findings[i]) {
			list = append(list, r.findings[i])
		}
	}
	return list
}

// general lists the findings about whole manifests that nobody has approved.
func (r *report) general() []finding {
	return r.find(func(f *finding) bool { return f.wholeServer && !f.approved })
}

// standing lists the approved warnings in what matches its pins.
func (r *report) standing() []finding {
	return r.find(func(f *finding) bool { return f.scope == inMatch && f.approved && f.warning })
}

// unrecorded lists the warnings that are not on record, in entries that match their pins.
func (r *report) unrecorded() []finding {
	return r.find(func(f *finding) bool { return f.scope == inMatch && !f.approved && f.warning && !f.wholeServer })
}

// elsewhere lists what names of these manifests give to what was approved before: the
// unrecorded warnings, and those in pins of servers that have no manifest here.
func (r *report) elsewhere() []finding {
	return r.find(func(f *finding) bool {
		return (f.scope == inMatch || f.scope == inOthers) && !f.approved && !f.wholeServer
	})
}

// unpinned lists the warnings in prose of matching entries that a policy keeps out of pins.
func (r *report) unpinned() []finding {
	return r.find(func(f *finding) bool { return f.scope == notPinned })
}

// blocking lists the warnings that fail the run although their entries match.
func (r *report) blocking() []finding {
	return r.find(func(f *finding) bool { return f.blocks(r.review) })
}

// unapprovable lists the warnings that block every approval: no pin records the texts
// they are in, so verify would report them again each time.
func (r *report) unapprovable() []finding {
	return r.find(func(f *finding) bool { return f.scope == notPinned || f.scope == notPinnedDrift })
}

// labelled returns the indexes of CHANGED entries that have no new warning, and only
// changes with one of the labels.
func (r *report) labelled(labels []string) map[int]bool {
	accepted := map[int]bool{}
	for i := range r.drifts {
		if r.drifts[i].kind == changed && len(r.changes[i]) > 0 && !r.warned(i) &&
			!slices.ContainsFunc(r.changes[i], func(c change) bool { return !slices.Contains(labels, c.label.id()) }) {
			accepted[i] = true
		}
	}
	return accepted
}

func warningsIn(list []finding) []finding {
	return slices.DeleteFunc(slices.Clone(list), func(f finding) bool { return !f.warning })
}

// warned reports whether a drift has a new warning.
func (r *report) warned(i int) bool {
	return slices.ContainsFunc(r.fresh[i], func(f finding) bool { return f.warning })
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

// formatNames are the formats that --format and --report take.
const formatNames = "text, json, github, sarif, junit, markdown, html"

// formatWriter returns the writer of a format other than text, or nil. For an empty report
// it writes why there is no answer.
func formatWriter(name string) func(io.Writer, *report) error {
	return map[string]func(io.Writer, *report) error{
		"json":     writeJSON,
		"github":   writeGitHub,
		"sarif":    writeSARIF,
		"junit":    writeJUnit,
		"markdown": writeMarkdown,
		"html":     writeHTML,
	}[name]
}
