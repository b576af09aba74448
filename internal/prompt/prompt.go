// Package prompt shows drift step by step, and asks a person about each step.
package prompt

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"pinproof/internal/approval"
	"pinproof/internal/fail"
	"pinproof/internal/layout"
	"pinproof/internal/pin"
	"pinproof/internal/report"
	"pinproof/internal/report/plain"
	"pinproof/internal/text"
)

// A Prompter asks a person what to approve.
type Prompter struct {
	in    *bufio.Reader
	drain func()    // drops what was typed so far
	out   io.Writer // questions
	err   error     // the first one of writing the questions
	t     *plain.Writer
	m     *report.Model
	again string // the command that asks again

	// Nothing is pinned yet: one question is about all of a server's entries that have no warning.
	first bool

	seen map[pin.Ref]bool // the entries that have been shown in full

	// All questions, in the order of diff.
	list []*question

	done [][]*question // what each answer closed, to go back
}

// New returns a Prompter that asks on out, reads the answers from in, and has t show what it asks about.
// drain drops the input that waits at a terminal. again is the command with which a person who leaves
// can go on.
func New(in io.Reader, out io.Writer, t *plain.Writer, m *report.Model, again string, drain func()) *Prompter {
	return &Prompter{in: bufio.NewReader(in), drain: drain, out: out, t: t, m: m, again: again, seen: map[pin.Ref]bool{}}
}

// First has the prompt ask about servers that have no pins yet: one question about each server, below all
// that it lists, and one about each entry that has a warning.
func (p *Prompter) First() *Prompter {
	p.first = true
	return p
}

// A question is about the entries of blocks, which are accepted together, or about the whole review.
type question struct {
	text string

	// The server of the entries, printable; "" if the question is about the whole review.
	server string

	// What it is about; empty if that is the whole review, or a warning of an entry that matches.
	blocks []report.Block

	// 1 + the index in Model.ToRecord of the warning that it is about; 0 if it is about none.
	matched int

	warned bool // only the word yes accepts it

	// 'y', 'n', 'x' for a yes that denies the entry to agents, or 0 while the question is open.
	answer byte

	own   bool  // it was answered by itself
	about about // what of the whole review it is about
}

// about says what of a whole review a question is about.
type about int

const (
	aboutEntries about = iota // nothing but entries
	aboutPolicy               // the changed policies
	aboutWhole                // the warnings about captures as a whole
)

// ofBlock asks about a block.
func ofBlock(b report.Block, server string) *question {
	return &question{text: b.Ask, server: server, blocks: []report.Block{b}, warned: b.Warned}
}

// ofServer asks about everything of a new server that has no warning.
func ofServer(s *report.Server, blocks []report.Block) *question {
	q := &question{server: s.Name, blocks: blocks}
	q.text = "Accept the " + text.Count(len(q.entries()), "entry") + " of server " + s.Name + " shown above?"
	if len(q.entries()) == 1 {
		q.text = blocks[0].Ask
	}
	return q
}

// entries returns all entries that a question is about, as indexes of Model.Entries.
func (q *question) entries() (list []int) {
	for i := range q.blocks {
		list = append(list, q.blocks[i].Entries...)
	}
	return list
}

// each splits a question: it returns one question for each block or, if there is one block, for each part
// of that.
func (q *question) each() (list []*question) {
	parts := q.blocks
	if len(parts) == 1 {
		parts = parts[0].Each
	}
	for _, b := range parts {
		list = append(list, ofBlock(b, q.server))
	}
	return list
}

// Review asks a question for each block, in the order diff shows them. Nothing has been
// written when it returns.
func (p *Prompter) Review() (*approval.Answers, error) {
	answers, err := p.review()
	if broken := cmp.Or(p.err, p.t.Err); broken != nil {
		return nil, broken // it isn't certain that all was seen
	}
	return answers, err
}

