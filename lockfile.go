package main

import (
	"bufio"
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// A lockfile is the committed file of pins. It has one pinset for each server, sorted by
// label in UTF-16 code units.
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

// labels returns the labels of the servers.
func (l *lockfile) labels() []string {
	var list []string
	for _, s := range l.servers {
		list = append(list, s.server)
	}
	return list
}

// put adds a server's pins or replaces them.
func (l *lockfile) put(s pinset) {
	l.drop(s.server)
	l.servers = append(l.servers, s)
	l.sort()
}

func (l *lockfile) sort() {
	slices.SortFunc(l.servers, func(a, b pinset) int { return compareUTF16(a.server, b.server) })
}

// drop removes a server.
func (l *lockfile) drop(server string) {
	l.servers = slices.DeleteFunc(slices.Clone(l.servers), func(s pinset) bool { return s.server == server })
}

// escaped reports whether the lockfile spells r as an escape. A reader of the file or of
// its git diff would miss a raw one.
func escaped(r rune) bool { return hidden(r) || unusualSpace(r) }

// lockReader parses a lockfile.
type lockReader struct {
	textFile // asked for places in the order of the file: going back counts lines from the start
	json     *jsonReader
	formOf   formFunc
	defined  map[int32]definedPin // by the offset of the definition
}

// A definedPin is a definition that the lockfile stores, with the identity in it.
type definedPin struct {
	form
	name     string
	isObject bool
}

// parseLockfile reads a lockfile strictly and recomputes all it can. A lockfile that
// contradicts itself is an error that names the pin. These checks find accidents and
// careless edits. They can't stop a person who may change the file.
func parseLockfile(path string, data []byte, formOf formFunc) (lockfile, error) {
	r := &lockReader{textFile: newTextFile(path, data), formOf: formOf, defined: map[int32]definedPin{}}
	if len(data) > maxLockfileBytes {
		return lockfile{}, r.failAt(-1, "more than 256 MiB")
	}
	r.json = newJSONReader(data)
	r.json.isDefinition = func(path []pathStep) bool {
		return len(path) == 5 && path[0].name == "servers" && path[4].name == "definition"
	}
	r.json.definition = func(path []pathStep, v *value) bool {
		list, _ := listNamed(path[2].name)
		d := definedPin{name: strings.Clone(v.get(listInfo[list].identity).text), isObject: v.kind == '{'}
		if d.isObject {
			d.form = r.formOf(list, v)
		}
		r.defined[v.at] = d
		return false
	}
	root, err := r.json.only()
	if err != nil || root.kind != '{' {
		return lockfile{}, r.notLockfile(err)
	}
	l, err := r.servers(root)
	if err == nil {
		err = r.hiddenRaw(l)
	}
	if err != nil {
		return lockfile{}, err
	}
	return l, nil
}

func (r *lockReader) servers(root value) (l lockfile, err error) {
	version := root.get("lockfileVersion")
	if version.kind == 0 {
		return l, r.notLockfile(nil)
	}
	if v := string(r.data[version.at:version.end]); v != "1" {
		if n, err := strconv.Atoi(v); err == nil && n > 1 {
			return l, r.failAt(int(version.at), "made by a newer pinproof: lockfileVersion %d, this one reads 1", n).
				hint("update pinproof")
		}
		return l, r.failAt(int(version.at), "not a lockfile: an unknown lockfileVersion")
	}
	if err := r.object(root, "", "lockfileVersion", "servers"); err != nil {
		return l, err
	}
	servers := root.get("servers")
	if servers.kind != '{' {
		return l, r.failAt(int(version.at), `no "servers"`)
	}
	if len(servers.members()) > maxEntries {
		return l, r.failAt(int(servers.at), "more than 50,000 servers")
	}
	for _, s := range servers.members() {
		set, err := r.server(s.name, s.value)
		if err != nil {
			return l, err
		}
		slices.SortFunc(set.pins, comparePins)
		l.servers = append(l.servers, set)
	}
	l.sort()
	return l, nil
}

// notLockfile says what the file is instead.
func (r *lockReader) notLockfile(err error) error {
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
	if bytes.Contains(r.data, []byte(`"mcpServers"`)) {
		return r.failAt(-1, `a client configuration ("mcpServers"), not a lockfile`)
	}
	bad, refused := errors.AsType[*readError](err)
	switch {
	case refused && bad.limit:
		p := bad.inside.path
		return r.failAt(bad.at, "server %s: pin %s: %s", quotedName(p[1].name), quotedName(p[3].name), bad.text)
	case refused:
		return r.failAt(bad.at, "not a lockfile: %s", bad.text)
	case err != nil:
		return r.failAt(-1, "not a lockfile")
	}
	return r.failAt(-1, `not a lockfile: no "lockfileVersion"`)
}

// object refuses a value that is no object. If the members that version 1 knows are given,
// it also refuses any other member.
func (r *lockReader) object(v value, where string, known ...string) error {
	if v.kind != '{' {
		return r.failAt(int(v.at), "%snot an object", where)
	}
	for _, m := range v.members() {
		if len(known) > 0 && !slices.Contains(known, m.name) {
			return r.failAt(int(m.value.at), "%smember %s: not written by this version of pinproof", where, quotedName(m.name))
		}
	}
	return nil
}

func (r *lockReader) server(name string, v value) (pinset, error) {
	where := "server " + quotedName(name) + ": "
	set := pinset{server: name}
	if err := r.object(v, where); err != nil {
		return set, err
	}
	set.line, _ = r.position(int(v.at))
	switch {
	case name == "":
		return set, r.failAt(int(v.at), "a server without a name")
	case len(name) > maxLabelBytes:
		return set, r.failAt(int(v.at), "a server whose name has more than %d bytes", maxLabelBytes)
	}
	known := []string{"policy", "acceptedWarnings"}
	for list := range listKinds {
		known = append(known, listInfo[list].member)
	}
	if err := r.object(v, where, known...); err != nil {
		return set, err
	}
	if p := v.get("policy"); p.kind != 0 {
		var err error
		if set.policy, err = r.policy(p, where+"policy: "); err != nil {
			return set, err
		}
	}
	var err error
	if set.accepted, err = r.accepted(v, where); err != nil {
		return set, err
	}
	if !v.has("tools") {
		return set, r.failAt(int(v.at), `%sno "tools"`, where)
	}
	for _, m := range v.members() { // in the order of the file, so that position needn't go back
		list, isList := listNamed(m.name)
		var err error
		switch {
		case m.name == "instructions":
			err = r.entry(&set, instructionsList, namedValue{"", m.value}, where+"instructions: ")
		case isList:
			err = r.entries(&set, list, m.value, where)
		}
		if err != nil {
			return set, err
		}
	}
	return set, nil
}

func (r *lockReader) entries(set *pinset, list listKind, v value, where string) error {
	if err := r.object(v, where+listInfo[list].member+": "); err != nil {
		return err
	}
	if len(v.members()) > maxEntries {
		return r.failAt(int(v.at), "%smore than 50,000 pins", where)
	}
	what := "pin "
	if list != toolList {
		what = listInfo[list].entry + " "
	}
	for _, e := range v.members() {
		at := where + what + quotedName(e.name) + ": "
		if e.name == "" {
			return r.failAt(int(e.value.at), "%sa pin without a name", at)
		}
		if err := r.entry(set, list, e, at); err != nil {
			return err
		}
	}
	return nil
}

// entry reads one pin and checks it against its stored definition.
func (r *lockReader) entry(set *pinset, list listKind, e namedValue, where string) error {
	v := e.value
	stored := storedMember(list)
	if err := r.object(v, where, "digest", "sanitizedDigest", "acceptedWarnings", "approval", stored); err != nil {
		return err
	}
	p := pin{entryKey: entryKey{list, e.name}, form: form{digest: v.get("digest").text}}
	p.line, _ = r.position(int(v.at))
	if !isDigest(p.digest) || v.get("digest").kind != '"' {
		return r.failAt(int(v.at), `%sno "digest" of the form sha256: and 64 lower-case hex digits`, where)
	}
	p.sanitized = p.digest
	if s := v.get("sanitizedDigest"); s.kind != 0 {
		if p.sanitized = s.text; !isDigest(s.text) || s.kind != '"' || s.text == p.digest {
			return r.failAt(int(s.at), `%s"sanitizedDigest" is no digest, or needless: it equals "digest"`, where)
		}
	}
	var err error
	if p.accepted, err = r.accepted(v, where); err != nil {
		return err
	}
	if a := v.get("approval"); a.kind != 0 {
		if err := r.object(a, where+"approval: ", "by", "at", "hash"); err != nil {
			return err
		}
		p.approval = &approval{a.get("by").text, a.get("at").text, a.get("hash").text}
		if _, err := time.Parse(time.RFC3339, p.approval.at); err != nil || p.approval.by == "" || !isDigest(p.approval.hash) {
			return r.failAt(int(a.at), `%s"approval" needs "by", "at" (RFC 3339) and "hash" (a digest)`, where)
		}
	}
	set.pins = append(set.pins, p)
	text := v.get(stored)
	switch {
	case text.kind != 0 && set.policy.hashOnly:
		return r.failAt(int(text.at), "%sa definition is stored, which the policy (hashOnly) leaves out", where)
	case text.kind == 0 && !set.policy.hashOnly:
		return r.failAt(int(v.at), "%sno definition is stored, and the policy is not hashOnly", where)
	case text.kind == 0:
		return nil
	}
	return r.recompute(&set.pins[len(set.pins)-1], text, set.policy, where)
}

// accepted reads the record of accepted warnings. An id that this version doesn't know is
// kept.
func (r *lockReader) accepted(v value, where string) ([]string, error) {
	list := v.get("acceptedWarnings")
	if list.kind == 0 {
		return nil, nil
	}
	ids, err := sortedTexts(list, "ids", func(ids []string) ([]string, error) {
		for _, id := range ids {
			if id == "" || len(id) > 64 || strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
				return nil, fail("%s: an id is of a to z, 0 to 9 and -", quotedName(id))
			}
		}
		return slices.Compact(slices.Sorted(slices.Values(ids))), nil
	})
	if err != nil {
		return nil, r.failAt(int(list.at), `%s"acceptedWarnings": %s`, where, err)
	}
	return ids, nil
}

