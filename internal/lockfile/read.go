// Package lockfile reads and writes the lockfile. It rejects a lockfile that contradicts itself.
package lockfile

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/shell"
	"pinproof/internal/skill"
	"pinproof/internal/text"
)

// MaxBytes is the maximum size of a lockfile. It is larger than that of a capture, because indentation makes
// definitions longer, and several servers share one lockfile.
const MaxBytes = 256 << 20

// A Lockfile is the committed file of pins. It has one pin set for each server, sorted by
// server ID in UTF-16 code units.
type Lockfile struct {
	Servers []pin.Set
}

// Find returns the pins of a server, or nil.
func (l *Lockfile) Find(server string) *pin.Set {
	i, ok := l.search(server)
	if !ok {
		return nil
	}
	return &l.Servers[i]
}

// search returns the index at which a server is or would be inserted, and whether it is there.
func (l *Lockfile) search(server string) (at int, ok bool) {
	return slices.BinarySearchFunc(l.Servers, server, func(s pin.Set, server string) int { return jsontree.CompareUTF16(s.Server, server) })
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
	at, isThere := l.search(s.Server)
	if isThere {
		l.Servers[at] = s
	} else {
		l.Servers = slices.Insert(l.Servers, at, s)
	}
}

// Drop removes a server.
func (l *Lockfile) Drop(server string) {
	l.Servers = slices.DeleteFunc(slices.Clone(l.Servers), func(s pin.Set) bool { return s.Server == server })
}

// escaped reports whether the lockfile escapes r, because a reader of the file or of its git diff would miss the raw
// character.
func escaped(r rune) bool { return text.IsHidden(r) || text.UnusualSpace(r) }

// lockReader parses a lockfile.
type lockReader struct {
	// Request positions in the order of the file, because for an earlier position File counts the lines from the start
	// again.
	fail.File

	formOf  pin.HashFunc
	defined []definedPin // in the order of the file

	listed  CapturedFunc
	current string   // the server for which listed was called last
	set     *pin.Set // the result of that call
	written []byte   // a buffer for the text of one of its definitions

	// The captured entries that differ from a definition of the file. They aren't compared again: a file can repeat a
	// member many times before it is refused for that.
	differing map[*pin.Pin]bool
}

// A CapturedFunc returns the entries of a server's capture under a policy, or a set without entries if there is no
// capture.
type CapturedFunc func(server string, pol pin.Policy) *pin.Set

// A definedPin is a definition that the lockfile stores, with the name that identifies the entry in it.
type definedPin struct {
	pin.HashedDefinition
	name string
	path [2]string // the server and the key of the pin

	// The offset and size of the definition in the file, if its bytes are known to be those that Marshal writes; else
	// 0.
	at, size int
}

// Read reads a lockfile strictly. It takes the pins from the file, with digests computed from the
// definitions that it stores, and ignores everything else. Then it compares the file with what
// Marshal writes for these pins. If they differ in more than the order of servers and pins, the file contradicts
// itself, or has something that this version doesn't know, and the error names the first such place.
// This finds accidents and careless edits. It can't stop a person who may change the file.
//
// A definition whose bytes are those that Marshal would write for a listed entry isn't parsed and hashed again:
// that would take most of the time of verify. listed may be nil.
func Read(path string, data []byte, formOf pin.HashFunc, listed CapturedFunc) (Lockfile, error) {
	// As in captures, a byte order mark is skipped: some editors on Windows write one.
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if bytes.Contains(data, []byte("\r\n")) { // git on Windows may convert line feeds to CRLF
		data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	}
	r := &lockReader{File: fail.NewFile(path, data), formOf: formOf, listed: listed, set: &pin.Set{}, differing: map[*pin.Pin]bool{}}
	if len(data) > MaxBytes {
		return Lockfile{}, r.ErrorAt(-1, "more than 256 MiB")
	}
	l, root, err := r.read(data)
	if err == nil {
		written := l.tree()
		err = cmp.Or(r.differs(root, &written), r.differsInText(written))
	}
	if err != nil {
		return Lockfile{}, err
	}
	return l, nil
}

