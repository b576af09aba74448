package main

import (
	"bytes"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// approveOptions holds the flags that lock and relock share.
type approveOptions struct {
	asked  policy // the policy that the flags ask for
	ignore []string

	acceptWarning  []string
	acceptWarnings bool
	approvedBy     string
	expect         []string
	allowEmpty     bool
}

// policyFlags has the boolean flags, each with its member of the policy.
var policyFlags = []struct{ flag, member, usage string }{
	{"empty-cursor-ends", "emptyCursorEnds", "take an empty nextCursor for the end of a list"},
	{"hash-only", "hashOnly", "store digests without the definitions"},
	{"require-clean", "requireClean", "refuse entries with hidden text, terminal escapes or bidi controls"},
	{"resources", "resources", "pin the list of resources, too"},
	{"round-integers", "roundIntegers", "pin integers that a double can't hold exactly as doubles"},
	{"tools-only", "toolsOnly", "pin nothing but the tools"},
}

func (f *approveOptions) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.asked.descriptions, "descriptions", "preserve", "which prose of tools to pin: preserve, truncate=N or strip")
	flags.StringArrayVar(&f.ignore, "ignore", nil, "leave the member at this `POINTER` out of the pins: /_meta, /icons, /execution (repeatable)")
	for _, p := range policyFlags {
		flags.BoolVar(f.asked.flag(p.member), p.flag, false, p.usage)
	}
	flags.StringArrayVar(&f.acceptWarning, "accept-warning", nil, "accept the entry `NAME` in spite of its warnings: NAME of a tool, prompt=NAME, instructions (repeatable)")
	flags.BoolVar(&f.acceptWarnings, "accept-warnings", false, "refuse nothing for its warnings")
	flags.StringVar(&f.approvedBy, "approved-by", "", "record with each pin written that `NAME` approved it, and when")
	flags.StringArrayVar(&f.expect, "expect", nil, "write only if the set digest is `SETDIGEST` (repeatable for a folder)")
	flags.BoolVar(&f.allowEmpty, "allow-empty", false, "accept a list without tools")
}

// check checks the flags and sets a.policyOf.
func (f *approveOptions) check(a *app) (err error) {
	changed := a.cmd.Flags().Changed
	asked := f.asked
	if asked.descriptions, err = parseDescriptions(asked.descriptions); err != nil {
		return fail("--descriptions %s", err)
	}
	if asked.ignore, err = parseIgnore(listed(f.ignore)); err != nil {
		return fail("--ignore %s", err)
	}
	asked.substitute = substituteNames(a.substitutes)
	for _, e := range f.expect {
		if !isDigest(e) {
			return fail("--expect %s: a set digest is sha256: and 64 lower-case hex digits", quotedName(e))
		}
	}
	if changed("approved-by") && (strings.TrimSpace(f.approvedBy) == "" || !utf8.ValidString(f.approvedBy)) {
		return fail("--approved-by needs a name")
	}
	if asked.resources && asked.toolsOnly {
		return fail("--resources and --tools-only don't go together")
	}
	a.policyOf = func(p policy) policy {
		if changed("descriptions") {
			p.descriptions = asked.descriptions
		}
		if changed("ignore") {
			p.ignore = asked.ignore
		}
		if changed("substitute") {
			p.substitute = asked.substitute
		}
		for _, flag := range policyFlags {
			if changed(flag.flag) {
				*p.flag(flag.member) = *asked.flag(flag.member)
			}
		}
		p.resources, p.toolsOnly = p.resources && !asked.toolsOnly, p.toolsOnly && !asked.resources
		return p
	}
	return nil
}

