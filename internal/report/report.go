// Package report lays out the result of a comparison: as text, for programs, for pipelines,
// as a page, and as the questions of a prompt. It is given what was decided.
package report

import (
	"io"
	"slices"

	"pinproof/internal/diff"
	"pinproof/internal/jsontree"
	"pinproof/internal/lint"
	"pinproof/internal/pin"
	"pinproof/internal/shell"
)

// An Input is what a report is made of. Nothing in a report decides anything: what
// fails the run, and the digests of sets, come with the input.
type Input struct {
	Lockfile    string           // the path, as the user gave it; "" if two files are compared: Next.Against stands for the pins
	Comparisons []pin.Comparison // sorted by server
	Drifts      []pin.Drift
	Findings    []lint.Finding

	pin.Verdict
	NoAnswer error // why there is no answer, whatever else the report shows; or nil
	WarnOnly bool  // no warning fails the run
	Review   bool  // what matches was read, too, and a warning that is not on record fails the run

	Part       bool          // the capture is part of a session
	Guessed    bool          // no flag named the server of a single capture
	Uncompared []string      // lists that at least one of the two files has no answer to
	Others     []string      // all labels in the lockfile, to offer where it lacks a server
	Next       shell.Command // how this run was called, for the commands we print
	Expect     []string      // flags that tie a command to these captures; none if a name is repeated

	Folder [2]string // what is said of folders of this machine in the entries, and the command for that

	ApprovalHash func(server string, p *pin.Pin) string

	// Only narrows the report to a part of the drift, given the ids of the labels and of
	// NoteIDs that a drift has, and whether it has a new warning; nil: all of it. What fails the run is not narrowed.
	Only      func(d *pin.Drift, labels []string, warned bool) bool
	OnlyFlags []string  // the flags that say so, for the next command to type
	OnlyNames []pin.Key // the entries that they name, in whatever server
}

// A Report is the result of a comparison, ready for any writer: nothing in it depends on
// the format, the terminal or the clock. Its drift is sorted, the most dangerous first;
// that of several servers server by server.
type Report struct {
	Input
	changes [][]diff.Change  // of CHANGED and HIDDEN drift with stored texts, the most dangerous first
	fresh   [][]lint.Finding // for each drift, the findings that nobody has approved
	dangers []danger         // for each drift, what a new entry declares and takes
	groups  []*group
	cost    textCost
	hidden  pin.Counts // entries of the captures whose drift Only leaves out
	LeftOut int        // drifts that Only leaves out
}

// New computes all that the writers lay out.
func New(in Input) *Report {
	r := &Report{Input: in}
	r.Drifts = slices.Clone(in.Drifts)
	r.listChanges()
	r.listFresh()
	if in.Only != nil {
		r.narrow()
	}
	r.group()
	if len(r.Drifts) > 0 && in.Only == nil && !r.Part { // of a part, nobody knows all the text
		r.cost = measureText(r.Comparisons)
	}
	return r
}

// WithoutAnswer stands for a run that has no answer at all.
func WithoutAnswer(v pin.Verdict, err error) *Report {
	return &Report{Input: Input{Verdict: v, NoAnswer: err}}
}

// Empty reports whether nothing was compared.
func (r *Report) Empty() bool { return r.NoAnswer != nil && len(r.Comparisons) == 0 }

// listChanges finds what changed inside each CHANGED or HIDDEN entry.
func (r *Report) listChanges() {
	diff.Renames(r.Drifts)
	r.changes = make([][]diff.Change, len(r.Drifts))
	for i := range r.Drifts {
		d := &r.Drifts[i]
		if (d.Kind == pin.Changed || d.Kind == pin.Hidden) && d.TextsKnown() {
			r.changes[i] = diff.Definitions(d.Type, d.Locked.Tree(), d.Captured.Tree())
		}
	}
}

