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

	"pinproof/internal/atomicfile"
)

// maxRecent bounds the matches that are remembered: more than a user has servers.
const maxRecent = 200

// MaxAge is the oldest match that a hook can take: one that a person remembers.
const MaxAge = time.Hour

// A match is remembered by what was asked: the lockfile's bytes, the command or the address,
// and the names of the environment's variables. Their values are left out: they change with
// every window, and can be secrets.
func (h Hooked) matchKey() (string, error) {
	pins, err := os.ReadFile(filepath.Join(h.project, h.lock))
	if err != nil {
		return "", err
	}
	var names []string
	for _, variable := range slices.Concat(os.Environ(), h.Server.Env) {
		name, _, _ := strings.Cut(variable, "=")
		names = append(names, name)
	}
	slices.Sort(names)
	asked, err := json.Marshal([]any{h.project, h.lock, string(pins), h.Label, h.Substitutes, h.Asked.Capabilities, h.Asked.Protocol,
		h.Server.Argv, h.Server.URL, h.Server.SSE, slices.Sorted(maps.Keys(h.Server.Headers)), slices.Compact(names)})
	sum := sha256.Sum256(asked)
	return hex.EncodeToString(sum[:]), err
}

// recentMatches reads when what matched, in seconds since 1970. A file that is missing or
// damaged counts as none.
func recentMatches() (path string, matches map[string]int64) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", nil
	}
	path = filepath.Join(cache, "pinproof", "matches.json")
	if data, err := os.ReadFile(path); err != nil || json.Unmarshal(data, &matches) != nil {
		matches = nil
	}
	return path, matches
}

// matchedWithin reports whether the same question had a match not longer ago than age.
func matchedWithin(key string, age time.Duration) bool {
	_, matches := recentMatches()
	at, ok := matches[key]
	passed := time.Since(time.Unix(at, 0))
	return ok && passed >= 0 && passed < age
}

// rememberMatch remembers a match. If that fails, the next hook asks the server again.
func rememberMatch(key string) {
	path, matches := recentMatches()
	if path == "" {
		return
	}
	if matches == nil {
		matches = map[string]int64{}
	}
	now := time.Now().Unix()
	maps.DeleteFunc(matches, func(_ string, at int64) bool { return now-at > int64(MaxAge/time.Second) || at > now })
	if len(matches) >= maxRecent {
		clear(matches)
	}
	matches[key] = now
	data, err := json.Marshal(matches)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err != nil {
		return
	}
	if f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600); err == nil {
		f.Close() // the file that replaces it keeps its mode
	}
	atomicfile.Write(path, data)
}
