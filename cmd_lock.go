package main

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// approveFlags holds the flags that lock and relock share.
type approveFlags struct {
	sharedFlags
	policyFlags
	acceptWarning  []string
	acceptWarnings bool
	approvedBy     string
	expect         []string
	allowEmpty     bool
}

func (f *approveFlags) register(cmd *cobra.Command) {
	f.policyFlags.register(cmd)
	flags := cmd.Flags()
	flags.StringArrayVar(&f.acceptWarning, "accept-warning", nil, "accept the entry `NAME` in spite of its warnings: NAME of a tool, prompt=NAME, instructions (repeatable)")
	flags.BoolVar(&f.acceptWarnings, "accept-warnings", false, "refuse nothing for its warnings")
	flags.StringVar(&f.approvedBy, "approved-by", "", "record with each pin written that `NAME` approved it, and when")
	flags.StringArrayVar(&f.expect, "expect", nil, "write only if the set digest is `SETDIGEST` (repeatable for a folder)")
	flags.BoolVar(&f.allowEmpty, "allow-empty", false, "accept a list without tools")
}

// load reads both sides and checks the manifests against --allow-empty and --expect.
// Neither flag accepts anything by itself.
func (f *approveFlags) load(a *app, cmd *cobra.Command, args []string) (*request, *workspace, error) {
	req, err := f.request(a, cmd, args)
	if err == nil {
		err = f.check(req.substitutes)
	}
	if err != nil {
		return nil, nil, err
	}
	req.asked, req.needsPins = &f.policyFlags, cmd.Name() == "relock"
	for _, e := range f.expect {
		if !isDigest(e) {
			return nil, nil, fail("--expect %s: a set digest is sha256: and 64 lower-case hex digits", quotedName(e))
		}
	}
	if cmd.Flags().Changed("approved-by") && (strings.TrimSpace(f.approvedBy) == "" || !utf8.ValidString(f.approvedBy)) {
		return nil, nil, fail("--approved-by needs a name")
	}
	w, err := a.load(req)
	if err == nil {
		err = req.otherServer(w)
	}
	if err != nil {
		return nil, nil, err
	}
	return req, w, f.checkManifests(req, w)
}

func (f *approveFlags) checkManifests(req *request, w *workspace) error {
	var sets []string
	for i := range w.pairs {
		p := &w.pairs[i]
		if !p.present {
			continue
		}
		if len(p.found.of(toolList)) == 0 && !f.allowEmpty {
			return failIn(printable(p.manifest), "no tools in the list").
				hint("if that is right: %s --allow-empty", req.to(req.verb))
		}
		sets = append(sets, p.found.digest)
	}
	want := slices.Sorted(slices.Values(f.expect))
	slices.Sort(sets)
	if len(want) == 0 || slices.Equal(sets, want) {
		return nil
	}
	return fail("not what was reviewed: nothing was written").
		hint("expected set %s", strings.Join(want, ", ")).
		hint("now      set %s", setOrNone(strings.Join(sets, ", "))).
		hint("review again: %s", req.to("diff")).refusal()
}

// An approver turns what a person accepts into pins.
type approver struct {
	*app
	req   *request
	w     *workspace
	r     *report
	flags *approveFlags
	style textStyle
}

// warningKeys reads the entries that --accept-warning names.
func (f *approveFlags) warningKeys(pairs []pair) (map[entryKey]bool, error) {
	keys := map[entryKey]bool{}
	for _, arg := range f.acceptWarning {
		key := parseEntry(arg)
		keys[key] = true
		switch n := holders(pairs, key); {
		case n == 0:
			return nil, fail("--accept-warning %s: no %s of that name is pinned or listed", quotedName(arg), listInfo[key.list].entry)
		case n > 1:
			return nil, fail("--accept-warning %s: several servers have a %s of that name", quotedName(arg), listInfo[key.list].entry).
				hint("say which: --server ID")
		}
	}
	return keys, nil
}

// withhold marks in a selection what has new warnings that no flag accepts, and what is to
// be put on record of the entries that match.
func (a *approver) withhold(sel *selection) error {
	yes, err := a.flags.warningKeys(a.r.pairs)
	if err != nil {
		return err
	}
	accepts := func(key entryKey) bool { return a.flags.acceptWarnings || yes[key] }
	sel.refused = map[int]bool{}
	for i := range a.r.drifts {
		if a.r.warned(i) && !accepts(a.r.drifts[i].entryKey) {
			sel.refused[i] = true
		}
	}
	sel.whole = !a.flags.acceptWarnings && len(warningsIn(a.r.general())) > 0
	for _, f := range a.r.unrecorded() {
		if accepts(f.key().entryKey) {
			sel.record(f)
		}
	}
	return nil
}

// refuseUnpinned refuses warnings in texts that the policy leaves out of the pins.
func (a *approver) refuseUnpinned() error {
	list := a.r.unapprovable()
	if len(list) == 0 {
		return nil
	}
	return a.refuse(list, fail("a text that isn't pinned has a warning, which no approval covers: nothing was written").
		hint("read it: %s", a.req.to("diff")).hint("pin it, then it can be approved: %s", a.req.pinProse(a.req.verb)))
}

// decide turns a selection into a decision, or refuses it for warnings or the policy.
func (a *approver) decide(sel selection) (d decision, err error) {
	if d, err = newDecision(a.r.pairs, a.r.drifts, sel); err != nil {
		return d, err
	}
	if err := a.requireClean(&d); err != nil {
		return d, err
	}
	all := a.r.allOrNothing() || a.req.verb == "lock"
	if sel.whole || len(d.refused) > 0 && (all || len(d.accepted) == 0) {
		return d, a.refuse(a.r.refusedWarnings(d.refused), fail("%s: nothing was written", a.r.warnedText(d.refused)).
			hint("read it: %s", a.req.to("diff")).hint("%s", warnedHint(d.refused)))
	}
	return d, nil
}

