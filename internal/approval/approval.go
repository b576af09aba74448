// Package approval decides which drift a person accepts, and which pins that makes. It takes
// plain data and returns plain data, or an error: it reads no text of a server and prints nothing.
//
// A decision takes up to three steps. Check refuses what can be refused before any text is read.
// Decide, given the values of the flags, decides or returns that a person has to be asked. If so, Decide
// is called again with the answers, and decides.
package approval

import (
	"slices"

	"pinproof/internal/pin"
	"pinproof/internal/shell"
)

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

	// The denied pin that it looks like, of its server or another one.
	LikeDenied pin.Ref

	// It may be a denied entry: it couldn't be compared with all of them.
	MayBeDenied bool
}

// A Warning is a warning in one entry or, where the key is empty, about a server's list as a whole.
type Warning struct {
	Of pin.Ref

	// How a consent to the warning is recorded. If the record has no digest, consent isn't recorded.
	Record pin.Record

	Where    TextPlace
	Names    string // the tool of another server that the text names; or ""
	Approved bool   // it was accepted with the pin
	Unclean  bool   // requireClean refuses its text
}

// isWhole reports whether a warning is about a list as a whole.
func (w *Warning) isWhole() bool { return w.Of.Key == pin.Key{} }

// stays reports whether a warning is about an entry that matches its pin, or about a pinned text: it can be recorded by itself.
func (w *Warning) stays() bool { return w.Where == InMatch || w.Where == InPin }

// tool returns the tool of a server that has the name that a warning is about.
func (w *Warning) tool(server string) pin.Ref {
	return pin.Ref{Server: server, Key: pin.Key{Type: pin.Tools, Name: w.Names}}
}

// Overlooks returns a function that reports whether a warning is new, counts for an outcome and is not in the case. A name may excuse a
// text as long as the entry of that name may be accepted, so it is known only afterwards which warnings are in what is pinned.
func (c *Case) Overlooks(out *Outcome) func(w Warning) bool {
	known := map[Warning]bool{}
	for _, w := range c.Warnings {
		known[w] = true
	}
	added := map[string][]string{} // the servers of tools that were accepted, by name
	gone := map[pin.Ref]bool{}
	for _, d := range c.Drifts {
		if out.Accepted[d.Ref()] && d.Type == pin.Tools {
			gone[d.Ref()] = d.Kind == pin.Removed
			if d.Kind == pin.Added {
				added[d.Name] = append(added[d.Name], d.Server)
			}
		}
	}
	return func(w Warning) bool {
		if w.Approved || known[w] {
			return false
		}
		if w.Where == InDrift {
			return out.Accepted[w.Of] // a pinned text that is replaced goes
		}
		own := w.tool(w.Of.Server)
		isAdded := slices.ContainsFunc(added[w.Names], func(server string) bool { return server != w.Of.Server })
		return w.stays() && !out.Accepted[w.Of] && w.Names != "" && (out.Denied[own] || gone[own] || isAdded)
	}
}

// TextPlace is the place of a warning's text.
type TextPlace int

const (
	InDrift TextPlace = iota // in an entry that has drifted

	// In an entry that matches its pin.
	InMatch

	// Kept out of the pins by the policy, so that no approval covers it.
	Unpinned

	InPin // in a pinned text that no capture at hand repeats
)

// A Choices has a person's choices: by flags or, if Answers is set, at the prompt. The caller has checked which flags go
// together: --accept goes with neither --accept-all nor --only, and --deny doesn't go with --only. With All, Only has
// nothing but words.
type Choices struct {
	// How the command was called, for the commands in errors.
	Next shell.Command
	Verb string

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

	// --expect: the only set digests that are accepted, in the order of the servers, perhaps with @ and the State of the pins; empty:
	// any.
	Expect []string

	AllowsEmpty bool // --allow-empty

	// Relock: the server of a single capture has to have pins.
	NeedsPins bool

	Silent bool // nobody can be asked, or wants to be

	// What was answered; nil: nobody was asked.
	Answers *Answers
}

// NeedsPrompt reports whether no flag accepts anything: then a person has to be asked about what differs.
func (said *Choices) NeedsPrompt() bool {
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

	Policies bool // the changed policies
	Wholes   bool // the warnings about captures as a whole

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
	// A person has to be asked first: nothing else is decided.
	Ask bool

	// Nothing has to be written: every server that has a capture matches its pins.
	Settled bool

	// The new pins, by server, before the approver is recorded with them; nil if nothing is written.
	Sets map[string]*pin.Set

	// The error that the run ends with: why nothing is written, or that some drift is left; else nil.
	Err error

	// The warnings that are the reason for the error.
	Warnings []Warning

	Accepted map[pin.Ref]bool // drift

	// Of the drift that keeps its pin, what was asked for in bulk or by its name alone, and is left out because of a denied entry.
	Held map[pin.Ref]bool

	// New servers without an entry that are pinned all the same.
	Whole []string

	// Warnings of matching entries that are recorded as accepted.
	Recorded WarningRecord

	// Entries that this decision denies, or that it accepts and that stay denied.
	Denied map[pin.Ref]bool

	// Entries that were denied, and no longer are.
	Allowed map[pin.Ref]bool

	Idle []Selector // what was asked for and isn't drift
}
