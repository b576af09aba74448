package pin

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"net/url"
	"slices"
	"strings"

	"pinproof/internal/jsontree"
)

// An AcceptedWarning is a person's consent to one warning: a line of acceptedWarnings. It is valid only for the same text
// at the same place: the same warning about another text is not accepted.
type AcceptedWarning struct {
	ID string

	// A JSON Pointer without array indices, because elements move; "" for a warning that isn't about a string.
	Place string

	// The digest that binds the consent, such as the FinishTextDigest of the string and the name in it; see
	// lint.Finding.
	Digest string
}

// String returns the record as in the lockfile: its fields, separated by single spaces, without an empty place.
// The place is escaped as in the fragment of a URI (RFC 6901, section 6), so that no space, double quote or
// look-alike in the name of a parameter can pass for a field.
func (r AcceptedWarning) String() string {
	if r.Place == "" {
		return r.ID + " " + r.Digest
	}
	line := []byte(r.ID + " ")
	for _, c := range []byte(r.Place) {
		if strings.IndexByte(wordBytes+"-._~!$&'()*+,;=:@/?", c) >= 0 { // RFC 3986, section 3.5
			line = append(line, c)
		} else {
			line = fmt.Appendf(line, "%%%02X", c)
		}
	}
	return string(line) + " " + r.Digest
}

// SortAcceptedWarnings sorts records as strings, without repeats.
func SortAcceptedWarnings(records []AcceptedWarning) []AcceptedWarning {
	slices.SortFunc(records, func(a, b AcceptedWarning) int { return strings.Compare(a.String(), b.String()) })
	return slices.Compact(records)
}

// AcceptedWarningLines returns the lines that the lockfile has for records.
func AcceptedWarningLines(records []AcceptedWarning) (lines []string) {
	for _, r := range records {
		lines = append(lines, r.String())
	}
	return lines
}

// A FindingScope is where a finding is.
type FindingScope int

const (
	// An entry that has drifted, or a capture with such an entry.
	FindingInDrift FindingScope = iota

	// An entry that matches its pin, or a capture without drift.
	FindingInMatch

	// Text of a matching entry that its policy leaves out of the pin.
	FindingUnpinned

	FindingUnpinnedInDrift // such text of a drifted entry

	// A pinned text without a matching entry in a capture: its server has no capture, or the entry has drifted.
	FindingInPinOnly
)

// IsUnpinned reports whether no approval covers the text, because the policy keeps it out of the pins.
func (s FindingScope) IsUnpinned() bool { return s == FindingUnpinned || s == FindingUnpinnedInDrift }

// An EntryWarning is an accepted warning of an entry or, if its key is empty, of a server's whole list.
type EntryWarning struct {
	Entry Ref
	AcceptedWarning
}

const wordBytes = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// ParseAcceptedWarning parses a line, and reports whether it is a record exactly as String writes it. The ID may be one
// that this version doesn't know.
func ParseAcceptedWarning(line string) (AcceptedWarning, bool) {
	fields := strings.Split(line, " ")
	place := ""
	if len(fields) == 3 {
		place = fields[1]
	}
	r := AcceptedWarning{ID: fields[0], Digest: fields[len(fields)-1]}
	var err error
	r.Place, err = url.PathUnescape(place)
	_, isPointer := jsontree.SplitPointer(r.Place)
	return r, err == nil && isPointer && r.ID != "" && len(r.ID) <= 64 && strings.Trim(r.ID, wordBytes[:36]+"-") == "" && jsontree.IsDigest(r.Digest) && r.String() == line
}

// MaxFindingsPerRule is the maximum number of findings with one ID and level that are listed for an entry. If there are
// more, one further finding states their number.
const MaxFindingsPerRule = 10

// FinishTextDigest returns the digest in an AcceptedWarning: SHA-256 over the canonical form (RFC 8785) of an array.
// The array has the whole string that has the warning, as received except for placeholders, and the name that the
// warning is about, if there is one. So the consent covers neither another text at the same place nor another name.
// beginning is the result of StartTextDigest for the string: the string is hashed only once for all of the names in it.
// By hand: printf %s '["Call read_file first.","read_file"]' | sha256sum
func FinishTextDigest(beginning hash.Hash, name string) string {
	rest := []byte{}
	if name != "" {
		rest = jsontree.AppendString([]byte(","), name)
	}
	whole, _ := beginning.(hash.Cloner).Clone()
	whole.Write(append(rest, ']'))
	return fmt.Sprintf("%s%x", jsontree.DigestPrefix, whole.Sum(nil))
}

// StartTextDigest starts the hash of the JSON array [text] or [text, name]; FinishTextDigest adds the rest.
func StartTextDigest(text string) hash.Hash {
	h := sha256.New()
	h.Write(jsontree.AppendString([]byte("["), text))
	return h
}
