// Package facts determines the details of a comparison's drift: what changed inside each entry, what was found in it,
// what it declares, and how early a reader should see it. The result is plain data. The package decides nothing, and
// writes no text for people.
package facts

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"

	"pinproof/internal/diff"
	"pinproof/internal/effort"
	"pinproof/internal/jsontree"
	"pinproof/internal/label"
	"pinproof/internal/lint"
	"pinproof/internal/pin"
	"pinproof/internal/rank"
	"pinproof/internal/text"
	"pinproof/internal/words"
)

// Explanation holds the details of a comparison's drift, and its findings.
type Explanation struct {
	// The budget that is left for explanations in this run.
	Budget *effort.Budget

	// The entries that drifted, in the order of the drifts.
	Entries []*Entry

	MatchedCounts pin.Counts // entries that match their pins

	// The findings that belong to no drifted entry.

	// Unapproved findings about whole captures.
	CaptureFindings []lint.Finding

	// Unaccepted warnings in entries that match their pins, and in pinned texts without a matching captured entry.
	UnacceptedWarnings []lint.Finding

	// Approved warnings in entries that match their pins, or about captures without drift.
	ApprovedWarnings []lint.Finding

	// Warnings in matching entries, in text that a policy keeps out of their pins.
	UnpinnedWarnings []lint.Finding

	// Warnings that block every approval: no pin records the texts they are in, so verify would report them again.
	BlockingWarnings []lint.Finding

	// The highest severity of all entries, including those that a selection leaves out.
	HighestSeverity label.Severity

	HighestSeverityCount pin.Counts // how many entries have it

	// These are the facts of a selection of the entries (see Select).
	IsSelection bool

	DeselectedCount int // how many entries the selection left out
}

// An Entry is a drifted entry with its facts.
type Entry struct {
	pin.Drift

	// The pin that the captured definition is compared with: its own or, for an ADDED entry that seems to be a renamed
	// one, that of the old name; or nil.
	Previous *pin.Pin

	// What changed, the most dangerous change first. Only two kinds of entries have edits: CHANGED and HIDDEN entries
	// with stored texts, and ADDED entries that seem to be renamed. The change of the name isn't among the edits.
	Edits []*diff.Change

	// Maps the pointers of moved values to their old pointers.
	OldPointers map[string]string

	// The sentences that the captured definition has and the approved one lacks; nil where that isn't known.
	NewSentences []Sentence

	NewFindings      []lint.Finding // unapproved findings
	ApprovedFindings []lint.Finding // approved findings

	// Words (see TraitDestructive) for what the pinned definition declares and accepts.
	PinnedTraits []string

	CapturedTraits []string // the same for the captured definition
	Severity       label.Severity
	Class          Class
	Reason         Reason // why it is read first, if Class.IsReadFirst

	// The highest score of its new sentences; math.MinInt if it has no new sentence, or is minor.
	Score int

	// The entry isn't fully explained because of a limit. If the limit was the budget, Edits is complete, but its
	// labels aren't proven.
	Unexplained  bool
	Minor        bool // all its changes are minor: one line may sum it up
	OnlyVolatile bool // its texts differ only in long numbers, times and ids
	AddedBytes   int  // how many bytes its text grows by
}

// A Sentence is a new sentence with its score from internal/rank: the higher the score, the more it is like prompt
// injection. A score only orders what is read first. It decides nothing, and causes no warning.
type Sentence struct {
	lint.Sentence
	Score int
}

// ChangesUnknown reports whether only the kind of an entry's drift is known, because of a limit.
func (e *Entry) ChangesUnknown() bool { return e.Unexplained && len(e.Edits) == 0 }

// Changes lists what changed in a CHANGED or HIDDEN entry.
func (e *Entry) Changes() []*diff.Change {
	if e.RenamedFrom != "" {
		return nil
	}
	return e.Edits
}

// The limits on the drift that is explained, as the total size of its old and new definitions, in bytes: explaining
// takes most of a run. Only the kind of further drift is listed. The report marks it as unexplained, and a review shows
// its definitions whole.
const (
	// For verify's text output.
	VerifyByteLimit = 2 << 20

	// For everything else.
	ReviewByteLimit = 4 << 20

	// For a single entry: two definitions of the maximum size, or the changed files of a skill. The first entry is
	// explained up to this limit.
	maxExplained = 2 * ReviewByteLimit
)

