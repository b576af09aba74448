package guard

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"pinproof/internal/pin"
)

func TestFindLock(t *testing.T) {
	project := t.TempDir()
	for _, variable := range []string{"CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR"} {
		t.Setenv(variable, "")
	}
	if err := os.Mkdir(filepath.Join(project, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(project, "tools.lock"), "{}")
	t.Chdir(project)
	sub := filepath.Join(project, "src", "deep")
	if err := os.MkdirAll(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	find := func(named, want string) {
		t.Helper()
		got, err := Pins{Lockfile: named}.find()
		if err != nil && want != "" || err == nil && (want == "" || !same(t, got, want)) {
			t.Errorf("found %s, %v; want %s", got, err, want)
		}
	}
	find("", filepath.Join(project, "tools.lock"))
	t.Chdir(sub)
	find("", filepath.Join(project, "tools.lock"))
	write(t, filepath.Join(project, "src", "tools.lock"), "{}")
	find("", filepath.Join(project, "src", "tools.lock"))
	t.Setenv("CLAUDE_PROJECT_DIR", project)
	find("", filepath.Join(project, "tools.lock"))
	write(t, filepath.Join(project, "other.lock"), "{}")

	// Whatever hides a lockfile further up isn't passed over, not even a folder with the lockfile's name.
	if err := os.Mkdir(filepath.Join(project, "src", "deep", "tools.lock"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CLAUDE_PROJECT_DIR", sub)
	find("", filepath.Join(sub, "tools.lock"))
	t.Setenv("CLAUDE_PROJECT_DIR", project)
	find(filepath.Join("..", "..", "other.lock"), filepath.Join(project, "other.lock"))

	// Nothing above the repository counts.
	inner := filepath.Join(project, "inner")
	if err := os.MkdirAll(filepath.Join(inner, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CLAUDE_PROJECT_DIR", inner)
	if path, err := (Pins{}).find(); err == nil {
		t.Errorf("found %s, above the repository", path)
	}

	// Without a repository, nothing above the folder counts.
	if err := os.Remove(filepath.Join(inner, ".git")); err != nil {
		t.Fatal(err)
	}
	find("", filepath.Join(project, "tools.lock"))
	if err := os.Remove(filepath.Join(project, ".git")); err != nil {
		t.Fatal(err)
	}
	find("", "")
	t.Setenv("CLAUDE_PROJECT_DIR", project)
	find("", filepath.Join(project, "tools.lock"))
}

// TestLyingPinproof: a lying program that is found in pinproof's place can't make anything pass as
// approved. An answer counts only if its exit code, its drift and its entries agree.
func TestLyingPinproof(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in is a script")
	}
	folder := t.TempDir()
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	digest := pin.DigestPrefix + strings.Repeat("a", 64)
	entry := func(list, name, status, digest string) string {
		return fmt.Sprintf(`{"list":%q,"name":%q,"status":%q,"digest":%q,"approvalHash":"x"}`, list, name, status, digest)
	}
	said := func(code int, drift, entries string) string {
		return fmt.Sprintf(`{"schemaVersion":1,"exitCode":%d,"summary":"x","drift":[%s],"entries":[%s]}`, code, drift, entries)
	}
	const changed = `{"list":"tools","name":"a","kind":"CHANGED","findings":[{"id":"order","level":"note"},{"id":"padding","level":"warning"}]}`
	match := entry("tools", "a", "MATCH", digest)
	a, b := pin.Key{Type: pin.Tools, Name: "a"}, pin.Key{Type: pin.Tools, Name: "b"}
	for _, tt := range []struct {
		what    string
		code    int
		answer  string
		error   string // a part of it
		matches bool
		matched []pin.Key
	}{
		{"a match", 0, said(0, "", match), "", true, []pin.Key{a}},
		{"drift", 1, said(1, changed, entry("tools", "b", "MATCH", digest)+","+entry("tools", "a", "CHANGED", digest)), "", false, []pin.Key{b}},
		{"drift that it calls a match, too", 1, said(1, changed, match), "", false, nil},
		{"instructions", 0, said(0, "", entry("instructions", "", "MATCH", digest)), "", true, []pin.Key{{Type: pin.Instructions}}},

		{"nothing", 0, "", "no answer", false, nil},
		{"no JSON", 0, "OK: 0 drift (1 tool matches tools.lock)", "no answer", false, nil},
		{"another exit code", 0, said(1, "", match), "no answer", false, nil},
		{"another exit code, the other way round", 1, said(0, "", match), "no answer", false, nil},
		{"an exit code of its own", 3, said(3, "", match), "no answer", false, nil},
		{"another form", 0, strings.Replace(said(0, "", match), `"schemaVersion":1`, `"schemaVersion":2`, 1), "no answer", false, nil},
		{"no form", 0, strings.Replace(said(0, "", match), `"schemaVersion":1,`, "", 1), "no answer", false, nil},
		{"a match with drift", 0, said(0, changed, match), "no answer", false, nil},
		{"a match with an entry that is none", 0, said(0, "", entry("tools", "a", "ADDED", digest)), "no answer", false, nil},
		{"an unknown list that matches", 0, said(0, "", entry("secrets", "", "MATCH", digest)), "no answer", false, nil},
		{"an unknown list that drifted", 1, said(1, strings.Replace(changed, "tools", "secrets", 1), match), "no answer", false, nil},
		{"drift without a kind", 1, said(1, strings.Replace(changed, "CHANGED", "", 1), match), "no answer", false, nil},
		{"one entry twice", 0, said(0, "", match+","+match), "no answer", false, nil},
		{"no digest", 0, said(0, "", entry("tools", "a", "MATCH", "")), "no answer", false, nil},
		{"no answer, with entries", 2, strings.Replace(said(2, "", match), `"summary"`, `"error":{"message":"because"},"summary"`, 1), "because", false, nil},
	} {
		script := fmt.Sprintf("#!/bin/sh\ncat >/dev/null\ncat <<'END'\n%s\nEND\nexit %d\n", tt.answer, tt.code)
		if err := os.WriteFile(filepath.Join(folder, "pinproof"), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		v, err := (&judge{Pins: Pins{ServerID: "s"}, lock: "tools.lock"}).runPart([]byte("{}"))
		if tt.error != "" {
			if v != nil || err == nil || !strings.Contains(err.Error(), tt.error) {
				t.Errorf("%s: %+v, %v", tt.what, v, err)
			}
			continue
		}
		if err != nil || v.matches != tt.matches || len(v.matched) != len(tt.matched) {
			t.Errorf("%s: %+v, %v", tt.what, v, err)
			continue
		}
		for _, key := range tt.matched {
			if v.matched[key].Digest != digest {
				t.Errorf("%s: %v isn't matched", tt.what, key)
			}
		}
		if tt.code == 1 && (v.drifted[a] != "CHANGED" || v.warned[a] != " (WARNING padding)") {
			t.Errorf("%s: %v, %v", tt.what, v.drifted, v.warned)
		}
	}
}

func same(t *testing.T, a, b string) bool {
	t.Helper()
	one, err1 := os.Stat(a)
	two, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(one, two)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
