package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"pinproof/internal/fail"
	"pinproof/internal/pin"
	"pinproof/internal/review"
)

// A Prompter shows drift step by step and asks about each.
type Prompter struct {
	in  *bufio.Reader
	out io.Writer // questions
	t   *textWriter
	r   *Report
}

// NewPrompter asks on out and reads the answers from in. What is asked about is shown by t.
func NewPrompter(in io.Reader, out io.Writer, t *textWriter, r *Report) *Prompter {
	return &Prompter{in: bufio.NewReader(in), out: out, t: t, r: r}
}

// A question is about drifts that are accepted together, or about the whole review.
type question struct {
	text    string
	group   *group          // to show first; nil: none
	drifts  []int           // indexes of drifts; none if it is about the whole review
	matched *review.Finding // a warning that is not on record, of an entry that matches its pin; or nil
	warned  bool            // only the word yes accepts it
	answer  byte            // 'y', 'n', or 0 while it is open
	refused string          // what to say when a no ends the review; "" if a no only keeps the pins
}

// A chosen is what a person accepted at the prompt.
type chosen struct {
	Drifts   map[int]bool     // indexes of drifts
	Warnings []review.Finding // of entries that match their pins, to put on record
}

// Review asks a question for each group, in the order diff shows them. Nothing has been
// written when it returns.
func (p *Prompter) Review() (chosen, error) {
	p.t.top(p.r)
	list := p.questions()
	for i := 0; i < len(list); {
		q := &list[i]
		if q.answer != 0 {
			i++
			continue
		}
		if q.group != nil {
			p.show(q.group)
		}
		key, err := p.ask(q, p.keys(q, i > 0))
		if err != nil {
			return chosen{}, err
		}
		switch key {
		case 'y', 'n':
			if q.answer = key; key == 'n' && q.refused != "" {
				return chosen{}, fail.New("%s: nothing was written", q.refused).Refusal()
			}
		case 'e':
			var each []question // without the group, which has just been shown
			for one := range slices.Chunk(q.drifts, 1) {
				each = append(each, question{text: p.r.questionText(one, q.warned), drifts: one, warned: q.warned})
			}
			list = slices.Replace(list, i, i+1, each...)
		case 'b':
			i--
			list[i].answer = 0
		case 'a':
			if err := p.acceptRest(list[i:]); err != nil {
				return chosen{}, err
			}
		case 'w':
			return accepted(list), p.t.err
		default:
			f := fail.New("left without an answer; nothing was written")
			if a := accepted(list); len(a.Drifts)+len(a.Warnings) > 0 {
				f.Hint("w writes what is accepted so far, and stops")
			}
			return chosen{}, f
		}
	}
	return accepted(list), p.t.err
}

// accepted lists what was answered with yes.
func accepted(list []question) chosen {
	a := chosen{Drifts: map[int]bool{}}
	for _, q := range list {
		if q.answer != 'y' {
			continue
		}
		for _, i := range q.drifts {
			a.Drifts[i] = true
		}
		if q.matched != nil {
			a.Warnings = append(a.Warnings, *q.matched)
		}
	}
	return a
}

// questions returns what there is to ask, in diff's order.
func (p *Prompter) questions() []question {
	var list []question
	r := p.r
	if slices.ContainsFunc(r.Pairs, func(p pin.Pair) bool { return p.PolicyDiffers() }) {
		list = append(list, question{text: "Accept the changed policy?", refused: "the policy was not accepted"})
	}
	if len(review.WarningsIn(r.General())) > 0 {
		list = append(list, question{text: "The manifest as a whole has a warning. Go on?", warned: true, refused: "the warning was not accepted"})
	}
	for _, g := range r.groups {
		if r.first(g).Kind == pin.Duplicate {
			p.show(g) // nothing to ask
		} else {
			list = append(list, question{text: r.questionText(g.drifts, g.warned), group: g, drifts: g.drifts, warned: g.warned})
		}
	}
	for _, f := range r.Unrecorded() {
		text := r.ref(f.Ref()) + " matches its pin and has a warning that is not on record: " + f.ID + ". Accept it?"
		list = append(list, question{text: text, matched: &f, warned: true})
	}
	return list
}

// keys returns the keys that may answer a question, in the order they are offered.
func (p *Prompter) keys(q *question, back bool) string {
	keys := "yn"
	if len(q.drifts) > 1 {
		keys += "e"
	}
	if len(q.drifts) > 0 {
		keys += "da"
		if !p.r.AllOrNothing() {
			keys += "w"
		}
	}
	if back {
		keys += "b"
	}
	return keys + "q"
}

