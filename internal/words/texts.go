package words

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"pinproof/internal/effort"
)

// Sentences splits a text into sentences, each with the blanks behind it. A sentence ends at the
// end of a line, at a full stop of a script that puts no blank behind it, and at ". ! ? ;" before
// a blank, but not after "e.g." and "i.e.".
func Sentences(s string) (list []string) {
	from := 0
	for at, r := range s {
		next := at + utf8.RuneLen(r)
		ends := strings.ContainsRune("\n。！？।؟", r)
		if strings.ContainsRune(".!?;", r) && (next == len(s) || strings.IndexByte(" \t\r\n", s[next]) >= 0) {
			ends = !strings.HasSuffix(s[:next], "e.g.") && !strings.HasSuffix(s[:next], "i.e.")
		}
		if !ends || at < from {
			continue
		}
		for next < len(s) && strings.IndexByte(" \t\r\n", s[next]) >= 0 {
			next++
		}
		list = append(list, s[from:next])
		from = next
	}
	if from < len(s) {
		list = append(list, s[from:])
	}
	return list
}

// A unit is a sentence or a line of code, with the blanks in front of it.
type unit struct {
	before, text string
	isCode       bool
}

// units splits a text into units. All blanks of a line of code belong to the line, except its end. Everything is code in a
// text that is code, and in any other text what is fenced or indented.
func units(s string, isCode bool) (list []unit, end string) {
	fence := ""
	add := func(text string, isCode bool) {
		if text != "" {
			list = append(list, unit{end, text, isCode})
			end = ""
		}
	}
	for s != "" {
		line := s
		feed := strings.IndexByte(s, '\n')
		if feed >= 0 {
			line = s[:feed]
		}
		s = s[len(line):]
		mark := fenceMark(line)
		isFence := mark != "" && (fence == "" || strings.HasPrefix(mark, fence) && strings.TrimSpace(line) == mark)
		if isCode || fence != "" || isFence || strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t") {
			kept := strings.TrimSuffix(line, "\r")
			add(kept, true)
			end += line[len(kept):]
		} else {
			for _, sentence := range Sentences(line) {
				text := strings.TrimSpace(sentence)
				at := strings.Index(sentence, text)
				end += sentence[:at]
				add(text, false)
				end += sentence[at+len(text):]
			}
		}
		if isFence && fence == "" {
			fence = mark
		} else if isFence {
			fence = ""
		}
		if feed >= 0 {
			end += "\n"
			s = s[1:]
		}
	}
	return list, end
}

// fenceMark returns the mark that a line begins a fenced block with, or ends it (CommonMark, 4.5), or "".
func fenceMark(line string) string {
	line = strings.TrimLeft(line, " ")
	for _, mark := range [...]string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, mark)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}

// An Edit is what was removed from a text at one place, and what came in its place.
type Edit struct {
	Old, New string

	// What differs between the two, word by word; nil: they have too little in common, or one of them is empty.
	Pieces []Piece

	// The blanks around what was removed or added are part of Old and New, because they aren't those that were there before.
	Blanks bool

	// How many units of the old text come before the edit; -1: what was removed tells where that is, or it is at the end.
	After int
	Unit  string // what the text consists of: "line" if it is code, else "sentence"
}

// Texts compares two texts unit by unit, and word by word within. All that isn't in the edits is in both texts, in the
// same order and with the same blanks between. It returns false if the work would exceed the budget.
func Texts(budget *effort.Budget, old, new string, isCode bool) (edits []Edit, ok bool) {
	a, endA := units(old, isCode)
	b, endB := units(new, isCode)
	isLine := func(u unit) bool { return u.isCode }
	r := comparer{budget: budget, isCode: isCode, isMixed: !isCode && slices.ContainsFunc(a, isLine), old: textsOf(a)}
	newUnits := textsOf(b)
	a = append(a, unit{endA, "", isCode})
	b = append(b, unit{endB, "", isCode})
	// i and j are the next units, and from and to are the first ones since the last unit that both texts have.
	i, j, from, to := 0, 0, 0, 0
	settle := func() {
		r.region(a, b, from, i, to, j)
		from, to = i+1, j+1
	}
	ok = compare(budget, r.old, newUnits, false, func(op byte, units []string) {
		switch op {
		case OpKept:
			for range units {
				settle()
				i++
				j++
			}
		case OpRemoved:
			i += len(units)
		default:
			j += len(units)
		}
	})
	if ok {
		settle()
	}
	return r.edits, ok
}

func textsOf(list []unit) (texts []string) {
	for _, u := range list {
		texts = append(texts, u.text)
	}
	return texts
}

// A comparer collects the edits of a text, in its order.
type comparer struct {
	budget *effort.Budget
	isCode bool

	// The old text has sentences and lines of code. A line may read like some sentences.
	isMixed bool

	old   []string // the units of the old text
	edits []Edit

	// How often the old text has each unit; nil: not counted yet.
	times map[string]int
}

