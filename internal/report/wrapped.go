package report

import (
	"slices"
	"strconv"
	"strings"

	"pinproof/internal/jsontree"
)

// A schema often becomes one of several alternatives, word for word. Each of its keywords is removed where it was,
// and all of them are added one step below. To a reader that is one change.

// mostWrapped is how many such schemas of an entry are looked for: each search goes through all changes of the entry.
const mostWrapped = 100

// joinAlternatives joins all edits that come from one such schema into one.
func (e *drifted) joinAlternatives() {
	joined := map[*edit]bool{}
	found := 0
	for _, ed := range e.edits {
		at := e.alternativeAsBefore(ed)
		if at < 0 {
			continue
		}
		found++
		if found > mostWrapped {
			break
		}
		around := above(ed.Pointer) + "/"
		var others []*edit
		for _, other := range e.edits {
			if other != ed && (strings.HasPrefix(other.Pointer, around) || strings.HasPrefix(other.From, around)) {
				others = append(others, other)
			}
		}
		hasMore := func(other *edit) bool {
			return other.New.Kind != 0 || other.Old.Kind == 0 || other.From != "" || other.Unseen || joined[other]
		}
		if len(others) == 0 || slices.ContainsFunc(others, hasMore) {
			continue
		}
		ed.asBefore = at + 1
		keys := []string{ed.key}
		for _, other := range others {
			joined[other] = true
			keys = append(keys, other.key)
		}
		ed.key = keyOf(keys)
	}
	e.edits = slices.DeleteFunc(e.edits, func(ed *edit) bool { return joined[ed] })
}

// alternativeAsBefore returns the index of the added alternative that equals the whole old schema, if the new schema has
// nothing but its alternatives. Otherwise it returns -1.
func (e *drifted) alternativeAsBefore(ed *edit) int {
	around := above(ed.Pointer)
	keyword := strings.TrimPrefix(ed.Pointer, around+"/")
	if keyword != "anyOf" && keyword != "oneOf" || ed.Old.Kind != 0 || ed.New.Kind != '[' || ed.Unseen || ed.From != "" {
		return -1
	}
	old := valueAt(e.tree(0), around)
	if len(old.Members()) == 0 || len(valueAt(e.tree(1), around).Parts) != 1 {
		return -1
	}
	return slices.IndexFunc(ed.New.Items(), func(item jsontree.Member) bool { return jsontree.Equal(item.Value, old) })
}

// wrapped makes the row of a schema that is one of several alternatives now: the old schema is shown as kept, and the
// other alternatives as added.
func (m *rowMaker) wrapped(e *drifted, ed *edit, row *Row) {
	about := slices.Clone(e.about(1, ed.Pointer))
	if about == nil {
		m.oneSided(e, ed, row)
		return
	}
	row.Detail = joined("; ", row.Detail, "as before, or another")
	kept := jsontree.Pointer(ed.Pointer, strconv.Itoa(ed.asBefore-1))
	for from := 0; from < len(about); {
		end := from + 1
		for end < len(about) && about[end].Depth > about[from].Depth {
			end++
		}
		part := about[from:end]
		for i := len(part) - 1; i >= 0; i-- {
			part[i].Depth -= part[0].Depth
		}
		sign := byte('+')
		said := "+"
		if part[0].Pointer == kept {
			sign = '='
			said = "as before:"
		}
		lines := m.lines(e.Type, e.tree(1), sign, part)
		lines[0].Phrase = joined(" ", said, lines[0].Phrase)
		lines[0].Brief = joined(" ", said, lines[0].Brief)
		row.Lines = append(row.Lines, lines...)
		from = end
	}
}
