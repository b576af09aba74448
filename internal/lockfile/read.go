// Package lockfile reads the committed file of pins, checked against itself, and writes it.
package lockfile

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/shell"
	"pinproof/internal/skill"
	"pinproof/internal/text"
)

// A Lockfile is the committed file of pins. It has one pin set for each server, sorted by
// server ID in UTF-16 code units.
type Lockfile struct {
	Servers []pin.Set
}

// Find returns the pins of a server, or nil.
func (l *Lockfile) Find(server string) *pin.Set {
	i, ok := slices.BinarySearchFunc(l.Servers, server, func(s pin.Set, server string) int { return jsontree.CompareUTF16(s.Server, server) })
	if !ok {
		return nil
	}
	return &l.Servers[i]
}

// ServerIDs returns the server IDs.
func (l *Lockfile) ServerIDs() []string {
	var list []string
	for _, s := range l.Servers {
		list = append(list, s.Server)
	}
	return list
}

// Put adds a server's pins or replaces them.
func (l *Lockfile) Put(s pin.Set) {
	l.Drop(s.Server)
	l.Servers = append(l.Servers, s)
	l.sort()
}

func (l *Lockfile) sort() {
	slices.SortFunc(l.Servers, func(a, b pin.Set) int { return jsontree.CompareUTF16(a.Server, b.Server) })
}

// Drop removes a server.
func (l *Lockfile) Drop(server string) {
	l.Servers = slices.DeleteFunc(slices.Clone(l.Servers), func(s pin.Set) bool { return s.Server == server })
}

// escaped reports whether the lockfile spells r as an escape. A reader of the file or of
// its git diff would miss a raw one.
func escaped(r rune) bool { return text.Hidden(r) || text.UnusualSpace(r) }

// lockReader parses a lockfile.
type lockReader struct {
	// It is asked for places in the order of the file: to go back, it would count lines from the start.
	fail.File

	json    *jsontree.Reader
	formOf  pin.FormFunc
	defined map[int32]definedPin // by the offset of the definition
}

// A definedPin is a definition that the lockfile stores, with the identity in it.
type definedPin struct {
	pin.Form
	name     string
	isObject bool
	skill    *skill.Skill   // of a skill
	problem  *skill.Problem // why it isn't a skill
}

// Read reads a lockfile strictly and recomputes all it can. A lockfile that
// contradicts itself is an error that names the pin. These checks find accidents and
// careless edits. They can't stop a person who may change the file.
func Read(path string, data []byte, formOf pin.FormFunc) (Lockfile, error) {
	// As in captures, a byte order mark is passed over: some editors on Windows write one.
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	r := &lockReader{File: fail.NewFile(path, data), formOf: formOf, defined: map[int32]definedPin{}}
	if len(data) > jsontree.MaxLockfileBytes {
		return Lockfile{}, r.At(-1, "more than 256 MiB")
	}
	r.json = jsontree.NewReader(data)
	r.json.IsDefinition = func(path []jsontree.Step) bool {
		return len(path) == 5 && path[0].Name == "servers" && path[4].Name == "definition"
	}
	r.json.Definition = func(path []jsontree.Step, v jsontree.Value, canonical []byte) {
		entryType, _ := pin.EntryTypeNamed(path[2].Name)
		name := v.Get(pin.EntryTypeInfo[entryType].Identity)
		d := definedPin{name: strings.Clone(jsontree.TextOf(&name)), isObject: v.Kind == '{'}
		if d.isObject {
			d.Form = r.formOf(entryType, canonical)
		}
		if entryType == pin.Skills {
			d.skill, d.problem = skill.Read(v)
		}
		r.defined[v.At] = d
	}
	root, err := r.json.Only()
	if err != nil || root.Kind != '{' {
		return Lockfile{}, r.notLockfile(err)
	}
	l, err := r.servers(root)
	if err == nil {
		err = r.hiddenRaw(l)
	}
	if err != nil {
		return Lockfile{}, err
	}
	return l, nil
}

