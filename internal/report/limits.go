package report

import (
	"slices"
	"strings"
	"sync"

	"pinproof/internal/signature"
	"pinproof/internal/text"
)

// A limit is what a row says, if that is nothing but a short change of one keyword of a schema.
type limit struct {
	schema  string // where the schema is, a JSON Pointer
	place   string // the same for people
	keyword string

	// '+' if the keyword was added, '-' if it was removed; 0 if its value changed.
	sign byte

	value string // "24" or, if it changed, "9 -> 12"
}

// limits are the keywords whose value is a number or a short text that values are held against.
var limits = sync.OnceValue(func() []string {
	return strings.Fields(`format maximum maxItems maxLength maxProperties exclusiveMaximum exclusiveMinimum minimum minItems minLength
 minProperties multipleOf pattern uniqueItems`)
})

// limitOf returns the limit that an edit says, if its row says nothing else; or nil.
func (e *drifted) limitOf(ed *edit, row *Row, said string) *limit {
	around := above(ed.Pointer)
	keyword := strings.TrimPrefix(ed.Pointer, around+"/")
	if row.Detail != said || !slices.Contains(limits(), keyword) {
		return nil
	}
	l := &limit{schema: around, place: e.place(ed.sideOf(), around), keyword: keyword, value: said}
	if ed.Old.Kind == 0 || ed.New.Kind == 0 {
		l.sign = said[0]
		l.value = said[len("+ "):]
	}
	return l
}

// together joins rows that follow each other, if they say limits of one schema under one label.
func together(rows []Row) (folded []Row) {
	for i := 0; i < len(rows); {
		row := rows[i]
		list := []*limit{row.limit}
		for i++; i < len(rows) && rows[i].goesWith(&row); i++ {
			list = append(list, rows[i].limit)
		}
		if len(list) > 1 {
			row.Place = row.limit.place
			row.Pointer = text.WholePointer(row.limit.schema)
			row.Detail = saidOf(list)
		}
		folded = append(folded, row)
	}
	return folded
}

// goesWith reports whether two rows say limits of one schema, under one label.
func (r *Row) goesWith(other *Row) bool {
	return r.limit != nil && other.limit != nil && r.limit.schema == other.limit.schema && r.Label == other.Label && r.Letter == other.Letter
}

// ranges are pairs of limits that are said as one, as a signature says them: "1..600", "length 1..64".
var ranges = [...]struct {
	low, high string
	both      func(low, high string) string
}{{"minimum", "maximum", signature.Range}, {"minLength", "maxLength", signature.Length}}

// saidOf says limits of one schema: "+ length 1..64, + pattern "^a"".
func saidOf(list []*limit) string {
	for _, r := range ranges {
		low := indexOf(list, r.low)
		high := indexOf(list, r.high)
		if low < 0 || high < 0 || list[low].sign != list[high].sign || list[low].sign == 0 {
			continue
		}
		both := &limit{sign: list[low].sign, value: r.both(list[low].value, list[high].value)}
		list[min(low, high)] = both
		list = slices.Delete(list, max(low, high), max(low, high)+1)
	}
	var said []string
	for _, l := range list {
		sign := ""
		if l.sign != 0 {
			sign = string(l.sign)
		}
		said = append(said, joined(" ", sign, l.keyword, l.value))
	}
	return strings.Join(said, ", ")
}

// indexOf returns where in a list of limits a keyword is, or -1.
func indexOf(list []*limit, keyword string) int {
	return slices.IndexFunc(list, func(l *limit) bool { return l.keyword == keyword })
}
