package report

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"pinproof/internal/diff"
	"pinproof/internal/lint"
	"pinproof/internal/pin"
	"pinproof/internal/shell"
	"pinproof/internal/text"
)

// model computes the model. The groups are made and in order.
func (r *Report) model() *Model {
	m := &Model{
		Matches: r.Matches, Failed: r.Failed, ExitCode: r.ExitCode, NoAnswer: whyNot(r.NoAnswer), Nothing: r.NoAnswer != nil && len(r.Comparisons) == 0,
		Word: r.verdictWord(), Text: r.verdictText(), Lockfile: r.Lockfile, Against: r.against(), Several: len(r.Comparisons) > 1,
		Problems: slices.DeleteFunc(r.problems(), func(p Problem) bool { return p.ID == "other-server" && r.explained(p.Server) }), LeftOut: r.LeftOut, Notes: r.notes(), Bump: r.bump,
		Whole: r.Said(slices.Concat(r.General, r.unpinned)), Unrecorded: r.Said(r.Unrecorded), Approved: r.Said(r.standing),
		Fresh: r.Said(r.allFresh()), Warned: r.warningText(maxNew), Standing: len(r.standing), General: len(lint.WarningsIn(r.General)) > 0,
		Review: Step{"review", r.Next.To("diff")}, Next: r.NextSteps(),
		Every:  Step{"every entry", r.Next.To("verify", "--full")},
		Stat:   Step{"its shape first", r.Next.To("diff", "--stat")},
		Part:   Step{"then a part (a name, added, warnings, a label)", r.Next.To("diff", "--only SELECTOR")},
		Locked: []Step{{Text: "read " + text.Printable(r.Lockfile) + " as you would code, then commit it"}, {"in CI", r.Next.To("verify")}},
	}
	if r.Folder[0] != "" {
		m.Paths = []Step{{r.Folder[0], r.Folder[1]}}
		m.Locked = append(m.Locked, m.Paths...)
		m.Next = append(m.Paths, m.Next...)
	}
	if path := cmp.Or(r.Lockfile, r.Next.Against); path != "-" && path != "" {
		m.Annotated = filepath.ToSlash(filepath.Clean(path))
	}
	if m.Warning = r.warningText(maxSaidNames); !strings.HasPrefix(m.Text, m.Warning) {
		m.Warning = ""
	}
	if r.Lockfile != "" && len(r.Unrecorded) > 0 { // no name: nobody should approve a warning by pasting
		m.Record = []Step{{"after reading it, put it on record", r.Next.To("relock", "--accept-warning NAME")}}
	}
	next := r.Next // from the shape of a review to the review, of the most dangerous server
	if len(r.Comparisons) > 1 && len(r.groups) > 0 && r.Only == nil && shell.PasteableLabel(r.groups[0].first().Server) {
		next.Server = r.groups[0].first().Server
	}
	m.Read = Step{"read it", next.To("diff", r.OnlyFlags...)}
	if r.LeftOut > 0 {
		m.All = Step{"with the " + text.Number(r.LeftOut) + " left out", r.Next.To("diff")}
	}
	for _, f := range r.blocking {
		one := r.said(f, r.subjectOf)
		one.Ref = "capture"
		if !f.WholeServer {
			one.Ref = pin.EntryRef(f.List, f.Entry)
		}
		one.Ref += r.serverField(f.Server)
		m.Blocking = append(m.Blocking, one)
	}
	r.servers(m)
	if r.Brief {
		return m
	}
	r.blocks(m)
	m.Annotations, m.Folded = r.annotations(m, false), r.annotations(m, true)
	if !r.NoData {
		r.data(m)
	}
	return m
}

// Questions says what a prompt asks besides the blocks.
func (r *Report) Questions() Questions {
	q := Questions{Policy: r.AllOrNothing(), AllOrNothing: r.AllOrNothing(), Unrecorded: r.each(r.Unrecorded)}
	for _, f := range q.Unrecorded {
		q.Labels = append(q.Labels, text.Name(f.Server))
	}
	return q
}

// said is a finding in words. subject names what it is in.
func (r *Report) said(f lint.Finding, subject func(*lint.Finding) string) Finding {
	in := subject(&f)
	s := Finding{ID: f.ID, Level: "note", Warning: f.Warning, Approved: f.Approved, Blocks: f.Blocks(r.Review), Place: placeOf(f.List, f.Pointer), Pointer: text.Pointer(f.Pointer),
		Detail: f.Detail, Names: in, All: []string{in}, Identity: []string{f.Server, pin.EntryRef(f.List, f.Entry), f.Pointer, f.Detail},
		Line: r.pinLine(f.Ref()), Server: f.Server, At: f.Pointer}
	if f.Warning {
		s.Level = "warning"
	}
	if !f.WholeServer {
		s.List, s.Name = pin.EntryTypeInfo[f.List].Member, f.Entry
	}
	return s
}

