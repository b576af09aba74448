package formats

import (
	"io"
	"regexp"
	"strings"
	"testing"

	"pinproof/internal/jsontest"
	"pinproof/internal/report"
	"pinproof/internal/report/reporttest"
)

// TestPoisonFirst: the verdict names the warning of the tool that was poisoned inside a routine upgrade before any tool
// is named, and that tool is the first of all.
func TestPoisonFirst(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it poisons releases of real servers")
	reporttest.EachPoisoned(t, func(t *testing.T, r *report.Report) {
		var names []string
		for _, p := range r.Comparisons[0].Captured.Pins {
			names = append(names, regexp.QuoteMeta(p.Name))
		}
		named := regexp.MustCompile(`\b(` + strings.Join(names, "|") + `)\b`)
		eachFormat(t, func(t *testing.T, write func(io.Writer, *report.Model) error) {
			out := reporttest.WriteToString(t, write, r.Model)
			above, below, found := strings.Cut(out, "1 WARNING hidden-text in write_file")
			if !found || named.MatchString(above) {
				t.Fatalf("the verdict doesn't begin with the warning:\n%s", out)
			}
			if first := named.FindString(below); first != "write_file" {
				t.Errorf("%s is named first", first)
			}
		})
	})
}
