// Package approval decides which drift is accepted, and returns the new pins. It works on plain data: it reads
// no text of a server and prints nothing.
//
// First, Precheck rejects what it can without reading a text. Then Decide decides by the flags, or returns that a person
// must be asked. In that case the caller asks, and calls Decide again with the answers.
package approval

import (
	"slices"

	"pinproof/internal/pin"
	"pinproof/internal/shell"
)

// An Input is the input of a decision: both sides of some servers, and facts about their drift.
type Input struct {
	Sides   []pin.Comparison       // sorted by server
	Drifts  []pin.Drift            // each entry once, with the entry it was renamed from and the denied pin it resembles
	Verdict pin.Verdict            // the verdict that Judge in verify.go returned
	Facts   map[pin.Ref]DriftFacts // of each drift

	// Servers without a capture whose pinned text names an added tool. For each, the pins serve as both sides, and only
	// the warnings about such texts can be accepted.
	OtherServers []pin.Comparison

	// The warnings about all texts that were read, including those that a person accepted earlier.
	Warnings []Warning
}

// A DriftFacts is what a decision needs to know about one drift.
type DriftFacts struct {
	// The words by which --only selects the drift, except "warnings".
	SelectorWords []string

	Labels []string // one for each of its changes
	Minor  bool     // there is nothing new to read in it
}

// A Warning is about one entry or, if the key in Entry is empty, about a server's whole list.
type Warning struct {
	// What the lockfile keeps if the warning is accepted. Without a digest, nothing is recorded.
	pin.EntryWarning

	Scope             pin.FindingScope // of its text
	NamedTool         string           // the tool of another server that the text names; or ""
	Approved          bool             // it was accepted with the pin
	FailsRequireClean bool             // requireClean refuses its text
}

// stays reports whether a warning is about text that is already pinned. Such a warning can be accepted without
// accepting drift.
func (w *Warning) stays() bool {
	return w.Scope == pin.FindingInMatch || w.Scope == pin.FindingInPinOnly
}

// MissedWarningFunc returns a function that reports whether an unaccepted warning matters for an outcome but is missing
// from the Input. Such warnings are known only after the decision, because a text may name a tool of its own server
// without a warning as long as that tool may still be accepted. accepted is the accepted drift, and gone has the
// entries that agents lose.
func (c *Input) MissedWarningFunc(out *Outcome, accepted []pin.Drift, gone pin.RefSet) func(w Warning) bool {
	known := map[Warning]bool{}
	for _, w := range c.Warnings {
		known[w] = true
	}
	added := map[string][]string{} // the servers of the accepted new tools, by tool name
	for _, d := range accepted {
		if d.Kind == pin.DriftAdded && d.Type == pin.Tools {
			added[d.Name] = append(added[d.Name], d.Server)
		}
	}
	return func(w Warning) bool {
		if w.Approved || known[w] {
			return false
		}
		if w.Scope == pin.FindingInDrift {
			return out.Accepted[w.Entry] // otherwise its text isn't pinned
		}
		own := pin.Ref{Server: w.Entry.Server, Key: pin.Key{Type: pin.Tools, Name: w.NamedTool}}
		isAdded := slices.ContainsFunc(added[w.NamedTool], func(server string) bool { return server != w.Entry.Server })
		// If the entry is accepted, its pinned text is replaced.
		return w.stays() && !out.Accepted[w.Entry] && w.NamedTool != "" && (gone[own] || isAdded)
	}
}

// Choices are a person's choices, by flags or, if Answers is set, at the prompt. The caller has checked the
// flags: --accept excludes --accept-all, and --only excludes all three flags that accept or deny entries.
type Choices struct {
	// The command line of this run. The commands that errors suggest are derived from it.
	CommandLine shell.Command
	CommandName string

	// The command is lock: it approves only servers without pins. Flags approve such a server whole or not at all.
	NewServersOnly bool

	AcceptAll bool // --accept-all

	// --accept, or --accept-warning where no other flag accepts anything.
	Accept []Selector

	// The values in Accept come from --accept-warning, which accepts the drift of an entry, too, but leaves a denied
	// entry denied.
	KeepsDenied bool

	// --deny: entries to pin and to keep from agents.
	Deny []Selector

	Only []Selector // --only: only these are decided

	// --accept-warning: the entries that are accepted despite their warnings.
	WarningSelectors []Selector

	AcceptsAllWarnings bool // --accept-warnings

	// --expect: the set digests to accept, in the order of the servers, each optionally followed by @ and what
	// StateDigestFunc returns for the server. If empty, any digest is accepted.
	ExpectedDigests []string

	// Returns the digest of a server's ID and of its entry in the lockfile.
	StateDigestFunc func(p *pin.Comparison) string

	AllowsEmpty bool // --allow-empty

	// The command is relock: the server of a single capture must have pins.
	NeedsPins bool

	NonInteractive bool // nobody can be asked, or --yes is given

	// The answers at the prompt; nil if nobody was asked.
	Answers *Answers
}

