// Package prompt shows drift step by step and asks about each.
package prompt

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"pinproof/internal/fail"
	"pinproof/internal/layout"
	"pinproof/internal/report"
	"pinproof/internal/report/plain"
	"pinproof/internal/text"
)

// A Prompter asks a person what to approve.
type Prompter struct {
	in    *bufio.Reader
	drain func()    // drops what was typed so far
	out   io.Writer // questions
	t     *plain.Writer
	m     *report.Model
	about report.Questions
	again string // the command that asks anew
}

// New asks on out and reads the answers from in. What is asked about is shown by t. drain drops the
// input that waits at a terminal. again is the command to go on with for a person who leaves.
func New(in io.Reader, out io.Writer, t *plain.Writer, m *report.Model, about report.Questions, again string, drain func()) *Prompter {
	return &Prompter{bufio.NewReader(in), drain, out, t, m, about, again}
}

// A question is about entries that are accepted together, or about the whole review.
type question struct {
	text    string
	server  string          // whose entries they are, printable; "" if it is about the whole review
	block   *report.Block   // what it is about; nil if it is about the whole review
	entries []int           // indexes of Model.Entries
	matched int             // the number, from 1, of a warning that is not on record; 0: none
	warned  bool            // only the word yes accepts it
	answer  byte            // 'y', 'n', or 0 while it is open
	refused string          // what to say when a no ends the review; "" if a no only keeps the pins
	rest    int             // how many entries of its server are left without a warning
	help    map[byte]string // what its answers mean, where that isn't what answerWords says
}

// A Chosen is what a person accepted at the prompt.
type Chosen struct {
	Drifts   map[int]bool // indexes of Model.Entries
	Warnings []int        // of entries that match their pins, to put on record: indexes of Questions.Unrecorded
}

func (c *Chosen) count() int { return len(c.Drifts) + len(c.Warnings) }