// recompute makes a pin of the stored definition and refuses p if it differs.
func (r *lockReader) recompute(p *pin, stored value, pol policy, where string) error {
	bad := func(what string) error {
		return failIn(printable(r.path)+":"+strconv.Itoa(p.line), "%s%s", where, what).
			hint("someone edited it, or a merge went wrong: go back to the committed version, then review with pinproof diff")
	}
	var computed definedPin // from the stored definition
	if p.list == instructionsList {
		if stored.kind != '"' {
			return r.failAt(int(stored.at), "%sits text is no string", where)
		}
		computed.form = r.formOf(p.list, &stored)
	} else {
		computed = r.defined[stored.at]
		if !computed.isObject {
			return r.failAt(int(stored.at), "%sits definition is no object", where)
		}
		if pol.shapes() {
			v := readCanonical(computed.definition)
			if !equalValues(v, pol.apply(p.list, v)) {
				return bad("its definition has what its policy leaves out")
			}
		}
		if computed.name != p.name && computed.digest == p.digest {
			return bad("its key is not the " + listInfo[p.list].identity + " in its definition")
		}
	}
	switch {
	case computed.digest != p.digest:
		return bad("its digest is not that of its stored definition")
	case computed.sanitized != p.sanitized:
		return bad("its sanitizedDigest is not that of its stored definition")
	}
	p.definition = computed.definition
	return nil
}

