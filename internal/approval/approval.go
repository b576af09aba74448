// Package approval decides which drift a person accepts, and which pins that makes. It takes
// plain data and returns plain data: it reads no text, prints nothing and words nothing.
//
// A decision takes up to three steps. Check refuses what can be refused before any text is read.
// Decide, given the values of the flags, decides or returns that a person has to be asked. If so, Decide
// is called again with the answers, and decides.
package approval

import "pinproof/internal/pin"

// A Case is what a decision is about: both sides of some servers, and what is known of their drift.
type Case struct {
	Sides   []pin.Comparison // sorted by server
	Drifts  []pin.Drift      // each entry once
	Verdict pin.Verdict      // of verify.go
	Facts   map[pin.Ref]Fact // of each drift

	// Servers without a capture whose pinned texts have a warning about what was added, captured as they are pinned.
	// Nothing of them is accepted but such a warning.
	Others []pin.Comparison

	// The warnings in all texts that were read, and those on record.
	Warnings []Warning
}

// A Fact is what is known of one drift, as far as a flag can ask for it.
type Fact struct {
	// The words by which --only selects it, all but the word for a new warning.
	Words []string

	Labels []string // one for each of its changes
	Minor  bool     // there is nothing new to read in it

	// The name of a REMOVED entry of the same server that seems to be this one, or "".
	RenamedFrom string
}

// A Warning is a warning in one entry or, where the key is empty, about a server's list as a whole.
type Warning struct {
	Of pin.Ref

	// How a consent to the warning is recorded. If the record has no digest, consent isn't recorded.
	Record pin.Record

	Where    Where
	Names    string // the tool of another server that the text names; or ""
	Approved bool   // it was accepted with the pin
	Unclean  bool   // requireClean refuses its text
}

// isWhole reports whether a warning is about a list as a whole.
func (w *Warning) isWhole() bool { return w.Of.Key == pin.Key{} }

// stays reports whether a warning is about an entry that matches its pin, or about a pinned text: it can be recorded by itself.
func (w *Warning) stays() bool { return w.Where == InMatch || w.Where == InPin }

// Where is the place of a warning's text.
type Where int

const (
	InDrift Where = iota // in an entry that has drifted

	// In an entry that matches its pin.
	InMatch

	// Kept out of the pins by the policy, so that no approval covers it.
	Unpinned

	InPin // in a pinned text that no capture at hand repeats
)

// A Said has a person's choices: by flags or, if Answers is set, at the prompt. The caller has checked which flags go
// together: --accept goes with neither --accept-all nor --only, and --deny doesn't go with --only. With All, Only has
// nothing but words.
type Said struct {
	// Lock: it approves only servers that have no pins. Flags approve such a server whole or not at all.
	Approves bool

	All bool // --accept-all

	// --accept, or --accept-warning where no other flag accepts anything.
	Accepts []Selector

	// Accepts is from --accept-warning, which accepts warnings and drift, and removes no mark.
	KeepsMarks bool

	// --deny: entries that are pinned as they are read, and that agents go without.
	Deny []Selector

	Only []Selector // --only: nothing but these is decided about

	// --accept-warning: the entries that are accepted in spite of their warnings.
	Warnings []Selector

	AnyWarning bool // --accept-warnings

	// --expect: the only set digests that are accepted; empty: any.
	Expect []string

	AllowsEmpty bool // --allow-empty

	Folder bool // the captures are those of a folder

	// Relock: a single server has to have pins.
	NeedsPins bool

	Silent bool // nobody can be asked, or wants to be

	// What was answered; nil: nobody was asked.
	Answers *Answers
}

// Asks reports whether no flag accepts anything: then a person has to be asked about what differs.
func (said *Said) Asks() bool {
	return !said.Approves && !said.All && len(said.Accepts) == 0 && len(said.Deny) == 0
}

// Answers are what a person accepted at the prompt. Each yes is bound to what was shown.
type Answers struct {
	// The digest of the definition that was shown; of a REMOVED entry, its pin's.
	Entries map[pin.Ref]string

	// Of these entries, those that agents go without.
	Denied map[pin.Ref]bool

	// The entries that were accepted each by itself: by its own question, or by its name.
	Allowed map[pin.Ref]bool

	Policies map[string]pin.Policy // by server: the policy that was shown

	// By server: the set digest of the capture whose warning was shown.
	Wholes map[string]string

	// The warnings of entries that match their pins, and of pinned texts.
	Records []Record
}

