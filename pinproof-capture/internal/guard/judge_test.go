package guard

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pinproof/internal/jsontest"
	"pinproof/internal/pin"
	"pinproof/pinproof-capture/internal/mcp"
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
		got, err := PinSource{Lockfile: named}.find()
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
	if path, err := (PinSource{}).find(); err == nil {
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

// TestVerdicts: a lying program that is found in pinproof's place can't make anything pass as approved. An answer
// counts only if its exit code, its drift and its entries agree.
func TestVerdicts(t *testing.T) {
	for _, line := range jsontest.ReadLines(t, "testdata/verdicts.txt") {
		row := strings.Split(line+"\t", "\t")
		code, _ := strconv.Atoi(row[1])
		v, err := readVerdict([]byte(row[3]), code)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = "matched"
			for _, key := range slices.SortedFunc(maps.Keys(v.matched), pin.CompareKeys) {
				got += " " + key.EntryRef()
			}
			for key, kind := range v.drifted {
				got += ", " + kind.kind + " " + key.EntryRef() + kind.warning
			}
		}
		if v != nil && v.matches {
			got += ", no drift"
		}
		if got != row[2] {
			t.Errorf("%s: %s, want %s", row[0], got, row[2])
		}
	}
}

// TestStartedAhead: what waits for a list judges it by the lockfile of then. If something ends it, another one judges.
func TestStartedAhead(t *testing.T) {
	j := newStage(t, lockfileWith(t, ""), ModeEnd).judge
	j.prepare()
	time.Sleep(100 * time.Millisecond)
	other, _ := os.ReadFile(lockfileOf(t, "", "$GREET", `{"tools":[$A]}`))
	write(t, j.lock, string(other))
	for range 2 {
		if v, err := j.runPart(captured(mcp.Page{Text: []byte(fill(good["tools/list"]))})); err != nil || len(v.drifted) != 1 {
			t.Errorf("%+v, %v", v, err)
		}
		j.ahead <- func([]byte) (*verdict, error) { return nil, errBlocked }
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
