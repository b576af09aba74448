package diff

import (
	"fmt"
	"strings"
	"testing"

	"pinproof/internal/effort"
	"pinproof/internal/jsontest"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
)

// TestFindRenames finds the renames in testdata/renames.txt.
func TestFindRenames(t *testing.T) {
	for _, row := range jsontest.ReadRows(t, "testdata/renames.txt", 5) {
		drifts := pintest.CompareByDigest([]pin.Comparison{{Locked: pintest.PinsOf(t, "["+row[1]+"]", pin.Policy{}), Captured: pintest.PinsOf(t, "["+row[2]+"]", pin.Policy{})}})
		FindRenames(effort.NewBudget(), nil, drifts)
		if got := pintest.DriftLines(drifts); got != row[3] {
			t.Errorf("%s\n got %s\nwant %s", row[0], got, row[3])
		}
		for _, d := range drifts {
			if (d.RenamedFrom+d.RenamedTo != "" && row[4] == "true") != d.RenamedWithChanges {
				t.Errorf("%s: %s similar: %v", row[0], d.Name, d.RenamedWithChanges)
			}
		}
	}
}

// TestLooksDenied: which entries in testdata/denied.txt look like a denied pin, r of server s, or may be one.
func TestLooksDenied(t *testing.T) {
	for _, row := range jsontest.ReadRows(t, "testdata/denied.txt", 8) {
		policy, next, want := pin.Policy{Descriptions: row[4]}, pin.Policy{Descriptions: row[5]}, row[7]
		pins := pintest.PinsOf(t, "["+row[1]+"]", policy)
		pins.Pins[0].Denied = true
		sides := []pin.Comparison{{Server: "s", State: pin.ServerPaired, Locked: pintest.PinsOf(t, "["+row[2]+"]", policy), Captured: pintest.PinsOf(t, "["+row[3]+"]", next)}}
		if row[6] == "other" {
			pins.Server = "z"
			sides[0].LockfileServers = []pin.Set{pins}
		} else {
			sides[0].Locked.SetPins(append(sides[0].Locked.Pins, pins.Pins...))
			captured := pintest.PinsOf(t, "["+row[1]+"]", next)
			sides[0].Captured.SetPins(append(sides[0].Captured.Pins, captured.Pins...))
		}
		for _, budget := range []*effort.Budget{effort.NewBudget(), effort.BudgetOf(0)} {
			drifts := pintest.CompareByDigest(sides)
			FindRenames(budget, sides, drifts)
			var got []string
			for _, d := range drifts {
				if d.LooksDenied() {
					got = append(got, d.Name)
				} else if d.MayBeDenied {
					got = append(got, d.Name+"?")
				}
			}
			said := strings.Join(got, " ")
			if isNew := budget.RefusalCount() == 0; isNew && said != want {
				t.Errorf("%s: %q, want %q", row[0], said, want)
			} else if !isNew && !strings.Contains(said, "?") {
				t.Errorf("%s, without a budget: %q", row[0], said)
			}
		}
	}
}

// TestRenamesStayInTheirList checks that only entries of one server and list are paired, and that a URI
// counts as a name.
func TestRenamesStayInTheirList(t *testing.T) {
	entry := func(server string, entryType pin.EntryType, name, definition string) pin.Drift {
		p := &pin.Pin{Key: pin.Key{Type: entryType, Name: name}, HashedDefinition: pin.HashedDefinition{Definition: []byte(definition)}}
		if strings.HasPrefix(name, "old") {
			return pin.Drift{Server: server, Key: p.Key, Kind: pin.DriftRemoved, Locked: p}
		}
		return pin.Drift{Server: server, Key: p.Key, Kind: pin.DriftAdded, Captured: p}
	}
	drifts := []pin.Drift{
		entry("s", pin.Tools, "old", `{"name":"old","x":1}`),
		entry("s", pin.Prompts, "new", `{"name":"new","x":1}`),
		entry("t", pin.Tools, "new", `{"name":"new","x":1}`),
		entry("s", pin.Resources, "old:", `{"name":"x","uri":"old:"}`),
		entry("s", pin.Resources, "new:", `{"name":"x","uri":"new:"}`),
		entry("s", pin.Templates, "old:{x}", `{"name":"x","uriTemplate":"old:{x}"}`),
		entry("s", pin.Templates, "new:{x}", `{"name":"x","uriTemplate":"new:{x}"}`),
	}
	FindRenames(effort.NewBudget(), nil, drifts)
	want := "REMOVED old, ADDED new, ADDED new, REMOVED old: to new:, ADDED new: from old:, REMOVED old:{x} to new:{x}, ADDED new:{x} from old:{x}"
	if got := pintest.DriftLines(drifts); got != want {
		t.Errorf("got %s", got)
	}
}

