package report

import (
	"slices"
	"strings"
	"testing"

	"pinproof/internal/jsontest"
	"pinproof/internal/jsontree"
)

// TestListLine: the new list follows from the old list and the line, item by item. There is no line for equal lists, nor
// if an item repeats or those that stay have another order: both lists are shown then.
func TestListLine(t *testing.T) {
	m := jsontest.NewMaker(7)
	scalars := []string{`"a"`, `"b"`, `"-a"`, `1`, `1.5`, `true`, `null`, `""`}
	lines, rounds := 0, jsontest.Rounds(500, 20_000)
	for range rounds {
		var sides [2][]string
		for i := range sides {
			for range m.IntN(6) {
				sides[i] = append(sides[i], m.Pick(scalars...))
			}
		}
		old, new := sides[0], sides[1]
		stay := func(of, other []string) []string {
			return slices.DeleteFunc(slices.Clone(of), func(item string) bool { return !slices.Contains(other, item) })
		}
		repeats := func(list []string) bool {
			sorted := slices.Sorted(slices.Values(list))
			return len(slices.Compact(sorted)) < len(list)
		}
		wanted := !repeats(old) && !repeats(new) && !slices.Equal(old, new) && slices.Equal(stay(old, new), stay(new, old))
		found := listLine(list(t, old), list(t, new))
		if wanted != (found != nil) {
			t.Fatalf("%s -> %s: %v", old, new, found)
		}
		if found == nil {
			continue
		}
		lines++
		rest := slices.Clone(old)
		var came []string
		for _, run := range found[0].Runs {
			switch {
			case run.Op == '-':
				rest = slices.DeleteFunc(rest, func(item string) bool { return item == run.Text })
			case run.Op == '+':
				came = append(came, run.Text)
			case run.Text != " ":
				rest = slices.Insert(rest, slices.Index(rest, run.Text), came...)
				came = nil
			}
		}
		if got := append(rest, came...); !slices.Equal(got, new) {
			t.Fatalf("%s -> %s: reads as %s", old, new, got)
		}
	}
	if lines < rounds/10 {
		t.Errorf("only %d lines", lines)
	}
	if listLine(list(t, []string{"1"}), list(t, []string{"1", "[]"})) != nil {
		t.Error("a list in a list")
	}
}

func list(t *testing.T, items []string) jsontree.Value {
	t.Helper()
	v, err := jsontree.NewReader([]byte("[" + strings.Join(items, ",") + "]")).Only()
	if err != nil {
		t.Fatal(err)
	}
	return v
}
