// Package modeltext builds every message that a model may read: hook output, and the guard's replies on a
// server's behalf. The model may have a shell, so no such message contains text from a server, capture,
// lockfile or folder.
package modeltext

import (
	"path/filepath"
	"strings"

	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/shell"
	"pinproof/internal/text"
)

// A Text consists of our own words, the user's arguments, counts, digests, and absolute paths. Its methods
// return a text with something added. It is also an error that a model may read.
type Text struct{ said string }

// words is the type of constant words. It isn't exported, so other packages can pass only constants.
type words string

// New begins a text.
func New(w words) Text { return Text{string(w)} }

// AddWords adds constant words.
func (t Text) AddWords(w words) Text { return Text{t.said + string(w)} }

// AddText adds a text.
func (t Text) AddText(more Text) Text { return Text{t.said + more.said} }

// AddArgument adds an argument of the user's own command line, such as the server ID after --server. A
// server ID that was found in a file isn't such an argument.
func (t Text) AddArgument(arg string) Text { return Text{t.said + text.QuoteName(arg)} }

// AddQuoted adds an argument of the user's own command line, quoted as a word of a command.
func (t Text) AddQuoted(arg string) Text { return Text{t.said + shell.Quote(arg)} }

// AddCount adds a count of things: "3 servers". one is the word for a single thing.
func (t Text) AddCount(n int, one words) Text { return Text{t.said + text.FormatCount(n, string(one))} }

// AddType adds the word for an entry of a type: "tool".
func (t Text) AddType(of pin.EntryType) Text { return Text{t.said + pin.EntryTypeInfo[of].Entry} }

// AddPluralType adds the word for several entries of a type: "tools".
func (t Text) AddPluralType(of pin.EntryType) Text {
	return Text{t.said + strings.TrimSuffix(pin.EntryTypeInfo[of].Entry, "s") + "s"}
}

// AddDrift adds how many entries drifted, by kind: "1 changed, 2 added".
func (t Text) AddDrift(counts map[pin.DriftKind]int) Text {
	var list []string
	for _, kind := range pin.DriftKinds {
		if n := counts[kind]; n > 0 {
			list = append(list, text.FormatNumber(n)+" "+kind.Word())
		}
	}
	return Text{t.said + strings.Join(list, ", ")}
}

// AddDigest adds a digest. If d isn't one, it adds the word "none" instead.
func (t Text) AddDigest(d string) Text {
	if !jsontree.IsDigest(d) {
		return t.AddWords("none")
	}
	return Text{t.said + d}
}

// maxPath is the maximum size of a path in a text, in bytes. Usual paths are shorter.
const maxPath = 1000

// SafePath returns the absolute path of a file or folder, or "" if a text must not contain the path: it is too
// long, or has anything but ASCII letters, digits, spaces and _./~:\-. The caller must build the path only from
// the working folder, the user's arguments, the user's cache and our own names.
func SafePath(path string) string {
	absolute, err := filepath.Abs(path)
	if err != nil || len(absolute) > maxPath || !text.IsAlnumOr(absolute, `_./~:\ -`) {
		return ""
	}
	return absolute
}

// AddReviewCommand adds what a person can do: the words in what, and the command that shows a capture and asks whether
// to accept it. Without a terminal the command shows nothing, so a model that runs it approves nothing. The paths in
// the command are absolute, because the person may be in another folder. If SafePath refuses a path, AddReviewCommand
// adds no command.
func (t Text) AddReviewCommand(what words, c shell.Command) Text {
	t = t.AddWords(what)
	capture := SafePath(c.Capture)
	lockfile := SafePath(c.Lockfile)
	if c.Capture == "" || c.Lockfile == "" || capture == "" || lockfile == "" {
		return t.AddWords(".")
	}
	c.Capture = capture
	c.Lockfile = lockfile
	return Text{t.said + ": " + c.ReviewCommand()}
}

// maxHook is the maximum size of verify --hook's output, in bytes: a few lines, two paths and a server ID.
const maxHook = 4 << 10

// ParseHookOutput returns the output of pinproof verify --hook as a Text. It returns false if the output is too long,
// has anything but plain ASCII, or doesn't begin like the output of verify --hook.
func ParseHookOutput(said []byte) (Text, bool) {
	if len(said) > maxHook || !hookOutput().Match(said) {
		return Text{}, false
	}
	return Text{strings.TrimSuffix(string(said), "\n")}, true
}

// hookOutput matches lines of plain ASCII that begin like the output of verify --hook.
var hookOutput = text.LazyRegexp(`^pinproof: blocked: [\n -~]*$`)

// String returns the text, without a line feed at its end.
func (t Text) String() string { return t.said }

// Error returns the text, which makes a Text an error.
func (t Text) Error() string { return t.said }
