package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGuardListChanged: the guard asks for a list that has changed before the next call, by
// itself. The client sees nothing of that, and the server no call of what isn't listed any more.
func TestGuardListChanged(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	const called, wentGone, notGiven = "called ", "no longer lists tool ", "did not give the new one"
	for part, want := range map[string]struct{ b, c string }{
		"the same after list_changed":   {called, called},
		"pages after list_changed":      {called, called},
		"less after list_changed":       {called, wentGone},
		"twice after list_changed":      {called, called},
		"an error after list_changed":   {notGiven, notGiven},
		"no list after list_changed":    {notGiven, notGiven},
		"a circle after list_changed":   {notGiven, notGiven},
		"asks back after list_changed":  {called, called},
		"in a batch after list_changed": {blockedCode, ""},
		"after list_changed":            {blockedCode, ""},
	} {
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			record := filepath.Join(t.TempDir(), "record")
			p := g.start(t, nil, part, record)
			p.ask(1, "tools/list", "{}")
			p.ask(2, "tools/call", `{"name":"a"}`)
			p.send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"b"}}`)
			if strings.HasPrefix(part, "asks back") {
				for line := range p.lines {
					if strings.Contains(line, "roots/list") {
						break
					}
				}
				p.send(`{"jsonrpc":"2.0","id":"x","result":{"roots":[]}}`)
			}
			b := p.answer(3)
			c := p.ask(4, "tools/call", `{"name":"c"}`)
			code, all := p.end()
			if !strings.Contains(b, want.b) || !strings.Contains(c, want.c) || strings.Contains(all, "EVIL") {
				t.Errorf("b: %sc: %s%s", b, c, &p.stderr)
			}
			if strings.Contains(all, `"id":"pinproof-`) || strings.Count(all, `"tools":`) > strings.Count(all, `"id":1,`) {
				t.Errorf("the client got what the guard asked for:\n%s", all)
			}
			if wantCode := map[bool]int{true: 2}[want.c == ""]; code != wantCode {
				t.Errorf("code %d\n%s", code, &p.stderr)
			}
			got := read(t, record)
			if strings.Contains(got, `{"name":"b"}`) != (want.b == called) || strings.Contains(got, `{"name":"c"}`) != (want.c == called) {
				t.Errorf("the server got\n%s", got)
			}
		})
	}
}

// TestGuardWaitsForList: a call that waits for its list can be cancelled, and is answered after
// the end of the client's input.
func TestGuardWaitsForList(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	record := filepath.Join(t.TempDir(), "record")
	p := g.start(t, nil, "silent after list_changed", record)
	p.ask(1, "tools/call", `{"name":"a"}`)
	p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"b"}}`)
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
	p.ask(3, "ping", "{}")
	if code, all := p.end(); code != 0 || strings.Contains(all, `"id":2,`) || strings.Contains(read(t, record), `{"name":"b"}`) {
		t.Errorf("cancelled: code %d\n%s\n%s", code, all, &p.stderr)
	}
	os.Remove(record)
	p = g.start(t, nil, "the same after list_changed", record)
	p.ask(1, "tools/call", `{"name":"a"}`)
	p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"b"}}`)
	if code, all := p.end(); code != 0 || !strings.Contains(all, "called b") {
		t.Errorf("at the end of the input: code %d\n%s\n%s", code, all, &p.stderr)
	}
}
