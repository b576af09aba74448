package approval

import (
	"slices"
	"strings"

	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/shell"
	"pinproof/internal/text"
)

// A Selector selects drift: one entry by name, digest or both; or entries by a word, which is a kind, a label or
// another word from a report.
type Selector struct {
	Flag, Arg string // as they were given
	pin.Key
	Digest string

	// A kind of drift in lower case, or a label or note of an entry; otherwise "".
	Word string
}

// isKind reports whether a word is one for a kind of drift.
func isKind(word string) bool {
	return slices.ContainsFunc(pin.DriftKinds, func(k pin.DriftKind) bool { return k.Word() == word })
}

// ParseSelector parses the value of a flag. "@sha256:HEX" at its end is always a digest. A tool whose name ends
// like that can be selected only by its digest; otherwise it could pass for the tool before the "@".
func ParseSelector(flag, arg string, words []string) (Selector, error) {
	s := Selector{Flag: flag, Arg: arg}
	if isKind(arg) || slices.Contains(words, arg) {
		s.Name = arg
		s.Word = arg
		return s, nil
	}
	name := arg
	isWrong := arg == "" || strings.HasPrefix(arg, jsontree.DigestPrefix)
	if at := strings.LastIndex(arg, "@"+jsontree.DigestPrefix); jsontree.IsDigest(arg) {
		name = ""
		s.Digest = arg
		isWrong = false
	} else if at >= 0 {
		name = arg[:at]
		s.Digest = arg[at+1:]
		isWrong = name == "" || !jsontree.IsDigest(s.Digest)
	}
	if isWrong {
		return Selector{}, s.wrong("give NAME, NAME@sha256:HEX or sha256:HEX, all 64 digits")
	}
	s.Key = pin.ParseEntry(name)
	// A server may list a tool whose name looks like a pattern, and a person who types a pattern doesn't mean that tool.
	if s.Digest == "" && s.Name == name && strings.ContainsAny(name, "*?") {
		return Selector{}, s.wrong("there are no patterns").Hint("for a tool of that name: tool=NAME")
	}
	return s, nil
}

// wrong returns an error about the selector, with its flag and argument.
func (s *Selector) wrong(why string) *fail.Error {
	return fail.New("%s %s: %s", s.Flag, text.QuoteName(s.Arg), why)
}

func (s *Selector) ofSeveral() *fail.Error {
	return s.wrong("it matches entries of several servers").Hint("say which: --server %s", shell.Placeholder("server ID"))
}

// ReasonUnused tells why the selector has accepted nothing.
func (s *Selector) ReasonUnused() string {
	if s.Word != "" {
		return text.QuoteName(s.Arg) + ": nothing to accept, or only with other changes or a new warning"
	}
	return text.QuoteName(s.Arg) + " has not drifted: nothing to accept"
}

// isLabel reports whether the selector is a word, but not a kind of drift.
func (s *Selector) isLabel() bool { return s.Word != "" && !isKind(s.Word) }

// isOne reports whether the selector has the name of one entry, with or without a digest.
func (s *Selector) isOne() bool { return s.Word == "" && (s.Name != "" || s.Type == pin.Instructions) }

// means reports whether the selector may select an entry: the selector names it, or has only a digest.
func (s *Selector) means(key pin.Key) bool {
	isDigestAlone := !s.isOne()
	return s.Word == "" && (isDigestAlone || key == s.Key)
}

// Matches reports whether the selector selects a drift. words are the words that --only accepts for the drift: its
// labels, notes and risks.
func (s *Selector) Matches(d *pin.Drift, words []string) bool {
	if s.Word != "" {
		return s.Word == d.Kind.Word() || slices.Contains(words, s.Word)
	}
	return s.means(d.Key) && (s.Digest == "" || (d.Locked != nil || d.Captured != nil) && s.Digest == d.DigestToAccept())
}

