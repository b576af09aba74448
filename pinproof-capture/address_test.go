package main

import (
	"bytes"
	"context"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pinproof/internal/jsontest"
)

// TestSSECut: if a stream of the old transport is cut, it is opened again, and a new session begins with the client's
// own initialize. A call in flight gets an error and is never repeated; a later call is judged by the new lists.
func TestSSECut(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	g := newGuarded(t)
	for _, part := range []string{"good", "the first asking"} {
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			s := newPlaying(t, "good", asOld)
			p := g.web(t, s)
			s.turn(func(w http.ResponseWriter, req *http.Request, body []byte) bool {
				if !bytes.Contains(body, []byte(`"id":7,`)) {
					return false
				}
				s.mu.Lock()
				s.part = part
				s.mu.Unlock()
				w.WriteHeader(http.StatusAccepted)
				go s.CloseClientConnections()
				return true
			})
			if got := p.ask(7, "tools/call", `{"name":"a"}`); !strings.Contains(got, `"error":{"code":-32091,"message":"pinproof: `) {
				t.Errorf("the call in flight: %s\n%s", got, &p.stderr)
			}
			got := p.ask(8, "tools/call", `{"name":"a"}`)
			code, all := p.end()
			calls := 0
			for _, body := range s.bodies() {
				if strings.Contains(body, `"id":7,`) {
					calls++
				}
			}
			if calls != 1 || s.count() != 2 || strings.Count(all, `"id":7,`) != 1 || strings.Count(all, "serverInfo") != 1 || strings.Contains(all, "EVIL") ||
				!strings.Contains(p.stderr.String(), "its session is over, and a new one begins") {
				t.Errorf("%d calls, %d sessions\n%s\n%s", calls, s.count(), all, &p.stderr)
			}
			methods := s.since(4)
			if part == "good" {
				want := []string{"initialize", "notifications/initialized", "tools/list", "tools/call"}
				if code != 0 || !strings.Contains(got, "called a") || !slices.Equal(methods, want) {
					t.Errorf("code %d, the server got %q: %s\n%s", code, methods, got, &p.stderr)
				}
			} else if code != 2 || !strings.Contains(got, blockedCode) || slices.Contains(methods, "tools/call") {
				t.Errorf("code %d, the server got %q: %s\n%s", code, methods, got, &p.stderr)
			}
		})
	}
}

// TestSSEGone: if a server of the old transport doesn't come back, requests get errors, and the
// client can still end the session.
func TestSSEGone(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it waits seconds for a server that is gone")
	s := newPlaying(t, "good", asOld)
	p := newGuarded(t).web(t, s)
	s.turn(func(w http.ResponseWriter, req *http.Request, body []byte) bool {
		http.Error(w, "gone", http.StatusBadGateway)
		return true
	})
	s.CloseClientConnections()
	p.send(`{"jsonrpc":"2.0","id":3,"method":"ping"}`)
	begin := time.Now()
	if code, _ := p.end(); code == 1 || time.Since(begin) > 50*time.Second {
		t.Errorf("code %d after %v\n%s", code, time.Since(begin), &p.stderr)
	}
}

// TestStandsEarly: the standalone stream is opened before the server is told that the client is initialized,
// even if the server is slow to open it. If the server refuses it until then, it is asked for once more.
func TestStandsEarly(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	g := newGuarded(t)
	for _, way := range []string{"slow", "refused"} {
		s := newPlaying(t, "good", asEvents)
		order := make(chan string, 100)
		s.turn(func(w http.ResponseWriter, req *http.Request, body []byte) bool {
			switch {
			case bytes.Contains(body, []byte("notifications/initialized")):
				order <- "initialized"
			case req.Method == http.MethodGet && way == "slow":
				time.Sleep(300 * time.Millisecond)
				order <- "stream"
			case req.Method == http.MethodGet:
				order <- "stream"
				if len(order) == 1 {
					http.Error(w, "not yet", http.StatusBadRequest)
					return true
				}
			}
			return false
		})
		p := g.web(t, s)
		<-s.listens // in the end, the stream is open
		p.end()
		got := []string{<-order, <-order}
		if !slices.Equal(got, []string{"stream", "initialized"}) || way == "refused" && <-order != "stream" {
			t.Errorf("%s: %q", way, got)
		}
	}
}

