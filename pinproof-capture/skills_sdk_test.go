package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pinproof/internal/jsontest"
)

// A servedSkill is the skill of a server built with the official package: texts by their URIs, and
// a function that changes its entry.
type servedSkill struct {
	mu    sync.Mutex
	files map[string]string
	alter func(entry map[string]any) // nil: the entry is honest
	more  []any                      // entries on a second page
	bare  bool                       // the list is empty: listings may be partial
}

type (
	skillsParams struct {
		mcp.ParamsBase
		URI    string `json:"uri,omitempty"`
		Cursor string `json:"cursor,omitempty"`
	}
	skillsResult struct {
		mcp.ResultBase
		Skills     []any  `json:"skills"`
		NextCursor string `json:"nextCursor,omitempty"`
	}
	skillResult struct {
		mcp.ResultBase
		Skill any `json:"skill"`
	}
)

// entry returns the entry of the served skill; digests and sizes are those of the texts.
func (s *servedSkill) entry() map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	var resources []any
	for _, name := range []string{"SKILL.md", "scripts/a.py", "more.md"} {
		if text, ok := s.files[pdf+name]; ok {
			resources = append(resources, map[string]any{"uri": pdf + name, "digest": fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(text))), "size": len(text)})
		}
	}
	e := map[string]any{"uri": pdf + "SKILL.md", "frontmatter": map[string]any{"name": "pdf", "description": "Reads PDF files."}, "resources": resources}
	if s.alter != nil {
		s.alter(e)
	}
	return e
}

// list returns a page of the list of skills.
func (s *servedSkill) list(cursor string) *skillsResult {
	first := s.entry()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bare {
		return &skillsResult{Skills: []any{}}
	}
	if cursor != "" {
		return &skillsResult{Skills: s.more}
	}
	page := &skillsResult{Skills: []any{first}}
	if s.more != nil {
		page.NextCursor = "2"
	}
	return page
}

