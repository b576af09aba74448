package prompt

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"pinproof/internal/approval"
	"pinproof/internal/layout"
	"pinproof/internal/pin"
	"pinproof/internal/report"
	"pinproof/internal/report/plain"
)

// A typist types one chunk whenever somebody waits for input.
type typist []string

func (chunks *typist) Read(b []byte) (int, error) {
	if len(*chunks) == 0 {
		return 0, io.EOF
	}
	n := copy(b, (*chunks)[0])
	*chunks = (*chunks)[1:]
	return n, nil
}

// review makes a review: entry 2 has a new warning, 0 and 1 have nothing but a shared change, 3 takes code and has that change,
// too, and 4 and 5 are gone.
func review() *report.Model {
	lines := func(text string) []report.Line {
		return []report.Line{{Text: []layout.Line{{Sign: '+', Runs: []layout.Run{{Op: '+', Text: text}}}}}}
	}
	var m report.Model
	block := func(name, kind string, warned bool, rows ...report.Row) {
		e := &report.Entry{Of: refOf(name), Accepts: "sha256:" + name, Short: name, Said: name, CanBeDenied: kind != "REMOVED",
			Now: &report.Definition{Text: []byte(`{"description":"Whole ` + name + `."}`)}}
		m.Entries = append(m.Entries, e)
		m.Blocks = append(m.Blocks, &report.Block{Number: len(m.Entries) + 1, Entries: []*report.Entry{e}, Kind: kind, Title: name, Names: []string{name},
			Ask: "Accept " + name + "?", Warned: warned, Blocked: true, Rows: rows})
	}
	own := func(name string) report.Row {
		return report.Row{Op: '!', Word: "wording", Lines: lines("Said by " + name + ".")}
	}
	shared := report.Row{Op: '!', Word: "wording", Line: report.Line{Shared: 2}, Lines: lines("Said by several.")}
	block("a", "CHANGED", false, shared)
	block("b", "CHANGED", false, shared)
	block("c", "CHANGED", true, own("c"))
	block("run", "CHANGED", false, shared, own("run"))
	block("old", "REMOVED", false, own("old"))
	block("older", "REMOVED", false, own("older"))
	m.Entries[3].Named = "takes code"
	m.Blocks[0], m.Blocks[1], m.Blocks[2] = m.Blocks[2], m.Blocks[0], m.Blocks[1]
	m.Failed = true
	m.Warned = 1
	m.Servers = []report.Server{{Name: "s"}}
	m.Shared = []*report.Shared{{Number: 2, Count: "3 tools", Rows: []report.Row{{Op: '!', Word: "wording", Lines: lines("Said by several.")}}}}
	return &m
}

// refOf names an entry.
func refOf(name string) pin.Ref { return pin.Ref{Server: "s", Key: pin.Key{Name: name}} }

// acceptedOf returns the indexes of the accepted entries. Each yes has to be bound to the digest shown.
func acceptedOf(t *testing.T, m *report.Model, a *approval.Answers) (list []int) {
	t.Helper()
	if a == nil {
		return nil
	}
	for i, e := range m.Entries {
		digest, yes := a.Entries[e.Of]
		if yes {
			list = append(list, i)
		}
		if yes && digest != e.Accepts {
			t.Errorf("the yes to %s is bound to %s", e.Said, digest)
		}
	}
	return list
}

