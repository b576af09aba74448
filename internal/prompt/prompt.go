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
	"strings"

	"pinproof/internal/approval"
	"pinproof/internal/fail"
	"pinproof/internal/pin"
	"pinproof/internal/report"
	"pinproof/internal/report/plain"
	"pinproof/internal/text"
)

// A Prompter asks a person what to approve.
type Prompter struct {
	in    *bufio.Reader
	drain func()    // discards pending input
	out   io.Writer // questions
	err   error     // the first error in writing questions
	t     *plain.Writer
	m     *report.Model
	again string // the command that asks again

	// NothingPinned: nothing is pinned yet. One question, after the whole list, covers all entries of a server; each
	// entry with a warning has a question of its own.
	NothingPinned bool

	list []*question
	told bool        // the shared changes have been printed
	done []*question // answered questions, oldest first, for the answer "back"
}

// New returns a Prompter that asks on out, reads the answers from in, and shows drift with t. drain discards the
// pending input of a terminal. again is the command that resumes the review after a person has quit.
func New(in io.Reader, out io.Writer, t *plain.Writer, m *report.Model, again string, drain func()) *Prompter {
	return &Prompter{in: bufio.NewReader(in), drain: drain, out: out, t: t, m: m, again: again}
}

// A question is about the entries of blocks, which are accepted together, about a warning of a matching entry, or about
// the whole review.
type question struct {
	// The text of the question, unless the question is about exactly one block. It is followed by the number of entries
	// and by after or, if after is empty, by neither.
	text, after string

	// The server of the entries, printable; "" if the question is about the whole review.
	server string

	// The blocks that the question is about; empty if it is about the whole review or a warning of a matching entry.
	blocks []*report.ReviewBlock

	order  int  // the order of questions: early, alike, then by server
	warned bool // only the word yes accepts it
	needed bool // without a yes, nothing is written

	// Records a yes to a question that isn't about entries; nil for other questions.
	yes func(a *approval.Answers)

	// 'y' accepts, 'n' declines, 'x' accepts the entry and denies it to agents; 0 while the question is open.
	answer byte
}

// asked returns the words of a question.
func (q *question) asked() string {
	if len(q.blocks) == 1 {
		return q.blocks[0].Question
	}
	if q.after == "" {
		return q.text
	}
	return q.text + text.FormatCount(len(q.entries()), "entry") + q.after
}

// entries returns all entries that a question is about.
func (q *question) entries() (list []*report.Entry) {
	for _, b := range q.blocks {
		list = append(list, b.Entries...)
	}
	return list
}

// Review asks about all drift and returns the answers. It writes nothing to the lockfile.
func (p *Prompter) Review() (*approval.Answers, error) {
	answers, err := p.review()
	if broken := cmp.Or(p.err, p.t.Err); broken != nil {
		return nil, broken // the person may not have seen everything
	}
	return answers, err
}

func (p *Prompter) review() (*approval.Answers, error) {
	p.t.WriteHead(p.m)
	p.questions()
	for {
		i := slices.IndexFunc(p.list, func(q *question) bool { return q.answer == 0 })
		if i < 0 {
			return p.accepted(), nil
		}
		q := p.list[i]
		p.show(q)
		switch key := p.ask(q, p.position(i), keys); key {
		case 'y', 'n':
			p.close(key, q)
			if key == 'n' && q.needed {
				return p.accepted(), nil
			}
		case 'x':
			if !q.warned || p.ask(&question{text: "Pin it as denied, despite the warning?", warned: true}, "", "yn") == 'y' {
				p.close(key, q)
			}
		case 'e':
			var each []*question
			for _, b := range q.blocks {
				each = append(each, &question{server: q.server, blocks: []*report.ReviewBlock{b}, order: q.order})
			}
			p.list = slices.Replace(p.list, i, i+1, each...)
		case 'b':
			last := len(p.done) - 1
			p.done[last].answer = 0
			p.done = p.done[:last]
		case 'w':
			return p.accepted(), nil
		default:
			if all, stays, err := p.leave(key == 'q'); !stays {
				return all, err
			}
		}
	}
}

// close records the answer to a question.
func (p *Prompter) close(answer byte, q *question) {
	q.answer = answer
	p.done = append(p.done, q)
}

// leave ends the review. If a person quits and agrees to write the answers so far, it returns them; at the end of the
// input, nobody can agree. stays means that the review continues.
func (p *Prompter) leave(quits bool) (all *approval.Answers, stays bool, err error) {
	all = p.accepted()
	n := len(all.AcceptedDigests) + len(all.AcceptedWarnings)
	key := byte(0)
	if quits && n > 0 && !p.m.PolicyChanged {
		key = p.ask(&question{text: "Write the " + text.FormatNumber(n) + " accepted?"}, "", "ynb")
	}
	if key == 'y' || key == 'b' {
		return all, key == 'b', nil
	}
	return nil, false, fail.New("left before the end; nothing was written").Hint("to go on: %s", p.again)
}