// MatchesAny reports whether one of several selectors selects a drift.
func MatchesAny(list []Selector, d *pin.Drift, words []string) bool {
	return slices.ContainsFunc(list, func(s Selector) bool { return s.Matches(d, words) })
}

// check refuses an unknown or ambiguous selector: a name that is neither pinned nor listed, or a word or another entry's
// name that is also the literal name of a tool.
func (s *Selector) check(sides []pin.Comparison) *fail.Error {
	tool := pin.Key{Type: pin.Tools, Name: s.Arg}
	isOther := s.Key != tool || s.Word != ""
	if s.Digest == "" && isOther && len(pin.ServersWith(sides, tool)) > 0 {
		return s.wrong("ambiguous: a tool has that name, too").Hint("for the tool: tool=NAME")
	}
	if !s.isOne() || len(pin.ServersWith(sides, s.Key)) > 0 {
		return nil
	}
	if s.Type == pin.Instructions {
		return s.wrong("no instructions are pinned or listed")
	}
	return s.wrong("no " + pin.EntryTypeInfo[s.Type].Entry + " of that name is pinned or listed")
}

// one returns the server that has the entry named by the selector. It refuses a selector that isn't a plain name, and a
// name that entries of several servers have.
func (s *Selector) one(sides []pin.Comparison) (*pin.Comparison, *fail.Error) {
	if !s.isOne() || s.Digest != "" {
		return nil, s.wrong("give the name of an entry").Hint("for a tool of that name: tool=NAME")
	}
	if err := s.check(sides); err != nil {
		return nil, err
	}
	servers := pin.ServersWith(sides, s.Key)
	if len(servers) > 1 {
		return nil, s.ofSeveral()
	}
	return servers[0], nil
}

// resolve returns the drifts that the selector accepts or, if there are none, the selected entries that match
// their pins. It refuses drifts of several servers, so that no other server's entry is accepted by accident.
func (s *Selector) resolve(sides []pin.Comparison, drifts []pin.Drift) (fits []*pin.Drift, err *fail.Error) {
	if err := s.check(sides); err != nil {
		return nil, err
	}
	servers := map[string]bool{}
	for i := range drifts {
		if d := &drifts[i]; s.Matches(d, nil) {
			fits = append(fits, d)
			servers[d.Server] = true
		}
	}
	// A name that several servers have is ambiguous, whichever of them drifted.
	if len(servers) > 1 || s.isOne() && len(pin.ServersWith(sides, s.Key)) > 1 {
		return nil, s.ofSeveral()
	}
	if s.Digest != "" && len(fits) > 1 {
		return nil, s.wrong("it matches entries of several lists").Hint("say which: NAME@sha256:HEX, prompt=NAME@sha256:HEX")
	}
	for _, d := range fits {
		if d.Kind == pin.DriftDuplicate {
			return nil, notAcceptable(d)
		}
	}
	if len(fits) == 0 {
		fits = s.matching(sides)
	}
	if s.Digest != "" && len(fits) == 0 {
		return nil, s.wrong("no drifted entry has that digest: nothing was written").
			Hint("the capture is not the one you reviewed: review it again").AsDrift()
	}
	return fits, nil
}

// notAcceptable returns the error for a repeated name.
func notAcceptable(d *pin.Drift) *fail.Error {
	return fail.New("%s is listed %d times: that can't be accepted", d.EntryRef(), len(d.Copies)).AsDrift()
}

// matching returns the entries that the selector selects and that match their pins, each as a Drift with an empty Kind.
func (s *Selector) matching(sides []pin.Comparison) (list []*pin.Drift) {
	for _, p := range sides {
		for j := range p.Locked.Pins {
			pinned := &p.Locked.Pins[j]
			entry := pin.Drift{Server: p.Server, Key: pinned.Key, Locked: pinned, Captured: p.Captured.Find(pinned.Key)}
			if entry.Captured != nil && entry.Captured.Digest == pinned.Digest && s.Matches(&entry, nil) {
				list = append(list, &entry)
			}
		}
	}
	return list
}
