package review

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"pinproof/internal/lockfile"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
)

// What fires on published examples of poisoned tools. They are not ours, so they are
// not in the repository, and the test is passed over where they are not at hand.

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

// publishedFile holds them: a list of objects with class, place, source, tool and,
// where the poison is about other tools, peers.
var publishedFile = pintest.Path("../shared/published.json")

// warnedOf reports whether an example gets a warning alone, and beside its peers.
func warnedOf(t testing.TB, e publishedExample) (alone, beside bool) {
	tool := foundSet(t, "here", string(e.Tool))
	warned := func(lock lockfile.Lockfile) bool {
		x := NewNames(lock.Servers, []pin.Set{tool})
		found := append(x.Entry("here", tool.Pins[0], nil), x.List(tool, nil)...)
		return slices.ContainsFunc(found, func(f Finding) bool { return f.Warning })
	}
	peers := pin.Set{Server: "peer"}
	for _, p := range e.Peers {
		peers.Pins = append(peers.Pins, foundPin(t, string(p)))
	}
	slices.SortFunc(peers.Pins, pin.ComparePins)
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
	// What was reached; a change of the rules may not fall below.
	for kind, percent := range map[string]int{"all collected": 90, "all benchmark": 90} {
		if r := rows[kind]; r == nil || r.alone*100 < percent*r.all {
			t.Errorf("%s: warnings on fewer than %d %%", kind, percent)
		}
	}
}