func (p *Prompter) review() (*approval.Answers, error) {
	p.t.Head(p.m)
	p.questions()
	for {
		i := slices.IndexFunc(p.list, func(q *question) bool { return q.answer == 0 })
		if i < 0 {
			return p.accepted(), nil
		}
		q := p.list[i]
		p.show(q)
		isServer := len(q.blocks) > 1
		if isServer {
			p.risks(q.entries())
		}
		isPart := len(q.blocks) == 1
		isOfSeveral := isPart && p.m.Several && q.server != ""
		switch key := p.ask(q, p.position(i), map[byte]bool{
			'y': true, 'n': true, 'e': len(q.entries()) > 1, 'd': isPart, 'a': isPart, 's': isOfSeveral, 'S': isOfSeveral,
			'x': p.canBeDenied(q), 'w': (isPart || isServer && p.m.Several) && !p.m.Policy, 'b': len(p.done) > 0, 'q': true,
		}); key {
		case 'y', 'n':
			p.close(key, q)
			q.own = true
			if key == 'n' && q.about != aboutEntries {
				return p.accepted(), nil // without that yes, nothing is written
			}
		case 'x':
			if !q.warned || p.ask(&question{text: "Pin it as denied, despite the warning?", warned: true}, "", map[byte]bool{'y': true, 'n': true}) == 'y' {
				p.close(key, q)
			}
		case 'e':
			p.list = slices.Replace(p.list, i, i+1, q.each()...)
		case 'b':
			last := len(p.done) - 1
			for _, q := range p.done[last] {
				q.answer = 0
			}
			p.done = p.done[:last]
		case 's':
			p.close('n', p.open(func(other *question) bool { return other.server == q.server })...)
		case 'a', 'S':
			goesOn := p.askFirst(q.server, key == 'S')
			if !goesOn {
				continue
			}
			rest := p.acceptRest(q.server, key == 'S')
			if len(rest) > 0 {
				p.close('y', rest...)
			}
		case 'w':
			return p.accepted(), nil
		default:
			if all, stays, err := p.leave(key == 'q'); !stays {
				return all, err
			}
		}
	}
}

// close gives questions their answer.
func (p *Prompter) close(answer byte, closed ...*question) {
	for _, q := range closed {
		q.answer = answer
		q.own = false
	}
	p.done = append(p.done, closed)
}

// leave ends the review. What is accepted so far is only written if the person says so. A person
// who quits is asked; at the end of the input, nobody can be.
func (p *Prompter) leave(quits bool) (all *approval.Answers, stays bool, err error) {
	all = p.accepted()
	n := len(all.Entries) + len(all.Records)
	key := byte(0)
	if quits && n > 0 && !p.m.Policy {
		key = p.ask(&question{text: "Write the " + text.Number(n) + " accepted?"}, "", map[byte]bool{'y': true, 'n': true, 'b': true})
	}
	if key == 'y' || key == 'b' {
		return all, key == 'b', nil
	}
	return nil, false, fail.New("left before the end; nothing was written").Hint("to go on: %s", p.again)
}

// open lists the open questions for which are returns true.
func (p *Prompter) open(are func(*question) bool) []*question {
	return slices.DeleteFunc(slices.Clone(p.list), func(q *question) bool { return q.answer != 0 || !are(q) })
}

// unwarned lists the open questions about entries without a warning, of one server or of all, and
// counts the entries.
func (p *Prompter) unwarned(server string, own bool) (list []*question, entries int) {
	list = p.open(func(q *question) bool { return len(q.blocks) > 0 && !q.warned && (!own || q.server == server) })
	for _, q := range list {
		entries += len(q.entries())
	}
	return list, entries
}

// position says which question of how many this is: "(12 of 75, playwright 3 of 16)". If there are
// several servers, it also counts the questions about the same server.
func (p *Prompter) position(at int) string {
	said := text.Number(at+1) + " of " + text.Number(len(p.list))
	server := p.list[at].server
	own := 0
	before := 0
	for i, q := range p.list {
		if q.server == server {
			if own++; i <= at {
				before++
			}
		}
	}
	if p.m.Several && server != "" {
		said += ", " + server + " " + text.Number(before) + " of " + text.Number(own)
	}
	return " (" + said + ")"
}

// accepted lists what was answered with yes, each bound to what was shown.
func (p *Prompter) accepted() *approval.Answers {
	a := &approval.Answers{Entries: map[pin.Ref]string{}, Denied: map[pin.Ref]bool{}, Allowed: map[pin.Ref]bool{}, Policies: map[string]pin.Policy{}, Wholes: map[string]string{}}
	for _, q := range p.list {
		if q.answer != 'y' && q.answer != 'x' {
			continue
		}
		for _, i := range q.entries() {
			e := &p.m.Entries[i]
			a.Entries[e.Of] = e.Accepts
			if q.answer == 'x' && e.CanBeDenied {
				a.Denied[e.Of] = true
			} else if q.own && len(q.entries()) == 1 {
				a.Allowed[e.Of] = true // the question says if it was denied
			}
		}
		if q.matched > 0 {
			f := &p.m.ToRecord[q.matched-1]
			a.Records = append(a.Records, approval.Record{Of: f.Of, Record: f.Record})
		}
		for i := range p.m.Servers {
			s := &p.m.Servers[i]
			if q.about == aboutPolicy && s.PolicyDiffers {
				a.Policies[s.ID] = s.Policy
			}
			if q.about == aboutWhole {
				a.Wholes[s.ID] = s.SetDigest
			}
		}
	}
	return a
}