// read reads the pins, and returns them with the tree of the file.
func (r *lockReader) read(data []byte) (l Lockfile, root jsontree.Value, err error) {
	in := jsontree.NewReader(data)
	in.IsDefinition = func(path []jsontree.Step) bool {
		if len(path) == 3 && path[2].Name == "policy" {
			v, _ := jsontree.NewReader(data).Next(in.ValueStart, len(data))
			r.list(path[1].Name, v)
		}
		return len(path) == 5 && path[0].Name == "servers" && path[4].Name == "definition"
	}
	in.SkipKnown = r.known
	in.OnDefinition = func(path []jsontree.Step, v jsontree.Value, canonical []byte) {
		entryType, _ := pin.EntryTypeNamed(path[2].Name)
		d := definedPin{path: [2]string{path[1].Name, path[3].Name}, name: v.StringIn(pin.EntryTypeInfo[entryType].Identity)}
		if v.Kind == '{' {
			d.HashedDefinition = r.formOf(entryType, canonical)
		}
		r.defined = append(r.defined, d)
	}
	root, err = in.ReadSingle()
	version := root.Get("lockfileVersion")
	if err != nil || version.Kind == 0 {
		return l, root, r.notLockfile(err)
	}
	spelled := string(data[version.Start:version.End])
	if n, err := strconv.Atoi(spelled); err == nil && n > 1 {
		return l, root, r.ErrorAt(int(version.Start), "made by a newer pinproof: lockfileVersion %d, this one reads 1", n).
			Hint("update pinproof")
	}
	if spelled != "1" {
		return l, root, r.ErrorAt(int(version.Start), "not a lockfile: an unknown lockfileVersion")
	}
	servers := root.Get("servers")
	if len(servers.Members()) > jsontree.MaxEntries {
		return l, root, r.ErrorAt(int(servers.Start), "more than 50,000 servers")
	}
	for _, s := range byPlace(servers) {
		set, err := r.server(s.Name, s.Value)
		if err != nil {
			return l, root, err
		}
		l.Servers = append(l.Servers, set)
	}
	slices.SortFunc(l.Servers, func(a, b pin.Set) int { return jsontree.CompareUTF16(a.Server, b.Server) })
	return l, root, nil
}

// list sets r.current to the server, and r.set to the entries of its capture under the policy of the server's pins. If
// the policy is invalid or r.listed is nil, it changes nothing.
func (r *lockReader) list(server string, policy jsontree.Value) {
	pol, err := ParsePolicy(policy)
	if r.listed != nil && err == nil {
		r.current = server
		r.set = r.listed(server, pol)
	}
}

// known returns the length of the definition at the start of text, if it has the bytes that Marshal would write
// for the captured entry; otherwise 0.
func (r *lockReader) known(path []jsontree.Step, text []byte) int {
	if r.listed == nil {
		return 0
	}
	if r.current != path[1].Name {
		r.list(path[1].Name, jsontree.Value{}) // the file has no policy for a server with the default one
	}
	entryType, _ := pin.EntryTypeNamed(path[2].Name)
	p := r.set.Find(pin.Key{Type: entryType, Name: path[3].Name})
	if p == nil || r.differing[p] {
		return 0
	}
	r.written = appendDefinition(r.written[:0], p.Definition)
	if !bytes.HasPrefix(text, r.written) {
		r.differing[p] = true
		return 0
	}
	r.defined = append(r.defined, definedPin{HashedDefinition: p.HashedDefinition, name: p.Name, at: len(r.Data) - len(text), size: len(r.written)})
	return len(r.written)
}

// notLockfile returns the error for a file that isn't a lockfile.
func (r *lockReader) notLockfile(err error) error {
	if at := text.ConflictMarker(r.Data); at >= 0 {
		return r.ErrorAt(at, "merge conflict markers were left in").
			Hint("take one side whole, then review the other again: pinproof diff CAPTURE %s", shell.QuotePath(r.Path))
	}
	if len(bytes.TrimSpace(r.Data)) == 0 {
		return r.ErrorAt(-1, "not a lockfile: the file is empty").Hint("restore it, or remove it: pinproof lock CAPTURE %s then writes a new one", shell.QuotePath(r.Path))
	}
	bad, refused := errors.AsType[*jsontree.Error](err)
	if refused && bad.Limit {
		p := bad.Inside.Path
		return r.ErrorAt(bad.Offset, "%s%s", whereIs(p[1].Name, p[3].Name), bad.Text)
	}
	if refused {
		return r.ErrorAt(bad.Offset, "not a lockfile: %s", bad.Text)
	}
	return r.ErrorAt(-1, `not a lockfile: no "lockfileVersion"`).Hint("pinproof lock CAPTURE LOCKFILE writes one, where there is no file yet")
}

