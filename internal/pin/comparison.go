package pin

import (
	"cmp"
	"slices"
	"strings"

	"pinproof/internal/jsontree"
)

// A ComparisonState tells which sides of a comparison exist, and whether the server can be judged. verify.go decides
// how each state affects the verdict. A comparison whose state isn't set fails a run.
type ComparisonState int

const (
	_                    ComparisonState = iota
	ServerPaired                         // the lockfile has the server, and so has the capture
	ServerNew                            // only the capture has it: every entry is ADDED
	ServerGone                           // only the lockfile has it: every entry is REMOVED
	ServerWithoutCapture                 // the folder has no capture of it: nothing is compared
	ServerCaptureFailed                  // the same, because it could not be captured (verify --uncaptured): no flag allows that
	// New, but there is no lockfile, or --server names the server. Its entries are shown without a verdict.
	ServerUnpinned
	ServerForbiddenPin // a pin has what the server's policy forbids: the entries are shown without a verdict
)

// StateOf returns the state of a server by the sides that have it.
func StateOf(isLocked, isCaptured bool) ComparisonState {
	switch {
	case isLocked && isCaptured:
		return ServerPaired
	case isCaptured:
		return ServerNew
	}
	return ServerGone
}

// A Comparison is one server's two sides: its pins in the lockfile and those of its capture.
// A server that is new has no pins.
type Comparison struct {
	Server string

	// The path of the capture, or "".
	CapturePath string

	// The path that the pins were read from, or "".
	LockfilePath string

	SkippedLines int // how many lines and values of the capture were skipped
	Locked       Set
	Captured     Set
	State        ComparisonState

	// The capture is part of a session: an entry that it lacks isn't drift.
	IsPartial bool

	// Both sides are lockfiles, so MetadataChanges compares their metadata, too.
	BothLockfiles bool

	// All servers of the lockfile, including those that aren't compared.
	LockfileServers []Set

	// SkillsUnlisted: the server declares that it has skills, but the capture has no response to skills/list, so no
	// skill can be pinned.
	SkillsUnlisted bool

	// PagesUnpinned: a tool names the page of an app, and the recorded policy pins no pages.
	PagesUnpinned bool

	// The server ID that the capture's file name gives, or "".
	FileServer string
}

// IsLocked reports whether the lockfile has the server.
func (p *Comparison) IsLocked() bool {
	switch p.State {
	case ServerNew, ServerUnpinned:
		return false
	case ServerCaptureFailed, ServerForbiddenPin:
		return p.Locked.Server != ""
	}
	return true
}

// HasCapture reports whether there is a capture.
func (p *Comparison) HasCapture() bool { return p.State != ServerGone && !p.LacksCapture() }

// LacksCapture reports whether the folder has no capture of the server.
func (p *Comparison) LacksCapture() bool {
	return p.State == ServerWithoutCapture || p.State == ServerCaptureFailed
}

// PolicyDiffers reports whether the two sides were pinned under different policies.
func (p *Comparison) PolicyDiffers() bool {
	return p.IsLocked() && p.HasCapture() && !p.Locked.Policy.Equal(p.Captured.Policy)
}

// IdentifyingEntries lists the entries of both sides whose names tell which server it is: the tools or, if a side has
// none, all entries except instructions, which have no name.
func (p *Comparison) IdentifyingEntries() (locked, captured []Pin) {
	locked = p.Locked.PinsOf(Tools)
	captured = p.Captured.PinsOf(Tools)
	if len(locked) == 0 || len(captured) == 0 {
		isUnnamed := func(p Pin) bool { return p.Type == Instructions }
		locked = slices.DeleteFunc(slices.Clone(p.Locked.Pins), isUnnamed)
		captured = slices.DeleteFunc(slices.Clone(p.Captured.Pins), isUnnamed)
	}
	return locked, captured
}

// HasNoCommonEntry reports whether both sides have identifying entries, but not one in common.
func (p *Comparison) HasNoCommonEntry() bool {
	locked, captured := p.IdentifyingEntries()
	isShared := func(captured Pin) bool { return p.Locked.Find(captured.Key) != nil }
	return len(locked) > 0 && len(captured) > 0 && !slices.ContainsFunc(captured, isShared)
}

// Ref identifies an entry of the server.
func (p *Comparison) Ref(key Key) Ref { return Ref{p.Server, key} }

// AbsentDenied lists the denied entries of a type that the capture lacks. An added entry may be one of them under
// another name, perhaps with other changes.
func (p *Comparison) AbsentDenied(entryType EntryType) (names []string) {
	for _, pinned := range p.Locked.PinsOf(entryType) {
		if p.HasCapture() && pinned.Denied && p.Captured.Find(pinned.Key) == nil {
			names = append(names, pinned.Name)
		}
	}
	return names
}

// A DeniedPin is a denied pin of a server.
type DeniedPin struct {
	Server string
	Policy Policy
	*Pin
}

// Ref identifies the entry.
func (p *DeniedPin) Ref() Ref { return Ref{p.Server, p.Key} }

// DeniedPins lists the denied pins of the servers that are compared, and of all others in their lockfile.
func DeniedPins(sides []Comparison) (list []DeniedPin) {
	add := func(s *Set) {
		for i := range s.Pins {
			if s.Pins[i].Denied {
				list = append(list, DeniedPin{s.Server, s.Policy, &s.Pins[i]})
			}
		}
	}
	for i := range sides {
		add(&sides[i].Locked)
	}
	if len(sides) > 0 {
		for i := range sides[0].LockfileServers {
			if s := &sides[0].LockfileServers[i]; FindComparison(sides, s.Server) == nil {
				add(s)
			}
		}
	}
	return list
}