// A Record is an accepted warning of an entry, which the lockfile keeps.
type Record struct {
	Of pin.Ref
	pin.Record
}

// An Outcome is what was decided.
type Outcome struct {
	// Why nothing is written; nil if what is accepted is written.
	Reason *Reason

	// A person has to be asked first: nothing else is decided.
	Ask bool

	// Nothing has to be written: every server that has a capture matches its pins.
	Settled bool

	Accepted map[pin.Ref]bool // drift

	// Drift that was asked for, but has a new warning.
	Refused map[pin.Ref]bool

	// Drift that keeps its pin, in the order of the case.
	Left []pin.Ref

	// Of this drift, what acceptance in bulk leaves out while a denied entry is gone.
	Held []pin.Ref

	LeftOut int // drift that --only doesn't select

	// New servers without an entry that stay without pins.
	Bare []string

	// New servers without an entry that are pinned all the same.
	Whole []string

	// Warnings of matching entries that are recorded as accepted.
	Recorded WarningRecord

	// Entries that this decision denies, or that it accepts and that stay denied.
	Denied map[pin.Ref]bool

	// Entries that were denied, and no longer are.
	Allowed map[pin.Ref]bool

	Idle []Selector // what was asked for and isn't drift

	// The new pins, by server, before the approver is recorded with them.
	Sets map[string]*pin.Set

	// 0: no drift is left, 1: the answer is no, 2: there is no answer.
	Code int
}

// A Reason is why nothing is written. The caller that prints it chooses the words.
type Reason struct {
	Why  Why
	Flag string // the flag that was given, such as "--accept"
	Arg  string // its value

	// The entry that the reason is about, or a server if the key is empty.
	Entry pin.Ref

	// How many entries of that name the capture lists.
	Copies int

	Warning Warning  // what requireClean refuses
	Sets    []string // the set digests of the captures
}

// Why is the kind of a reason.
type Why int

const (
	// A value that isn't a name, digest or word.
	NotASelector Why = iota

	NotAPattern // a pattern that can't be read
	EmptyList   // the capture lists no tools
	OtherSet    // the set digest isn't the expected one

	// Lock: the server is pinned under another policy.
	OtherPolicy

	Repeated // a repeated name in what lock approves

	// Relock: the lockfile doesn't have the server.
	NoPins

	// No entry of that name is pinned or listed.
	NotThere

	TwoMeanings    // a tool has that name, too
	SeveralServers // entries of several servers fit
	NewByPattern   // a pattern accepts no new entry
	StaleDigest    // no drift has that digest
	NotAcceptable  // a repeated name was asked for

	// --accept-warning and --deny take the name of an entry.
	NotAName

	NotDeniable   // --deny: instructions are read whole
	NothingToDeny // --deny: the entry isn't in the capture
	TwoAnswers    // an entry was to be accepted and denied

	// A changed policy can only be accepted together with all drift.
	NeedsAll

	NotCovered // a text that isn't pinned has a warning
	NotClean   // requireClean refuses an entry
	NewWarning // a new warning that nobody accepted

	// Some drift is left, and a policy changed.
	PolicyInParts

	PolicyDeclined // the answer to a changed policy is no

	// The answer to a warning about a list as a whole is no.
	WarningDeclined

	// An answer is about something else than what would be written.
	NotWhatWasShown
)

// refuses has the reasons that mean no (exit code 1). All others mean that there is no answer (2).
var refuses = map[Why]bool{
	OtherSet: true, OtherPolicy: true, Repeated: true, StaleDigest: true, NotAcceptable: true, NotCovered: true,
	NotClean: true, NewWarning: true, PolicyInParts: true, PolicyDeclined: true, WarningDeclined: true, NotWhatWasShown: true,
}

// ExitCode is the exit code of a run that ends for a reason.
func (r *Reason) ExitCode() int {
	if refuses[r.Why] {
		return 1
	}
	return 2
}

// codeOf is the exit code of an outcome. Nothing else chooses one.
func codeOf(out *Outcome) int {
	if len(out.Refused) > 0 || len(out.Left) > 0 || out.LeftOut > 0 || len(out.Bare) > 0 {
		return 1
	}
	return 0
}