func TestReview(t *testing.T) {
	for _, test := range []struct {
		name    string
		typed   typist
		drain   bool
		first   bool   // nothing is pinned yet
		want    []int  // accepted entries
		left    bool   // the review ended without an answer
		in      string // what is printed, in this order, parts between " … "
		without string // and what isn't
	}{
		{name: "each its answer", typed: typist{"yes\ny\nn\ny\n"}, want: []int{0, 1, 2, 4, 5},
			in: "Said by c. … Accept c? (1 of 4) Type yes, or … in several: … Said by several. … nothing else than 2: a, b\nAccept 2 in these 2 entries? (2 of 4) [y]es [n]o [e]ach [x] deny [d]efinition [b]ack [w]rite and stop [q]uit [?]: … CHANGED run  (2) … Said by run. … Accept run? (3 of 4) … REMOVED older … Accept the removal of these 2 entries? (4 of 4)"},
		{name: "a warning takes the whole word", typed: typist{"y\nn\nn\nn\nn\n"}, in: "Accept c? … type yes, n, e, x, d, b, w, q or ?, then Enter … Accept c?"},
		{name: "typed ahead", typed: typist{"yes\ny\ny\n", "n\n", "n\n", "n\n"}, drain: true, want: []int{2}},
		{name: "a pipe is no typist", typed: typist{"yes\ny\ny\ny\n"}, want: []int{0, 1, 2, 3, 4, 5}},
		{name: "each alone", typed: typist{"n\ne\ny\nn\nn\nn\n"}, want: []int{0}, in: "CHANGED a  (2)\nAccept a? (2 of 5) … Accept b? (3 of 5)"},
		{name: "each of what is gone", typed: typist{"n\nn\nn\ne\nn\ny\n"}, want: []int{5}, in: "Accept old? (4 of 5) … Accept older? (5 of 5)"},
		{name: "nothing to split", typed: typist{"e\nn\nn\nn\nn\n"}, in: "there is one question here, and nothing to split … Accept c?"},
		{name: "denied", typed: typist{"n\nx\nn\nx\nn\n"}, want: []int{3}, in: "only one entry at a time can be denied"},
		{name: "a definition of several", typed: typist{"n\nd\nn\nn\nn\n"}, in: "e asks about each entry … Accept 2 in", without: "Whole"},
		{name: "a definition of one", typed: typist{"n\nn\nd\nn\nn\n"}, in: "Accept run? … Whole run. … Accept run?"},
		{name: "back", typed: typist{"yes\nb\nn\nn\nn\nn\n"}, in: "Accept c? … Accept 2 in … Accept c?"},
		{name: "nothing to go back to", typed: typist{"b\nn\nn\nn\nn\n"}, in: "this is the first question … Accept c?"},
		{name: "write and stop", typed: typist{"n\ny\nw\n"}, want: []int{0, 1}, without: "older?"},
		{name: "quit, and write", typed: typist{"n\ny\nq\ny\n"}, want: []int{0, 1}, in: "Write the 2 accepted? [y]es [n]o [b]ack [?]: "},
		{name: "quit, and go on", typed: typist{"n\ny\nq\nb\nn\nn\n"}, want: []int{0, 1}, in: "Write the 2 accepted? … Accept run?"},
		{name: "quit, and don't", typed: typist{"n\ny\nq\nn\n"}, left: true},
		{name: "quit with nothing", typed: typist{"n\nq\n"}, left: true, without: "Write the"},
		{name: "the input ends", typed: typist{"n\ny\n"}, left: true, without: "Write the"},
		{name: "no answer", typed: typist{"n\n\nwhat\nn\nn\nn\n"}, in: "type y, n, e, x, d, b, w, q or ?, then Enter\n … type y, n"},
		{name: "help", typed: typist{"?\nn\nn\nn\nn\n"}, in: "yes  … accept: pin what the server lists now"},
		{name: "once a server", first: true, typed: typist{"yes\ny\n"}, want: []int{0, 1, 2, 3, 4, 5},
			in: "Said by c. … Accept c? (1 of 2) … in several: … Said by run. …   takes code: run\n  4 others\nAccept the 5 entries of server s shown above? (2 of 2)"},
		{name: "a yes to a server is none to its warning", first: true, typed: typist{"y\nn\ny\n"}, want: []int{0, 1, 3, 4, 5}, in: "type yes, n,"},
		{name: "a no to a server", first: true, typed: typist{"yes\nn\n"}, want: []int{2}},
		{name: "each of a server", first: true, typed: typist{"n\ne\nn\nn\ny\nn\nn\n"}, want: []int{3}, in: "(2 of 2) … Accept a? (2 of 6) … Accept run? (4 of 6)"},
		{name: "a server, and back", first: true, typed: typist{"n\nb\nyes\nn\n"}, want: []int{2}},
		{name: "the input ends at a server", first: true, typed: typist{"yes\n"}, left: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			var drain func()
			if test.drain {
				drain = func() {}
			}
			m := review()
			p := New(&test.typed, &out, plain.New(&out, plain.Style{Width: 1000}), m, "pinproof relock live.json", drain)
			if test.first {
				p.First = true
			}
			chosen, err := p.Review()
			if got := acceptedOf(t, m, chosen); (err != nil) != test.left || !slices.Equal(got, test.want) {
				t.Errorf("accepted %v, error %v; want %v", got, err, test.want)
			}
			rest, found := out.String(), true
			for part := range strings.SplitSeq(test.in, " … ") {
				if _, rest, found = strings.Cut(rest, part); !found {
					t.Errorf("%q isn't printed at its place:\n%s", part, out.String())
					break
				}
			}
			if test.without != "" && strings.Contains(out.String(), test.without) {
				t.Errorf("%q is printed:\n%s", test.without, out.String())
			}
		})
	}
}

// TestUnseen: what can't be shown isn't accepted.
func TestUnseen(t *testing.T) {
	typed := typist{"yes\ny\ny\ny\n"}
	chosen, err := New(&typed, io.Discard, plain.New(broken{}, plain.Style{}), review(), "", nil).Review()
	if err != io.ErrClosedPipe || chosen != nil {
		t.Error(chosen, err)
	}
	typed = typist{"yes\ny\ny\ny\n"}
	chosen, err = New(&typed, broken{}, plain.New(io.Discard, plain.Style{}), review(), "", nil).Review()
	if err != io.ErrClosedPipe || chosen != nil {
		t.Error(chosen, err)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
