package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pinproof/internal/diff"
	"pinproof/internal/lint"
	"pinproof/internal/pin"
	"pinproof/internal/shell"
	"pinproof/internal/text"
)

// Every sentence about drift, findings, problems and what to do next comes from
// this file; the writers lay it out. All of it is printable.

// Limits on how much one sentence names.
const (
	maxSaidNames    = 3
	maxSaidChanges  = 4
	maxTitleNames   = 60 // in the title of a group, without --full
	maxAcceptNames  = 40 // in one printed command
	maxClosingNames = 5  // in a line of relock, which has shown the entries above
)

// shortRef names an entry in a sentence: "write_file", "prompt review",
// "instructions".
func shortRef(list pin.EntryType, name string) string {
	switch {
	case list == pin.Instructions:
		return pin.EntryTypeInfo[list].Entry
	case list == pin.Tools && name != pin.EntryTypeInfo[pin.Instructions].Entry:
		return text.Name(name)
	}
	return pin.EntryTypeInfo[list].Entry + " " + text.Name(name)
}

// ref names an entry in a sentence, with its server where there are several.
func (r *Report) ref(key pin.Ref) string {
	ref := shortRef(key.Type, key.Name)
	if len(r.Comparisons) > 1 {
		ref += " (server " + text.Name(key.Server) + ")"
	}
	return ref
}

// subjectOf names the entry that a finding is in, or the capture as a whole.
func (r *Report) subjectOf(f *lint.Finding) string {
	switch {
	case !f.WholeServer:
		return r.ref(f.Ref())
	case len(r.Comparisons) > 1:
		return "the capture of server " + text.Name(f.Server)
	}
	return "the capture"
}

// short is a digest for people: the first 12 of its hex digits.
func short(digest string) string {
	hex := pin.HexOf(digest)
	return hex[:min(12, len(hex))]
}

// verdictWord is the answer in a word or three.
func (r *Report) verdictWord() string {
	switch {
	case r.Matches:
		return "OK"
	case r.NoAnswer != nil && len(r.Drifts) == 0:
		return "NO ANSWER"
	case r.Failed:
		return "DRIFT"
	case len(r.Drifts) == 0 && slices.ContainsFunc(r.Comparisons, func(p pin.Comparison) bool { return p.Missing }):
		return "PASS IN PART"
	}
	return "PASS WITH DRIFT"
}

// verdictLine is the answer in one line: the verdict's word, then verdictText.
func (r *Report) verdictLine() string { return r.verdictWord() + ": " + r.verdictText() }

// verdictText is the answer without its word: the warnings first, then the drift by
// kind, what is wrong with whole servers, and what matches.
func (r *Report) verdictText() string {
	matched, verb := r.matchedCounts(), " match "
	if matched.Total() == 1 {
		verb = " matches "
	}
	if r.Matches {
		s := "0 drift (" + matched.String() + verb + r.against() + ")" + r.policyText()
		if n := len(r.approvedBefore()); n > 0 {
			s += "; " + text.Count(n, "approved warning")
		}
		return s
	}
	parts := []string{r.warningText(maxSaidNames), kindText(r, r.groups), r.leftOutText(), problemText(r.problems())}
	return joined("; ", append(parts, text.Number(matched.Total())+verb+r.against())...) + r.policyText()
}

// leftOutText says how much of the drift --only leaves out.
func (r *Report) leftOutText() string {
	switch {
	case r.LeftOut == 0:
		return ""
	case len(r.Drifts) == 0:
		return "nothing of it is selected, " + text.Number(r.LeftOut) + " left out"
	}
	return text.Number(r.LeftOut) + " left out (--only)"
}

// problemText names the servers that fail as a whole: "server a is not pinned".
func problemText(problems []problem) string {
	servers := map[string][]string{}
	for _, p := range problems {
		servers[p.id] = append(servers[p.id], text.Name(p.server))
	}
	var parts []string
	for _, is := range [][3]string{
		{"no-pins", "is not pinned", "are not pinned"},
		{"no-capture", "has no capture", "have no capture"},
		{"policy", "has another policy", "have another policy"},
	} {
		if list := servers[is[0]]; len(list) == 1 {
			parts = append(parts, "server "+list[0]+" "+is[1])
		} else if len(list) > 1 {
			parts = append(parts, "servers "+text.List(list, maxSaidNames)+" "+is[2])
		}
	}
	return strings.Join(parts, "; ")
}

// joined joins the parts that aren't empty.
func joined(separator string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), separator)
}

// matchedCounts counts the entries that match their pins, by list.
func (r *Report) matchedCounts() (c pin.Counts) {
	for i := range r.Comparisons {
		for list, n := range pin.CountPins(r.Comparisons[i].Captured.Pins) {
			c[list] += n
		}
	}
	for i := range r.Drifts {
		if d := &r.Drifts[i]; d.Captured != nil {
			c[d.Type] -= len(d.Copies)
		}
	}
	for list, n := range r.hidden {
		c[list] -= n
	}
	return c
}