// each are findings in words, one by one.
func (r *Report) each(list []lint.Finding) (said []Finding) {
	for _, f := range list {
		said = append(said, r.said(f, r.subjectOf))
	}
	return said
}

// Said are findings in words, equal ones of several entries once, warnings first.
func (r *Report) Said(list []lint.Finding) []Finding { return r.collapse(list, r.subjectOf) }

func (r *Report) collapse(list []lint.Finding, subject func(*lint.Finding) string) (said []Finding) {
	index := map[lint.Finding]int{}
	for _, f := range list {
		key := f
		key.Entry, key.List = "", 0
		at, ok := index[key]
		if !ok || f.WholeServer {
			index[key] = len(said)
			said = append(said, r.said(f, subject))
			continue
		}
		said[at].All = append(said[at].All, subject(&f))
		said[at].Names = text.List(said[at].All, maxSaidNames)
	}
	slices.SortStableFunc(said, func(a, b Finding) int { return lint.RankOf(b.Warning) - lint.RankOf(a.Warning) })
	return said
}

// allFresh lists the findings in drift that nobody has approved.
func (r *Report) allFresh() (list []lint.Finding) { return freshIn(r.entries) }

func freshIn(entries []*drifted) (list []lint.Finding) {
	for _, e := range entries {
		list = append(list, e.fresh...)
	}
	return list
}

// pinLine is the line of an entry's pin in the lockfile, else its server's, else 1.
func (r *Report) pinLine(key pin.Ref) int {
	p := pin.ComparisonOf(r.Comparisons, key.Server)
	if p == nil || !p.Known {
		return 1
	}
	if pin := p.Locked.Find(key.Key); pin != nil {
		return max(1, pin.Line)
	}
	return max(1, p.Locked.Line)
}

// blocks makes the blocks and their entries.
func (r *Report) blocks(m *Model) {
	rows := (&rowMaker{}).alone()
	for i, g := range r.groups {
		b := r.block(g, rows)
		b.Opens = i == 0 || r.groups[i-1].first().Server != g.first().Server
		for i, e := range g.entries {
			if len(g.entries) > 1 && !r.Bounded {
				b.Each = append(b.Each, r.block(&group{g.number, []*drifted{e}, g.at[i : i+1], r.findingsIn(g.entries[i : i+1])}, rows.alone()))
			}
			m.Entries = append(m.Entries, r.entry(e, g.number))
			m.Unexplained += lint.RankOf(e.unexplained)
		}
		m.Blocks = append(m.Blocks, b)
	}
	r.worst(m)
}

// block makes the block of a group.
func (r *Report) block(g *group, rows *rowMaker) Block {
	e := g.first()
	b := Block{Number: g.number, Entries: g.at, Kind: string(e.Kind), Note: driftNote(&e.Drift), Warned: e.warned(), Blocked: r.Blocked[e.Ref()],
		Repeat: e.Kind == pin.Duplicate, Class: e.class, Accept: r.acceptCommand(g), Ask: r.questionText(&e.Drift, len(g.entries), e.warned())}
	b.Server = slices.IndexFunc(r.Comparisons, func(p pin.Comparison) bool { return p.Server == e.Server })
	if r.release != "" {
		b.Severity = slices.MaxFunc(g.entries, func(a, b *drifted) int { return int(a.severity - b.severity) }).severity.String()
	}
	if b.Minor = !slices.ContainsFunc(g.entries, func(e *drifted) bool { return !e.minor }); b.Minor {
		b.Ask = strings.Replace(b.Ask, "this change", "these minor changes", 1)
	}
	b.Rows, b.Summed = rows.rows(g)
	b.Title, b.Brief = r.titles(g.entries)
	if len(r.Comparisons) > 1 {
		b.Within = ", server " + text.Name(e.Server)
	}
	var dangers []string
	known, change := true, 0
	for _, one := range g.entries {
		b.Names = append(b.Names, text.Name(one.Name))
		known, change = known && one.TextsKnown(), change+one.bytes
		for _, word := range one.is.said() {
			if !slices.Contains(dangers, word) {
				dangers = append(dangers, word)
			}
		}
	}
	b.Danger = strings.Join(dangers, ", ")
	switch {
	case !known:
	case change == 0:
		b.Bytes = "0"
	default:
		b.Bytes = text.Signed(change)
	}
	for _, f := range g.findings {
		if slices.Contains(joinedNotes, f.ID) && !strings.Contains(b.Why, f.ID) {
			b.Why = joined(", ", b.Why, f.ID)
		}
	}
	if e.Kind == pin.Added {
		b.Why = joined(", ", b.Why, b.Danger)
	}
	if b.Words, b.Op = standsOut(g); b.Minor {
		b.Op = '~'
	}
	for _, ed := range e.edits {
		if id := ed.Label.ID(); !slices.Contains(b.Labels, id) {
			b.Labels = append(b.Labels, id)
		}
	}
	return b
}