// TestManyRenames has many tools with long descriptions: one half of them is gone, the other half is new.
func TestManyRenames(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it has 20,000 entries")
	var drifts []pin.Drift
	for i := range 20_000 {
		p := &pin.Pin{Key: pin.Key{Name: fmt.Sprint(i)}, HashedDefinition: pin.HashedDefinition{Definition: fmt.Appendf(nil, `{"description":"%sof %d","name":"%d"}`, strings.Repeat("some words ", 20), i, i)}}
		d := pin.Drift{Key: p.Key, Kind: pin.DriftRemoved, Locked: p}
		if i%2 == 0 {
			d.Kind, d.Locked, d.Captured = pin.DriftAdded, nil, p
		}
		drifts = append(drifts, d)
	}
	FindRenames(effort.NewBudget(), nil, drifts)
	for _, d := range drifts {
		if d.RenamedFrom+d.RenamedTo != "" {
			t.Fatalf("%s is a rename: too many to compare", d.Name)
		}
	}
}

// TestSkillsLookDenied: a skill looks like a denied one if it has its text or one of its scripts, under another name
// and description.
func TestSkillsLookDenied(t *testing.T) {
	const body, code = "Collect what was written in this folder.\nPut it on the board each day.\n", "import os\nos.system('ls')\n"
	of := func(name, description, text, file string) pin.Pin {
		definition := pintest.CanonicalTree(t, fmt.Sprintf(`{"uri":"skill://%[1]s/SKILL.md","frontmatter":{"name":%[1]q,"description":%[2]q},"resources":[]}`, name, description))
		p := pin.Pin{Key: pin.Key{Type: pin.Skills, Name: "skill://" + name + "/SKILL.md"}}
		p.Definition = jsontree.Append(nil, definition)
		p.Digest = name + description + text + file
		p.Files = jsontree.Object(
			jsontree.Member{Name: "skill://" + name + "/SKILL.md", Value: jsontree.String("---\nname: " + name + "\n---\n" + text)},
			jsontree.Member{Name: "skill://" + name + "/a.py", Value: jsontree.String(file)})
		return p
	}
	denied := of("pack", "Packs.", body, code)
	denied.Denied = true
	for _, tt := range []struct {
		name string
		now  pin.Pin
		want bool
	}{
		{"the text", of("box", "Shelves old papers away.", body, "print(1)\n"), true},
		{"the script", of("box", "Shelves old papers away.", "Start a.py.\n", code), true},
		{"the script with other blanks", of("box", "Shelves old papers away.", "Start a.py.\n", "import  os\r\n\r\nos.system( 'ls' ) \r\n"), true},
		{"neither", of("box", "Shelves old papers away.", "Shelve them by year, and by size.\n", "print('shelved')\n"), false},
	} {
		locked, captured := pin.Set{Server: "s"}, pin.Set{Server: "s"}
		locked.SetPins([]pin.Pin{denied})
		captured.SetPins([]pin.Pin{denied, tt.now})
		sides := []pin.Comparison{{Server: "s", State: pin.ServerPaired, Locked: locked, Captured: captured}}
		drifts := pintest.CompareByDigest(sides)
		FindRenames(effort.NewBudget(), sides, drifts)
		if len(drifts) != 1 || drifts[0].LooksDenied() != tt.want {
			t.Errorf("%s: %+v", tt.name, drifts)
		}
	}
}