// listFresh sorts the findings that nobody has approved by the drift they are in, and reads
// from them and the definitions how dangerous each entry is.
func (r *Report) listFresh() {
	r.fresh = make([][]lint.Finding, len(r.Drifts))
	number := make(map[pin.Ref]int, len(r.Drifts))
	for i := range r.Drifts {
		number[r.Drifts[i].Ref()] = i
	}
	for _, f := range r.Findings {
		if i, ok := number[f.Ref()]; ok && f.Scope == lint.InDrift && !f.Approved && !f.WholeServer {
			r.fresh[i] = append(r.fresh[i], f)
		}
	}
	r.dangers = make([]danger, len(r.Drifts))
	for i := range r.Drifts {
		if r.Drifts[i].Kind == pin.Added {
			r.dangers[i] = dangerOf(r.Drifts[i].Captured, r.fresh[i])
		}
	}
}

// narrow leaves out the drift, and the findings in what matches, that Only doesn't select.
func (r *Report) narrow() {
	var drifts []pin.Drift
	var changes [][]diff.Change
	var fresh [][]lint.Finding
	var dangers []danger
	for i := range r.Drifts {
		d := &r.Drifts[i]
		var labels []string
		for _, c := range r.changes[i] {
			labels = append(labels, c.Label.ID())
		}
		for _, f := range r.fresh[i] {
			if slices.Contains(NoteIDs, f.ID) {
				labels = append(labels, f.ID)
			}
		}
		if r.Only(d, labels, r.Warned(i)) {
			drifts, changes = append(drifts, *d), append(changes, r.changes[i])
			fresh, dangers = append(fresh, r.fresh[i]), append(dangers, r.dangers[i])
			continue
		}
		r.LeftOut++
		r.hidden[d.Type] += len(d.Copies)
	}
	r.Drifts, r.changes, r.fresh, r.dangers = drifts, changes, fresh, dangers
	r.Findings = slices.DeleteFunc(slices.Clone(r.Findings), func(f lint.Finding) bool {
		return !f.WholeServer && (f.Scope == lint.InMatch || f.Scope == lint.InOthers) && !r.Only(&pin.Drift{Server: f.Server, Key: f.Ref().Key}, nil, f.Warning)
	})
}

// find lists the findings that is holds for, in their order.
func (r *Report) find(is func(f *lint.Finding) bool) (list []lint.Finding) {
	for i := range r.Findings {
		if is(&r.Findings[i]) {
			list = append(list, r.Findings[i])
		}
	}
	return list
}

// General lists the findings about whole captures that nobody has approved.
func (r *Report) General() []lint.Finding {
	return r.find(func(f *lint.Finding) bool { return f.WholeServer && !f.Approved })
}

// approvedBefore lists the approved warnings in what matches its pins.
func (r *Report) approvedBefore() []lint.Finding {
	return r.find(func(f *lint.Finding) bool { return f.Scope == lint.InMatch && f.Approved && f.Warning })
}

// Unrecorded lists the warnings that are not on record, in entries that match their pins.
func (r *Report) Unrecorded() []lint.Finding {
	return r.find(func(f *lint.Finding) bool {
		return f.Scope == lint.InMatch && !f.Approved && f.Warning && !f.WholeServer
	})
}

// inOtherServers lists what names of these captures give to what was approved before: the
// unrecorded warnings, and those in pins of servers that have no capture here.
func (r *Report) inOtherServers() []lint.Finding {
	return r.find(func(f *lint.Finding) bool {
		return (f.Scope == lint.InMatch || f.Scope == lint.InOthers) && !f.Approved && !f.WholeServer
	})
}

// unpinned lists the warnings in prose of matching entries that a policy keeps out of pins.
func (r *Report) unpinned() []lint.Finding {
	return r.find(func(f *lint.Finding) bool { return f.Scope == lint.NotPinned })
}