// ExplainOptions limit how much of a comparison is explained, and set what comes first.
type ExplainOptions struct {
	// The size in bytes of the definitions to explain; 0: ReviewByteLimit.
	MaxBytes int

	// For verify's text output, which isn't a review: only the kind of an entry beyond MaxBytes is determined.
	Bounded bool

	NoExplanations bool // the drift is listed without explanations

	// The severity of changes decides whether the run fails: breaking changes come first.
	FailsBySeverity bool
}

// A reader determines the facts of entries.
type reader struct {
	sides   []pin.Comparison
	options ExplainOptions
	budget  *effort.Budget

	// Bytes of definitions that may still be explained. A review explains at least one entry, regardless of its size.
	room     int
	explains bool // an entry has been explained

	hosts map[string]map[string]bool // the hosts that pins name, by server

	// Results of hintsAtOnce, by server.
	hinted map[string]bool
}

// Explain works out the facts of a comparison. findings are those of lint.Findings for the same comparison.
func Explain(sides []pin.Comparison, drifts []pin.Drift, findings []lint.Finding, options ExplainOptions) *Explanation {
	drifts = slices.Clone(drifts)
	budget := effort.NewBudget()
	if !options.NoExplanations {
		diff.FindRenames(budget, sides, drifts)
	}
	f := &Explanation{Budget: budget}
	for i := range sides {
		f.MatchedCounts.Add(pin.CountPins(sides[i].Captured.Pins))
	}
	of := make(map[pin.Ref]*Entry, len(drifts))
	for i := range drifts {
		e := &Entry{Drift: drifts[i], Score: math.MinInt}
		f.MatchedCounts[e.Type] -= len(e.Copies)
		f.Entries = append(f.Entries, e)
		of[e.Ref()] = e
	}
	for _, found := range findings {
		f.sort(found, of[found.Ref])
	}
	r := &reader{sides: sides, options: options, budget: budget, room: cmp.Or(options.MaxBytes, ReviewByteLimit), hosts: map[string]map[string]bool{}, hinted: map[string]bool{}}
	// Explain entries with a warning first, because the limit may not suffice for all.
	for _, isWarned := range []bool{true, false} {
		for _, e := range f.Entries {
			if e.HasNewWarning() == isWarned {
				r.explain(e)
			}
		}
	}
	for _, e := range f.Entries {
		if options.FailsBySeverity && e.Severity < label.Breaking && !e.Unexplained {
			e.Class += ClassRemoved + 1
		}
		if e.Severity > f.HighestSeverity {
			f.HighestSeverity = e.Severity
			f.HighestSeverityCount = pin.Counts{}
		}
		if e.Severity == f.HighestSeverity {
			f.HighestSeverityCount[e.Type]++
		}
	}
	return f
}

// sort puts a finding into the entry that drifted, or into the lists of findings that belong to no drifted entry.
func (f *Explanation) sort(found lint.Finding, e *Entry) {
	add := func(list *[]lint.Finding, isPart bool) {
		if isPart {
			*list = append(*list, found)
		}
	}
	isInMatch := found.Scope == pin.FindingInMatch
	if e != nil && found.Scope == pin.FindingInDrift && !found.IsWholeServer() {
		add(&e.ApprovedFindings, found.Approved)
		add(&e.NewFindings, !found.Approved)
	}
	add(&f.CaptureFindings, found.IsWholeServer() && !found.Approved)
	add(&f.UnacceptedWarnings, (isInMatch || found.Scope == pin.FindingInPinOnly) && !found.Approved && !found.IsWholeServer())
	add(&f.ApprovedWarnings, isInMatch && found.Approved && found.Warning)
	add(&f.UnpinnedWarnings, found.Scope == pin.FindingUnpinned)
	add(&f.BlockingWarnings, found.Scope.IsUnpinned())
}

