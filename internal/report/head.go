package report

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"pinproof/internal/facts"
	"pinproof/internal/label"
	"pinproof/internal/lint"
	"pinproof/internal/pin"
	"pinproof/internal/text"
	"pinproof/internal/words"
)

// model computes the model. The groups have been made and sorted.
func (r *Report) model() *Model {
	m := &Model{
		Version: r.Version, Home: r.Home,
		Matches: r.Matches, Failed: r.Failed, ExitCode: r.ExitCode, NoAnswer: whyNot(r.NoAnswer), Nothing: r.NoAnswer != nil && len(r.Comparisons) == 0,
		Word: r.verdictWord(), Text: r.verdictText(), Warning: r.warningText(),
		Lockfile: r.Lockfile, Several: len(r.Comparisons) > 1, LeftOut: r.LeftOut, Bump: r.bump, Release: r.release,
		Problems: slices.DeleteFunc(r.problems(), func(p Problem) bool { return p.ID == "other-server" && r.explained(p.Server) }),
		General:  r.Said(r.General), Unpinned: r.Said(r.Unpinned), Unrecorded: r.Said(r.Unrecorded), Approved: r.Said(r.ApprovedWarnings),
		Policy: r.AllOrNothing(),
		Review: Step{Text: "review", Command: r.Next.To("diff")}, Folder: r.Folder,
	}
	r.steps(m)
	annotated := cmp.Or(r.Lockfile, r.Next.Against)
	if r.lockfiles() {
		annotated = r.Next.Capture // the new one
	}
	if path := annotated; path != "-" && path != "" {
		m.Annotated = filepath.ToSlash(filepath.Clean(path))
	}
	if r.Lockfile == "" {
		m.Against = r.Next.Against
	}
	m.Records = r.records()
	m.Denied = len(r.Denied)
	m.RefusesDenied = r.RefusesDenied
	r.servers(m)
	r.captured(m)
	if r.Terse {
		r.list(m)
	} else {
		r.blocks(m)
	}
	r.data(m)
	return m
}

// said describes a finding in words.
func (r *Report) said(f lint.Finding) Finding {
	s := Finding{Of: f.Ref(), Record: f.Record(), ID: f.ID, Level: "note", Warning: f.Warning, Approved: f.Approved, Blocks: f.Blocks(r.Review),
		Place: r.place(f.Ref(), f.Pointer), Pointer: text.Pointer(f.Pointer),
		Detail: f.Detail, Names: r.ref(f.Ref()), Line: r.pinLine(f.Ref()), Server: f.Server, Ref: r.field(f.Ref()), At: f.Pointer}
	if f.Warning {
		s.Level = "warning"
	}
	if !f.WholeServer {
		s.List = pin.EntryTypeInfo[f.Type].Member
		s.Name = f.Entry
	}
	return s
}

// Said describes findings in words, one by one: warnings first.
func (r *Report) Said(list []lint.Finding) []Finding {
	said := []Finding{}
	for _, f := range list {
		said = append(said, r.said(f))
	}
	slices.SortStableFunc(said, func(a, b Finding) int { return strings.Compare(b.Level, a.Level) })
	return said
}

// freshIn lists the findings in entries that nobody has approved.
func freshIn(entries []*drifted) (list []lint.Finding) {
	for _, e := range entries {
		list = append(list, e.Fresh...)
	}
	return list
}

// pinLine returns the line of an entry's pin in the lockfile, else its server's, else 1.
func (r *Report) pinLine(key pin.Ref) int {
	p := cmp.Or(pin.ComparisonOf(r.Comparisons, key.Server), pin.ComparisonOf(r.Others, key.Server))
	if p == nil {
		return 1
	}
	side := &p.Locked
	if r.lockfiles() {
		side = &p.Captured // the file that is under review
	}
	if pin := side.Find(key.Key); pin != nil {
		return max(1, pin.Line)
	}
	return max(1, side.Line)
}

// blocks makes the blocks and their entries.
func (r *Report) blocks(m *Model) {
	m.Minor = minorText(r.entries)
	m.Warned = r.warned
	for i, g := range r.groups {
		if i == r.warned {
			r.tell(m)
		}
		b := r.block(g)
		b.FirstOfServer = i == 0 || r.groups[i-1].first().Server != g.first().Server
		for _, e := range g.entries {
			m.Entries = append(m.Entries, r.entry(e, g.number))
			m.Unexplained += lint.BoolRank(e.OnlyKindKnown())
		}
		m.Blocks = append(m.Blocks, b)
	}
	r.worst(m)
	r.readFirst(m)
}

