package formats

import (
	"io"
	"strings"
	"testing"

	"pinproof/internal/report"
	"pinproof/internal/report/reporttest"
)

// TestPoisonFirst: the warning of the tool that was poisoned inside a routine upgrade is in the headline
// of every format. That the tool comes first is tested with each format.
func TestPoisonFirst(t *testing.T) {
	t.Parallel()
	reporttest.EachPoisoned(t, func(t *testing.T, r *report.Report) {
		eachFormat(t, func(t *testing.T, write func(io.Writer, *report.Model) error) {
			const warning = "1 WARNING hidden-text in write_file"
			if !strings.Contains(reporttest.Written(t, write, r), warning) {
				t.Errorf("no %q", warning)
			}
		})
	})
}