// questions lists what there is to ask, in diff's order.
func (p *Prompter) questions() {
	add := func(q *question) { p.list = append(p.list, q) }
	if p.m.Policy {
		add(&question{text: "Accept the changed policy?", about: aboutPolicy})
	}
	if slices.ContainsFunc(p.m.Whole, func(f report.Finding) bool { return f.Warning && f.List == "" }) {
		add(&question{text: "The capture as a whole has a warning. Go on?", about: aboutWhole, warned: true})
	}
	var rest []report.Block // of a new server
	for i := range p.m.Blocks {
		b := &p.m.Blocks[i]
		server := &p.m.Servers[b.Server]
		if b.Repeat {
			p.show(&question{blocks: []report.Block{*b}}) // nothing to ask
		} else if b.Warned || !p.first {
			add(ofBlock(*b, server.Name))
		} else {
			rest = append(rest, *b)
		}
		isLast := i == len(p.m.Blocks)-1 || p.m.Blocks[i+1].Server != b.Server
		if isLast && len(rest) > 0 {
			add(ofServer(server, rest))
			rest = nil
		}
	}
	for i, f := range p.m.ToRecord {
		asked := f.Names + " matches its pin and has a warning that nobody accepted: " + f.ID + ". Accept it?"
		add(&question{text: asked, server: text.Name(f.Server), matched: i + 1, warned: true})
	}
}

// show shows what a question is about.
func (p *Prompter) show(q *question) {
	for i := range q.blocks {
		p.t.Blank()
		p.t.Block(p.m, &q.blocks[i])
		for _, entry := range q.blocks[i].Entries {
			p.seen[p.m.Entries[entry].Of] = true
		}
	}
}

// canBeDenied reports whether a question is about one entry that can be kept from agents. An entry that
// seems to be renamed counts as one, though it has two names.
func (p *Prompter) canBeDenied(q *question) bool {
	deniable := 0
	for _, i := range q.entries() {
		if p.m.Entries[i].CanBeDenied {
			deniable++
		}
	}
	isRename := len(q.blocks) == 1 && q.blocks[0].Kind == report.Renamed
	return deniable == 1 && (len(q.entries()) == 1 || isRename)
}

// shown reports whether everything that a question is about has been shown above.
func (p *Prompter) shown(q *question) bool {
	return !slices.ContainsFunc(q.entries(), func(entry int) bool { return !p.seen[p.m.Entries[entry].Of] })
}

// definition shows one definition whole. If there are several, it asks which one.
func (p *Prompter) definition(entries []int) {
	n := 1
	if len(entries) > 1 {
		var names []string
		for i, entry := range entries {
			names = append(names, fmt.Sprintf("%d %s", i+1, p.m.Entries[entry].Short))
		}
		p.say(strings.Join(names, "  ") + "\n")
		reply, _ := p.read("Which of them? A number, or Enter for none: ")
		n, _ = strconv.Atoi(reply) // 0 if it isn't a number
	}
	if n > 0 && n <= len(entries) {
		p.t.Whole(&p.m.Entries[entries[n-1]])
	}
}

// readFirst lists the open questions about entries without a warning that the head names under "read
// first", of one server or of all.
func (p *Prompter) readFirst(server string, own bool) (list []*question) {
	if !p.m.MuchToRead {
		return nil // the head has no such list
	}
	all, _ := p.unwarned(server, own)
	for _, q := range all {
		if len(q.blocks) > 1 {
			// A new server has one question for all that it lists.
			continue
		}
		isNamed := slices.ContainsFunc(p.m.ReadFirst, func(f report.ReadFirst) bool { return f.Block == q.blocks[0].Number })
		if isNamed {
			list = append(list, q)
		}
	}
	return list
}

// askFirst asks about each entry under "read first", before the person can accept all that is left in one
// go. It returns false if the person goes back, or the input ends.
func (p *Prompter) askFirst(server string, own bool) (goesOn bool) {
	first := p.readFirst(server, own)
	if len(first) > 0 {
		p.say("first, what the head says to read first:\n")
	}
	for i, q := range first {
		if !p.shown(q) {
			p.show(q)
		}
		where := " (" + text.Number(i+1) + " of " + text.Number(len(first)) + " to read first)"
		key := p.ask(q, where, map[byte]bool{'y': true, 'n': true, 'd': true, 'b': true})
		if key != 'y' && key != 'n' {
			return false
		}
		p.close(key, q)
		q.own = true
	}
	return true
}

