package report

import (
	"slices"
	"strings"

	"pinproof/internal/diff"
	"pinproof/internal/fail"
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
	Review   bool  // what matches was read, too, and a warning that is not on record fails the run

	FailOn      bool // a run fails by the severity of its changes
	IgnoreProse bool // texts were left out of the comparison

	Part       bool          // the capture is part of a session
	Bounded    bool          // explain no more than the gate's bound
	Brief      bool          // nobody reads the entries: findings and servers alone
	NoData     bool          // no format lists every entry that was captured
	Guessed    bool          // no flag named the server of a single capture
	Uncompared []string      // lists that at least one of the two files has no answer to
	Next       shell.Command // how this run was called, for the commands we print
	Expect     []string      // flags that tie a command to these captures; none if a name is repeated

	Folder Step // what is said of folders of this machine in the entries, and the command for that

	ApprovalHash func(server string, p *pin.Pin) string

	// Only narrows the report to a part of the drift, given the words that select a drift; nil: all
	// of it. What fails the run is not narrowed.
	Only      func(d *pin.Drift, words []string) bool
	OnlyFlags []string // the flags that say so, for the next command to type
}

// A Report is the result of a comparison for who approves it, and the model of it for formats.
// Its drift is sorted, the most dangerous first; that of several servers server by server.
type Report struct {
	Input
	Model    *Model
	LeftOut  int        // drifts that Only leaves out
	entries  []*drifted // in the order of Drifts
	groups   []*group
	matched  pin.Counts                 // entries that match their pins
	kinds    map[pin.DriftKind]int      // of the entries
	hosts    map[string]map[string]bool // that pins name, by server
	places   map[string]int             // of servers in Comparisons
	oneByOne bool                       // flags can approve entries one by one
	digests  map[[2]string]int          // how many entries that drifted have one, shown or not: of a server, and of all ("")
	release  string                     // what a release with this drift is, in words
	bump     string                     // the same in a word

	// The findings that belong to no drifted entry.
	General      []lint.Finding // about whole captures, that nobody has approved
	Unrecorded   []lint.Finding // warnings that are not on record, in entries that match their pins
	Unapprovable []lint.Finding // warnings that block every approval: no pin records the texts they are in, so verify would report them again
	standing     []lint.Finding // approved warnings in what matches its pins
	unpinned     []lint.Finding // warnings in prose of matching entries that a policy keeps out of pins
}

// New computes all that the formats lay out.
func New(in Input) *Report {
	r := &Report{Input: in, places: map[string]int{}, hosts: map[string]map[string]bool{}, digests: map[[2]string]int{}, kinds: map[pin.DriftKind]int{}}
	r.read()
	r.findRelease()
	r.narrow()
	r.sortFindings()
	r.oneByOne = r.approvable() && !r.AllOrNothing() && !r.nothingPinned() && !(r.Guessed && r.Comparisons[0].Unrelated())
	r.group()
	r.Drifts = make([]pin.Drift, len(r.entries))
	for i, e := range r.entries {
		r.Drifts[i] = e.Drift
		r.kinds[e.Kind]++
	}
	r.Model = r.model()
	return r
}

// WithoutAnswer stands for a run that has no answer at all.
func WithoutAnswer(v pin.Verdict, err error) *Report {
	return &Report{Model: &Model{Nothing: true, ExitCode: v.ExitCode, NoAnswer: whyNot(err), Word: "NO ANSWER"}}
}

func whyNot(err error) *NoAnswer {
	if err == nil {
		return nil
	}
	told := fail.From(err)
	return &NoAnswer{told.Text, append([]string{}, told.Hints...), fail.Lines(err)}
}

// maxExplained bounds the definitions that the gate explains, in bytes: a review shows all of them.
const maxExplained = 2 << 20