// list makes the entries, without blocks.
func (r *Report) list(m *Model) {
	for _, e := range r.entries {
		m.Entries = append(m.Entries, r.entry(e, 0))
	}
	m.Unexplained = len(m.Entries)
}

// block makes the block of a group.
func (r *Report) block(g *group) Block {
	e := g.first()
	b := Block{Number: g.number, Entries: g.at, Kind: string(e.Kind), Note: r.note(e), Warned: e.HasNewWarning(),
		Blocked: r.Blocked[e.Ref()], Repeat: e.Kind == pin.Duplicate, Minor: true,
		Title: shortRef(e.Type, e.Name), Class: int(e.Class), Accept: r.acceptCommand(g)}
	b.Words, b.Label = standsOut(g)
	b.Server = r.places[e.Server]
	b.Rows, b.Summed = r.rows(g)
	b.Ask = r.questionText(&e.Drift, b.And(nil, true), e.HasNewWarning())
	if len(r.Comparisons) > 1 {
		b.Within = ", server " + text.Name(e.Server)
	}
	known := true
	change := 0
	worst := label.None
	for _, one := range g.entries {
		b.Names = append(b.Names, text.Name(one.Name))
		b.Minor = b.Minor && one.Minor
		known = known && one.TextsKnown()
		change = change + one.Bytes
		worst = max(worst, one.Severity)
		b.Risks = append(b.Risks, one.Is...)
		b.Is = append(b.Is, one.Words()...)
	}
	b.Risks = distinct(b.Risks)
	b.Brief = b.Minor || e.Kind == pin.Removed
	if e.Kind == pin.Removed {
		b.Gone = gone(e)
	}
	b.Is = distinct(b.Is)
	if g.renamed() {
		b.Kind = Renamed
		b.Title = shortRef(e.Type, e.RenamedFrom) + " -> " + text.Name(e.Name)
		b.Ask = r.renameText(e)
		b.Renamed = b.Note
		b.Note = ""
		if !e.RenamedSimilar {
			b.Note = "nothing else differs"
		}
	}
	isOwn := e.Locked != nil && e.Locked.Denied
	if isDenied := r.wasDenied(&e.Drift); isDenied && !isOwn {
		b.Ask += staysDenied
		b.Note = joined("; ", deniedSoFar, b.Note)
		if g.renamed() {
			b.Renamed = joined("; ", deniedSoFar, b.Renamed)
		}
	} else if isDenied && e.Kind != pin.Removed {
		b.Ask += deniedQuestion
	} else if r.absentText(e) != "" {
		b.Ask += maybeDenied
	}
	if r.release != "" {
		b.Severity = worst.String()
	}
	if known {
		b.Bytes = text.Signed(change)
	}
	return b
}

