package guard

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/shell"
	"pinproof/internal/text"
	"pinproof/pinproof-capture/internal/mcp"
)

// Blocked is a no with its reason in words for a model: ours, the user's label and paths, and
// what pinproof verify --hook said, but nothing of the server's.
type Blocked struct{ words string }

func (b *Blocked) Error() string { return b.words }

func block(next, format string, args ...any) *Blocked {
	return &Blocked{fmt.Sprintf("pinproof: blocked: %s\nDo not use this server's tools. A person goes on with: %s\n",
		fmt.Sprintf(format, args...), next)}
}

// A Hooked server is one that an agent's hook checks.
type Hooked struct {
	Pins
	Server mcp.Server
	Asked  mcp.Options
	Remedy string // names the server in a command, for a person
	MaxAge time.Duration
	lock   string // the path of the lockfile
}

// Hook captures the server and has pinproof compare that with its pins. The server is started
// in the project's folder: agents run hooks wherever they happen to be. The error is Blocked.
func (h Hooked) Hook(ctx context.Context) (err error) {
	save := "pinproof-capture save " + shell.Quote(mcp.FileName(h.Label)) + " " + h.Remedy
	if h.lock, err = h.find(); err != nil {
		return block(save, "%s", fail.From(err).Text)
	}
	pins, _ := os.ReadFile(h.lock)
	root, _ := jsontree.NewReader(pins).Only() // what can't be read is for pinproof to refuse
	var has []string
	for _, s := range root.Get("servers").Members() {
		has = append(has, s.Name)
	}
	if root.Has("servers") && !slices.Contains(has, h.Label) {
		return block(save, "%s has no server %s; it has %s", text.Printable(filepath.Base(h.lock)), text.Name(h.Label), text.List(text.Names(has), 20))
	}
	h.Server.Dir = filepath.Dir(h.lock)
	match := ""
	if h.MaxAge > 0 {
		if match, err = h.match(); err != nil {
			return block("pinproof-capture --help", "the lockfile can't be read")
		}
	}
	if isRecent(match, h.MaxAge) {
		return nil
	}
	err = h.check(ctx)
	if after, _ := h.match(); err == nil && match != "" && after == match { // or the pins have changed meanwhile
		remember(match)
	}
	return err
}

// check captures the server and has pinproof hold the capture against the pins. The
// capture is kept if the answer is no, so that a person can look at it.
func (h Hooked) check(ctx context.Context) error {
	if _, err := FindPinproof(); err != nil {
		return block("pinproof --version", "%s", err)
	}
	data, _, err := h.Server.Capture(ctx, h.Asked)
	if err != nil {
		return block("pinproof-capture save "+shell.Quote(mcp.FileName(h.Label))+" "+h.Remedy, "the tools of server %s could not be listed", text.Printable(h.Label))
	}
	file := keep(h.Label, data)
	if file == "" {
		return block("pinproof-capture --help", "the capture can't be written")
	}
	var words bytes.Buffer
	code, err := h.verify("--hook", nil, nil, &words, "--", file, h.lock)
	if err == nil && code == 0 { // nothing else is a yes
		os.Remove(file)
		return nil
	}
	pruneKept(file)
	if words.Len() == 0 {
		return block("pinproof diff "+shell.Path(file), "pinproof gave no answer")
	}
	return &Blocked{words.String()}
}

// MaxAge is the oldest match that a hook can take: one that a person remembers.
const MaxAge = time.Hour

// match names the file by which a match is remembered: by the digest of what was asked, which is the
// lockfile's bytes, the command or the address, and the names of the environment's variables. Their
// values are left out: they change with every window, and can be secrets. "" is none.
func (h Hooked) match() (path string, err error) {
	pins, err := os.ReadFile(h.lock)
	folder, failed := cacheFolder("matches")
	if err != nil || failed != nil { // without a folder, every hook asks the server
		return "", err
	}
	var names []string
	for _, variable := range slices.Concat(os.Environ(), h.Server.Env) {
		name, _, _ := strings.Cut(variable, "=")
		names = append(names, name)
	}
	slices.Sort(names)
	asked, err := json.Marshal([]any{h.lock, string(pins), h.Label, h.Substitutes, h.Asked.Capabilities, h.Asked.Protocol,
		h.Server.Argv, h.Server.URL, h.Server.SSE, slices.Sorted(maps.Keys(h.Server.Headers)), slices.Compact(names)})
	sum := sha256.Sum256(asked)
	return filepath.Join(folder, hex.EncodeToString(sum[:])), err
}

// isRecent reports whether a match is not older than age.
func isRecent(match string, age time.Duration) bool {
	info, err := os.Stat(match)
	return err == nil && time.Since(info.ModTime()) >= 0 && time.Since(info.ModTime()) < age
}

// remember remembers a match, and forgets those that no hook can take any more. If that
// fails, the next hook asks the server again.
func remember(match string) {
	os.WriteFile(match, []byte("\n"), 0o600)
	old, _ := os.ReadDir(filepath.Dir(match))
	for _, f := range old {
		if path := filepath.Join(filepath.Dir(match), f.Name()); !isRecent(path, MaxAge) {
			os.Remove(path)
		}
	}
}
