package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Every sentence about drift, findings, problems and what to do next comes from
// this file; the writers lay it out. All of it is printable.

// Limits on how much one sentence names.
const (
	maxSaidNames   = 3
	maxSaidChanges = 4
	maxTitleNames  = 60 // in the title of a group, without --full
	maxAcceptNames = 40 // in one printed command
)

// shortRef names an entry in a sentence: "write_file", "prompt review",
// "instructions".
func shortRef(list listKind, name string) string {
	switch {
	case list == instructionsList:
		return listInfo[list].entry
	case list == toolList && name != listInfo[instructionsList].entry:
		return quotedName(name)
	}
	return listInfo[list].entry + " " + quotedName(name)
}

// ref names an entry in a sentence, with its server where there are several.
func (r *report) ref(key driftKey) string {
	ref := shortRef(key.list, key.name)
	if len(r.pairs) > 1 {
		ref += " (server " + quotedName(key.server) + ")"
	}
	return ref
}

// counts is how many entries of each list there are.
type counts [listKinds]int

func countPins(pins []pin) (c counts) {
	for i := range pins {
		c[pins[i].list]++
	}
	return c
}

func (c counts) total() (n int) {
	for _, of := range c {
		n += of
	}
	return n
}

// parts is "14 tools", "3 prompts", "instructions"; for no entries "0 tools".
func (c counts) parts() (parts []string) {
	for list, n := range c {
		if word := listInfo[list].entry; n > 0 && listKind(list) == instructionsList {
			parts = append(parts, word)
		} else if n > 0 || c == (counts{}) && listKind(list) == toolList {
			parts = append(parts, plural(n, word))
		}
	}
	return parts
}

// String is "14 tools, 3 prompts, instructions".
func (c counts) String() string { return strings.Join(c.parts(), ", ") }

// plural is "14 tools", or "17 entries" if they are of several lists.
func (c counts) plural() string {
	if parts := c.parts(); len(parts) == 1 {
		return parts[0]
	}
	return grouped(c.total()) + " entries"
}

// short is a digest for people: the first 12 of its hex digits.
func short(digest string) string {
	hex := hexOf(digest)
	return hex[:min(12, len(hex))]
}

// verdictWord is the answer in a word or three.
func (r *report) verdictWord() string {
	switch {
	case r.matches:
		return "OK"
	case r.failed:
		return "DRIFT"
	}
	return "PASS WITH DRIFT"
}

// verdictLine is the answer in one line: the verdict's word, then verdictText.
func (r *report) verdictLine() string { return r.verdictWord() + ": " + r.verdictText() }

// verdictText is the answer without its word: the warnings first, then the drift by
// kind, what is wrong with whole servers, and what matches.
func (r *report) verdictText() string {
	matched, verb := r.matchedCounts(), " match "
	if matched.total() == 1 {
		verb = " matches "
	}
	if r.matches {
		text := "0 drift (" + matched.String() + verb + r.against() + ")" + r.loud()
		if n := len(r.standing()); n > 0 {
			text += "; " + plural(n, "approved warning")
		}
		return text
	}
	parts := []string{r.warningText(), r.kindText(), problemText(r.problems())}
	return joined("; ", append(parts, grouped(matched.total())+verb+r.against())...) + r.loud()
}

// problemText names the servers that fail as a whole: "server a is not pinned".
func problemText(problems []problem) string {
	servers := map[string][]string{}
	for _, p := range problems {
		servers[p.id] = append(servers[p.id], quotedName(p.server))
	}
	var parts []string
	for _, is := range [][3]string{
		{"no-pins", "is not pinned", "are not pinned"},
		{"no-manifest", "has no manifest", "have no manifest"},
		{"policy", "has another policy", "have another policy"},
	} {
		if list := servers[is[0]]; len(list) == 1 {
			parts = append(parts, "server "+list[0]+" "+is[1])
		} else if len(list) > 1 {
			parts = append(parts, "servers "+named(list, maxSaidNames)+" "+is[2])
		}
	}
	return strings.Join(parts, "; ")
}

