package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pinproof/internal/jsontest"
)

// TestSaveReadsSkills: save asks for the skills of a server that declares them and reads their files, each
// once, within its bounds; pinproof locks what it saved. What the server refuses stays unread.
func TestSaveReadsSkills(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	large := strings.Repeat("a", 300<<10)
	entry := strings.Replace(jsontest.PDFSkill, `"resources":[`, `"resources":[`+jsontest.SkillFileEntry(jsontest.SkillFolder+"large.md", large)+`,`+jsontest.SkillFileEntry(jsontest.SkillFolder+"gone.md", "x")+`,`, 1)
	other := jsontest.SkillEntry("skill://acme/doc/", "doc", strings.ReplaceAll(jsontest.SkillMain, "name: pdf", "name: doc"))
	bodies := map[string]string{
		jsontest.SkillFolder + "SKILL.md":     jsontest.TextItem(jsontest.SkillFolder+"SKILL.md", jsontest.SkillMain),
		jsontest.SkillFolder + "scripts/a.py": jsontest.BlobItem(jsontest.SkillFolder+"scripts/a.py", jsontest.SkillScript),
		jsontest.SkillFolder + "logo.png":     jsontest.BlobItem(jsontest.SkillFolder+"logo.png", jsontest.SkillImage),
		"skill://acme/doc/SKILL.md":           jsontest.TextItem("skill://acme/doc/SKILL.md", strings.ReplaceAll(jsontest.SkillMain, "name: pdf", "name: doc")),
	}
	for _, declared := range []bool{true, false} {
		asked := map[string]int{}
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			var m struct {
				ID     json.RawMessage
				Method string
				Params struct{ URI, Cursor string }
			}
			json.NewDecoder(req.Body).Decode(&m)
			asked[strings.TrimSpace(m.Method+" "+m.Params.URI)]++
			w.Header().Set("Content-Type", "application/json")
			greeting := jsontest.SkillsInitializeResult
			if !declared {
				greeting = strings.Replace(jsontest.SkillsInitializeResult, "io.modelcontextprotocol/skills", "acme/other", 1)
			}
			result := map[string]string{"initialize": greeting, "tools/list": allTools,
				"skills/list":  `{"resultType":"complete","ttlMs":5,"skills":[` + entry + `],"nextCursor":"2"}`,
				"skills/list2": `{"resultType":"complete","ttlMs":5,"skills":[` + other + `]}`}[m.Method+m.Params.Cursor]
			if body := bodies[m.Params.URI]; body != "" {
				result = `{"contents":[` + body + `]}`
			}
			switch {
			case m.ID == nil:
				w.WriteHeader(http.StatusAccepted)
			case result != "":
				fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
			default:
				fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, m.ID)
			}
		}))
		defer server.Close()
		g := newGuarded(t)
		file := filepath.Join(g.folder, "acme.jsonl")
		code, out, stderr := capturing(t, "save", file, server.URL)
		if code != 0 {
			t.Fatal(stderr)
		}
		saved := read(t, file)
		if !declared {
			if asked["skills/list"] != 0 || strings.Contains(saved, "skills") {
				t.Errorf("asked %v", asked)
			}
			continue
		}
		if !strings.Contains(out, "2 skills") || !strings.Contains(saved, bodies[jsontest.SkillFolder+"SKILL.md"]) {
			t.Errorf("%s\n%s", out, saved)
		}
		for uri := range bodies {
			if asked["resources/read "+uri] != 1 {
				t.Errorf("%s: asked %d times", uri, asked["resources/read "+uri])
			}
		}
		if asked["resources/read "+jsontest.SkillFolder+"large.md"] != 0 || asked["resources/read "+jsontest.SkillFolder+"gone.md"] != 1 {
			t.Errorf("asked %v", asked)
		}
		programs, _ := pinproofHere()
		lock := exec.Command(filepath.Join(programs, "pinproof"), "lock", "acme.jsonl", "acme.lock", "--server", "acme")
		lock.Dir = g.folder
		if out, err := lock.CombinedOutput(); err == nil || strings.Count(string(out), "WARNING unread-file") != 3 {
			t.Errorf("%v\n%s", err, out)
		}
		g.pinproof(t, "lock", "acme.jsonl", "acme.lock", "--server", "acme", "--accept-warning", "skill="+jsontest.SkillFolder+"SKILL.md")
		g.pinproof(t, "verify", "acme.jsonl", "acme.lock")
	}
}
