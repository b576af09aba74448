package lockfile

import (
	"bytes"

	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/text"
)

// Marshal returns the bytes of a lockfile. The same pins give the same bytes. It refuses a pin
// whose canonical form two other implementations of RFC 8785 don't confirm.
func Marshal(l Lockfile) ([]byte, error) {
	size := 0
	var definitions [][]byte // in the order of the file
	for i := range l.Servers {
		s := &l.Servers[i]
		if err := confirm(s); err != nil {
			return nil, err
		}
		for _, p := range s.Pins {
			if !s.Policy.HashOnly && p.Type != pin.Instructions {
				definitions = append(definitions, p.Definition)
				size += 2 * len(p.Definition)
			}
		}
	}
	frame := frame(l.tree())
	// A growing buffer would take twice as much memory.
	out := make([]byte, 0, len(frame)+size)
	for i, part := range bytes.SplitAfter(frame, []byte(opening)) {
		if i > 0 {
			out = appendDefinition(out, definitions[i-1])
			part = part[len(placeholder):]
		}
		out = append(out, part...)
		if len(out) >= MaxBytes {
			return nil, fail.New("the lockfile would be larger than 256 MiB").Hint("keep it smaller: pinproof lock --hash-only")
		}
	}
	return append(out, '\n'), nil
}

// frame returns the text of a lockfile's tree with placeholders, without the last line feed.
func frame(tree jsontree.Value) []byte {
	return escapeHidden(jsontree.AppendIndented(nil, jsontree.Append(nil, tree), 0))
}

// appendDefinition appends a definition to dst, indented and escaped as in the lockfile.
func appendDefinition(dst, definition []byte) []byte {
	from := len(dst)
	dst = jsontree.AppendIndented(dst, definition, 5)
	if text.IndexNonASCIIFunc(definition, escaped) < len(definition) {
		dst = append(dst[:from], escapeHidden(dst[from:])...)
	}
	return dst
}

// In the result of tree, a placeholder replaces each definition. In the indented text, the placeholder follows opening,
// which occurs in no string, because it begins with a line feed.
const (
	opening     = "\n          \"definition\": "
	placeholder = "{}"
)

// confirm checks the canonical forms of a server's definitions (jsontree.CheckCanonicalForm) against the received text
// or, if that isn't known or the policy changes it, against themselves.
func confirm(s *pin.Set) error {
	for _, p := range s.Pins {
		received := p.Received
		if received == nil || s.Policy.ChangesDefinitions() || len(s.Policy.Substitute) > 0 {
			received = p.Definition
		}
		if p.Definition == nil {
			// A hash-only pin of a lockfile was confirmed when it was made.
			continue
		}
		if err := jsontree.CheckCanonicalForm(received, p.Definition); err != nil {
			return fail.New("server %s: %s: %s; nothing was written", text.QuoteName(s.Server), p.EntryRef(), err).
				Hint("that is a bug in pinproof: please report it, with the capture")
		}
	}
	return nil
}

// members collects the members of an object, in the order of the file.
type members []jsontree.Member

func (m *members) add(name string, v jsontree.Value) {
	*m = append(*m, jsontree.Member{Name: name, Value: v})
}

// text adds a string, unless it is empty.
func (m *members) text(name, s string) {
	if s != "" {
		m.add(name, jsontree.String(s))
	}
}

// tree returns the lockfile as a JSON tree, in the order of the file, with placeholders for definitions.
func (l Lockfile) tree() jsontree.Value {
	var servers, root members
	for i := range l.Servers {
		servers.add(l.Servers[i].Server, serverTree(&l.Servers[i]))
	}
	root.add("lockfileVersion", jsontree.Value{Kind: '0', Text: "1"})
	root.add("servers", jsontree.OrderedObject(servers))
	return jsontree.OrderedObject(root)
}

// StateText returns a server's entry in the lockfile as JSON, with digests in place of definitions, or "" if s is nil.
func StateText(s *pin.Set) string {
	if s == nil {
		return ""
	}
	return string(jsontree.Append(nil, jsontree.OrderedObject([]jsontree.Member{{Name: s.Server, Value: serverTree(s)}})))
}

func serverTree(s *pin.Set) jsontree.Value {
	var server, about members
	about.text("name", s.ServerInfo.Name)
	about.text("version", s.ServerInfo.Version)
	if len(about) > 0 {
		server.add("about", jsontree.OrderedObject(about))
	}
	if policy := s.Policy.Tree(); len(policy.Members()) > 0 {
		server.add("policy", policy)
	}
	server.accepted(s.AcceptedWarnings)
	for _, entryType := range pin.LockOrder {
		var list members
		pins := s.PinsOf(entryType)
		for i := range pins {
			list.add(pins[i].Name, pinTree(&pins[i], s.Policy.HashOnly))
		}
		if entryType == pin.Instructions && len(list) > 0 {
			server.add(pin.EntryTypeInfo[entryType].Member, list[0].Value)
		} else if entryType == pin.Tools || len(list) > 0 {
			server.add(pin.EntryTypeInfo[entryType].Member, jsontree.OrderedObject(list))
		}
	}
	return jsontree.OrderedObject(server)
}

func pinTree(p *pin.Pin, hashOnly bool) jsontree.Value {
	var m members
	m.text("digest", p.Digest)
	// The mark comes right after the digest, so that git's own merge has a conflict if one side
	// removes the mark and the other changes the digest.
	if p.Denied {
		m.add("denied", jsontree.Value{Kind: 't'})
	}
	if p.SanitizedDigest != p.Digest {
		m.text("sanitizedDigest", p.SanitizedDigest)
	}
	m.accepted(p.AcceptedWarnings)
	if a := p.Approval; a != nil {
		var approval members
		approval.text("by", a.By)
		approval.text("at", a.At)
		approval.text("hash", a.Hash)
		approval.text("digest", a.Digest)
		m.add("approval", jsontree.OrderedObject(approval))
	}
	if hashOnly {
		return jsontree.OrderedObject(m)
	}
	stored := jsontree.Value{Kind: jsontree.Raw, Text: placeholder}
	if p.Type == pin.Instructions {
		stored = p.Tree()
	}
	m.add(storedMember(p.Type), stored)
	if len(p.Files.Parts) > 0 {
		m.add("files", p.Files)
	}
	return jsontree.OrderedObject(m)
}

// accepted adds the record of accepted warnings, one on each line: a reviewer of the file
// must not miss them.
func (m *members) accepted(records []pin.AcceptedWarning) {
	if len(records) > 0 {
		m.add("acceptedWarnings", jsontree.Strings(pin.AcceptedWarningLines(records)))
	}
}

// storedMember returns the name of the member that stores a pin's definition.
func storedMember(entryType pin.EntryType) string {
	if entryType == pin.Instructions {
		return "text"
	}
	return "definition"
}

// escapeHidden replaces hidden characters, which occur only in strings, by JSON escapes.
func escapeHidden(part []byte) []byte {
	if text.IndexNonASCIIFunc(part, escaped) == len(part) {
		return part
	}
	return jsontree.EscapeCharacters(part, func(r, _ rune) bool { return escaped(r) })
}
