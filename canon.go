package main

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// The hashed bytes
//
// A digest is "sha256:" and the 64 lower-case hex digits of the SHA-256 of the
// canonical form of a definition: its JSON value, with every member, in the
// JSON Canonicalization Scheme (RFC 8785). That is UTF-8 without blanks between
// tokens, members sorted by the UTF-16 code units of their names, numbers as
// ECMAScript prints the double, strings with the fewest escapes. Nothing is
// filled in, folded, normalized or left out. Any RFC 8785 tool gives the same;
// for a tool with ASCII member names and integers of up to 15 digits, so does
//
//	jq -cjS '.tools[] | select(.name == "read_file")' list.json | sha256sum
//
// The digest of a server's instructions is the SHA-256 of the text itself, its
// UTF-8 bytes as received.
//
// A list's set digest is written the same way. It is the SHA-256 of the lines NAME:HEX,
// one for each entry, where HEX is the 64 digits of its digest. They are sorted by NAME
// in UTF-16 code units and joined by one line feed, with none at the end. In that of
// tools, a policy other than the default puts the line policy:HEX first: its HEX is the
// SHA-256 of the canonical form of the policy as the lockfile records it. A line feed or
// colon inside a name can't forge another set, because HEX covers the name.

// digest returns the digest of canonical bytes, or of a text that is hashed as it is.
func digest(canonical []byte) string {
	sum := sha256.Sum256(canonical)
	return digestPrefix + hex.EncodeToString(sum[:])
}

// formOf returns the form of the definition v, or of a server's instructions. It sorts the
// members of v.
func formOf(list listKind, v *value) form {
	if list == instructionsList {
		return form{appendString(nil, v.text), digest([]byte(v.text)), digest([]byte(sanitizeText(v.text)))}
	}
	definition := canonical(v)
	f := form{definition, digest(definition), ""}
	f.sanitized = f.digest
	if !isClean(definition) {
		if clean, changed := sanitized(*v); changed {
			f.sanitized = digest(canonical(&clean))
		}
	}
	return f
}

// sanitized returns v with every string sanitized. Member names stay as they are.
// The second result says whether that changed anything.
func sanitized(v value) (value, bool) {
	changed := false
	clean := mapTexts(v, func(s string) string {
		clean := sanitizeText(s)
		changed = changed || clean != s
		return clean
	})
	return clean, changed
}

// setDigest returns the digest of the whole set, or "" if a name is repeated. If there are
// more than tools, it is over the lines LIST:HEX in lockOrder: tools always has its line,
// another list only if it has entries.
func setDigest(s *pinset) string {
	if s.repeated() {
		return ""
	}
	if len(s.of(toolList)) == len(s.pins) {
		return listDigest(s, toolList)
	}
	var lines []string
	for _, list := range lockOrder {
		if list == toolList || len(s.of(list)) > 0 {
			lines = append(lines, listInfo[list].member+":"+hexOf(listDigest(s, list)))
		}
	}
	return digest([]byte(strings.Join(lines, "\n")))
}

// listDigest returns the set digest of one list, and for instructions the digest of the
// text. The policy is part of the digest of tools.
func listDigest(s *pinset, list listKind) string {
	pins := s.of(list)
	if list == instructionsList && len(pins) == 1 {
		return pins[0].digest
	}
	var lines []string
	if v := s.policy.value(); list == toolList && len(v.members()) > 0 {
		lines = append(lines, "policy:"+hexOf(digest(canonical(&v))))
	}
	for _, p := range pins {
		lines = append(lines, p.name+":"+hexOf(p.digest))
	}
	return digest([]byte(strings.Join(lines, "\n")))
}

// approvalHash returns the digest of a definition as received, in the form that audit
// logs use: an object of the members server_id, tool_name, description and input_schema,
// without absent ones. For a prompt, template or resource, tool_name is its identity. For
// instructions it is empty, and description is their text.
func approvalHash(server string, p *pin) string {
	received := p.asReceived()
	if received.kind == '"' {
		received = value{kind: '{', parts: []namedValue{{"description", received}}}
	}
	v := value{kind: '{', parts: []namedValue{{"server_id", textValue(server)}, {"tool_name", textValue(p.name)}}}
	for _, m := range [][2]string{{"description", "description"}, {"input_schema", "inputSchema"}} {
		if got := received.get(m[1]); got.kind != 0 {
			v.parts = append(v.parts, namedValue{m[0], got})
		}
	}
	return digest(canonical(&v))
}
