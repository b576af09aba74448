package main

import (
	"regexp"
	"slices"
	"strings"

	"pinproof/internal/fail"
	"pinproof/internal/pin"
	"pinproof/internal/text"
)

// A selector names drift. It is one entry, by its name, its digest or both; a pattern of
// names; a kind; a label; or all that has a new warning.
type selector struct {
	arg string // as it was given
	pin.Key
	digest  string
	pattern *regexp.Regexp
	word    string // a kind in lower case, the id of a label, or selectWarnings; else ""
}

// selectWarnings selects what has a new warning.
const selectWarnings = "warnings"

// kindOf returns the kind that a word selects, or "".
func kindOf(word string) pin.Kind {
	for _, k := range []pin.Kind{pin.Added, pin.Changed, pin.Removed, pin.Hidden, pin.Duplicate} {
		if word == strings.ToLower(string(k)) {
			return k
		}
	}
	return ""
}

// parseSelector reads the value of a flag. A digest at the end of the value is always read
// as a digest. A tool whose name ends like that must be selected by its own digest:
// otherwise it could stand in for the tool that was meant.
func parseSelector(flag, arg string, labels []string) (selector, error) {
	if arg == selectWarnings || kindOf(arg) != "" || slices.Contains(labels, arg) {
		return selector{arg: arg, Key: pin.Key{Name: arg}, word: arg}, nil
	}
	name, digest := arg, ""
	at := strings.LastIndex(arg, "@"+pin.DigestPrefix)
	switch {
	case pin.IsDigest(arg):
		name, digest = "", arg
	case at >= 0:
		if name, digest = arg[:at], arg[at+1:]; name == "" || !pin.IsDigest(digest) {
			return selector{}, fail.New("%s %s: before @ stands a name, behind it sha256: and 64 lower-case hex digits", flag, text.Name(arg))
		}
	case arg == "" || strings.HasPrefix(arg, pin.DigestPrefix):
		return selector{}, fail.New("%s %s: give NAME, NAME@sha256:HEX or sha256:HEX, all 64 digits", flag, text.Name(arg))
	}
	s := selector{arg: arg, Key: pin.ParseEntry(name), digest: digest}
	if digest == "" && strings.ContainsAny(s.Name, "*?") { // * stands for any text, ? for a character
		pattern, err := regexp.Compile("(?s)^" + strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(s.Name)) + "$")
		if err != nil {
			return selector{}, fail.New("%s %s: not a pattern of names", flag, text.Name(arg))
		}
		s.pattern = pattern
	}
	return s, nil
}

// settle reads a pattern as a name if an entry has exactly that name.
func (s *selector) settle(pairs []pin.Pair) {
	if pin.Holders(pairs, s.Key) > 0 {
		s.pattern = nil
	}
}

// named reports whether the selector has the name of an entry, or a pattern of names.
func (s *selector) named() bool { return s.word == "" && (s.Name != "" || s.List == pin.Instructions) }

// means reports whether the selector names an entry, whatever the digest.
func (s *selector) means(key pin.Key) bool {
	switch {
	case s.word != "":
		return false
	case s.pattern != nil:
		return key.List == s.List && s.pattern.MatchString(key.Name)
	case !s.named():
		return true // a digest alone
	}
	return key == s.Key
}

// fits reports whether the selector selects a drift, given the labels of its changes and
// whether it has a new warning.
func (s *selector) fits(d *pin.Drift, labels []string, warned bool) bool {
	switch {
	case s.word == selectWarnings:
		return warned
	case s.word != "":
		return d.Kind == kindOf(s.word) || slices.Contains(labels, s.word)
	}
	return s.means(d.Key) && (s.digest == "" || (d.Pinned != nil || d.Found != nil) && s.digest == d.DefinitionDigest())
}

// takes reports whether a drift is accepted by the selector. Nobody has seen what a new
// entry is called when the pattern is written, so a pattern takes none; and a repeated name
// only a name can ask for.
func (s *selector) takes(d *pin.Drift) bool {
	return s.fits(d, nil, false) && (s.pattern == nil || d.Kind != pin.Added && d.Kind != pin.Duplicate)
}