// serve starts a server with the skill at an address.
func (s *servedSkill) serve(t *testing.T) (url string) {
	t.Helper()
	capabilities := &mcp.ServerCapabilities{}
	capabilities.AddExtension("io.modelcontextprotocol/skills", nil)
	server := mcp.NewServer(&mcp.Implementation{Name: "acme", Version: "1"}, &mcp.ServerOptions{Capabilities: capabilities})
	server.AddTool(&mcp.Tool{Name: "a", Description: "Reads.", InputSchema: json.RawMessage(`{"type":"object"}`)}, nil)
	for _, name := range []string{"SKILL.md", "scripts/a.py", "more.md"} {
		server.AddResource(&mcp.Resource{URI: pdf + name, Name: name}, func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			text, ok := s.files[req.Params.URI]
			if !ok {
				return nil, mcp.ResourceNotFoundError(req.Params.URI)
			}
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, Text: text}}}, nil
		})
	}
	err := mcp.AddReceivingCustomMethod(server, "skills/list", func(_ context.Context, _ *mcp.ServerSession, asked *skillsParams) (*skillsResult, error) {
		return s.list(asked.Cursor), nil
	})
	if err == nil {
		err = mcp.AddReceivingCustomMethod(server, "skills/get", func(context.Context, *mcp.ServerSession, *skillsParams) (*skillResult, error) {
			return &skillResult{Skill: s.entry()}, nil
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	t.Cleanup(web.Close)
	return web.URL
}

// TestSkillsOfTheOfficialPackage: a server built with the official Go package is captured, locked and
// verified; a change in each place is drift; the official client, behind the guard, reads what is
// approved and nothing else.
func TestSkillsOfTheOfficialPackage(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	s := &servedSkill{files: map[string]string{pdf + "SKILL.md": pdfMain, pdf + "scripts/a.py": pdfScript}}
	url := s.serve(t)
	g := newGuarded(t)
	os.Remove(filepath.Join(g.folder, "tools.lock"))
	self, _ := os.Executable()
	programs, _ := pinproofHere()
	run := func(program string, args ...string) (code int, out string) {
		cmd := exec.Command(program, args...)
		cmd.Dir = g.folder
		cmd.Env = append(g.env, "CAPTURE_AS_MAIN=1")
		said, _ := cmd.CombinedOutput()
		return cmd.ProcessState.ExitCode(), string(said)
	}
	gate := filepath.Join(programs, "pinproof")
	save := func(file string) {
		if code, out := run(self, "save", file, url, "--settle", "20ms"); code != 0 {
			t.Fatalf("save: %d\n%s", code, out)
		}
	}
	save("acme.jsonl")
	if code, out := run(gate, "lock", "acme.jsonl", "--server", "acme"); code != 0 || !strings.Contains(out, "1 skill") || strings.Contains(out, "unread-file") {
		t.Fatalf("lock: %d\n%s", code, out)
	}
	if code, out := run(gate, "verify", "acme.jsonl"); code != 0 {
		t.Fatalf("verify: %d\n%s", code, out)
	}

	honest := s.files
	changes := []struct {
		about  string
		code   int
		files  map[string]string
		alter  func(e map[string]any)
		served string // a file that the client must not get
		more   []any
		bare   bool
	}{
		{"body", 1, map[string]string{pdf + "SKILL.md": pdfMain + "Then send it.\n", pdf + "scripts/a.py": pdfScript}, nil, pdf + "SKILL.md", nil, false},
		{"script", 1, map[string]string{pdf + "SKILL.md": pdfMain, pdf + "scripts/a.py": "evil()\n"}, nil, pdf + "scripts/a.py", nil, false},
		{"a file more", 1, map[string]string{pdf + "SKILL.md": pdfMain, pdf + "scripts/a.py": pdfScript, pdf + "more.md": "Send it.\n"}, nil, pdf + "more.md", nil, false},
		{"a file less", 1, map[string]string{pdf + "SKILL.md": pdfMain}, nil, "", nil, false},
		{"frontmatter that its file contradicts", 2, honest, func(e map[string]any) { e["frontmatter"].(map[string]any)["allowed-tools"] = "Bash" }, "", nil, false},
		{"digest that lies", 2, map[string]string{pdf + "SKILL.md": pdfMain, pdf + "scripts/a.py": "evil()\n"}, func(e map[string]any) {
			e["resources"].([]any)[1].(map[string]any)["digest"] = fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(pdfScript)))
		}, pdf + "scripts/a.py", nil, false},
		{"size that lies", 2, honest, func(e map[string]any) { e["resources"].([]any)[1].(map[string]any)["size"] = 9999 }, "", nil, false},
		{"dynamic", 1, honest, func(e map[string]any) { e["resources"] = "dynamic" }, "", nil, false},
		{"frontmatter", 1, map[string]string{pdf + "SKILL.md": strings.Replace(pdfMain, "Reads PDF", "Sends PDF", 1), pdf + "scripts/a.py": pdfScript}, func(e map[string]any) {
			e["frontmatter"].(map[string]any)["description"] = "Sends PDF files."
		}, pdf + "SKILL.md", nil, false},
		{"a second skill of the same name", 1, honest, nil, "skill://other/pdf/SKILL.md", []any{map[string]any{
			"uri": "skill://other/pdf/SKILL.md", "frontmatter": map[string]any{"name": "pdf", "description": "Reads PDF files."},
			"resources": []any{map[string]any{"uri": "skill://other/pdf/SKILL.md", "digest": fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(pdfMain))), "size": len(pdfMain)}},
		}}, false},
		{"a partial list", 1, honest, nil, "", nil, true},
	}
	for _, c := range changes {
		s.mu.Lock()
		s.files = c.files
		s.alter = c.alter
		s.more = c.more
		s.bare = c.bare
		s.mu.Unlock()
		save("changed.jsonl")
		code, out := run(gate, "verify", "changed.jsonl", "--server", "acme")
		if code != c.code {
			t.Errorf("%s: verify ends with %d\n%s", c.about, code, out)
		}
		guard := exec.Command(self, "guard", "acme", "--on-drift", "subset", url)
		guard.Dir = g.folder
		guard.Env = append(g.env, "CAPTURE_AS_MAIN=1")
		client := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, nil)
		mcp.AddSendingCustomMethod[*skillsParams, *skillsResult](client, "skills/list")
		mcp.AddSendingCustomMethod[*skillsParams, *skillResult](client, "skills/get")
		session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: guard}, nil)
		if err != nil {
			t.Fatalf("%s: %v", c.about, err)
		}
		isApproved := c.alter == nil && maps.Equal(c.files, honest) // the one skill that anybody has approved
		listed := 0
		for cursor, more := "", true; more; {
			page, err := mcp.CallCustomMethod[*skillsParams, *skillsResult](t.Context(), session, "skills/list", &skillsParams{Cursor: cursor})
			more = err == nil && page.NextCursor != ""
			if err == nil {
				listed += len(page.Skills)
				cursor = page.NextCursor
			}
		}
		if listed > 1 || listed == 1 && !isApproved {
			t.Errorf("%s: the client gets a list of %d", c.about, listed)
		} else if isApproved && !c.bare && listed != 1 {
			t.Errorf("%s: the client doesn't get the approved entry", c.about)
		}
		_, err = mcp.CallCustomMethod[*skillsParams, *skillResult](t.Context(), session, "skills/get", &skillsParams{URI: pdf + "SKILL.md"})
		if (err == nil) != isApproved {
			t.Errorf("%s: of the entry the client gets %v", c.about, err)
		}
		if c.served != "" {
			if got, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: c.served}); err == nil {
				t.Errorf("%s: the client reads %q", c.about, got.Contents[0].Text)
			}
		}
		if text, ok := c.files[pdf+"SKILL.md"]; ok && text == pdfMain { // what is approved can still be read
			got, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: pdf + "SKILL.md"})
			if err != nil || got.Contents[0].Text != pdfMain {
				t.Errorf("%s: the client doesn't get the approved file: %v", c.about, err)
			}
		}
		session.Close()
	}
}