// position returns the number of a question among all: "(12 of 75, playwright 3 of 16)". If there are several servers,
// it also counts the questions about the same server.
func (p *Prompter) position(at int) string {
	said := text.FormatNumber(at+1) + " of " + text.FormatNumber(len(p.list))
	q := p.list[at]
	if p.m.HasSeveralServers && q.server != "" {
		isOther := func(other *question) bool { return other.server != q.server }
		own := slices.DeleteFunc(slices.Clone(p.list), isOther)
		said += ", " + q.server + " " + text.FormatNumber(slices.Index(own, q)+1) + " of " + text.FormatNumber(len(own))
	}
	return " (" + said + ")"
}

// accepted returns the approvals. Those of entries are bound to the digests of the definitions that were shown.
func (p *Prompter) accepted() *approval.Answers {
	a := approval.NewAnswers()
	for _, q := range p.list {
		if q.answer != 'y' && q.answer != 'x' {
			continue
		}
		for _, e := range q.entries() {
			a.AcceptedDigests[e.EntryRef] = e.ApprovalDigest
			if q.answer == 'x' && e.CanBeDenied {
				a.Denied[e.EntryRef] = true
			} else if len(q.blocks) == 1 {
				a.AcceptedIndividually[e.EntryRef] = true // the question mentioned that it was denied
			}
		}
		if q.yes != nil {
			q.yes(a)
		}
	}
	return a
}

// The order of the first questions: those asked before the shared changes are printed, then those about entries that
// have nothing but shared changes.
const (
	early = -1
	alike = 0
)

// questions lists the questions: about the whole review, about warnings, about sets of entries with the same shared
// changes, and about the remaining blocks in the order of diff.
func (p *Prompter) questions() {
	add := func(q *question) { p.list = append(p.list, q) }
	if p.m.PolicyChanged {
		add(&question{text: "Accept the changed policy?", order: early, needed: true, yes: func(a *approval.Answers) { a.AcceptsPolicies = true }})
	}
	if slices.ContainsFunc(p.m.CaptureFindings, func(f report.Finding) bool { return f.Warning }) {
		add(&question{text: "The capture as a whole has a warning. Go on?", order: early, needed: true, warned: true,
			yes: func(a *approval.Answers) { a.AcceptsCaptureWarnings = true }})
	}
	for _, f := range p.m.UnacceptedWarnings {
		asked := f.EntryName + " is pinned, and its text has a warning that nobody accepted: " + f.ID + ". Accept it?"
		add(&question{text: asked, server: text.QuoteName(f.Server), order: early, warned: true,
			yes: func(a *approval.Answers) { a.AcceptedWarnings[f.EntryWarning] = true }})
	}
	sets := map[string]*question{}
	servers := 0
	for i, b := range p.m.Blocks {
		if b.FirstOfServer {
			servers += 2
		}
		if b.HasRepeatedName { // a repeated name can't be accepted
			p.show(&question{blocks: []*report.ReviewBlock{b}, order: early})
			continue
		}
		q := &question{order: servers, warned: b.Warned}
		if i < p.m.WarnedBlockCount {
			q.order = early
		} else if !b.Warned {
			p.together(b, q)
		}
		q.server = p.m.Servers[b.Server].Name
		key := fmt.Sprintf("%d %q", b.Server, q.text)
		if same := sets[key]; same != nil && q.text != "" {
			q = same
		} else {
			sets[key] = q
			add(q)
		}
		q.blocks = append(q.blocks, b)
	}
	slices.SortStableFunc(p.list, func(a, b *question) int { return a.order - b.order })
}

// together sets the text of a question if it can cover several blocks: all blocks of a server without pins, those with
// nothing but the same shared changes, or all removals. The removal of a denied entry needs its own question, because
// without its pin the entry could come back undenied.
func (p *Prompter) together(b *report.ReviewBlock, q *question) {
	isDenied := func(e *report.Entry) bool { return e.Denied }
	switch {
	case p.NothingPinned:
		q.text, q.after = "Accept the ", " of server "+p.m.Servers[b.Server].Name+" shown above?"
		q.order++
	case b.HasNothingElse(nil):
		q.text, q.after = "Accept "+cmp.Or(b.SharedNumbers(nil), "the minor changes")+" in these ", "?"
		q.order = alike
	case b.Kind == string(pin.DriftRemoved) && !slices.ContainsFunc(b.Entries, isDenied):
		q.text, q.after = "Accept the removal of these ", "?"
		q.order++
	}
}

// show prints the subject of a question. Before the first question without a warning, it also prints the shared
// changes.
func (p *Prompter) show(q *question) {
	if q.order > early && !p.told {
		p.told = true
		p.t.WriteSharedChanges(p.m)
		p.t.WriteLateSharedChanges(p.m)
	}
	if q.order == alike && len(q.blocks) > 1 && !p.t.Full {
		p.t.WriteEntriesWithoutBlock(&report.Model{Blocks: q.blocks})
		if minor := report.CountMinor(q.blocks); minor != "" {
			p.t.WriteNotes("", "minor: "+minor)
		}
		return
	}
	for _, b := range q.blocks {
		p.t.WriteBlankLine()
		p.t.WriteBlock(p.m, b)
	}
	if len(q.blocks) > 1 {
		p.risks(q.entries())
	}
}

