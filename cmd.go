package main

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// app is one run of the program: its streams and its flags.
type app struct {
	stdin  io.Reader
	stdout io.Writer     // the stream itself, which may be a terminal
	out    *bufio.Writer // the buffer in front of it
	stderr io.Writer

	lockPatience time.Duration // how long a write waits for another writer

	color string

	// what the positionals and flags say
	command
	lockPath       string // path of the lockfile, given or default
	from           string // the server whose pins the manifest is compared with, under a new label
	full           bool   // show also what one line would sum up
	substitutes    []substitute
	substituteArgs []string
	policyOf       func(policy) policy // turns the recorded policy into the one asked for; nil keeps it
	cmd            *cobra.Command
}

// commonFlags registers the flags that every command takes.
func (a *app) commonFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.server, "server", "", "the server `ID` that the manifest belongs to")
	cmd.Flags().StringArrayVar(&a.substituteArgs, "substitute", nil, "have <NAME> stand for this value in every text: `NAME=VALUE` (repeatable)")
}

// reviewFlags registers the flags of the commands that show changes whole.
func (a *app) reviewFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.from, "from", "", "compare with the pins of server `OLD`, for an upgrade under a new label")
	cmd.Flags().BoolVar(&a.full, "full", false, "show all of it, also what a line sums up")
}

// take reads the positionals and checks the flags that every command has.
func (a *app) take(cmd *cobra.Command, args []string) (err error) {
	a.cmd, a.flags = cmd, carriedBy(cmd.Flags())
	switch len(args) {
	case 0:
		return fail("no manifest: which saved tools/list?").hint("pinproof %s --help", cmd.Name())
	case 1:
		a.manifest, a.lockPath = args[0], defaultLockfile
	case 2:
		a.manifest, a.lockPath, a.lockfile = args[0], args[1], args[1]
	default:
		return fail("too many arguments: one manifest and one lockfile").
			hint("several manifests? put them in one folder: pinproof %s FOLDER", cmd.Name())
	}
	switch given := cmd.Flags().Changed; {
	case a.manifest == "" || a.lockPath == "":
		return fail("an empty path").hint("pinproof %s --help", cmd.Name())
	case a.lockPath == "-":
		return fail("the lockfile can't be standard input")
	case !slices.Contains([]string{"auto", "always", "never"}, a.color):
		return fail("--color %s: one of auto, always, never", quotedName(a.color))
	case given("server") && a.server == "":
		return fail("--server needs a name")
	case given("from") && a.from == "":
		return fail("--from needs the name of a pinned server")
	case !utf8.ValidString(a.server):
		return fail("--server %s: not UTF-8", quotedName(a.server))
	case len(a.server) > maxLabelBytes:
		return fail("--server: a name of more than %d bytes", maxLabelBytes)
	}
	if a.substitutes, err = parseSubstitutes(listed(a.substituteArgs)); err != nil {
		return fail("--substitute %s", err)
	}
	return nil
}

// listed returns the values of a repeatable flag. A single empty value means none, which
// takes back the recorded ones.
func listed(values []string) []string {
	if len(values) == 1 && values[0] == "" {
		return nil
	}
	return values
}

// colored decides whether standard output gets colour (no-color.org).
func (a *app) colored() bool {
	switch force := os.Getenv("CLICOLOR_FORCE"); {
	case a.color != "auto":
		return a.color == "always"
	case os.Getenv("NO_COLOR") != "":
		return false
	case force != "" && force != "0":
		return true
	}
	return os.Getenv("TERM") != "dumb" && isTerminal(a.stdout)
}

// style returns how text is laid out on standard output.
func (a *app) style() textStyle {
	return textStyle{a.colored(), terminalWidth(a.stdout), a.full}
}

// A workspace is what a command works on: the lockfile and, server by server, what
// it pins and what the manifests list.
type workspace struct {
	lock   lockfile
	exists bool // the lockfile exists
	pairs  []pair
	folder bool
}

