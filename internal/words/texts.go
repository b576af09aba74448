package words

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"pinproof/internal/effort"
)

// Sentences splits a text into sentences, each with the whitespace after it. A sentence ends at the end of a line, at
// a full stop of a script without spaces between sentences, and at ". ! ? ;" before whitespace, but not after "e.g."
// and "i.e.".
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

// A unit is a sentence or a line of code, with the whitespace before it.
type unit struct {
	before, text string
	isCode       bool
}

// units splits a text into units, and returns the whitespace at its end. A line of code includes all its whitespace
// except its line break. With isCode, every line is code; otherwise, fenced and indented lines are.
func units(s string, isCode bool) (list []unit, end string) {
	fence := ""
	done := 0 // the end of the last unit
	add := func(at int, text string, isCode bool) {
		if text != "" {
			list = append(list, unit{s[done:at], text, isCode})
			done = at + len(text)
		}
	}
	at := 0
	for line := range strings.Lines(s) {
		next := at + len(line)
		line = strings.TrimSuffix(line, "\n")
		// Readers skip a byte order mark at the beginning.
		shown := strings.TrimPrefix(line, "\ufeff")
		mark := fenceMark(shown)
		isIndented := strings.HasPrefix(shown, "    ") || strings.HasPrefix(shown, "\t")
		isFence := mark != "" && (fence == "" || strings.HasPrefix(mark, fence) && strings.TrimSpace(line) == mark)
		if isCode || fence != "" || isFence || isIndented && strings.TrimSpace(shown) != "" {
			add(at, strings.TrimSuffix(line, "\r"), true)
		} else {
			for _, sentence := range Sentences(line) {
				text := strings.TrimSpace(sentence)
				add(at+strings.Index(sentence, text), text, false)
				at += len(sentence)
			}
		}
		if isFence && fence == "" {
			fence = mark
		} else if isFence {
			fence = ""
		}
		at = next
	}
	return list, s[done:]
}

// fenceMark returns the characters with which a line opens or closes a fenced block (CommonMark, 4.5), or "".
func fenceMark(line string) string {
	line = strings.TrimLeft(line, " ")
	for _, mark := range [...]string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, mark)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}

// An Edit is a text that was removed at one place, and the text that was added there.
type Edit struct {
	Old, New string

	// The word diff of Old and New; nil if they have too little in common or several lines, if one is empty, or if the
	// budget is too small.
	Pieces []Piece

	// The whitespace around the edit changed, too. Old and New then include it.
	WhitespaceChanged bool

	// The number of units of the old text before the edit; -1 if a reader can locate the edit without it: the removed
	// text occurs only once, or the only edit is an addition at the end.
	UnitsBefore int
	Unit        string // what the text consists of: "line" if it is code, else "sentence"
}

