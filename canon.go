package main

import (
	"strings"

	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/text"
)

// The hashed bytes
//
// A digest is "sha256:" and the 64 lower-case hex digits of the SHA-256 of the canonical form of a definition: its JSON
// value, with every member, in the JSON Canonicalization Scheme (RFC 8785). That is UTF-8 without whitespace between
// tokens, members sorted by the UTF-16 code units of their names, numbers as ECMAScript prints the double, strings with
// the fewest escapes. Nothing is added, case-folded, normalized or left out. Any implementation of RFC 8785 gives the
// same bytes; for a definition with ASCII member names and integers of up to 15 digits, this command prints the same
// hex digits:
//
//	jq -cjS '.tools[] | select(.name == "read_file")' list.json | sha256sum
//
// The digest of a server's instructions is the SHA-256 of the text itself, its
// UTF-8 bytes as received.
//
// The set digest of a list has the same format. It is the SHA-256 of one line NAME:HEX for each entry, where HEX is the
// 64 hex digits of the entry's digest. The lines are sorted by NAME in UTF-16 code units and joined by line feeds, with
// no line feed at the end. If the policy isn't the default, the line policy:HEX comes first in the set digest of the
// tools: its HEX is the SHA-256 of the canonical form of the policy as the lockfile records it. A line feed or colon
// inside a name can't forge another set, because the digest of an entry covers its name.

// formOf returns the pin.HashedDefinition of a definition in canonical form or, for instructions, of the text as
// received.
func formOf(entryType pin.EntryType, hashed []byte) pin.HashedDefinition {
	f := pin.HashedDefinition{Definition: hashed, Digest: jsontree.Digest(hashed)}
	f.SanitizedDigest = f.Digest
	if entryType == pin.Instructions {
		f.Definition = jsontree.AppendString(nil, hashed)
		f.SanitizedDigest = jsontree.Digest([]byte(text.Sanitize(string(hashed))))
	} else if !text.IsClean(hashed) {
		f.SanitizedDigest = jsontree.Digest(sanitized(hashed))
	}
	return f
}

// sanitized returns a canonical form with every string sanitized. Member names stay as they
// are, and so does their order.
func sanitized(canonical []byte) []byte {
	return jsontree.Append(nil, jsontree.MapStrings(jsontree.ParseTrusted(canonical), text.Sanitize))
}

// setDigest returns the digest of the whole set, or "" if a name is repeated. If the set has entries other than
// tools, the digest covers one line LIST:HEX per list, in pin.LockOrder. Tools always get a line, other lists
// only if they aren't empty.
func setDigest(s *pin.Set) string {
	if s.HasRepeatedName() {
		return ""
	}
	if len(s.PinsOf(pin.Tools)) == len(s.Pins) {
		return listDigest(s, pin.Tools)
	}
	var lines []string
	for _, entryType := range pin.LockOrder {
		if entryType == pin.Tools || len(s.PinsOf(entryType)) > 0 {
			lines = append(lines, pin.EntryTypeInfo[entryType].Member+":"+jsontree.HexOf(listDigest(s, entryType)))
		}
	}
	return jsontree.Digest([]byte(strings.Join(lines, "\n")))
}

// listDigest returns the set digest of one list, and for instructions the digest of the
// text. The policy is part of the digest of tools.
func listDigest(s *pin.Set, entryType pin.EntryType) string {
	pins := s.PinsOf(entryType)
	if entryType == pin.Instructions && len(pins) == 1 {
		return pins[0].Digest
	}
	var lines []string
	add := func(name, digest string) { lines = append(lines, name+":"+jsontree.HexOf(digest)) }
	if v := s.Policy.Tree(); entryType == pin.Tools && len(v.Members()) > 0 {
		add("policy", jsontree.Digest(jsontree.Append(nil, v)))
	}
	for _, p := range pins {
		add(p.Name, p.Digest)
	}
	return jsontree.Digest([]byte(strings.Join(lines, "\n")))
}

// approvalHash returns the digest that audit logs use. It covers an object with server_id, tool_name, description and
// input_schema, as received. An absent description or input_schema is left out. tool_name is the name or URI that
// identifies the entry. For instructions, tool_name is empty and description is the text.
func approvalHash(server string, p *pin.Pin) string {
	received := p.AsReceived()
	if received.Kind == '"' {
		received = jsontree.Object(jsontree.Member{Name: "description", Value: received})
	}
	members := []jsontree.Member{{Name: "server_id", Value: jsontree.String(server)}, {Name: "tool_name", Value: jsontree.String(p.Name)}}
	for _, m := range [][2]string{{"description", "description"}, {"input_schema", "inputSchema"}} {
		if got := received.Get(m[1]); got.Kind != 0 {
			members = append(members, jsontree.Member{Name: m[0], Value: got})
		}
	}
	return jsontree.Digest(jsontree.Append(nil, jsontree.Object(members...)))
}
