// Package modeltext makes all that a model may read of ours: what an agent's hook says, and what the
// guard answers in a server's place. Such a text may be read by a model that has a shell, and so no
// server, capture, lockfile or folder may write a word of it.
package modeltext

import (
	"path/filepath"
	"strings"

	"pinproof/internal/pin"
	"pinproof/internal/shell"
	"pinproof/internal/text"
)

// A Text is words of ours and, among them, the user's own arguments, counts, digests, and
// absolute paths. Its methods return it with something more. It is also an error, whose words a
// model may read.
type Text struct{ said string }

// words is a constant: outside of this package, no variable can have the type.
type words string

// Say begins a text.
func Say(w words) Text { return Text{string(w)} }

// Say adds words of ours.
func (t Text) Say(w words) Text { return Text{t.said + string(w)} }

// With adds a text.
func (t Text) With(more Text) Text { return Text{t.said + more.said} }

// Argument adds an argument of the user's own command line, such as the label behind --server. A
// label that was found in a file is none.
func (t Text) Argument(arg string) Text { return Text{t.said + text.Name(arg)} }

// Word adds such an argument as a word of a command.
func (t Text) Word(arg string) Text { return Text{t.said + shell.Quote(arg)} }

// Count adds how many there are of something, whose word is for one: "3 servers".
func (t Text) Count(n int, one words) Text { return Text{t.said + text.Count(n, string(one))} }

// Number adds a number.
func (t Text) Number(n int) Text { return Text{t.said + text.Number(n)} }

// Entry adds the word for an entry of a type: "tool".
func (t Text) Entry(of pin.EntryType) Text { return Text{t.said + pin.EntryTypeInfo[of].Entry} }

// Entries adds the word for several of them: "tools".
func (t Text) Entries(of pin.EntryType) Text {
	return Text{t.said + strings.TrimSuffix(pin.EntryTypeInfo[of].Entry, "s") + "s"}
}

// kinds are the kinds of drift, in the order in which they are told.
var kinds = []pin.DriftKind{pin.Hidden, pin.Duplicate, pin.Changed, pin.Added, pin.Removed}

// Drift adds how many entries drifted, by kind: "1 changed, 2 added".
func (t Text) Drift(counts map[pin.DriftKind]int) Text {
	separator := ""
	for _, kind := range kinds {
		if n := counts[kind]; n > 0 {
			t = t.Say(words(separator)).Number(n).Say(words(" " + strings.ToLower(string(kind))))
			separator = ", "
		}
	}
	return t
}

// Digest adds a digest. What is none is left out, and a word says so.
func (t Text) Digest(d string) Text {
	if !pin.IsDigest(d) {
		return t.Say("none")
	}
	return Text{t.said + d}
}

// maxPath is how many bytes of a path can be in a text: more than usual ones have.
const maxPath = 1000

// Path is the absolute path of a file or folder, or "" where it can't be in a text, which is where it has
// anything but letters, digits and _./~:\ - and blanks. It has to be made of the working folder, of the
// user's arguments, of the user's cache and of names of ours.
func Path(path string) string {
	absolute, err := filepath.Abs(path)
	if err != nil || len(absolute) > maxPath || !text.IsOf(absolute, `_./~:\ -`) {
		return ""
	}
	return absolute
}

// Review adds what a person does about it: the command that shows a capture and asks. It shows
// nothing without a terminal, so a model that runs it approves nothing. The paths of the command
// are absolute, for whoever is in another folder; where one can't be in a text, there is no command.
func (t Text) Review(what words, c shell.Command) Text {
	t = t.Say(what)
	capture := Path(c.Capture)
	lockfile := Path(c.Lockfile)
	if c.Capture == "" || c.Lockfile == "" || capture == "" || lockfile == "" {
		return t.Say(".")
	}
	c.Capture = capture
	c.Lockfile = lockfile
	return Text{t.said + ": " + c.Review()}
}

// maxHook bounds what verify --hook says: a few lines, two paths and a label.
const maxHook = 4 << 10

// FromHook is what pinproof verify --hook said, and whether it can be that: nothing but plain ASCII is in it.
func FromHook(said []byte) (Text, bool) {
	begins := strings.HasPrefix(string(said), "pinproof: blocked: ")
	strange := strings.ContainsFunc(string(said), func(r rune) bool { return r != '\n' && (r < ' ' || r > '~') })
	if !begins || strange || len(said) > maxHook {
		return Text{}, false
	}
	return Text{strings.TrimSuffix(string(said), "\n")}, true
}

// String is the text, without a line feed at its end.
func (t Text) String() string { return t.said }

// Error makes the text an error.
func (t Text) Error() string { return t.said }
