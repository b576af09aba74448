package report

import (
	"cmp"
	"fmt"

	"pinproof/internal/pin"
	"pinproof/internal/text"
)

// driftNote describes facts that a list of changes can't show: an entry is denied, repeated or renamed, or its text
// isn't stored.
func driftNote(d *pin.Drift) string {
	return joined("; ", deniedText(d), driftKindNote(d))
}

// deniedText returns a note that an entry is denied, or which denied entry it resembles; or "".
func deniedText(d *pin.Drift) string {
	like := d.LikeDenied
	switch {
	case d.IsDenied() || d.LooksDenied() && like == (pin.Ref{Server: d.Server, Key: pin.Key{Type: d.Type, Name: d.RenamedFrom}}):
		return deniedSoFar
	case !d.LooksDenied():
		return ""
	case like.Server != d.Server:
		return "it looks like the denied " + text.QuoteName(like.Name) + " of server " + text.QuoteName(like.Server)
	}
	return "it looks like the denied " + text.QuoteName(like.Name)
}

// deniedSoFar is printed for a denied entry, even if it was denied under its former name.
const deniedSoFar = "denied so far: kept from agents"

func driftKindNote(d *pin.Drift) string {
	rest := ": nothing else differs"
	if d.RenamedWithChanges {
		rest = ", and differs in more"
	}
	if d.Kind == pin.DriftDuplicate {
		return text.FormatCount(len(d.Copies), pin.EntryTypeInfo[d.Type].Entry) + " of this name: an agent may get any of them; this can't be accepted"
	}
	if d.RenamedFrom != "" {
		return "renamed from " + text.QuoteName(d.RenamedFrom) + rest
	}
	if d.RenamedTo != "" {
		return "renamed to " + text.QuoteName(d.RenamedTo) + rest
	}
	if (d.Kind == pin.DriftChanged || d.Kind == pin.DriftHidden) && !d.TextsKnown() {
		return fmt.Sprintf("pinned %s, now %s: a definition was not stored (hashOnly)", short(d.Locked.Digest), short(d.Captured.Digest))
	}
	return ""
}

// mayBeText returns why an entry may be a denied one: it was added while denied entries of its list are gone, or it
// couldn't be compared with all denied entries. Otherwise it returns "".
func (r *Report) mayBeText(e *drifted) string {
	if wasDenied(&e.Drift) {
		return ""
	}
	if e.MayBeDenied {
		return "this may be a denied entry under another name: there is too much to compare, or nothing"
	}
	if e.Kind != pin.DriftAdded {
		return ""
	}
	list := pin.Ref{Server: e.Server, Key: pin.Key{Type: e.Type}}
	said, known := r.absent[list]
	if known {
		return said
	}
	if absent := text.QuoteNames(pin.FindComparison(r.Comparisons, e.Server).AbsentDenied(e.Type)); len(absent) > 0 {
		said = "this may be " + text.JoinNames(absent, maxSaidNames) + " under another name, which is denied and not listed now"
	}
	r.absent[list] = said
	return said
}

// unexplained returns what is printed for an entry that a limit left unexplained, or "".
func unexplained(e *drifted) string {
	if !e.Unexplained {
		return ""
	}
	return "too much drift to explain all of it: no label accepts this, and it may break callers"
}

// driftText describes in one line what is wrong with a drifted entry.
func driftText(e *drifted) string {
	d := &e.Drift
	said := cmp.Or(driftNote(d), map[pin.DriftKind]string{pin.DriftAdded: "no pin names it", pin.DriftRemoved: "it is gone"}[d.Kind])
	said = joined("; ", said, unexplained(e))
	for j, c := range e.Changes() {
		if j == maxSaidChanges {
			return joined("; ", said, text.FormatCount(len(e.Edits)-j, "more change"))
		}
		what := c.Label.Words()
		if d.Kind == pin.DriftHidden {
			what = unseen(c)
		}
		said = joined("; ", said, joined(" at ", what, text.QuotePointer(c.Pointer)))
	}
	return said
}