// The head of a review names so many entries of a class, if there are more blocks than a person sees at once.
const (
	maxWorst  = 10
	maxNew    = 60 // of new ones that take code or destroy
	maxAtOnce = 6
)

// worst names the most dangerous entries of all servers, by the reason why they are.
func (r *Report) worst(m *Model) {
	if len(r.groups) <= maxAtOnce {
		return
	}
	for class, said := range [...]string{rankWarned: "a new warning", rankDuplicate: "a repeated name", rankHidden: "a change that can't be seen",
		rankStrong: "a strong order, or approved and may do more now", rankCode: "new, takes code", rankDestructive: "new, destructive", rankWriting: "new, writes by its name, without hints"} {
		worst, more, most := Worst{Said: said}, 0, maxWorst
		if class == rankWarned || class == rankCode || class == rankDestructive {
			most = maxNew
		}
		for _, e := range m.Entries {
			switch b := &m.Blocks[e.Block-1]; {
			case b.Class != class:
			case len(worst.Entries) == most:
				more++
			default:
				worst.Entries = append(worst.Entries, Placed{e.Block, e.Short})
			}
		}
		if more > 0 {
			worst.More = "and " + text.Number(more) + " more"
		}
		if worst.Entries != nil {
			m.Worst = append(m.Worst, worst)
		}
	}
}

// titles are what entries of a group are called: with all names, and with few and their server.
func (r *Report) titles(entries []*drifted) (title, brief string) {
	e := entries[0]
	title = shortRef(e.Type, e.Name)
	brief = title
	if n := len(entries); n > 1 {
		var names []string
		for _, one := range entries {
			names = append(names, text.Name(one.Name))
		}
		several := text.Count(n, pin.EntryTypeInfo[e.Type].Entry) + " alike: "
		title, brief = several+text.List(names, n), several+text.List(names, maxSaidNames)
	}
	if len(r.Comparisons) > 1 {
		brief += ", server " + text.Name(e.Server)
	}
	return title, brief
}

// standsOut is what stands out in a group: a new warning, a note that ranks it, a rename,
// or the gravest label.
func standsOut(g *group) (word string, op byte) {
	e := g.first()
	for _, f := range g.findings { // warnings first
		if f.Warning {
			return f.Word(), 'W'
		}
		if slices.Contains(NoteIDs, f.ID) {
			return f.ID, '!'
		}
	}
	switch {
	case e.RenamedFrom != "":
		return "renamed from " + text.Name(e.RenamedFrom), '='
	case e.RenamedTo != "":
		return "renamed to " + text.Name(e.RenamedTo), '='
	case len(e.edits) == 0:
		return "", '='
	case e.minor:
		return e.gravest().ID() + " (minor)", '~'
	}
	return e.gravest().ID(), '='
}

func (r *Report) entry(e *drifted, block int) Entry {
	d := &e.Drift
	said := Entry{Server: d.Server, List: pin.EntryTypeInfo[d.Type].Member, Name: d.Name, Ref: pin.EntryRef(d.Type, d.Name) + r.serverField(d.Server), Said: r.ref(d.Ref()),
		Short: shortRef(d.Type, d.Name), Noun: pin.EntryTypeInfo[d.Type].Entry, Kind: string(d.Kind), Blocked: r.Blocked[d.Ref()], Block: block, Text: driftText(e), Warned: e.warned(), Line: r.pinLine(d.Ref()),
		RenamedFrom: d.RenamedFrom, RenamedTo: d.RenamedTo, Danger: strings.Join(e.is.said(), ", "), Grave: e.grave(), Minor: e.minor,
		Severity: e.severity.String(), Digest: short(d.DefinitionDigest()), New: len(e.fresh)}
	if d.Server != "" {
		said.Label = text.Name(d.Server)
	}
	said.Findings = r.each(slices.Concat(e.fresh, e.approved))
	for _, c := range e.changes {
		said.Changes = append(said.Changes, Change{c.Pointer, c.From, c.Label.ID(), c.Label.Text(), c.Severity.String(), c.Old, c.New})
	}
	definition := func(p *pin.Pin) *Definition {
		return &Definition{p.Digest, p.Sanitized, max(1, p.Line), p.Definition}
	}
	if d.Locked != nil {
		said.Pinned = definition(d.Locked)
	}
	switch {
	case d.Kind == pin.Duplicate:
		for _, p := range d.Definitions() {
			said.Copies = append(said.Copies, *definition(&p))
		}
	case d.Captured != nil:
		said.Now = definition(d.Captured)
	}
	return said
}