// load reads both sides and checks the manifests against --allow-empty and --expect.
// Neither flag accepts anything by itself.
func (f *approveOptions) load(a *app, cmd *cobra.Command, args []string) (*workspace, error) {
	err := a.take(cmd, args)
	if err == nil {
		err = f.check(a)
	}
	if err != nil {
		return nil, err
	}
	w, err := a.load()
	if err == nil {
		err = a.otherServer(w)
	}
	if err != nil {
		return nil, err
	}
	var sets []string
	for i := range w.pairs {
		p := &w.pairs[i]
		if !p.present {
			continue
		}
		if len(p.found.of(toolList)) == 0 && !f.allowEmpty {
			return nil, failIn(printable(p.manifest), "no tools in the list").
				hint("if that is right: %s --allow-empty", a.to(cmd.Name()))
		}
		sets = append(sets, p.found.setDigest())
	}
	want := slices.Sorted(slices.Values(f.expect))
	slices.Sort(sets)
	if len(want) == 0 || slices.Equal(sets, want) {
		return w, nil
	}
	return nil, fail("not what was reviewed: nothing was written").
		hint("expected set %s", strings.Join(want, ", ")).
		hint("now      set %s", orNone(strings.Join(sets, ", "))).
		hint("review again: %s", a.to("diff")).refusal()
}

// withhold marks in a selection what has new warnings that no flag accepts.
func (f *approveOptions) withhold(r *report, sel *selection) error {
	yes := map[entryKey]bool{}
	for _, arg := range f.acceptWarning {
		key := parseEntry(arg)
		yes[key] = true
		switch n := holders(r.pairs, key); {
		case n == 0:
			return fail("--accept-warning %s: no %s of that name is pinned or listed", quotedName(arg), listInfo[key.list].entry)
		case n > 1:
			return fail("--accept-warning %s: several servers have a %s of that name", quotedName(arg), listInfo[key.list].entry).
				hint("say which: --server ID")
		}
	}
	sel.refused = map[int]bool{}
	for i := range r.drifts {
		if !f.acceptWarnings && r.warned(i) && !yes[r.drifts[i].entryKey] {
			sel.refused[i] = true
		}
	}
	sel.whole = !f.acceptWarnings && len(warningsIn(r.general)) > 0
	return nil
}

// refuseUnpinned refuses warnings in texts that the policy leaves out of the pins.
func (a *app) refuseUnpinned(r *report) error {
	if len(r.unapprovable()) == 0 {
		return nil
	}
	return a.refuse(r, r.unapprovable(), fail("a text that isn't pinned has a warning, which no approval covers: nothing was written").
		hint("read it: %s", a.to("diff")).hint("pin it, then it can be approved: %s", a.pinProse(a.cmd.Name())))
}

// A decision is the result of a selection.
type decision struct {
	accepted map[int]bool // indexes of drifts
	refused  map[int]bool // indexes of drifts that were selected, but have a new warning
	idle     []acceptance // acceptances of entries that have not drifted
}

// decide turns a selection into a decision, or refuses it for warnings or the policy.
func (a *app) decide(r *report, sel selection) (d decision, err error) {
	if d.accepted, d.idle, err = selectDrifts(r.pairs, r.drifts, sel); err != nil {
		return d, err
	}
	d.refused = map[int]bool{}
	selected := maps.Clone(d.accepted)
	for i := range sel.refused {
		if sel.all || slices.ContainsFunc(sel.accepts, func(a acceptance) bool { return a.fits(&r.drifts[i]) }) {
			d.refused[i], selected[i] = true, true
		}
	}
	if err := clean(r, selected); err != nil {
		return d, err
	}
	all := r.allOrNothing() || a.cmd.Name() == "lock"
	if sel.whole || len(d.refused) > 0 && (all || len(d.accepted) == 0) {
		return d, a.refuse(r, r.refusedWarnings(d.refused), fail("%s: nothing was written", r.warnedText(d.refused)).
			hint("read it: %s", a.to("diff")).hint("%s", warnedHint(d.refused)))
	}
	return d, nil
}

// refuse shows the findings that prevent an approval, and returns why as a refusal.
func (a *app) refuse(r *report, list []finding, why *userError) error {
	newText(a.out, a.style()).findings(r, "", "", list)
	return why.refusal()
}

// clean enforces the policy's requireClean on what would be written.
func clean(r *report, accepted map[int]bool) error {
	list := slices.Concat(r.approved, r.standing)
	written := map[driftKey]bool{}
	for i := range r.drifts {
		if accepted[i] {
			list = append(list, r.findings[i]...)
			written[r.drifts[i].key()] = true
		}
	}
	for _, f := range list {
		p := r.pairOf(f.server)
		if p == nil || !p.found.policy.requireClean || p.pinned.policy.requireClean && !written[f.key()] {
			continue
		}
		if f.warning && slices.Contains([]string{"hidden-text", "terminal-escape", "bidi-control"}, f.id) {
			return fail("%s is refused by the policy (requireClean): %s %s: nothing was written", entryRef(f.list, f.entry), f.id, f.detail).refusal()
		}
	}
	return nil
}

