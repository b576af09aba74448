// Package prompt shows drift step by step and asks about each.
package prompt

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
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
	err   error     // the first one of writing them
	t     *plain.Writer
	m     *report.Model
	again string // the command that asks anew
}

// New asks on out and reads the answers from in. What is asked about is shown by t. drain drops the
// input that waits at a terminal. again is the command to go on with for a person who leaves.
func New(in io.Reader, out io.Writer, t *plain.Writer, m *report.Model, again string, drain func()) *Prompter {
	return &Prompter{in: bufio.NewReader(in), drain: drain, out: out, t: t, m: m, again: again}
}

// A question is about the entries of a block, which are accepted together, or about the whole review.
type question struct {
	text    string
	server  string        // whose entries they are, printable; "" if it is about the whole review
	block   *report.Block // what it is about; nil if it is about the whole review
	entries []int         // those of the block, indexes of Model.Entries
	matched int           // the number, from 1, of a warning that is not on record; 0: none
	warned  bool          // only the word yes accepts it
	answer  byte          // 'y', 'n', or 0 while it is open
	refused string        // what to say when a no ends the review; "" if a no only keeps the pins
}

// A Chosen is what a person accepted at the prompt.
type Chosen struct {
	Drifts   map[int]bool // indexes of Model.Entries
	Warnings []int        // of entries that match their pins, to put on record: indexes of Model.ToRecord
}

// Review asks a question for each block, in the order diff shows them. Nothing has been
// written when it returns.
func (p *Prompter) Review() (Chosen, error) {
	chosen, err := p.review()
	if broken := cmp.Or(p.err, p.t.Err); broken != nil {
		return Chosen{}, broken // it isn't certain that all was seen
	}
	return chosen, err
}