func (r *lockReader) policy(v value, where string) (policy, error) {
	var p policy
	if err := r.object(v, where, policyMembers...); err != nil {
		return p, err
	}
	for _, m := range v.members() {
		bad := func(why string) error { return r.failAt(int(m.value.at), "%s%q: %s", where, m.name, why) }
		var err error
		switch m.name {
		case "descriptions":
			if p.descriptions, err = parseDescriptions(m.value.text); err != nil || m.value.kind != '"' || p.descriptions == "" {
				return p, bad("neither strip nor truncate=N")
			}
		case "ignore":
			if p.ignore, err = sortedTexts(m.value, "JSON Pointers", parseIgnore); err != nil {
				return p, bad(err.Error())
			}
		case "substitute":
			if p.substitute, err = sortedTexts(m.value, "names", parseSubstituteNames); err != nil {
				return p, bad(err.Error())
			}
		default:
			if m.value.kind != 't' {
				return p, bad("not true; what is default is left out")
			}
			*p.flag(m.name) = true
		}
	}
	if p.isDefault() {
		return p, r.failAt(int(v.at), "%sempty; the default policy is left out", where)
	}
	return p, nil
}

// sortedTexts reads an array of strings. They must be as parse returns them: sorted, no repeats.
func sortedTexts(v value, what string, parse func([]string) ([]string, error)) ([]string, error) {
	var list []string
	for _, item := range v.items() {
		if item.kind != '"' {
			return nil, fail("not an array of %s", what)
		}
		list = append(list, item.text)
	}
	if len(list) == 0 {
		return nil, fail("not an array of %s", what)
	}
	parsed, err := parse(list)
	if err == nil && !slices.Equal(parsed, list) {
		return nil, fail("its %s are not sorted, or repeated", what)
	}
	return parsed, err
}

// hiddenRaw refuses raw characters that pinproof would have escaped: nobody sees them in
// a review of the file.
func (r *lockReader) hiddenRaw(l lockfile) error {
	at := indexBeyondASCII(r.data, escaped)
	if at == len(r.data) {
		return nil
	}
	line, _ := r.position(at)
	where, nearest := "", 0
	for _, s := range l.servers {
		for _, p := range s.pins {
			if p.line <= line && p.line > nearest {
				nearest, where = p.line, "server "+quotedName(s.server)+": pin "+quotedName(p.name)+": "
			}
		}
	}
	c, _ := utf8.DecodeRune(r.data[at:])
	return r.failAt(at, "%sU+%04X stands raw, where pinproof writes an escape", where, c)
}

// firstServer returns the first label: the sixth token of a lockfile that pinproof wrote.
func firstServer(file *bufio.Reader) string {
	head, _ := file.Peek(file.Size())
	d := newDecoder(head)
	for range 5 {
		d.ReadToken()
	}
	label, _ := d.ReadToken()
	return label.String()
}

// isLockfile recognises a lockfile by its content, even a faulty one: an object with a
// lockfileVersion, or a text that begins like one with it as the first member.
func isLockfile(data []byte) bool {
	inside, isObject := bytes.CutPrefix(bytes.TrimLeft(data, "\ufeff \t\r\n"), []byte("{"))
	if isObject && bytes.HasPrefix(bytes.TrimLeft(inside, " \t\r\n"), []byte(`"lockfileVersion"`)) {
		return true
	}
	r := newJSONReader(data)
	r.isDefinition = func([]pathStep) bool { return false }
	v, err := r.next(0, len(data))
	return err == nil && v.has("lockfileVersion")
}