// canBeDenied reports whether a question is about one entry that can be kept from agents. If the entry was renamed, its
// block has two entries, and only the one with the new name can be denied.
func (q *question) canBeDenied() bool {
	return len(q.blocks) == 1 && slices.ContainsFunc(q.entries(), func(e *report.Entry) bool { return e.CanBeDenied })
}

// risks prints the names of the dangerous entries by the kind of danger, and the number of the other entries.
func (p *Prompter) risks(entries []*report.Entry) {
	named := map[string][]string{}
	others := 0
	for _, e := range entries {
		if e.BulkWarning == "" {
			others++
			continue
		}
		named[e.BulkWarning] = append(named[e.BulkWarning], e.DisplayName)
	}
	for _, kind := range slices.Sorted(maps.Keys(named)) {
		p.say("  " + kind + ": " + strings.Join(named[kind], ", ") + "\n")
	}
	if len(named) > 0 && others > 0 {
		p.say("  " + text.FormatCount(others, "other") + "\n")
	}
}

// answers are all possible answers, in the order in which they are offered.
var answers = []struct {
	key                byte
	word, shown, means string
}{
	{'y', "yes", "[y]es", "accept: pin what the server lists now"},
	{'n', "no", "[n]o", "keep the pin as it is; what is new stays unpinned"},
	{'e', "each", "[e]ach", "show each of these entries, and ask about it"},
	{'x', "x", "[x] deny", "pin it, but keep it from agents with a guard"},
	{'d', "definition", "[d]efinition", "show the whole definition"},
	{'b', "back", "[b]ack", "back to the previous question"},
	{'w', "write", "[w]rite and stop", "write what you accepted so far; the rest keeps its pins"},
	{'q', "quit", "[q]uit", "leave; what you accepted so far is written only after a yes"},
}

// keys are the answers to a question about entries.
const keys = "ynexdbwq"

// refusal returns why an answer can't be given to a question, or "".
func (p *Prompter) refusal(key byte, q *question) string {
	switch {
	case key == 'e' && len(q.blocks) < 2:
		return "there is one question here, and nothing to split"
	case key == 'x' && !q.canBeDenied():
		return "only one entry at a time can be denied, and only one that is listed"
	case key == 'd' && len(q.blocks) != 1:
		return "no single definition is shown here: e asks about each entry"
	case key == 'b' && len(p.done) == 0:
		return "this is the first question"
	case key == 'w' && p.m.PolicyChanged:
		return "a changed policy is accepted with everything or not at all"
	}
	return ""
}

// read prints a question and reads a line. It discards what was typed at a terminal before the question appeared. It
// returns false at the end of the input, or if the question can't be printed.
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

// ask repeats a question until the reply is one of the offered answers, and returns that answer, or 0 at the end of the
// input. where is printed after the question. 'd' shows the definitions and '?' the help, and the question is repeated.
// After any other reply, ask prints what to type.
func (p *Prompter) ask(q *question, where, offered string) byte {
	asked := q.asked() + where
	help := ""
	words := map[string]byte{} // what may be typed
	var expected []string
	for _, a := range answers {
		if strings.IndexByte(offered, a.key) < 0 {
			continue
		}
		key, shown, listed := string(a.key), a.shown, a.shown
		if a.key == 'y' && q.warned {
			key = a.word
			shown = "Type yes, or"
			listed = a.word
		}
		words[key] = a.key
		words[a.word] = a.key
		expected = append(expected, key)
		asked += " " + shown
		help += fmt.Sprintf("  %-23s  %s\n", listed, a.means)
	}
	for {
		reply, ok := p.read(asked + " [?]: ")
		if !ok {
			return 0
		}
		reply = strings.ToLower(reply)
		key := words[reply]
		refused := ""
		if offered == keys {
			refused = p.refusal(key, q)
		}
		switch {
		case refused != "":
			p.say(refused + "\n")
		case key == 'd':
			for _, e := range q.entries() {
				p.t.WriteDefinition(e)
			}
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

// say prints pinproof's own words, wrapped, on the stream of the questions, after flushing what was printed before. It
// keeps the first error.
func (p *Prompter) say(words string) {
	var said bytes.Buffer
	style := p.t.Style
	style.Width -= len(" yes") // room for an answer
	plain.New(&said, style).WriteNotes("", words)
	// An answer is typed on the question's line.
	end := words[len(strings.TrimRight(words, " \n")):]
	if p.err = cmp.Or(p.err, p.t.Flush()); p.err == nil {
		_, p.err = io.WriteString(p.out, strings.TrimRight(said.String(), " \n")+end)
	}
}