// gone returns a line about what a REMOVED entry was: what it declared, and its first sentence. Nobody has to read the rest
// again, which is gone with its entry.
func gone(e *drifted) string {
	if e.Locked.Definition == nil {
		return notStored
	}
	definition := e.Locked.Tree()
	said := definition
	if said.Kind != '"' {
		said = definition.Get("description")
	}
	if e.Type == pin.Skills {
		said = definition.Get("frontmatter").Get("description")
	}
	first := ""
	if sentences := words.Sentences(strings.TrimSpace(said.Text)); len(sentences) > 0 {
		first = `"` + text.Printable(strings.TrimSpace(sentences[0])) + `"`
	}
	declared := slices.DeleteFunc(slices.Clone(e.Was), func(word string) bool { return word == "no hints" })
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

// maxWorst is how many entries the head of a review names for each reason.
const maxWorst = 5

// causes lists why entries are read first, in the order of their classes, in the words of a review's head, which names new
// warnings in a line of its own.
var causes = []struct {
	cause facts.Cause
	said  string
}{
	{facts.CauseRepeated, "a repeated name"},
	{facts.CauseHidden, "a change that no reader sees"},
	{facts.CauseCode, "runs what it is given"},
	{facts.CauseScript, "has a script"},
	{facts.CauseSameName, "named like a skill of another server"},
	{facts.CauseDestroys, "says that it destroys"},
	{facts.CauseSecret, "asks for a secret, or returns one"},
	{facts.CauseFile, "writes where it is told to"},
	{facts.CauseUnguards, "no longer says what held it back"},
	{facts.CauseHint, "clients ask less"},
	{facts.CauseOpened, "says that its world is open"},
	{facts.CauseWrites, "writes by its name, without hints"},
	{facts.CauseHost, "names a new host"},
}

// worst names the entries that are read first, by the reason why they are.
func (r *Report) worst(m *Model) {
	for _, one := range causes {
		worst := Worst{Said: one.said}
		var hosts []string
		for i, e := range r.entries {
			if e.Class.First() && e.Why.Cause == one.cause {
				if e.Why.Host != "" {
					hosts = append(hosts, text.Name(e.Why.Host))
				}
				worst.Entries = append(worst.Entries, Placed{m.placed(m.Entries[i].Block), m.Entries[i].Short})
			}
		}
		if more := len(worst.Entries) - maxWorst; more > 0 {
			worst.Entries = worst.Entries[:maxWorst]
			worst.More = "and " + text.Number(more) + " more"
		}
		if hosts != nil {
			worst.Said += " (" + text.List(distinct(hosts), maxSaidNames) + ")"
		}
		if worst.Entries != nil {
			m.Worst = append(m.Worst, worst)
		}
	}
}

// standsOut returns what a reader has to notice in a group: a new warning, one of the notes in facts.NoteIDs, a rename, or its first
// label. It returns the id of the note or the label, too.
func standsOut(g *group) (words, id string) {
	e := g.first()
	for _, f := range g.findings { // warnings first
		if f.Warning {
			return f.Word(), ""
		}
		if slices.Contains(facts.NoteIDs, f.ID) {
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

func (r *Report) entry(e *drifted, block int) Entry {
	d := &e.Drift
	said := Entry{Of: d.Ref(), Accepts: d.DefinitionDigest(), Server: d.Server, List: pin.EntryTypeInfo[d.Type].Member, Name: d.Name, Ref: r.field(d.Ref()),
		Said:  r.ref(d.Ref()),
		Short: shortRef(d.Type, d.Name), Kind: string(d.Kind), Blocked: r.Blocked[d.Ref()], Block: block,
		Text: driftText(e), Warned: e.HasNewWarning(), Line: r.pinLine(d.Ref()), Minor: e.Minor,
		RenamedFrom: d.RenamedFrom, RenamedTo: d.RenamedTo, Named: e.WhyNamed(),
		Denied: r.wasDenied(d), CanBeDenied: d.Type.CanBeDenied() && d.Kind != pin.Removed,
		Severity: e.Severity.String(), Unexplained: e.Unexplained, Findings: append(r.Said(e.Fresh), r.Said(e.Approved)...)}
	for _, c := range e.Changes {
		said.Changes = append(said.Changes, Change{Pointer: c.Pointer, From: c.From, Label: c.Label.ID(), LabelText: c.Label.Does(), Severity: c.Severity.String(), Old: c.Old, New: c.New})
	}
	definition := func(p *pin.Pin) *Definition {
		return &Definition{Digest: p.Digest, Sanitized: p.Sanitized, Line: max(1, p.Line), Text: p.Definition, Files: p.Files}
	}
	if d.Locked != nil {
		said.Pinned = definition(d.Locked)
	}
	if d.Kind == pin.Duplicate {
		for _, p := range d.Definitions() {
			said.Copies = append(said.Copies, *definition(&p))
		}
	} else if d.Captured != nil {
		said.Now = definition(d.Captured)
	}
	return said
}

// wasDenied reports whether an entry that drifted is denied so far, perhaps under its old name.
func (r *Report) wasDenied(d *pin.Drift) bool {
	pinned := d.Locked
	if pinned == nil && d.RenamedFrom != "" {
		pinned = pin.ComparisonOf(r.Comparisons, d.Server).Locked.Find(pin.Key{Type: d.Type, Name: d.RenamedFrom})
	}
	return pinned != nil && pinned.Denied || d.LikeDenied != ""
}

// servers lists for each server what is compared with what, and what drifted.
func (r *Report) servers(m *Model) {
	m.Sides = []ServerData{}
	others := 0
	byServer := map[string][]*drifted{}
	for _, e := range r.entries {
		byServer[e.Server] = append(byServer[e.Server], e)
	}
	for i := range r.Comparisons {
		p := &r.Comparisons[i]
		entries := byServer[p.Server]
		s := Server{ID: p.Server, Old: r.against() + " nothing", New: "no capture", Differs: r.Differs[p.Server],
			Missing: p.Missing(), Pinned: pin.CountPins(p.Locked.Pins).String(), Drift: kindText(entries), Risks: risksOf(entries),
			Fails: slices.ContainsFunc(entries, func(e *drifted) bool { return r.Blocked[e.Ref()] })}
		if p.Server != "" {
			s.Name = text.Name(p.Server)
		}
		side := ServerData{Server: p.Server}
		if p.Known() {
			s.Old = r.against() + " " + s.Pinned
			side.Pinned = &Side{Entries: len(p.Locked.Pins), SetDigest: p.Locked.Digest, Policy: p.Locked.Policy.Value()}
		}
		if p.Lockfiles {
			s.New = text.Printable(r.Next.Capture) + " nothing"
		}
		if p.Present() {
			s.New = text.Printable(p.Capture) + " " + pin.CountPins(p.Captured.Pins).String()
			side.Now = &Side{len(p.Captured.Pins), p.Captured.Digest, p.Captured.Policy.Value(), p.Capture, p.Captured.About.String(), &p.Noise}
		}
		m.Sides = append(m.Sides, side)
		r.about(m, p, &s)
		if p.PolicyDiffers() {
			s.Notes = append(s.Notes, "policy: "+policies(p))
		}
		others += lint.BoolRank(!s.Differs)
		m.Servers = append(m.Servers, s)
	}
	if others > 0 && others < len(m.Servers) {
		m.Others = text.Count(others, "other server") + ": no drift"
	}
	r.sizes(m)
}

// about notes what a server calls itself, and what it did when it was pinned.
func (r *Report) about(m *Model, p *pin.Comparison, s *Server) {
	is := p.Captured.About.String()
	was := p.Locked.About.String()
	if is == "" {
		return
	}
	said := is
	if was != "" && was != is {
		said = was + " -> " + is
		if r.Review || !r.Bounded {
			m.Abouts = append(m.Abouts, "server "+text.Name(p.Server)+" calls itself "+is+"; it was pinned as "+was)
		}
	} else if p.Captured.About.Version != "" && was == is && !p.PolicyDiffers() && strings.Contains(s.Drift, " changed") {
		said += ", as before" // many servers never change what they call themselves
	}
	s.Notes = append(s.Notes, "the server calls itself "+said)
}

// sizes adds up how much the model reads, before and after, where all of it is known: of a part, nobody knows it.
func (r *Report) sizes(m *Model) {
	if r.Narrowed || r.Part || len(r.entries) == 0 {
		return
	}
	// What a policy leaves out of pins can't be compared. The gate's bound leaves no room to count tokens.
	shapes := func(p pin.Comparison) bool { return p.Locked.Policy.Shapes() || p.Captured.Policy.Shapes() }
	if !r.Bounded && !r.Terse && !slices.ContainsFunc(r.Comparisons, shapes) {
		m.Tokens = sizeOf(r.Comparisons, TokensOf)
	}
	m.Cost = m.Tokens.TokensText()
	if m.TextBytes = sizeOf(r.Comparisons, bytesOf); m.Cost == "" && m.TextBytes != nil && m.TextBytes.Before != m.TextBytes.After {
		m.Cost = "text " + text.Number(m.TextBytes.Before) + " -> " + text.Number(m.TextBytes.After) + " bytes"
	}
}

// risksOf counts what is dangerous among what is new: "1 with code, 1 destructive".
func risksOf(entries []*drifted) (said []string) {
	for _, risk := range [][2]string{{facts.TakesCode, "with code"}, {facts.Destructive, "destructive"}} {
		if n := count(entries, func(e *drifted) bool { return e.Kind == pin.Added && slices.Contains(e.Is, risk[0]) }); n > 0 {
			said = append(said, text.Number(n)+" "+risk[1])
		}
	}
	return said
}

// data counts what programs get.
func (r *Report) data(m *Model) {
	m.Counts = map[string]int{"entries": 0, "pins": 0, "matched": r.Matched.Total(), "drift": len(r.entries),
		"blocked": 0, "denied": len(r.Denied), "warnings": 0, "notes": 0, "standing": len(m.Approved)}
	for _, e := range r.entries {
		m.Counts["blocked"] += lint.BoolRank(r.Blocked[e.Ref()])
	}
	for _, k := range kinds {
		m.Counts[strings.ToLower(string(k))] = count(r.entries, isOf(k))
	}
	m.Counts["allowed"] = len(r.entries) - m.Counts["blocked"]
	for _, f := range slices.Concat(r.General, r.Unrecorded, r.Unpinned, freshIn(r.entries)) {
		m.Counts["warnings"] += lint.BoolRank(f.Warning)
		m.Counts["notes"] += lint.BoolRank(!f.Warning)
	}
	for _, s := range m.Sides {
		if s.Pinned != nil {
			m.Counts["pins"] += s.Pinned.Entries
		}
		if s.Now != nil {
			m.Counts["entries"] += s.Now.Entries
		}
	}
}

// captured lists every entry of every capture.
func (r *Report) captured(m *Model) {
	m.Captured = []Captured{}
	status := map[pin.Ref]string{}
	for _, e := range r.entries {
		status[e.Ref()] = string(e.Kind)
	}
	denied := map[pin.Ref]bool{}
	for _, ref := range r.Denied {
		denied[ref] = true
		if r.RefusesDenied {
			status[ref] = "DENIED"
		}
	}
	for i := 0; i < len(r.Comparisons) && !r.NoData; i++ {
		p := &r.Comparisons[i]
		for j := range p.Captured.Pins {
			one := &p.Captured.Pins[j]
			ref := pin.Ref{Server: p.Server, Key: one.Key}
			c := Captured{Server: p.Server, List: pin.EntryTypeInfo[one.Type].Member, Name: one.Name, Short: shortRef(one.Type, one.Name),
				Status: cmp.Or(status[ref], "MATCH"), Digest: one.Digest, Sanitized: one.Sanitized, Denied: denied[ref]}
			if r.Terse && c.Status != "MATCH" {
				continue // it is with the drift
			}
			// The hash is of the tool as received. A lockfile in place of the capture may not have that.
			asReceived := one.Received != nil || one.Definition != nil && !p.Captured.Policy.Shapes()
			if one.Type == pin.Tools && asReceived && !r.Terse && r.ApprovalHash != nil {
				c.ApprovalHash = r.ApprovalHash(p.Server, one)
			}
			m.Captured = append(m.Captured, c)
		}
	}
}

// A Rule is what an annotation can be about, with its usual level and its meaning.
type Rule struct{ ID, Level, Text string }

// Rules lists all rules.
func Rules() (rules []Rule) {
	for _, d := range [...][2]string{
		{"duplicate", "Two entries of one name: an agent may get either. This can't be accepted."},
		{"hidden", "An entry that changed only in what no reader sees: the most suspicious drift."},
		{"added", "An entry that no pin names: nobody approved it."},
		{"changed", "An entry whose definition is not the one that was approved."},
		{"removed", "A pin whose entry is gone from the capture."},
		{"no-pins", "A server that the lockfile doesn't have: nobody approved what it lists."},
		{"no-capture", "A server of the lockfile without a capture."},
		{"policy", "A server that was pinned under another policy."},
		{"other-server", "A capture that shares nothing with the pins it was compared with."},
	} {
		rules = append(rules, Rule{"drift/" + d[0], "error", d[1]})
	}
	rules = append(rules, Rule{"record/approval", "error", "An approval that holds for a part of the definition beside it, or that a change of the lockfile brings or takes."},
		Rule{"record/warning", "error", "An accepted warning that a change of the lockfile adds or removes."},
		Rule{"record/denied", "error", "An entry that matches its pin and is denied, where only a guard would leave it out, or whose mark a change of the lockfile brings or takes."},
		Rule{"record/policy", "error", "A policy that a change of the lockfile brings."})
	for _, f := range lint.Table {
		level := "note"
		if f.Warning {
			level = "error"
		}
		rules = append(rules, Rule{"finding/" + f.ID, level, strings.ToUpper(f.Text[:1]) + f.Text[1:] + "."})
	}
	return rules
}

// LabelWords are the words of all labels of changes, by their ids.
func LabelWords() map[string]string {
	words := map[string]string{}
	for _, l := range label.All() {
		words[l.ID()] = l.Words()
	}
	return words
}
