package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"pinproof/internal/fail"
	"pinproof/internal/lint"
	"pinproof/internal/pin"
	"pinproof/internal/text"
)

// A Prompter shows drift step by step and asks about each.
type Prompter struct {
	in    *bufio.Reader
	out   io.Writer // questions
	t     *textWriter
	r     *Report
	again string // the command that asks anew
}

// NewPrompter asks on out and reads the answers from in. What is asked about is shown by t.
// again is the command to go on with for a person who leaves.
func NewPrompter(in io.Reader, out io.Writer, t *textWriter, r *Report, again string) *Prompter {
	return &Prompter{bufio.NewReader(in), out, t, r, again}
}

// A question is about drifts that are accepted together, or about the whole review.
type question struct {
	text    string
	server  string          // whose drifts they are; "" if it is about the whole review
	groups  []*group        // to show first
	drifts  []int           // indexes of drifts; none if it is about the whole review
	matched *lint.Finding   // a warning that is not on record, of an entry that matches its pin; or nil
	warned  bool            // only the word yes accepts it
	answer  byte            // 'y', 'n', or 0 while it is open
	refused string          // what to say when a no ends the review; "" if a no only keeps the pins
	rest    int             // how many entries of its server are left without a warning
	help    map[byte]string // what its answers mean, where that isn't what answerWords says
}

// A chosen is what a person accepted at the prompt.
type chosen struct {
	Drifts   map[int]bool   // indexes of drifts
	Warnings []lint.Finding // of entries that match their pins, to put on record
}

func (c *chosen) count() int { return len(c.Drifts) + len(c.Warnings) }

// Review asks a question for each group, in the order diff shows them. Nothing has been
// written when it returns.
func (p *Prompter) Review() (chosen, error) {
	p.t.otherServers(p.r)
	p.t.top(p.r)
	list := p.questions()
	var done [][]*question // what each answer closed, to go back
	for {
		i := slices.IndexFunc(list, func(q *question) bool { return q.answer == 0 })
		if i < 0 {
			return accepted(list), p.t.err
		}
		q := list[i]
		if len(q.groups) > 0 {
			p.show(q.groups...)
		}
		_, left := p.unwarned(list, q.server, true)
		q.rest = left.Total()
		key, err := p.ask(q, position(list, i, len(p.r.Comparisons) > 1), p.keys(q, len(done) > 0))
		if err != nil {
			return chosen{}, err
		}
		closes := func(answer byte, closed ...*question) {
			for _, q := range closed {
				q.answer = answer
			}
			done = append(done, closed)
		}
		switch key {
		case 'y', 'n':
			if closes(key, q); key == 'n' && q.refused != "" {
				return chosen{}, fail.New("%s: nothing was written", q.refused).Refusal()
			}
		case 'e':
			var each []*question
			if len(q.groups) > 1 {
				for one := range slices.Chunk(q.groups, 1) {
					each = append(each, p.question(one))
				}
			} else { // without the group, which has just been shown
				for one := range slices.Chunk(q.drifts, 1) {
					each = append(each, &question{text: p.r.questionText(one, q.warned), server: q.server, drifts: one, warned: q.warned})
				}
			}
			list = slices.Replace(list, i, i+1, each...)
		case 'b':
			for _, q := range done[len(done)-1] {
				q.answer = 0
			}
			done = done[:len(done)-1]
		case 's':
			closes('n', open(list, func(other *question) bool { return other.server == q.server })...)
		case 'a', 'S':
			rest, err := p.acceptRest(list, q.server, key == 'S')
			if err != nil {
				return chosen{}, err
			}
			if len(rest) > 0 {
				closes('y', rest...)
			}
		case 'w':
			return accepted(list), p.t.err
		default:
			stays, all, err := p.leave(list, key == 'q')
			if err != nil || !stays {
				return all, err
			}
		}
	}
}

