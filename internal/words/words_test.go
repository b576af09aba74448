package words

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pinproof/internal/effort"
	"pinproof/internal/jsontest"
)

func TestSentences(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{"One.", []string{"One."}},
		{"One. Two!  Three? Four; five", []string{"One. ", "Two!  ", "Three? ", "Four; ", "five"}},
		{"Line one\nline two\n\n  three", []string{"Line one\n", "line two\n\n  ", "three"}},
		{"Version 2.10.0 of a.b at 10.0.0.1.", []string{"Version 2.10.0 of a.b at 10.0.0.1."}},
		{"Fields, e.g. a name, i.e. a word. Then more.", []string{"Fields, e.g. a name, i.e. a word. ", "Then more."}},
		{"一つ。二つ！三つ？四つ", []string{"一つ。", "二つ！", "三つ？", "四つ"}},
		{"أولا؟ ثانيا", []string{"أولا؟ ", "ثانيا"}},
	} {
		if got := Sentences(tt.text); !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
}

// FuzzSentences checks that no character of a text is lost.
func FuzzSentences(f *testing.F) {
	for _, s := range jsontest.HostileTexts {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got := strings.Join(Sentences(s), ""); got != s {
			t.Errorf("%q became %q", s, got)
		}
	})
}

func TestTexts(t *testing.T) {
	for _, tt := range []struct {
		what, old, new string
		isCode         bool
		want           string
	}{
		{"a sentence joined", "Reads a file.", "Reads a file. Sends it on.", false, `"" "Sends it on." false`},
		{"one went", "Asks first. Deletes it.", "Deletes it.", false, `"Asks first." "" false`},
		{"a word", "It is not optional. Stays.", "It is optional. Stays.", false, `"It is not optional." "It is optional." true`},
		{"rewritten", "Reads a file from the disk.", "Sends mail to anyone who asks.", false, `"Reads a file from the disk." "Sends mail to anyone who asks." false`},
		{"blanks alone", "One.\nTwo.", "One. Two.", false, `"\n" " " false`},
		{"another order", "One. Two.", "Two. One.", false, `"One." "" false "" "One." false`},
		{"a line that leaves its block", "if a:\n  b\nelse:\n  c\n  send(x)\n", "if a:\n  b\nelse:\n  c\nsend(x)\n", true, `"  send(x)" "send(x)" true`},
		{"a blank behind a backslash", "echo \\\nrm x\n", "echo \\ \nrm x\n", true, `"echo \\" "echo \\ " true`},
		{"a fenced block", "Do:\n```\n a\n```\n", "Do:\n```\na\n```\n", false, `" a" "a" true`},
		{"an indented line", "Do:\n\n    a\n", "Do:\n\n     a\n", false, `"    a" "     a" true`},
	} {
		budget := effort.NewBudget()
		edits, ok := DiffTexts(budget, tt.old, tt.new, tt.isCode)
		var got []string
		for _, e := range edits {
			got = append(got, fmt.Sprintf("%q %q %t", e.Old, e.New, e.Pieces != nil))
		}
		if strings.Join(got, " ") != tt.want || !ok {
			t.Errorf("%s: %s, want %s", tt.what, strings.Join(got, " "), tt.want)
		}
	}
}

// TestTextsAreExact compares all short texts of a few units and blanks: two texts that differ are never told alike as
// what became of a third one.
func TestTextsAreExact(t *testing.T) {
	var texts []string
	grow := []string{""}
	for range 5 {
		var longer []string
		for _, s := range grow {
			for _, part := range []string{"a.", "b.", " ", "\n"} {
				longer = append(longer, s+part)
			}
		}
		texts = append(texts, grow...)
		grow = longer
	}
	for _, isCode := range []bool{false, true} {
		for i, old := range texts {
			if i%(len(texts)/jsontest.RoundCount(60, len(texts))) != 0 {
				continue
			}
			told := map[string]string{}
			for _, new := range texts {
				budget := effort.NewBudget()
				edits, ok := DiffTexts(budget, old, new, isCode)
				if !ok || (len(edits) == 0) != (old == new) {
					t.Fatalf("%q -> %q: %v, %v", old, new, edits, ok)
				}
				key := fmt.Sprintf("%+v", edits)
				if other, seen := told[key]; seen {
					t.Fatalf("%q -> %q and %q are told alike, code %v: %s", old, new, other, isCode, key)
				}
				told[key] = new
			}
		}
	}
}