// server reads the pins of a server.
func (r *lockReader) server(name string, v jsontree.Value) (set pin.Set, err error) {
	set = pin.Set{Server: name, ServerInfo: pin.ReadServerInfo(v.Get("about")).AsRecorded(), AcceptedWarnings: recordsIn(v.Get("acceptedWarnings"))}
	set.Line, _ = r.Position(int(v.Start))
	if name == "" || len(name) > pin.MaxServerIDBytes {
		return set, r.ErrorAt(int(v.Start), "the name of a server has 1 to %d bytes", pin.MaxServerIDBytes)
	}
	policy := v.Get("policy")
	if set.Policy, err = ParsePolicy(policy); err != nil {
		return set, r.ErrorAt(int(policy.Start), "server %s: policy: %s", text.QuoteName(name), err)
	}
	var pins []pin.Pin
	for _, m := range byPlace(v) {
		entryType, isList := pin.EntryTypeNamed(m.Name)
		list := byPlace(m.Value)
		if m.Name == pin.EntryTypeInfo[pin.Instructions].Member {
			entryType = pin.Instructions
			list = []jsontree.Member{{Value: m.Value}}
		} else if !isList {
			continue
		}
		if len(list) > jsontree.MaxEntries {
			return set, r.ErrorAt(int(m.Value.Start), "server %s: more than 50,000 pins", text.QuoteName(name))
		}
		pins = slices.Grow(pins, len(list))
		for _, e := range list {
			p, why := r.pin(pin.Key{Type: entryType, Name: e.Name}, set.Policy, e.Value)
			if why != "" {
				return set, r.ErrorAt(int(e.Value.Start), "%s%s", whereIs(name, e.Name), why).Hint(editedHint)
			}
			pins = append(pins, p)
		}
	}
	set.SetPins(pins)
	return set, nil
}

// whereIs returns the start of an error's text, which names the pin.
func whereIs(server, pin string) string {
	return "server " + text.QuoteName(server) + ": pin " + text.QuoteName(pin) + ": "
}

// byPlace returns the members of an object in the order of the file, so that an error names the first fault, and lines
// are counted only once.
func byPlace(v jsontree.Value) []jsontree.Member {
	order := func(a, b jsontree.Member) int { return int(a.Start - b.Start) }
	members := v.Members()
	if !slices.IsSortedFunc(members, order) {
		members = slices.Clone(members)
		slices.SortFunc(members, order)
	}
	return members
}

// pin reads one pin. If its definition is stored, the pin's digests are those of the definition. why is a
// problem that the comparison with Marshal's output can't find, or "".
func (r *lockReader) pin(key pin.Key, pol pin.Policy, v jsontree.Value) (p pin.Pin, why string) {
	p = pin.Pin{Key: key, AcceptedWarnings: recordsIn(v.Get("acceptedWarnings"))}
	p.Line, _ = r.Position(int(v.Start))
	p.Denied = v.Get("denied").Kind == 't' && key.Type.CanBeDenied()
	stored := v.Get(storedMember(key.Type))
	name := "" // the entry's name in its stored definition
	switch {
	case pol.HashOnly:
		p.Digest = digestIn(v.Get("digest"))
		p.SanitizedDigest = cmp.Or(digestIn(v.Get("sanitizedDigest")), p.Digest)
	case key.Type == pin.Instructions:
		p.HashedDefinition = r.formOf(key.Type, []byte(stored.Text))
	case stored.DefinitionNumber > 0:
		d := &r.defined[stored.DefinitionNumber-1]
		p.HashedDefinition = d.HashedDefinition
		name = d.name
	}
	p.Approval = approvalIn(v.Get("approval"), p.Digest)
	isList := key.Type != pin.Instructions
	if key.Name == "" && isList {
		return p, "a pin without a name"
	}
	if p.Digest == "" {
		return p, "no digest, or no definition"
	}
	if p.Definition == nil || !isList {
		return p, ""
	}
	if key.Type == pin.Skills {
		s, problem := skill.Parse(p.Tree())
		switch {
		case problem == nil:
			p.Files = filesIn(v.Get("files"), s)
			if why := unrecorded(&p, s, v.Get("files")); why != "" {
				return p, why
			}
		// Under a policy with substitutes, a URI may contain a placeholder, which isn't allowed in a plain URI.
		case len(pol.Substitute) == 0:
			return p, problem.Text
		}
	}
	if name != key.Name {
		return p, "its key is not the " + pin.EntryTypeInfo[key.Type].Identity + " in its definition"
	}
	if pol.ChangesDefinitions() && !jsontree.Equal(p.Tree(), pol.Apply(key.Type, p.Tree())) {
		return p, "its definition has what its policy leaves out"
	}
	return p, ""
}