// NeedsPrompt reports whether the command is relock and no flag accepts or denies entries, so that a person must be
// asked.
func (said *Choices) NeedsPrompt() bool {
	return !said.NewServersOnly && !said.AcceptAll && len(said.Accept) == 0 && len(said.Deny) == 0
}

// SelectsByWord reports whether --only, or a label in --accept, selects what is accepted. If so, the caller
// must know the labels of all changes.
func (said *Choices) SelectsByWord() bool {
	return len(said.Only) > 0 || len(labelsIn(said.Accept)) > 0
}

// DriftToRead returns the drift that may be accepted: a decision needs only the texts of this drift. all is true if it
// needs the texts of all entries, for example because a pinned text may name an added tool.
func (said *Choices) DriftToRead(drifts []pin.Drift) (named []pin.Drift, all bool) {
	if said.NeedsPrompt() || said.NewServersOnly || said.AcceptAll || said.AcceptsAllWarnings || len(said.WarningSelectors) > 0 || said.SelectsByWord() {
		return drifts, true
	}
	for _, d := range drifts {
		if MatchesAny(said.Accept, &d, nil) || MatchesAny(said.Deny, &d, nil) {
			named = append(named, d)
			all = all || d.Kind == pin.DriftAdded && d.Type == pin.Tools
		}
	}
	return named, all
}

// labelsIn lists the selectors that are labels.
func labelsIn(list []Selector) (labels []Selector) {
	for _, s := range list {
		if s.isLabel() {
			labels = append(labels, s)
		}
	}
	return labels
}

// Answers are what a person accepted at the prompt. An accepted entry is bound to the digest that was shown.
type Answers struct {
	// The digests of the definitions that were shown. For a REMOVED entry, this is the pin's digest.
	AcceptedDigests map[pin.Ref]string

	// The accepted entries that are kept from agents.
	Denied pin.RefSet

	// The entries that were accepted individually: by their own question, or by their name.
	AcceptedIndividually pin.RefSet

	AcceptsPolicies        bool // the changed policies
	AcceptsCaptureWarnings bool // the warnings about captures as a whole

	// The warnings of entries that match their pins, and of pinned texts.
	AcceptedWarnings map[pin.EntryWarning]bool
}

// NewAnswers returns answers that accept nothing.
func NewAnswers() *Answers {
	return &Answers{AcceptedDigests: map[pin.Ref]string{}, Denied: pin.RefSet{}, AcceptedIndividually: pin.RefSet{}, AcceptedWarnings: map[pin.EntryWarning]bool{}}
}

// An Outcome is what was decided.
type Outcome struct {
	// A person must be asked first. All other fields are empty.
	NeedsPrompt bool

	// Nothing has to be written: every server that has a capture matches its pins.
	NothingToWrite bool

	// The new pins, by server, before approvals are recorded in them; nil if nothing is written.
	NewPins map[string]*pin.Set

	// The error that the run ends with: why nothing is written, or that some drift is left; else nil.
	Err error

	// The warnings that are the reason for the error.
	Warnings []Warning

	Accepted pin.RefSet // drift

	// The drift that was requested in bulk or by its name alone, but isn't accepted because of a denied entry.
	HeldBack pin.RefSet

	// New servers that are pinned although they have no entries.
	EmptyServers []string

	// Warnings of matching entries that are recorded as accepted.
	RecordedWarnings map[pin.EntryWarning]bool

	// The entries that this decision denies, and those that it accepts but that stay denied.
	Denied pin.RefSet

	// Entries that were denied, and no longer are.
	NoLongerDenied pin.RefSet

	UnusedSelectors []Selector // the selectors that had nothing to accept
}