// A drifted entry with all that is known of it.
type drifted struct {
	pin.Drift
	changes     []diff.Change  // of CHANGED and HIDDEN drift with stored texts, the most dangerous first
	edits       []*edit        // the same, as they are shown; of an ADDED entry that seems to be a renamed one, what differs besides the name
	fresh       []lint.Finding // those that nobody has approved
	approved    []lint.Finding // the others
	was, is     []string       // what the pinned and the captured definition declare and take
	severity    diff.Severity
	class       int
	weight      int // how much its strongest order weighs
	unexplained bool
	signed      [2]signed // of both definitions, while they are looked at
	minor       bool      // nothing in it needs more than a line
	bytes       int       // by which its text grows
}

// read finds what changed inside each entry, and what there is to say of it.
func (r *Report) read() {
	drifts := slices.Clone(r.Drifts)
	diff.Renames(drifts)
	of := make(map[pin.Ref]*drifted, len(drifts))
	for i := range r.Comparisons {
		r.places[r.Comparisons[i].Server] = i
		for list, n := range pin.CountPins(r.Comparisons[i].Captured.Pins) {
			r.matched[list] += n
		}
	}
	for i := range drifts {
		e := &drifted{Drift: drifts[i]}
		r.matched[e.Type] -= len(e.Copies)
		r.entries = append(r.entries, e)
		of[e.Ref()] = e
		r.digests[[2]string{e.Server, e.DefinitionDigest()}]++
		r.digests[[2]string{"", e.DefinitionDigest()}]++
	}
	for _, f := range r.Findings {
		switch e := of[f.Ref()]; {
		case e == nil || f.Scope != lint.InDrift || f.WholeServer:
		case f.Approved:
			e.approved = append(e.approved, f)
		default:
			e.fresh = append(e.fresh, f)
		}
	}
	order := slices.Clone(r.entries) // what has a warning is explained first, if not all is
	slices.SortStableFunc(order, func(a, b *drifted) int { return lint.RankOf(b.warned()) - lint.RankOf(a.warned()) })
	budget, room := diff.FullWordBudget, maxExplained
	for _, e := range order {
		for i := range e.Copies {
			e.bytes += len(e.Copies[i].Definition)
		}
		if room -= e.bytes; e.Locked != nil {
			e.bytes, room = e.bytes-len(e.Locked.Definition), room-len(e.Locked.Definition)
		}
		if e.unexplained = r.Bounded && room < 0; e.unexplained {
			if e.class = kindRank[e.Kind]; e.warned() {
				e.class = rankWarned
			}
			continue
		}
		e.was, e.is = dangerOf(e.Locked, e.approved), dangerOf(e.Captured, slices.Concat(e.fresh, e.approved))
		for _, c := range r.changesOf(e) {
			e.edits = append(e.edits, newEdit(c, e, &budget))
		}
		e.findMoves()
		r.rank(e)
		if e.severity = diff.SeverityOf(&e.Drift, e.changes); r.FailOn && e.severity < diff.Breaking {
			e.class += rankRemoved + 1 // what breaks callers comes first
		}
	}
}

// findRelease says what a release with the drift is, where two sides are compared without a
// lockfile, or severities decide.
func (r *Report) findRelease() {
	if len(r.entries) == 0 || r.Lockfile != "" && !r.FailOn {
		return
	}
	worst, counts := diff.None, pin.Counts{}
	for _, e := range r.entries {
		if e.severity > worst {
			worst, counts = e.severity, pin.Counts{}
		}
		if e.severity == worst {
			counts[e.Type]++
		}
	}
	r.bump = worst.Bump()
	r.release = worst.String() + ": " + counts.String() + "; a " + r.bump + " release"
}

// changesOf finds what changed inside an entry, and returns what a review shows of it.
func (r *Report) changesOf(e *drifted) []diff.Change {
	if e.RenamedFrom != "" {
		was := pin.ComparisonOf(r.Comparisons, e.Server).Locked.Find(pin.Key{Type: e.Type, Name: e.RenamedFrom}) // diff.Renames found it
		list := diff.Definitions(e.Type, was.Tree(), e.Captured.Tree())
		return slices.DeleteFunc(list, func(c diff.Change) bool { return c.Pointer == "/"+pin.EntryTypeInfo[e.Type].Identity })
	}
	e.changes = diff.Of(&e.Drift)
	return e.changes
}