// refuse shows the findings that prevent an approval, and returns why as a refusal.
func (a *approver) refuse(list []finding, why *userError) error {
	newText(a.out, a.style).findings(a.r, "", "", list)
	return why.refusal()
}

// requireClean enforces that policy on what would be written.
func (a *approver) requireClean(d *decision) error {
	selected := map[driftKey]bool{}
	for i := range a.r.drifts {
		if d.accepted[i] || d.refused[i] {
			selected[a.r.drifts[i].key()] = true
		}
	}
	for _, f := range a.r.findings {
		p := pairOf(a.r.pairs, f.server)
		if p == nil || !p.found.policy.requireClean || f.scope == inDrift && !f.approved && !selected[f.key()] ||
			p.pinned.policy.requireClean && !selected[f.key()] {
			continue
		}
		if f.warning && slices.Contains([]string{"hidden-text", "terminal-escape", "bidi-control"}, f.id) {
			return fail("%s is refused by the policy (requireClean): %s %s: nothing was written", entryRef(f.list, f.entry), f.id, f.detail).refusal()
		}
	}
	return nil
}

// approve writes the new pins of every server in which something was accepted. announce is
// given the servers that come or go as a whole.
func (a *approver) approve(d *decision, announce func(whole []string)) error {
	of := map[string][]*drift{}
	for i := range a.r.drifts {
		if x := &a.r.drifts[i]; d.accepted[i] {
			of[x.server] = append(of[x.server], x)
		}
	}
	warnings := d.warnings(a.r.drifts, a.r.findings)
	var next []pinset
	var drop, whole []string
	for i := range a.r.pairs {
		p := &a.r.pairs[i]
		accepted := of[p.server]
		switch {
		case len(accepted) == 0 && !p.policyDiffers() && !(d.all && p.hasNoEntries()) && !warnings.of(p.server):
			continue
		case !p.present && len(accepted) == len(p.pinned.pins):
			whole, drop = append(whole, p.server), append(drop, p.server)
			continue
		case p.hasNoEntries():
			whole = append(whole, p.server)
		}
		set := relockPins(p, accepted, warnings)
		if err := sign(&set, &p.pinned, a.flags.approvedBy); err != nil {
			return err
		}
		next = append(next, set)
	}
	if len(next) == 0 && len(drop) == 0 {
		announce(whole)
		return nil
	}
	return a.write(a.w, a.req, next, drop, func() { announce(whole) })
}

func newLock(a *app) *cobra.Command {
	f := &approveFlags{}
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
			req, w, err := f.load(a, cmd, args)
			if err != nil {
				return err
			}
			return a.lock(req, w, f)
		},
	}
	f.sharedFlags.register(cmd)
	f.register(cmd)
	return cmd
}

func (a *app) lock(req *request, w *workspace, f *approveFlags) error {
	fresh, pinned := *w, *w // servers without and with pins
	fresh.pairs, pinned.pairs = nil, nil
	for _, p := range w.pairs {
		switch {
		case p.policyDiffers():
			return failIn(printable(w.lockPath), "server %s is pinned under another policy (%s): nothing was written", quotedName(p.server), policyWords(p.pinned.policy)).
				hint("to change the policy: %s", req.to("relock")).refusal()
		case p.found.repeated():
			return a.refuseRepeated(req, w, p)
		case p.known:
			pinned.pairs = append(pinned.pairs, p)
		default:
			fresh.pairs = append(fresh.pairs, p)
		}
	}
	fresh.drifts, pinned.drifts = compareAll(fresh.pairs), compareAll(pinned.pairs)
	old := pinned.report(req)
	style := a.style(f.full)
	differs := func(what string) error {
		if old.matches {
			return nil
		}
		return fail("%s pins %s", printable(w.lockPath), what).
			hint("read the changes, then approve them: %s", req.to("relock")).refusal()
	}
	if len(fresh.pairs) == 0 {
		if err := writeVerify(a.out, old, style, false); err != nil {
			return err
		}
		return differs("these entries otherwise: nothing was written")
	}
	ap := &approver{a, req, w, fresh.report(req), f, style}
	sel, d := selection{all: true}, decision{}
	err := ap.refuseUnpinned()
	if err == nil {
		err = ap.withhold(&sel)
	}
	if err == nil {
		d, err = ap.decide(sel)
	}
	if !old.matches { // after what refuses a new server, which was shown above
		if err := writeVerify(a.out, old, style, false); err != nil {
			return err
		}
	}
	if err == nil {
		err = ap.approve(&d, func([]string) { writeLocked(a.out, ap.r, style) })
	}
	if err != nil {
		return err
	}
	return differs("the other servers otherwise: their pins were kept")
}

// refuseRepeated refuses a manifest in which a name is repeated, and shows the copies.
func (a *app) refuseRepeated(req *request, w *workspace, p pair) error {
	of := *w
	of.pairs = []pair{p}
	of.drifts = slices.DeleteFunc(compareAll(of.pairs), func(d drift) bool { return d.kind != duplicate })
	in := of.input(req)
	in.findings = slices.DeleteFunc(of.read(false), func(f finding) bool { return f.scope != inDrift })
	newText(a.out, a.style(false)).blocks(of.judged(in, leniency{}))
	is := listInfo[of.drifts[0].list]
	return failIn(printable(p.manifest), "a %s %s is repeated, and an agent may get either %s: nothing was written", is.entry, is.identity, is.entry).
		hint("the server has to be fixed: see both: %s", req.to("diff")).refusal()
}
