// Package report turns the result of a comparison into a model: plain structs with nothing left
// to compute, which each format lays out. It explains what was decided, and decides nothing itself.
package report

import (
	"pinproof/internal/jsontree"
	"pinproof/internal/layout"
	"pinproof/internal/pin"
)

// A Model is the content of a report. Its texts are printable, unless a comment says otherwise. It doesn't depend on
// the format, the terminal or the clock.
type Model struct {
	Version string // of this program
	Home    string // the address of the project's page, or ""

	// Every entry matches its pin, and nothing else is wrong.
	Matches bool

	Failed          bool // an entry or a server fails the run
	ExitCode        int  // of the run, if nothing else fails
	NoVerdict       *NoVerdictReason
	NothingCompared bool // nothing was compared

	Word string // the verdict in one to three words
	Text string // the rest of the verdict

	// The beginning of Text that counts the new warnings, or "".
	Warning string

	// How the amount of text that a language model reads has changed, in tokens or else in bytes; or "".
	Cost string

	// The file that annotations point into, as a path with slashes; "" if that is standard input.
	AnnotatedFile string

	HasSeveralServers bool   // there is more than one server
	OtherServersText  string // "10 other servers: no drift", or ""

	// Release is text for the head of a review. It states the release that the drift requires or, if every severity is
	// known, the number of breaking entries, and may explain block numbers. It is "" if there is nothing to state.
	Release string

	// MuchToRead means that reports for people show ReadFirst: there are many new sentences, or a conspicuous one.
	MuchToRead bool

	// What breaks callers, in a few words each; or "".
	Breaks string

	// The most dangerous entries of all servers: a line for each reason.
	Worst [][]layout.Run

	Problems []Problem

	// What several entries have in common.
	Shared []*SharedChanges

	// The number of blocks with a warning. They come before Shared.
	WarnedBlockCount int

	Blocks          []*ReviewBlock // their numbers follow those of Shared
	Minor           string         // counts the minor changes in all blocks, by label
	DeselectedCount int            // entries that --only leaves out

	// The number of entries left unexplained because of a limit.
	UnexplainedCount int

	// A policy changed, so that either all drift is accepted or none.
	PolicyChanged bool

	// The servers whose stated name or version has changed since they were pinned. Only text formats print this.
	ServerInfoChanges []string

	// Findings about captures as a whole that nobody has approved.
	CaptureFindings []Finding

	// Warnings that nobody accepted, in entries that match their pins: a person can accept them at the prompt.
	UnacceptedWarnings []Finding

	// The number of denied entries that match their pins. With --part, if denied entries fail the run, it includes
	// denied entries that the capture lacks.
	DeniedCount int

	RefusesDenied bool // denied entries fail the run, so Records lists them

	Review Step   // the command that shows everything
	Next   []Step // the next steps

	// Commands that approve without a question: for a reader at a terminal, and for the page.
	ApproveCommands []Step

	// What other readers get instead of ApproveCommands, because one of them may be a model: the digests of what is
	// shown, or what a person has to do at a terminal.
	ManualSteps []Step

	// The step that replaces this machine's folders in the entries by names; or empty.
	FolderStep Step

	Data
}

// Data is what programs get, in the order of the JSON format. A member without a value is absent. Names, pointers,
// definitions and paths are not made printable, so a program that reads them must treat them as hostile.
type Data struct {
	// Paths, as the user gave them; one of them is "".
	Lockfile string `json:"lockfile,omitempty"`
	Against  string `json:"against,omitempty"`

	// The kind of release that the drift requires: "major", "minor", "patch"; or "".
	Bump string `json:"bump,omitempty"`

	Counts    map[string]int `json:"counts,omitempty"`    // their keys are part of the format, too
	TextBytes *SizeChange    `json:"textBytes,omitempty"` // nil: not known
	Tokens    *SizeChange    `json:"tokens,omitempty"`    // an estimate of what the tools take; nil: not known
	Servers   []Server       `json:"servers,omitzero"`

	// What drifted, in the order of the blocks.
	Entries []*Entry `json:"drift,omitzero"`

	// Only the JSON format sets it, to CaptureFindings and UnacceptedWarnings.
	Findings []Finding `json:"findings,omitzero"`

	// Findings in text that no pin covers.
	Unpinned []Finding `json:"unpinned,omitzero"`

	// Approved warnings in entries that match their pins, or about captures without drift.
	Approved []Finding `json:"standing,omitzero"`

	// The lockfile's records, other than definitions, that a reader has to review.
	Records []Record `json:"records,omitempty"`

	Captured []CapturedEntry `json:"entries,omitzero"`

	// The new sentences that are most like prompt injection: a weak hint, not a finding.
	ReadFirst []ReadFirst `json:"readFirst,omitempty"`
}

