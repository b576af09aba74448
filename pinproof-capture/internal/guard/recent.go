package guard

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

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