// acceptRest shows what is left without a warning and was not shown yet, of one server or of all,
// names what is dangerous in it, and asks whether to accept it. It returns the questions that this
// answers.
func (p *Prompter) acceptRest(server string, own bool) []*question {
	of := ""
	if own && p.m.Several {
		of = " of server " + server
	}
	rest, entries := p.unwarned(server, own)
	if len(rest) == 0 {
		p.say("nothing" + of + " is left without a warning\n")
		return nil
	}
	unseen := 0
	for _, q := range rest {
		if !p.shown(q) {
			unseen += len(q.entries())
		}
	}
	if unseen > 0 {
		p.say("not shown yet: " + text.Count(unseen, "entry") + ", printed here first\n")
	}
	var all []int
	for _, q := range rest {
		if !p.shown(q) {
			p.show(q)
		}
		all = append(all, q.entries()...)
	}
	p.risks(all)
	are := " that are"
	if entries == 1 {
		are = " that is"
	}
	asked := "Accept the " + text.Count(entries, "entry") + of + are + " left without a warning?"
	if p.ask(&question{text: asked}, "", map[byte]bool{'y': true, 'n': true}) != 'y' {
		return nil
	}
	return rest
}

// risks names the entries that are dangerous, by the kind of danger, and counts the others.
func (p *Prompter) risks(entries []int) {
	named := map[string][]string{}
	others := 0
	for _, at := range entries {
		e := &p.m.Entries[at]
		if e.Named == "" {
			others++
			continue
		}
		named[e.Named] = append(named[e.Named], e.Said)
	}
	for _, kind := range slices.Sorted(maps.Keys(named)) {
		p.say("  " + kind + ": " + strings.Join(named[kind], ", ") + "\n")
	}
	if len(named) > 0 && others > 0 {
		p.say("  " + text.Count(others, "other") + "\n")
	}
}

// answers are all that may be typed, in the order in which they are offered.
var answers = []struct {
	key          byte
	shown, means string
}{
	{'y', "[y]es", "accept: pin what the server lists now"},
	{'n', "[n]o", "keep the pin as it is; what is new stays unpinned"},
	{'x', "[x] deny", "pin it, but keep it from agents with a guard"},
	{'e', "[e]ach", "show each of these entries, and ask about it"},
	{'d', "[d]efinition", "show the whole definition; of several, ask which"},
	{'a', "[a]ll without a warning", "ask about each entry under read first; then show the rest without a warning, and ask"},
	{'s', "[s]kip this server", "keep the pins of all its remaining entries"},
	{'S', "[S] accept the rest of this server", "show all of it except what has a warning, and ask"},
	{'w', "[w]rite and stop", "write what you accepted so far; the rest keeps its pins"},
	{'b', "[b]ack", "back to the previous question"},
	{'q', "[q]uit", "leave; what you accepted so far is written only after a yes"},
}

// read asks for a line. It drops what was typed at a terminal before the question was shown. It returns
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

// ask repeats a question until it has one of the answers offered, and returns that, or 0 at the
// end of the input. where is printed behind the question. 'd' and '?' show something and ask again.
// After Enter alone, ask says what to type.
func (p *Prompter) ask(q *question, where string, offered map[byte]bool) byte {
	asked := q.text + where
	help := ""
	words := map[string]byte{} // what may be typed
	var expected []string
	for _, a := range answers {
		if !offered[a.key] {
			continue
		}
		key, shown, listed := string(a.key), a.shown, a.shown
		word, _, _ := strings.Cut(strings.NewReplacer("[", "", "]", "").Replace(shown), " ")
		if a.key == 'y' && q.warned {
			key = word
			shown = "Type yes, or"
			listed = word
		}
		if a.key == 'S' {
			_, entries := p.unwarned(q.server, true)
			shown += " (" + text.Number(entries) + " without a warning)"
		}
		words[key] = a.key
		words[word] = a.key
		expected = append(expected, key)
		asked += " " + shown
		help += fmt.Sprintf("  %-23s  %s\n", listed, a.means)
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
			p.definition(q.entries())
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
	var said bytes.Buffer
	style := p.t.Style
	style.Width -= len(" yes") // room for an answer
	plain.New(&said, style).Say("", layout.Run{Op: '=', Text: words})
	// An answer is typed on the question's line.
	end := words[len(strings.TrimRight(words, " \n")):]
	if p.err = cmp.Or(p.err, p.t.Flush()); p.err == nil {
		_, p.err = io.WriteString(p.out, strings.TrimRight(said.String(), " \n")+end)
	}
}