func (r *lockReader) servers(root jsontree.Value) (l Lockfile, err error) {
	version := root.Get("lockfileVersion")
	if version.Kind == 0 {
		return l, r.notLockfile(nil)
	}
	if v := string(r.Data[version.At:version.End]); v != "1" {
		if n, err := strconv.Atoi(v); err == nil && n > 1 {
			return l, r.At(int(version.At), "made by a newer pinproof: lockfileVersion %d, this one reads 1", n).
				Hint("update pinproof")
		}
		return l, r.At(int(version.At), "not a lockfile: an unknown lockfileVersion")
	}
	if err := r.object(root, "", "lockfileVersion", "servers"); err != nil {
		return l, err
	}
	servers := root.Get("servers")
	if servers.Kind != '{' {
		return l, r.At(int(version.At), `no "servers"`)
	}
	if len(servers.Members()) > jsontree.MaxEntries {
		return l, r.At(int(servers.At), "more than 50,000 servers")
	}
	for _, s := range byPlace(servers) {
		set, err := r.server(s.Name, s.Value)
		if err != nil {
			return l, err
		}
		l.Servers = append(l.Servers, set)
	}
	l.sort()
	return l, nil
}

// notLockfile says what the file is instead.
func (r *lockReader) notLockfile(err error) error {
	if at := text.ConflictMarker(r.Data); at >= 0 {
		return r.At(at, "merge conflict markers were left in").
			Hint("take one side whole, then review the other again: pinproof diff CAPTURE %s", shell.Path(r.Path))
	}
	bad, refused := errors.AsType[*jsontree.Error](err)
	if refused && bad.Limit {
		p := bad.Inside.Path
		return r.At(bad.At, "server %s: pin %s: %s", text.Name(p[1].Name), text.Name(p[3].Name), bad.Text)
	}
	if refused {
		return r.At(bad.At, "not a lockfile: %s", bad.Text)
	}
	return r.At(-1, `not a lockfile: no "lockfileVersion"`).Hint("pinproof lock CAPTURE LOCKFILE writes one, where there is no file yet")
}

// object refuses a value that isn't an object. If the members that version 1 knows are given,
// it also refuses any other member.
func (r *lockReader) object(v jsontree.Value, where string, known ...string) error {
	if v.Kind != '{' {
		return r.At(int(v.At), "%snot an object", where)
	}
	for _, m := range v.Members() {
		if len(known) > 0 && !slices.Contains(known, m.Name) {
			return r.At(int(m.Value.At), "%smember %s: not written by this version of pinproof", where, text.Name(m.Name))
		}
	}
	return nil
}

func (r *lockReader) server(name string, v jsontree.Value) (pin.Set, error) {
	where := "server " + text.Name(name) + ": "
	set := pin.Set{Server: name}
	set.Line, _ = r.Position(int(v.At))
	if name == "" {
		return set, r.At(int(v.At), "a server without a name")
	}
	if len(name) > jsontree.MaxServerIDBytes {
		return set, r.At(int(v.At), "a server whose name has more than %d bytes", jsontree.MaxServerIDBytes)
	}
	known := []string{"about", "policy", "acceptedWarnings"}
	for entryType := range pin.EntryTypes {
		known = append(known, pin.EntryTypeInfo[entryType].Member)
	}
	if err := r.object(v, where, known...); err != nil {
		return set, err
	}
	if a := v.Get("about"); a.Kind != 0 {
		if err := r.object(a, where+"about: ", "name", "version"); err != nil {
			return set, err
		}
		set.About = pin.AboutIn(a).Recorded()
		if len(a.Members()) == 0 || a.Has("name") && set.About.Name == "" || a.Has("version") && set.About.Version == "" {
			return set, r.At(int(a.At), `%s"about" needs "name", "version" or both: printable, of 1 to 128 bytes`, where)
		}
	}
	var err error
	if p := v.Get("policy"); p.Kind != 0 {
		if set.Policy, err = r.policy(p, where+"policy: "); err != nil {
			return set, err
		}
	}
	if set.Accepted, err = r.accepted(v, where); err != nil {
		return set, err
	}
	if !v.Has("tools") {
		return set, r.At(int(v.At), `%sno "tools"`, where)
	}
	var pins []pin.Pin
	for _, m := range byPlace(v) {
		entryType, isList := pin.EntryTypeNamed(m.Name)
		if m.Name == "instructions" {
			pins, err = r.entry(pins, set.Policy, pin.Instructions, jsontree.Member{Value: m.Value}, where+"instructions: ")
		} else if isList {
			pins, err = r.entries(pins, set.Policy, entryType, m.Value, where)
		}
		if err != nil {
			return set, err
		}
	}
	set.Put(pins)
	return set, nil
}

