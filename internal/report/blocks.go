package report

import (
	"slices"
	"strings"

	"pinproof/internal/diff"
	"pinproof/internal/facts"
	"pinproof/internal/label"
	"pinproof/internal/pin"
	"pinproof/internal/text"
	"pinproof/internal/words"
)

// unseen describes a change that a reader of the text can't see.
func unseen(c *diff.Change) string {
	if n := c.HiddenCounts[1]; n > 0 {
		return text.FormatCount(n, "character") + " no reader sees"
	}
	if n := c.HiddenCounts[0]; n > 0 {
		return text.FormatCount(n, "character") + " no reader sees, gone"
	}
	return "same text to a reader, other code points"
}

// group makes a block for each entry, or a single block for two entries that seem to be a renamed one, and numbers the
// blocks and the shared changes.
func (r *Report) group() {
	byRef := map[pin.Ref]*drifted{}
	for _, e := range r.entries {
		byRef[e.Ref()] = e
	}
	// Returns the drifted entry with another name; nil if there is none, because a selection may leave it out.
	named := func(e *drifted, name string) *drifted {
		if name == "" {
			return nil
		}
		return byRef[pin.Ref{Server: e.Server, Key: pin.Key{Type: e.Type, Name: name}}]
	}
	entries := r.entries
	r.entries = nil
	for _, e := range entries {
		if named(e, e.RenamedTo) != nil {
			continue // it is in the block of its new name
		}
		b := &ReviewBlock{of: []*drifted{e}, Blocked: r.FailingDrift[e.Ref()]}
		if was := named(e, e.RenamedFrom); was != nil {
			b.of = append(b.of, was)
		}
		r.entries = append(r.entries, b.of...)
		for _, one := range b.of {
			one.block = b
		}
		r.blocks = append(r.blocks, b)
	}
	for r.warned < len(r.blocks) && r.blocks[r.warned].of[0].HasNewWarning() {
		r.warned++
	}
	if r.shares() {
		r.findShared()
	}
	// Shared changes come after the blocks with a warning, and changes of unused parts after all blocks.
	early := 0
	for i, s := range r.shared {
		s.Number = r.warned + i + 1
		if s.IsLate {
			s.Number += len(r.blocks) - r.warned
		} else {
			early++
		}
		for _, c := range s.changes {
			c.tell()
		}
	}
	for i, b := range r.blocks {
		b.Number = i + 1
		if i >= r.warned {
			b.Number += early
		}
		b.FirstOfServer = i == 0 || r.blocks[i-1].of[0].Server != b.of[0].Server
	}
	for _, b := range r.blocks {
		r.fill(b)
	}
}

// renamed reports whether a block is about a renamed entry. The block then has two entries, the ADDED one first.
func (b *ReviewBlock) renamed() bool { return len(b.of) == 2 }

// fill sets the other fields of a block.
func (r *Report) fill(b *ReviewBlock) {
	e := b.of[0]
	b.Kind = string(e.Kind)
	b.Title = shortRef(e.Type, e.Name)
	b.Note = joined("; ", driftNote(&e.Drift), r.mayBeText(e), unexplained(e))
	b.Warned = e.HasNewWarning()
	b.HasRepeatedName = e.Kind == pin.DriftDuplicate
	b.Class = int(e.Class)
	b.AcceptCommand = r.acceptCommand(b)
	b.Server = r.places[e.Server]
	if len(r.Comparisons) > 1 {
		b.ServerSuffix = ", server " + text.QuoteName(e.Server)
	}
	for _, one := range b.of {
		entry := r.entry(one)
		b.Entries = append(b.Entries, entry)
		b.findings = append(b.findings, entry.Findings[:len(one.NewFindings)]...)
	}
	b.Words, b.Label = standsOut(b)
	b.Rows = b.rows()
	b.MinorSummary = minorText(b.of)
	b.Minor = true
	known := true
	bytes := 0
	worst := label.NoEffect
	for _, one := range b.of {
		b.Names = append(b.Names, text.QuoteName(one.Name))
		b.Minor = b.Minor && one.Minor
		known = known && one.TextsKnown()
		bytes += one.AddedBytes
		worst = max(worst, one.Severity)
		b.Risks = append(b.Risks, one.CapturedTraits...)
		b.SelectorWords = append(b.SelectorWords, one.SelectorWords()...)
	}
	b.Risks = distinct(b.Risks)
	b.SelectorWords = distinct(b.SelectorWords)
	b.Brief = b.Minor || e.Kind == pin.DriftRemoved
	if e.Kind == pin.DriftRemoved {
		b.RemovedSummary = gone(e)
	}
	if b.renamed() {
		b.Kind = Renamed
		b.Title = shortRef(e.Type, e.RenamedFrom) + " -> " + text.QuoteName(e.Name)
		b.Note = ""
		if !e.RenamedWithChanges {
			b.Note = "nothing else differs"
		}
		b.Note = joined("; ", deniedText(&e.Drift), r.mayBeText(e), unexplained(e), b.Note)
	}
	b.Question = r.question(b)
	if r.release != "" {
		b.Severity = worst.String()
	}
	if known {
		b.Bytes = text.FormatSigned(bytes)
	}
}

