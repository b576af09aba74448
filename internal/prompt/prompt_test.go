package prompt

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"pinproof/internal/approval"
	"pinproof/internal/jsontest"
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

// review makes a review: entry 2 has a new warning, 0 and 1 have nothing but a shared change, 3 takes code and has that
// change, too, and 4 and 5 are gone.
func review() *report.Model {
	lines := func(text string) []report.DefinitionLine {
		return []report.DefinitionLine{{Text: []layout.Line{{Sign: '+', Runs: []layout.Run{{Op: '+', Text: text}}}}}}
	}
	var m report.Model
	block := func(name, kind string, warned bool, rows ...report.Row) {
		e := &report.Entry{EntryRef: refOf(name), ApprovalDigest: "sha256:" + name, ShortName: name, DisplayName: name, CanBeDenied: kind != "REMOVED",
			Captured: &report.Definition{Text: []byte(`{"description":"Whole ` + name + `."}`)}}
		m.Entries = append(m.Entries, e)
		m.Blocks = append(m.Blocks, &report.ReviewBlock{Number: len(m.Entries) + 1, Entries: []*report.Entry{e}, Kind: kind, Title: name, Names: []string{name},
			Question: "Accept " + name + "?", Warned: warned, Blocked: true, Rows: rows})
	}
	own := func(name string) report.Row {
		return report.Row{Op: '!', Word: "wording", Lines: lines("Said by " + name + ".")}
	}
	shared := report.Row{Op: '!', Word: "wording", DefinitionLine: report.DefinitionLine{SharedNumber: 2}, Lines: lines("Said by several.")}
	block("a", "CHANGED", false, shared)
	block("b", "CHANGED", false, shared)
	block("c", "CHANGED", true, own("c"))
	block("run", "CHANGED", false, shared, own("run"))
	block("old", "REMOVED", false, own("old"))
	block("older", "REMOVED", false, own("older"))
	m.Entries[3].BulkWarning = "takes code"
	m.Blocks[0], m.Blocks[1], m.Blocks[2] = m.Blocks[2], m.Blocks[0], m.Blocks[1]
	m.Failed = true
	m.WarnedBlockCount = 1
	m.Servers = []report.Server{{Name: "s"}}
	m.Shared = []*report.SharedChanges{{Number: 2, Count: "3 tools", Rows: []report.Row{{Op: '!', Word: "wording", Lines: lines("Said by several.")}}}}
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
		digest, yes := a.AcceptedDigests[e.EntryRef]
		if yes {
			list = append(list, i)
		}
		if yes && digest != e.ApprovalDigest {
			t.Errorf("the yes to %s is bound to %s", e.DisplayName, digest)
		}
	}
	return list
}

// TestReview has the reviews in testdata/reviews.txt.
func TestReview(t *testing.T) {
	for _, row := range jsontest.ReadRows(t, "testdata/reviews.txt", 6) {
		t.Run(row[0], func(t *testing.T) {
			var out bytes.Buffer
			var drain func()
			if row[1] == "drained" {
				drain = func() {}
			}
			m := review()
			typed := typist(strings.Split(row[2], "|"))
			p := New(&typed, &out, plain.New(&out, plain.Style{Width: 1000}), m, "pinproof relock live.json", drain)
			if row[1] == "first" {
				p.NothingPinned = true
			}
			chosen, err := p.Review()
			got := fmt.Sprint(acceptedOf(t, m, chosen))
			if err != nil {
				got += " left"
			}
			if got != row[3] {
				t.Errorf("accepted %s, error %v; want %s", got, err, row[3])
			}
			rest, found := out.String(), true
			for part := range strings.SplitSeq(row[4], " … ") {
				if _, rest, found = strings.Cut(rest, part); !found {
					t.Errorf("%q isn't printed at its place:\n%s", part, out.String())
					break
				}
			}
			if row[5] != "" && strings.Contains(out.String(), row[5]) {
				t.Errorf("%q is printed:\n%s", row[5], out.String())
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
