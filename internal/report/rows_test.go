package report

import (
	"strings"
	"testing"
	"time"

	"pinproof/internal/jsontest"
	"pinproof/internal/jsontree"
)

// TestListLine: what joined and what went is what a search of one list in the other finds, item
// by item, repeats included.
func TestListLine(t *testing.T) {
	m := jsontest.NewMaker(7)
	scalars := []string{`"a"`, `"b"`, `"-a"`, `1`, `1.5`, `true`, `null`, `""`}
	for range jsontest.Rounds(500, 20_000) {
		var sides [2][]string
		for i := range sides {
			for range m.IntN(6) {
				sides[i] = append(sides[i], m.Pick(scalars...))
			}
		}
		missing := func(list, other []string, op string) (said []string) {
			for _, item := range list {
				if !strings.Contains(" "+strings.Join(other, " ")+" ", " "+item+" ") {
					said = append(said, op+item)
				}
			}
			return said
		}
		want := strings.Join(append(missing(sides[0], sides[1], "-"), missing(sides[1], sides[0], "+")...), " ")
		got := ""
		for _, line := range listLine(list(t, sides[0]), list(t, sides[1])) {
			for _, run := range line.Runs {
				got += strings.Trim(string(run.Op), "=") + run.Text
			}
		}
		if got != want {
			t.Fatalf("%s -> %s: %s, want %s", sides[0], sides[1], got, want)
		}
	}
	if listLine(list(t, []string{"1"}), list(t, []string{"1", "[]"})) != nil {
		t.Error("a list in a list")
	}
}

// TestListLineOfMany: a list is as long as a definition may be. A search for each item took minutes.
func TestListLineOfMany(t *testing.T) {
	var sides [2][]string
	for i := range sides {
		for n := range 100_000 {
			sides[i] = append(sides[i], `"`+string("ab"[i])+strings.Repeat("x", n%7)+string(rune('0'+n%10))+`"`)
		}
	}
	before := time.Now()
	if listLine(list(t, sides[0]), list(t, sides[1])) == nil {
		t.Error("nothing differs")
	}
	if took := time.Since(before); took > 5*time.Second {
		t.Errorf("%s", took)
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