func TestIndented(t *testing.T) {
	for _, tt := range []struct{ old, new, want string }{
		{"a\n  b\n\n  c", "a\nb\n\nc", "-  "},
		{"a\nb", "a\n\tb", "+\t"},
		{"a\n  b\n c", "a\nb\nc", ""},
		{"a\n  b", "a\nB", ""},
		{" a\n  b", "a\nb", ""},
		{"a\n  b\n  ", "a\nb\n", "-  "},
		{"a\n  b\nc", "a\nb\nc", ""},
		{"a", "a", ""},
	} {
		if got := IndentChange(tt.old, tt.new); got != tt.want {
			t.Errorf("%q -> %q: %q, want %q", tt.old, tt.new, got, tt.want)
		}
	}
}

func TestDiffWords(t *testing.T) {
	for _, tt := range []struct{ old, new, want string }{
		{"Reads a file.", "Reads one file.", "=Reads |-a|+one|= file."},
		{"Reads a file.", "Reads a file. Then deletes it.", "=Reads a file.|+ Then deletes it."},
		{"Lists all files.", "Lists files.", "=Lists |-all |=files."},
		{"same", "same", "=same"},
		{"", "new", "+new"},
		{"old", "", "-old"},
		// Kept text between two changes becomes part of them if it is shorter than they are.
		{"one two", "drei vier", "-one two|+drei vier"},
		{"Größe in Byte", "Größe in Bytes", "=Größe in |-Byte|+Bytes"},
		{"a\nb\nc", "a\nB\nc", "=a\n|-b|+B|=\nc"},
		{"file", "file\u200b", "=file|+\u200b"},
		{"x(y)", "x[y]", "=x|-(y)|+[y]"},
		{"12 files", "13 files", "-12|+13|= files"},
	} {
		budget := effort.NewBudget()
		var parts []string
		for _, p := range DiffWords(budget, tt.old, tt.new) {
			parts = append(parts, string(p.Op)+p.Text)
		}
		if got := strings.Join(parts, "|"); got != tt.want {
			t.Errorf("%q -> %q\ngot  %q\nwant %q", tt.old, tt.new, got, tt.want)
		}
	}
}

// TestWordsCost: a diff costs the product of the tokens that differ, and is made only if the budget has that.
func TestWordsCost(t *testing.T) {
	words := func(word string, n int) string { return strings.TrimSuffix(strings.Repeat(word+" ", n), " ") } // 2n-1 tokens
	for _, tt := range []struct {
		old, new string
		cost     int
	}{
		{"a b c", "x y z", 6 * 6}, // 5 tokens and one, on each side
		{words("a", 20), words("b", 20), 40 * 40},
		{words("a", 20) + " x " + words("b", 20), words("a", 20) + " y " + words("b", 20), 2 * 2},
		{"same", "same", 1},
	} {
		if DiffWords(effort.BudgetOf(tt.cost), tt.old, tt.new) == nil {
			t.Errorf("%q and %q: not for %d", tt.old, tt.new, tt.cost)
		}
		if DiffWords(effort.BudgetOf(tt.cost-1), tt.old, tt.new) != nil {
			t.Errorf("%q and %q: for less than %d", tt.old, tt.new, tt.cost)
		}
	}
}

