package json

import "pinproof/internal/jsontree"

// A document is the JSON report: one object on one line, described by docs/report.schema.json.
// A member without a value is absent. Names, pointers, definitions and paths are
// not made printable, so a program that reads them must treat them as hostile. The
// summary, details of findings and errors are printable text for a person.
type document struct {
	SchemaVersion int            `json:"schemaVersion"` // changes when a member changes its meaning or goes away
	Verdict       string         `json:"verdict"`
	ExitCode      int            `json:"exitCode"`
	Summary       string         `json:"summary,omitempty"`
	Error         *noAnswer      `json:"error,omitempty"`
	Lockfile      string         `json:"lockfile,omitempty"`
	Against       string         `json:"against,omitempty"`
	Bump          string         `json:"bump,omitempty"`
	Counts        map[string]int `json:"counts,omitempty"`
	TextBytes     map[string]int `json:"textBytes,omitempty"`
	Tokens        *tokens        `json:"tokens,omitempty"`
	Servers       []server       `json:"servers,omitzero"`
	Drift         []entry        `json:"drift,omitzero"`
	Findings      []finding      `json:"findings,omitzero"`
	Unpinned      []finding      `json:"unpinned,omitzero"`
	Standing      []finding      `json:"standing,omitzero"`
	Records       []record       `json:"records,omitempty"`
	Entries       []captured     `json:"entries,omitzero"`
	ReadFirst     []readFirst    `json:"readFirst,omitempty"`
}

// A readFirst is a new sentence that is worth reading before the others.
type readFirst struct {
	Server  string   `json:"server"`
	List    string   `json:"list"`
	Name    string   `json:"name"`
	Pointer string   `json:"pointer"`
	Block   int      `json:"block"`
	Text    string   `json:"text"`
	Marked  bool     `json:"marked"`
	Words   []string `json:"words,omitempty"`
}

// A noAnswer is why there is no answer.
type noAnswer struct {
	Message string   `json:"message"`
	Hints   []string `json:"hints"`
}

// tokens has estimates of how many tokens the tools of all servers take.
type tokens struct {
	Before int `json:"before"`
	After  int `json:"after"`
}

// A server is one server's two sides.
type server struct {
	Server string `json:"server"`
	Pinned *side  `json:"pinned,omitempty"`
	Now    *side  `json:"now,omitempty"`
}

type side struct {
	Entries   int            `json:"entries"`
	SetDigest string         `json:"setDigest,omitempty"`
	Policy    jsontree.Value `json:"policy"`
	Capture   string         `json:"capture,omitempty"`
	About     string         `json:"about,omitempty"`
	Noise     *int           `json:"linesPassedOver,omitempty"` // nil: the side wasn't a capture
}

// An entry is one that drifted.
type entry struct {
	Server         string        `json:"server"`
	List           string        `json:"list"`
	Name           string        `json:"name"`
	Kind           string        `json:"kind"`
	Blocked        bool          `json:"blocked"`
	Severity       string        `json:"severity"`
	RenamedFrom    string        `json:"renamedFrom,omitempty"`
	RenamedTo      string        `json:"renamedTo,omitempty"`
	Pinned         *definition   `json:"pinned,omitempty"`
	Now            *definition   `json:"now,omitempty"`
	Copies         []*definition `json:"copies,omitempty"`
	Changes        []change      `json:"changes"`
	ChangesLeftOut int           `json:"changesLeftOut,omitempty"`
	Unexplained    bool          `json:"unexplained,omitempty"`
	Findings       []finding     `json:"findings"`
}

// A change is one difference inside an entry. If there is no room for a value, its size is in its place.
type change struct {
	Pointer   string         `json:"pointer"`
	From      string         `json:"from,omitempty"`
	Label     string         `json:"label"`
	LabelText string         `json:"labelText"`
	Severity  string         `json:"severity"`
	Old       jsontree.Value `json:"old,omitzero"`
	New       jsontree.Value `json:"new,omitzero"`
	OldBytes  int            `json:"oldBytes,omitempty"`
	NewBytes  int            `json:"newBytes,omitempty"`
}

// A definition is what an entry is pinned as, or what it is now. Whole is there only if no list of changes
// describes what differs.
type definition struct {
	Digest    string         `json:"digest"`
	Sanitized string         `json:"sanitizedDigest"`
	Line      int            `json:"line"`
	Whole     jsontree.Value `json:"definition,omitzero"`
	Bytes     int            `json:"definitionBytes,omitempty"`
}

type finding struct {
	Server   string `json:"server"`
	List     string `json:"list,omitempty"` // "" for a whole capture
	Name     string `json:"name,omitempty"`
	ID       string `json:"id"`
	Level    string `json:"level"`
	Approved bool   `json:"approved,omitempty"`
	Pointer  string `json:"pointer"`
	Detail   string `json:"detail"`
}

// A record is something that a lockfile has about an entry or a server, besides its definition.
type record struct {
	Server string `json:"server"`
	List   string `json:"list,omitempty"` // "" for a whole server
	Name   string `json:"name,omitempty"`
	What   string `json:"what"`
	Detail string `json:"detail"`
}

// A captured is one entry of a capture, drifted or not.
type captured struct {
	Server       string `json:"server"`
	List         string `json:"list"`
	Name         string `json:"name"`
	Status       string `json:"status"`
	Digest       string `json:"digest"`
	Sanitized    string `json:"sanitizedDigest"`
	ApprovalHash string `json:"approvalHash,omitempty"`
	Denied       bool   `json:"denied,omitempty"`
}