// servers says of each server what is compared with what, and what drifted.
func (r *Report) servers(m *Model) {
	others, cost := 0, Counts{Known: true}
	for i := range r.Comparisons {
		p := &r.Comparisons[i]
		s := Server{ID: p.Server, Old: r.against() + " nothing", New: "no capture", Differs: r.Differs[p.Server], Missing: p.Missing, Pinned: pin.CountPins(p.Locked.Pins).String(), Listed: pin.CountPins(p.Captured.Pins).String(),
			OldSet: short(p.Locked.Digest), Set: short(p.Captured.Digest), Summary: p.Captured.Policy.Summary(), Line: r.pinLine(pin.Ref{Server: p.Server})}
		if p.Server != "" {
			s.Label = text.Name(p.Server)
		}
		if p.Known {
			s.Old = r.against() + " " + setText(&p.Locked, false)
		}
		if p.Present {
			s.New = text.Printable(p.Capture) + " " + setText(&p.Captured, false)
		}
		s.Versions = p.About
		if p.LockedAbout != "" && p.LockedAbout != p.About {
			s.Versions = p.LockedAbout + " -> " + cmp.Or(p.About, "nothing")
		}
		if p.SameVersion {
			s.Notes = append(s.Notes, "same-version: definitions differ, the server's name and version don't, as in a rug pull or with a remote server")
		}
		if p.PolicyDiffers() {
			s.Notes = append(s.Notes, "policy: "+policies(p))
		}
		for _, one := range p.Captured.Pins {
			s.Pins = append(s.Pins, Pinned{shortRef(one.Type, one.Name), short(one.Digest)})
		}
		if !p.Missing {
			s.Counts = r.counts(p, &s)
			cost.Before, cost.After, cost.Known = cost.Before+s.Counts.Before, cost.After+s.Counts.After, cost.Known && s.Counts.Known
		}
		if !r.Differs[p.Server] {
			others++
		}
		m.Servers = append(m.Servers, s)
	}
	if others > 0 && others < len(m.Servers) {
		m.Others = text.Count(others, "other server") + ": no drift"
	}
	if len(r.entries) > 0 && cost.Known {
		m.Cost = costText(cost)
		m.Data.TextBytes = map[string]int{"before": cost.Before, "after": cost.After}
	}
}

// counts counts what drifted of a server.
func (r *Report) counts(p *pin.Comparison, s *Server) (c Counts) {
	c.Known = r.Only == nil && !r.Part // of a part, nobody knows all the text
	for _, pins := range []struct {
		list []pin.Pin
		size *int
	}{{p.Locked.Pins, &c.Before}, {p.Captured.Pins, &c.After}} {
		for i := range pins.list {
			c.Known = c.Known && pins.list[i].Definition != nil
			*pins.size += len(pins.list[i].Definition)
		}
	}
	for _, e := range r.entries {
		if e.Server != p.Server {
			continue
		}
		s.Fails = s.Fails || r.Blocked[e.Ref()]
		*map[pin.DriftKind]*int{pin.Added: &c.Added, pin.Changed: &c.Changed, pin.Removed: &c.Removed, pin.Hidden: &c.Hidden, pin.Duplicate: &c.Duplicate}[e.Kind]++
		c.Strong += lint.RankOf(e.strong())
		c.Warnings += len(lint.WarningsIn(e.fresh))
		if e.Kind == pin.Added {
			c.Code += lint.RankOf(e.is.code)
			c.Destructive += lint.RankOf(e.is.hints[destructive] == 't')
		}
	}
	return c
}

// costText is "text 12,610 -> 12,934 bytes (+3 %)".
func costText(c Counts) string {
	if c.Before == c.After {
		return "text " + text.Number(c.After) + " bytes, as before"
	}
	s := "text " + text.Number(c.Before) + " -> " + text.Number(c.After) + " bytes"
	if c.Before > 0 {
		if percent := fmt.Sprintf("%+.0f", float64(c.After-c.Before)*100/float64(c.Before)); percent[1:] != "0" {
			s += " (" + percent + " %)"
		}
	}
	return s
}