// differs returns an error about the first member that differs from what Marshal would write, or nil.
func (r *lockReader) differs(read jsontree.Value, written *jsontree.Value) error {
	path, at, what := difference(nil, read, written)
	if path == nil {
		return nil
	}
	where := ""
	within := path[:len(path)-1]
	if len(within) > 1 {
		where = "server " + text.QuoteName(path[1]) + ": "
		within = within[2:]
		if _, isList := pin.EntryTypeNamed(path[2]); isList && len(within) > 1 {
			where += "pin " + text.QuoteName(path[3]) + ": "
			within = within[2:]
		}
		for _, name := range within {
			where += text.QuoteName(name) + ": "
		}
	}
	last := path[len(path)-1]
	if isDigest := last == "digest" || last == "sanitizedDigest"; isDigest && what != isDisplaced {
		return r.ErrorAt(at, "%sits %s is not that of its stored definition", where, last).Hint(editedHint)
	}
	said := r.ErrorAt(at, what, where, text.QuoteName(last))
	for _, member := range path {
		if memberForms[member] != "" {
			said.Hint("%s: %s", member, memberForms[member])
		}
	}
	return said.Hint(editedHint)
}

// memberForms describes how pinproof writes the members that people edit.
var memberForms = map[string]string{
	"about":            "name, version or both: printable texts of 1 to 128 bytes",
	"acceptedWarnings": "lines ID PLACE sha256:HEX, sorted, none twice, and no empty list",
	"approval":         "by, at (RFC 3339 in UTC, whole seconds), hash and digest, which is the digest of the pin",
	"denied":           "true, or left out",
	"files":            "the texts of files that have the size and the digest in the definition",
}

// How a member differs from what Marshal would write: format strings for the place and the name of the member.
const (
	isUnknown   = "%smember %s: not written by this version of pinproof"
	isMissing   = "%sno %s"
	isOtherwise = "%s%s: this version of pinproof writes it differently"
	isDisplaced = "%s%s: this version of pinproof writes it at another place"
)

// difference returns the path to the first member of a file that differs from what Marshal would write, its place in
// the file, and how it differs. If no member differs, it sorts the value to write in the order of the file. within is
// the path to both values.
func difference(within []string, read jsontree.Value, written *jsontree.Value) (path []string, at int, what string) {
	sorted := jsontree.Object(slices.Clone(written.Members())...)
	var ordered []jsontree.Member
	for _, m := range byPlace(read) {
		path := append(slices.Clip(within), m.Name)
		other := jsontree.Lookup(&sorted, m.Name)
		if other == nil {
			return path, int(m.Start), isUnknown
		}
		if m.Kind == '{' && other.Kind == '{' {
			if below, at, what := difference(path, m.Value, other); below != nil {
				return below, at, what
			}
		} else if !jsontree.Equal(m.Value, *other) && other.Kind != jsontree.Raw {
			return path, int(m.Start), isOtherwise
		}
		ordered = append(ordered, jsontree.Member{Name: m.Name, Value: *other})
	}
	for i, m := range written.Members() {
		if jsontree.Lookup(&read, m.Name) == nil {
			return append(slices.Clip(within), m.Name), int(read.Start), isMissing
		}
		if found := ordered[min(i, len(ordered)-1)]; found.Name != m.Name && !isFree(within) {
			return append(slices.Clip(within), found.Name), int(read.Get(found.Name).Start), isDisplaced
		}
	}
	*written = jsontree.OrderedObject(ordered)
	return nil, 0, ""
}