// A NoVerdictReason is the reason why there is no verdict.
type NoVerdictReason struct {
	Text  string   `json:"message"`
	Hints []string `json:"hints"`
	Lines []string `json:"-"` // Text and Hints as lines to print
}

// A Step is a command to type next or a digest, and its purpose. Any of its fields may be empty.
type Step struct {
	Text    string
	Command string
	Digest  string
}

// A Server is one server's two sides, and what drifted between them.
type Server struct {
	ID           string `json:"server"` // not made printable
	PinnedSide   *Side  `json:"pinned,omitempty"`
	CapturedSide *Side  `json:"now,omitempty"`

	// The ID as it is printed; "" if two captures are compared.
	Name string `json:"-"`

	// What is compared: "files   tools.lock 14 tools   ->   live.json 15 tools".
	Title string `json:"-"`

	Drift         string `json:"-"` // "1 added, 13 changed", or ""
	DriftAndRisks string `json:"-"` // the same with what is dangerous: "1 added, 13 changed, 1 with code"

	Notes   []string `json:"-"` // what the server calls itself, and how its policy changed
	Differs bool     `json:"-"`

	// It is pinned, and the folder has no capture of it.
	Missing bool `json:"-"`

	Fails        bool   `json:"-"` // its drift fails the run
	PinnedCounts string `json:"-"` // "14 tools", of the pins
}

// A ReadFirst is a new sentence that is worth reading before the others.
type ReadFirst struct {
	Server string `json:"server"`

	// The list of its entry, as a capture calls it: "tools".
	List string `json:"list"`

	Name string `json:"name"` // of its entry, as received

	// Where in the entry it is, as a JSON Pointer, as received.
	RawPointer string `json:"pointer"`

	Block  int    `json:"block"`
	Text   string `json:"text"`   // on one line, printable, cut
	Marked bool   `json:"marked"` // its score is so high that it is conspicuous in any review

	Entry string `json:"-"` // the entry for people
}

// A Problem is what is wrong with a whole server.
type Problem struct {
	// A stable id: "no-pins", "no-capture", "policy", "other-server".
	ID string

	Server  string // its ID, not made printable
	Title   string
	Text    string
	Command string // the command to type if this was intended
	Allowed bool   // it doesn't fail the run
	Line    int    // in the lockfile
}

// A Finding is one finding in words.
type Finding struct {
	Server     string `json:"server"`             // raw
	List       string `json:"list,omitempty"`     // "" for a whole capture
	Name       string `json:"name,omitempty"`     // raw
	ID         string `json:"id"`                 // of its rule
	Level      string `json:"level"`              // "warning" or "note"
	Approved   bool   `json:"approved,omitempty"` // a pin records it
	RawPointer string `json:"pointer"`            // raw
	Detail     string `json:"detail"`

	// The entry, and the record that accepts a warning.
	pin.EntryWarning `json:"-"`

	Warning bool `json:"-"`

	// It fails the run although its entry matches.
	FailsRun bool `json:"-"`

	Place     string `json:"-"` // for people
	Pointer   string `json:"-"` // printable
	EntryName string `json:"-"` // the entry that it is in, or the capture

	// "tool=NAME" or "capture", with the server where there are several.
	Ref string `json:"-"`

	Line int `json:"-"` // in the lockfile
}

