package approval_test

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pinproof/internal/approval"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
)

// TestDecisions goes through testdata/decisions.txt, which has cases and, for each, what a person chooses and how that
// ends. The file explains its words. With PINPROOF_UPDATE=1 it is written anew: read what differs.
func TestDecisions(t *testing.T) {
	const path = "testdata/decisions.txt"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var about []string // the lines of a case
	lines := strings.Split(string(data), "\n")
	rows := 0
	for i, line := range lines {
		chosen, want, isRow := strings.Cut(line, " => ")
		switch {
		case strings.HasPrefix(line, "#") || line == "":
		case strings.HasPrefix(line, "== "):
			about = nil
		case isRow:
			rows++
			s := newScene(t, about)
			if got := s.decide(chosen); got != want {
				t.Errorf("%s:%d: %s\ngot  %s\nwant %s", path, i+1, strings.Join(about, "\n"), got, want)
				lines[i] = chosen + " => " + got
			}
		default:
			about = append(about, line)
		}
	}
	if rows < 100 {
		t.Errorf("only %d rows", rows)
	}
	if os.Getenv("PINPROOF_UPDATE") != "" {
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// A scene is a case that is made from lines of text.
type scene struct {
	*testing.T
	*approval.Input
}

func newScene(t *testing.T, about []string) *scene {
	s := &scene{t, &approval.Input{Facts: map[pin.Ref]approval.DriftFacts{}}}
	s.Verdict.DifferingServers = map[string]bool{}
	seems := map[pin.Ref]pin.Drift{}
	for _, line := range about {
		words := strings.Fields(line)
		switch words[0] {
		case "pins", "lists":
			s.entries(words[1], words[0] == "pins", words[2:])
		case "elsewhere":
			side := pin.Comparison{Server: words[1], State: pin.ServerPaired}
			side.Locked.SetPins(pinsOf(words[2:]))
			side.Captured = side.Locked
			s.OtherServers = append(s.OtherServers, side)
		case "policy", "old-policy":
			set := &s.side(words[1]).Captured
			if words[0] == "old-policy" {
				set = &s.side(words[1]).Locked
			}
			for _, row := range pin.PolicySwitches {
				*row.FieldOf(&set.Policy) = slices.Contains(words[2:], row.Flag)
			}
		case "server":
			side := s.side(words[1])
			side.IsPartial = slices.Contains(words, "part")
			if slices.Contains(words, "missing") {
				side.State = pin.ServerWithoutCapture
			}
			if slices.Contains(words, "unanswered") {
				s.Verdict.UnjudgedServers = append(s.Verdict.UnjudgedServers, side.Server)
			}
			s.Verdict.DifferingServers[side.Server] = slices.Contains(words, "differs")
		case "warning":
			s.warning(words[1], words[2:])
		case "recorded":
			ref := s.ref(words[1])
			side := s.side(ref.Server)
			if words[1] == "list" {
				side.Locked.AcceptedWarnings = append(side.Locked.AcceptedWarnings, rec(words[2]))
			} else {
				pinned := side.Locked.Find(ref.Key)
				pinned.AcceptedWarnings = append(pinned.AcceptedWarnings, rec(words[2]))
			}
		case "fact":
			fact := approval.DriftFacts{Minor: slices.Contains(words, "minor")}
			seen := pin.Drift{MayBeDenied: slices.Contains(words, "may-be-denied"), UnlikeDenied: slices.Contains(words, "unlike")}
			for _, word := range words[2:] {
				name, values, _ := strings.Cut(word, "=")
				switch name {
				case "labels":
					fact.Labels = strings.Split(values, ",")
				case "words":
					fact.SelectorWords = strings.Split(values, ",")
				case "like":
					seen.LikeDenied = s.ref(values)
				case "was":
					seen.RenamedFrom = values
				}
			}
			s.Facts[s.ref(words[1])] = fact
			seems[s.ref(words[1])] = seen
		default:
			t.Fatal(line)
		}
	}
	isNoDrift := func(d pin.Drift) bool {
		return d.Kind == pin.DriftRemoved && (s.side(d.Server).IsPartial || slices.Contains(s.Verdict.UnjudgedServers, d.Server))
	}
	s.Drifts = slices.DeleteFunc(pintest.CompareByDigest(s.Sides), isNoDrift)
	for i := range s.Drifts {
		d := &s.Drifts[i]
		seen := seems[d.Ref()]
		d.LikeDenied, d.RenamedFrom, d.MayBeDenied, d.UnlikeDenied = seen.LikeDenied, seen.RenamedFrom, seen.MayBeDenied, seen.UnlikeDenied
	}
	s.Verdict.Matches = len(s.Drifts) == 0 && len(s.Verdict.UnjudgedServers) == 0 && !slices.ContainsFunc(s.Sides, func(p pin.Comparison) bool { return p.PolicyDiffers() })
	for i := range s.Sides {
		s.Sides[i].Captured.Digest = setDigest(strconv.Itoa(i + 1))
	}
	return s
}

// pinsOf reads entries: NAME#TEXT, with ~ at the end for a text with a hidden character, and ! for a denied one.
func pinsOf(words []string) (list []pin.Pin) {
	for _, word := range words {
		word, denied := strings.CutSuffix(word, "!")
		word, hidden := strings.CutSuffix(word, "~")
		name, text, _ := strings.Cut(word, "#")
		if hidden {
			text += "\u200b"
		}
		p := pin.Pin{Key: pin.ParseEntry(name), Denied: denied}
		hashed := text
		if p.Type != pin.Instructions {
			hashed = `{"description":"` + text + `","name":"` + p.Name + `"}`
		}
		p.HashedDefinition = pintest.HashDefinition(p.Type, []byte(hashed))
		list = append(list, p)
	}
	return list
}

// entries adds one side of a server.
func (s *scene) entries(server string, isLocked bool, words []string) {
	side := s.side(server)
	if side == nil {
		s.Sides = append(s.Sides, pin.Comparison{Server: server, CapturePath: server + ".json", LockfilePath: "tools.lock", State: pin.StateOf(isLocked, !isLocked)})
		side = &s.Sides[len(s.Sides)-1]
		side.Locked.Server = server
		side.Captured.Server = server
	} else {
		side.State = pin.ServerPaired
	}
	if isLocked {
		side.Locked.SetPins(pinsOf(words))
	} else {
		side.Captured.SetPins(pinsOf(words))
	}
}

func (s *scene) side(server string) *pin.Comparison { return pin.FindComparison(s.Sides, server) }

// ref reads SERVER:NAME or, for the first server, NAME. The name list is for a list as a whole.
func (s *scene) ref(arg string) pin.Ref {
	ref := pin.Ref{Server: s.Sides[0].Server}
	if server, name, ok := strings.Cut(arg, ":"); ok {
		ref.Server = server
		arg = name
	}
	if arg != "list" {
		ref.Key = pin.ParseEntry(arg)
	}
	return ref
}

func (s *scene) warning(of string, words []string) {
	w := approval.Warning{EntryWarning: pin.EntryWarning{Entry: s.ref(of), AcceptedWarning: rec(words[0])}}
	for _, word := range words[1:] {
		switch word {
		case "approved":
			w.Approved = true
		case "unclean":
			w.FailsRequireClean = true
		case "unbound":
			w.AcceptedWarning.Digest = ""
		case "match":
			w.Scope = pin.FindingInMatch
		case "unpinned":
			w.Scope = pin.FindingUnpinned
		case "pinned":
			w.Scope = pin.FindingInPinOnly
		default:
			w.NamedTool = word
		}
	}
	s.Warnings = append(s.Warnings, w)
}

// digests replaces {NAME} by the captured digest of an entry, {NAME!} by its pin's, and {0} by that of nothing.
func (s *scene) digests(arg string) string {
	before, rest, ok := strings.Cut(arg, "{")
	if !ok {
		return arg
	}
	name, after, _ := strings.Cut(rest, "}")
	digest := setDigest("0")
	if name, isPinned := strings.CutSuffix(name, "!"); name != "0" {
		ref := s.ref(name)
		set := &s.side(ref.Server).Captured
		if isPinned {
			set = &s.side(ref.Server).Locked
		}
		digest = set.Find(ref.Key).Digest
	}
	return before + digest + after
}

// chosen reads flags and answers.
func (s *scene) chosen(words string) *approval.Choices {
	said := &approval.Choices{}
	answers := approval.NewAnswers()
	for word := range strings.FieldsSeq(words) {
		name, arg, _ := strings.Cut(word, ":")
		if list := map[string]*[]approval.Selector{"accept": &said.Accept, "deny": &said.Deny, "only": &said.Only, "accept-warning": &said.WarningSelectors}[name]; list != nil {
			*list = append(*list, selectorOf(s.T, s.digests(arg), "risky", "minor", "warnings"))
			continue
		}
		switch name {
		case "none":
		case "all":
			said.AcceptAll = true
		case "lock":
			said.NewServersOnly = true
		case "silent":
			said.NonInteractive = true
		case "accept-warnings":
			said.AcceptsAllWarnings = true
		case "keeps-marks":
			said.Accept = said.WarningSelectors
			said.KeepsDenied = true
		case "expect":
			said.ExpectedDigests = append(said.ExpectedDigests, setDigest(arg))
		case "allow-empty":
			said.AllowsEmpty = true
		case "needs-pins":
			said.NeedsPins = true
		default:
			said.Answers = answers
			s.answer(answers, name, arg)
		}
	}
	return said
}

// answer reads an answer at the prompt.
func (s *scene) answer(answers *approval.Answers, name, arg string) {
	ref := s.ref(arg)
	at := slices.IndexFunc(s.Drifts, func(d pin.Drift) bool { return d.Ref() == ref })
	switch name {
	case "answers":
	case "yes", "x", "own":
		if at >= 0 {
			answers.AcceptedDigests[ref] = s.Drifts[at].DigestToAccept()
		}
		if name == "x" {
			answers.Denied[ref] = true
		}
		if name == "own" {
			answers.AcceptedIndividually[ref] = true
		}
	case "stale":
		answers.AcceptedDigests[ref] = setDigest("0")
	case "policy":
		answers.AcceptsPolicies = true
	case "whole":
		answers.AcceptsCaptureWarnings = true
	case "record":
		of, id, _ := strings.Cut(arg, "/")
		answers.AcceptedWarnings[pin.EntryWarning{Entry: s.ref(of), AcceptedWarning: rec(id)}] = true
	default:
		s.Fatal(name)
	}
}

// decide returns in one line how choices end.
func (s *scene) decide(words string) string {
	said := s.chosen(words)
	if err := approval.Precheck(s.Sides, s.Drifts, said); err != nil {
		return "refused: " + wrong(err) + ", exit " + strconv.Itoa(codeOf(err))
	}
	out := approval.Decide(s.Input, said)
	var parts []string
	add := func(what string, names []string) {
		if len(names) > 0 {
			parts = append(parts, what+" "+strings.Join(names, " "))
		}
	}
	var warnings, idle []string
	for _, w := range out.Warnings {
		warnings = append(warnings, s.name(w.Entry))
	}
	for _, selector := range out.UnusedSelectors {
		idle = append(idle, selector.Arg[:min(len(selector.Arg), 20)])
	}
	switch {
	case out.NeedsPrompt:
		return "asks"
	case out.NothingToWrite:
		return "settled"
	case out.NewPins == nil:
		parts = []string{"refused: " + wrong(out.Err) + ", exit " + strconv.Itoa(codeOf(out.Err))}
		add("for", slices.Compact(warnings))
		return strings.Join(parts, "; ")
	}
	var accepted []string
	for i := range s.Drifts {
		if ref := s.Drifts[i].Ref(); out.Accepted[ref] {
			accepted = append(accepted, s.name(ref))
		}
	}
	add("accepts", accepted)
	parts = append(parts, "exit "+strconv.Itoa(codeOf(out.Err)))
	add("warned of", slices.Compact(warnings))
	add("idle", idle)
	var denied, records []string
	for _, side := range slices.Concat(s.Sides, s.OtherServers) {
		set := out.NewPins[side.Server]
		if set == nil {
			continue
		}
		add("pins", []string{side.Server})
		if len(set.AcceptedWarnings) > 0 {
			records = append(records, s.name(pin.Ref{Server: side.Server})+"="+ids(set.AcceptedWarnings))
		}
		for _, p := range set.Pins {
			ref := pin.Ref{Server: side.Server, Key: p.Key}
			if p.Denied {
				denied = append(denied, s.name(ref))
			}
			if len(p.AcceptedWarnings) > 0 {
				records = append(records, s.name(ref)+"="+ids(p.AcceptedWarnings))
			}
		}
	}
	add("records", records)
	add("denied", denied)
	return strings.Join(parts, "; ")
}

// name names an entry.
func (s *scene) name(ref pin.Ref) string {
	name := strings.TrimPrefix(ref.EntryRef(), "tool=")
	if ref.Key == (pin.Key{}) {
		name = "list"
	}
	if len(s.Sides) > 1 {
		name = ref.Server + ":" + name
	}
	return name
}
