package pin

import (
	"strings"
	"testing"

	"pinproof/internal/jsontree"
)

// TestRecordChanges: each difference of two lockfiles other than in the definitions is listed.
// Equal lockfiles have no difference.
func TestRecordChanges(t *testing.T) {
	digest := func(digit string) string { return jsontree.DigestPrefix + strings.Repeat(digit, 64) }
	made := func() Set {
		s := Set{Server: "s", AcceptedWarnings: []AcceptedWarning{{ID: "oversize", Digest: digest("a")}}, ServerInfo: ServerInfo{"x", "1"}}
		s.SetPins([]Pin{
			{Key: Key{Tools, "a"}, HashedDefinition: HashedDefinition{Digest: digest("1")}, AcceptedWarnings: []AcceptedWarning{{ID: "padding", Place: "/description", Digest: digest("b")}},
				Approval: &Approval{By: "Ada", At: "2026-01-02T03:04:05Z", Hash: digest("c"), Digest: digest("1")}},
			{Key: Key{Prompts, "a"}, HashedDefinition: HashedDefinition{Digest: digest("2")}},
		})
		return s
	}
	for name, change := range map[string]func(s *Set){
		"a policy":                func(s *Set) { s.Policy.RequireClean = true },
		"a warning of the server": func(s *Set) { s.AcceptedWarnings = nil },
		"another id":              func(s *Set) { s.Pins[0].AcceptedWarnings[0].ID = "oversize" },
		"another place":           func(s *Set) { s.Pins[0].AcceptedWarnings[0].Place = "/title" },
		"another text":            func(s *Set) { s.Pins[0].AcceptedWarnings[0].Digest = digest("d") },
		"one warning more":        func(s *Set) { s.Pins[1].AcceptedWarnings = []AcceptedWarning{{ID: "padding", Digest: digest("2")}} },
		"no warning":              func(s *Set) { s.Pins[0].AcceptedWarnings = nil },
		"no approval":             func(s *Set) { s.Pins[0].Approval = nil },
		"an approval more":        func(s *Set) { s.Pins[1].Approval = &Approval{By: "Ada", At: "2026-01-02T03:04:05Z", Hash: digest("e")} },
		"another approver":        func(s *Set) { s.Pins[0].Approval.By = "Bob" },
		"another time":            func(s *Set) { s.Pins[0].Approval.At = "2026-01-02T03:04:06Z" },
		"another hash":            func(s *Set) { s.Pins[0].Approval.Hash = digest("f") },
	} {
		p := Comparison{Server: "s", State: ServerPaired, BothLockfiles: true, Locked: made(), Captured: made()}
		if p.MetadataDiffers() {
			t.Fatal("equal records differ")
		}
		for _, side := range []*Set{&p.Captured, &p.Locked} {
			change(side)
			if !p.MetadataDiffers() {
				t.Errorf("%s: no difference", name)
			}
			for _, c := range p.MetadataChanges() {
				if c.Old == c.New {
					t.Errorf("%s: %s of %q: nothing is said: %q", name, c.Field, c.Name, c.Old)
				}
			}
			*side = made()
		}
		p.BothLockfiles = false
		change(&p.Captured)
		if p.MetadataDiffers() {
			t.Errorf("%s: a capture has no records", name)
		}
	}
	p := Comparison{Server: "s", State: ServerPaired, BothLockfiles: true, Locked: made(), Captured: made()}
	p.Captured.ServerInfo.Version = "2"
	if list := p.MetadataChanges(); p.MetadataDiffers() || len(list) != 1 || list[0].Old != "x 1" || list[0].New != "x 2" {
		t.Errorf("what a server calls itself: %v", list)
	}
}

// TestRecordChangesOfOneSide: if only one of two lockfiles has an entry or a server, each record of it is a change.
func TestRecordChangesOfOneSide(t *testing.T) {
	digest := jsontree.DigestPrefix + strings.Repeat("a", 64)
	with := Set{Server: "s"}
	with.SetPins([]Pin{{Key: Key{Tools, "a"}, HashedDefinition: HashedDefinition{Digest: digest}, Denied: true, AcceptedWarnings: []AcceptedWarning{{ID: "padding", Digest: digest}},
		Approval: &Approval{By: "Ada", At: "2026-01-02T03:04:05Z", Hash: digest, Digest: digest}}})
	for name, p := range map[string]Comparison{
		"an entry is gone":  {State: ServerPaired, Locked: with, Captured: Set{Server: "s"}},
		"a server is gone":  {State: ServerGone, Locked: with},
		"an entry is added": {State: ServerPaired, Locked: Set{Server: "s"}, Captured: with},
		"a server is added": {State: ServerNew, Captured: with},
	} {
		p.BothLockfiles = true
		var got []string
		for _, c := range p.MetadataChanges() {
			got = append(got, c.Field)
			if isGone := strings.HasSuffix(name, "gone"); (c.Old != "") != isGone || (c.New == "") != isGone {
				t.Errorf("%s: %q -> %q", name, c.Old, c.New)
			}
		}
		if strings.Join(got, " ") != "denied warning approval" {
			t.Errorf("%s: %q", name, got)
		}
	}
}