// joined joins the parts that aren't empty.
func joined(separator string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), separator)
}

// matchedCounts counts the entries that match their pins, by list.
func (r *report) matchedCounts() (c counts) {
	for i := range r.pairs {
		for list, n := range countPins(r.pairs[i].found.pins) {
			c[list] += n
		}
	}
	for i := range r.drifts {
		if d := &r.drifts[i]; d.found != nil {
			c[d.list] -= len(d.copies)
		}
	}
	return c
}

// kindText counts the drift by kind: "1 added, 13 changed alike", "14 changed (12 alike)".
func (r *report) kindText() string {
	count, most := map[kind]int{}, map[kind]int{} // most: in one group
	for _, g := range r.groups {
		k, n := r.first(g).kind, len(g.drifts)
		count[k] += n
		most[k] = max(most[k], n)
	}
	var parts []string
	for _, k := range []kind{duplicate, concealed, added, changed, removed} {
		n, alike := count[k], most[k]
		if n == 0 {
			continue
		}
		text := grouped(n) + " " + strings.ToLower(string(k))
		switch {
		case alike < 2:
		case alike == n:
			text += " alike"
		case 2*alike >= n:
			text += " (" + grouped(alike) + " alike)"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// newWarnings lists the warnings that nobody has approved.
func (r *report) newWarnings() []finding {
	return warningsIn(slices.Concat(slices.Concat(r.fresh...), r.blocking(), r.find(func(f *finding) bool { return f.wholeServer && f.scope == inDrift && !f.approved })))
}

// warningText names the new warnings: "1 WARNING hidden-text in write_file". It is
// empty where there is none.
func (r *report) warningText() string {
	var ids []string
	where, seen := map[string][]string{}, map[[2]string]bool{}
	for _, f := range r.newWarnings() {
		ref := r.ref(f.key())
		if f.wholeServer {
			ref = "the manifest" + r.serverField(f.server)
		}
		if seen[[2]string{f.id, ref}] {
			continue
		}
		seen[[2]string{f.id, ref}] = true
		if where[f.id] == nil {
			ids = append(ids, f.id)
		}
		where[f.id] = append(where[f.id], ref)
	}
	for i, id := range ids {
		ids[i] += " in " + named(where[id], maxSaidNames)
	}
	switch len(seen) {
	case 0:
		return ""
	case 1:
		return "1 WARNING " + ids[0]
	}
	return grouped(len(seen)) + " WARNINGS: " + named(ids, maxSaidNames)
}

// against is the printable path of the lockfile, or of the file that stands for the pins.
func (r *report) against() string {
	switch {
	case r.lockfile != "":
		return printable(r.lockfile)
	case r.next.against == "-":
		return "standard input"
	}
	return printable(r.next.against)
}

// loud names every policy that shrinks what is watched, and the lists that can't be compared.
func (r *report) loud() string {
	var said []string
	if len(r.uncompared) > 0 {
		said = append(said, "; not compared, for one file has no answer to it: "+strings.Join(r.uncompared, ", "))
	}
	for i := range r.pairs {
		p := &r.pairs[i]
		words := p.found.policy.loud()
		if !p.present {
			words = p.pinned.policy.loud()
		}
		if words != "" && !slices.Contains(said, words) {
			said = append(said, words)
		}
	}
	return strings.Join(said, "")
}

func policyWords(p policy) string {
	if p.isDefault() {
		return "default"
	}
	return strings.TrimPrefix(p.loud(), "; ")
}

// overview says at the top of a review what there is to read: the new warnings, the
// counts by kind and label, and what the model reads from now on.
func (r *report) overview() []string {
	has := map[label]map[int]bool{} // the drifts that have it
	for i := range r.changes {
		for _, c := range r.changes[i] {
			if has[c.label] == nil {
				has[c.label] = map[int]bool{}
			}
			has[c.label][i] = true
		}
	}
	var labels []string
	for _, l := range slices.Sorted(maps.Keys(has)) {
		labels = append(labels, l.id()+" "+grouped(len(has[l])))
	}
	texts, _ := r.driftsThat(func(i int) bool {
		return len(r.changes[i]) == 0 || slices.ContainsFunc(r.changes[i], func(c change) bool { return modelReads(r.drifts[i].list, c) })
	})
	cost := r.costText()
	if cost != "" && texts.total() > 0 {
		cost += ", changed in " + texts.plural()
	}
	lines := []string{r.warningText(), joined(": ", r.kindText(), strings.Join(labels, ", ")), cost}
	return slices.DeleteFunc(lines, func(line string) bool { return line == "" })
}

// modelReads reports whether a change is in something that a model reads.
func modelReads(list listKind, c change) bool {
	return list != toolList || !c.label.minor() && (strings.HasPrefix(c.pointer, "/description") || strings.HasPrefix(c.pointer, "/inputSchema"))
}

// driftsThat counts by list, and names, the drifts for which are(i) is true.
func (r *report) driftsThat(are func(i int) bool) (c counts, refs []string) {
	for i := range r.drifts {
		if d := &r.drifts[i]; are(i) {
			c[d.list]++
			refs = append(refs, r.ref(d.key()))
		}
	}
	return c, refs
}

// costText is "text the model reads 12,610 -> 12,934 bytes (+3 %)", or "".
func (r *report) costText() string {
	c := r.cost
	switch {
	case !c.known:
		return ""
	case c.before == c.after:
		return "text the model reads " + grouped(c.after) + " bytes, as before"
	}
	text := fmt.Sprintf("text the model reads %s -> %s bytes", grouped(c.before), grouped(c.after))
	if c.before > 0 {
		if percent := fmt.Sprintf("%+.0f", float64(c.after-c.before)*100/float64(c.before)); percent[1:] != "0" {
			text += " (" + percent + " %)"
		}
	}
	return text
}

// A problem is what is wrong with a whole server, and what to type if it was intended.
type problem struct {
	id     string // stable: "no-pins", "no-manifest", "policy", "other-server"
	server string
	title  string
	step
}

// problems lists what is wrong with whole servers, in the order of the servers.
func (r *report) problems() (list []problem) {
	for i := range r.pairs {
		p := &r.pairs[i]
		server := "server " + quotedName(p.server)
		add := func(id, title, text, command string) {
			list = append(list, problem{id, p.server, title, step{text, command}})
		}
		if p.unrelated {
			pins := plural(len(p.pinned.pins), "pin") + " of " + quotedName(p.server)
			if p.server == "" { // two captures
				pins = countPins(p.pinned.pins).plural() + " of " + r.against()
			}
			text, command := fmt.Sprintf("%s looks like another server: none of its %s is among the %s",
				printable(p.manifest), countPins(p.found.pins).plural(), pins), ""
			if r.guessed {
				command = r.next.to("lock", "--server "+labelArg(p.fileLabel, p.server))
			}
			add("other-server", "looks like another server", text, command)
		}
		if !p.known {
			text := r.against() + " has no " + server
			if len(r.others) > 0 {
				text += "; it has: " + named(quotedNames(r.others), 6)
			}
			add("no-pins", "no pins of "+server, text, "")
		}
		switch {
		case p.present:
		case r.lockfile == "":
			add("no-manifest", "no "+server, printable(r.next.manifest)+" has no "+server, "")
		default:
			add("no-manifest", "no manifest of "+server, "no manifest of "+server+"; to retire it", r.next.retire(p.server))
		}
		if p.policyDiffers() {
			text := fmt.Sprintf("policy of %s: %s -> %s", server, policyWords(p.pinned.policy), policyWords(p.found.policy))
			add("policy", "another policy for "+server, text, "")
		}
	}
	return list
}

// groupTitle is what a group is called: "CHANGED 12 tools alike: a, b, …". It names no
// more than most entries; 0: all.
func (r *report) groupTitle(g *group, most int) string {
	first := r.first(g)
	title := string(first.kind) + " " + shortRef(first.list, first.name)
	if n := len(g.drifts); n > 1 {
		title = fmt.Sprintf("%s %s alike: %s", first.kind, plural(n, listInfo[first.list].entry), named(r.groupNames(g), cmp.Or(most, n)))
	}
	if len(r.pairs) > 1 {
		title += ", server " + quotedName(first.server)
	}
	return title
}

func (r *report) groupNames(g *group) []string {
	names := make([]string, len(g.drifts))
	for i, at := range g.drifts {
		names[i] = quotedName(r.drifts[at].name)
	}
	return names
}

// groupFindings lists the findings of a group, equal ones once, warnings first.
func (r *report) groupFindings(g *group) []foldedFinding {
	var list []finding
	for _, at := range g.drifts {
		list = append(list, r.fresh[at]...)
	}
	return foldFindings(list, func(key driftKey) string { return shortRef(key.list, key.name) })
}

// driftNote says what a list of changes can't: repeats, renames, texts that are not
// stored.
func driftNote(d *drift) string {
	renamed, how := "renamed", ": nothing but the name differs"
	if d.renamedSimilar {
		renamed, how = "perhaps renamed", ": more than the name differs"
	}
	switch {
	case d.kind == duplicate:
		return plural(len(d.copies), listInfo[d.list].entry) + " of this name: an agent may get any of them; this can't be accepted"
	case d.renamedFrom != "":
		return renamed + " from " + quotedName(d.renamedFrom) + how
	case d.renamedTo != "":
		return renamed + " to " + quotedName(d.renamedTo) + how
	case (d.kind == changed || d.kind == concealed) && !d.textsKnown():
		return fmt.Sprintf("pinned %s, now %s: a definition was not stored (hashOnly)", short(d.pinned.digest), short(d.found.digest))
	}
	return ""
}

// driftText says in one line what is wrong with a drifted entry.
func (r *report) driftText(i int) string {
	d := &r.drifts[i]
	plain := map[kind]string{added: "no pin names it", removed: "it is gone"} // without a driftNote
	said := []string{cmp.Or(driftNote(d), plain[d.kind])}
	for j, c := range r.changes[i] {
		if j == maxSaidChanges {
			said = append(said, plural(len(r.changes[i])-j, "more change"))
			break
		}
		text := c.label.id()
		if d.kind == concealed {
			text = unseen(c)
		}
		said = append(said, joined(" at ", text, quotedPointer(c.pointer)))
	}
	return joined("; ", said...)
}

// unseen says in words what a reader of the text can't see in a change.
func unseen(c change) string {
	if n := c.hidden[1]; n > 0 {
		return plural(n, "character") + " no reader sees"
	}
	if n := c.hidden[0]; n > 0 {
		return plural(n, "character") + " no reader sees, gone"
	}
	return "same text to a reader, other code points"
}

// editNote is shown beside an edit's label and pointer. It says what no reader can
// see, which group shows a shared edit in full, and whose text is shown as an example.
func (r *report) editNote(g *group, e *edit) string {
	home, whose := "", ""
	if e.home > 0 {
		home = homeNumber(e)
	}
	if e.example {
		whose = "as it stands in " + quotedName(r.first(g).name)
	}
	return joined("; ", e.unseen, home, whose)
}

func homeNumber(e *edit) string { return "as in " + grouped(e.home) }

// homeText names the group that shows an edit, for the gate, which numbers no groups.
func (r *report) homeText(e *edit) string {
	home := r.groups[e.home-1]
	text := "as in " + quotedName(r.first(home).name)
	if n := len(home.drifts) - 1; n > 0 {
		text += " and " + grouped(n) + " more"
	}
	return text
}

// alsoText names the entries of other groups that have an edit.
func (e *edit) alsoText(most int) string { return "the same in " + named(e.also, most) }

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
func (e *edit) isMinor() bool { return e.unseen == "" && e.label.minor() }

// labelCounts is "output-schema 3, sdk-churn", in the order of the edits.
func labelCounts(edits []*edit) string {
	count, labels := map[label]int{}, []label(nil)
	for _, e := range edits {
		if count[e.label]++; count[e.label] == 1 {
			labels = append(labels, e.label)
		}
	}
	var texts []string
	for _, l := range labels {
		text := l.id()
		if n := count[l]; n > 1 {
			text += " " + grouped(n)
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}

// level is the level of a finding, for programs.
func level(f finding) string {
	if f.warning {
		return "warning"
	}
	return "note"
}

// findingWord is what a finding is called where people read: "WARNING hidden-text".
func findingWord(f finding) string {
	return strings.Replace(level(f), "warning", "WARNING", 1) + " " + f.id
}

// Titles of findings that belong to no drift.
const (
	elsewhereTitle = "not on record, for the rules or the names around them are new:"
	standingTitle  = "approved warnings in entries that match:"
)

// A step is a command to type next, with what it is for. The template of the page reads both.
type step struct{ Text, Command string }

// reviewStep is the command that shows everything.
func (r *report) reviewStep() step { return step{"review", r.next.to("diff")} }

// nextSteps say how to see and approve the drift. There are none without a lockfile. No
// step approves a new warning by itself.
func (r *report) nextSteps() (steps []step) {
	if r.lockfile == "" || r.matches {
		return nil
	}
	add := func(text, command string) { steps = append(steps, step{text, command}) }
	if slices.ContainsFunc(r.drifts, func(d drift) bool { return !d.textsKnown() }) {
		next := r.next
		next.lockfile = cmp.Or(next.lockfile, defaultLockfile) // else --against compares two files
		add("to see what changed, give the approved list, too", next.to("diff", "--against APPROVED.json"))
	}
	verb, problems := "relock", r.problems()
	if r.nothingPinned() {
		verb = "lock"
	}
	another := slices.IndexFunc(problems, func(p problem) bool { return p.id == "other-server" && p.Command != "" })
	switch {
	case another >= 0:
		add("to approve it as another server", problems[another].Command)
	case len(r.unapprovable()) > 0:
		add("only a text that is pinned can be approved", r.next.pinProse(verb))
	case r.nothingPinned() && len(r.expect) == 0, len(r.drifts) > 0 && !slices.ContainsFunc(r.drifts, func(d drift) bool { return d.kind != duplicate }):
		add("a repeated name can't be accepted: the server has to be fixed", "")
	case r.nothingPinned() && slices.ContainsFunc(r.groups, func(g *group) bool { return g.warned }): // lock says what a warning takes
	case r.nothingPinned():
		all, _ := r.driftsThat(func(int) bool { return true })
		add("to approve "+all.plural(), r.next.to("lock", r.expect...))
	default:
		if len(r.drifts) > 0 || r.allOrNothing() {
			add("step by step", r.next.to("relock"))
		}
		if rest := r.restStep(); rest.Command != "" {
			steps = append(steps, rest)
		}
		for _, p := range problems {
			if p.id == "no-manifest" {
				steps = append(steps, p.step)
			}
		}
	}
	return steps
}

// recordSteps say how a warning gets on record whose entry matches its pin. They name no
// entry: nobody should approve a warning by pasting.
func (r *report) recordSteps() []step {
	if r.lockfile == "" || len(r.unrecorded()) == 0 {
		return nil
	}
	return []step{{"after reading it, put it on record", r.next.to("relock", "--accept-warning NAME")}}
}

// nothingPinned reports whether the lockfile has none of the servers: lock approves them.
func (r *report) nothingPinned() bool {
	return !slices.ContainsFunc(r.pairs, func(p pair) bool { return p.known })
}

// restStep is the --accept-all command, or empty where that is not to be suggested.
func (r *report) restStep() step {
	_, left := r.driftsThat(func(i int) bool { return r.drifts[i].kind == duplicate || r.warned(i) })
	if r.lockfile == "" || len(r.expect) == 0 || !slices.ContainsFunc(r.pairs, func(p pair) bool { return p.differs }) || slices.ContainsFunc(r.pairs, func(p pair) bool { return !p.present }) || len(warningsIn(r.general())) > 0 || len(r.unapprovable()) > 0 ||
		len(left) > 0 && (r.allOrNothing() || len(left) == len(r.drifts)) {
		return step{}
	}
	text := "approve exactly this"
	if len(left) > 0 {
		text = "all but " + named(left, maxSaidNames)
	}
	return step{text, r.next.to("relock", append([]string{"--accept-all"}, r.expect...)...)}
}

// allOrNothing reports whether a policy changes: then all drift is accepted or none.
func (r *report) allOrNothing() bool {
	return slices.ContainsFunc(r.pairs, func(p pair) bool { return p.policyDiffers() })
}

// acceptCommand is the command that accepts a group and nothing else, from the reviewed
// manifest. It is "" if no flag can do that, if there are more names than a command
// should have, and for a new warning, which nobody should approve by pasting.
func (r *report) acceptCommand(g *group) string {
	if r.lockfile == "" || len(g.drifts) > maxAcceptNames || g.warned || r.first(g).kind == duplicate ||
		r.allOrNothing() || r.nothingPinned() || r.guessed && r.pairs[0].unrelated || len(warningsIn(r.general())) > 0 || len(r.unapprovable()) > 0 {
		return ""
	}
	var args []string
	next, expect := r.next, r.expect
	for _, at := range g.drifts {
		d := &r.drifts[at]
		if r.hasTwin(d) {
			if !pasteableLabel(d.server) || !pairOf(r.pairs, d.server).known {
				return ""
			}
			next.server, expect = d.server, expectation(pairOf(r.pairs, d.server))
		}
		name, digest := d.name, d.definitionDigest()
		switch {
		case d.list == instructionsList:
			name = listInfo[d.list].entry
		case !pasteable(d.name):
			args = append(args, "--accept "+digest)
			continue
		case d.list != toolList || parseEntry(d.name) != d.entryKey:
			name = listInfo[d.list].entry + "=" + d.name
		}
		if holders(r.pairs, d.entryKey) > 1 || len(r.expect) == 0 || d.kind == removed {
			name += "@" + digest
		}
		args = append(args, "--accept "+name)
	}
	return next.to("relock", append(args, expect...)...)
}

// hasTwin reports whether another server has, or had, an entry with the same name and
// digest, so that only the server's label tells the two apart.
func (r *report) hasTwin(d *drift) bool {
	same := func(p *pin) bool { return p != nil && p.digest == d.definitionDigest() }
	return slices.ContainsFunc(r.pairs, func(p pair) bool {
		return p.server != d.server && (same(p.found.find(d.entryKey)) || same(p.pinned.find(d.entryKey)))
	})
}

// expectation are the flags that tie a command to the manifest of one server.
func expectation(p *pair) []string {
	if p.found.digest == "" {
		return nil
	}
	return []string{"--expect " + p.found.digest}
}

// serverField is " server=ID" if there are several servers, else "".
func (r *report) serverField(server string) string {
	if len(r.pairs) > 1 {
		return " server=" + quotedName(server)
	}
	return ""
}

// relockedText says what was written: "PINNED 12 tools: a, b; DROPPED 1 pin: c". Without
// names it only counts.
func (r *report) relockedText(of relocked) string {
	accepted, whole, names := of.accepted, of.whole, of.shown
	pins, pinned := r.driftsThat(func(i int) bool {
		d := &r.drifts[i]
		return accepted[i] && d.kind != removed && !pairOf(r.pairs, d.server).policyDiffers()
	})
	_, dropped := r.driftsThat(func(i int) bool { return accepted[i] && r.drifts[i].kind == removed })
	var did []string
	say := func(what string, of []string) {
		if names && pins[instructionsList] < len(of) {
			what += ": " + named(of, maxTitleNames)
		}
		if len(of) > 0 {
			did = append(did, what)
		}
	}
	say("PINNED "+pins.plural(), pinned)
	say("DROPPED "+plural(len(dropped), "pin"), dropped)
	for i := range r.pairs {
		p := &r.pairs[i]
		server := quotedName(p.server)
		if p.policyDiffers() {
			did = append(did, fmt.Sprintf("PINNED %s of server %s anew, policy %s", countPins(p.found.pins).plural(), server, policyWords(p.found.policy)))
		}
		switch {
		case !slices.Contains(whole, p.server):
		case p.present:
			did = append(did, "PINNED server "+server+" without tools")
		default:
			did = append(did, "DROPPED server "+server)
		}
	}
	var recorded []string
	for _, f := range r.unrecorded() {
		if slices.Contains(of.recorded[f.key()], f.id) {
			recorded = append(recorded, f.id+" of "+r.ref(f.key()))
		}
	}
	if len(recorded) > 0 {
		did = append(did, "RECORDED "+named(slices.Compact(recorded), maxTitleNames))
	}
	if did == nil {
		return ""
	}
	return strings.Join(did, "; ") + " -> " + printable(r.lockfile)
}

// leftText names the drift that was not accepted and the bare servers that were not
// settled. It is "" where there is none.
func (r *report) leftText(accepted map[int]bool, whole []string) string {
	var left []string
	for i := range r.drifts {
		if accepted[i] {
			continue
		}
		name := r.ref(r.drifts[i].key())
		if list := warningsIn(r.fresh[i]); len(list) > 0 {
			name += " (" + findingWord(list[0]) + ")"
		}
		left = append(left, name)
	}
	entries := ""
	if left != nil {
		entries = grouped(len(left)) + " left: " + named(left, maxTitleNames)
	}
	servers := problemText(slices.DeleteFunc(r.problems(), func(p problem) bool {
		return !pairOf(r.pairs, p.server).hasNoEntries() || slices.Contains(whole, p.server)
	}))
	if text := joined("; ", entries, servers); text != "" {
		return "DRIFT: " + text + r.loud()
	}
	return ""
}

// A row is one line about a group or a finding. Its texts are printable. The template of
// the page reads the exported ones.
type row struct {
	op      byte   // 'W' a warning, '!' a change, '~' several summed up, '=' anything else
	Word    string // what it is: a label, "WARNING hidden-text"
	Pointer string
	Detail  string
	Names   string // the entries that a finding is about, unless that is clear from above
	Home    int    // number of the group that shows the change, from 1; 0: this one
	edit    *edit  // the change that a review shows below the row, or nil
}

func (r row) Warning() bool { return r.op == 'W' }

// rest is what follows the word.
func (r row) rest() string { return spaced(r.Pointer, joined(", in ", r.Detail, r.Names)) }

// groupRows lists the rows of a group: its findings, its driftNote and its edits. Unless
// all is set, one row sums up the minor edits. The gate shows up to most edits, with short
// values beside them. With 0 it is for a review, which shows all and numbers its groups.
func (r *report) groupRows(g *group, all bool, most int) []row {
	var rows []row
	for _, f := range r.groupFindings(g) {
		rows = append(rows, f.row(len(g.drifts), maxSaidNames))
	}
	if note := driftNote(r.first(g)); note != "" {
		rows = append(rows, row{op: '=', Word: note})
	}
	home, note := r.homeText, r.gateNote
	if most == 0 {
		home, note = homeNumber, r.editNote
	}
	shown, shared, minor := g.parts(all)
	for i, e := range shown {
		if most > 0 && i == most {
			rows = append(rows, row{op: '~', Word: plural(len(shown)-i, "more change")})
			break
		}
		rows = append(rows, row{op: '!', Word: e.label.id(), Pointer: quotedPointer(e.pointer), Detail: note(g, e), Home: e.home, edit: e})
	}
	for _, edits := range shared {
		rows = append(rows, row{op: '!', Word: "shared", Detail: labelCounts(edits) + ", " + home(edits[0]), Home: edits[0].home})
	}
	if len(minor) > 0 {
		rows = append(rows, row{op: '~', Word: "also", Detail: labelCounts(minor)})
	}
	return rows
}

// gateNote is what the gate shows beside an edit: short values, what no reader can see,
// and which other entries have the same edit.
func (r *report) gateNote(g *group, e *edit) string {
	sides, same := e.shortSides(), ""
	switch {
	case e.home > 0:
		sides, same = "", r.homeText(e)
	case len(g.drifts) > 1:
		same = "in all " + grouped(len(g.drifts))
		if e.example {
			sides = "" // the other entries have other texts
		}
	}
	return joined(", ", sides, e.unseen, same)
}

// row words a finding. above is the number of entries named above it. If the finding is in
// all of them, row names none; otherwise it names up to most of those that have it.
func (f foldedFinding) row(above, most int) row {
	row := row{op: '=', Word: findingWord(f.finding), Pointer: quotedPointer(f.pointer), Detail: f.detail}
	if f.warning {
		row.op = 'W'
	}
	if len(f.entries) != above {
		row.Names = named(f.entries, most)
	}
	return row
}

// A sideText says for one server what is compared with what.
type sideText struct {
	server, old, new string
	notes            []string
}

// sides lists the servers that differ, and a single server always.
func (r *report) sides() []sideText {
	var list []sideText
	for i := range r.pairs {
		p := &r.pairs[i]
		if len(r.pairs) > 1 && !p.differs {
			continue
		}
		s := sideText{old: r.against() + " nothing", new: "no manifest"}
		if p.server != "" {
			s.server = quotedName(p.server)
		}
		if p.known {
			s.old = r.against() + " " + setText(&p.pinned)
		}
		if p.present {
			s.new = printable(p.manifest) + " " + setText(&p.found)
		}
		if p.about != "" {
			s.notes = append(s.notes, "the server calls itself "+p.about)
		}
		if p.policyDiffers() {
			s.notes = append(s.notes, "policy: "+policyWords(p.pinned.policy)+" -> "+policyWords(p.found.policy))
		}
		list = append(list, s)
	}
	if n := len(list); n > 0 && n < len(r.pairs) {
		list[n-1].notes = append(list[n-1].notes, plural(len(r.pairs)-n, "other server")+": no drift")
	}
	return list
}

// setText is "14 tools, set 1f6b0c3d8a41".
func setText(s *pinset) string {
	if s.digest == "" {
		return countPins(s.pins).String() + ", a name is repeated"
	}
	return countPins(s.pins).String() + ", set " + short(s.digest)
}

// questionText asks about drifts that are accepted together.
func (r *report) questionText(drifts []int, warned bool) string {
	d := &r.drifts[drifts[0]]
	var c counts
	c[d.list] = len(drifts)
	ref := r.ref(d.key())
	switch {
	case d.list == instructionsList && warned:
		return "The " + ref + " have a warning. Accept them?"
	case d.list == instructionsList && d.kind == removed:
		return "Accept that the " + ref + " were removed?"
	case warned && len(drifts) > 1:
		return "These " + c.plural() + " have a warning. Accept them?"
	case warned:
		return ref + " has a warning. Accept it?"
	case len(drifts) > 1:
		return "Accept this change in all " + c.plural() + "?"
	case d.kind == removed:
		return "Accept that " + ref + " was removed?"
	}
	return "Accept " + ref + "?"
}

// refusedWarnings lists the warnings that block an approval: those of the refused drifts,
// and those of manifests as a whole.
func (r *report) refusedWarnings(refused map[int]bool) (list []finding) {
	for i := range r.drifts {
		if refused[i] {
			list = append(list, warningsIn(r.fresh[i])...)
		}
	}
	return append(list, warningsIn(r.general())...)
}

// warnedText says how many entries are not approved because of a warning.
func (r *report) warnedText(refused map[int]bool) string {
	c, _ := r.driftsThat(func(i int) bool { return refused[i] })
	switch {
	case c.total() == 0:
		return "the manifest as a whole has a warning"
	case c.total() == 1 && c[instructionsList] == 0:
		return c.plural() + " has a new warning"
	}
	return c.plural() + " have new warnings"
}

// warnedHint says how a warning is accepted. It names no entry: nobody should approve
// a warning by pasting.
func warnedHint(refused map[int]bool) string {
	if len(refused) == 0 {
		return "a warning takes a yes of its own: read it, then add --accept-warnings"
	}
	return "a warning takes a yes of its own: read it, then name the entry with --accept-warning NAME"
}