func TestRewritten(t *testing.T) {
	for _, tt := range []struct {
		old, new string
		want     bool
	}{
		{"Reads a file from the disk.", "Reads one file from the disk.", false},
		{"Reads a file from the disk.", "Sends mail to anyone who asks for it.", true},
		{"Reads a file.", "Reads a file. Then it does many other things, of which nobody had heard before.", false}, // nothing was removed
		{"Reads a file, and whatever else is said in these many words about it.", "Reads a file.", false},           // nothing was added
		{"one two three four", "one two five six", false},                                                           // half stays
		{"one two three four", "one five six seven", true},
		{"same", "same", false},
		{"", "new", false},
		{"a-b", "a+b", false},
	} {
		budget := effort.NewBudget()
		if got := IsTooDifferent(DiffWords(budget, tt.old, tt.new)); got != tt.want {
			t.Errorf("%q -> %q: %v", tt.old, tt.new, got)
		}
	}
}

// TestHugeTexts has texts at the limits. Without limits, comparing them would go on and on.
func TestHugeTexts(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it compares texts of megabytes")
	size := jsontest.RoundCount(2<<20, 6<<20)
	repeated := func(word string) string { return strings.Repeat(word, size/len(word)) }
	for _, tt := range []struct {
		old, new string
		made     bool
	}{
		{repeated("word "), repeated("word ") + "x", true},
		{repeated("漢"), repeated("漢") + "字", true}, // each letter is a word
		{repeated("ab "), repeated("ba "), false},
		{"x" + repeated("ab ") + "y", "y" + repeated("ab ") + "x", false},
		{strings.Repeat("a ", 1_990), strings.Repeat("b ", 1_990), true},
	} {
		budget := effort.NewBudget()
		pieces := DiffWords(budget, tt.old, tt.new)
		if (pieces != nil) != tt.made {
			t.Errorf("%.10q -> %.10q: made %v", tt.old, tt.new, pieces != nil)
		}
	}
	budget := effort.NewBudget()
	edits, ok := DiffTexts(budget, repeated("word "), repeated("word ")+"x", false)
	if !ok || len(edits) != 1 || edits[0].Pieces == nil {
		t.Errorf("a word more in a huge sentence: %d edits, %v, not word by word", len(edits), ok)
	}
}

// FuzzDiffWords checks that the pieces of a word diff make up the two texts, no less and no more,
// and that they come out the same again.
func FuzzDiffWords(f *testing.F) {
	for i, s := range jsontest.HostileTexts {
		f.Add(s, jsontest.HostileTexts[(i+7)%len(jsontest.HostileTexts)])
	}
	f.Add("the quick brown fox jumps over the lazy dog", "the lazy fox jumped over a quick brown dog, twice")
	f.Add("ab ab ab ab", "ab ba ab")
	f.Add("é e\u0301 한글 नाम", "e\u0301 é 한 नमा")
	f.Add(strings.Repeat("a b ", 40), strings.Repeat("b a ", 40))
	f.Add("a b a b a a a a a a a 0 a a a a a ", "000 b a b a 1") // here the library leaves two removed runs in a row
	f.Fuzz(func(t *testing.T, old, new string) {
		if !utf8.ValidString(old) || !utf8.ValidString(new) || len(old) > 4_000 || len(new) > 4_000 {
			return
		}
		budget, again := effort.NewBudget(), effort.NewBudget()
		pieces := DiffWords(budget, old, new)
		var before, after strings.Builder
		for i, p := range pieces {
			if p.Text == "" || i > 0 && p.Op == pieces[i-1].Op {
				t.Fatalf("%q -> %q: empty or split pieces: %q", old, new, pieces)
			}
			if p.Op != '+' {
				before.WriteString(p.Text)
			}
			if p.Op != '-' {
				after.WriteString(p.Text)
			}
		}
		if before.String() != old || after.String() != new {
			t.Fatalf("%q -> %q: the pieces say %q -> %q", old, new, before.String(), after.String())
		}
		if !slices.Equal(pieces, DiffWords(again, old, new)) {
			t.Fatalf("%q -> %q: another answer the second time", old, new)
		}
		if (len(pieces) == 1 && pieces[0].Op == '=' || len(pieces) == 0) != (old == new) {
			t.Fatalf("%q -> %q: %q", old, new, pieces)
		}
	})
}

