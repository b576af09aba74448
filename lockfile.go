package main

import (
	"bytes"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// A lockfile is the committed file of pins: one pinset a server, sorted by label
// in UTF-16 code units.
type lockfile struct {
	servers []pinset
}

// find returns the pins of a server, or nil.
func (l *lockfile) find(server string) *pinset {
	i, ok := slices.BinarySearchFunc(l.servers, server, func(s pinset, server string) int { return compareUTF16(s.server, server) })
	if !ok {
		return nil
	}
	return &l.servers[i]
}

// put adds a server's pins or replaces them.
func (l *lockfile) put(s pinset) {
	i, ok := slices.BinarySearchFunc(l.servers, s.server, func(t pinset, server string) int { return compareUTF16(t.server, server) })
	l.servers = slices.Clone(l.servers)
	if ok {
		l.servers[i] = s
	} else {
		l.servers = slices.Insert(l.servers, i, s)
	}
}

// drop removes a server.
func (l *lockfile) drop(server string) {
	l.servers = slices.DeleteFunc(slices.Clone(l.servers), func(s pinset) bool { return s.server == server })
}

// escaped reports whether the lockfile spells r as an escape: a reader of it or
// of its git diff would miss it.
func escaped(r rune) bool { return hidden(r) || unusualSpace(r) }

// lockReader parses a lockfile; it knows where it is, for messages.
type lockReader struct {
	path  string
	data  []byte
	lines stream   // moved forward only, entry by entry
	lock  lockfile // as it says: before check its definitions are text as stored
}

// parseLockfile reads a lockfile strictly and recomputes all it can: a lockfile
// that contradicts itself is an error that names the pin. These checks find
// accidents and blind spots, not someone who may change the file.
func parseLockfile(path string, data []byte) (lockfile, error) {
	r, err := readPins(path, data)
	if err != nil {
		return lockfile{}, err
	}
	return r.check(nil)
}

// readPins reads what a lockfile says. Its policies are needed to read manifests,
// whose pins then save check most of its work.
func readPins(path string, data []byte) (*lockReader, error) {
	r := &lockReader{path: path, data: data, lines: newStream(path, data)}
	if len(data) > maxLockfileBytes {
		return nil, r.failAt(-1, "more than 256 MiB")
	}
	start, end, err := scanValue(data, 0, strictness{inexactIntegers: true})
	if err != nil || len(bytes.TrimLeft(data[end:], " \t\r\n")) > 0 || data[start] != '{' {
		return nil, r.notLockfile(end, err)
	}
	budget := maxParts
	root := outline(data, start, 5, &budget) // as far as the members of pins
	if budget < 0 {
		return nil, r.failAt(-1, "more than 2,000,000 entries")
	}
	members := root.parts
	version, ok := member(members, "lockfileVersion")
	if !ok {
		return nil, r.notLockfile(end, nil)
	}
	if v := string(version.of(data)); v != "1" {
		if n, err := strconv.Atoi(v); err == nil && n > 1 {
			return nil, r.failAt(version.start, "made by a newer pinproof: lockfileVersion %d, this one reads 1", n).
				hint("update pinproof")
		}
		return nil, r.failAt(version.start, "not a lockfile: an unknown lockfileVersion")
	}
	if err := r.only(members, "", "lockfileVersion", "servers"); err != nil {
		return nil, err
	}
	servers, ok := member(members, "servers")
	if !ok || data[servers.start] != '{' {
		return nil, r.failAt(version.start, `no "servers"`)
	}
	entries := servers.list(data, maxTools)
	if len(entries) > maxTools {
		return nil, r.failAt(servers.start, "more than 50,000 servers")
	}
	for _, s := range entries {
		set, err := r.server(s)
		if err != nil {
			return nil, err
		}
		r.lock.servers = append(r.lock.servers, set)
	}
	for i := range r.lock.servers {
		slices.SortFunc(r.lock.servers[i].pins, comparePins)
	}
	slices.SortFunc(r.lock.servers, func(a, b pinset) int { return compareUTF16(a.server, b.server) })
	return r, nil
}

// check holds every stored definition against its digests, name and policy, and
// returns the lockfile. known are pins whose digests were computed already: where
// a stored definition is token by token the known one of its digest, so is its
// canonical form, and it isn't computed again.
func (r *lockReader) check(known []pinset) (lockfile, error) {
	forms := map[string]*pin{}
	for i := range known {
		for j := range known[i].pins {
			forms[known[i].pins[j].digest] = &known[i].pins[j]
		}
	}
	if err := r.recompute(forms); err != nil {
		return lockfile{}, err
	}
	for _, s := range r.lock.servers {
		for _, p := range s.pins {
			// Without its definition a pin shows a false sanitizedDigest only beside the tool it pins.
			if f := forms[p.digest]; f != nil && p.definition == nil && f.sanitized != p.sanitized {
				return lockfile{}, failIn(printable(r.path)+":"+strconv.Itoa(p.line), "server %s: pin %s: its sanitizedDigest is not that of its definition",
					quotedName(s.server), quotedName(p.name))
			}
		}
	}
	if err := r.hiddenRaw(); err != nil {
		return lockfile{}, err
	}
	return r.lock, nil
}

func (r *lockReader) failAt(at int, format string, args ...any) *failure {
	s := newStream(r.path, r.data)
	return s.failAt(at, format, args...)
}

// notLockfile says what the file is instead.
func (r *lockReader) notLockfile(end int, err error) error {
	for _, marker := range []string{"<<<<<<< ", ">>>>>>> "} {
		at := bytes.Index(r.data, []byte(marker))
		if at == 0 || at > 0 && r.data[at-1] == '\n' {
			return r.failAt(at, "merge conflict markers were left in").
				hint("take one side whole, then review the other again: pinproof diff MANIFEST %s", shellPath(r.path))
		}
	}
	if len(bytes.TrimSpace(r.data)) == 0 {
		return r.failAt(-1, "empty: not a lockfile").hint("to lock anew, delete it first")
	}
	var scan *readError
	if err != nil {
		scan, _ = err.(*readError)
	}
	if _, err := parseManifest(r.path, r.data, false); err == nil {
		return r.failAt(-1, "a manifest, where the lockfile belongs").
			hint("several manifests? put them in one folder, or lock them one by one: pinproof lock MANIFEST LOCKFILE --server ID")
	}
	if bytes.Contains(r.data, []byte(`"mcpServers"`)) {
		return r.failAt(-1, `a client configuration ("mcpServers"), not a lockfile`)
	}
	switch {
	case err == io.EOF:
		return r.failAt(-1, "not a lockfile")
	case scan != nil:
		return r.failAt(scan.at, "not a lockfile: %s", scan.text)
	case len(bytes.TrimLeft(r.data[end:], " \t\r\n")) > 0:
		for isBlank(r.data[end]) {
			end++
		}
		return r.failAt(end, "not a lockfile: trailing data after it")
	}
	return r.failAt(-1, `not a lockfile: no "lockfileVersion"`)
}

// only refuses members that version 1 does not have.
func (r *lockReader) only(members []span, where string, known ...string) error {
	for _, m := range members {
		if !slices.Contains(known, m.name) {
			return r.failAt(m.start, "%smember %s: not written by this version of pinproof", where, quotedName(m.name))
		}
	}
	return nil
}

func (r *lockReader) object(s span, where string) ([]span, error) {
	if r.data[s.start] != '{' {
		return nil, r.failAt(s.start, "%snot an object", where)
	}
	return s.list(r.data, maxTools), nil
}

func (r *lockReader) server(s span) (pinset, error) {
	where := "server " + quotedName(s.name) + ": "
	set := pinset{server: s.name}
	members, err := r.object(s, where)
	if err != nil {
		return set, err
	}
	set.line, _ = r.lines.position(s.start)
	if s.name == "" {
		return set, r.failAt(s.start, "a server without a name")
	}
	if err := r.only(members, where, "policy", "tools"); err != nil {
		return set, err
	}
	if p, ok := member(members, "policy"); ok {
		if set.policy, err = r.policy(p, where+"policy: "); err != nil {
			return set, err
		}
	}
	tools, ok := member(members, "tools")
	if !ok {
		return set, r.failAt(s.start, `%sno "tools"`, where)
	}
	entries, err := r.object(tools, where+"tools: ")
	if err != nil {
		return set, err
	}
	if len(entries) > maxTools {
		return set, r.failAt(tools.start, "%smore than 50,000 pins", where)
	}
	for _, e := range entries {
		p, err := r.pin(e, set.policy, where+"pin "+quotedName(e.name)+": ")
		if err != nil {
			return set, err
		}
		p.line, p.column = r.lines.position(e.start)
		set.pins = append(set.pins, p)
	}
	return set, nil
}

// pin reads one entry; its definition is left for check.
func (r *lockReader) pin(e span, pol policy, where string) (pin, error) {
	p := pin{name: e.name}
	members, err := r.object(e, where)
	if err != nil {
		return p, err
	}
	if err := r.only(members, where, "digest", "sanitizedDigest", "approval", "definition"); err != nil {
		return p, err
	}
	str := func(members []span, key string) (string, bool) {
		m, _ := member(members, key)
		return unquote(m.of(r.data))
	}
	if p.name == "" {
		return p, r.failAt(e.start, "%sa pin without a name", where)
	}
	if p.digest, _ = str(members, "digest"); !isDigest(p.digest) {
		return p, r.failAt(e.start, `%sno "digest" of the form sha256: and 64 lower-case hex digits`, where)
	}
	p.sanitized = p.digest
	if m, ok := member(members, "sanitizedDigest"); ok {
		if p.sanitized, _ = str(members, "sanitizedDigest"); !isDigest(p.sanitized) || p.sanitized == p.digest {
			return p, r.failAt(m.start, `%s"sanitizedDigest" is no digest, or needless: it equals "digest"`, where)
		}
	}
	if m, ok := member(members, "approval"); ok {
		inner, err := r.object(m, where+"approval: ")
		if err != nil {
			return p, err
		}
		if err := r.only(inner, where+"approval: ", "by", "at", "hash"); err != nil {
			return p, err
		}
		var a approval
		a.by, _ = str(inner, "by")
		a.at, _ = str(inner, "at")
		a.hash, _ = str(inner, "hash")
		if _, err := time.Parse(time.RFC3339, a.at); err != nil || a.by == "" || !isDigest(a.hash) {
			return p, r.failAt(m.start, `%s"approval" needs "by", "at" (RFC 3339) and "hash" (a digest)`, where)
		}
		p.approval = &a
	}
	d, stored := member(members, "definition")
	switch {
	case stored && pol.hashOnly:
		return p, r.failAt(d.start, "%sa definition is stored, which the policy (hashOnly) leaves out", where)
	case !stored && !pol.hashOnly:
		return p, r.failAt(e.start, "%sno definition is stored, and the policy is not hashOnly", where)
	case stored:
		if r.data[d.start] != '{' {
			return p, r.failAt(d.start, "%sits definition is no object", where)
		}
		if problem := d.tooLarge(); problem != "" {
			return p, r.failAt(d.start, "%s%s", where, problem)
		}
		p.definition = d.of(r.data)
	}
	return p, nil
}

func (r *lockReader) policy(s span, where string) (policy, error) {
	var p policy
	members, err := r.object(s, where)
	if err != nil {
		return p, err
	}
	if err := r.only(members, where, "descriptions", "emptyCursorEnds", "hashOnly", "ignore", "requireClean"); err != nil {
		return p, err
	}
	for _, m := range members {
		raw := m.of(r.data)
		v := value{}
		if m.tooLarge() == "" {
			v = parseValue(raw)
		}
		bad := func(why string) error { return r.failAt(m.start, "%s%q: %s", where, m.name, why) }
		switch m.name {
		case "descriptions":
			if p.descriptions, err = parseDescriptions(v.text); err != nil || v.kind != '"' || p.descriptions == "" {
				return p, bad("neither strip nor truncate=N")
			}
		case "ignore":
			var pointers []string
			for _, item := range v.items {
				if item.kind != '"' {
					return p, bad("not an array of JSON Pointers")
				}
				pointers = append(pointers, item.text)
			}
			if len(pointers) == 0 {
				return p, bad("not an array of JSON Pointers")
			}
			if p.ignore, err = parseIgnore(pointers); err != nil {
				return p, bad(err.Error())
			}
			if !slices.Equal(p.ignore, pointers) {
				return p, bad("its pointers are not sorted, or repeated")
			}
		default:
			if v.kind != 't' {
				return p, bad("not true; what is default is left out")
			}
			switch m.name {
			case "emptyCursorEnds":
				p.emptyCursorEnds = true
			case "hashOnly":
				p.hashOnly = true
			case "requireClean":
				p.requireClean = true
			}
		}
	}
	if p.isDefault() {
		return p, r.failAt(s.start, "%sempty; the default policy is left out", where)
	}
	return p, nil
}

func (r *lockReader) recompute(forms map[string]*pin) error {
	type place struct{ server, pin int }
	var stored []place
	for i, s := range r.lock.servers {
		for j, p := range s.pins {
			if p.definition != nil {
				stored = append(stored, place{i, j})
			}
		}
	}
	text := func(at place) *pin { return &r.lock.servers[at.server].pins[at.pin] }
	// Every value takes two bytes of text or more.
	return inParallel(len(stored), func(i int) int { return len(text(stored[i]).definition) / 2 }, func(i int) error {
		set := &r.lock.servers[stored[i].server]
		p := text(stored[i])
		bad := func(what string) error {
			return failIn(printable(r.path)+":"+strconv.Itoa(p.line), "server %s: pin %s: %s", quotedName(set.server), quotedName(p.name), what).
				hint("someone edited it, or a merge went wrong: go back to the committed version, then review with pinproof diff")
		}
		found := pin{}
		named := ""
		if same := forms[p.digest]; same != nil && sameTokens(p.definition, same.definition) {
			found = *same
			named = same.name
		} else {
			var err error
			if found, err = pinDefinition(p.name, p.definition, policy{}); err != nil {
				return bad(err.Error())
			}
			m, _ := member(membersOf(found.definition), "name")
			named, _ = unquote(m.of(found.definition))
		}
		if set.policy.shapes() {
			v := parseValue(found.definition)
			if !equalValues(v, set.policy.apply(v)) {
				return bad("its definition has what its policy leaves out")
			}
		}
		if found.digest != p.digest {
			return bad("its digest is not that of its stored definition")
		}
		if found.sanitized != p.sanitized {
			return bad("its sanitizedDigest is not that of its stored definition")
		}
		if named != p.name {
			return bad("its key is not the name in its definition")
		}
		p.definition = found.definition
		return nil
	})
}

// hiddenRaw refuses characters that would have been escaped: they are not seen
// in a review of the file.
func (r *lockReader) hiddenRaw() error {
	for i := 0; i < len(r.data); i++ {
		if c := r.data[i]; c < 0x7f {
			continue
		}
		c, size := utf8.DecodeRune(r.data[i:])
		if !escaped(c) {
			i += size - 1
			continue
		}
		f := r.failAt(i, "U+%04X stands raw, where pinproof writes an escape", c)
		line := 1 + bytes.Count(r.data[:i], []byte("\n"))
		where := ""
		for _, s := range r.lock.servers {
			for _, p := range s.pins {
				if p.line <= line {
					where = "server " + quotedName(s.server) + ": pin " + quotedName(p.name) + ": "
				}
			}
		}
		f.text = strings.Replace(f.text, ": U+", ": "+where+"U+", 1)
		return f
	}
	return nil
}

// isLockfile recognises a lockfile by content, be it a faulty one: an object with
// both of its members at the root, or one that can't be read but names them first.
func isLockfile(data []byte) bool {
	start, _, err := scanValue(data, 0, strictness{inexactIntegers: true})
	if err != nil {
		head := bytes.TrimLeft(data, "\ufeff \t\r\n{")
		return bytes.HasPrefix(head, []byte(`"lockfileVersion"`))
	}
	if data[start] != '{' {
		return false
	}
	_, ok := member(span{start: start}.list(data, maxMembers), "lockfileVersion")
	return ok
}

// marshalLockfile writes a lockfile: the same pins give the same bytes.
func marshalLockfile(l lockfile) ([]byte, error) {
	w := lockWriter{}
	w.open("{")
	w.member("lockfileVersion")
	w.raw("1")
	w.member("servers")
	w.open("{")
	for _, s := range l.servers {
		w.member(s.server)
		w.open("{")
		if !s.policy.isDefault() {
			w.member("policy")
			w.value(s.policy.value())
		}
		w.member("tools")
		w.open("{")
		for _, p := range s.pins {
			w.member(p.name)
			w.open("{")
			w.textMember("digest", p.digest)
			if p.sanitized != p.digest {
				w.textMember("sanitizedDigest", p.sanitized)
			}
			if a := p.approval; a != nil {
				w.member("approval")
				w.open("{")
				w.textMember("by", a.by)
				w.textMember("at", a.at)
				w.textMember("hash", a.hash)
				w.close("}")
			}
			if !s.policy.hashOnly {
				w.member("definition")
				w.value(parseValue(p.definition))
			}
			w.close("}")
			if len(w.out) > maxLockfileBytes {
				return nil, fail("the lockfile would be larger than 256 MiB").hint("keep it smaller: pinproof lock --hash-only")
			}
		}
		w.close("}")
		w.close("}")
	}
	w.close("}")
	w.close("}")
	return append(w.out, '\n'), nil
}

// lockWriter writes JSON indented by two spaces, with hidden characters escaped.
type lockWriter struct {
	out   []byte
	depth int
	begun bool // the open container has an entry
}

func (w *lockWriter) raw(s string) { w.out = append(w.out, s...) }

func (w *lockWriter) open(bracket string) {
	w.raw(bracket)
	w.depth++
	w.begun = false
}

func (w *lockWriter) close(bracket string) {
	w.depth--
	if w.begun {
		w.newline()
	}
	w.raw(bracket)
	w.begun = true
}

func (w *lockWriter) newline() {
	w.out = append(w.out, '\n')
	for range w.depth {
		w.out = append(w.out, "  "...)
	}
}

// entry begins an element or a member.
func (w *lockWriter) entry() {
	if w.begun {
		w.out = append(w.out, ',')
	}
	w.newline()
	w.begun = true
}

func (w *lockWriter) member(name string) {
	w.entry()
	w.text(name)
	w.raw(": ")
}

func (w *lockWriter) textMember(name, s string) {
	w.member(name)
	w.text(s)
}

func (w *lockWriter) text(s string) {
	quoted := appendString(nil, s)
	for len(quoted) > 0 {
		r, size := utf8.DecodeRune(quoted)
		if r < 0x7f || !escaped(r) {
			w.out = append(w.out, quoted[:size]...)
		} else {
			w.out = appendUnicodeEscape(w.out, r)
		}
		quoted = quoted[size:]
	}
}

func (w *lockWriter) value(v value) {
	switch v.kind {
	case '"':
		w.text(v.text)
	case '[':
		w.open("[")
		for _, item := range v.items {
			w.entry()
			w.value(item)
		}
		w.close("]")
	case '{':
		w.open("{")
		for _, m := range v.members {
			w.member(m.name)
			w.value(m.value)
		}
		w.close("}")
	default:
		w.out = appendJSON(w.out, v)
	}
}