// SelectMinor selects what has nothing new to read, selectWarnings what has a new warning.
const (
	SelectMinor    = "minor"
	selectWarnings = "warnings"
)

// joinedNotes are the ids of the notes that rank an entry.
var joinedNotes = []string{"order", "new-address"}

// NoteIDs are the ids of the notes that stand for an entry in the shape of a review, and
// the other words that --only selects besides kinds and labels.
var NoteIDs = []string{"order", "new-address", "takes-code", "destructive", "writes", "open-world", "no-hints", SelectMinor, selectWarnings}

// OnlyWords are the words that select what a drift has: the ids of labels and of notes.
func OnlyWords() []string { return append(diff.LabelIDs(), NoteIDs...) }

// words are those that select an entry.
func (e *drifted) words() (words []string) {
	for _, c := range e.changes {
		words = append(words, c.Label.ID())
	}
	for _, f := range e.fresh {
		words = append(words, f.ID)
	}
	said := e.is
	if e.Kind == pin.Removed {
		said = e.was
	}
	for _, word := range said {
		if word != "takes code" { // its note says so, if that is new
			words = append(words, strings.ReplaceAll(word, " ", "-"))
		}
	}
	if e.minor {
		words = append(words, SelectMinor)
	}
	return words
}

// narrow leaves out the drift that Only doesn't select.
func (r *Report) narrow() {
	if r.Only == nil {
		return
	}
	r.entries = slices.DeleteFunc(r.entries, func(e *drifted) bool {
		words := e.words()
		if e.warned() {
			words = append(words, selectWarnings)
		}
		if r.Only(&e.Drift, words) {
			return false
		}
		r.LeftOut++
		return true
	})
}

// sortFindings sorts the findings that belong to no drifted entry, but for those in matching entries that Only doesn't select.
func (r *Report) sortFindings() {
	for _, f := range r.Findings {
		if r.Only != nil && !f.WholeServer && f.Scope == lint.InMatch && !r.Only(&pin.Drift{Server: f.Server, Key: f.Ref().Key}, []string{selectWarnings}) {
			continue
		}
		add := func(list *[]lint.Finding, belongs bool) {
			if belongs {
				*list = append(*list, f)
			}
		}
		add(&r.General, f.WholeServer && !f.Approved)
		add(&r.Unrecorded, f.Scope == lint.InMatch && !f.Approved && !f.WholeServer)
		add(&r.standing, f.Scope == lint.InMatch && f.Approved && f.Warning)
		add(&r.unpinned, f.Scope == lint.NotPinned)
		add(&r.Unapprovable, f.Scope == lint.NotPinned || f.Scope == lint.NotPinnedDrift)
	}
}

// Labelled returns the indexes of CHANGED entries that have no new warning, and only changes with
// a label that is taken, or where minor is taken nothing new to read.
func (r *Report) Labelled(takes func(word string) bool) map[int]bool {
	accepted := map[int]bool{}
	for i, e := range r.entries {
		minor := takes(SelectMinor) && e.minor
		if e.Kind == pin.Changed && len(e.changes) > 0 && !e.warned() &&
			(minor || !slices.ContainsFunc(e.changes, func(c diff.Change) bool { return !takes(c.Label.ID()) })) {
			accepted[i] = true
		}
	}
	return accepted
}

// Warned reports whether a drift has a new warning.
func (r *Report) Warned(i int) bool { return r.entries[i].warned() }

func (e *drifted) warned() bool {
	return slices.ContainsFunc(e.fresh, func(f lint.Finding) bool { return f.Warning })
}

// noted reports whether an entry has a new finding of one of these ids.
func (e *drifted) noted(ids ...string) bool {
	return slices.ContainsFunc(e.fresh, func(f lint.Finding) bool { return slices.Contains(ids, f.ID) })
}

// AllOrNothing reports whether a policy changes: then all drift is accepted or none.
func (r *Report) AllOrNothing() bool {
	return slices.ContainsFunc(r.Comparisons, func(p pin.Comparison) bool { return p.PolicyDiffers() })
}