// Review asks a question for each block, in the order diff shows them. Nothing has been
// written when it returns.
func (p *Prompter) Review() (Chosen, error) {
	p.t.Head(p.m)
	list := p.questions()
	shown := map[int]bool{}
	var done [][]*question // what each answer closed, to go back
	for {
		i := slices.IndexFunc(list, func(q *question) bool { return q.answer == 0 })
		if i < 0 {
			return accepted(list), p.t.Err
		}
		q := list[i]
		p.show(q.block)
		q.rest = count(p.unwarned(list, q.server, true))
		key, err := p.ask(q, p.position(list, i), p.keys(q, len(done) > 0))
		if err != nil {
			return Chosen{}, err
		}
		if q.block != nil {
			shown[q.block.Number] = true
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
				return Chosen{}, fail.New("%s: nothing was written", q.refused).Refusal()
			}
		case 'e':
			var each []*question
			for i := range q.block.Each {
				one := &q.block.Each[i]
				each = append(each, &question{text: one.Ask, server: q.server, block: one, entries: one.Entries, warned: q.warned})
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
			rest, err := p.acceptRest(list, shown, q.server, key == 'S')
			if err != nil {
				return Chosen{}, err
			}
			if len(rest) > 0 {
				closes('y', rest...)
			}
		case 'w':
			return accepted(list), p.t.Err
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
func (p *Prompter) leave(list []*question, quits bool) (stays bool, all Chosen, err error) {
	all = accepted(list)
	left := fail.New("left before the end; nothing was written").Hint("to go on: %s", p.again)
	if all.count() == 0 || p.about.AllOrNothing {
		return false, Chosen{}, left
	}
	if quits {
		key, err := p.ask(&question{text: "Write the " + text.Number(all.count()) + " accepted?", help: map[byte]string{
			'y': "write them; the rest keeps its pins", 'n': "leave; nothing is written", 'b': "go on with the review",
		}}, "", "ynb")
		switch {
		case err != nil || key == 'y' || key == 'b':
			return key == 'b', all, cmp.Or(err, p.t.Err)
		case key == 'n':
			return false, Chosen{}, left
		}
	}
	return false, Chosen{}, left.Hint("w writes what is accepted so far, and stops")
}

// open lists the open questions that are holds for.
func open(list []*question, are func(*question) bool) []*question {
	return slices.DeleteFunc(slices.Clone(list), func(q *question) bool { return q.answer != 0 || !are(q) })
}

// position says which question of how many it is: "(12 of 75, playwright 3 of 16)". With
// several servers it counts those of its own server, too.
func (p *Prompter) position(list []*question, i int) string {
	said := text.Number(i+1) + " of " + text.Number(len(list))
	if q := list[i]; p.m.Several && q.server != "" {
		own := func(list []*question) (n int) {
			for _, other := range list {
				if other.server == q.server {
					n++
				}
			}
			return n
		}
		said += ", " + q.server + " " + text.Number(own(list[:i+1])) + " of " + text.Number(own(list))
	}
	return " (" + said + ")"
}

// accepted lists what was answered with yes.
func accepted(list []*question) Chosen {
	a := Chosen{Drifts: map[int]bool{}}
	for _, q := range list {
		if q.answer != 'y' {
			continue
		}
		for _, i := range q.entries {
			a.Drifts[i] = true
		}
		if q.matched > 0 {
			a.Warnings = append(a.Warnings, q.matched-1)
		}
	}
	return a
}

// questions returns what there is to ask, in diff's order.
func (p *Prompter) questions() []*question {
	var list []*question
	if p.about.Policy {
		list = append(list, &question{text: "Accept the changed policy?", refused: "the policy was not accepted"})
	}
	if p.m.General {
		list = append(list, &question{text: "The capture as a whole has a warning. Go on?", warned: true, refused: "the warning was not accepted"})
	}
	for i := range p.m.Blocks {
		b := &p.m.Blocks[i]
		if b.Repeat {
			p.show(b) // nothing to ask
			continue
		}
		list = append(list, &question{text: b.Ask, server: p.m.Entries[b.Entries[0]].Label, block: b, entries: b.Entries, warned: b.Warned})
	}
	for i, f := range p.about.Unrecorded {
		asked := f.Names + " matches its pin and has a warning that is not on record: " + f.ID + ". Accept it?"
		list = append(list, &question{text: asked, server: p.about.Labels[i], matched: i + 1, warned: true})
	}
	return list
}

// keys returns the keys that may answer a question, in the order they are offered.
func (p *Prompter) keys(q *question, back bool) string {
	keys := "yn"
	if len(q.entries) > 1 {
		keys += "e"
	}
	if len(q.entries) > 0 {
		keys += "da"
	}
	if q.server != "" {
		keys += "sS"
	}
	if len(q.entries) > 0 && !p.about.AllOrNothing {
		keys += "w"
	}
	if back {
		keys += "b"
	}
	return keys + "q"
}

func (p *Prompter) show(b *report.Block) {
	if b != nil {
		p.t.Blank()
		p.t.Block(p.m, b)
	}
}

// definition shows one definition whole. Of several it asks which.
func (p *Prompter) definition(q *question) error {
	at := q.entries[0]
	if len(q.entries) > 1 {
		var words strings.Builder
		for i, entry := range q.entries {
			fmt.Fprintf(&words, "%d %s  ", i+1, p.m.Entries[entry].Short)
		}
		if err := p.say(strings.TrimRight(words.String(), " "), "\n"); err != nil {
			return err
		}
		reply, err := p.read("Which of them? A number, or Enter for none [?]: ")
		if err != nil {
			return err
		}
		n := 0
		if _, err := fmt.Sscanf(reply, "%d", &n); err != nil || n < 1 || n > len(q.entries) {
			return nil
		}
		at = q.entries[n-1]
	}
	p.t.Whole(&p.m.Entries[at])
	return nil
}

// unwarned lists the open questions about entries without a warning, of one server or of all.
func (p *Prompter) unwarned(list []*question, server string, own bool) []*question {
	return open(list, func(q *question) bool { return len(q.entries) > 0 && !q.warned && (!own || q.server == server) })
}

// counted counts the entries of questions in words: "3 tools", "4 entries".
func (p *Prompter) counted(list []*question) string {
	noun := ""
	for _, q := range list {
		for _, at := range q.entries {
			if is := p.m.Entries[at].Noun; noun == "" {
				noun = is
			} else if noun != is {
				noun = "entry"
			}
		}
	}
	return text.Count(count(list), noun)
}

func count(list []*question) (n int) {
	for _, q := range list {
		n += len(q.entries)
	}
	return n
}

// acceptRest shows what is left without a warning and was not shown yet, of one server or of all,
// names what is dangerous in it, and asks whether to accept it. It returns the questions that this
// answers.
func (p *Prompter) acceptRest(list []*question, shown map[int]bool, server string, own bool) ([]*question, error) {
	rest, of := p.unwarned(list, server, own), ""
	if own && p.m.Several {
		of = " of server " + server
	}
	if len(rest) == 0 {
		return nil, p.say("nothing"+of+" is left without a warning", "\n")
	}
	unseen := 0
	for _, q := range rest {
		if !shown[q.block.Number] {
			unseen += len(q.entries)
		}
	}
	if unseen > 0 {
		if err := p.say("not shown yet: "+text.Count(unseen, "entry")+", printed here first", "\n"); err != nil {
			return nil, err
		}
	}
	grave, others := map[string][]string{}, 0
	var kinds []string
	for _, q := range rest {
		if !shown[q.block.Number] {
			shown[q.block.Number] = true
			p.show(q.block)
		}
		for _, at := range q.entries {
			e := &p.m.Entries[at]
			if e.Grave == "" {
				others++
				continue
			}
			if grave[e.Grave] == nil {
				kinds = append(kinds, e.Grave)
			}
			grave[e.Grave] = append(grave[e.Grave], e.Said)
		}
	}
	asked := "Accept the " + p.counted(rest) + of + " that are left without a warning?"
	if err := p.t.Flush(); err != nil {
		return nil, err
	}
	for _, kind := range kinds {
		if err := p.say("  "+kind+": "+strings.Join(grave[kind], ", "), "\n"); err != nil {
			return nil, err
		}
	}
	if len(kinds) > 0 && others > 0 {
		if err := p.say("  "+text.Count(others, "other"), "\n"); err != nil {
			return nil, err
		}
	}
	key, err := p.ask(&question{text: asked}, "", "yn")
	if key != 'y' {
		rest = nil
	}
	return rest, err
}

var answerWords = map[byte][2]string{
	'y': {"[y]es", "accept: pin what the server lists now"},
	'n': {"[n]o", "keep the pin as it is; what is new stays unpinned"},
	'e': {"[e]ach", "show each of these entries, and ask about it"},
	'd': {"[d]efinition", "show the definition whole; of several, asks which"},
	'a': {"[a]ll without a warning", "shows all that is left but what has a warning, and asks"},
	's': {"[s]kip this server", "keep the pins of all that is left of it"},
	'S': {"[S] accept the rest of this server", "shows all of it but what has a warning, and asks"},
	'w': {"[w]rite and stop", "write what is accepted so far; the rest keeps its pins"},
	'b': {"[b]ack", "take back the last answer, and ask again"},
	'q': {"[q]uit", "leave; what is accepted so far is written only after a yes"},
}

// read asks for a line. What was typed before the question was shown answers nothing.
func (p *Prompter) read(asked string) (string, error) {
	if err := p.t.Flush(); err != nil {
		return "", err
	}
	if p.drain != nil {
		p.in.Discard(p.in.Buffered())
		p.drain()
	}
	if err := p.say(asked, ""); err != nil {
		return "", err
	}
	reply, err := p.in.ReadString('\n')
	if err != nil {
		fmt.Fprintln(p.out)
		return "", io.EOF
	}
	return strings.TrimSpace(reply), nil
}

// ask repeats a question until it has one of the answers, and returns its key, or 0 at the
// end of the input. where is said behind the question. 'd' and '?' show something and ask
// again. After Enter alone, ask says what to type.
func (p *Prompter) ask(q *question, where, keys string) (byte, error) {
	offered := keys
	if !p.m.Several { // of a single server, a and w say the same
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
		reply, err := p.read(asked + " [?]: ")
		if err == io.EOF {
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
		if words[reply] == 0 { // only s and S are told apart
			reply = strings.ToLower(reply)
		}
		switch key := words[reply]; {
		case key == 'd':
			if err := p.definition(q); err != nil && err != io.EOF {
				return 0, err
			}
		case key != 0:
			return key, nil
		case reply == "?":
			if err := p.help(q, offered); err != nil {
				return 0, err
			}
		case q.warned && reply == "y":
			fmt.Fprintln(p.out, "a warning takes the whole word: yes")
		default:
			fmt.Fprintf(p.out, "type %s or ?, then Enter\n", expected)
		}
	}
}

// help says what the answers mean.
func (p *Prompter) help(q *question, offered string) error {
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
			return err
		}
	}
	return nil
}

// say prints our own words, wrapped, on the stream where the answers are typed.
func (p *Prompter) say(words, end string) error {
	lines := layout.Wrap([]layout.Line{{Runs: []layout.Run{{Op: '=', Text: words}}}}, p.t.Width-len("  : "))
	said := ""
	for i, l := range lines {
		said += l.Runs[0].Text
		if i < len(lines)-1 {
			said = strings.TrimRight(said, " ") + "\n  : "
		}
	}
	_, err := io.WriteString(p.out, said+end)
	return err
}
