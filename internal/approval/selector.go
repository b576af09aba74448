package approval

import (
	"regexp"
	"slices"
	"strings"

	"pinproof/internal/pin"
)

// A Selector selects drift. It gives one entry, by its name, its digest or both; a pattern of
// names; or a word: a kind, a label, or another word that a report uses for an entry.
type Selector struct {
	Arg string // as it was given
	pin.Key
	Digest  string
	pattern *regexp.Regexp

	// A kind in lower case, or a word for what an entry has; else "".
	Word string
}

// Kinds are the words for kinds of drift.
var Kinds = []string{"added", "changed", "hidden", "removed", "duplicate"}

// ParseSelector reads the value of a flag. A digest at the end of the value is always read
// as a digest. A tool whose name ends like that must be selected by its own digest:
// otherwise it could replace the tool that was meant.
func ParseSelector(flag, arg string, words []string) (Selector, *Reason) {
	if slices.Contains(Kinds, arg) || slices.Contains(words, arg) {
		return Selector{Arg: arg, Key: pin.Key{Name: arg}, Word: arg}, nil
	}
	name := arg
	digest := ""
	isWrong := arg == "" || strings.HasPrefix(arg, pin.DigestPrefix)
	if at := strings.LastIndex(arg, "@"+pin.DigestPrefix); pin.IsDigest(arg) {
		name = ""
		digest = arg
		isWrong = false
	} else if at >= 0 {
		name = arg[:at]
		digest = arg[at+1:]
		isWrong = name == "" || !pin.IsDigest(digest)
	}
	if isWrong {
		return Selector{}, &Reason{Why: NotASelector, Flag: flag, Arg: arg}
	}
	s := Selector{Arg: arg, Key: pin.ParseEntry(name), Digest: digest}
	// * matches any text, and ? one character, but not in a name after tool= or the like.
	if digest == "" && s.Name == name && strings.ContainsAny(name, "*?") {
		pattern, err := regexp.Compile("(?s)^" + strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(s.Name)) + "$")
		if err != nil {
			return Selector{}, &Reason{Why: NotAPattern, Flag: flag, Arg: arg}
		}
		s.pattern = pattern
	}
	return s, nil
}

// isLabel reports whether the selector is a word, but not a kind of drift.
func (s *Selector) isLabel() bool { return s.Word != "" && !slices.Contains(Kinds, s.Word) }

// TakesWords reports whether a word for what an entry has selects what is accepted: then its changes have to be known.
func (said *Said) TakesWords() bool { return len(said.Only) > 0 || len(labelsIn(said.Accepts)) > 0 }

// Reads lists the drift that flags name: a decision needs no other texts than these. all is true if it needs
// the texts of all entries. What is pinned of others may be about a tool that is added.
func (said *Said) Reads(drifts []pin.Drift) (named []pin.Drift, all bool) {
	if said.Asks() || said.Approves || said.All || said.AnyWarning || len(said.Warnings) > 0 || said.TakesWords() {
		return nil, true
	}
	for i := range drifts {
		d := &drifts[i]
		fits := func(s Selector) bool { return s.Fits(d, nil) }
		if slices.ContainsFunc(said.Accepts, fits) || slices.ContainsFunc(said.Deny, fits) {
			named = append(named, *d)
			all = all || d.Kind == pin.Added && d.Type == pin.Tools
		}
	}
	return named, all
}

// labelsIn lists the selectors that are labels.
func labelsIn(list []Selector) (labels []Selector) {
	for _, s := range list {
		if s.isLabel() {
			labels = append(labels, s)
		}
	}
	return labels
}

// IsName reports whether the selector is the name of one entry, and nothing else.
func (s *Selector) IsName() bool { return s.named() && s.pattern == nil && s.Digest == "" }

// named reports whether the selector has the name of an entry, or a pattern of names.
func (s *Selector) named() bool { return s.Word == "" && (s.Name != "" || s.Type == pin.Instructions) }