// leave ends the review. Of what is accepted so far nothing is written unless the person
// says so: who quits is asked, the end of an input can't be.
func (p *Prompter) leave(list []*question, quits bool) (stays bool, all chosen, err error) {
	all = accepted(list)
	left := fail.New("left before the end; nothing was written").Hint("to go on: %s", p.again)
	if all.count() == 0 || p.r.AllOrNothing() {
		return false, chosen{}, left
	}
	if quits {
		key, err := p.ask(&question{text: "Write the " + text.Number(all.count()) + " accepted?", help: map[byte]string{
			'y': "write them; the rest keeps its pins", 'n': "leave; nothing is written", 'b': "go on with the review",
		}}, "", "ynb")
		switch {
		case err != nil || key == 'y' || key == 'b':
			return key == 'b', all, cmp.Or(err, p.t.err)
		case key == 'n':
			return false, chosen{}, left
		}
	}
	return false, chosen{}, left.Hint("w writes what is accepted so far, and stops")
}

// open lists the open questions that are holds for.
func open(list []*question, are func(*question) bool) []*question {
	return slices.DeleteFunc(slices.Clone(list), func(q *question) bool { return q.answer != 0 || !are(q) })
}

// position says which question of how many it is: "(12 of 75, playwright 3 of 16)". With
// several servers it counts those of its own server, too.
func position(list []*question, i int, several bool) string {
	said := text.Number(i+1) + " of " + text.Number(len(list))
	if q := list[i]; several && q.server != "" {
		own := func(list []*question) (n int) {
			for _, other := range list {
				if other.server == q.server {
					n++
				}
			}
			return n
		}
		said += ", " + text.Name(q.server) + " " + text.Number(own(list[:i+1])) + " of " + text.Number(own(list))
	}
	return " (" + said + ")"
}