// blocking lists the warnings that fail the run although their entries match.
func (r *Report) blocking() []lint.Finding {
	return r.find(func(f *lint.Finding) bool { return f.Blocks(r.Review) })
}

// Unapprovable lists the warnings that block every approval: no pin records the texts
// they are in, so verify would report them again each time.
func (r *Report) Unapprovable() []lint.Finding {
	return r.find(func(f *lint.Finding) bool { return f.Scope == lint.NotPinned || f.Scope == lint.NotPinnedDrift })
}

// Labelled returns the indexes of CHANGED entries that have no new warning, and only
// changes with one of the labels.
func (r *Report) Labelled(labels []string) map[int]bool {
	accepted := map[int]bool{}
	for i := range r.Drifts {
		if r.Drifts[i].Kind == pin.Changed && len(r.changes[i]) > 0 && !r.Warned(i) &&
			!slices.ContainsFunc(r.changes[i], func(c diff.Change) bool { return !slices.Contains(labels, c.Label.ID()) }) {
			accepted[i] = true
		}
	}
	return accepted
}

// Warned reports whether a drift has a new warning.
func (r *Report) Warned(i int) bool {
	return slices.ContainsFunc(r.fresh[i], func(f lint.Finding) bool { return f.Warning })
}

// A textCost is how much of all entries a model reads, in bytes of canonical form: of
// a tool its name, description and input schema, of other entries everything.
type textCost struct {
	before, after int
	known         bool // false if a definition isn't stored
}

func measureText(pairs []pin.Comparison) textCost {
	cost := textCost{known: true}
	measure := func(pins []pin.Pin, size *int) {
		for i := range pins {
			cost.known = cost.known && pins[i].Definition != nil
			*size += modelText(&pins[i])
		}
	}
	for i := range pairs {
		if pairs[i].Missing {
			continue
		}
		measure(pairs[i].Locked.Pins, &cost.before)
		measure(pairs[i].Captured.Pins, &cost.after)
	}
	return cost
}

// modelText is the size of what a model reads of a definition, in bytes. For speed it
// builds no tree: every entry is measured, drifted or not.
func modelText(p *pin.Pin) int {
	if p.Type != pin.Tools || p.Definition == nil {
		return len(p.Definition)
	}
	size := 0
	jsontree.EachMember(p.Definition, func(name string, bytes int) {
		if name == "name" || name == "description" || name == "inputSchema" {
			size += bytes - len(":")
		}
	})
	return size
}

// A collapsedFinding is one finding of several entries.
type collapsedFinding struct {
	lint.Finding
	entries []string // where it was found: "write_file", "prompt review", "the capture"
}

// collapseFindings joins equal findings of different entries, warnings first. place names what one is in.
func collapseFindings(list []lint.Finding, place func(*lint.Finding) string) []collapsedFinding {
	var folded []collapsedFinding
	index := map[lint.Finding]int{}
	for _, f := range list {
		key := f
		key.Entry, key.List = "", 0
		at, ok := index[key]
		if !ok || f.WholeServer {
			at = len(folded)
			index[key] = at
			folded = append(folded, collapsedFinding{Finding: f})
		}
		folded[at].entries = append(folded[at].entries, place(&f))
	}
	slices.SortStableFunc(folded, func(a, b collapsedFinding) int { return lint.RankOf(b.Warning) - lint.RankOf(a.Warning) })
	return folded
}

// FormatNames are the formats that --format and --report take.
const FormatNames = "text, json, github, sarif, junit, markdown, html"

// FormatWriter returns the writer of a format other than text, or nil. For an empty report
// it writes why there is no answer.
func FormatWriter(name string) func(io.Writer, *Report) error {
	return map[string]func(io.Writer, *Report) error{
		"json":     writeJSON,
		"github":   writeGitHub,
		"sarif":    writeSARIF,
		"junit":    writeJUnit,
		"markdown": writeMarkdown,
		"html":     writeHTML,
	}[name]
}
