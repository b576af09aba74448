//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"pinproof/internal/jsontest"
)

// running reports whether a process runs. A process that has ended and only waits to be collected doesn't.
func running(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

// waitGone waits until a process has ended.
func waitGone(t *testing.T, what string, pid int) {
	t.Helper()
	for end := time.Now().Add(generous); running(pid); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			syscall.Kill(pid, syscall.SIGKILL)
			t.Fatalf("%s: process %d is left", what, pid)
		}
	}
}

// pidOf waits for the stand-in's process number in a file, and returns 0 if the stand-in never started.
func pidOf(path string, guard int) int {
	for running(guard) {
		if text, err := os.ReadFile(path); err == nil && strings.HasSuffix(string(text), "\n") {
			pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
			return pid
		}
		time.Sleep(time.Millisecond)
	}
	text, _ := os.ReadFile(path)
	pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	return pid
}

// TestGuardKilled: whether the guard or the server is killed, and whenever, no process stays behind.
func TestGuardKilled(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	g := newGuarded(t)
	kills := jsontest.RoundCount(12, 40)
	if n, err := strconv.Atoi(os.Getenv("KILLS")); err == nil {
		kills = n
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	parts := []string{"good", "ignores all ends"}
	slots := make(chan struct{}, 4)
	var all sync.WaitGroup
	for i := range kills {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			pidFile := filepath.Join(t.TempDir(), "pid")
			part := parts[i/2%len(parts)]
			cmd := exec.Command(self, "guard", "files", "--", self, "play", part, os.DevNull, pidFile)
			if i%4 == 3 { // npx starts servers behind a shell, which doesn't pass its end on
				cmd = exec.Command(self, "guard", "files", "--", "sh", "-c", `"$0" "$@"; true`, self, "play", part, os.DevNull, pidFile)
			}
			cmd.Env = append(slices.Clone(g.env), "CAPTURE_AS_MAIN=1")
			p := g.run(t, cmd)
			go func() {
				p.send(`{"jsonrpc":"2.0","id":0,"method":"initialize"}`)
				for id := range 1000 { // most are pings: judging that many lists would take seconds
					method := "ping"
					if id%50 == 0 {
						method = "tools/list"
					}
					p.send(`{"jsonrpc":"2.0","id":%d,"method":"%s"}`, id, method)
				}
			}()
			guard := p.cmd.Process.Pid
			server := 0
			if i%2 == 0 || i%10 == 1 {
				server = pidOf(pidFile, guard)
			}
			time.Sleep(time.Duration(rand.IntN(20_000)) * time.Microsecond) // the kill comes at any time
			if i%2 == 0 && server != 0 {                                    // 0 would be our whole process group
				syscall.Kill(server, syscall.SIGKILL)
			} else {
				syscall.Kill(guard, syscall.SIGKILL)
			}
			for range p.lines {
			}
			p.cmd.Wait()
			p.timeout.Stop()
			p.in.Close()
			if server == 0 {
				server = pidOf(pidFile, guard)
			}
			if server != 0 {
				waitGone(t, fmt.Sprint("kill ", i), server)
			}
		})
	}
	all.Wait()
}

// TestGuardSignals: a signal reaches the server, and the guard ends as the server does.
func TestGuardSignals(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		p := g.start(t, nil, "good")
		p.ask(1, "ping", "{}")
		p.cmd.Process.Signal(s)
		for range p.lines { // until the guard has ended, with its input still open
		}
		if code, _ := p.end(); code != 128+int(s) {
			t.Errorf("%s: code %d\n%s", s, code, &p.stderr)
		}
	}
}

// TestGuardHangsUp: a client that is gone for good ends a server that ignores the end of
// its input.
func TestGuardHangsUp(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	g := newGuarded(t)
	pidFile := filepath.Join(t.TempDir(), "pid")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	in, ours, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	theirs, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "guard", "files", "--", self, "play", "ignores all ends", os.DevNull, pidFile)
	cmd.Dir, cmd.Env = g.folder, append(slices.Clone(g.env), "CAPTURE_AS_MAIN=1")
	cmd.Stdin, cmd.Stdout = in, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	out.Close()
	fmt.Fprintln(ours, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	if line, err := bufio.NewReader(theirs).ReadString('\n'); err != nil {
		t.Fatalf("%s %v", line, err)
	}
	server := pidOf(pidFile, cmd.Process.Pid)
	ours.Close()
	theirs.Close()
	cmd.Wait()
	waitGone(t, "the server", server)
}

