package normal_test

import (
	"fmt"
	"testing"

	"pinproof/internal/effort"
	"pinproof/internal/jsontest"
	"pinproof/internal/normal"
	"pinproof/internal/pintest"
)

// equal reports whether two whole schemas have the same form.
func equal(t testing.TB, old, new string) bool {
	t.Helper()
	a, b := pintest.CanonicalTree(t, old), pintest.CanonicalTree(t, new)
	return normal.Equal(normal.NewForms(effort.NewBudget(), &a, "get_page", false), normal.NewForms(effort.NewBudget(), &b, "get_page", false), &a, &b)
}

// TestForms: the pairs of schemas in testdata/forms.txt are equal or differ, from both sides. A parameter may be behind
// a reference.
func TestForms(t *testing.T) {
	for _, row := range jsontest.ReadRows(t, "testdata/forms.txt", 4) {
		frames := []string{`{"properties":{"p":%s}}`, `{"properties":{"p":{"$ref":"#/$defs/p"}},"$defs":{"p":%s}}`}
		if row[1] == "whole" {
			frames = []string{"%s"}
		}
		for _, frame := range frames {
			old, new, want := fmt.Sprintf(frame, row[2]), fmt.Sprintf(frames[0], row[3]), row[0] == "equal"
			if equal(t, old, new) != want || equal(t, new, old) != want {
				t.Errorf("%s\n%s\nisn't %s", old, new, row[0])
			}
		}
	}
}

// TestBudget: what the budget is too small for has no form.
func TestBudget(t *testing.T) {
	v := pintest.CanonicalTree(t, `{"properties":{"a":{"description":"A."}}}`)
	small := effort.BudgetOf(10)
	if a := normal.NewForms(small, &v, "", false); normal.Equal(a, a, &v, &v) || small.RefusalCount() == 0 {
		t.Error("a form without a budget")
	}
}