// byPlace returns the members of an object in the order of the file, so that an error names the
// first fault, and the search for lines never goes back.
func byPlace(v jsontree.Value) []jsontree.Member {
	return slices.SortedFunc(slices.Values(v.Members()), func(a, b jsontree.Member) int { return int(a.At - b.At) })
}

func (r *lockReader) entries(pins []pin.Pin, pol pin.Policy, entryType pin.EntryType, v jsontree.Value, where string) ([]pin.Pin, error) {
	if err := r.object(v, where+pin.EntryTypeInfo[entryType].Member+": "); err != nil {
		return nil, err
	}
	if len(v.Members()) > jsontree.MaxEntries {
		return nil, r.At(int(v.At), "%smore than 50,000 pins", where)
	}
	what := "pin "
	if entryType != pin.Tools {
		what = pin.EntryTypeInfo[entryType].Entry + " "
	}
	for _, e := range byPlace(v) {
		at := where + what + text.Name(e.Name) + ": "
		if e.Name == "" {
			return nil, r.At(int(e.Value.At), "%sa pin without a name", at)
		}
		var err error
		if pins, err = r.entry(pins, pol, entryType, e, at); err != nil {
			return nil, err
		}
	}
	return pins, nil
}

// entry reads one pin, checks it against its stored definition, and appends it.
func (r *lockReader) entry(pins []pin.Pin, pol pin.Policy, entryType pin.EntryType, e jsontree.Member, where string) ([]pin.Pin, error) {
	v := e.Value
	stored := storedMember(entryType)
	known := []string{"digest", "sanitizedDigest", "acceptedWarnings", "approval", stored}
	if entryType.CanBeDenied() {
		known = append(known, "denied")
	}
	if entryType == pin.Skills && !pol.HashOnly {
		known = append(known, "files")
	}
	if err := r.object(v, where, known...); err != nil {
		return nil, err
	}
	p := pin.Pin{Key: pin.Key{Type: entryType, Name: e.Name}, Form: pin.Form{Digest: v.Get("digest").Text}}
	p.Line, _ = r.Position(int(v.At))
	if !pin.IsDigest(p.Digest) || v.Get("digest").Kind != '"' {
		return nil, r.At(int(v.At), `%sno "digest" of the form sha256: and 64 lower-case hex digits`, where)
	}
	if d := v.Get("denied"); d.Kind != 0 {
		if d.Kind != 't' {
			return nil, r.At(int(d.At), `%s"denied" is true, or left out`, where)
		}
		p.Denied = true
	}
	p.Sanitized = p.Digest
	if s := v.Get("sanitizedDigest"); s.Kind != 0 {
		p.Sanitized = s.Text
		if s.Kind != '"' || !pin.IsDigest(s.Text) {
			return nil, r.At(int(s.At), `%s"sanitizedDigest" isn't a digest`, where)
		}
		if s.Text == p.Digest {
			return nil, r.At(int(s.At), `%s"sanitizedDigest" is redundant: it equals "digest"`, where)
		}
	}
	var err error
	if p.Accepted, err = r.accepted(v, where); err != nil {
		return nil, err
	}
	if p.Approval, err = r.approval(v.Get("approval"), p.Digest, where); err != nil {
		return nil, err
	}
	text := v.Get(stored)
	if text.Kind != 0 && pol.HashOnly {
		return nil, r.At(int(text.At), "%sa definition is stored, which the policy (hashOnly) leaves out", where)
	}
	if text.Kind == 0 && !pol.HashOnly {
		return nil, r.At(int(v.At), "%sno definition is stored, and the policy is not hashOnly", where)
	}
	if text.Kind != 0 {
		if err := r.recompute(&p, text, pol, where); err != nil {
			return nil, err
		}
	}
	if files := v.Get("files"); files.Kind != 0 {
		p.Files, err = r.files(files, r.defined[text.At].skill, where+"files: ")
	}
	return append(pins, p), err
}

