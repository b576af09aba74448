// Package approval decides what of the drift a person accepts, and which pins that makes.
package approval

import (
	"regexp"
	"slices"
	"strings"

	"pinproof/internal/fail"
	"pinproof/internal/pin"
	"pinproof/internal/text"
)

// A Selector names drift. It is one entry, by its name, its digest or both; a pattern of
// names; or a word: a kind, a label, or what else a report says of an entry.
type Selector struct {
	Arg string // as it was given
	pin.Key
	Digest  string
	pattern *regexp.Regexp
	Word    string // a kind in lower case, or a word for what an entry has; else ""
}

// Kinds are the words for kinds of drift.
var Kinds = []string{"added", "changed", "hidden", "removed", "duplicate"}

// ParseSelector reads the value of a flag. A digest at the end of the value is always read
// as a digest. A tool whose name ends like that must be selected by its own digest:
// otherwise it could stand in for the tool that was meant.
func ParseSelector(flag, arg string, words []string) (Selector, error) {
	if slices.Contains(Kinds, arg) || slices.Contains(words, arg) {
		return Selector{Arg: arg, Key: pin.Key{Name: arg}, Word: arg}, nil
	}
	name, digest, wrong := arg, "", false
	switch at := strings.LastIndex(arg, "@"+pin.DigestPrefix); {
	case pin.IsDigest(arg):
		name, digest = "", arg
	case at >= 0:
		name, digest = arg[:at], arg[at+1:]
		wrong = name == "" || !pin.IsDigest(digest)
	default:
		wrong = arg == "" || strings.HasPrefix(arg, pin.DigestPrefix)
	}
	if wrong {
		return Selector{}, fail.New("%s %s: give NAME, NAME@sha256:HEX or sha256:HEX, all 64 digits", flag, text.Name(arg))
	}
	s := Selector{Arg: arg, Key: pin.ParseEntry(name), Digest: digest}
	if digest == "" && s.Name == name && strings.ContainsAny(name, "*?") { // * stands for any text, ? for a character; behind tool= nothing does
		pattern, err := regexp.Compile("(?s)^" + strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(s.Name)) + "$")
		if err != nil {
			return Selector{}, fail.New("%s %s: not a pattern of names", flag, text.Name(arg))
		}
		s.pattern = pattern
	}
	return s, nil
}

// IsName reports whether the selector is the name of one entry, and nothing else.
func (s *Selector) IsName() bool { return s.named() && s.pattern == nil && s.Digest == "" }

// named reports whether the selector has the name of an entry, or a pattern of names.
func (s *Selector) named() bool { return s.Word == "" && (s.Name != "" || s.Type == pin.Instructions) }

// means reports whether the selector names an entry, whatever the digest.
func (s *Selector) means(key pin.Key) bool {
	switch {
	case s.Word != "":
		return false
	case s.pattern != nil:
		return key.Type == s.Type && s.pattern.MatchString(key.Name)
	case !s.named():
		return true // a digest alone
	}
	return key == s.Key
}

// Fits reports whether the selector selects a drift, given the words for what it has.
func (s *Selector) Fits(d *pin.Drift, words []string) bool {
	if s.Word != "" {
		return s.Word == strings.ToLower(string(d.Kind)) || slices.Contains(words, s.Word)
	}
	return s.means(d.Key) && (s.Digest == "" || (d.Locked != nil || d.Captured != nil) && s.Digest == d.DefinitionDigest())
}

// takes reports whether a drift is accepted by the selector. Nobody has seen what a new
// entry is called when the pattern is written, so a pattern takes none; and a repeated name
// only a name can ask for.
func (s *Selector) takes(d *pin.Drift) bool {
	return s.Fits(d, nil) && (s.pattern == nil || d.Kind != pin.Added && d.Kind != pin.Duplicate)
}

// check refuses a selector that means nothing, or several things: a name that is neither
// pinned nor listed, and a word, a pattern or another entry that is the name of a tool, too.
// A server that gives a tool such a name must get neither reading.
func (s *Selector) check(flag string, sides []pin.Comparison) error {
	known := slices.ContainsFunc(sides, func(p pin.Comparison) bool {
		means := func(p pin.Pin) bool { return s.means(p.Key) }
		return slices.ContainsFunc(p.Locked.Pins, means) || slices.ContainsFunc(p.Captured.Pins, means)
	})
	tool := pin.Key{Type: pin.Tools, Name: s.Arg}
	entry := pin.EntryTypeInfo[s.Type].Entry + " of that name is"
	if s.Type == pin.Instructions {
		entry = "instructions are"
	}
	switch {
	case s.Digest == "" && (s.Key != tool || s.pattern != nil || s.Word != "") && pin.Holders(sides, tool) > 0:
		return fail.New("%s %s: ambiguous, for a tool has that name, too", flag, text.Name(s.Arg)).Hint("for the tool: %s tool=NAME", flag)
	case s.named() && !known:
		return fail.New("%s %s: no %s pinned or listed", flag, text.Name(s.Arg), entry)
	}
	return nil
}

// drifts returns the indexes of the drifts that the selector accepts. They are of one
// server: an entry of another one, which happens to fit, must not slip in.
func (s *Selector) drifts(sides []pin.Comparison, drifts []pin.Drift) (fits []int, err error) {
	if err := s.check("--accept", sides); err != nil {
		return nil, err
	}
	servers, fitsNew := map[string]bool{}, false
	for i := range drifts {
		d := &drifts[i]
		if s.takes(d) {
			fits, servers[d.Server] = append(fits, i), true
		}
		fitsNew = fitsNew || d.Kind == pin.Added && s.Fits(d, nil)
	}
	matches := false // an entry with the digest matches its pin
	for i := range sides {
		for _, pin := range sides[i].Locked.Pins {
			found := sides[i].Captured.Find(pin.Key)
			matches = matches || s.means(pin.Key) && pin.Digest == s.Digest && found != nil && found.Digest == pin.Digest
		}
	}
	switch {
	case s.pattern != nil && len(fits) == 0 && fitsNew:
		return nil, fail.New("--accept %s: a pattern takes no new entry", text.Name(s.Arg)).Hint("accept it by its name, or all that is new: --accept added")
	// A bare name that several servers have is ambiguous, whichever of them drifted.
	case len(servers) > 1, s.IsName() && pin.Holders(sides, s.Key) > 1:
		return nil, s.Ambiguous("--accept")
	case s.Digest != "" && len(fits) == 0 && !matches:
		return nil, fail.New("--accept %s: no drifted entry has that digest: nothing was written", text.Name(s.Arg)).
			Hint("the capture is not the one you reviewed: review it again").Refusal()
	}
	for _, i := range fits {
		if d := &drifts[i]; d.Kind == pin.Duplicate {
			return nil, fail.New("%s is listed %d times: that can't be accepted", d.EntryRef(), len(d.Copies)).Refusal()
		}
	}
	return fits, nil
}

// Ambiguous is the error of a selector that entries of several servers fit.
func (s *Selector) Ambiguous(flag string) error {
	return fail.New("%s %s: it fits entries of several servers", flag, text.Name(s.Arg)).Hint("say which: --server ID")
}

// CheckSelectors refuses what a flag names and isn't there.
func CheckSelectors(flag string, list []Selector, sides []pin.Comparison) error {
	for i := range list {
		if err := list[i].check(flag, sides); err != nil {
			return err
		}
	}
	return nil
}
