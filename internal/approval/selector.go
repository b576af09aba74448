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
// names; a kind; a label; or all that has a new warning.
type Selector struct {
	Arg string // as it was given
	pin.Key
	Digest  string
	pattern *regexp.Regexp
	Word    string // a kind in lower case, the id of a label, or Warnings; else ""
}

// Warnings selects what has a new warning.
const Warnings = "warnings"

// KindOf returns the kind that a word selects, or "".
func KindOf(word string) pin.DriftKind {
	for _, k := range []pin.DriftKind{pin.Added, pin.Changed, pin.Removed, pin.Hidden, pin.Duplicate} {
		if word == strings.ToLower(string(k)) {
			return k
		}
	}
	return ""
}

// ParseSelector reads the value of a flag. A digest at the end of the value is always read
// as a digest. A tool whose name ends like that must be selected by its own digest:
// otherwise it could stand in for the tool that was meant.
func ParseSelector(flag, arg string, labels []string) (Selector, error) {
	if arg == Warnings || KindOf(arg) != "" || slices.Contains(labels, arg) {
		return Selector{Arg: arg, Key: pin.Key{Name: arg}, Word: arg}, nil
	}
	name, digest := arg, ""
	at := strings.LastIndex(arg, "@"+pin.DigestPrefix)
	switch {
	case pin.IsDigest(arg):
		name, digest = "", arg
	case at >= 0:
		if name, digest = arg[:at], arg[at+1:]; name == "" || !pin.IsDigest(digest) {
			return Selector{}, fail.New("%s %s: before @ stands a name, behind it sha256: and 64 lower-case hex digits", flag, text.Name(arg))
		}
	case arg == "" || strings.HasPrefix(arg, pin.DigestPrefix):
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

// Fits reports whether the selector selects a drift, given the labels of its changes and
// whether it has a new warning.
func (s *Selector) Fits(d *pin.Drift, labels []string, warned bool) bool {
	switch {
	case s.Word == Warnings:
		return warned
	case s.Word != "":
		return d.Kind == KindOf(s.Word) || slices.Contains(labels, s.Word)
	}
	return s.means(d.Key) && (s.Digest == "" || (d.Locked != nil || d.Captured != nil) && s.Digest == d.DefinitionDigest())
}

// takes reports whether a drift is accepted by the selector. Nobody has seen what a new
// entry is called when the pattern is written, so a pattern takes none; and a repeated name
// only a name can ask for.
func (s *Selector) takes(d *pin.Drift) bool {
	return s.Fits(d, nil, false) && (s.pattern == nil || d.Kind != pin.Added && d.Kind != pin.Duplicate)
}

// check refuses a selector that means nothing, or several things: a name that is neither
// pinned nor listed, and a word, a pattern or another entry that is the name of a tool, too.
// A server that gives a tool such a name must get neither reading.
func (s *Selector) check(flag string, sides []pin.Comparison) error {
	known := slices.ContainsFunc(sides, func(p pin.Comparison) bool {
		means := func(p pin.Pin) bool { return s.means(p.Key) }
		return slices.ContainsFunc(p.Locked.Pins, means) || slices.ContainsFunc(p.Captured.Pins, means)
	})
	tool, also, name := pin.Key{Type: pin.Tools, Name: s.Arg}, pin.EntryRef(s.Type, s.Name), "NAME"
	if s.Word != "" {
		also, name = "a word for a kind of drift or a label", s.Word
	} else if s.pattern != nil {
		also = "a pattern of names"
	}
	switch {
	case s.Digest == "" && (s.Key != tool || s.pattern != nil || s.Word != "") && pin.Holders(sides, tool) > 0:
		return fail.New("%s %s: the name of a tool, and %s", flag, text.Name(s.Arg), also).Hint("for the tool: %s tool=%s", flag, name)
	case s.named() && !known:
		what := "no " + pin.EntryTypeInfo[s.Type].Entry + " of that name is"
		if s.Type == pin.Instructions {
			what = "no instructions are"
		}
		return fail.New("%s %s: %s pinned or listed", flag, text.Name(strings.TrimSuffix(s.Arg, "@"+s.Digest)), what)
	}
	return nil
}

// drifts returns the indexes of the drifts that the selector accepts. They are of one
// server: an entry of another one, which happens to fit, must not slip in.
func (s *Selector) drifts(sides []pin.Comparison, drifts []pin.Drift) (fits []int, err error) {
	if err := s.check("--accept", sides); err != nil {
		return nil, err
	}
	var servers []string
	fitsNew := false
	for i := range drifts {
		d := &drifts[i]
		if s.takes(d) {
			fits, servers = append(fits, i), append(servers, d.Server)
		}
		fitsNew = fitsNew || d.Kind == pin.Added && s.Fits(d, nil, false)
	}
	slices.Sort(servers)
	servers = slices.Compact(servers)
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
	case len(servers) > 1 && (s.pattern != nil || s.Word != ""):
		return nil, fail.New("--accept %s: it fits entries of several servers: %s", text.Name(s.Arg), text.List(text.Names(servers), 6)).Hint("say which: --server ID")
	// A bare name that several servers have is ambiguous, whichever of them drifted.
	case len(servers) > 1, s.pattern == nil && s.Digest == "" && pin.Holders(sides, s.Key) > 1:
		f := fail.New("--accept %s: %s", text.Name(s.Arg), Ambiguous(s.Type))
		if s.Digest != "" {
			return nil, f.Hint("say which: --server ID")
		}
		return nil, f.Hint("say which: --server ID, or --accept NAME@sha256:HEX")
	case s.Digest != "" && len(fits) == 0 && !matches:
		what := "no drifted entry has the digest " + s.Digest
		if s.named() {
			what = pin.EntryRef(s.Type, s.Name) + " no longer has the digest " + s.Digest
		}
		return nil, fail.New("%s: nothing was written", what).Hint("the capture is not the one you reviewed: review it again").Refusal()
	}
	for _, i := range fits {
		if d := &drifts[i]; d.Kind == pin.Duplicate {
			return nil, fail.New("%s is listed %d times: that can't be accepted", d.EntryRef(), len(d.Copies)).Refusal()
		}
	}
	return fits, nil
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