// approval reads the record of who accepted a pin that has this digest. Without a record, it returns nil.
func (r *lockReader) approval(v jsontree.Value, digest, where string) (*pin.Approval, error) {
	if v.Kind == 0 {
		return nil, nil
	}
	if err := r.object(v, where+"approval: ", "by", "at", "hash", "digest"); err != nil {
		return nil, err
	}
	a := approvalIn(v)
	if a == nil {
		return nil, r.At(int(v.At), `%s"approval" needs "by", "at" (RFC 3339) and "hash" (a digest)`, where)
	}
	// A record of an older version has no digest.
	if d := v.Get("digest"); d.Kind != 0 && (d.Kind != '"' || d.Text != digest) {
		return nil, r.At(int(d.At), "%sthe digest of its approval is not the pin's", where).Hint(editedHint)
	}
	return a, nil
}

// editedHint is what to do about a lockfile that contradicts itself.
const editedHint = "someone edited it, or a merge went wrong: go back to the committed version, then review with pinproof diff"

// files reads the texts of a skill's files, and refuses one that isn't what the definition says.
func (r *lockReader) files(v jsontree.Value, of *skill.Skill, where string) (files []pin.File, err error) {
	if err := r.object(v, where); err != nil {
		return nil, err
	}
	if of == nil || len(v.Members()) == 0 {
		return nil, r.At(int(v.At), "%sits definition has no files", where)
	}
	// The members are sorted, and so are the files of a pin.
	for _, m := range v.Members() {
		f := of.File(m.Name)
		sum := fmt.Sprintf("%s%x", pin.DigestPrefix, sha256.Sum256([]byte(m.Text)))
		if m.Kind != '"' {
			return nil, r.At(int(m.At), "%s%s isn't a string", where, text.Name(m.Name))
		}
		if f == nil {
			return nil, r.At(int(m.At), "%s%s isn't a file of its definition", where, text.Name(m.Name))
		}
		if f.Digest != sum || f.Size != int64(len(m.Text)) {
			return nil, r.At(int(m.At), "%sthe text of %s doesn't match the digest and the size in its definition", where, text.Name(m.Name)).
				Hint(editedHint)
		}
		files = append(files, pin.File{URI: m.Name, Text: strings.Clone(m.Text)})
	}
	return files, nil
}

// approvalIn reads a record of who accepted a definition. It returns nil if v isn't such a record.
func approvalIn(v jsontree.Value) *pin.Approval {
	a := &pin.Approval{By: v.Get("by").Text, At: v.Get("at").Text, Hash: v.Get("hash").Text, Digest: v.Get("digest").Text}
	if _, err := time.Parse(time.RFC3339, a.At); err != nil || a.By == "" || !pin.IsDigest(a.Hash) {
		return nil
	}
	return a
}