func (p *Prompter) review() (Chosen, error) {
	p.t.Head(p.m)
	list := p.questions()
	var done [][]*question // what each answer closed, to go back
	for {
		i := slices.IndexFunc(list, func(q *question) bool { return q.answer == 0 })
		if i < 0 {
			return accepted(list), nil
		}
		q := list[i]
		p.show(q.block)
		closes := func(answer byte, closed ...*question) {
			for _, q := range closed {
				q.answer = answer
			}
			done = append(done, closed)
		}
		switch key := p.ask(q, p.position(list, i), p.keys(q, len(done) > 0), count(unwarned(list, q.server, true))); key {
		case 'y', 'n':
			if closes(key, q); key == 'n' && q.refused != "" {
				return Chosen{}, fail.New("%s: nothing was written", q.refused).Refusal()
			}
		case 'e':
			var each []*question
			for i := range q.block.Each {
				each = append(each, ofBlock(&q.block.Each[i], q.server, q.warned))
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
			if rest := p.acceptRest(list, q.server, key == 'S'); len(rest) > 0 {
				closes('y', rest...)
			}
		case 'w':
			return accepted(list), nil
		default:
			if all, stays, err := p.leave(list, key == 'q'); !stays {
				return all, err
			}
		}
	}
}

// ofBlock is the question about a block.
func ofBlock(b *report.Block, server string, warned bool) *question {
	return &question{text: b.Ask, server: server, block: b, entries: b.Entries, warned: warned}
}

// leave ends the review. Of what is accepted so far nothing is written unless the person
// says so: who quits is asked, the end of an input can't be.
func (p *Prompter) leave(list []*question, quits bool) (all Chosen, stays bool, err error) {
	all = accepted(list)
	left, key := fail.New("left before the end; nothing was written").Hint("to go on: %s", p.again), byte(0)
	n := len(all.Drifts) + len(all.Warnings)
	if n == 0 || p.m.Policy {
		return Chosen{}, false, left
	}
	if quits {
		key = p.ask(&question{text: "Write the " + text.Number(n) + " accepted?"}, "", "ynb", 0)
	}
	switch key {
	case 'y', 'b':
		return all, key == 'b', nil
	case 0:
		left.Hint("w writes what is accepted so far, and stops")
	}
	return Chosen{}, false, left
}

// open lists the open questions that are holds for.
func open(list []*question, are func(*question) bool) []*question {
	return slices.DeleteFunc(slices.Clone(list), func(q *question) bool { return q.answer != 0 || !are(q) })
}

// unwarned lists the open questions about entries without a warning, of one server or of all.
func unwarned(list []*question, server string, own bool) []*question {
	return open(list, func(q *question) bool { return q.block != nil && !q.warned && (!own || q.server == server) })
}

// count counts the entries of questions.
func count(list []*question) (n int) {
	for _, q := range list {
		n += len(q.entries)
	}
	return n
}

// position says which question of how many it is: "(12 of 75, playwright 3 of 16)". With
// several servers it counts those of its own server, too.
func (p *Prompter) position(list []*question, at int) string {
	server := list[at].server
	own := func(list []*question) (n int) {
		for _, q := range list {
			if q.server == server {
				n++
			}
		}
		return n
	}
	said := text.Number(at+1) + " of " + text.Number(len(list))
	if p.m.Several && server != "" {
		said += ", " + server + " " + text.Number(own(list[:at+1])) + " of " + text.Number(own(list))
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
func (p *Prompter) questions() (list []*question) {
	if p.m.Policy {
		list = append(list, &question{text: "Accept the changed policy?", refused: "the policy was not accepted"})
	}
	if slices.ContainsFunc(p.m.Whole, func(f report.Finding) bool { return f.Warning && f.List == "" }) {
		list = append(list, &question{text: "The capture as a whole has a warning. Go on?", warned: true, refused: "the warning was not accepted"})
	}
	for i := range p.m.Blocks {
		if b := &p.m.Blocks[i]; b.Repeat {
			p.show(b) // nothing to ask
		} else {
			list = append(list, ofBlock(b, p.m.Servers[b.Server].Label, b.Warned))
		}
	}
	for i, f := range p.m.ToRecord {
		asked := f.Names + " matches its pin and has a warning that is not on record: " + f.ID + ". Accept it?"
		list = append(list, &question{text: asked, server: text.Name(f.Server), matched: i + 1, warned: true})
	}
	return list
}

// keys returns the keys that may answer a question, in the order they are offered.
func (p *Prompter) keys(q *question, back bool) string {
	keys := ""
	for _, may := range []struct {
		keys string
		are  bool
	}{
		{"yn", true}, {"e", len(q.entries) > 1}, {"da", q.block != nil}, {"sS", p.m.Several && q.server != ""},
		{"w", q.block != nil && !p.m.Policy}, {"b", back}, {"q", true},
	} {
		if may.are {
			keys += may.keys
		}
	}
	return keys
}

func (p *Prompter) show(b *report.Block) {
	if b != nil {
		p.t.Blank()
		p.t.Block(p.m, b)
	}
}

// definition shows one definition whole. Of several it asks which.
func (p *Prompter) definition(q *question) {
	n := 1
	if len(q.entries) > 1 {
		var names []string
		for i, entry := range q.entries {
			names = append(names, fmt.Sprintf("%d %s", i+1, p.m.Entries[entry].Short))
		}
		p.say(strings.Join(names, "  ") + "\n")
		reply, _ := p.read("Which of them? A number, or Enter for none: ")
		n, _ = strconv.Atoi(reply) // 0 for what is none
	}
	if n > 0 && n <= len(q.entries) {
		p.t.Whole(&p.m.Entries[q.entries[n-1]])
	}
}

// acceptRest shows what is left without a warning and was not shown yet, of one server or of all,
// names what is dangerous in it, and asks whether to accept it. It returns the questions that this
// answers.
func (p *Prompter) acceptRest(list []*question, server string, own bool) []*question {
	rest, of := unwarned(list, server, own), ""
	if own && p.m.Several {
		of = " of server " + server
	}
	if len(rest) == 0 {
		p.say("nothing" + of + " is left without a warning\n")
		return nil
	}
	unseen := slices.DeleteFunc(slices.Clone(rest), func(q *question) bool { return p.t.Shown[q.block.Number] })
	if len(unseen) > 0 {
		p.say("not shown yet: " + text.Count(count(unseen), "entry") + ", printed here first\n")
	}
	for _, q := range unseen {
		p.show(q.block)
	}
	grave, others := map[string][]string{}, 0
	for _, q := range rest {
		for _, at := range q.entries {
			if e := &p.m.Entries[at]; e.Grave != "" {
				grave[e.Grave] = append(grave[e.Grave], e.Said)
			} else {
				others++
			}
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(grave)) {
		p.say("  " + kind + ": " + strings.Join(grave[kind], ", ") + "\n")
	}
	if len(grave) > 0 && others > 0 {
		p.say("  " + text.Count(others, "other") + "\n")
	}
	are := " that are"
	if count(rest) == 1 {
		are = " that is"
	}
	if p.ask(&question{text: "Accept the " + text.Count(count(rest), "entry") + of + are + " left without a warning?"}, "", "yn", 0) != 'y' {
		return nil
	}
	return rest
}

// answers are all that may be typed, in the order in which they are offered.
var answers = []struct {
	key          byte
	shown, means string
}{
	{'y', "[y]es", "accept: pin what the server lists now"},
	{'n', "[n]o", "keep the pin as it is; what is new stays unpinned"},
	{'e', "[e]ach", "show each of these entries, and ask about it"},
	{'d', "[d]efinition", "show the definition whole; of several, asks which"},
	{'a', "[a]ll without a warning", "shows all that is left but what has a warning, and asks"},
	{'s', "[s]kip this server", "keep the pins of all that is left of it"},
	{'S', "[S] accept the rest of this server", "shows all of it but what has a warning, and asks"},
	{'w', "[w]rite and stop", "write what is accepted so far; the rest keeps its pins"},
	{'b', "[b]ack", "back to the question before"},
	{'q', "[q]uit", "leave; what is accepted so far is written only after a yes"},
}

// read asks for a line. What was typed before the question was shown answers nothing. It returns
// false at the end of the input, and when the question can't be shown.
func (p *Prompter) read(asked string) (reply string, ok bool) {
	if p.err = cmp.Or(p.err, p.t.Flush()); p.drain != nil {
		p.in.Discard(p.in.Buffered())
		p.drain()
	}
	if p.say(asked); p.err != nil {
		return "", false
	}
	reply, err := p.in.ReadString('\n')
	if err != nil {
		p.say("\n")
	}
	return strings.TrimSpace(reply), err == nil
}

// ask repeats a question until it has an answer of one of the keys, and returns that, or 0 at the
// end of the input. where is said behind the question, and rest is how many entries S would take. 'd' and '?'
// show something and ask again. After Enter alone, ask says what to type.
func (p *Prompter) ask(q *question, where, keys string, rest int) byte {
	asked, help := q.text+where, ""
	words := map[string]byte{} // what may be typed
	var expected []string
	for _, a := range answers {
		if strings.IndexByte(keys, a.key) < 0 {
			continue
		}
		key, shown := string(a.key), a.shown
		word, _, _ := strings.Cut(strings.NewReplacer("[", "", "]", "").Replace(shown), " ")
		if a.key == 'y' && q.warned {
			key, shown = word, "Type yes, or"
		}
		if a.key == 'S' {
			shown += " (" + text.Number(rest) + " without a warning)"
		}
		words[key], words[word] = a.key, a.key
		expected = append(expected, key)
		asked += " " + shown
		help += fmt.Sprintf("  %-23s  %s\n", a.shown, a.means)
	}
	for {
		reply, ok := p.read(asked + " [?]: ")
		if !ok {
			return 0
		}
		if words[reply] == 0 { // only s and S are told apart
			reply = strings.ToLower(reply)
		}
		switch key := words[reply]; {
		case key == 'd':
			p.definition(q)
		case key != 0:
			return key
		case reply == "?":
			for line := range strings.Lines(help) {
				p.say(line)
			}
		default:
			p.say("type " + strings.Join(expected, ", ") + " or ?, then Enter\n")
		}
	}
}

// say prints our own words, wrapped, on the stream where the answers are typed, below all that was
// shown before. It keeps the first error.
func (p *Prompter) say(words string) {
	words, end := strings.CutSuffix(words, "\n")
	said, width := "", p.t.Width-len("  : ")
	for i, l := range (layout.Line{Runs: []layout.Run{{Op: '=', Text: words}}}).Wrap(width, width) {
		if i > 0 {
			said = strings.TrimRight(said, " ") + "\n  : "
		}
		said += l.Runs[0].Text
	}
	if end {
		said += "\n"
	}
	if p.err = cmp.Or(p.err, p.t.Flush()); p.err == nil {
		_, p.err = io.WriteString(p.out, said)
	}
}
