package report

import (
	"slices"
	"strings"

	"pinproof/internal/label"
)

// listUnused makes one row of rows that follow each other and are about schemas that nothing refers to: a line for each,
// so that formats join those that are told by the same reference.
func listUnused(rows []Row) (list []Row) {
	for _, row := range rows {
		if row.Label != label.UnusedDefinition.ID() || row.Names != "" {
			list = append(list, row)
			continue
		}
		lines := slices.Clone(row.Lines)
		if len(lines) == 0 || lines[0].Name+lines[0].Phrase != "" {
			lines = append([]Line{{}}, lines...)
		}
		around := above(row.Place)
		lines[0].Name = strings.TrimPrefix(row.Place, around+"/")
		lines[0].Phrase = row.Detail
		lines[0].Brief = row.Detail[:min(1, len(row.Detail))]
		for i := 1; i < len(lines); i++ {
			lines[i].Depth++
		}
		if n := len(list); n > 0 && list[n-1].Label == row.Label && list[n-1].Place == around && list[n-1].Shared == row.Shared {
			list[n-1].Lines = append(list[n-1].Lines, lines...)
			continue
		}
		row.Place = around
		row.Detail = ""
		row.Lines = lines
		list = append(list, row)
	}
	return list
}
