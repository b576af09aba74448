package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pinproof/internal/lint"
	"pinproof/internal/pin"
	"pinproof/internal/shell"
	"pinproof/internal/text"
)

// Limits on how much one sentence names.
const (
	maxSaidNames    = 3
	maxSaidChanges  = 4
	maxAcceptNames  = 40    // in one printed command
	maxClosingNames = 5     // in a line of relock, which has shown the entries above
	maxCommand      = 4_000 // bytes: nobody pastes a longer one
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
	case r.NoAnswer != nil && len(r.entries) == 0:
		return "NO ANSWER"
	case r.Failed:
		return "DRIFT"
	case len(r.entries) == 0 && slices.ContainsFunc(r.Comparisons, func(p pin.Comparison) bool { return p.Missing }):
		return "PASS IN PART"
	}
	return "PASS WITH DRIFT"
}

// verdictText is the answer without its word: the warnings first, then the drift by
// kind, what is wrong with whole servers, and what matches.
func (r *Report) verdictText() string {
	matched, verb := r.matchedCounts(), " match "
	if matched.Total() == 1 {
		verb = " matches "
	}
	if r.Matches {
		s := "0 drift (" + matched.String() + verb + r.against() + ")" + r.policyText()
		if n := len(r.standing); n > 0 {
			s += "; " + text.Count(n, "approved warning")
		}
		return s
	}
	left := ""
	switch {
	case r.LeftOut == 0:
	case len(r.entries) == 0:
		left = "nothing of it is selected, " + text.Number(r.LeftOut) + " left out"
	default:
		left = text.Number(r.LeftOut) + " left out (--only)"
	}
	parts := []string{r.warningText(maxSaidNames), r.kindText(), left, problemText(r.problems())}
	return joined("; ", append(parts, text.Number(matched.Total())+verb+r.against())...) + r.policyText()
}