// DiffTexts compares two texts unit by unit, and word by word within. Everything outside the edits is in both texts, in
// the same order and with the same whitespace. DiffTexts returns false if the work would exceed the budget.
func DiffTexts(budget *effort.Budget, old, new string, isCode bool) (edits []Edit, ok bool) {
	a, endA := units(old, isCode)
	b, endB := units(new, isCode)
	isLine := func(u unit) bool { return u.isCode }
	r := comparer{budget: budget, isCode: isCode, isMixed: !isCode && slices.ContainsFunc(a, isLine), old: textsOf(a)}
	newUnits := textsOf(b)
	a = append(a, unit{endA, "", isCode})
	b = append(b, unit{endB, "", isCode})
	// i and j are the indexes of the next old and new unit; from and to are the indexes after the last common unit.
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

// A comparer collects the edits of a text, in the order of the text.
type comparer struct {
	budget *effort.Budget
	isCode bool

	// The old text is prose with lines of code. A removed unit then doesn't show where the edit is, because a line of
	// code may equal several sentences.
	isMixed bool

	old   []string // the units of the old text
	edits []Edit

	// How often each unit occurs in the old text; nil before it's counted.
	times map[string]int
}

// region adds the edits between two common units: the old units from..end, the new units to..end2, and the whitespace
// around them.
func (r *comparer) region(a, b []unit, from, end, to, end2 int) {
	if slices.EqualFunc(a[from:end+1], b[to:end2+1], hasSameBlanks) {
		for k := range end - from {
			r.add(Edit{Old: a[from+k].text, New: b[to+k].text}, from+k, from+k+1)
		}
		return
	}
	old := joined(a[from:end])
	new := joined(b[to:end2])
	e := Edit{Old: strings.TrimPrefix(old, a[from].before), New: strings.TrimPrefix(new, b[to].before)}
	if !quiet(a, b, from, end, to, end2) {
		e = Edit{Old: old + a[end].before, New: new + b[end2].before, WhitespaceChanged: true}
	}
	r.add(e, from, end)
}

// joined concatenates units, each after the whitespace before it.
func joined(list []unit) string {
	var s strings.Builder
	for _, u := range list {
		s.WriteString(u.before)
		s.WriteString(u.text)
	}
	return s.String()
}

// hasSameBlanks reports whether the whitespace before two units is the same.
func hasSameBlanks(a, b unit) bool { return a.before == b.before }

// quiet reports whether a reader can infer the whitespace around an edit: it is unchanged around a replaced or removed
// unit; around an added unit, it is that of the same place or, at an end of the text, the usual one.
func quiet(a, b []unit, from, end, to, end2 int) bool {
	before := a[from].before // in front of the old units, or in their place
	after := before
	last := a[end].before
	switch {
	case from < end && to < end2:
		after = last
	case from < end && from > 0:
		before = last
		after = last
	case from < end: // the next unit is now at the beginning
	case len(a) == 1: // the old text has no unit
		after = ""
	case from == 0:
		after = usual(a)
	case end == len(a)-1:
		before = usual(a)
	}
	return b[to].before == before && b[end2].before == after
}

// usual returns the whitespace before the second unit of a text, as a sample of the whitespace between units.
func usual(a []unit) string {
	if len(a) > 2 {
		return a[1].before
	}
	return " "
}

// add adds an edit of the old units from..to.
func (r *comparer) add(e Edit, from, to int) {
	if e.Old == e.New {
		return
	}
	// A word diff of several lines would match words of one sentence or line with words of another.
	if e.Old != "" && e.New != "" && !strings.Contains(e.Old+e.New, "\n") {
		e.Pieces = DiffWords(r.budget, e.Old, e.New)
		if e.Pieces != nil && IsTooDifferent(e.Pieces) {
			e.Pieces = nil
		}
	}
	r.locate(&e, from, to)
	r.edits = append(r.edits, e)
}

// locate sets Unit and UnitsBefore of an edit of the old units from..to.
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
	e.UnitsBefore = from
	// An addition at the end needs a place only if there is an earlier edit: without a place, it could be mistaken for
	// the replacement of the text that the earlier edit removed.
	isEnd := from == to && from == len(r.old) && len(r.edits) == 0 && !r.isCode
	if isEnd || from < to && !r.isMixed && r.times[r.old[from]] == 1 {
		e.UnitsBefore = -1
	}
}

// IndentChange returns "+" or "-" and the indentation that every line but the first has gained or lost, or "" for any
// other change. Empty lines gain nothing, and a line that consists of the indentation may lose it. So the old text and
// the result determine the new text.
func IndentChange(old, new string) string {
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

// IsDocComment reports whether a text looks like a doc comment, in which indentation means nothing: at least two lines
// after the first aren't empty, the first line ends a sentence or a paragraph and isn't a list item, and there is no
// fenced code block, no here-document, and nothing else in which spaces or line breaks have a meaning.
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
	head, _ := utf8.DecodeRuneInString(strings.TrimSpace(first))
	isItem := !unicode.IsLetter(head) && first != ""
	isMark := func(mark string) bool { return strings.Contains(s, mark) }
	return lines >= 2 && isApart && !isItem && !slices.ContainsFunc([]string{"```", "~~~", "<<", "\\\n", "<pre", "\"\"\"", "'''"}, isMark)
}