// A Record is something that a lockfile has about an entry or a server, besides its definition.
type Record struct {
	Server string `json:"server"`         // raw
	List   string `json:"list,omitempty"` // "" for a whole server
	Name   string `json:"name,omitempty"` // raw

	// "approval", "denied", "warning", "file", "policy", "about".
	What string `json:"what"`

	Detail string `json:"detail"` // printable

	FailsRun  bool   `json:"-"` // it fails the run
	EntryName string `json:"-"` // the entry or the server that it is about

	// "tool=NAME", with the server where there are several.
	Ref string `json:"-"`

	Line int `json:"-"` // in the lockfile
}

// Heading returns the name of a finding for people: "WARNING hidden-text".
func (f *Finding) Heading() string {
	if f.Warning {
		return "WARNING " + f.ID
	}
	return "note " + f.ID
}

// An Entry is one entry that drifted.
type Entry struct {
	Server      string `json:"server"` // raw
	List        string `json:"list"`
	Name        string `json:"name"` // raw
	Kind        string `json:"kind"`
	Blocked     bool   `json:"blocked"`
	Severity    string `json:"severity"`              // "breaking", "behaviour", "none"
	RenamedFrom string `json:"renamedFrom,omitempty"` // raw
	RenamedTo   string `json:"renamedTo,omitempty"`   // raw

	Pinned   *Definition   `json:"pinned,omitempty"`
	Captured *Definition   `json:"now,omitempty"`
	Copies   []*Definition `json:"copies,omitempty"`
	Changes  []Change      `json:"changes"`

	ChangesLeftOut int `json:"changesLeftOut,omitempty"` // the number of changes that a format left out

	// There was too much drift to compare.
	Unexplained bool `json:"unexplained,omitempty"`

	Findings []Finding `json:"findings"` // new ones, then approved ones

	// It is denied so far, perhaps under its old name.
	Denied bool `json:"-"`

	CanBeDenied bool `json:"-"` // its type can be denied, and it isn't removed

	EntryRef pin.Ref `json:"-"`

	// The digest that an approval is bound to: of the captured definition or, if the entry was removed, of the pin.
	ApprovalDigest string `json:"-"`

	// "tool=NAME", with the server where there are several.
	Ref string `json:"-"`

	DisplayName string `json:"-"` // "write_file (server files)"
	ShortName   string `json:"-"` // "write_file"
	Block       int    `json:"-"` // the number of its block
	Text        string `json:"-"` // what is wrong, in one line
	Warned      bool   `json:"-"` // it has a new warning
	Line        int    `json:"-"` // of its pin in the lockfile

	// Why it is named at the prompt before many entries are accepted at once: "takes code"; or "".
	BulkWarning string `json:"-"`

	Minor bool `json:"-"` // it has nothing new to read
}

// A Change is one difference inside an entry, as programs get it: Pointer, From, Old and New come
// from the server and are not made printable.
type Change struct {
	Pointer   string         `json:"pointer"`
	From      string         `json:"from,omitempty"`
	Label     string         `json:"label"`
	LabelText string         `json:"labelText"`
	Severity  string         `json:"severity"`
	Old       jsontree.Value `json:"old,omitzero"`
	New       jsontree.Value `json:"new,omitzero"`

	// The sizes, in bytes, of values that a format has no room for and leaves out.
	OldBytes int `json:"oldBytes,omitempty"`
	NewBytes int `json:"newBytes,omitempty"`
}

// A Definition is an entry's pinned or captured definition.
type Definition struct {
	Digest    string `json:"digest"`
	Sanitized string `json:"sanitizedDigest"`
	Line      int    `json:"line"`

	// The whole definition or, if there is no room for it, its size in bytes. Only the JSON format sets these, if no
	// change shows what differs.
	Whole jsontree.Value `json:"definition,omitzero"`
	Bytes int            `json:"definitionBytes,omitempty"`

	// Its canonical form, not printable; nil if it isn't stored.
	Text []byte `json:"-"`

	Files jsontree.Value `json:"-"` // of a skill, not printable
}

// Renamed is the kind of a block of two entries: one that was added, and the removed one that it seems to be under a
// new name.
const Renamed = "RENAMED"