// problemText names the servers that fail as a whole: "server a is not pinned".
func problemText(problems []Problem) string {
	var parts []string
	for _, is := range [][3]string{
		{"no-pins", "is not pinned", "are not pinned"},
		{"no-capture", "has no capture", "have no capture"},
		{"policy", "has another policy", "have another policy"},
	} {
		var servers []string
		for _, p := range problems {
			if p.ID == is[0] {
				servers = append(servers, text.Name(p.Server))
			}
		}
		switch len(servers) {
		case 0:
		case 1:
			parts = append(parts, "server "+servers[0]+" "+is[1])
		default:
			parts = append(parts, "servers "+text.List(servers, maxSaidNames)+" "+is[2])
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
	for _, e := range r.entries {
		c[e.Type] -= len(e.Copies)
	}
	for list, n := range r.hidden {
		c[list] -= n
	}
	return c
}

// kindText counts drift by kind: "1 added, 13 changed".
func (r *Report) kindText() string {
	var parts []string
	for _, k := range []pin.DriftKind{pin.Duplicate, pin.Hidden, pin.Added, pin.Changed, pin.Removed} {
		n := 0
		for _, e := range r.entries {
			n += lint.RankOf(e.Kind == k)
		}
		if n > 0 {
			parts = append(parts, text.Number(n)+" "+strings.ToLower(string(k)))
		}
	}
	return strings.Join(parts, ", ")
}

// warningText names the warnings that nobody has approved: "1 WARNING hidden-text in write_file". It is
// empty where there is none. It names up to most entries of each id.
func (r *Report) warningText(most int) string {
	var ids []string
	where, seen := map[string][]string{}, map[[2]string]bool{}
	for _, f := range slices.Concat(r.allFresh(), r.blocking, r.General) {
		ref := r.subjectOf(&f)
		switch {
		case !f.Warning || f.WholeServer && f.Scope != lint.InDrift && !f.Blocks(r.Review) || seen[[2]string{f.ID, ref}]:
			continue
		case where[f.ID] == nil:
			ids = append(ids, f.ID)
		}
		where[f.ID], seen[[2]string{f.ID, ref}] = append(where[f.ID], ref), true
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
func (r *Report) policyText() (said string) {
	if r.Part {
		said = "; a part of a session"
	}
	if r.IgnoreProse {
		said += "; texts left out (--ignore-prose)"
	}
	if len(r.Uncompared) > 0 {
		said += "; not compared, for one file has no answer to it: " + strings.Join(r.Uncompared, ", ")
	}
	var all []string
	for i := range r.Comparisons {
		p := &r.Comparisons[i]
		words := p.Captured.Policy.Summary()
		if !p.Present {
			words = p.Locked.Policy.Summary()
		}
		if !slices.Contains(all, words) {
			all = append(all, words)
		}
	}
	return said + strings.Join(all, "")
}

// problems lists what is wrong with whole servers, in the order of the servers.
func (r *Report) problems() (list []Problem) {
	for i := range r.Comparisons {
		p := &r.Comparisons[i]
		server := "server " + text.Name(p.Server)
		add := func(id, title, text, command string) {
			list = append(list, Problem{id, p.Server, title, text, command, p.Missing && r.NoAnswer == nil, r.pinLine(pin.Ref{Server: p.Server})})
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
			add("policy", "another policy for "+server, "policy of "+server+": "+policies(p), "")
		}
	}
	return list
}

// policies are a policy and what it was changed to.
func policies(p *pin.Comparison) string {
	return pin.PolicyWords(p.Locked.Policy) + " -> " + pin.PolicyWords(p.Captured.Policy)
}

// explained reports whether a server's entries are shown as renames of those that are pinned, or aren't shown: then
// nobody has to be told that they could be those of another server.
func (r *Report) explained(server string) bool {
	own := func(e *drifted) bool { return e.Server == server }
	return slices.ContainsFunc(r.entries, func(e *drifted) bool { return own(e) && e.RenamedFrom != "" }) || r.Only != nil && !slices.ContainsFunc(r.entries, own)
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
func driftText(e *drifted) string {
	d := &e.Drift
	said := cmp.Or(driftNote(d), map[pin.DriftKind]string{pin.Added: "no pin names it", pin.Removed: "it is gone"}[d.Kind])
	for j, c := range e.changes {
		if j == maxSaidChanges {
			return joined("; ", said, text.Count(len(e.changes)-j, "more change"))
		}
		what := c.Label.ID()
		if d.Kind == pin.Hidden {
			what = unseen(c)
		}
		said = joined("; ", said, joined(" at ", what, text.Pointer(c.Pointer)))
	}
	return said
}

// NextSteps say how to see and approve the drift. There are none without a lockfile. No
// step approves a new warning by itself.
func (r *Report) NextSteps() (steps []Step) {
	if r.Lockfile == "" || r.Matches || r.Part && r.nothingPinned() { // lock takes a capture whole
		return nil
	}
	add := func(text, command string) { steps = append(steps, Step{text, command}) }
	if slices.ContainsFunc(r.entries, func(d *drifted) bool { return !d.TextsKnown() }) {
		next := r.Next
		next.Lockfile = cmp.Or(next.Lockfile, r.Lockfile) // else --against compares two files
		add("to see what changed, give the approved list, too", next.To("diff", "--against APPROVED.json"))
	}
	verb, problems := "relock", r.problems()
	if r.nothingPinned() {
		verb = "lock"
	}
	another := slices.IndexFunc(problems, func(p Problem) bool { return p.ID == "other-server" && p.Command != "" })
	switch {
	case another >= 0:
		add("to approve it as another server", problems[another].Command)
	case len(r.Unapprovable) > 0 && r.Part: // which keeps the policy
	case len(r.Unapprovable) > 0:
		add("only a text that is pinned can be approved", r.Next.PinProse(verb))
	case r.nothingPinned() && len(r.Expect) == 0, len(r.entries) > 0 && !slices.ContainsFunc(r.entries, func(d *drifted) bool { return d.Kind != pin.Duplicate }):
		add("a repeated name can't be accepted: the server has to be fixed", "")
	case r.nothingPinned() && slices.ContainsFunc(r.entries, (*drifted).warned): // lock says what a warning takes
	case r.nothingPinned():
		add("to approve "+counted(r.entries).Plural(), r.Next.To("lock", r.Expect...))
	default:
		if len(r.entries) > 0 || r.AllOrNothing() {
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

// nothingPinned reports whether the lockfile has none of the servers: lock approves them.
func (r *Report) nothingPinned() bool {
	return !slices.ContainsFunc(r.Comparisons, func(p pin.Comparison) bool { return p.Known })
}

// RestStep is the --accept-all command, or empty where that is not to be suggested.
func (r *Report) RestStep() Step {
	var left []string
	for _, e := range r.entries {
		if e.Kind == pin.Duplicate || e.warned() {
			left = append(left, r.ref(e.Ref()))
		}
	}
	if r.LeftOut > 0 || r.Lockfile == "" || len(r.Expect) == 0 || !slices.ContainsFunc(r.Comparisons, func(p pin.Comparison) bool { return r.Differs[p.Server] && !p.Missing }) || len(lint.WarningsIn(r.General)) > 0 || len(r.Unapprovable) > 0 ||
		len(left) > 0 && (r.AllOrNothing() || len(left) == len(r.entries)) {
		return Step{}
	}
	s := "approve exactly this"
	if len(left) > 0 {
		s = "all but " + text.List(left, maxSaidNames)
	}
	return Step{s, r.Next.To("relock", append([]string{"--accept-all"}, r.Expect...)...)}
}

// acceptCommand is the command that accepts a group and nothing else, from the reviewed
// capture. It is "" if no flag can do that, if there are more names than a command
// should have, and for a new warning, which nobody should approve by pasting.
func (r *Report) acceptCommand(g *group) string {
	if r.Lockfile == "" || len(g.entries) > maxAcceptNames || g.first().warned() || g.first().Kind == pin.Duplicate ||
		r.AllOrNothing() || r.nothingPinned() || r.Guessed && r.Comparisons[0].Unrelated || len(lint.WarningsIn(r.General)) > 0 || len(r.Unapprovable) > 0 {
		return ""
	}
	var args []string
	next, expect := r.Next, r.Expect
	p := pin.ComparisonOf(r.Comparisons, g.first().Server)
	named := len(r.Comparisons) > 1 && shell.PasteableLabel(p.Server) && p.Known
	if named { // one digest instead of that of every server
		next.Server, expect = p.Server, nil
		if p.Captured.Digest != "" {
			expect = []string{"--expect " + p.Captured.Digest}
		}
	}
	for _, e := range g.entries {
		if !named && r.hasTwin(&e.Drift) {
			return ""
		}
		name, digest := e.Name, e.DefinitionDigest()
		switch {
		case e.Type == pin.Instructions:
			name = pin.EntryTypeInfo[e.Type].Entry
		case !shell.Pasteable(e.Name):
			args = append(args, "--accept "+digest)
			continue
		case e.Type != pin.Tools || pin.ParseEntry(e.Name) != e.Key || selectsMore(e.Name):
			name = pin.EntryTypeInfo[e.Type].Entry + "=" + e.Name
		}
		isTool := name != e.Name && pin.Holders(r.Comparisons, pin.Key{Type: pin.Tools, Name: name}) > 0
		if isTool || pin.Holders(r.Comparisons, e.Key) > 1 || len(r.Expect) == 0 || e.Kind == pin.Removed {
			name += "@" + digest
		}
		args = append(args, "--accept "+name)
	}
	if command := next.To("relock", append(args, expect...)...); len(command) <= maxCommand {
		return command
	}
	return ""
}

// selectsMore reports whether a tool's name would select something else, too: a kind of
// drift, a label, a note, or warnings.
func selectsMore(name string) bool {
	return slices.Contains(OnlyWords(), name) || name == "warnings" || kindRank[pin.DriftKind(strings.ToUpper(name))] > 0 && name == strings.ToLower(name)
}

// hasTwin reports whether another server has, or had, an entry with the same name and
// digest, so that only the server's label tells the two apart.
func (r *Report) hasTwin(d *pin.Drift) bool {
	same := func(p *pin.Pin) bool { return p != nil && p.Digest == d.DefinitionDigest() }
	return slices.ContainsFunc(r.Comparisons, func(p pin.Comparison) bool {
		return p.Server != d.Server && (same(p.Captured.Find(d.Key)) || same(p.Locked.Find(d.Key)))
	})
}

// serverField is " server=ID" if there are several servers, else "".
func (r *Report) serverField(server string) string {
	if len(r.Comparisons) > 1 {
		return " server=" + text.Name(server)
	}
	return ""
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
func (r *Report) questionText(d *pin.Drift, n int, warned bool) string {
	var c pin.Counts
	c[d.Type] = n
	ref := r.ref(d.Ref())
	switch {
	case d.Type == pin.Instructions && warned:
		return "The " + ref + " have a warning. Accept them?"
	case d.Type == pin.Instructions && d.Kind == pin.Removed:
		return "Accept that the " + ref + " were removed?"
	case warned && n > 1:
		return "These " + c.Plural() + " have a warning. Accept them?"
	case warned:
		return ref + " has a warning. Accept it?"
	case n > 1:
		return "Accept this change in all " + c.Plural() + "?"
	case d.Kind == pin.Removed:
		return "Accept that " + ref + " was removed?"
	}
	return "Accept " + ref + "?"
}

// A Refusal says what isn't approved because of a warning.
type Refusal struct {
	Warnings   []Finding
	Text, Hint string
}

// Refusal says that drifts are refused, or captures as a whole. It names no entry to accept: nobody should
// approve a warning by pasting.
func (r *Report) Refusal(refused map[int]bool) Refusal {
	var list []*drifted
	for i, e := range r.entries {
		if refused[i] {
			list = append(list, e)
		}
	}
	said := Refusal{r.Said(lint.WarningsIn(append(freshIn(list), r.General...))), "the capture as a whole has a warning", "a warning is accepted separately: read it, then "}
	switch c := counted(list); {
	case len(list) == 0:
		said.Hint += "add --accept-warnings"
		return said
	case len(list) == 1 && c[pin.Instructions] == 0:
		said.Text = c.Plural() + " has a new warning"
	default:
		said.Text = c.Plural() + " have new warnings"
	}
	said.Hint += "name the entry with --accept-warning NAME"
	return said
}

// counted counts entries by list.
func counted(entries []*drifted) (c pin.Counts) {
	for _, e := range entries {
		c[e.Type]++
	}
	return c
}

// A Relocked is what relock has written.
type Relocked struct {
	Accepted map[int]bool             // indexes of drifts
	Recorded map[pin.Ref][]pin.Record // warnings of matching entries that were put on record
	Idle     []string                 // what the flags had nothing to accept for
	Whole    []string                 // servers that came as a whole
	Shown    bool                     // a prompt has shown what was accepted
}

// A Closing is what relock says at its end.
type Closing struct {
	Idle       []string
	Accepted   []int     // indexes of Model.Entries to list
	Unrecorded []Finding // warnings that are still not on record
	Written    string    // what was written: "PINNED 12 tools: a, b; DROPPED 1 pin: c"; or ""
	Policy     string    // what it leaves out
	Left       string    // the drift that is left, and the bare servers that were not settled; or ""
	Shown      bool
}

// Closing says what was accepted and what drift is left. It names entries where a prompt has shown them.
func (r *Report) Closing(did Relocked) Closing {
	c := Closing{Idle: did.Idle, Policy: r.policyText(), Shown: did.Shown}
	var pins pin.Counts
	var pinned, dropped, left, recorded, written []string
	for i, e := range r.entries {
		ref := r.ref(e.Ref())
		switch {
		case !did.Accepted[i]:
			if list := lint.WarningsIn(e.fresh); len(list) > 0 {
				ref += " (WARNING " + list[0].ID + ")"
			}
			left = append(left, ref)
			continue
		case e.Kind == pin.Removed:
			dropped = append(dropped, ref)
		case !pin.ComparisonOf(r.Comparisons, e.Server).PolicyDiffers():
			pins[e.Type]++
			pinned = append(pinned, ref)
		}
		c.Accepted = append(c.Accepted, i)
	}
	say := func(what string, of []string) {
		if did.Shown && pins[pin.Instructions] < len(of) {
			what += ": " + text.List(of, maxClosingNames)
		}
		if len(of) > 0 {
			written = append(written, what)
		}
	}
	say("PINNED "+pins.Plural(), pinned)
	say("DROPPED "+text.Count(len(dropped), "pin"), dropped)
	problems := r.problems()
	for i := range r.Comparisons {
		p := &r.Comparisons[i]
		if p.PolicyDiffers() {
			written = append(written, fmt.Sprintf("PINNED %s of server %s anew, policy %s", pin.CountPins(p.Captured.Pins).Plural(), text.Name(p.Server), pin.PolicyWords(p.Captured.Policy)))
		}
		whole := slices.Contains(did.Whole, p.Server)
		if whole {
			written = append(written, "PINNED server "+text.Name(p.Server)+" without tools")
		}
		if whole || !p.HasNoEntries() {
			problems = slices.DeleteFunc(problems, func(problem Problem) bool { return problem.Server == p.Server })
		}
	}
	isRecorded := func(f lint.Finding) bool { return slices.Contains(did.Recorded[f.Ref()], f.Record()) }
	for _, f := range r.Unrecorded {
		if isRecorded(f) {
			recorded = append(recorded, f.ID+" of "+r.ref(f.Ref()))
		}
	}
	if recorded != nil {
		written = append(written, "RECORDED "+text.List(slices.Compact(recorded), maxClosingNames))
	}
	if written != nil {
		c.Written = strings.Join(written, "; ") + " -> " + text.Printable(r.Lockfile)
	}
	c.Unrecorded = r.Said(slices.DeleteFunc(slices.Clone(r.Unrecorded), isRecorded))
	if left != nil {
		c.Left = text.Number(len(left)) + " left: " + text.List(left, maxClosingNames)
	}
	if r.LeftOut > 0 {
		c.Left = joined("; ", c.Left, text.Number(r.LeftOut)+" not asked about (--only)")
	}
	if c.Left = joined("; ", c.Left, problemText(problems)); c.Left != "" {
		c.Left = "DRIFT: " + c.Left + c.Policy
	}
	return c
}
