package lint

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pinproof/internal/jsontest"
	"pinproof/internal/lockfile"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
)

// What fires on published examples of poisoned tools. The examples are not ours, so they are
// not in the repository, and the tests are skipped where they are not at hand.

// A publishedExample is one poisoned tool: its class, the place of the poison, and
// the tools of other servers that it is about.
type publishedExample struct {
	Class, Place, Source string
	Tool                 json.RawMessage
	Peers                []json.RawMessage
}

func publishedExamples(t testing.TB) []publishedExample {
	data, err := os.ReadFile(publishedFile)
	if err != nil {
		t.Skip("no published examples at hand")
	}
	var list []publishedExample
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// publishedFile has the published examples: a list of objects with class, place, source, tool
// and, where the poison is about other tools, peers.
var publishedFile = pintest.FromRoot("../shared/published.json")

// warnedOf reports whether an example gets a warning alone, and together with its peers.
func warnedOf(t testing.TB, e publishedExample) (alone, beside bool) {
	tool := foundSet(t, "here", string(e.Tool))
	warned := func(lock lockfile.Lockfile) bool {
		x := NewNameIndex(lock.Servers, []pin.Set{tool})
		found := append(x.CheckEntry("here", tool.Pins[0], nil), x.CheckListSize(tool)...)
		return slices.ContainsFunc(found, func(f Finding) bool { return f.Warning })
	}
	peers := pin.Set{Server: "peer"}
	for _, p := range e.Peers {
		peers.Pins = append(peers.Pins, foundPin(t, string(p)))
	}
	slices.SortFunc(peers.Pins, func(a, b pin.Pin) int { return pin.ComparePins(&a, &b) })
	var lock lockfile.Lockfile
	if len(peers.Pins) > 0 {
		lock.Put(peers)
	}
	return warned(lockfile.Lockfile{}), warned(lock)
}

func TestPublishedExamples(t *testing.T) {
	type row struct{ all, alone, beside int }
	rows := map[string]*row{}
	add := func(key string, alone, beside bool) {
		if rows[key] == nil {
			rows[key] = &row{}
		}
		rows[key].all++
		if alone {
			rows[key].alone++
		}
		if beside {
			rows[key].beside++
		}
	}
	for i, e := range publishedExamples(t) {
		alone, beside := warnedOf(t, e)
		kind := "collected"
		class := e.Class
		if strings.HasPrefix(class, "mcptox ") {
			kind = "benchmark"
			class, _, _ = strings.Cut(strings.TrimPrefix(class, "mcptox "), " /")
		}
		add(kind+": "+class, alone, beside)
		add("all "+kind, alone, beside)
		if !beside {
			t.Logf("no warning: %d, %s", i, e.Class)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		r := rows[key]
		t.Logf("%-40s %4d examples, with a warning: %4d alone, %4d beside its peers", key, r.all, r.alone, r.beside)
	}
	// The rules have reached this. A change of the rules may not fall below it.
	for kind, percent := range map[string]int{"all collected": 96, "all benchmark": 98} {
		if r := rows[kind]; r == nil || r.alone*100 < percent*r.all {
			t.Errorf("%s: warnings on fewer than %d %%", kind, percent)
		}
	}
}

// morePublishedFile has further published texts: a list of objects with a tool, whether it
// orders the model to do something, and the same tool without the poison.
var morePublishedFile = pintest.FromRoot("../shared/published-2.json")

// Of the published orders at least 85 % get a warning. A tool without its poison gets no warning.
func TestMorePublishedExamples(t *testing.T) {
	data, err := os.ReadFile(morePublishedFile)
	if err != nil {
		t.Skip("no published examples at hand")
	}
	var list []struct {
		Category     string
		Order        bool
		Tool, Benign json.RawMessage
	}
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	orders := 0
	warned := 0
	for i, e := range list {
		hasWarning := len(WarningsIn(findingsIn(t, string(e.Tool)))) > 0
		if list := WarningsIn(findingsIn(t, string(e.Benign))); len(list) > 0 {
			t.Errorf("%d without its poison: %v", i, list)
		}
		if !e.Order {
			if hasWarning {
				t.Logf("no order: %d, %s", i, e.Category)
			}
			continue
		}
		orders++
		if hasWarning {
			warned++
		} else {
			t.Logf("no warning: %d, %s", i, e.Category)
		}
	}
	t.Logf("%d orders: %d with a warning", orders, warned)
	if warned*100 < 85*orders {
		t.Errorf("too few")
	}
}

// Of the ordinary servers that aren't in the repository, at most one gets a false warning when it is
// locked alone. In one lockfile with all the others, at most six warnings name another server's tool.
func TestFindingsOfOrdinaryServers(t *testing.T) {
	jsontest.SkipShort(t, "it reviews all ordinary servers")
	files, _ := filepath.Glob(pintest.FromRoot("../shared/ordinary/*.json*"))
	if len(files) == 0 {
		t.Skip("no ordinary servers at hand")
	}
	var sets []pin.Set
	for _, path := range files {
		sets = append(sets, pintest.ReadPins(t, path, filepath.Base(path)))
	}
	together := NewNameIndex(nil, sets)
	alone := 0
	pairs := 0
	tools := 0
	for _, s := range sets {
		warned := func(x *NameIndex) (list []Finding) {
			for _, p := range s.Pins {
				list = append(list, WarningsIn(x.CheckEntry(s.Server, p, nil))...)
			}
			return list
		}
		if list := warned(NewNameIndex(nil, []pin.Set{s})); len(list) > 0 {
			alone++
			t.Logf("alone: %s: %v", s.Server, list)
		}
		for _, f := range warned(together) {
			if f.ID == "names-other-tool" {
				pairs++
				t.Logf("together: %s: %v", s.Server, f)
			}
		}
		tools += len(s.Pins)
	}
	t.Logf("%d servers, %d tools: %d warned of alone, %d pairs together", len(sets), tools, alone, pairs)
	if alone > 1 || pairs > 6 {
		t.Error("too many")
	}
}

// Of the entries that changed in real upgrades, at most 10 % get a note about a new address: the note
// ranks an entry above those without a warning.
func TestNotesOfRealUpgrades(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it reviews releases of real servers")
	var entries, addresses [2]int // of entries that changed, and of those that were added
	pintest.RealUpgrades(t, func(old, new string) {
		before, now := pintest.ReadPins(t, old, "s"), pintest.ReadPins(t, new, "s")
		x := NewNameIndex([]pin.Set{before}, []pin.Set{now})
		for _, p := range now.Pins {
			pinned := before.Find(p.Key)
			if pinned != nil && pinned.Digest == p.Digest {
				continue
			}
			joined := BoolToInt(pinned == nil)
			entries[joined]++
			for _, f := range x.CheckEntry("s", p, pinned) {
				addresses[joined] += BoolToInt(f.ID == "new-address")
			}
		}
	})
	t.Logf("changed, joined: entries %d, with a new address %d", entries, addresses)
	if addresses[0]*100 > 10*entries[0] {
		t.Error("too many")
	}
}
