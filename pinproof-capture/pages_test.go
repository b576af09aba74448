package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pinproof/internal/jsontest"
)

const (
	mapPage  = `{"uri":"ui://acme/map.html","name":"map","_meta":{"ui":{"csp":{"connectDomains":["https://maps.acme.test"]}}}}`
	mapWider = `{"uri":"ui://acme/map.html","name":"map","_meta":{"ui":{"csp":{"connectDomains":["https://maps.acme.test","https://evil.test"]}}}}`
	mapTool  = `{"name":"show_map","description":"Shows a map.","inputSchema":{"type":"object","properties":{}},"_meta":{"ui":{"resourceUri":"ui://acme/map.html"}}}`
	ofNotes  = `{"uri":"file:///notes.txt","name":"notes"}`
)

// TestGuardPages: the guard judges the entries of pages, and no other resource.
func TestGuardPages(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	g := newGuarded(t)
	if err := os.Remove(filepath.Join(g.folder, "tools.lock")); err != nil {
		t.Fatal(err)
	}
	greeting := `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{}},"serverInfo":{"name":"acme","version":"1"}}`
	capture := ""
	for i, result := range []string{greeting, `{"tools":[` + mapTool + `]}`, `{"resources":[` + mapPage + `,` + ofNotes + `]}`} {
		capture += fmt.Sprintf("{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":%s}\n", i+1, result)
	}
	if err := os.WriteFile(filepath.Join(g.folder, "files.jsonl"), []byte(capture), 0o644); err != nil {
		t.Fatal(err)
	}
	g.pinproof(t, "lock", "files.jsonl")
	for _, c := range []struct {
		result string
		passes bool
	}{
		{`{"resources":[` + mapPage + `,` + ofNotes + `]}`, true},
		{`{"resources":[{"uri":"file:///other.txt","name":"other"}]}`, true},
		{`{"resources":[]}`, true},
		{`{"resources":[` + mapWider + `]}`, false},
		{`{"resources":[` + mapPage + `,` + mapPage + `]}`, false},
		{`{"resources":[` + ofNotes + `,{"uri":"ui://acme/chart.html","name":"chart"}]}`, false},
		{`{"resources":[{"uri":"UI://acme/chart.html","name":"chart"}]}`, false},
		{`{"Resources":[` + mapWider + `]}`, false},
	} {
		t.Run(c.result, func(t *testing.T) {
			t.Parallel()
			p, s := g.puppet(t)
			p.send(`{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{}}`)
			s.hears()
			s.answers(1, c.result)
			if got := p.answer(1); strings.Contains(got, blockedCode) == c.passes {
				t.Errorf("the client gets %s", got)
			}
			p.end()
		})
	}
	for _, c := range []struct{ result, want string }{
		{`{"resources":[` + mapWider + `,` + ofNotes + `]}`, `"result":{"resources":[` + ofNotes + `]}`},
		{`{"resources":[` + mapWider + `]}`, "nothing is left of this list"},
	} {
		p, s := g.puppet(t, "--on-drift", "subset")
		p.send(`{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{}}`)
		s.hears()
		s.answers(1, c.result)
		if got := p.answer(1); !strings.Contains(got, c.want) {
			t.Errorf("of a subset of %s the client gets %s", c.result, got)
		}
		p.end()
	}
}