// CapturedDefinition returns the definition of a captured entry as a policy would pin it.
func (p *Comparison) CapturedDefinition(pol Policy, captured *Pin) jsontree.Value {
	if captured.Received == nil || pol.Equal(p.Captured.Policy) {
		return captured.Tree()
	}
	v := captured.AsReceived()
	if len(pol.Substitute) > 0 {
		if put, err := InsertPlaceholders(v, p.Captured.Substitutes); err == nil {
			v = put
		}
	}
	return pol.Apply(captured.Type, v)
}

// IsNewAndEmpty reports whether a server is new, and has no entry that could be accepted.
func (p *Comparison) IsNewAndEmpty() bool { return !p.IsLocked() && len(p.Captured.Pins) == 0 }

// ServersWith lists the servers that pin or list an entry.
func ServersWith(sides []Comparison, key Key) (list []*Comparison) {
	for i := range sides {
		if p := &sides[i]; p.Locked.Find(key) != nil || p.Captured.Find(key) != nil {
			list = append(list, p)
		}
	}
	return list
}

// FindComparison returns the comparison of a server, or nil. sides are sorted by server.
func FindComparison(sides []Comparison, server string) *Comparison {
	i, ok := slices.BinarySearchFunc(sides, server, func(p Comparison, server string) int { return jsontree.CompareUTF16(p.Server, server) })
	if !ok {
		return nil
	}
	return &sides[i]
}

// A DriftKind is the way in which an entry differs from its pin. The function compare in verify.go determines it.
type DriftKind string

const (
	DriftAdded   DriftKind = "ADDED"   // an entry that no pin names
	DriftRemoved DriftKind = "REMOVED" // a pin whose entry is gone
	DriftChanged DriftKind = "CHANGED" // digest and sanitized digest differ

	// The digest differs, the sanitized digest does not.
	DriftHidden DriftKind = "HIDDEN"

	// Several entries with the same identity, equal or not.
	DriftDuplicate DriftKind = "DUPLICATE"
)

// DriftKinds are the kinds of drift, in the order in which a sentence names them.
var DriftKinds = []DriftKind{DriftDuplicate, DriftHidden, DriftAdded, DriftChanged, DriftRemoved}

// Word returns the kind in lower case, as in flags and sentences.
func (k DriftKind) Word() string { return strings.ToLower(string(k)) }

// MinorSelector selects entries with nothing new to read, WarningsSelector entries with a new warning.
const (
	MinorSelector    = "minor"
	WarningsSelector = "warnings"
)

// A Drift is one entry that doesn't match its pin.
type Drift struct {
	Server string
	Key
	Kind DriftKind

	// Nil if ADDED, or for a repeated name that no pin has.
	Locked *Pin

	// Nil if REMOVED; the first of Copies if DUPLICATE.
	Captured *Pin

	// All entries captured under its name; more than one if DUPLICATE.
	Copies []Pin

	// For an ADDED entry: the REMOVED one that it seems to be under a new name.
	RenamedFrom string

	RenamedTo          string // for a REMOVED entry: the ADDED one that it seems to be now
	RenamedWithChanges bool   // the two differ in more than the name

	// For an entry that isn't denied itself: the denied pin that it looks like, of its server or another one. Their
	// definitions are equal apart from the name, or much alike.
	LikeDenied Ref

	// It may be a denied entry: it has nothing to compare, or comparing it with all denied entries is too much work.
	MayBeDenied bool

	// It is denied and no longer resembles its pin, so the denied definition may now have another name.
	UnlikeDenied bool
}

// IsDenied reports whether the entry is pinned as denied.
func (d *Drift) IsDenied() bool { return d.Locked != nil && d.Locked.Denied }

// LooksDenied reports whether the entry looks like a denied one.
func (d *Drift) LooksDenied() bool { return d.LikeDenied != Ref{} }

// A Ref identifies an entry across servers.
type Ref struct {
	Server string
	Key
}

// RefSet is a set of entries.
type RefSet map[Ref]bool

// Ref identifies the entry.
func (d *Drift) Ref() Ref { return Ref{d.Server, d.Key} }

// TextsKnown reports whether the definitions of a drifted entry are known: pins made with
// hashOnly have no definitions.
func (d *Drift) TextsKnown() bool {
	return (d.Locked == nil || d.Locked.Definition != nil) && (d.Captured == nil || d.Captured.Definition != nil)
}

// DistinctCopies lists the different definitions of a repeated name.
func (d *Drift) DistinctCopies() []Pin {
	return slices.CompactFunc(slices.Clone(d.Copies), func(a, b Pin) bool { return a.Digest == b.Digest })
}

// DigestToAccept returns the digest that a person accepts with a drift: that of the
// definition found or, for a REMOVED entry, of the pinned one.
func (d *Drift) DigestToAccept() string {
	if d.Kind == DriftRemoved {
		return d.Locked.Digest
	}
	return d.Captured.Digest
}

// CompareDrifts orders drifts by server, list, name and kind.
func CompareDrifts(a, b Drift) int {
	return cmp.Or(jsontree.CompareUTF16(a.Server, b.Server), CompareKeys(a.Key, b.Key), strings.Compare(string(a.Kind), string(b.Kind)))
}
