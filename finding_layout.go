package main

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	padBlanks    = 40 // in one line; real texts have at most 8
	padLineFeeds = 12 // real texts have at most 2
)

// paddings reports runs of blanks and line feeds that push the text after them out of
// sight. Unusual blanks count, and hidden characters don't end a run.
func (r *review) paddings() {
	s := r.text
	eachRun(s, padLineFeeds, isPadding, func(from, to int) bool {
		lines, blanks, most := 0, 0, 0
		for _, r := range s[from:to] {
			switch {
			case r == '\n' || r == '\v' || r == '\f' || r == 0x85 || r == 0x2028 || r == 0x2029:
				lines++
				blanks = 0
			case r == ' ' || r == '\t' || r == 0x115f || r == 0x1160 || r == 0x2800 || r == 0x3164 || r == 0xffa0 || unusualSpace(r):
				blanks++
			}
			most = max(most, blanks)
		}
		if to < len(s) && to >= r.pinned && (lines >= padLineFeeds || most >= padBlanks) {
			behind := plural(lines, "line feed")
			if most >= padBlanks {
				behind = plural(most, "blank")
			}
			r.add("padding", "text behind %s%s: %s", behind, r.where, r.around(from, to))
		}
		return true
	})
}

func isPadding(r rune) bool {
	return r == ' ' || r == '\t' || r == '\n' || r == '\r' || unusualSpace(r) || hidden(r) && !isPictograph(r)
}

// eachRun calls found for each run of characters in a class that has least bytes or more,
// until found returns false. It looks only at bytes between which no such run fits.
func eachRun(s string, least int, in func(rune) bool, found func(from, to int) bool) {
	for i := least - 1; i < len(s); i += least {
		for !utf8.RuneStart(s[i]) {
			i--
		}
		size := runSize(s[i:], in)
		if size == 0 {
			continue
		}
		from := len(strings.TrimRightFunc(s[:i], in))
		if i += size; i-from >= least && !found(from, i) {
			return
		}
	}
}

// growth reports a description that grew by more than a fifth and by more than minGrowth.
func (r *review) growth(before, now value) {
	b, n := before.get("description"), now.get("description")
	if b.kind != '"' && b.kind != 0 || n.kind != '"' {
		return
	}
	if more := len(n.text) - len(b.text); more > minGrowth && more*5 > len(b.text) {
		r.at("description")
		r.add("growth", "the description grew from %s to %s bytes", grouped(len(b.text)), grouped(len(n.text)))
	}
}

// definitionSize is the size of a definition in bytes, as received or as pinned: the larger.
func definitionSize(p *pin) int { return max(len(p.received), len(p.definition)) }

// oversizeList reports a manifest whose definitions have more than maxList bytes together,
// and where reading stopped.
func (r *review) oversizeList(found *pinset) {
	size := 0
	for i := range found.pins {
		size += definitionSize(&found.pins[i])
	}
	stopped := ""
	if n := pinsRead(found); n < len(found.pins) {
		stopped = fmt.Sprintf("; reading stopped at %s bytes, before %s: no more is reviewed", grouped(maxRead), entryRef(found.pins[n].list, found.pins[n].name))
	}
	if size > maxList {
		r.add("oversize", "definitions of %s bytes, over %s%s", grouped(size), grouped(maxList), stopped)
	}
}

// pinsRead is how many definitions of a set are read: as many as maxRead bytes hold.
func pinsRead(s *pinset) int {
	size := 0
	for i := range s.pins {
		if size += definitionSize(&s.pins[i]); size > maxRead {
			return i
		}
	}
	return len(s.pins)
}

// unread reports a definition that comes after the first maxRead bytes, and whether it
// does. Nothing in such a definition is reviewed.
func (r *review) unread(p *pin) bool {
	s := r.own
	if s == nil || s.pins == len(s.set.pins) || compareKeys(p.entryKey, s.set.pins[s.pins].entryKey) < 0 {
		return false
	}
	r.add("oversize", "not read: with the definitions before it there are more than %s bytes", grouped(maxRead))
	return true
}