// TestGuardWaits: a server may answer after the end of its input, as without a guard.
func TestGuardWaits(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	p := newGuarded(t).start(t, nil, "good")
	p.begin()
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	io.WriteString(p.in, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a"}}`) // without a line feed
	if code, got := p.end(); code != 0 || strings.Count(got, "\n") != 3 || !strings.Contains(got, "called a") {
		t.Errorf("code %d\n%s", code, got)
	}
}

// limited starts a guard that can write no file of more than 8 KiB.
func (g *guarded) limited(t *testing.T, flags []string, part string) *peer {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args := slices.Concat([]string{"-c", `ulimit -f 16 && exec "$@"`, "sh", self, "guard", "files"}, flags, []string{"--", self, "play", part})
	cmd := exec.Command("/bin/sh", args...)
	cmd.Env = append(slices.Clone(g.env), "CAPTURE_AS_MAIN=1")
	return g.run(t, cmd)
}

// TestGuardLogTogether: guards that share a record write whole lines, even if the disk is full.
func TestGuardLogTogether(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	g := newGuarded(t)
	log := filepath.Join(g.folder, "calls.log")
	var peers []*peer
	for range 3 {
		p := g.limited(t, []string{"--log", log}, "good")
		peers = append(peers, p)
		p.begin()
		go func() {
			for id := range 50 {
				p.send(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"a","arguments":{"x":"%s"}}}`, id, strings.Repeat("y", 100+rand.IntN(500)))
			}
		}()
	}
	for _, p := range peers {
		for range p.lines { // until it ends, because it can't write its record
		}
		if code, _ := p.end(); code != 2 || !strings.Contains(p.stderr.String(), "file too large") {
			t.Errorf("code %d\n%s", code, &p.stderr)
		}
	}
	lines := strings.SplitAfter(read(t, log), "\n")
	if len(lines) < 10 {
		t.Fatalf("%d lines: %.200q", len(lines), lines)
	}
	for _, line := range lines[:len(lines)-1] { // the disk may be full within the last line
		if !json.Valid([]byte(line)) {
			t.Errorf("half a line: %s", line)
		}
	}
}

// TestGuardSavesWholeFiles: what can't be saved whole is refused all the same, and leaves nothing.
func TestGuardSavesWholeFiles(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	g := newGuarded(t)
	p := g.limited(t, nil, "a long list")
	p.begin()
	got := p.ask(1, "tools/list", "{}")
	code, _ := p.end()
	if code != 2 || !strings.Contains(got, blockedCode) || !strings.Contains(p.stderr.String(), "could not be saved") {
		t.Errorf("code %d, %.300s\n%s", code, got, &p.stderr)
	}
	if left, _ := filepath.Glob(filepath.Join(g.cache, "pinproof", "refused", "*", "*")); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// TestGuardSignalsUnread: after a signal the guard ends, and takes the server with it, even if the
// client reads nothing and the server ignores all that it is told.
func TestGuardSignalsUnread(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	g := newGuarded(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// Noise is reported on standard error, which nobody reads either.
	for _, part := range []string{"good", "ignores all ends", "noise"} {
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			pidFile := filepath.Join(t.TempDir(), "pid")
			unread, out, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer unread.Close()
			cmd := exec.Command(self, "guard", "files", "--", self, "play", part, os.DevNull, pidFile)
			cmd.Dir, cmd.Env, cmd.Stdout = g.folder, append(slices.Clone(g.env), "CAPTURE_AS_MAIN=1"), out
			if part == "noise" {
				cmd.Stderr = out
			}
			in, err := cmd.StdinPipe()
			if err == nil {
				err = cmd.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			out.Close()
			timeout := time.AfterFunc(generous, func() { cmd.Process.Kill() })
			server := pidOf(pidFile, cmd.Process.Pid)
			line := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}` + "\n")
			in.(*os.File).SetWriteDeadline(time.Now().Add(time.Second)) // by then all pipes are full
			for err == nil && part != "noise" {
				_, err = in.Write(line)
			}
			if part == "noise" {
				in.Write(line)
				in.Close()
				time.Sleep(time.Second) // by then the guard has seen the end of its input
			}
			cmd.Process.Signal(syscall.SIGTERM)
			cmd.Wait()
			if !timeout.Stop() {
				t.Errorf("%s: it stays", part)
			}
			waitGone(t, "the server", server)
		})
	}
}
