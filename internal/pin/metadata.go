package pin

import (
	"cmp"
	"slices"
	"strings"

	"pinproof/internal/text"
)

// A MetadataChange is a difference between two lockfiles in an entry, or in a server as a whole,
// other than in the definition.
type MetadataChange struct {
	Key // empty for the server

	// "policy", "denied", "warning", "approval", "file" (its text), "about".
	Field string

	Old, New string // printable, or ""
}

// IsDifference reports whether the change makes the two lockfiles differ. A change of "about" doesn't, because that
// is only shown, and changes with every version.
func (c *MetadataChange) IsDifference() bool { return c.Field != "about" }

// MetadataChanges lists the differences between two lockfiles in a server and its entries, other than in the
// definitions. It includes entries and servers that only one of the lockfiles has.
func (p *Comparison) MetadataChanges() (list []MetadataChange) {
	if !p.BothLockfiles {
		return nil
	}
	add := func(key Key, what, old, new string) {
		if old != new {
			list = append(list, MetadataChange{key, what, old, new})
		}
	}
	if p.HasCapture() {
		add(Key{}, "about", p.Locked.ServerInfo.String(), p.Captured.ServerInfo.String())
		add(Key{}, "policy", DescribePolicy(p.Locked.Policy), DescribePolicy(p.Captured.Policy))
	}
	// addEach adds a change for each text that is only in old or only in new.
	addEach := func(key Key, what string, old, new []string) {
		for _, s := range lacking(new, old) {
			add(key, what, s, "")
		}
		for _, s := range lacking(old, new) {
			add(key, what, "", s)
		}
	}
	addEach(Key{}, "warning", AcceptedWarningLines(p.Locked.AcceptedWarnings), AcceptedWarningLines(p.Captured.AcceptedWarnings))
	gone := slices.DeleteFunc(slices.Clone(p.Locked.Pins), func(before Pin) bool { return p.Captured.Find(before.Key) != nil })
	for _, either := range slices.Concat(p.Captured.Pins, gone) {
		key := either.Key
		before := cmp.Or(p.Locked.Find(key), &Pin{})
		now := cmp.Or(p.Captured.Find(key), &Pin{})
		add(key, "denied", before.deniedWord(), now.deniedWord())
		addEach(key, "warning", AcceptedWarningLines(before.AcceptedWarnings), AcceptedWarningLines(now.AcceptedWarnings))
		if before.Digest == now.Digest { // else the definition itself is shown with its files
			addEach(key, "file", before.fileNames(), now.fileNames())
		}
		// If both have an approval, only the members that differ are listed.
		old, new := before.Approval.whole(), now.Approval.whole()
		if old != "" && new != "" {
			was, is := before.Approval.members(), now.Approval.members()
			old, new = strings.Join(lacking(is, was), ", "), strings.Join(lacking(was, is), ", ")
		}
		add(key, "approval", old, new)
	}
	return list
}

// MetadataDiffers reports whether two lockfiles differ in metadata other than "about".
func (p *Comparison) MetadataDiffers() bool {
	return p.BothLockfiles && slices.ContainsFunc(p.MetadataChanges(), func(c MetadataChange) bool { return c.IsDifference() })
}

// lacking returns the elements of other that side doesn't have.
func lacking(side, other []string) []string {
	known := map[string]bool{}
	for _, s := range side {
		known[s] = true
	}
	return slices.DeleteFunc(slices.Clone(other), func(s string) bool { return known[s] })
}

// fileNames returns "the text of" and the name for each file of a pin whose text is stored.
func (p *Pin) fileNames() (names []string) {
	for _, f := range p.Files.Parts {
		names = append(names, "the text of "+text.QuoteName(f.Name))
	}
	return names
}

// deniedWord returns "denied" for a denied entry, and "" for any other.
func (p *Pin) deniedWord() string {
	if p.Denied {
		return "denied"
	}
	return ""
}

// whole returns the part of an approval that people read, or "" if there is no approval.
func (a *Approval) whole() string {
	if a == nil {
		return ""
	}
	return "by " + text.QuoteName(a.By) + ", " + text.Printable(a.At)
}

// members returns the members of an approval, printable.
func (a *Approval) members() []string {
	return []string{"by " + text.QuoteName(a.By), "at " + text.Printable(a.At), "hash " + text.Printable(a.Hash), "digest " + text.Printable(a.Digest)}
}