// region adds the edits of what is between two units that both texts have: the old units from..end and the new ones to..end2,
// with the blanks around them.
func (r *comparer) region(a, b []unit, from, end, to, end2 int) {
	if from == end && to == end2 && a[end].before == b[end2].before {
		return
	}
	if end-from == end2-to && from < end && sameBlanks(a[from:end+1], b[to:end2+1]) {
		for k := range end - from {
			r.add(Edit{Old: a[from+k].text, New: b[to+k].text}, from+k, from+k+1)
		}
		return
	}
	old := joined(a[from:end])
	new := joined(b[to:end2])
	e := Edit{Old: strings.TrimPrefix(old, a[from].before), New: strings.TrimPrefix(new, b[to].before)}
	if !quiet(a, b, from, end, to, end2) {
		e = Edit{Old: old + a[end].before, New: new + b[end2].before, Blanks: true}
	}
	r.add(e, from, end)
}

// joined returns units with the blanks in front of each.
func joined(list []unit) string {
	var s strings.Builder
	for _, u := range list {
		s.WriteString(u.before)
		s.WriteString(u.text)
	}
	return s.String()
}

// sameBlanks reports whether units have the same blanks in front of them.
func sameBlanks(a, b []unit) bool {
	return slices.EqualFunc(a, b, func(x, y unit) bool { return x.before == y.before })
}

// quiet reports whether the blanks around units that were replaced, added or removed are those that a reader expects: those
// that were around the old ones or, around new ones, those that were in their place.
func quiet(a, b []unit, from, end, to, end2 int) bool {
	first := a[from].before // in front of the old units, or in their place
	last := a[end].before
	is := b[to].before
	isLast := b[end2].before
	switch {
	case from < end && to < end2:
		return is == first && isLast == last
	case from < end && from == 0:
		return is == first
	case from < end:
		return is == last
	case from == 0:
		return is == first && isLast == usual(a)
	case end == len(a)-1:
		return is == usual(a) && isLast == first
	}
	return is == first && isLast == first
}

// usual returns the blanks in front of the second unit of a text, which represent those between all.
func usual(a []unit) string {
	if len(a) > 2 {
		return a[1].before
	}
	return " "
}

// add adds the edit of the old text's units between two indexes.
func (r *comparer) add(e Edit, from, to int) {
	if e.Old == e.New {
		return
	}
	// A diff by words across lines would scatter the units of both.
	if e.Old != "" && e.New != "" && !strings.Contains(e.Old+e.New, "\n") {
		e.Pieces = Words(r.budget, e.Old, e.New)
		if e.Pieces != nil && Rewritten(e.Pieces) {
			e.Pieces = nil
		}
	}
	r.locate(&e, from, to)
	r.edits = append(r.edits, e)
}

// locate notes where in the text an edit of the units between two indexes is.
func (r *comparer) locate(e *Edit, from, to int) {
	e.Unit = "sentence"
	if r.isCode {
		e.Unit = "line"
	}
	if r.times == nil {
		r.times = map[string]int{}
		for _, s := range r.old {
			r.times[s]++
		}
	}
	e.After = from
	// At the end, this has to be said after another edit: what that removed may have been replaced instead.
	isEnd := from == to && from == len(r.old) && len(r.edits) == 0 && !r.isCode
	if isEnd || from < to && !r.isMixed && r.times[r.old[from]] == 1 {
		e.After = -1
	}
}

// Indented returns how a text became another one if every line but the first was indented by the same blanks, or lost them:
// "+" or "-", and the blanks. It returns "" for any other change. A line that is empty stays so, and one that has nothing but
// these blanks may lose them: the old text and what is returned lead to one new text.
func Indented(old, new string) string {
	sign := "+"
	if len(old) > len(new) {
		sign = "-"
		old, new = new, old
	}
	before := strings.Split(old, "\n")
	after := strings.Split(new, "\n")
	if len(before) != len(after) || before[0] != after[0] {
		return ""
	}
	blanks := ""
	for i, line := range before {
		if line != "" && line != after[i] {
			blanks = strings.TrimSuffix(after[i], line)
			break
		}
	}
	if blanks == "" || strings.Trim(blanks, " \t") != "" {
		return ""
	}
	for i, line := range before[1:] {
		now := after[i+1]
		mayBeEmpty := line == "" && (now == "" || sign == "-" && now == blanks)
		if !mayBeEmpty && (line == "" || now != blanks+line) {
			return ""
		}
	}
	return sign + blanks
}

// IsDocComment reports whether a text is like a doc comment, whose indentation means nothing: at least two lines after the
// first aren't empty, the first one ends a sentence or a paragraph and isn't an item of a list, and there is no fenced block of
// code and no here-document.
func IsDocComment(s string) bool {
	first, rest, _ := strings.Cut(s, "\n")
	lines := 0
	for line := range strings.SplitSeq(rest, "\n") {
		if strings.TrimSpace(line) != "" {
			lines++
		}
	}
	next, _, _ := strings.Cut(rest, "\n")
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(first, " )\"'"))
	isApart := first == "" || strings.TrimSpace(next) == "" || strings.ContainsRune(".!?。", last)
	isItem := !unicode.IsLetter(firstRune(first)) && first != ""
	isMark := func(mark string) bool { return strings.Contains(s, mark) }
	return lines >= 2 && isApart && !isItem && !slices.ContainsFunc([]string{"```", "~~~", "<<"}, isMark)
}

func firstRune(s string) rune {
	first, _ := utf8.DecodeRuneInString(strings.TrimSpace(s))
	return first
}