// TestNotesOfTheOfficialPackage: what a server of the official package says as soon as the client is initialized reaches
// the client through the guard.
func TestNotesOfTheOfficialPackage(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	g := newGuarded(t)
	server := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, &mcp.ServerOptions{
		Instructions: "Use the tools.",
		InitializedHandler: func(ctx context.Context, req *mcp.InitializedRequest) {
			for i := range 4 {
				req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: "t", Message: fmt.Sprint("note ", i)})
			}
		},
	})
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	p := g.startWeb(t, web.URL, "--on-drift=warn")
	p.ask(1, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`)
	p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	p.ask(2, "ping", "{}")
	time.Sleep(time.Second / 2)
	if _, all := p.end(); strings.Count(all, "note ") != 4 {
		t.Errorf("%s\n%s", all, &p.stderr)
	}
}

// TestProbe: if a server refuses server/discover, that alone is no sign of an older transport.
func TestProbe(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	g := newGuarded(t)
	for method, isHinted := range map[string]bool{"server/discover": false, "initialize": true} {
		for _, code := range []int{http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotAcceptable} {
			s := newPlaying(t, "good", asJSON)
			s.turn(func(w http.ResponseWriter, req *http.Request, body []byte) bool {
				http.Error(w, "no", code)
				return true
			})
			p := g.startWeb(t, s.URL)
			p.ask(1, method, `{"_meta":{"io.modelcontextprotocol/protocolVersion":"`+map[bool]string{false: "2026-07-28", true: ""}[isHinted]+`"}}`)
			p.end()
			if strings.Contains(p.stderr.String(), "--sse") != isHinted || !strings.Contains(p.stderr.String(), fmt.Sprint(code)) {
				t.Errorf("%s, %d: %s", method, code, &p.stderr)
			}
		}
	}
}

// TestCharsets: JSON is read by its bytes even if the header says ISO-8859-1. Any other charset but
// UTF-8 is refused. The charset of a refusal doesn't matter.
func TestCharsets(t *testing.T) {
	t.Parallel()
	for kind, isRead := range map[string]bool{
		"application/json; charset=ISO-8859-1":   true,
		`application/json; charset="iso-8859-1"`: true,
		"application/json; charset=utf-16":       false,
		"application/json; charset=utf-7":        false,
		"text/event-stream; charset=iso-8859-1":  false,
	} {
		server := newStandInHTTP(t, "2025-11-25", "one tool", strings.HasPrefix(kind, "text"))
		header := func(w http.ResponseWriter, req *http.Request) {
			if req.Method == http.MethodGet {
				w.Header().Set("Content-Type", "text/html; charset=iso-8859-1")
				w.WriteHeader(http.StatusMethodNotAllowed)
				return
			}
			recorded := httptest.NewRecorder()
			server.ServeHTTP(recorded, req)
			for name, values := range recorded.Header() {
				w.Header()[name] = values
			}
			if recorded.Body.Len() > 0 {
				w.Header().Set("Content-Type", kind)
			}
			w.WriteHeader(recorded.Code)
			io.Copy(w, recorded.Body)
		}
		proxy := httptest.NewServer(http.HandlerFunc(header))
		defer proxy.Close()
		file := filepath.Join(t.TempDir(), "s.jsonl")
		code, _, stderr := capturing(t, "save", file, proxy.URL)
		if isRead != (code == 0) || !isRead && !strings.Contains(stderr, "another charset") {
			t.Errorf("%s: code %d\n%s", kind, code, stderr)
		}
		if _, sent := server.seen(); isRead && strings.TrimSpace(read(t, file)) != strings.TrimSpace(sent) {
			t.Errorf("%s: saved is\n%s\nsent\n%s", kind, read(t, file), sent)
		}
	}
}

// TestCertificates: a server can be asked even if its certificate is only in the file that NODE_EXTRA_CA_CERTS names.
func TestCertificates(t *testing.T) {
	t.Parallel()
	plain := newStandInHTTP(t, "2025-11-25", "one tool", false)
	server := httptest.NewTLSServer(plain)
	defer server.Close()
	folder := t.TempDir()
	certificate := filepath.Join(folder, "a certificate.pem")
	write(t, certificate, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})))
	write(t, filepath.Join(folder, "none.pem"), "none\n")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		"":                                "certificate",
		certificate:                       "",
		filepath.Join(folder, "none.pem"): "/none.pem: no certificate is in it",
		filepath.Join(folder, "gone.pem"): "error: NODE_EXTRA_CA_CERTS=",
	} {
		save := exec.Command(self, "save", "s.jsonl", server.URL)
		save.Dir = folder
		save.Env = append(os.Environ(), "CAPTURE_AS_MAIN=1", "NODE_EXTRA_CA_CERTS="+file)
		said, _ := save.CombinedOutput()
		if code := save.ProcessState.ExitCode(); (code == 0) != (want == "") || code == 1 || !strings.Contains(string(said), want) {
			t.Errorf("%q: code %d\n%s", file, code, said)
		}
	}
}

// TestAnswersAnAnswer: a server may send something in reply to an answer, or to
// notifications/initialized. That doesn't keep a capture waiting.
func TestAnswersAnAnswer(t *testing.T) {
	t.Parallel()
	for _, of := range []string{`"result":`, "notifications/initialized"} {
		server := newStandInHTTP(t, "2025-11-25", "pings", true)
		chatty := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			body, _ := io.ReadAll(req.Body)
			if bytes.Contains(body, []byte(of)) {
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprint(w, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"thanks"}}`)
				return
			}
			req.Body = io.NopCloser(bytes.NewReader(body))
			server.ServeHTTP(w, req)
		}))
		defer chatty.Close()
		begin := time.Now()
		code, _, stderr := capturing(t, "save", filepath.Join(t.TempDir(), "s.jsonl"), chatty.URL)
		if took := time.Since(begin); code != 0 || took > 20*time.Second {
			t.Errorf("%s: code %d after %v\n%s", of, code, took, stderr)
		}
	}
}