// accepted lists what was answered with yes.
func accepted(list []*question) chosen {
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
func (p *Prompter) questions() []*question {
	var list []*question
	r := p.r
	if slices.ContainsFunc(r.Comparisons, func(p pin.Comparison) bool { return p.PolicyDiffers() }) {
		list = append(list, &question{text: "Accept the changed policy?", refused: "the policy was not accepted"})
	}
	if len(lint.WarningsIn(r.General())) > 0 {
		list = append(list, &question{text: "The capture as a whole has a warning. Go on?", warned: true, refused: "the warning was not accepted"})
	}
	for _, groups := range p.t.together(r) {
		if r.first(groups[0]).Kind == pin.Duplicate {
			p.show(groups...) // nothing to ask
		} else {
			list = append(list, p.question(groups))
		}
	}
	for _, f := range r.Unrecorded() {
		asked := r.ref(f.Ref()) + " matches its pin and has a warning that is not on record: " + f.ID + ". Accept it?"
		list = append(list, &question{text: asked, server: f.Server, matched: &f, warned: true})
	}
	return list
}

// question asks about groups that are read in one go.
func (p *Prompter) question(groups []*group) *question {
	g := joint(groups)
	asked := p.r.questionText(g.drifts, g.warned)
	if len(groups) > 1 {
		asked = strings.Replace(asked, "this change", "these minor changes", 1)
	}
	return &question{text: asked, server: p.r.first(g).Server, groups: groups, drifts: g.drifts, warned: g.warned}
}

// keys returns the keys that may answer a question, in the order they are offered.
func (p *Prompter) keys(q *question, back bool) string {
	keys := "yn"
	if len(q.drifts) > 1 {
		keys += "e"
	}
	if len(q.drifts) > 0 {
		keys += "da"
	}
	if q.server != "" {
		keys += "sS"
	}
	if len(q.drifts) > 0 && !p.r.AllOrNothing() {
		keys += "w"
	}
	if back {
		keys += "b"
	}
	return keys + "q"
}

func (p *Prompter) show(groups ...*group) {
	p.t.printf("\n")
	p.t.groups(p.r, groups)
}

// showDefinition shows one definition whole.
func (p *Prompter) showDefinition(d *pin.Drift) {
	t := *p.t
	t.Full = true
	t.say("  ", segment{'*', p.r.ref(d.Ref())})
	if d.Captured != nil {
		t.whole("  ", '+', d.Captured)
	} else {
		t.whole("  ", '-', d.Locked)
	}
	p.t.err = t.err
}

// unwarned lists the open questions about entries without a warning, of one server or of
// all, and counts the entries.
func (p *Prompter) unwarned(list []*question, server string, own bool) (rest []*question, count pin.Counts) {
	rest = open(list, func(q *question) bool { return len(q.drifts) > 0 && !q.warned && (!own || q.server == server) })
	for _, q := range rest {
		count[p.r.Drifts[q.drifts[0]].Type] += len(q.drifts)
	}
	return rest, count
}

// acceptRest shows how many entries are left without a warning, of one server or of all, and
// asks whether to accept them. It returns the questions that this answers.
func (p *Prompter) acceptRest(list []*question, server string, own bool) ([]*question, error) {
	rest, count := p.unwarned(list, server, own)
	of := ""
	if own && len(p.r.Comparisons) > 1 {
		of = " of server " + text.Name(server)
	}
	if len(rest) == 0 {
		return nil, p.say("nothing"+of+" is left without a warning", "\n")
	}
	key, err := p.ask(&question{text: "Accept the " + count.Plural() + of + " that are left without a warning?"}, "", "yn")
	if key != 'y' {
		rest = nil
	}
	return rest, err
}

var answerWords = map[byte][2]string{
	'y': {"[y]es", "accept: pin what the server lists now"},
	'n': {"[n]o", "keep the pin as it is; what is new stays unpinned"},
	'e': {"[e]ach", "ask about each of these entries"},
	'd': {"[d]efinition", "show the definition whole; of several, the first"},
	'a': {"[a]ll without a warning", "accept all that is left but what has a warning, after a count"},
	's': {"[s]kip this server", "keep the pins of all that is left of it"},
	'S': {"[S] accept the rest of this server", "all of it but what has a warning, after a count"},
	'w': {"[w]rite and stop", "write what is accepted so far; the rest keeps its pins"},
	'b': {"[b]ack", "take back the last answer, and ask again"},
	'q': {"[q]uit", "leave; what is accepted so far is written only after a yes"},
}

// ask repeats a question until it has one of the answers, and returns its key, or 0 at the
// end of the input. where is said behind the question. 'd' and '?' show something and ask
// again. After Enter alone, ask says what to type.
func (p *Prompter) ask(q *question, where, keys string) (byte, error) {
	offered := keys
	if len(p.r.Comparisons) == 1 { // of a single server, a and w say the same
		offered = strings.NewReplacer("s", "", "S", "").Replace(keys)
	}
	asked, expected := q.text+where, strings.Join(strings.Split(offered, ""), ", ")
	words := map[string]byte{} // what may be typed
	for _, key := range []byte(keys) {
		word, _, _ := strings.Cut(strings.NewReplacer("[", "", "]", "").Replace(answerWords[key][0]), " ")
		words[word] = key
		if key == 'y' && q.warned {
			asked, expected = asked+" Type yes, or", strings.Replace(expected, "y", "yes", 1)
			continue
		}
		words[string(key)] = key
		if strings.IndexByte(offered, key) >= 0 {
			asked += " " + answerWords[key][0]
			if key == 'S' {
				asked += " (" + text.Number(q.rest) + " without a warning)"
			}
		}
	}
	for {
		if f, ok := p.t.w.(*bufio.Writer); ok && p.t.err == nil {
			p.t.err = f.Flush()
		}
		if p.t.err != nil {
			return 0, p.t.err
		}
		if err := p.say(asked+" [?]: ", ""); err != nil {
			return 0, err
		}
		reply, err := p.in.ReadString('\n')
		if err != nil {
			fmt.Fprintln(p.out)
			return 0, nil
		}
		reply = strings.TrimSpace(reply)
		if words[reply] == 0 { // only s and S are told apart
			reply = strings.ToLower(reply)
		}
		switch key := words[reply]; {
		case key == 'd':
			p.showDefinition(&p.r.Drifts[q.drifts[0]])
		case key != 0:
			return key, nil
		case reply == "?":
			width := 0
			for _, key := range []byte(offered) {
				width = max(width, len(answerWords[key][0]))
			}
			for _, key := range []byte(offered) {
				word := answerWords[key]
				word[1] = cmp.Or(q.help[key], word[1])
				if key == 'y' && q.warned {
					word[0] = "yes"
				}
				if err := p.say(fmt.Sprintf("  %-*s  %s", width, word[0], word[1]), "\n"); err != nil {
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

// say prints our own words, wrapped, on the stream where the answers are typed.
func (p *Prompter) say(words, end string) error {
	lines := wrapLines([]line{{runs: []segment{{'=', words}}}}, p.t.Width-len("  : "))
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