// notes say what a release with the drift is, and which of the names given to --only several
// servers have.
func (r *Report) notes() (lines []string) {
	if r.release != "" {
		lines = append(lines, r.release)
	}
	for _, key := range r.OnlyNames {
		drifted := 0
		for _, e := range r.entries {
			drifted += lint.RankOf(e.Key == key)
		}
		if n := pin.Holders(r.Comparisons, key); n > 1 {
			lines = append(lines, text.Number(n)+" servers have "+shortRef(key.Type, key.Name)+", it drifted in "+text.Number(drifted)+"; one of them alone: --server ID")
		}
	}
	return lines
}

// data computes what programs get.
func (r *Report) data(m *Model) {
	d := &m.Data
	if r.Lockfile == "" {
		d.Against = r.Next.Against
	}
	d.Findings = r.each(slices.Concat(r.General, r.Unrecorded))
	d.Unpinned, d.Standing = r.each(r.unpinned), r.each(r.standing)
	d.Counts = map[string]int{"entries": 0, "pins": 0, "matched": r.matchedCounts().Total(), "drift": len(r.entries), "blocked": 0,
		"duplicate": 0, "hidden": 0, "added": 0, "changed": 0, "removed": 0, "warnings": 0, "notes": 0, "standing": len(d.Standing)}
	status := map[pin.Ref]string{}
	for _, e := range r.entries {
		status[e.Ref()] = string(e.Kind)
		d.Counts[strings.ToLower(string(e.Kind))]++
		d.Counts["blocked"] += lint.RankOf(r.Blocked[e.Ref()])
	}
	d.Counts["allowed"] = d.Counts["drift"] - d.Counts["blocked"]
	for _, f := range slices.Concat(d.Findings, d.Unpinned, r.each(r.allFresh())) {
		d.Counts[f.Level+"s"]++
	}
	for i := range r.Comparisons {
		p := &r.Comparisons[i]
		d.Counts["entries"] += len(p.Captured.Pins)
		d.Counts["pins"] += len(p.Locked.Pins)
		s := ServerData{Server: p.Server}
		if p.Known {
			s.Pinned = &Side{Entries: len(p.Locked.Pins), SetDigest: p.Locked.Digest, Policy: p.Locked.Policy.Value()}
		}
		if p.Present {
			s.Now = &Side{len(p.Captured.Pins), p.Captured.Digest, p.Captured.Policy.Value(), p.Capture, p.About, &p.Noise}
		}
		d.Servers = append(d.Servers, s)
		for j := range p.Captured.Pins {
			one := &p.Captured.Pins[j]
			c := Captured{p.Server, pin.EntryTypeInfo[one.Type].Member, one.Name, shortRef(one.Type, one.Name), cmp.Or(status[pin.Ref{Server: p.Server, Key: one.Key}], "MATCH"), one.Digest, one.Sanitized, ""}
			// The hash is of the tool as received. A lockfile in place of the capture may not have that.
			asReceived := one.Received != nil || one.Definition != nil && !p.Captured.Policy.Shapes()
			if one.Type == pin.Tools && asReceived && r.ApprovalHash != nil {
				c.ApprovalHash = r.ApprovalHash(p.Server, one)
			}
			d.Captured = append(d.Captured, c)
		}
	}
}

// A Rule is what an annotation can be about, with its usual level and its meaning.
type Rule struct{ ID, Level, Text string }

// Rules lists them all.
func Rules() (rules []Rule) {
	for _, d := range [...][2]string{
		{"duplicate", "Two entries of one name: an agent may get either. This can't be accepted."},
		{"hidden", "An entry that changed only in what no reader sees: the most suspicious drift."},
		{"added", "An entry that no pin names: nobody approved it."},
		{"changed", "An entry whose definition is not the one that was approved."},
		{"removed", "A pin whose entry is gone from the capture."},
		{"no-pins", "A server that the lockfile doesn't have: nobody approved what it lists."},
		{"no-capture", "A server of the lockfile that there is no capture of."},
		{"policy", "A server that was pinned under another policy."},
		{"other-server", "A capture that shares nothing with the pins it was compared with."},
	} {
		rules = append(rules, Rule{"drift/" + d[0], "error", d[1]})
	}
	for _, f := range lint.Table {
		level := "note"
		if f.Warning {
			level = "error"
		}
		rules = append(rules, Rule{"finding/" + f.ID, level, strings.ToUpper(f.Text[:1]) + f.Text[1:] + "."})
	}
	return rules
}

// Labels are the ids of all labels of changes, in the order of their ranks.
func Labels() []string { return diff.LabelIDs() }
