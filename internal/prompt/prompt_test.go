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

// review makes a review of three blocks: entries 0 and 1 changed alike, 2 has a new warning, 3 takes code.
func review() *report.Model {
	block := func(number int, ask, text string, warned bool, entries ...int) report.Block {
		lines := []layout.Line{{Sign: '+', Runs: []layout.Run{{Op: '+', Text: text}}}}
		return report.Block{Number: number, Entries: entries, Kind: "CHANGED", Title: ask, Ask: "Accept " + ask + "?", Warned: warned, Blocked: true,
			Rows: []report.Row{{Op: '!', Word: "wording", Lines: []report.Line{{Text: lines}}}}}
	}
	alike := block(1, "both", "Said by both.", false, 0, 1)
	alike.Each = []report.Block{block(1, "a", "Said by a.", false, 0), block(1, "b", "Said by b.", false, 1)}
	m := &report.Model{Failed: true, Servers: []report.Server{{Name: "s"}}, Blocks: []report.Block{alike, block(2, "c", "Said by c.", true, 2), block(3, "run", "Said by run.", false, 3)}}
	for _, name := range []string{"a", "b", "c", "run"} {
		m.Entries = append(m.Entries, report.Entry{Of: refOf(name), Accepts: "sha256:" + name, Short: name, Said: name, Now: &report.Definition{Text: []byte(`{"description":"Whole ` + name + `."}`)}})
	}
	m.Entries[3].Named = "takes code"
	return m
}

// refOf names an entry.
func refOf(name string) pin.Ref { return pin.Ref{Server: "s", Key: pin.Key{Name: name}} }