// now returns the time of an approval in RFC 3339 and UTC, or that of SOURCE_DATE_EPOCH
// if it is set (reproducible-builds.org).
func now() (string, error) {
	t := time.Now()
	if epoch := os.Getenv("SOURCE_DATE_EPOCH"); epoch != "" {
		seconds, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil || seconds < 0 || seconds > 253402300799 {
			return "", fail("SOURCE_DATE_EPOCH %s: not a number of seconds", quotedName(epoch))
		}
		t = time.Unix(seconds, 0)
	}
	return t.UTC().Format(time.RFC3339), nil
}

// sign records the approver with each pin of next that is new or has a new digest.
func (f *approveOptions) sign(next *pinset, old *pinset) error {
	if f.approvedBy == "" {
		return nil
	}
	at, err := now()
	if err != nil {
		return err
	}
	for i := range next.pins {
		p := &next.pins[i]
		if before := old.find(p.entryKey); before == nil || before.digest != p.digest {
			p.approval = &approval{by: f.approvedBy, at: at, hash: approvalHash(next.server, p)}
		}
	}
	return nil
}

// approve writes the new pins of every pair in which something was accepted. With all, it
// also settles bare servers. announce is given the servers that come or go as a whole.
func (a *app) approve(w *workspace, r *report, f *approveOptions, accepted map[int]bool, all bool, announce func(whole []string)) error {
	of := map[string][]*drift{}
	for i := range r.drifts {
		if d := &r.drifts[i]; accepted[i] {
			of[d.server] = append(of[d.server], d)
		}
	}
	var next []pinset
	var drop, whole []string
	for i := range r.pairs {
		p := &r.pairs[i]
		if len(of[p.server]) == 0 && !p.policyDiffers() && p.from == "" && !(all && bare(*p)) {
			continue
		}
		if bare(*p) || !p.present && len(of[p.server]) == len(p.pinned.pins) {
			whole = append(whole, p.server)
		}
		if p.from != "" {
			drop = append(drop, p.from)
		}
		if !p.present && len(of[p.server]) == len(p.pinned.pins) {
			drop = append(drop, p.server)
			continue
		}
		set := relockPins(p, of[p.server])
		if err := f.sign(&set, &p.pinned); err != nil {
			return err
		}
		next = append(next, set)
	}
	if len(next) == 0 && len(drop) == 0 {
		announce(whole)
		return nil
	}
	return a.write(w, next, drop, func() { announce(whole) })
}

// write replaces the pins of servers in the lockfile. It reads the lockfile again under
// its lock. Pins of other servers that were added meanwhile are kept. If the pins that
// were reviewed have changed, nothing is written.
func (a *app) write(w *workspace, next []pinset, drop []string, announce func()) error {
	return replaceFile(a.lockPath, a.lockPatience, func() ([]byte, error) {
		l, data, err := readLockfile(a.lockPath)
		if err != nil {
			return nil, err
		}
		touched := lockfile{servers: next}
		for _, server := range append(touched.labels(), drop...) {
			if !sameSet(w.lock.find(server), l.find(server)) {
				return nil, fail("%s changed while it was reviewed: nothing was written", printable(a.lockPath)).
					hint("review again: %s", a.to("diff"))
			}
		}
		for _, s := range next {
			l.put(s)
		}
		for _, server := range drop {
			l.drop(server)
		}
		written, err := marshalLockfile(l)
		if err != nil || bytes.Equal(written, data) {
			return nil, err
		}
		// What a later run will read must be what was meant.
		again, err := parseLockfile(a.lockPath, written)
		if err != nil {
			return nil, fail("the new lockfile can't be read back; nothing was written: %s", toldOf(err).text)
		}
		if !slices.EqualFunc(again.servers, l.servers, func(x, y pinset) bool { return sameSet(&x, &y) }) {
			return nil, fail("the new lockfile doesn't say what was meant; nothing was written")
		}
		return written, nil
	}, func() error {
		announce()
		if err := a.out.Flush(); err != nil {
			return pathError("standard output", err)
		}
		return nil
	})
}