// FalseApprovals lists the pins whose recorded approval has a hash that isn't that of the definition
// beside it. If the policy shapes what is stored, or stores nothing, nobody can tell, and it lists none.
func FalseApprovals(s *pin.Set, hash func(server string, p *pin.Pin) string) (list []*pin.Pin) {
	if s.Policy.HashOnly || s.Policy.Shapes() || len(s.Policy.Substitute) > 0 {
		return nil
	}
	for i := range s.Pins {
		if p := &s.Pins[i]; p.Approval != nil && p.Approval.Hash != hash(s.Server, p) {
			list = append(list, p)
		}
	}
	return list
}

// CheckApprovals refuses a lockfile that has an approval as FalseApprovals lists them.
func (l *Lockfile) CheckApprovals(path string, hash func(server string, p *pin.Pin) string) error {
	for i := range l.Servers {
		s := &l.Servers[i]
		for _, p := range FalseApprovals(s, hash) {
			return fail.In(text.Printable(path)+":"+strconv.Itoa(p.Line), "server %s: %s: the hash of its approval is not that of its definition", text.Name(s.Server), pin.EntryRef(p.Type, p.Name)).
				Hint("if you renamed the server: the hash has the old name, so take its approvals out").
				Hint("if not: " + editedHint)
		}
	}
	return nil
}

// Unclean returns the first pin of a set, in the order of its lists, whose stored definition has
// what its policy (requireClean) forbids, or nil. Where no definition is stored, nobody can tell.
func Unclean(s *pin.Set) *pin.Pin {
	if !s.Policy.RequireClean {
		return nil
	}
	for i := range s.Pins {
		if s.Pins[i].Definition != nil && unclean(s.Pins[i].Tree()) {
			return &s.Pins[i]
		}
	}
	return nil
}

// unclean reports whether any text or member name in a value is unclean.
func unclean(v jsontree.Value) bool {
	if v.Kind == '"' && text.Unclean(v.Text) {
		return true
	}
	for _, part := range v.Parts {
		if text.Unclean(part.Name) || unclean(part.Value) {
			return true
		}
	}
	return false
}

// accepted reads the record of the accepted warnings of a server or a pin.
func (r *lockReader) accepted(v jsontree.Value, where string) ([]pin.Record, error) {
	list := v.Get("acceptedWarnings")
	if list.Kind == 0 {
		return nil, nil
	}
	records, err := recordsIn(list)
	if err != nil {
		return nil, r.At(int(list.At), `%s"acceptedWarnings": %s`, where, err).
			Hint("remove these records, read the warnings, then accept them: pinproof relock CAPTURE %s", shell.Path(r.Path))
	}
	return records, nil
}

// recordsIn reads the records of accepted warnings, which must be sorted and not repeated.
func recordsIn(list jsontree.Value) ([]pin.Record, error) {
	var records []pin.Record
	var before string
	for _, line := range list.Items() {
		record, ok := pin.ParseRecord(line.Text)
		if line.Kind != '"' || !ok {
			return nil, fail.New("%s: a record is ID PLACE sha256:HEX, of the text that was accepted", text.Name(line.Text))
		}
		if line.Text <= before {
			return nil, fail.New("its records are not sorted, or repeated")
		}
		records = append(records, record)
		before = line.Text
	}
	if len(records) == 0 {
		return nil, fail.New("not an array of records")
	}
	return records, nil
}