// acceptedOf returns the indexes of the accepted entries. Each yes has to be bound to the digest shown.
func acceptedOf(t *testing.T, m *report.Model, a *approval.Answers) (list []int) {
	t.Helper()
	if a == nil {
		return nil
	}
	for i := range m.Entries {
		digest, yes := a.Entries[m.Entries[i].Of]
		if yes {
			list = append(list, i)
		}
		if yes && digest != m.Entries[i].Accepts {
			t.Errorf("the yes to %s is bound to %s", m.Entries[i].Said, digest)
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
		{name: "each its answer", typed: typist{"y\nyes\nn\n"}, want: []int{0, 1, 2}, in: "Said by both. … (1 of 3) … Said by c. … Type yes, or … Said by run. … (3 of 3)"},
		{name: "a warning takes the whole word", typed: typist{"n\ny\nn\nn\n"}, in: "Accept c? … type yes, n, d, a, w, b, q or ?, then Enter … Accept c?"},
		{name: "typed ahead", typed: typist{"y\nyes\ny\n", "n\n", "n\n"}, drain: true, want: []int{0, 1}},
		{name: "a pipe is no typist", typed: typist{"y\nyes\ny\n"}, want: []int{0, 1, 2, 3}},
		{name: "all shows the rest first", typed: typist{"a\ny\nn\n"}, want: []int{0, 1, 3},
			in: "Said by both. … not shown yet: 1 entry, printed here first … Said by run. …   takes code: run\n  2 others\nAccept the 3 entries that are left without a warning? … Said by c."},
		{name: "all, then no", typed: typist{"a\nn\nn\nn\nn\n"}, in: "takes code: run … Accept both? … Accept c? … Accept run?"},
		{name: "all of one", typed: typist{"n\nn\na\ny\n"}, want: []int{3}, in: "Accept the 1 entry that is left without a warning?"},
		{name: "each alone", typed: typist{"e\ny\nn\nn\nn\n"}, want: []int{0}, in: "Said by a. … Accept a? (1 of 4) … Said by b. … Accept b? (2 of 4)"},
		{name: "a definition of several", typed: typist{"d\n2\nn\nn\nn\n"}, in: "1 a  2 b\nWhich of them? … Whole b. … Accept both?", without: "Whole a."},
		{name: "a definition of none", typed: typist{"d\n9\nn\nn\nn\n"}, in: "Which of them?", without: "Whole"},
		{name: "a definition of one", typed: typist{"n\nn\nd\nn\n"}, in: "Accept run? … Whole run. … Accept run?"},
		{name: "back", typed: typist{"y\nb\nn\nn\nn\n"}, in: "Accept both? … Accept c? … Accept both?"},
		{name: "write and stop", typed: typist{"y\nw\n"}, want: []int{0, 1}, without: "Accept run?"},
		{name: "quit, and write", typed: typist{"y\nq\ny\n"}, want: []int{0, 1}, in: "Write the 2 accepted?"},
		{name: "quit, and go on", typed: typist{"y\nq\nb\nn\nn\n"}, want: []int{0, 1}, in: "Write the 2 accepted? … Accept c?"},
		{name: "quit, and don't", typed: typist{"y\nq\nn\n"}, left: true},
		{name: "quit with nothing", typed: typist{"n\nq\n"}, left: true, without: "Write the"},
		{name: "the input ends", typed: typist{"y\n"}, left: true, without: "Write the"},
		{name: "no answer", typed: typist{"\nwhat\nn\nn\nn\n"}, in: "type y, n, e, d, a, w, q or ?, then Enter\n … type y, n"},
		{name: "help", typed: typist{"?\nn\nn\nn\n"}, in: "[y]es  … accept: pin what the server lists now"},
		{name: "once a server", first: true, typed: typist{"yes\ny\n"}, want: []int{0, 1, 2, 3},
			in: "Said by c. … Accept c? (1 of 2) … Said by both. … Said by run. …   takes code: run\n  2 others\nAccept the 3 entries of server s shown above? (2 of 2) [y]es [n]o [e]ach [b]ack [q]uit"},
		{name: "a yes to a server is none to its warning", first: true, typed: typist{"y\nn\ny\n"}, want: []int{0, 1, 3}, in: "type yes, n,"},
		{name: "a no to a server", first: true, typed: typist{"yes\nn\n"}, want: []int{2}},
		{name: "each of a server", first: true, typed: typist{"n\ne\nn\ny\n"}, want: []int{3}, in: "(2 of 2) … Said by both. … Accept both? (2 of 3) … Said by run. … Accept run? (3 of 3)"},
		{name: "each of each", first: true, typed: typist{"n\ne\ne\ny\nn\nn\n"}, want: []int{0}, in: "Said by a. … Accept a? (2 of 4)"},
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
				p.First()
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

// TestReadFirst: each entry that the head names under "read first" is asked about by itself, before the person can
// accept all that is left.
func TestReadFirst(t *testing.T) {
	for _, test := range []struct {
		name  string
		typed typist
		much  bool // the head names what to read first
		want  []int
		in    []string // what is printed, in this order
	}{
		{"each of these first", typist{"a\nn\ny\nn\n"}, true, []int{0, 1}, []string{
			"Said by both.", "to read first:\n", "Said by run.", "Accept run? (1 of 1 to read first) [y]es [n]o [d]efinition [b]ack", "Accept the 2 entries that are left without a warning?", "Accept c?"}},
		{"a yes to it", typist{"a\ny\nn\nn\nn\n"}, true, []int{3}, []string{"Accept run? (1 of 1 to read first)", "Accept the 2 entries", "Accept both?", "Accept c?"}},
		{"back", typist{"a\nb\nn\nn\nn\n"}, true, nil, []string{"Accept run? (1 of 1 to read first)", "Accept both?", "Accept c?", "Accept run? (3 of 3)"}},
		{"it was answered", typist{"n\nn\ny\n"}, true, []int{3}, []string{"Accept run? (3 of 3)"}},
		{"the head names none", typist{"a\ny\nn\n"}, false, []int{0, 1, 3}, []string{"not shown yet: 1 entry", "Said by run.", "Accept the 3 entries", "Accept c?"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			m := review()
			m.MuchToRead = test.much
			m.ReadFirst = []report.ReadFirst{{Block: 3, Entry: "run"}, {Block: 2, Entry: "c"}}
			chosen, err := New(&test.typed, &out, plain.New(&out, plain.Style{Width: 1000}), m, "pinproof relock live.json", nil).Review()
			if got := acceptedOf(t, m, chosen); err != nil || !slices.Equal(got, test.want) {
				t.Errorf("accepted %v, error %v; want %v", got, err, test.want)
			}
			rest := out.String()
			for _, part := range test.in {
				_, after, found := strings.Cut(rest, part)
				if !found {
					t.Fatalf("%q isn't printed at its place:\n%s", part, out.String())
				}
				rest = after
			}
		})
	}
}

// TestUnseen: what can't be shown isn't accepted.
func TestUnseen(t *testing.T) {
	typed := typist{"y\nyes\ny\n"}
	chosen, err := New(&typed, io.Discard, plain.New(broken{}, plain.Style{}), review(), "", nil).Review()
	if err != io.ErrClosedPipe || chosen != nil {
		t.Error(chosen, err)
	}
	typed = typist{"y\nyes\ny\n"}
	chosen, err = New(&typed, broken{}, plain.New(io.Discard, plain.Style{}), review(), "", nil).Review()
	if err != io.ErrClosedPipe || chosen != nil {
		t.Error(chosen, err)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