// sameSet compares two pinsets as the lockfile records them, definitions by their digests.
func sameSet(a, b *pinset) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.server == b.server && a.policy.equal(b.policy) && slices.EqualFunc(a.pins, b.pins, func(x, y pin) bool {
		sameApproval := (x.approval == nil) == (y.approval == nil) && (x.approval == nil || *x.approval == *y.approval)
		return x.entryKey == y.entryKey && x.digest == y.digest && x.sanitized == y.sanitized && sameApproval
	})
}

func newLock(a *app) *cobra.Command {
	f := &approveOptions{}
	cmd := &cobra.Command{
		Use:   "lock MANIFEST [LOCKFILE]",
		Short: "Approve: write the pins of a server that has none yet",
		Long: `Lock pins a saved answer of a server in LOCKFILE (tools.lock), which it creates, or
adds a server to: its tools and, where the capture has them, instructions, prompts
and resource templates. The server's label is the file's name, or --server. What is
pinned already is never approved again by accident: where it differs, lock shows the
drift and refuses. It also refuses what has a warning that no flag accepts.
Exit codes: 0 pinned, 1 refused because of what the manifest says, 2 no answer.`,
		Example: `  pinproof diff files.jsonl                     read it first, whole
  pinproof lock files.jsonl
  pinproof lock live.jsonl --server files       under a label that isn't the file's name
  pinproof lock captures/                       every server of a folder`,
		RunE: func(cmd *cobra.Command, args []string) error {
			w, err := f.load(a, cmd, args)
			if err != nil {
				return err
			}
			return a.lock(w, f)
		},
	}
	a.commonFlags(cmd)
	f.register(cmd)
	return cmd
}

func (a *app) lock(w *workspace, f *approveOptions) error {
	fresh, pinned := &workspace{lock: w.lock}, &workspace{lock: w.lock} // servers without and with pins
	for _, p := range w.pairs {
		switch {
		case p.policyDiffers():
			return failIn(printable(a.lockPath), "server %s is pinned under another policy (%s): nothing was written", quotedName(p.server), policyWords(p.pinned.policy)).
				hint("to change the policy: %s", a.to("relock")).refusal()
		case p.found.repeated():
			return a.refuseRepeated(w, p)
		case p.known:
			pinned.pairs = append(pinned.pairs, p)
		default:
			fresh.pairs = append(fresh.pairs, p)
		}
	}
	old := a.report(pinned, true)
	differs := func(what string) error {
		if old.verdict() == "match" {
			return nil
		}
		return fail("%s pins %s", printable(a.lockPath), what).
			hint("read the changes, then approve them: %s", a.to("relock")).refusal()
	}
	if len(fresh.pairs) == 0 {
		if err := writeVerify(a.out, old, a.style(), false); err != nil {
			return err
		}
		return differs("these entries otherwise: nothing was written")
	}
	r := a.report(fresh, true)
	sel, d := selection{all: true}, decision{}
	err := a.refuseUnpinned(r)
	if err == nil {
		err = f.withhold(r, &sel)
	}
	if err == nil {
		d, err = a.decide(r, sel)
	}
	if old.verdict() != "match" { // after what refuses a new server, which was shown above
		if err := writeVerify(a.out, old, a.style(), false); err != nil {
			return err
		}
	}
	if err == nil {
		err = a.approve(w, r, f, d.accepted, true, func([]string) { writeLocked(a.out, r, a.style()) })
	}
	if err != nil {
		return err
	}
	return differs("the other servers otherwise: their pins were kept")
}

func (a *app) refuseRepeated(w *workspace, p pair) error {
	r := a.report(&workspace{lock: w.lock, pairs: []pair{p}}, false)
	r.groups = slices.DeleteFunc(r.groups, func(g *group) bool { return r.first(g).kind != duplicate })
	r.unpinned, r.general = nil, nil
	newText(a.out, a.style()).blocks(r)
	is := listInfo[r.first(r.groups[0]).list]
	return failIn(printable(p.manifest), "a %s %s is repeated, and an agent may get either %s: nothing was written", is.entry, is.identity, is.entry).
		hint("the server has to be fixed: see both: %s", a.to("diff")).refusal()
}
