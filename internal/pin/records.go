package pin

import (
	"slices"
	"strings"

	"pinproof/internal/text"
)

// A RecordChange is a difference between two lockfiles in an entry, or in a server as a whole,
// other than in the definition.
type RecordChange struct {
	Key // empty for the server

	// "policy", "denied", "warning", "approval", "about".
	What string

	Old, New string // printable, or ""
}

// Counts reports whether the change makes the two lockfiles differ. A change of what a server calls
// itself doesn't: that is for people, and changes with every version.
func (c *RecordChange) Counts() bool { return c.What != "about" }

// RecordChanges lists the differences of two lockfiles in a server and its entries, other than in the
// definitions. It does so also for entries and servers that only one of the two has.
func (p *Comparison) RecordChanges() (list []RecordChange) {
	if !p.Lockfiles {
		return nil
	}
	add := func(key Key, what, old, new string) {
		if old != new {
			list = append(list, RecordChange{key, what, old, new})
		}
	}
	if p.Present() {
		add(Key{}, "about", p.Locked.About.String(), p.Captured.About.String())
		add(Key{}, "policy", PolicyWords(p.Locked.Policy), PolicyWords(p.Captured.Policy))
	}
	list = append(list, recordChanges(Key{}, p.Locked.Accepted, p.Captured.Accepted)...)
	for i := range p.Captured.Pins {
		now := &p.Captured.Pins[i]
		before := p.Locked.Find(now.Key)
		if before == nil {
			before = &Pin{}
		}
		list = append(list, pinChanges(now.Key, before, now)...)
	}
	for i := range p.Locked.Pins {
		before := &p.Locked.Pins[i]
		if p.Captured.Find(before.Key) == nil {
			list = append(list, pinChanges(before.Key, before, &Pin{})...)
		}
	}
	return list
}

// pinChanges lists the differences of two lockfiles in an entry, other than in its definition.
func pinChanges(key Key, before, now *Pin) (list []RecordChange) {
	if before.Denied != now.Denied {
		list = append(list, RecordChange{key, "denied", before.deniedWord(), now.deniedWord()})
	}
	list = append(list, recordChanges(key, before.Accepted, now.Accepted)...)
	if old, new := approvalChange(before.Approval, now.Approval); old != new {
		list = append(list, RecordChange{key, "approval", old, new})
	}
	return list
}

// approvalChange returns the members in which two approvals differ or, if there is only one, all that a person reads of it.
func approvalChange(before, now *Approval) (old, new string) {
	if before == nil || now == nil {
		return before.whole(), now.whole()
	}
	var was, is []string
	for _, member := range []struct{ name, before, now string }{
		{"by", text.Name(before.By), text.Name(now.By)},
		{"at", text.Printable(before.At), text.Printable(now.At)},
		{"hash", text.Printable(before.Hash), text.Printable(now.Hash)},
		{"digest", text.Printable(before.Digest), text.Printable(now.Digest)},
	} {
		if member.before != member.now {
			was = append(was, member.name+" "+member.before)
			is = append(is, member.name+" "+member.now)
		}
	}
	return strings.Join(was, ", "), strings.Join(is, ", ")
}

// RecordsDiffer reports whether two lockfiles differ in more than the definitions.
func (p *Comparison) RecordsDiffer() bool {
	return p.Lockfiles && slices.ContainsFunc(p.RecordChanges(), func(c RecordChange) bool { return c.Counts() })
}

// recordChanges lists the accepted warnings that only one of two sides has: those removed, then those added.
func recordChanges(key Key, old, new []Record) (list []RecordChange) {
	known := map[Record]bool{}
	for _, r := range new {
		known[r] = true
	}
	for _, r := range old {
		if !known[r] {
			list = append(list, RecordChange{key, "warning", text.Printable(r.String()), ""})
		}
	}
	clear(known)
	for _, r := range old {
		known[r] = true
	}
	for _, r := range new {
		if !known[r] {
			list = append(list, RecordChange{key, "warning", "", text.Printable(r.String())})
		}
	}
	return list
}

// deniedWord returns the lockfile's word for an entry that agents go without, or "" for any other entry.
func (p *Pin) deniedWord() string {
	if p.Denied {
		return "denied"
	}
	return ""
}

// whole returns all that a person reads of an approval, or "" if there is no approval.
func (a *Approval) whole() string {
	if a == nil {
		return ""
	}
	return "by " + text.Name(a.By) + ", " + text.Printable(a.At)
}