func (p *Prompter) show(g *group) {
	p.t.printf("\n")
	p.t.group(p.r, g)
}

// showDefinition shows one definition whole.
func (p *Prompter) showDefinition(d *pin.Drift) {
	t := *p.t
	t.Full = true
	t.say("  ", segment{'*', p.r.ref(d.Ref())})
	if d.Found != nil {
		t.whole("  ", '+', d.Found)
	} else {
		t.whole("  ", '-', d.Pinned)
	}
	p.t.err = t.err
}

// acceptRest shows how many entries are left without a warning and asks whether to accept
// all of them.
func (p *Prompter) acceptRest(list []question) error {
	var rest []*question
	var count pin.Counts
	for i := range list {
		if q := &list[i]; len(q.drifts) > 0 && !q.warned && q.answer == 0 {
			rest = append(rest, q)
			count[p.r.Drifts[q.drifts[0]].List] += len(q.drifts)
		}
	}
	if len(rest) == 0 {
		_, err := fmt.Fprintln(p.out, "nothing is left without a warning")
		return err
	}
	key, err := p.ask(&question{text: "Accept the " + count.Plural() + " that are left without a warning?"}, "yn")
	for _, q := range rest {
		if key == 'y' {
			q.answer = key
		}
	}
	return err
}

var answerWords = map[byte][2]string{
	'y': {"[y]es", "accept: pin what the server lists now"},
	'n': {"[n]o", "keep the pin as it is"},
	'e': {"[e]ach", "ask about each of these entries"},
	'd': {"[d]efinition", "show the definition whole; of several, the first"},
	'a': {"[a]ll without a warning", "accept all that is left but what has a warning, after a count"},
	'w': {"[w]rite and stop", "write what is accepted so far; the rest keeps its pins"},
	'b': {"[b]ack", "ask the question before this one again"},
	'q': {"[q]uit", "leave; nothing is written"},
}

// ask repeats a question until it has one of the chosen, and returns its key. 'd' and
// '?' show something and ask again. After Enter alone, ask says what to type.
func (p *Prompter) ask(q *question, keys string) (byte, error) {
	text, expected := q.text, strings.Join(strings.Split(keys, ""), ", ")
	words := map[string]byte{} // what may be typed
	for _, key := range []byte(keys) {
		word, _, _ := strings.Cut(strings.NewReplacer("[", "", "]", "").Replace(answerWords[key][0]), " ")
		words[word] = key
		if key == 'y' && q.warned {
			text, expected = text+" Type yes, or", strings.Replace(expected, "y", "yes", 1)
			continue
		}
		words[string(key)] = key
		text += " " + answerWords[key][0]
	}
	for {
		if f, ok := p.t.w.(*bufio.Writer); ok && p.t.err == nil {
			p.t.err = f.Flush()
		}
		if p.t.err != nil {
			return 0, p.t.err
		}
		if err := p.say(text+" [?]: ", ""); err != nil {
			return 0, err
		}
		reply, err := p.in.ReadString('\n')
		if err != nil {
			fmt.Fprintln(p.out)
			return 'q', nil
		}
		reply = strings.ToLower(strings.TrimSpace(reply))
		switch key := words[reply]; {
		case key == 'd':
			p.showDefinition(&p.r.Drifts[q.drifts[0]])
		case key != 0:
			return key, nil
		case reply == "?":
			for _, key := range []byte(keys) {
				word := answerWords[key]
				if key == 'y' && q.warned {
					word[0] = "yes"
				}
				if err := p.say(fmt.Sprintf("  %-23s  %s", word[0], word[1]), "\n"); err != nil {
					return 0, err
				}
			}
		case q.warned && reply == "y":
			fmt.Fprintln(p.out, "a warning takes the whole word: yes")
		default:
			fmt.Fprintf(p.out, "type %s or ?, then Enter\n", expected)
		}
	}
}

// say prints our own text, wrapped, on the stream where the chosen are typed.
func (p *Prompter) say(text, end string) error {
	lines := wrapLines([]line{{runs: []segment{{'=', text}}}}, p.t.Width-len("  : "))
	said := ""
	for i, l := range lines {
		said += l.runs[0].text
		if i < len(lines)-1 {
			said = strings.TrimRight(said, " ") + "\n  : "
		}
	}
	_, err := io.WriteString(p.out, said+end)
	return err
}