// explain determines the facts of an entry. The entry already contains its findings.
func (r *reader) explain(e *Entry) {
	size := 0
	if e.Type == pin.Skills {
		size = changedFileBytes(e.Locked, e.Captured)
	}
	// Each value after the first in its list has a line of its own in a review.
	const valueCost = 8
	comma := []byte(",")
	for i := range e.Copies {
		definition := e.Copies[i].Definition
		e.AddedBytes += len(definition)
		size += len(definition) + valueCost*bytes.Count(definition, comma)
	}
	if e.Locked != nil {
		definition := e.Locked.Definition
		e.AddedBytes -= len(definition)
		size += len(definition) + valueCost*bytes.Count(definition, comma)
	}
	r.room -= size
	e.Unexplained = r.options.NoExplanations || size > maxExplained || r.room < 0 && (r.explains || r.options.Bounded)
	r.explains = r.explains || !e.Unexplained
	e.Severity = label.Breaking // to be safe
	if e.Unexplained && (r.options.NoExplanations || r.options.Bounded) {
		e.Class = classOfKind[e.Kind]
		if e.HasNewWarning() {
			e.Class = ClassWarned
		}
		return
	}
	e.Previous = diff.PreviousPin(pin.FindComparison(r.sides, e.Server), &e.Drift)
	// Both definitions, including the files of a skill. A definition that isn't stored has kind 0.
	var old, new jsontree.Value
	if e.Previous != nil {
		old = e.Previous.ReviewTree()
	}
	if e.Captured != nil {
		new = e.Captured.ReviewTree()
	}
	e.PinnedTraits = declared(e.Locked, old, e.ApprovedFindings)
	e.CapturedTraits = declared(e.Captured, new, slices.Concat(e.NewFindings, e.ApprovedFindings))
	if !e.Unexplained {
		r.explainTexts(e, old, new)
	}
	r.rank(e, old, new)
}

// changedFileBytes returns the size of the texts of a skill's files that differ, on both sides, with lineCost for each
// line.
func changedFileBytes(was, is *pin.Pin) (size int) {
	const lineCost = 16
	sides := [2]jsontree.Value{}
	for i, p := range [...]*pin.Pin{was, is} {
		if p != nil {
			sides[i] = p.Files
		}
	}
	for i, side := range sides {
		for _, f := range side.Parts {
			if f.Text != sides[1-i].Get(f.Name).Text {
				size += len(f.Text) + lineCost*strings.Count(f.Text, "\n")
			}
		}
	}
	return size
}

// explainTexts works out what changed in the texts of an entry.
func (r *reader) explainTexts(e *Entry, old, new jsontree.Value) {
	refused := r.budget.RefusalCount()
	changes := r.compare(e, old, new)
	sentences := r.newSentences(e, old, new)
	e.Unexplained = r.budget.RefusalCount() > refused
	if !e.Unexplained {
		e.Severity = diff.SeverityOf(&e.Drift, changes)
	}
	for _, s := range sentences {
		score := rank.LearnedModel().Score(s.Text)
		e.NewSentences = append(e.NewSentences, Sentence{s, score})
		e.Score = max(e.Score, score)
	}
	isOther := func(c *diff.Change) bool {
		return c.Old.Kind != '"' || c.New.Kind != '"' || !sameButIDs(c.Old.Text, c.New.Text)
	}
	e.OnlyVolatile = e.Type != pin.Skills && len(e.Changes()) > 0 && !slices.ContainsFunc(e.Changes(), isOther)
}

// sameButIDs reports whether two texts differ only in values that a server may generate at each start, such as ids.
func sameButIDs(old, new string) bool {
	ids := runsOfWords()
	return ids.ReplaceAllStringFunc(old, withoutID) == ids.ReplaceAllStringFunc(new, withoutID)
}

var runsOfWords = text.LazyRegexp(`[0-9A-Za-z:+_-]+(\.[0-9]+Z?)?`)

// withoutID returns a word, or "0" for a number of four digits or more, a time, or an id of eight characters or more.
func withoutID(word string) string {
	digits := 0
	for _, c := range word {
		digits += lint.BoolToInt(c >= '0' && c <= '9')
	}
	isTime := digits >= 3 && strings.Contains(word, ":")
	if digits >= 4 || isTime || digits > 0 && len(word) >= 8 {
		return "0"
	}
	return word
}

// newSentences lists the sentences that an entry has and its approved definition lacks. If the approved definition
// isn't stored, the list is empty, because it isn't known which sentences are new.
func (r *reader) newSentences(e *Entry, old, new jsontree.Value) []lint.Sentence {
	if e.Captured == nil || e.Locked != nil && e.Locked.Definition == nil {
		return nil
	}
	list := lint.AddedSentences(r.budget, &old, &new)
	for i := range e.Copies {
		if other := &e.Copies[i]; other.Digest != e.Captured.Digest {
			now := other.ReviewTree()
			list = append(list, lint.AddedSentences(r.budget, &old, &now)...)
		}
	}
	return list
}