// isFree reports whether the members at a path may be in any order: the servers, and the pins of a list, because a
// merge may change their order. The order of all other members is fixed. Otherwise, the mark of a denied entry, or a
// weak policy, could be far from where a reader looks for it.
func isFree(path []string) bool {
	if len(path) == 3 {
		_, isList := pin.EntryTypeNamed(path[2])
		return isList
	}
	return len(path) == 1
}

// editedHint tells a person what to do about a lockfile that contradicts itself.
const editedHint = "someone edited it, or a merge went wrong: go back to the committed version, then review with pinproof diff"

// filesIn reads the texts of a skill's files. It skips a text that doesn't have the size and digest in the skill's
// definition.
func filesIn(v jsontree.Value, of *skill.Skill) jsontree.Value {
	files := map[string]jsontree.Value{}
	for _, m := range v.Members() {
		f := of.File(m.Name)
		if f != nil && f.Size == int64(len(m.Text)) && f.Digest == jsontree.Digest([]byte(m.Text)) {
			files[m.Name] = jsontree.String(m.Text)
		}
	}
	return jsontree.ObjectFromMap(files)
}

// unrecorded returns what is wrong with a skill that has files without a text but lacks the accepted warnings about
// them, or "". Package lint has a warning for each of the first files, and one with the definition's digest for all
// others. If the definition is too large to be read, a warning about that replaces them all.
func unrecorded(p *pin.Pin, s *skill.Skill, files jsontree.Value) string {
	isRecorded := func(id, place, digest string) bool {
		return slices.Contains(p.AcceptedWarnings, pin.AcceptedWarning{ID: id, Place: place, Digest: digest})
	}
	if isRecorded("oversize", "", p.Digest) {
		return ""
	}
	unread := 0
	isRest := isRecorded(skill.UnreadFileID, "", p.Digest)
	for _, f := range s.Files {
		if files.Has(f.URI) {
			continue
		}
		unread++
		isAccepted := isRest
		if unread <= pin.MaxFindingsPerRule {
			isAccepted = isRecorded(skill.UnreadFileID, "/resources", pin.FinishTextDigest(pin.StartTextDigest(f.Digest), s.FilePath(f)))
		}
		if !isAccepted {
			return "the text of its file " + text.QuoteName(s.FilePath(f)) + " is missing, and no accepted warning (" + skill.UnreadFileID + ") says so"
		}
	}
	return ""
}

func digestIn(v jsontree.Value) string {
	if jsontree.IsDigest(v.Text) {
		return v.Text
	}
	return ""
}

// approvalIn reads the approval of the definition that has this digest. It returns nil if v isn't a valid approval of
// it.
func approvalIn(v jsontree.Value, digest string) *pin.Approval {
	a := &pin.Approval{By: v.Get("by").Text, At: v.Get("at").Text, Hash: v.Get("hash").Text, Digest: v.Get("digest").Text}
	at, err := time.Parse(time.RFC3339, a.At)
	// The lock command writes no time before 1970, because SOURCE_DATE_EPOCH isn't negative.
	if err != nil || at.Unix() < 0 || a.At != pin.ApprovalTime(at) || !pin.IsApproverName(a.By) || !jsontree.IsDigest(a.Hash) || a.Digest != digest {
		return nil
	}
	return a
}

// recordsIn reads the records of accepted warnings.
func recordsIn(list jsontree.Value) (records []pin.AcceptedWarning) {
	for _, line := range list.Items() {
		if record, ok := pin.ParseAcceptedWarning(line.Text); ok {
			records = append(records, record)
		}
	}
	return pin.SortAcceptedWarnings(records)
}