// load reads everything. If the only error is that the command needs a lockfile, the
// workspace is whole all the same.
func (a *app) load() (*workspace, error) {
	w := &workspace{}
	switch lock, manifest := fileSize(a.lockPath), fileSize(a.manifest); {
	case lock > 16<<20:
		debug.SetGCPercent(50) // memory counts for more than time
	case manifest >= 0 && manifest < smallFile:
		debug.SetGCPercent(400) // the usual catalog: little to collect
	}
	sources, err := readSources(a.manifest, a.lockPath, a.stdin)
	var lockErr error // reported before err
	if w.lock, w.exists = lockfileOf(a.lockPath, sources); !w.exists {
		var text []byte
		w.lock, text, lockErr = readLockfile(a.lockPath)
		w.exists = text != nil
	}
	verb := a.cmd.Name()
	switch {
	case lockErr != nil:
		return nil, a.swapped(lockErr)
	case err != nil:
		return nil, err
	}
	if w.folder = sources[0].path != a.manifest; !w.folder {
		if err := sources[0].scan.faulty(); err != nil { // reported before a doubt about the server
			return nil, a.swapped(err)
		}
	} else if a.from != "" {
		return nil, fail("--from goes with one manifest; in a folder each file is named after its server")
	}
	// diff shows everything first, and then says this
	if a.server != "" && a.from == "" && w.exists && (verb == "verify" || verb == "relock") && w.lock.find(a.server) == nil {
		return nil, a.unknownServer(&w.lock, a.lockPath)
	}
	if !w.folder {
		if sources[0].label, err = a.chooseServer(&w.lock, a.lockPath, sources[0].label); err != nil {
			return nil, err
		}
	}
	wanted := func(server string) bool { return !w.folder || a.server == "" || server == a.server }
	// every substitute is a value for a name on record
	valuesOnly := w.folder && len(a.substitutes) > 0 && !slices.ContainsFunc(a.substitutes, func(s substitute) bool {
		return !slices.ContainsFunc(w.lock.servers, func(p pinset) bool { return wanted(p.server) && slices.Contains(p.policy.substitute, s.name) })
	})
	for i, s := range sources {
		if wanted(s.label) {
			p, err := a.pair(&w.lock, s, valuesOnly)
			if err != nil {
				return nil, err
			}
			sources[i].scan = nil
			w.pairs = append(w.pairs, p)
		}
	}
	for _, set := range w.lock.servers {
		if w.folder && wanted(set.server) && !slices.ContainsFunc(sources, func(s source) bool { return s.label == set.server }) {
			w.pairs = append(w.pairs, pair{server: set.server, pinned: set, known: true})
		}
	}
	slices.SortFunc(w.pairs, func(x, y pair) int { return compareUTF16(x.server, y.server) })
	if len(w.pairs) == 0 {
		return nil, fail("--server %s: neither %s nor %s has it", quotedName(a.server), printable(a.manifest), printable(a.lockPath))
	}
	for _, s := range a.substitutes {
		named := func(q policy) bool { return slices.Contains(q.substitute, s.name) }
		if !slices.ContainsFunc(w.pairs, func(p pair) bool { return !p.known || named(p.pinned.policy) }) { // diff takes no new name
			a.command = a.without("diff", "--substitute "+shellQuote(s.name+"="+s.value))
		}
		if !slices.ContainsFunc(w.pairs, func(p pair) bool { return named(p.found.policy) }) {
			return nil, fail("--substitute %s: the pins were made without it", s.name).
				hint("to make them anew with it: %s", a.to("relock"))
		}
	}
	if !w.exists && (verb == "verify" || verb == "relock") {
		return w, a.noLockfile()
	}
	return w, nil
}

// lockfileOf returns the lockfile without parsing it, if its bytes are exactly those that
// lock writes for these manifests by default. That is the usual case of verify.
func lockfileOf(path string, sources []source) (l lockfile, ok bool) {
	if size := fileSize(path); size < 0 || size > maxLockfileBytes || len(sources) > maxEntries {
		return l, false // and a pipe could not be read again
	}
	f, err := os.Open(path)
	if err != nil {
		return l, false
	}
	defer f.Close()
	file, pins := bufio.NewReaderSize(f, 64<<10), 0
	for _, s := range sources { // sorted by label, none twice
		label := s.label
		if len(sources) == 1 {
			label = firstServer(file)
		}
		m, err := s.scan.manifest(policy{})
		if err != nil {
			return lockfile{}, false
		}
		set, err := pinManifest(m, label, policy{}, nil)
		// A pin takes two or three of the values that a lockfile may have: above this the
		// parser decides about its limit.
		pins += len(set.pins)
		if err != nil || label == "" || len(label) > maxLabelBytes || set.repeated() || pins > maxKept/4 {
			return lockfile{}, false
		}
		for i := range set.pins {
			set.pins[i].received, set.pins[i].parsed, set.pins[i].column = nil, nil, 0
		}
		l.servers = append(l.servers, set)
	}
	if len(sources) == 0 || !l.isWritten(file) {
		return lockfile{}, false
	}
	return l, true
}

