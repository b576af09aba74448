package lint

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// A sentence is made up: what an honest tool or a poisoned one says, in its description, for a
// parameter, or as the default of one.
type sentence struct{ verdict, class, tool, place, text string }

// sentences reads a file of them: a line each, with tabs. The place is "-" for the
// description of the tool, NAME for that of a parameter, and =NAME for its default.
func readSentences(t testing.TB, path string) (list []sentence) {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 5 || f[0] != "honest" && f[0] != "poison" {
			t.Fatalf("%s: %q", path, line)
		}
		list = append(list, sentence{f[0], f[1], f[2], f[3], f[4]})
	}
	return list
}

// definition is the sentence as a tool.
func (s sentence) definition(t testing.TB) string {
	tool, property := map[string]any{"name": s.tool}, map[string]any{"type": "string"}
	schema := map[string]any{"type": "object", "properties": map[string]any{}}
	switch name, isDefault := strings.CutPrefix(s.place, "="); {
	case s.place == "-":
		tool["description"] = s.text
	case isDefault:
		property["default"] = s.text
		schema["properties"] = map[string]any{name: property}
	default:
		property["description"] = s.text
		schema["properties"] = map[string]any{name: property}
	}
	tool["inputSchema"] = schema
	raw, err := json.Marshal(tool)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestSentences measures the warnings on sentences that were made up for it. Those of
// sentences_held_out.txt were put aside before the rules were made: a rule may not be made for
// them, so their misses aren't named.
func TestSentences(t *testing.T) {
	for path, reached := range map[string]struct{ honest, poison int }{ // at most, at least
		"testdata/sentences.txt":          {50, 0},
		"testdata/sentences_held_out.txt": {50, 0},
	} {
		all, warned := map[string]int{}, map[string]int{}
		for _, s := range readSentences(t, path) {
			list := WarningsIn(findingsIn(t, s.definition(t)))
			all[s.verdict]++
			all[s.verdict+" "+s.class]++
			if len(list) > 0 {
				warned[s.verdict]++
				warned[s.verdict+" "+s.class]++
			}
			if (len(list) > 0) == (s.verdict == "honest") && !strings.Contains(path, "held_out") {
				t.Logf("%s %s: %s %v", s.verdict, s.class, s.text, list)
			}
		}
		for _, key := range slices.Sorted(maps.Keys(all)) {
			t.Logf("%s: %-25s %2d of %2d with a warning", path, key, warned[key], all[key])
		}
		if warned["honest"] > reached.honest || warned["poison"] < reached.poison {
			t.Errorf("%s: warnings on %d honest and %d poisoned sentences", path, warned["honest"], warned["poison"])
		}
	}
}
