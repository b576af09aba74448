package main

import (
	"crypto/sha256"
	"encoding/base64"
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

// A made skill has a SKILL.md, a script, and a picture that isn't text.
const (
	pdf       = "skill://acme/pdf/"
	pdfMain   = "---\nname: pdf\ndescription: Reads PDF files.\n---\nRun scripts/a.py with the file. Grüße!\n"
	pdfScript = "print('a')\n"
	pdfImage  = "\x89PNG\x00\xff"
	offers    = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{},"extensions":{"io.modelcontextprotocol/skills":{"directoryRead":true}}},"serverInfo":{"name":"acme","version":"1"}}`
)

func fileEntry(uri, body string) string {
	return fmt.Sprintf(`{"uri":%q,"digest":"sha256:%x","size":%d}`, uri, sha256.Sum256([]byte(body)), len(body))
}

// skillEntry is an entry of skills/list; more are further files of the skill.
func skillEntry(folder, name, main string, more ...string) string {
	files := append([]string{fileEntry(folder+"SKILL.md", main)}, more...)
	return fmt.Sprintf(`{"uri":%q,"frontmatter":{"name":%q,"description":"Reads PDF files."},"resources":[%s]}`, folder+"SKILL.md", name, strings.Join(files, ","))
}

var pdfEntry = skillEntry(pdf, "pdf", pdfMain, fileEntry(pdf+"scripts/a.py", pdfScript), fileEntry(pdf+"logo.png", pdfImage))

func textItem(uri, text string) string {
	spelled, _ := json.Marshal(text)
	return fmt.Sprintf(`{"uri":%q,"mimeType":"text/markdown","text":%s}`, uri, spelled)
}

func blobItem(uri, body string) string {
	return fmt.Sprintf(`{"uri":%q,"blob":%q}`, uri, base64.StdEncoding.EncodeToString([]byte(body)))
}

// TestSaveReadsSkills: save asks for the skills of a server that declares them and reads their files, each
// once, within its bounds; pinproof locks what it saved. What the server refuses stays unread.
func TestSaveReadsSkills(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	large := strings.Repeat("a", 300<<10)
	entry := strings.Replace(pdfEntry, `"resources":[`, `"resources":[`+fileEntry(pdf+"large.md", large)+`,`+fileEntry(pdf+"gone.md", "x")+`,`, 1)
	other := skillEntry("skill://acme/doc/", "doc", strings.ReplaceAll(pdfMain, "name: pdf", "name: doc"))
	bodies := map[string]string{
		pdf + "SKILL.md":            textItem(pdf+"SKILL.md", pdfMain),
		pdf + "scripts/a.py":        blobItem(pdf+"scripts/a.py", pdfScript),
		pdf + "logo.png":            blobItem(pdf+"logo.png", pdfImage),
		"skill://acme/doc/SKILL.md": textItem("skill://acme/doc/SKILL.md", strings.ReplaceAll(pdfMain, "name: pdf", "name: doc")),
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
			greeting := offers
			if !declared {
				greeting = strings.Replace(offers, "io.modelcontextprotocol/skills", "acme/other", 1)
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
		if !strings.Contains(out, "2 skills") || !strings.Contains(saved, bodies[pdf+"SKILL.md"]) {
			t.Errorf("%s\n%s", out, saved)
		}
		for uri := range bodies {
			if asked["resources/read "+uri] != 1 {
				t.Errorf("%s: asked %d times", uri, asked["resources/read "+uri])
			}
		}
		if asked["resources/read "+pdf+"large.md"] != 0 || asked["resources/read "+pdf+"gone.md"] != 1 {
			t.Errorf("asked %v", asked)
		}
		programs, _ := pinproofHere()
		lock := exec.Command(filepath.Join(programs, "pinproof"), "lock", "acme.jsonl", "acme.lock", "--server", "acme")
		lock.Dir = g.folder
		if out, err := lock.CombinedOutput(); err == nil || strings.Count(string(out), "WARNING unread-file") != 3 {
			t.Errorf("%v\n%s", err, out)
		}
		g.pinproof(t, "lock", "acme.jsonl", "acme.lock", "--server", "acme", "--accept-warning", "skill="+pdf+"SKILL.md")
		g.pinproof(t, "verify", "acme.jsonl", "acme.lock")
	}
}