// FuzzTokens checks that the tokens of a text make up the text, that blanks are tokens by themselves,
// and that no two tokens in a row are blanks.
func FuzzTokens(f *testing.F) {
	for _, s := range append(jsontest.HostileTexts, "a1 b_c  \t x\n\n", "नमस्ते", "e\u0301x") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		list := tokens(s)
		if strings.Join(list, "") != s {
			t.Fatalf("%q is taken apart as %q", s, list)
		}
		for i, token := range list {
			blank := strings.Trim(token, " \t") == ""
			if token == "" || i > 0 && blank && strings.Trim(list[i-1], " \t") == "" {
				t.Fatalf("%q: tokens %q", s, list)
			}
			if strings.ContainsAny(token, " \t\n") && !blank && token != "\n" {
				t.Fatalf("%q: tokens %q", s, list)
			}
		}
	})
}

// TestIndentedIsExact: of all short texts of lines with blanks, no two are said to be the same text with other blanks in
// front of its lines.
func TestIndentedIsExact(t *testing.T) {
	lines := []string{"", "a", "  ", "  a", "    a", "\ta"}
	var texts []string
	for _, x := range lines {
		for _, y := range lines {
			for _, z := range lines {
				texts = append(texts, "a\n"+x+"\n"+y+"\n"+z)
			}
		}
	}
	told := 0
	for _, old := range texts {
		seen := map[string]string{}
		for _, new := range texts {
			how := IndentChange(old, new)
			if how == "" {
				continue
			}
			told++
			if other, isTold := seen[how]; isTold {
				t.Fatalf("%q becomes %q and %q by %q", old, other, new, how)
			}
			seen[how] = new
		}
	}
	if told < 50 {
		t.Errorf("only %d pairs are told so", told)
	}
}

// TestManyWords: a text with more words than the comparison has symbols for isn't compared.
func TestManyWords(t *testing.T) {
	var many strings.Builder
	for i := range 150_000 {
		fmt.Fprintf(&many, "w%d ", i)
	}
	budget := effort.NewBudget()
	if pieces := DiffWords(budget, "one", many.String()); pieces != nil || budget.RefusalCount() != 1 {
		t.Errorf("%d pieces, %d refusals", len(pieces), budget.RefusalCount())
	}
}

// TestDifferentTextsHaveDifferentEdits: of all short texts made of these pieces, no two have the same edits.
func TestDifferentTextsHaveDifferentEdits(t *testing.T) {
	pieces := []string{"a", "b.", " ", "\n", "    ", "```\n"}
	texts := []string{""}
	for from, size := 0, 1; size <= 4; size++ {
		to := len(texts)
		for _, text := range texts[from:to] {
			for _, piece := range pieces {
				texts = append(texts, text+piece)
			}
		}
		from = to
	}
	for i, old := range texts {
		if i%23 != 0 {
			continue
		}
		seen := map[string]string{}
		for _, new := range texts {
			edits, ok := DiffTexts(effort.NewBudget(), old, new, false)
			key := ""
			for _, e := range edits {
				said := e.Old + "->" + e.New
				if e.WhitespaceChanged { // then white space is spelled out
					said = strings.NewReplacer(" ", "<space>", "\n", "<feed>").Replace(said)
				}
				key += fmt.Sprintln(said, e.UnitsBefore)
			}
			if other, isKnown := seen[key]; !ok || isKnown && other != new {
				t.Fatalf("%q -> %q and %q: %s", old, new, other, key)
			}
			seen[key] = new
		}
	}
}