// question returns the prompt's question about a block, with the numbers of the block's shared changes.
func (r *Report) question(b *ReviewBlock) string {
	e := b.of[0]
	asked := "Accept " + r.ref(e.Ref())
	if b.renamed() {
		asked = "Accept that " + r.ref(b.of[1].Ref()) + " is " + text.QuoteName(e.Name) + " now"
	} else if e.Kind == pin.DriftRemoved {
		asked = "Accept the removal of " + r.ref(e.Ref())
	}
	if and := b.SharedNumbers(nil); b.Warned { // its block shows the shared changes, too
		asked += " despite the warning"
	} else if and != "" {
		asked += ", and " + and
	}
	switch denied := deniedText(&e.Drift); {
	case e.LooksDenied() && denied == deniedSoFar: // it was denied under its former name
		return asked + "? It is denied so far, and stays denied."
	case e.LooksDenied():
		return asked + "? " + strings.ToUpper(denied[:1]) + denied[1:] + ": it will be denied, too."
	case e.IsDenied() && e.Kind != pin.DriftRemoved:
		return asked + "? It is denied so far: y lets agents have it, x keeps it denied."
	case r.mayBeText(e) != "":
		return asked + "? It may be a denied entry under another name: yes lets agents have it, x denies it."
	}
	return asked + "?"
}

// gone returns a line about a REMOVED entry: what it declared, and its first sentence. The rest needn't be read again.
func gone(e *drifted) string {
	if e.Locked.Definition == nil {
		return notStored
	}
	said := e.Locked.Tree()
	if e.Type == pin.Skills {
		said = said.Get("frontmatter")
	}
	if e.Type != pin.Instructions {
		said = said.Get("description")
	}
	first := ""
	if sentences := words.Sentences(strings.TrimSpace(said.Text)); len(sentences) > 0 {
		first = `"` + text.Printable(strings.TrimSpace(sentences[0])) + `"`
	}
	declared := slices.DeleteFunc(slices.Clone(e.PinnedTraits), func(word string) bool { return word == "no hints" })
	return joined(": ", strings.Join(declared, ", "), first)
}

// distinct returns a list without repetitions.
func distinct(list []string) (kept []string) {
	known := map[string]bool{}
	for _, s := range list {
		if !known[s] {
			kept = append(kept, s)
		}
		known[s] = true
	}
	return kept
}

// number returns the number of an entry's block or, if the block has nothing but shared changes, of the first of these.
func (e *drifted) number() int {
	if len(e.changes) == 0 || !e.block.HasNothingElse(nil) {
		return e.block.Number
	}
	first := slices.MinFunc(e.changes, func(a, b *change) int { return a.shared.Number - b.shared.Number })
	return first.shared.Number
}

// standsOut returns what a reader has to notice in a block: a new warning, a note in facts.NonLabelSelectors, a rename,
// or the block's first label. It also returns the id of the note or label.
func standsOut(b *ReviewBlock) (words, id string) {
	e := b.of[0]
	for _, f := range b.findings { // warnings first
		if f.Warning {
			return f.Heading(), ""
		}
		if slices.Contains(facts.NonLabelSelectors, f.ID) {
			return strings.ReplaceAll(f.ID, "-", " "), f.ID
		}
	}
	if e.RenamedFrom+e.RenamedTo != "" {
		return "renamed", ""
	}
	if len(e.Edits) > 0 {
		return e.Edits[0].Label.Words(), e.Edits[0].Label.ID()
	}
	return "", ""
}

// entry returns the model's Entry for a drifted entry.
func (r *Report) entry(e *drifted) *Entry {
	d := &e.Drift
	ref := d.Ref()
	said := &Entry{EntryRef: ref, ApprovalDigest: d.DigestToAccept(), Server: d.Server, List: pin.EntryTypeInfo[d.Type].Member, Name: d.Name,
		Ref: r.field(ref), DisplayName: r.ref(ref), ShortName: shortRef(d.Type, d.Name), Kind: string(d.Kind), Blocked: r.FailingDrift[ref],
		Text: driftText(e), Warned: e.HasNewWarning(), Line: r.pinLine(ref), Minor: e.Minor,
		RenamedFrom: d.RenamedFrom, RenamedTo: d.RenamedTo, BulkWarning: e.BulkWarning(),
		Denied: wasDenied(d), CanBeDenied: d.Type.CanBeDenied() && d.Kind != pin.DriftRemoved,
		Severity: e.Severity.String(), Unexplained: e.Unexplained, Changes: []Change{}, Findings: append(r.DescribeFindings(e.NewFindings), r.DescribeFindings(e.ApprovedFindings)...)}
	for _, c := range e.Changes() {
		if r.OmitsData {
			break
		}
		said.Changes = append(said.Changes, Change{Pointer: c.Pointer, From: c.OldPointer, Label: c.Label.ID(), LabelText: c.Label.EntryPhrase(), Severity: c.Severity.String(), Old: c.Old, New: c.New})
	}
	if e.block != nil {
		said.Block = e.block.Number
	}
	definition := func(p *pin.Pin) *Definition {
		return &Definition{Digest: p.Digest, Sanitized: p.SanitizedDigest, Line: max(1, p.Line), Text: p.Definition, Files: p.Files}
	}
	if d.Locked != nil {
		said.Pinned = definition(d.Locked)
	}
	if d.Kind == pin.DriftDuplicate {
		for _, p := range d.DistinctCopies() {
			said.Copies = append(said.Copies, definition(&p))
		}
	} else if d.Captured != nil {
		said.Captured = definition(d.Captured)
	}
	return said
}

// wasDenied reports whether an entry that drifted is denied so far, perhaps under its old name, or looks like a denied
// one.
func wasDenied(d *pin.Drift) bool { return d.IsDenied() || d.LooksDenied() }