// A ReviewBlock is drift that is reviewed and accepted together.
type ReviewBlock struct {
	Number        int
	Entries       []*Entry
	FirstOfServer bool // it is the first one of its server
	Server        int  // index of Model.Servers
	Kind          string

	// What follows the kind, with the names of all entries.
	Title string

	// ", server files", if there are several servers.
	ServerSuffix string

	Names []string
	Words string // what a reader has to notice in it

	// The id of the label or the note in Words; or "".
	Label string

	// What it could do: "destructive", "takes code".
	Risks []string

	// What changes can't show: a rename, a repeated name, texts that aren't stored.
	Note string

	// What a REMOVED entry declared, and its first sentence; or "".
	RemovedSummary string

	Warned  bool
	Blocked bool
	Minor   bool // there is nothing new to read in it

	// One line with its title and its Note or RemovedSummary suffices, because it is minor or removed.
	Brief bool

	// A name is repeated: nothing can be accepted.
	HasRepeatedName bool

	Bytes string // how many bytes its text grows by; or ""

	Rows         []Row
	MinorSummary string // counts its minor changes, by label

	// The words with which --only and --accept select it: labels of changes, ids of findings, risks.
	SelectorWords []string

	// The command that accepts it and nothing else, or "". Only readers who get Model.ApproveCommands may see it.
	AcceptCommand string

	Question string // the question of the prompt

	// The highest severity of its entries, in a review for a release; else "".
	Severity string

	Class int // its rank: the lower, the earlier

	of       []*drifted // its entries, the most dangerous first
	findings []Finding  // the new ones in them: warnings first
}

// A Row is one finding, note or change of a block.
type Row struct {
	// 'W' a warning, '=' a note, '!' a change, '~' a minor change, '+' and '-' a whole definition.
	Op byte

	// What it is: a label in words, "WARNING hidden-text".
	Word string

	Pointer string // its place as a JSON Pointer

	// What is printed after its word: a place, and a phrase or a text.
	DefinitionLine

	Minor   bool // it may be summed up
	Finding bool // it is a finding

	// The lines below it, at a depth of at least 1; for a whole definition, all its lines.
	Lines []DefinitionLine
}

// own returns the row with lines of a definition. The first line becomes part of the row itself, without its name; the
// others become the lines below it.
func (row Row) own(lines []DefinitionLine) Row {
	depth := lines[0].Depth
	// Keywords that follow no text need no word of their own.
	if lines[0].Phrase == "" && lines[0].Text == nil && len(lines) > 1 && lines[1].Name == "" {
		lines = lines[1:]
		lines[0].Phrase = ""
	}
	row.Phrase = joined("; ", row.Phrase, lines[0].Phrase)
	row.Text = lines[0].Text
	for _, l := range lines[1:] {
		l.Depth = max(1, l.Depth-depth)
		row.Lines = append(row.Lines, l)
	}
	return row
}

// A DefinitionLine describes one part of a definition.
type DefinitionLine struct {
	Depth  int
	Name   string // what it is about; or ""
	Phrase string // after the name
	Text   []layout.Line

	Place string // where it is, for people; "": nothing refers to it

	// The number of the shared changes that include this line and those below it, so that they needn't be printed
	// again; or 0.
	SharedNumber  int
	AlwaysPrinted bool // its name is printed despite SharedNumber

	pointer string

	isHint bool // of a tool
}

// A Side is one side of a comparison.
type Side struct {
	Entries   int            `json:"entries"`
	SetDigest string         `json:"setDigest,omitempty"`
	Policy    jsontree.Value `json:"policy"`
	Capture   string         `json:"capture,omitempty"`
	About     string         `json:"about,omitempty"`
	Noise     *int           `json:"linesPassedOver,omitempty"` // nil: the side wasn't a capture
}

// A CapturedEntry is one entry of a capture, drifted or not.
type CapturedEntry struct {
	Server       string `json:"server"`
	List         string `json:"list"`
	Name         string `json:"name"`
	Status       string `json:"status"`
	Digest       string `json:"digest"`
	Sanitized    string `json:"sanitizedDigest"`
	ApprovalHash string `json:"approvalHash,omitempty"`
	Denied       bool   `json:"denied,omitempty"` // its pin is denied
	Short        string `json:"-"`
}
