package lint

import (
	"fmt"
	"strings"

	"pinproof/internal/pin"
	"pinproof/internal/text"
)

const (
	padBlanks    = 40 // in one line; real texts have at most 8
	padLineFeeds = 12 // real texts have at most 2
)

// paddings reports runs of spaces and line feeds that push the text after them out of sight. Unusual spaces
// count, and hidden characters don't end a run.
func (r *Reviewer) paddings() {
	for from, run := range runs(r.text, isPadding) {
		to := from + len(run)
		if len(run) < padLineFeeds || to < r.pinned || to == len(r.text) {
			continue // the usual case
		}
		lines, blanks, most := 0, 0, 0
		for _, c := range run {
			if strings.ContainsRune("\n\v\f\u0085\u2028\u2029", c) {
				lines++
				blanks = 0
			} else if text.UnusualSpace(c) || strings.ContainsRune(" \t\u115f\u1160\u2800\u3164\uffa0", c) {
				blanks++
			}
			most = max(most, blanks)
		}
		if most >= padBlanks {
			r.add("padding", "text behind %s%s: %s", text.FormatCount(most, "blank"), r.where, r.around(from, to))
		} else if lines >= padLineFeeds {
			r.add("padding", "text behind %s%s: %s", text.FormatCount(lines, "line feed"), r.where, r.around(from, to))
		}
	}
}

func isPadding(r rune) bool {
	if r > ' ' && r < 0x7f {
		return false // the usual case
	}
	return r == ' ' || r == '\t' || r == '\n' || r == '\r' || text.UnusualSpace(r) || text.IsHidden(r) && !isPictograph(r)
}

// definitionSize returns the size of a definition in bytes, as received or as pinned, whichever is
// larger. For a skill it adds the sizes of its files' texts.
func definitionSize(p *pin.Pin) int {
	size := max(len(p.Received), len(p.Definition))
	for _, f := range p.Files.Parts {
		size += len(f.Text)
	}
	return size
}

// oversize adds a finding if count exceeds the limit most.
func (r *Reviewer) oversize(what string, count, most int) {
	if count > most {
		r.add("oversize", what, text.FormatNumber(count), text.FormatNumber(most))
	}
}

// oversizeList reports a capture whose definitions have more than maxList bytes in total, or aren't all read, because
// the limit of the run (maxRead) is reached.
func (r *Reviewer) oversizeList(found *pin.Set) {
	size := 0
	for i := range found.Pins {
		size += definitionSize(&found.Pins[i])
	}
	detail := "definitions of " + text.FormatNumber(size) + " bytes"
	if size > maxList {
		detail += ", over " + text.FormatNumber(maxList)
	}
	isRead := r.own == nil || r.own.readable == len(found.Pins)
	if !isRead {
		first := found.Pins[r.own.readable]
		detail += fmt.Sprintf("; reading stopped at %s bytes, before %s: no more is reviewed", text.FormatNumber(maxRead), first.EntryRef())
	}
	if size > maxList || !isRead {
		r.add("oversize", "%s", detail)
	}
}

// A readLimit is the number of bytes of definitions that a run can still read: at first maxRead.
type readLimit int

// pinsRead returns how many definitions at the beginning of a set fit in the limit, and subtracts their bytes from it.
func (left *readLimit) pinsRead(s *pin.Set) int {
	for i := range s.Pins {
		if *left -= readLimit(definitionSize(&s.Pins[i])); *left < 0 {
			*left = 0
			return i
		}
	}
	return len(s.Pins)
}

// isUnread reports whether a definition comes after the first maxRead bytes of the run. Such a definition isn't
// reviewed; an oversize finding states that.
func (r *Reviewer) isUnread(p *pin.Pin) bool {
	s := r.own
	return s != nil && s.readable < len(s.set.Pins) && pin.CompareKeys(p.Key, s.set.Pins[s.readable].Key) >= 0
}