// check refuses a selector that means nothing, or several things: a name that is neither
// pinned nor listed, and a word that is a name, too.
func (s *selector) check(flag string, pairs []pin.Pair) error {
	known := slices.ContainsFunc(pairs, func(p pin.Pair) bool {
		means := func(p pin.Pin) bool { return s.means(p.Key) }
		return slices.ContainsFunc(p.Pinned.Pins, means) || slices.ContainsFunc(p.Found.Pins, means)
	})
	switch {
	case s.word != "" && pin.Holders(pairs, s.Key) > 0:
		return fail.New("%s %s: the name of a tool, and a word for a kind of drift or a label", flag, s.word).Hint("for the tool: %s tool=%s", flag, s.word)
	case s.named() && !known:
		return fail.New("%s %s: %s", flag, text.Name(strings.TrimSuffix(s.arg, "@"+s.digest)), nowhere(s.List))
	}
	return nil
}

// drifts returns the indexes of the drifts that the selector accepts. They are of one
// server: an entry of another one, which happens to fit, must not slip in.
func (s *selector) drifts(pairs []pin.Pair, drifts []pin.Drift) (fits []int, err error) {
	if err := s.check("--accept", pairs); err != nil {
		return nil, err
	}
	var servers []string
	onlyNew := false // the pattern fits new entries alone
	for i := range drifts {
		d := &drifts[i]
		if s.takes(d) {
			fits = append(fits, i)
			servers = append(servers, d.Server)
		}
		onlyNew = onlyNew || s.pattern != nil && d.Kind == pin.Added && s.fits(d, nil, false)
	}
	slices.Sort(servers)
	servers = slices.Compact(servers)
	matches := false // an entry with the digest matches its pin
	for i := range pairs {
		for _, pin := range pairs[i].Pinned.Pins {
			found := pairs[i].Found.Find(pin.Key)
			matches = matches || s.means(pin.Key) && pin.Digest == s.digest && found != nil && found.Digest == pin.Digest
		}
	}
	switch {
	case s.pattern != nil && len(fits) == 0 && onlyNew:
		return nil, fail.New("--accept %s: a pattern takes no new entry", text.Name(s.arg)).Hint("accept it by its name, or all that is new: --accept added")
	case len(servers) > 1 && (s.pattern != nil || s.word != ""):
		return nil, fail.New("--accept %s: it fits entries of several servers: %s", text.Name(s.arg), text.List(text.Names(servers), maxNamedServers)).Hint("say which: --server ID")
	// A bare name that several servers have is ambiguous, whichever of them drifted.
	case len(servers) > 1, s.pattern == nil && s.digest == "" && pin.Holders(pairs, s.Key) > 1:
		f := fail.New("--accept %s: %s", text.Name(s.arg), ambiguous(s.List))
		if s.digest != "" {
			return nil, f.Hint("say which: --server ID")
		}
		return nil, f.Hint("say which: --server ID, or --accept NAME@sha256:HEX")
	case s.digest != "" && len(fits) == 0 && !matches:
		what := "no drifted entry has the digest " + s.digest
		if s.named() {
			what = pin.EntryRef(s.List, s.Name) + " no longer has the digest " + s.digest
		}
		return nil, fail.New("%s: nothing was written", what).Hint("the manifest is not the one you reviewed: review it again").Refusal()
	}
	for _, i := range fits {
		if d := &drifts[i]; d.Kind == pin.Duplicate {
			return nil, fail.New("%s is listed %d times: that can't be accepted", pin.EntryRef(d.List, d.Name), len(d.Copies)).Refusal()
		}
	}
	return fits, nil
}

// maxNamedServers is how many servers an error names.
const maxNamedServers = 6

// narrow is --only: it reports whether a review shows a drift. Without selectors it is nil.
func (req *request) narrow() func(d *pin.Drift, labels []string, warned bool) bool {
	if len(req.only) == 0 {
		return nil
	}
	return func(d *pin.Drift, labels []string, warned bool) bool {
		return slices.ContainsFunc(req.only, func(s selector) bool { return s.fits(d, labels, warned) })
	}
}

// checkSelectors refuses what a flag names and isn't there.
func checkSelectors(flag string, list []selector, pairs []pin.Pair) error {
	for i := range list {
		list[i].settle(pairs)
		if err := list[i].check(flag, pairs); err != nil {
			return err
		}
	}
	return nil
}