// means reports whether the selector names an entry, regardless of the digest.
func (s *Selector) means(key pin.Key) bool {
	if s.Word != "" {
		return false
	}
	if s.pattern != nil {
		return key.Type == s.Type && s.pattern.MatchString(key.Name)
	}
	if !s.named() {
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

// takes reports whether the selector accepts a drift. A pattern takes no new entry, because
// nobody has seen its name when the pattern is written. It takes no repeated name either.
func (s *Selector) takes(d *pin.Drift) bool {
	return s.Fits(d, nil) && (s.pattern == nil || d.Kind != pin.Added && d.Kind != pin.Duplicate)
}

// check refuses a selector that means nothing, or several things: a name that is neither
// pinned nor listed, and a word, a pattern or the name of another entry that a tool has as its
// name. If a server gives a tool such a name, neither meaning is taken.
func (s *Selector) check(flag string, sides []pin.Comparison) *Reason {
	tool := pin.Key{Type: pin.Tools, Name: s.Arg}
	isOther := s.Key != tool || s.pattern != nil || s.Word != ""
	if s.Digest == "" && isOther && pin.Holders(sides, tool) > 0 {
		return &Reason{Why: TwoMeanings, Flag: flag, Arg: s.Arg}
	}
	means := func(p pin.Pin) bool { return s.means(p.Key) }
	isThere := func(p pin.Comparison) bool {
		return slices.ContainsFunc(p.Locked.Pins, means) || slices.ContainsFunc(p.Captured.Pins, means)
	}
	if s.named() && !slices.ContainsFunc(sides, isThere) {
		return &Reason{Why: NotThere, Flag: flag, Arg: s.Arg, Entry: pin.Ref{Key: s.Key}}
	}
	return nil
}

// drifts returns the drifts that the selector accepts. They must be of one
// server: an entry of another server that happens to fit must not slip in.
func (s *Selector) drifts(sides []pin.Comparison, drifts []pin.Drift) (fits []*pin.Drift, why *Reason) {
	const flag = "--accept"
	if why := s.check(flag, sides); why != nil {
		return nil, why
	}
	servers := map[string]bool{}
	fitsNew := false
	for i := range drifts {
		d := &drifts[i]
		if s.takes(d) {
			fits = append(fits, d)
			servers[d.Server] = true
		}
		fitsNew = fitsNew || d.Kind == pin.Added && s.Fits(d, nil)
	}
	if s.pattern != nil && len(fits) == 0 && fitsNew {
		return nil, &Reason{Why: NewByPattern, Flag: flag, Arg: s.Arg}
	}
	// A bare name that several servers have is ambiguous, whichever of them drifted.
	if len(servers) > 1 || s.IsName() && pin.Holders(sides, s.Key) > 1 {
		return nil, &Reason{Why: SeveralServers, Flag: flag, Arg: s.Arg}
	}
	if s.Digest != "" && len(fits) == 0 && len(s.matching(sides)) == 0 {
		return nil, &Reason{Why: StaleDigest, Flag: flag, Arg: s.Arg}
	}
	for _, d := range fits {
		if d.Kind == pin.Duplicate {
			return nil, &Reason{Why: NotAcceptable, Entry: d.Ref(), Copies: len(d.Copies)}
		}
	}
	return fits, nil
}

// matching returns the entries that the selector means, that match their pins and have the selector's digest.
func (s *Selector) matching(sides []pin.Comparison) (refs []pin.Ref) {
	for i := range sides {
		p := &sides[i]
		for j := range p.Locked.Pins {
			pinned := &p.Locked.Pins[j]
			found := p.Captured.Find(pinned.Key)
			if s.means(pinned.Key) && (s.Digest == "" || s.Digest == pinned.Digest) && found != nil && found.Digest == pinned.Digest {
				refs = append(refs, pin.Ref{Server: p.Server, Key: pinned.Key})
			}
		}
	}
	return refs
}

// checkSelectors refuses the first value of a flag that check refuses.
func checkSelectors(flag string, list []Selector, sides []pin.Comparison) *Reason {
	for i := range list {
		if why := list[i].check(flag, sides); why != nil {
			return why
		}
	}
	return nil
}