// pair pins a manifest under its server's policy and puts it beside the recorded pins.
func (a *app) pair(l *lockfile, s source, valuesOnly bool) (pair, error) {
	p := pair{server: s.label, from: a.from, manifest: s.path, present: true}
	if set := l.find(cmp.Or(a.from, s.label)); set != nil {
		p.pinned, p.known = *set, true
	}
	pol := p.pinned.policy
	if a.policyOf != nil {
		pol = a.policyOf(pol)
	}
	switch {
	case !p.known: // what lock and relock would pin
		pol.substitute = substituteNames(a.substitutes)
	case valuesOnly: // of other servers, perhaps
		pol.substitute = p.pinned.policy.substitute
	}
	m, found, err := a.pins(s.scan, s.label, pol)
	if err == nil {
		err = a.missingList(&m, &p.pinned, pol)
	}
	if err != nil {
		return p, a.swapped(err)
	}
	p.about, p.noise, p.found = m.about, m.noise, found
	if bad := falseSanitized(p.pinned, p.found); bad != nil {
		return p, failIn(printable(a.lockPath)+":"+strconv.Itoa(bad.line), "server %s: pin %s: its sanitizedDigest is not that of its definition",
			quotedName(p.pinned.server), quotedName(bad.name))
	}
	return p, nil
}

// pins makes the pins of a manifest under a policy.
func (a *app) pins(scan *scanned, server string, pol policy) (m manifest, set pinset, err error) {
	if m, err = scan.manifest(pol); err != nil {
		return m, set, err
	}
	for _, name := range pol.substitute {
		if !slices.ContainsFunc(a.substitutes, func(s substitute) bool { return s.name == name }) {
			return m, set, fail("%s stands for a value in the pins: which one, here?", name).
				hint("say it: --substitute %s=VALUE", name)
		}
	}
	foreign := func(s substitute) bool { return !slices.Contains(pol.substitute, s.name) }
	set, err = pinManifest(m, server, pol, slices.DeleteFunc(slices.Clone(a.substitutes), foreign))
	return m, set, err
}

// missingList refuses a capture that never asked for a list that the lockfile pins: there
// is neither a match nor drift.
func (a *app) missingList(m *manifest, pinned *pinset, pol policy) error {
	for list := range listKinds {
		pins := pinned.of(list)
		if len(pins) == 0 || !pol.pins(list) || m.lists[list].answered || m.lists[list].problem != nil {
			continue
		}
		next := a.command
		if isFolder(a.manifest) {
			next.server = pinned.server
		}
		return failIn(printable(m.path), "no answer to %s in it; %s pins %s", listInfo[list].method, printable(a.lockPath), countPins(pins)).
			hint("capture it whole: pinproof-capture %s -- COMMAND", shellPath(m.path)).
			hint("or pin nothing but the tools of this server from now on: %s", next.instead("relock", "--resources", "--tools-only"))
	}
	return nil
}

// swapped returns a better error than err if the manifest and the lockfile are mixed up.
func (a *app) swapped(err error) error {
	if fileSize(a.manifest) < 0 {
		return err // only a regular file can be read again: on a pipe, reading would never end
	}
	data, readErr := readFile(a.manifest, nil, maxLockfileBytes)
	if readErr != nil {
		return err
	}
	if !isLockfile(data) {
		if f, ok := errors.AsType[*userError](err); ok && f.isManifest && a.cmd.Name() == "diff" {
			f.hints = nil
			return f.hint("to compare two captures: pinproof diff %s --against %s", shellPath(a.lockPath), shellPath(a.manifest))
		}
		return err
	}
	manifest := "MANIFEST"
	if a.lockfile != "" {
		manifest = shellPath(a.lockfile)
	}
	return failIn(printable(a.manifest), "a lockfile, where a saved tools/list belongs").
		hint("the manifest comes first: pinproof %s %s %s", a.cmd.Name(), manifest, shellPath(a.manifest))
}

// report compares the workspace. With standing it also reviews the entries that match.
func (a *app) report(w *workspace, standing bool) *report {
	r := newReport(w.pairs, w.lock, standing)
	r.lockfile, r.next = a.lockPath, a.command
	r.guessed = !w.folder && a.server == "" && a.from == ""
	r.others = w.lock.labels()
	return r
}

func (a *app) noLockfile() *userError {
	f := failIn(printable(a.lockPath), "no such lockfile")
	if a.cmd.Name() == "diff" { // its report shows the entries as well
		return f.hint("to approve what is shown: %s", a.to("lock"))
	}
	return f.hint("read what is to be pinned: %s", a.to("diff")).hint("then approve it: %s", a.to("lock"))
}