// recompute makes a pin of the stored definition and refuses p if it differs.
func (r *lockReader) recompute(p *pin.Pin, stored jsontree.Value, pol pin.Policy, where string) error {
	bad := func(what string) error {
		return fail.In(text.Printable(r.Path)+":"+strconv.Itoa(p.Line), "%s%s", where, what).
			Hint(editedHint)
	}
	var computed definedPin // from the stored definition
	if p.Type == pin.Instructions {
		if stored.Kind != '"' {
			return r.At(int(stored.At), "%sits text isn't a string", where)
		}
		computed.Form = r.formOf(p.Type, []byte(stored.Text))
	} else {
		computed = r.defined[stored.At]
		if !computed.isObject {
			return r.At(int(stored.At), "%sits definition isn't an object", where)
		}
		if pol.Shapes() {
			v := jsontree.Canonical(computed.Definition)
			if !jsontree.Equal(v, pol.Apply(p.Type, v)) {
				return bad("its definition has what its policy leaves out")
			}
		}
		// Under a policy that substitutes, a URI may have a placeholder, which isn't a plain part of a URI.
		if problem := computed.problem; problem != nil && len(pol.Substitute) == 0 {
			return r.At(problem.At, "%s%s", where, problem.Text)
		}
		if computed.name != p.Name && computed.Digest == p.Digest {
			return bad("its key is not the " + pin.EntryTypeInfo[p.Type].Identity + " in its definition")
		}
	}
	if computed.Digest != p.Digest {
		return bad("its digest is not that of its stored definition")
	}
	if computed.Sanitized != p.Sanitized {
		return bad("its sanitizedDigest is not that of its stored definition")
	}
	p.Definition = computed.Definition
	return nil
}

// policy reads a policy, and refuses what pinproof wouldn't write: a member that it doesn't know, or
// that is default, and lists that aren't sorted.
func (r *lockReader) policy(v jsontree.Value, where string) (p pin.Policy, err error) {
	texts := func(member string) (list []string) {
		for _, item := range v.Get(member).Items() {
			list = append(list, item.Text)
		}
		return list
	}
	if d := v.Get("descriptions"); d.Text != "" {
		p.Descriptions, err = pin.ParseDescriptions(d.Text)
	}
	if err == nil {
		p.Ignore, err = pin.ParseIgnore(texts("ignore"))
	}
	if err == nil {
		p.Substitute, err = pin.ParseSubstituteNames(texts("substitute"))
	}
	if err != nil {
		return p, r.At(int(v.At), "%s%s", where, err)
	}
	for _, s := range pin.Switches {
		*s.Of(&p) = v.Get(s.Member).Kind == 't'
	}
	written := p.Value()
	for _, m := range byPlace(v) {
		if !jsontree.Equal(m.Value, written.Get(m.Name)) {
			return p, r.At(int(m.Value.At), "%s%s: this version of pinproof writes it differently", where, text.Name(m.Name))
		}
	}
	if p.IsDefault() || !jsontree.Equal(v, written) {
		return p, r.At(int(v.At), "%snot written by this version of pinproof", where)
	}
	return p, nil
}

// hiddenRaw refuses raw characters that pinproof would have escaped: nobody sees them in
// a review of the file.
func (r *lockReader) hiddenRaw(l Lockfile) error {
	at := text.IndexBeyondASCII(r.Data, escaped)
	if at == len(r.Data) {
		return nil
	}
	line, _ := r.Position(at)
	where := ""
	nearest := 0
	for _, s := range l.Servers {
		for _, p := range s.Pins {
			if p.Line <= line && p.Line > nearest {
				nearest = p.Line
				where = "server " + text.Name(s.Server) + ": pin " + text.Name(p.Name) + ": "
			}
		}
	}
	c, _ := utf8.DecodeRune(r.Data[at:])
	return r.At(at, "%sunescaped U+%04X, where pinproof writes an escape", where, c)
}

// Recognize recognises a lockfile by its content, even a faulty one: an object with a
// lockfileVersion, or a text that begins like one with it as the first member.
func Recognize(data []byte) bool {
	inside, isObject := bytes.CutPrefix(bytes.TrimLeft(data, "\ufeff \t\r\n"), []byte("{"))
	if isObject && bytes.HasPrefix(bytes.TrimLeft(inside, " \t\r\n"), []byte(`"lockfileVersion"`)) {
		return true
	}
	return first(data).Has("lockfileVersion")
}

// first reads the value that a text begins with. Its strings don't keep the rest of the text in memory.
func first(data []byte) jsontree.Value {
	r := jsontree.NewReader(data)
	r.IsDefinition = func([]jsontree.Step) bool { return false }
	v, _ := r.Next(0, len(data))
	return v
}
