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
		for _, c := range s[from:to] {
			switch {
			case c == '\n' || c == '\v' || c == '\f' || c == 0x85 || c == 0x2028 || c == 0x2029:
				lines++
				blanks = 0
			case c == ' ' || c == '\t' || c == 0x115f || c == 0x1160 || c == 0x2800 || c == 0x3164 || c == 0xffa0 || unusualSpace(c):
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
// until found returns false. It tests every least-th byte: no such run lies between two
// of them.
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
// Both are as pinned: what a policy leaves out of one is left out of the other, too.
func (r *review) growth(before, now func() value) {
	if len(textOf(lookup(&r.root, "description"))) <= minGrowth {
		return // most are short: the pinned definitions need not be read
	}
	b, n := before().get("description"), now().get("description")
	if n.kind != '"' || b.kind != '"' && b.kind != 0 {
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

// reportUnread reports a definition that comes after the first maxRead bytes, and whether it
// does. Nothing in such a definition is reviewed.
func (r *review) reportUnread(p *pin) bool {
	s := r.own
	if s == nil || s.pins == len(s.set.pins) || compareKeys(p.entryKey, s.set.pins[s.pins].entryKey) < 0 {
		return false
	}
	r.add("oversize", "not read: with the definitions before it there are more than %s bytes", grouped(maxRead))
	return true
}