// ParsePolicy reads a policy from its member in a lockfile.
func ParsePolicy(v jsontree.Value) (p pin.Policy, err error) {
	texts := func(member string) (list []string) {
		for _, item := range v.Get(member).Items() {
			list = append(list, item.Text)
		}
		return list
	}
	var errs [3]error
	p.Descriptions, errs[0] = pin.ParseDescriptions(cmp.Or(v.Get("descriptions").Text, "preserve"))
	p.Ignore, errs[1] = pin.ParseIgnore(texts("ignore"))
	p.Substitute, errs[2] = pin.ParseSubstitutionNames(texts("substitute"))
	for _, s := range pin.PolicySwitches {
		*s.FieldOf(&p) = v.Get(s.Member).Kind == 't'
	}
	return p, cmp.Or(errs[:]...)
}

// MismatchedApprovals lists the pins whose approval has a hash that isn't that of the stored definition. If the
// policy changes what is stored, or stores nothing, the hash can't be checked, and the list is empty.
func MismatchedApprovals(s *pin.Set, hash func(server string, p *pin.Pin) string) (list []*pin.Pin) {
	if s.Policy.HashOnly || s.Policy.ChangesDefinitions() || len(s.Policy.Substitute) > 0 {
		return nil
	}
	for i := range s.Pins {
		if p := &s.Pins[i]; p.Approval != nil && p.Approval.Hash != hash(s.Server, p) {
			list = append(list, p)
		}
	}
	return list
}

// CheckApprovals refuses a lockfile with a pin that MismatchedApprovals lists.
func (l *Lockfile) CheckApprovals(path string, hash func(server string, p *pin.Pin) string) error {
	for _, s := range l.Servers {
		for _, p := range MismatchedApprovals(&s, hash) {
			return fail.NewAt(path+":"+strconv.Itoa(p.Line), "server %s: %s: the hash of its approval is not that of its definition", text.QuoteName(s.Server), p.EntryRef()).
				Hint("if you renamed the server: the hash has the old name, so take its approvals out").
				Hint("if not: " + editedHint)
		}
	}
	return nil
}

// FirstUnclean returns the first pin of a set, in the order of its lists, whose stored definition has what its
// policy (requireClean) forbids, or nil. A definition that isn't stored can't be checked.
func FirstUnclean(s *pin.Set) *pin.Pin {
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

// unclean reports whether any text or member name in a value has hidden characters or controls that no text needs.
func unclean(v jsontree.Value) bool {
	if v.Kind == '"' && text.HasHiddenOrControl(v.Text) {
		return true
	}
	for _, part := range v.Parts {
		if text.HasHiddenOrControl(part.Name) || unclean(part.Value) {
			return true
		}
	}
	return false
}

// differsInText rejects a file whose bytes differ from what Marshal would write in the order of the file: an unescaped
// hidden character, or a layout in which a member could hide from a reader of a terminal or a git diff, behind a
// carriage return or many spaces.
func (r *lockReader) differsInText(written jsontree.Value) error {
	at := 0
	follows := func(text []byte) bool {
		rest := r.Data[at:]
		if bytes.HasPrefix(rest, text) {
			at += len(text)
			return true
		}
		for i := 0; i < len(rest) && rest[i] == text[i]; i++ {
			at++
		}
		return false
	}
	wrong := func(where string) error {
		if c, _ := utf8.DecodeRune(r.Data[at:]); escaped(c) {
			return r.ErrorAt(at, "%sunescaped U+%04X, where pinproof writes an escape", where, c)
		}
		return r.ErrorAt(at, "not laid out as pinproof writes it, one member a line, so that it could hide something from a reader").Hint(editedHint)
	}
	for i, part := range bytes.SplitAfter(frame(written), []byte(opening)) {
		if i > 0 {
			d := &r.defined[i-1]
			if d.size > 0 && d.at == at {
				at += d.size
			} else if !follows(appendDefinition(nil, d.Definition)) {
				return wrong(whereIs(d.path[0], d.path[1]))
			}
			part = part[len(placeholder):]
		}
		if !follows(part) {
			return wrong("")
		}
	}
	if len(bytes.TrimPrefix(r.Data[at:], []byte("\n"))) > 0 {
		return wrong("")
	}
	return nil
}

// IsLockfile reports whether data looks like a lockfile, even a faulty one: an object that has a lockfileVersion in the
// part that can be read.
func IsLockfile(data []byte) bool {
	return slices.Contains(jsontree.MemberNames(bytes.TrimLeft(data, "\ufeff")), "lockfileVersion")
}
