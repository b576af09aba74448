package report

import (
	"slices"

	"pinproof/internal/facts"
	"pinproof/internal/fail"
	"pinproof/internal/lint"
	"pinproof/internal/pin"
	"pinproof/internal/shell"
	"pinproof/internal/signature"
)

// An Input is the data for a report. A report decides nothing: its input already states what fails the run, and the
// digests of sets.
type Input struct {
	Version string // of this program
	Home    string // the address of the project's page, or ""

	// The path, as the user gave it; "" if two files are compared, one of which is then CommandLine.Against.
	Lockfile string

	Comparisons []pin.Comparison // sorted by server

	// Servers that aren't compared, but whose pins a finding is about.
	Others []pin.Comparison

	Drifts   []pin.Drift
	Findings []lint.Finding

	pin.Verdict

	// Why there is no verdict, whatever else the report shows; or nil.
	NoVerdict error

	// Matching entries were checked, too, and a warning in them that nobody accepted fails the run.
	FailsOnWarnings bool

	RefusesDenied bool // an entry that is denied fails the run

	// A message that the tools exceed --max-tokens; or "".
	OverBudget string

	IsPartial bool // the capture is part of a session

	// How much is explained: the bounds of the facts.
	facts.ExplainOptions

	// No format of this run lists all captured entries, or the changes of each entry.
	OmitsData bool

	// No flag named the server of a single capture.
	ServerGuessed bool

	// Lists for which at least one of the two files has no response.
	Uncompared []string

	// How this run was called, for the commands we print.
	CommandLine shell.Command

	// The flags that accept everything could write a lockfile now.
	CanWrite bool

	// The drifts that flags would accept one by one.
	AcceptableByName pin.RefSet

	// Flags that tie a command to these captures; nil if a name is repeated.
	ExpectFlags []string

	// What to print about this machine's folders in the entries, with the command that replaces them by names; or empty.
	FolderStep Step

	ApprovalHash func(server string, p *pin.Pin) string

	// The flags that narrowed the facts to a part of the drift, for the next command to type. They don't change what
	// fails the run.
	OnlyFlags []string
}

// A Report is the result of a comparison for the person who approves it, and its model for formats.
// Its drift is sorted server by server, the most dangerous first.
type Report struct {
	Input
	*facts.Explanation
	Model   *Model
	entries []*drifted // in the order of Drifts

	blocks   []*ReviewBlock
	shared   []*SharedChanges // in the order in which they are printed
	warned   int              // the number of blocks with a warning; shared follows them
	places   map[string]int   // indexes in Comparisons, by server
	oneByOne bool             // flags can approve entries one by one

	// The number of drifted entries with a digest, shown or not, by server ("" for all servers) and digest.
	digests map[[2]string]int

	// Results of mayBeText, by server and type.
	absent map[pin.Ref]string

	// The description of the last entry for which place was called.
	described      *description
	describedEntry pin.Ref

	// How many bytes the pointers and places of further descriptions may have in total.
	room int

	// The kind of release that this drift requires, in words.
	release string

	bump string // the kind of release: "major", "minor", "patch"
}

// New computes all that the formats lay out. known are the facts of the comparison, or of the part of
// it that is shown.
func New(in Input, known *facts.Explanation) *Report {
	r := NewWithoutModel(in, known)
	r.findRelease()
	// Flags can't approve anything while there is a new warning in something that no entry's pin covers.
	isCovered := len(lint.WarningsIn(r.CaptureFindings)) == 0 && len(r.BlockingWarnings) == 0
	r.oneByOne = isCovered && !r.PolicyChanged() && !r.nothingPinned() && !(r.ServerGuessed && r.Comparisons[0].HasNoCommonEntry())
	if !r.NoExplanations {
		for _, e := range r.entries {
			r.describe(e)
		}
		r.group()
	}
	r.listDrifts()
	r.Model = r.model()
	return r
}

// NewWithoutModel returns a report without a model, which can only describe what was accepted. Entries with a warning
// come first.
func NewWithoutModel(in Input, known *facts.Explanation) *Report {
	r := &Report{Input: in, Explanation: known, places: map[string]int{}, digests: map[[2]string]int{}, absent: map[pin.Ref]string{}, room: signature.MaxPointers}
	for i, p := range in.Comparisons {
		r.places[p.Server] = i
	}
	for _, d := range in.Drifts {
		r.digests[[2]string{d.Server, d.DigestToAccept()}]++
		r.digests[[2]string{"", d.DigestToAccept()}]++
	}
	for _, e := range known.Entries {
		r.entries = append(r.entries, &drifted{Entry: e})
	}
	slices.SortStableFunc(r.entries, func(a, b *drifted) int { return a.CompareRank(b.Entry) })
	// The server with the most dangerous entry comes first.
	place := map[string]int{}
	for _, e := range r.entries {
		if place[e.Server] == 0 {
			place[e.Server] = len(place) + 1
		}
	}
	slices.SortStableFunc(r.entries, func(a, b *drifted) int { return place[a.Server] - place[b.Server] })
	r.listDrifts()
	return r
}

// listDrifts sets Drifts to the drifts of the entries, in the order of the entries.
func (r *Report) listDrifts() {
	r.Drifts = nil
	for _, e := range r.entries {
		r.Drifts = append(r.Drifts, e.Drift)
	}
}

// NewWithoutVerdict returns the model of the report of a run without a verdict.
func NewWithoutVerdict(exitCode int, err error) *Model {
	return &Model{NothingCompared: true, ExitCode: exitCode, NoVerdict: whyNot(err), Word: "NO ANSWER"}
}

func whyNot(err error) *NoVerdictReason {
	if err == nil {
		return nil
	}
	told := fail.AsError(err)
	return &NoVerdictReason{told.Text, append([]string{}, told.Hints...), fail.ErrorLines(err)}
}

// A drifted is a drifted entry with the rows that show it.
type drifted struct {
	*facts.Entry
	changes []*change
	parts   []*change // the parts of a new definition
	whole   []Row     // of its definitions, where they are shown whole
	minor   []Row     // its minor changes
	block   *ReviewBlock
	why     string // the pointer of the change that contains the reason why the entry is read first; or ""

	// The highest score of the new sentences at each pointer or below it (see scoreAt).
	scores map[string]int
}

// findRelease sets the kind of release that the drift requires, if two sides are compared without a lockfile, or if a
// severity decides what fails the run (--fail-on).
func (r *Report) findRelease() {
	if len(r.entries)+r.DeselectedCount > 0 && (r.Lockfile == "" || r.FailsBySeverity) {
		r.bump = r.HighestSeverity.SemverBump()
		r.release = r.worstText() + " (" + r.bump + " release)"
		if r.isUnexplained() {
			r.release = "there is too much drift to say what a release with it is: take it for " + r.HighestSeverity.String()
		}
	}
}

func (r *Report) isUnexplained() bool {
	return slices.ContainsFunc(r.entries, func(e *drifted) bool { return e.Unexplained })
}

// PolicyChanged reports whether a policy changed, so that either all drift is accepted or none.
func (r *Report) PolicyChanged() bool {
	return slices.ContainsFunc(r.Comparisons, func(p pin.Comparison) bool { return p.PolicyDiffers() })
}