// kindText counts the drift of some groups by kind: "1 added, 13 changed alike", "14 changed (12 alike)".
func kindText(r *Report, groups []*group) string { return kindTextWith(r, groups, "") }

// kindTextWith is kindText with words behind the count of what changed.
func kindTextWith(r *Report, groups []*group, changed string) string {
	count, most := map[pin.DriftKind]int{}, map[pin.DriftKind]int{} // most: in one group
	for _, g := range groups {
		k, n := r.first(g).Kind, len(g.drifts)
		count[k] += n
		most[k] = max(most[k], n)
	}
	var parts []string
	for _, k := range []pin.DriftKind{pin.Duplicate, pin.Hidden, pin.Added, pin.Changed, pin.Removed} {
		n, alike := count[k], most[k]
		if n == 0 {
			continue
		}
		s := text.Number(n) + " " + strings.ToLower(string(k))
		switch {
		case alike < 2:
		case alike == n:
			s += " alike"
		case 2*alike >= n:
			s += " (" + text.Number(alike) + " alike)"
		}
		if k == pin.Changed {
			s += changed
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, ", ")
}

// newWarnings lists the warnings that nobody has approved.
func (r *Report) newWarnings() []lint.Finding {
	return lint.WarningsIn(slices.Concat(slices.Concat(r.fresh...), r.blocking(), r.find(func(f *lint.Finding) bool { return f.WholeServer && f.Scope == lint.InDrift && !f.Approved })))
}

// warningText names the new warnings: "1 WARNING hidden-text in write_file". It is
// empty where there is none. It names up to most entries of each id.
func (r *Report) warningText(most int) string {
	var ids []string
	where, seen := map[string][]string{}, map[[2]string]bool{}
	for _, f := range r.newWarnings() {
		ref := r.subjectOf(&f)
		if seen[[2]string{f.ID, ref}] {
			continue
		}
		seen[[2]string{f.ID, ref}] = true
		if where[f.ID] == nil {
			ids = append(ids, f.ID)
		}
		where[f.ID] = append(where[f.ID], ref)
	}
	for i, id := range ids {
		ids[i] += " in " + text.List(where[id], most)
	}
	switch len(seen) {
	case 0:
		return ""
	case 1:
		return "1 WARNING " + ids[0]
	}
	return text.Number(len(seen)) + " WARNINGS: " + text.List(ids, most)
}

// against is the printable path of the lockfile, or of the file that stands for the pins.
func (r *Report) against() string {
	switch {
	case r.Lockfile != "":
		return text.Printable(r.Lockfile)
	case r.Next.Against == "-":
		return "standard input"
	}
	return text.Printable(r.Next.Against)
}

// policyText names every policy that shrinks what is watched, and the lists that can't be compared.
func (r *Report) policyText() string {
	var said []string
	if r.Part {
		said = append(said, "; a part of a session")
	}
	if len(r.Uncompared) > 0 {
		said = append(said, "; not compared, for one file has no answer to it: "+strings.Join(r.Uncompared, ", "))
	}
	for i := range r.Comparisons {
		p := &r.Comparisons[i]
		words := p.Captured.Policy.Summary()
		if !p.Present {
			words = p.Locked.Policy.Summary()
		}
		if words != "" && !slices.Contains(said, words) {
			said = append(said, words)
		}
	}
	return strings.Join(said, "")
}

// overview says at the top of a review what there is to read: the new warnings, the
// counts by kind and by what changed, and what the model reads from now on.
func (r *Report) overview() []string {
	has := map[diff.Label]int{} // by how many drifts have it
	for i := range r.changes {
		seen := map[diff.Label]bool{}
		for _, c := range r.changes[i] {
			if !seen[c.Label] {
				seen[c.Label] = true
				has[c.Label]++
			}
		}
	}
	var toRead, minor []string
	for _, l := range slices.Sorted(maps.Keys(has)) {
		if n := has[l]; l.Minor() {
			minor = append(minor, text.Number(n)+" "+l.ID())
		} else {
			toRead = append(toRead, text.Number(n)+" "+l.Of(n))
		}
	}
	labels := joined("; ", titled("to read: ", toRead), titled("minor: ", minor))
	if labels != "" {
		labels = strings.ToUpper(labels[:1]) + labels[1:]
	}
	added, rest := "", r.groups
	if dangers := r.dangerText(r.groups, len(r.Comparisons) == 1); dangers != "" {
		isNew := func(g *group) bool { return r.first(g).Kind == pin.Added }
		rest = slices.DeleteFunc(slices.Clone(r.groups), isNew)
		added = kindText(r, slices.DeleteFunc(slices.Clone(r.groups), func(g *group) bool { return !isNew(g) })) + ": " + dangers
	}
	lines := []string{r.warningText(maxTitleNames), added, kindTextWith(r, rest, r.readText()), labels, r.costText()}
	return slices.DeleteFunc(lines, func(line string) bool { return line == "" })
}

// titled is a list in words with its title, or "" for none.
func titled(title string, list []string) string {
	if len(list) == 0 {
		return ""
	}
	return title + strings.Join(list, ", ")
}

// readText says how many of the changed entries changed in text that the model reads:
// ", 15 of them in text the model reads".
func (r *Report) readText() string {
	changed, read := 0, 0
	for i := range r.Drifts {
		switch d := &r.Drifts[i]; {
		case d.Kind != pin.Changed:
		case !d.TextsKnown():
			return "" // it can't be told
		default:
			changed++
			read += lint.RankOf(slices.ContainsFunc(r.changes[i], func(c diff.Change) bool { return modelReads(d.Type, c) }))
		}
	}
	switch {
	case changed == 0:
		return ""
	case read == 0:
		return ", not in text the model reads"
	case read == changed:
		return " in text the model reads"
	}
	return ", " + text.Number(read) + " of them in text the model reads"
}

// modelReads reports whether a change is in something that a model reads.
func modelReads(list pin.EntryType, c diff.Change) bool {
	return !c.Label.Minor() && (list != pin.Tools || strings.HasPrefix(c.Pointer, "/description") || strings.HasPrefix(c.Pointer, "/inputSchema"))
}

// driftsThat counts by list, and names, the drifts for which are(i) is true.
func (r *Report) driftsThat(are func(i int) bool) (c pin.Counts, refs []string) {
	for i := range r.Drifts {
		if d := &r.Drifts[i]; are(i) {
			c[d.Type]++
			refs = append(refs, r.ref(d.Ref()))
		}
	}
	return c, refs
}

// costText is "text the model reads 12,610 -> 12,934 bytes (+3 %)", or "".
func (r *Report) costText() string {
	c := r.cost
	switch {
	case !c.known:
		return ""
	case c.before == c.after:
		return "text the model reads " + text.Number(c.after) + " bytes, as before"
	}
	s := fmt.Sprintf("text the model reads %s -> %s bytes", text.Number(c.before), text.Number(c.after))
	if c.before > 0 {
		if percent := fmt.Sprintf("%+.0f", float64(c.after-c.before)*100/float64(c.before)); percent[1:] != "0" {
			s += " (" + percent + " %)"
		}
	}
	return s
}

// A problem is what is wrong with a whole server, and what to type if it was intended.
type problem struct {
	id     string // stable: "no-pins", "no-capture", "policy", "other-server"
	server string
	title  string
	step
	allowed bool // it fails no run
}

// problems lists what is wrong with whole servers, in the order of the servers.
func (r *Report) problems() (list []problem) {
	for i := range r.Comparisons {
		p := &r.Comparisons[i]
		server := "server " + text.Name(p.Server)
		add := func(id, title, text, command string) {
			list = append(list, problem{id, p.Server, title, step{text, command}, p.Missing && r.NoAnswer == nil})
		}
		if p.Unrelated && !p.Part { // a part may have no entry of the others
			pins := text.Count(len(p.Locked.Pins), "pin") + " of " + text.Name(p.Server)
			if p.Server == "" { // two captures
				pins = pin.CountPins(p.Locked.Pins).Plural() + " of " + r.against()
			}
			s, command := fmt.Sprintf("%s looks like another server: none of its %s is among the %s",
				text.Printable(p.Capture), pin.CountPins(p.Captured.Pins).Plural(), pins), ""
			if r.Guessed {
				command = r.Next.To("lock", "--server "+shell.Label(p.FileLabel, p.Server))
			}
			add("other-server", "looks like another server", s, command)
		}
		if !p.Known {
			s := r.against() + " has no " + server
			if len(r.Others) > 0 {
				s += "; it has: " + text.List(text.Names(r.Others), 6)
			}
			if p.Twin != "" {
				s += "; its set digest is that of " + text.Name(p.Twin) + ": if it is that server, rename the key"
			}
			add("no-pins", "no pins of "+server, s, "")
		}
		switch {
		case p.Present:
		case r.Lockfile == "":
			add("no-capture", "no "+server, text.Printable(r.Next.Capture)+" has no "+server, "")
		default:
			add("no-capture", "no capture of "+server, "no capture of "+server+" ("+pin.CountPins(p.Locked.Pins).String()+" in "+r.against()+"): they keep their pins", "")
		}
		if p.PolicyDiffers() {
			text := fmt.Sprintf("policy of %s: %s -> %s", server, pin.PolicyWords(p.Locked.Policy), pin.PolicyWords(p.Captured.Policy))
			add("policy", "another policy for "+server, text, "")
		}
	}
	return list
}

// groupTitle is what a group is called: "CHANGED 12 tools alike: a, b, …". It names no
// more than most entries; 0: all.
func (r *Report) groupTitle(g *group, most int) string {
	first := r.first(g)
	title := string(first.Kind) + " " + shortRef(first.Type, first.Name)
	if n := len(g.drifts); n > 1 {
		alike := " alike"
		if n > len(r.groups[g.number-1].drifts) { // of several groups
			alike = ""
		}
		title = fmt.Sprintf("%s %s%s: %s", first.Kind, text.Count(n, pin.EntryTypeInfo[first.Type].Entry), alike, text.List(r.groupNames(g), cmp.Or(most, n)))
	}
	if len(r.Comparisons) > 1 {
		title += ", server " + text.Name(first.Server)
	}
	return title
}

func (r *Report) groupNames(g *group) []string {
	names := make([]string, len(g.drifts))
	for i, at := range g.drifts {
		names[i] = text.Name(r.Drifts[at].Name)
	}
	return names
}

// groupFindings lists the findings of a group, equal ones once, warnings first.
func (r *Report) groupFindings(g *group) []collapsedFinding {
	var list []lint.Finding
	for _, at := range g.drifts {
		list = append(list, r.fresh[at]...)
	}
	return collapseFindings(list, func(f *lint.Finding) string { return shortRef(f.List, f.Entry) })
}

// driftNote says what a list of changes can't: repeats, renames, texts that are not
// stored.
func driftNote(d *pin.Drift) string {
	switch {
	case d.Kind == pin.Duplicate:
		return text.Count(len(d.Copies), pin.EntryTypeInfo[d.Type].Entry) + " of this name: an agent may get any of them; this can't be accepted"
	case d.RenamedFrom != "" && d.RenamedSimilar:
		return "looks like " + text.Name(d.RenamedFrom) + " under a new name, with these changes"
	case d.RenamedFrom != "":
		return text.Name(d.RenamedFrom) + " under a new name: nothing else differs"
	case d.RenamedTo != "" && d.RenamedSimilar:
		return "it looks like " + text.Name(d.RenamedTo) + " now"
	case d.RenamedTo != "":
		return "it is " + text.Name(d.RenamedTo) + " now: nothing else differs"
	case (d.Kind == pin.Changed || d.Kind == pin.Hidden) && !d.TextsKnown():
		return fmt.Sprintf("pinned %s, now %s: a definition was not stored (hashOnly)", short(d.Locked.Digest), short(d.Captured.Digest))
	}
	return ""
}

// driftText says in one line what is wrong with a drifted entry.
func (r *Report) driftText(i int) string {
	d := &r.Drifts[i]
	plain := map[pin.DriftKind]string{pin.Added: "no pin names it", pin.Removed: "it is gone"} // without a driftNote
	said := []string{cmp.Or(driftNote(d), plain[d.Kind])}
	for j, c := range r.changes[i] {
		if j == maxSaidChanges {
			said = append(said, text.Count(len(r.changes[i])-j, "more change"))
			break
		}
		s := c.Label.ID()
		if d.Kind == pin.Hidden {
			s = unseen(c)
		}
		said = append(said, joined(" at ", s, text.Pointer(c.Pointer)))
	}
	return joined("; ", said...)
}

// unseen says in words what a reader of the text can't see in a change.
func unseen(c diff.Change) string {
	if n := c.Hidden[1]; n > 0 {
		return text.Count(n, "character") + " no reader sees"
	}
	if n := c.Hidden[0]; n > 0 {
		return text.Count(n, "character") + " no reader sees, gone"
	}
	return "same text to a reader, other code points"
}

// editNote is shown beside an edit's label and place. It says what no reader can see, what
// the label means where it first stands in a group, which group shows a shared edit in
// full, and whose text is shown as an example.
func (r *Report) editNote(g *group, e *edit) string {
	home, was, whose, words := "", "", "", ""
	if g.introduces(e) {
		words = e.Words()
	}
	if e.From != "" {
		was = "was " + text.Pointer(e.From)
	}
	if e.home > 0 {
		home = homeNumber(e)
	}
	if e.example {
		whose = "as it stands in " + text.Name(r.first(g).Name)
	}
	return joined("; ", e.unseen, words, was, home, whose)
}

// introduces reports whether an edit is the first of a group with its label.
func (g *group) introduces(e *edit) bool {
	return e == &g.edits[slices.IndexFunc(g.edits, func(other edit) bool { return other.Label == e.Label })]
}

func homeNumber(e *edit) string { return "as in " + text.Number(e.home) }

// homeText names the group that shows an edit, for the gate, which numbers no groups.
func (r *Report) homeText(e *edit) string {
	home := r.groups[e.home-1]
	s := "as in " + text.Name(r.first(home).Name)
	if n := len(home.drifts) - 1; n > 0 {
		s += " and " + text.Number(n) + " more"
	}
	return s
}

// alsoText names the entries of other groups that have an edit.
func (e *edit) alsoText(most int) string { return "the same in " + text.List(e.also, most) }

// parts divides the edits of a group. shown is shown one by one. A line sums up each list
// of shared: several edits that one other group shows in full. Another line sums up
// minor; with all, minor edits are in shown.
func (g *group) parts(all bool) (shown []*edit, shared [][]*edit, minor []*edit) {
	homes := map[int][]*edit{}
	for i := range g.edits {
		if e := &g.edits[i]; e.home > 0 && e.unseen == "" {
			homes[e.home] = append(homes[e.home], e)
		}
	}
	for i := range g.edits {
		switch e := &g.edits[i]; {
		case e.unseen == "" && len(homes[e.home]) > 1:
			if homes[e.home][0] == e {
				shared = append(shared, homes[e.home])
			}
		case e.isMinor() && !all:
			minor = append(minor, e)
		default:
			shown = append(shown, e)
		}
	}
	return shown, shared, minor
}

// isMinor reports whether a review may sum up an edit.
func (e *edit) isMinor() bool { return e.unseen == "" && e.Label.Minor() }

// labelCounts is "output-schema 3, sdk-churn", in the order of the edits.
func labelCounts(edits []*edit) string {
	count, labels := map[diff.Label]int{}, []diff.Label(nil)
	for _, e := range edits {
		if count[e.Label]++; count[e.Label] == 1 {
			labels = append(labels, e.Label)
		}
	}
	var texts []string
	for _, l := range labels {
		s := l.ID()
		if n := count[l]; n > 1 {
			s += " " + text.Number(n)
		}
		texts = append(texts, s)
	}
	return strings.Join(texts, ", ")
}

// level is the level of a finding, for programs.
func level(f lint.Finding) string {
	if f.Warning {
		return "warning"
	}
	return "note"
}

// findingWord is what a finding is called where people read: "WARNING hidden-text".
func findingWord(f lint.Finding) string {
	return strings.Replace(level(f), "warning", "WARNING", 1) + " " + f.ID
}

// Titles of findings that belong to no drift.
const (
	inOthersTitle = "not on record, for the rules or the names around them are new:"
	approvedTitle = "approved warnings in entries that match:"
)

// A step is a command to type next, with what it is for. The template of the page reads both.
type step struct{ Text, Command string }

// ReviewStep is the command that shows everything.
func (r *Report) ReviewStep() step {
	return step{"review", r.Next.To("diff")}
}

// NextSteps say how to see and approve the drift. There are none without a lockfile. No
// step approves a new warning by itself.
func (r *Report) NextSteps() (steps []step) {
	if r.Lockfile == "" || r.Matches || r.Part && r.nothingPinned() { // lock takes a capture whole
		return nil
	}
	add := func(text, command string) { steps = append(steps, step{text, command}) }
	if slices.ContainsFunc(r.Drifts, func(d pin.Drift) bool { return !d.TextsKnown() }) {
		next := r.Next
		next.Lockfile = cmp.Or(next.Lockfile, r.Lockfile) // else --against compares two files
		add("to see what changed, give the approved list, too", next.To("diff", "--against APPROVED.json"))
	}
	verb, problems := "relock", r.problems()
	if r.nothingPinned() {
		verb = "lock"
	}
	another := slices.IndexFunc(problems, func(p problem) bool { return p.id == "other-server" && p.Command != "" })
	switch {
	case another >= 0:
		add("to approve it as another server", problems[another].Command)
	case len(r.Unapprovable()) > 0 && r.Part: // which keeps the policy
	case len(r.Unapprovable()) > 0:
		add("only a text that is pinned can be approved", r.Next.PinProse(verb))
	case r.nothingPinned() && len(r.Expect) == 0, len(r.Drifts) > 0 && !slices.ContainsFunc(r.Drifts, func(d pin.Drift) bool { return d.Kind != pin.Duplicate }):
		add("a repeated name can't be accepted: the server has to be fixed", "")
	case r.nothingPinned() && slices.ContainsFunc(r.groups, func(g *group) bool { return g.warned }): // lock says what a warning takes
	case r.nothingPinned():
		all, _ := r.driftsThat(func(int) bool { return true })
		add("to approve "+all.Plural(), r.Next.To("lock", r.Expect...))
	default:
		if len(r.Drifts) > 0 || r.AllOrNothing() {
			flags := r.OnlyFlags
			if r.AllOrNothing() {
				flags = nil
			}
			add("step by step", r.Next.To("relock", flags...))
		}
		if rest := r.RestStep(); rest.Command != "" {
			steps = append(steps, rest)
		}
	}
	return steps
}

// recordSteps say how a warning gets on record whose entry matches its pin. They name no
// entry: nobody should approve a warning by pasting.
func (r *Report) recordSteps() []step {
	if r.Lockfile == "" || len(r.Unrecorded()) == 0 {
		return nil
	}
	return []step{{"after reading it, put it on record", r.Next.To("relock", "--accept-warning NAME")}}
}

// nothingPinned reports whether the lockfile has none of the servers: lock approves them.
func (r *Report) nothingPinned() bool {
	return !slices.ContainsFunc(r.Comparisons, func(p pin.Comparison) bool { return p.Known })
}

// RestStep is the --accept-all command, or empty where that is not to be suggested.
func (r *Report) RestStep() step {
	_, left := r.driftsThat(func(i int) bool { return r.Drifts[i].Kind == pin.Duplicate || r.Warned(i) })
	if r.LeftOut > 0 || r.Lockfile == "" || len(r.Expect) == 0 || !slices.ContainsFunc(r.Comparisons, func(p pin.Comparison) bool { return r.Differs[p.Server] && !p.Missing }) || len(lint.WarningsIn(r.General())) > 0 || len(r.Unapprovable()) > 0 ||
		len(left) > 0 && (r.AllOrNothing() || len(left) == len(r.Drifts)) {
		return step{}
	}
	s := "approve exactly this"
	if len(left) > 0 {
		s = "all but " + text.List(left, maxSaidNames)
	}
	return step{s, r.Next.To("relock", append([]string{"--accept-all"}, r.Expect...)...)}
}

// AllOrNothing reports whether a policy changes: then all drift is accepted or none.
func (r *Report) AllOrNothing() bool {
	return slices.ContainsFunc(r.Comparisons, func(p pin.Comparison) bool { return p.PolicyDiffers() })
}

// acceptCommand is the command that accepts a group and nothing else, from the reviewed
// capture. It is "" if no flag can do that, if there are more names than a command
// should have, and for a new warning, which nobody should approve by pasting.
func (r *Report) acceptCommand(g *group) string {
	if r.Lockfile == "" || len(g.drifts) > maxAcceptNames || g.warned || r.first(g).Kind == pin.Duplicate ||
		r.AllOrNothing() || r.nothingPinned() || r.Guessed && r.Comparisons[0].Unrelated || len(lint.WarningsIn(r.General())) > 0 || len(r.Unapprovable()) > 0 {
		return ""
	}
	var args []string
	next, expect := r.Next, r.Expect
	p := pin.ComparisonOf(r.Comparisons, r.first(g).Server)
	named := len(r.Comparisons) > 1 && shell.PasteableLabel(p.Server) && p.Known
	if named { // one digest instead of that of every server
		next.Server, expect = p.Server, expectation(p)
	}
	for _, at := range g.drifts {
		d := &r.Drifts[at]
		if !named && r.hasTwin(d) {
			return ""
		}
		name, digest := d.Name, d.DefinitionDigest()
		switch {
		case d.Type == pin.Instructions:
			name = pin.EntryTypeInfo[d.Type].Entry
		case !shell.Pasteable(d.Name):
			args = append(args, "--accept "+digest)
			continue
		case d.Type != pin.Tools || pin.ParseEntry(d.Name) != d.Key || selectsMore(d.Name):
			name = pin.EntryTypeInfo[d.Type].Entry + "=" + d.Name
		}
		if pin.Holders(r.Comparisons, d.Key) > 1 || len(r.Expect) == 0 || d.Kind == pin.Removed {
			name += "@" + digest
		}
		args = append(args, "--accept "+name)
	}
	return next.To("relock", append(args, expect...)...)
}

// selectsMore reports whether a tool's name would select something else, too: a kind of
// drift, a label, or warnings.
func selectsMore(name string) bool {
	_, isLabel := diff.LabelNamed(name)
	return isLabel || name == "warnings" || kindRank[pin.DriftKind(strings.ToUpper(name))] > 0 && name == strings.ToLower(name)
}

// hasTwin reports whether another server has, or had, an entry with the same name and
// digest, so that only the server's label tells the two apart.
func (r *Report) hasTwin(d *pin.Drift) bool {
	same := func(p *pin.Pin) bool { return p != nil && p.Digest == d.DefinitionDigest() }
	return slices.ContainsFunc(r.Comparisons, func(p pin.Comparison) bool {
		return p.Server != d.Server && (same(p.Captured.Find(d.Key)) || same(p.Locked.Find(d.Key)))
	})
}

// expectation are the flags that tie a command to the capture of one server.
func expectation(p *pin.Comparison) []string {
	if p.Captured.Digest == "" {
		return nil
	}
	return []string{"--expect " + p.Captured.Digest}
}

// serverField is " server=ID" if there are several servers, else "".
func (r *Report) serverField(server string) string {
	if len(r.Comparisons) > 1 {
		return " server=" + text.Name(server)
	}
	return ""
}

// relockedText says what was written: "PINNED 12 tools: a, b; DROPPED 1 pin: c". Without
// names it only counts.
func (r *Report) relockedText(of Relocked) string {
	accepted, whole, names := of.Accepted, of.Whole, of.Shown
	pins, pinned := r.driftsThat(func(i int) bool {
		d := &r.Drifts[i]
		return accepted[i] && d.Kind != pin.Removed && !pin.ComparisonOf(r.Comparisons, d.Server).PolicyDiffers()
	})
	_, dropped := r.driftsThat(func(i int) bool { return accepted[i] && r.Drifts[i].Kind == pin.Removed })
	var did []string
	say := func(what string, of []string) {
		if names && pins[pin.Instructions] < len(of) {
			what += ": " + text.List(of, maxClosingNames)
		}
		if len(of) > 0 {
			did = append(did, what)
		}
	}
	say("PINNED "+pins.Plural(), pinned)
	say("DROPPED "+text.Count(len(dropped), "pin"), dropped)
	for i := range r.Comparisons {
		p := &r.Comparisons[i]
		server := text.Name(p.Server)
		if p.PolicyDiffers() {
			did = append(did, fmt.Sprintf("PINNED %s of server %s anew, policy %s", pin.CountPins(p.Captured.Pins).Plural(), server, pin.PolicyWords(p.Captured.Policy)))
		}
		if slices.Contains(whole, p.Server) {
			did = append(did, "PINNED server "+server+" without tools")
		}
	}
	var recorded []string
	for _, f := range r.Unrecorded() {
		if slices.Contains(of.Recorded[f.Ref()], f.ID) {
			recorded = append(recorded, f.ID+" of "+r.ref(f.Ref()))
		}
	}
	if len(recorded) > 0 {
		did = append(did, "RECORDED "+text.List(slices.Compact(recorded), maxClosingNames))
	}
	if did == nil {
		return ""
	}
	return strings.Join(did, "; ") + " -> " + text.Printable(r.Lockfile)
}

// leftText names the drift that was not accepted and the bare servers that were not
// settled. It is "" where there is none.
func (r *Report) leftText(accepted map[int]bool, whole []string) string {
	var left []string
	for i := range r.Drifts {
		if accepted[i] {
			continue
		}
		name := r.ref(r.Drifts[i].Ref())
		if list := lint.WarningsIn(r.fresh[i]); len(list) > 0 {
			name += " (" + findingWord(list[0]) + ")"
		}
		left = append(left, name)
	}
	entries := ""
	if left != nil {
		entries = text.Number(len(left)) + " left: " + text.List(left, maxClosingNames)
	}
	if r.LeftOut > 0 {
		entries = joined("; ", entries, text.Number(r.LeftOut)+" not asked about (--only)")
	}
	servers := problemText(slices.DeleteFunc(r.problems(), func(p problem) bool {
		return !pin.ComparisonOf(r.Comparisons, p.server).HasNoEntries() || slices.Contains(whole, p.server)
	}))
	if text := joined("; ", entries, servers); text != "" {
		return "DRIFT: " + text + r.policyText()
	}
	return ""
}

// A row is one line about a group or a finding. Its texts are printable. The template of
// the page reads the exported ones.
type row struct {
	op      byte   // 'W' a warning, '!' a change, '~' several summed up, '=' anything else
	Word    string // what it is: a label, "WARNING hidden-text"
	Pointer string // where it is, a JSON Pointer
	Place   string // the same for people
	Detail  string
	Names   string // the entries that a finding is about, unless that is clear from above
	Home    int    // number of the group that shows the change, from 1; 0: this one
	edit    *edit  // the change that a review shows below the row, or nil
}

// Warning reports whether the row is a warning. The page asks.
func (r row) Warning() bool { return r.op == 'W' }

// rest is what follows the word.
func (r row) rest() string { return spaced(r.Place, joined(", in ", r.Detail, r.Names)) }

// groupRows lists the rows of a group: its findings, its driftNote and its edits. Unless
// all is set, one row sums up the minor edits. The gate shows up to most edits, with short
// values beside them. With 0 it is for a review, which shows all and numbers its groups.
func (r *Report) groupRows(g *group, all bool, most int) []row {
	var rows []row
	for _, f := range r.groupFindings(g) {
		rows = append(rows, f.row(len(g.drifts), maxSaidNames))
	}
	if note := driftNote(r.first(g)); note != "" {
		rows = append(rows, row{op: '=', Word: note})
	}
	list, note := r.first(g).Type, r.gateNote
	if most == 0 {
		note = r.editNote
	}
	shown, shared, minor := g.parts(all)
	for i, e := range shown {
		if most > 0 && i == most {
			rows = append(rows, row{op: '~', Word: text.Count(len(shown)-i, "more change")})
			break
		}
		rows = append(rows, row{op: '!', Word: e.Label.ID(), Pointer: text.Pointer(e.Pointer), Place: placeOf(list, e.Pointer), Detail: note(g, e), Home: e.home, edit: e})
	}
	for _, edits := range shared {
		word, said := "also changed as shown under "+text.Number(edits[0].home), labelCounts(edits)
		if most > 0 {
			word, said = "also changed", r.homeText(edits[0])+": "+said
		}
		rows = append(rows, row{op: '!', Word: word, Detail: said, Home: edits[0].home})
	}
	if len(minor) > 0 {
		word := "minor, not shown (--full)"
		if most > 0 {
			word = "minor"
		}
		rows = append(rows, row{op: '~', Word: word, Detail: labelCounts(minor)})
	}
	return rows
}

// gateNote is what the gate shows beside an edit: short values, what no reader can see,
// and which other entries have the same edit.
func (r *Report) gateNote(g *group, e *edit) string {
	sides, same := e.shortSides(), ""
	switch {
	case e.home > 0:
		sides, same = "", r.homeText(e)
	case len(g.drifts) > 1:
		same = "in all " + text.Number(len(g.drifts))
		if e.example {
			sides = "" // the other entries have other texts
		}
	}
	return joined(", ", sides, e.unseen, same)
}

// row words a finding. above is the number of entries named above it. If the finding is in
// all of them, row names none; otherwise it names up to most of those that have it.
func (f collapsedFinding) row(above, most int) row {
	row := row{op: '=', Word: findingWord(f.Finding), Pointer: text.Pointer(f.Pointer), Place: placeOf(f.List, f.Pointer), Detail: f.Detail}
	if f.Warning {
		row.op = 'W'
	}
	if len(f.entries) != above {
		row.Names = text.List(f.entries, most)
	}
	return row
}

// A sideText says for one server what is compared with what.
type sideText struct {
	server, old, new string
	notes            []string
}

// sides lists the servers that differ, and a single server always.
func (r *Report) sides() []sideText {
	var list []sideText
	for i := range r.Comparisons {
		if p := &r.Comparisons[i]; len(r.Comparisons) == 1 || r.Differs[p.Server] {
			list = append(list, r.side(p, true))
		}
	}
	if n := len(list); n > 0 && n < len(r.Comparisons) {
		list[n-1].notes = append(list[n-1].notes, text.Count(len(r.Comparisons)-n, "other server")+": no drift")
	}
	return list
}

// side says it for one server, with set digests where that is asked.
func (r *Report) side(p *pin.Comparison, digests bool) sideText {
	s := sideText{old: r.against() + " nothing", new: "no capture"}
	if p.Server != "" {
		s.server = text.Name(p.Server)
	}
	if p.Known {
		s.old = r.against() + " " + setText(&p.Locked, digests)
	}
	if p.Present {
		s.new = text.Printable(p.Capture) + " " + setText(&p.Captured, digests)
	}
	switch {
	case p.LockedAbout != "" && p.LockedAbout != p.About:
		s.notes = append(s.notes, "the server calls itself "+joined(" -> ", p.LockedAbout, cmp.Or(p.About, "nothing")))
	case p.About != "":
		s.notes = append(s.notes, "the server calls itself "+p.About)
	}
	if p.SameVersion {
		s.notes = append(s.notes, "same-version: definitions differ, the server's name and version don't: that is how a rug pull looks, and a remote server")
	}
	if p.PolicyDiffers() {
		s.notes = append(s.notes, "policy: "+pin.PolicyWords(p.Locked.Policy)+" -> "+pin.PolicyWords(p.Captured.Policy))
	}
	return s
}

// setText is "14 tools" or "14 tools, set 1f6b0c3d8a41".
func setText(s *pin.Set, digest bool) string {
	said := pin.CountPins(s.Pins).String()
	switch {
	case s.Digest == "":
		said += ", a name is repeated"
	case digest:
		said += ", set " + short(s.Digest)
	}
	return said
}

// questionText asks about drifts that are accepted together.
func (r *Report) questionText(drifts []int, warned bool) string {
	d := &r.Drifts[drifts[0]]
	var c pin.Counts
	c[d.Type] = len(drifts)
	ref := r.ref(d.Ref())
	switch {
	case d.Type == pin.Instructions && warned:
		return "The " + ref + " have a warning. Accept them?"
	case d.Type == pin.Instructions && d.Kind == pin.Removed:
		return "Accept that the " + ref + " were removed?"
	case warned && len(drifts) > 1:
		return "These " + c.Plural() + " have a warning. Accept them?"
	case warned:
		return ref + " has a warning. Accept it?"
	case len(drifts) > 1:
		return "Accept this change in all " + c.Plural() + "?"
	case d.Kind == pin.Removed:
		return "Accept that " + ref + " was removed?"
	}
	return "Accept " + ref + "?"
}

// RefusedWarnings lists the warnings that block an approval: those of the refused drifts,
// and those of captures as a whole.
func (r *Report) RefusedWarnings(refused map[int]bool) (list []lint.Finding) {
	for i := range r.Drifts {
		if refused[i] {
			list = append(list, lint.WarningsIn(r.fresh[i])...)
		}
	}
	return append(list, lint.WarningsIn(r.General())...)
}

// WarnedText says how many entries are not approved because of a warning.
func (r *Report) WarnedText(refused map[int]bool) string {
	c, _ := r.driftsThat(func(i int) bool { return refused[i] })
	switch {
	case c.Total() == 0:
		return "the capture as a whole has a warning"
	case c.Total() == 1 && c[pin.Instructions] == 0:
		return c.Plural() + " has a new warning"
	}
	return c.Plural() + " have new warnings"
}

// WarnedHint says how a warning is accepted. It names no entry: nobody should approve
// a warning by pasting.
func WarnedHint(refused map[int]bool) string {
	if len(refused) == 0 {
		return "a warning takes a yes of its own: read it, then add --accept-warnings"
	}
	return "a warning takes a yes of its own: read it, then name the entry with --accept-warning NAME"
}