// compare works out what changed inside an entry.
func (r *reader) compare(e *Entry, old, new jsontree.Value) (changes []diff.Change) {
	if e.RenamedFrom == "" && !diff.IsComparable(&e.Drift) {
		return nil
	}
	changes, e.OldPointers = diff.CompareDefinitions(r.budget, e.Type, old, new)
	for i := range changes {
		if c := &changes[i]; c.Pointer != "/"+pin.EntryTypeInfo[e.Type].Identity {
			r.read(c, e)
			e.Edits = append(e.Edits, c)
		}
	}
	return changes
}

// read determines what a reader sees of a change: whether it is invisible, whether it contains text, and which parts of
// a text differ.
func (r *reader) read(c *diff.Change, of *Entry) {
	texts := c.Old.Kind == '"' && c.New.Kind == '"'
	isSame := texts && text.Sanitize(c.Old.Text) == text.Sanitize(c.New.Text)
	isReported := slices.ContainsFunc(of.NewFindings, func(f lint.Finding) bool { return f.Warning && f.Pointer == c.Pointer })
	c.IsInvisible = (of.Kind == pin.DriftHidden || isSame) && !isReported
	// A file's text is shown itself, so its changed digest is nothing new to read.
	c.ChangesText = c.Label != label.FileDigestChanged && c.HasText()
	if texts && (isSame || isProse(c.Old.Text, c.New.Text) || of.Type == pin.Skills) {
		c.TextEdits, c.ComparedBySentence = words.DiffTexts(r.budget, c.Old.Text, c.New.Text, c.IsCode)
	}
}

// isProse reports whether a word diff of two texts is easier to read than both of them whole.
func isProse(old, new string) bool {
	return strings.ContainsAny(old+new, " \n") || len(old)+len(new) > 60
}

// HasNewWarning reports whether an entry has a new warning.
func (e *Entry) HasNewWarning() bool {
	return slices.ContainsFunc(e.NewFindings, func(f lint.Finding) bool { return f.Warning })
}

// HasNewFinding reports whether an entry has a new finding with that id.
func (e *Entry) HasNewFinding(id string) bool {
	return slices.ContainsFunc(e.NewFindings, func(f lint.Finding) bool { return f.ID == id })
}

// NonLabelSelectors are the values of --only that are neither kinds nor labels: the notes that --stat shows,
// pin.MinorSelector and pin.WarningsSelector.
var NonLabelSelectors = []string{"new-address", "takes-code", "destructive", "writes", "open-world", "no-hints", pin.MinorSelector, pin.WarningsSelector}

// AllSelectorWords returns the words that select drift by its content: the ids of labels, and NonLabelSelectors.
func AllSelectorWords() []string { return append(label.IDs(), NonLabelSelectors...) }

// SelectorWords lists the words that select an entry, except pin.WarningsSelector.
func (e *Entry) SelectorWords() (words []string) {
	if !e.Unexplained { // otherwise no label is proven
		for _, c := range e.Changes() {
			words = append(words, c.Label.ID())
		}
	}
	for _, f := range e.NewFindings {
		words = append(words, f.ID)
	}
	said := e.CapturedTraits
	if e.Kind == pin.DriftRemoved {
		said = e.PinnedTraits
	}
	for _, word := range said {
		if word != TraitTakesCode { // if it is new, its note is among the findings above
			words = append(words, strings.ReplaceAll(word, " ", "-"))
		}
	}
	if e.Minor {
		words = append(words, pin.MinorSelector)
	}
	return words
}

// Select returns the facts of the entries for which selects returns true. It calls selects with each drift and the
// words that select the drift. Findings about whole captures stay.
func (f *Explanation) Select(selects func(d *pin.Drift, words []string) bool) *Explanation {
	part := *f
	part.IsSelection = true
	part.Entries = nil
	for _, e := range f.Entries {
		words := e.SelectorWords()
		if e.HasNewWarning() {
			words = append(words, pin.WarningsSelector)
		}
		if selects(&e.Drift, words) {
			part.Entries = append(part.Entries, e)
		} else {
			part.DeselectedCount++
		}
	}
	matching := func(f lint.Finding) bool {
		return !f.IsWholeServer() && f.Scope == pin.FindingInMatch && !selects(&pin.Drift{Server: f.Server, Key: f.Key}, []string{pin.WarningsSelector})
	}
	part.UnacceptedWarnings = slices.DeleteFunc(slices.Clone(f.UnacceptedWarnings), matching)
	part.ApprovedWarnings = slices.DeleteFunc(slices.Clone(f.ApprovedWarnings), matching)
	return &part
}
