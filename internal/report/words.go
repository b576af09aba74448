package report

import (
	"slices"
	"strings"

	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/text"
)

// Limits on how many things one sentence names.
const (
	maxSaidNames   = 3
	maxSaidChanges = 4

	// In a line of relock, because the entries were shown above.
	maxClosingNames = 5

	// The maximum length in bytes of the text before a command on the same line. A command isn't wrapped.
	maxBesideCommand = 40
)

// shortRef names an entry in a sentence: "write_file", "prompt review",
// "instructions".
func shortRef(entryType pin.EntryType, name string) string {
	if entryType == pin.Instructions {
		return pin.EntryTypeInfo[entryType].Entry
	}
	if entryType == pin.Tools && name != pin.EntryTypeInfo[pin.Instructions].Entry {
		return text.QuoteName(name)
	}
	return pin.EntryTypeInfo[entryType].Entry + " " + text.QuoteName(name)
}

// ref names an entry in a sentence or, if the key is empty, the capture; with its server, if there are several.
func (r *Report) ref(key pin.Ref) string {
	ref := "the capture"
	if !key.IsWholeServer() {
		ref = shortRef(key.Type, key.Name)
	}
	if len(r.Comparisons) > 1 || pin.FindComparison(r.Others, key.Server) != nil {
		ref += " (server " + text.QuoteName(key.Server) + ")"
	}
	return ref
}

// short returns a digest for people: the first 12 of its hex digits.
func short(digest string) string {
	hex := jsontree.HexOf(digest)
	return hex[:min(12, len(hex))]
}

// counted returns a count with the words after it, or "" for none.
func counted(n int, words string) string {
	if n == 0 {
		return ""
	}
	return text.FormatNumber(n) + words
}

// joined joins the parts that aren't empty.
func joined(separator string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), separator)
}

// field returns the name of an entry in a line for programs, "tool=NAME", or "capture" if the key is empty; with the
// server, if there are several.
func (r *Report) field(key pin.Ref) string {
	field := "capture"
	if !key.IsWholeServer() {
		field = key.EntryRef()
	}
	if len(r.Comparisons) > 1 {
		field += " server=" + text.QuoteName(key.Server)
	}
	return field
}
