package main

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pinproof/internal/jsontest"
	"pinproof/internal/pintest"
)

// secondOpinion returns what ci/compare.mjs finds in a folder of captures. For the
// made-up captures, drift.jsonl has the same, for machines without node.
func secondOpinion(t *testing.T, folder string) []byte {
	t.Helper()
	var kept []byte
	if folder == pintest.MadeUpServers {
		kept = vector(t, pintest.MadeUpServers+"/drift.jsonl")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		return kept
	}
	out, err := exec.Command(node, "ci/compare.mjs", folder).Output()
	if err != nil {
		t.Fatalf("the second opinion failed: %v", err)
	}
	if kept != nil && !bytes.Equal(out, kept) {
		t.Errorf("drift.jsonl is not what the second opinion says now:\n%s", out)
	}
	return out
}

// TestRealServers locks each captured version of a server and verifies the next one.
// The verdicts and the drifted names must be those that an independent script finds,
// comparing value by value. .ci/run tests all pairs. Other runs test every sixth pair and all that
// we made up, with -short only the latter.
func TestRealServers(t *testing.T) {
	t.Parallel()
	var pairs [][]byte
	for _, folder := range pintest.CaptureFolders() {
		if folder != pintest.MadeUpServers && testing.Short() {
			continue
		}
		for i, line := range bytes.Split(bytes.TrimSpace(secondOpinion(t, folder)), []byte("\n")) {
			if folder == pintest.MadeUpServers || i%6 == 0 || jsontest.Long() {
				pairs = append(pairs, line)
			}
		}
	}
	drifted := 0
	for _, line := range pairs {
		if len(line) == 0 {
			continue // there is no node to ask
		}
		var want struct {
			Old, New string
			Drift    []string
		}
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatal(err)
		}
		lock := filepath.Join(t.TempDir(), "tools.lock")
		if code, out := runHere("lock", want.Old, lock, "--server", "s", "--accept-warnings"); code != 0 {
			t.Fatalf("lock %s: exit %d\n%s", want.Old, code, out)
		}
		if code, out := runHere("verify", want.Old, lock, "--server", "s"); code != 0 || !strings.HasPrefix(out, "OK: 0 drift (") {
			t.Errorf("verify of what was locked, %s: exit %d\n%s", want.Old, code, out)
		}
		code, out := runHere("verify", want.New, lock)
		var got []string
		for line := range strings.Lines(out) {
			if rest, ok := strings.CutPrefix(line, "BLOCK ["); ok {
				kind, name, _ := strings.Cut(strings.TrimSpace(rest), "] ")
				list, identity, _ := strings.Cut(name, "=")
				if plain, err := strconv.Unquote(identity); err == nil { // a URI is quoted
					name = list + "=" + plain
				}
				got = append(got, kind+" "+name)
			}
		}
		slices.Sort(got)
		wantCode := 0
		if len(want.Drift) > 0 {
			wantCode = 1
			drifted++
		}
		if code != wantCode || !slices.Equal(got, want.Drift) {
			t.Errorf("%s -> %s: exit %d, drift %q; the second opinion: %q", want.Old, want.New, code, got, want.Drift)
		}
		if diffCode, _ := runHere("diff", want.New, lock); diffCode != code {
			t.Errorf("%s -> %s: verify says %d, diff %d", want.Old, want.New, code, diffCode)
		}
		if code, out := runHere("relock", want.New, lock, "--server", "s", "--accept-all", "--accept-warnings"); code != 0 {
			t.Errorf("relock %s: exit %d\n%s", want.New, code, out)
		}
		if code, out := runHere("verify", want.New, lock); code != 0 {
			t.Errorf("verify after relock, %s: exit %d\n%s", want.New, code, out)
		}
	}
	t.Logf("%d pairs of captures, %d with drift", len(pairs), drifted)
}

// runHere runs the program in this process. It returns the exit code and both outputs in one string.
func runHere(args ...string) (int, string) {
	var out bytes.Buffer
	code := run(args, strings.NewReader(""), &out, &out)
	return code, out.String()
}
