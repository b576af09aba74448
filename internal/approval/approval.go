// Package approval decides what of the drift a person accepts, and which pins that makes. It is
// given plain data and gives plain data back: it reads no text, prints nothing and words nothing.
//
// The way of a yes: Check refuses what no reading could mend; Decide, given what the flags say,
// decides or says that a person has to be asked; Decide again, given the answers, decides.
package approval

import "pinproof/internal/pin"

// A Case is what is decided about: both sides of some servers, and what is known of what differs.
type Case struct {
	Sides   []pin.Comparison // sorted by server
	Drifts  []pin.Drift      // each entry once
	Verdict pin.Verdict      // of verify.go
	Facts   map[pin.Ref]Fact // of each drift

	// Of everything that was read, and what is recorded.
	Warnings []Warning
}

// A Fact is what is known of one drift, as far as a flag can ask for it.
type Fact struct {
	// By which --only selects it; a new warning's aside.
	Words []string

	Labels []string // of its changes, each change's
	Minor  bool     // there is nothing new to read in it

	// The name of a REMOVED entry of the same server that it seems to have had; or "".
	RenamedFrom string
}

// A Warning is a warning in one entry or, where the key is empty, about a server's list as a whole.
type Warning struct {
	Of pin.Ref

	// What a consent to it is recorded as; without a digest, none is.
	Record pin.Record

	Where    Where
	Approved bool // it was accepted with the pin
	Unclean  bool // it is one that requireClean refuses
}

// isWhole reports whether a warning is about a list as a whole.
func (w *Warning) isWhole() bool { return w.Of.Key == pin.Key{} }

// Where says what the text of a warning is.
type Where int

const (
	InDrift Where = iota // a part of an entry that has drifted

	// A part of an entry that matches its pin.
	InMatch

	// Kept out of the pins by the policy, so that no approval covers it.
	Unpinned
)

// A Said is what a person said: by flags or, if Answers is there, at the prompt. Which flags go together is checked before:
// Accepts goes with neither All nor Only, and Deny not with Only. With All, no selector of Only is a name.
type Said struct {
	// Lock: servers that have no pins are approved whole or not at all.
	Approves bool

	All bool // --accept-all

	// --accept, or --accept-warning where nothing else says what is accepted.
	Accepts []Selector

	// --deny: entries that are pinned as they are read, and that agents go without.
	Deny []Selector

	Only []Selector // --only: nothing else is decided about

	// --accept-warning: the entries that are accepted in spite of their warnings.
	Warnings []Selector

	AnyWarning bool // --accept-warnings

	// --approved-by: who matches, but is partly bound, can be approved anew.
	Signs bool

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

// Asks reports whether no flag says what is accepted: then a person has to be asked about what differs.
func (said *Said) Asks() bool {
	return !said.Approves && !said.All && len(said.Accepts) == 0 && len(said.Deny) == 0
}

// Answers are what a person accepted at the prompt. Each yes is bound to what was shown.
type Answers struct {
	// The digest of the definition that was shown; of a REMOVED entry, its pin's.
	Entries map[pin.Ref]string

	// Of these entries, those that agents go without.
	Denied map[pin.Ref]bool

	// Of these entries, those whose own question was answered with a plain yes.
	Allowed map[pin.Ref]bool

	Policies map[string]pin.Policy // by server: the policy that was shown

	// By server: the set digest of the capture whose warning was shown.
	Wholes map[string]string

	// The warnings of entries that match their pins.
	Records []Record
}

// A Record is an accepted warning of an entry, which the lockfile keeps.
type Record struct {
	Of pin.Ref
	pin.Record
}

// An Outcome is what was decided.
type Outcome struct {
	// Why nothing is written; nil: what is accepted is.
	Reason *Reason

	// A person has to be asked first: nothing else is decided.
	Ask bool

	// Nothing has to be written: all there is matches its pin.
	Settled bool

	Accepted map[pin.Ref]bool // drift

	// Drift that was asked for, but has a new warning.
	Refused map[pin.Ref]bool

	// Drift that keeps its pin, in the order of the case.
	Left []pin.Ref

	LeftOut int // drift that --only doesn't select

	// Servers without an entry, and without pins from now on, too.
	Bare []string

	// Servers without an entry that are pinned all the same.
	Whole []string

	// Warnings of matching entries that are recorded as accepted.
	Recorded WarningRecord

	// Entries that are denied by this, or accepted and stay denied.
	Denied map[pin.Ref]bool

	// Entries that were denied, and no longer are.
	Allowed map[pin.Ref]bool

	// Entries that match their pins and are approved anew.
	Renewed []pin.Ref

	Idle []Selector // what was asked for and isn't drift

	// The new pins, by server, without the approvals of today.
	Sets map[string]*pin.Set

	// 0: no drift is left, 1: the answer is no, 2: there is no answer.
	Code int
}

// A Reason is why nothing is written. Who prints it has the words.
type Reason struct {
	Why  Why
	Flag string // that was given, "--accept"
	Arg  string // with this value

	// What it is about; a server's if the key is empty.
	Entry pin.Ref

	// How many entries of that name the capture lists.
	Copies int

	Warning Warning  // what requireClean refuses
	Sets    []string // the set digests that there are
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

	// A changed policy is accepted with all drift.
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

// refuses has the reasons that are a no (exit code 1). All others are no answer (2).
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
	if out.Reason != nil {
		return out.Reason.ExitCode()
	}
	if len(out.Refused) > 0 || len(out.Left) > 0 || out.LeftOut > 0 || len(out.Bare) > 0 {
		return 1
	}
	return 0
}

// refuse is the outcome of a decision that writes nothing.
func refuse(why *Reason) Outcome {
	out := Outcome{Reason: why}
	out.Code = codeOf(&out)
	return out
}
