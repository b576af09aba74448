package client

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pinproof/internal/text"
	"pinproof/internal/workspace"
)

// npxSelf starts this program if it is in a project's node_modules. cmdNPXSelf does the same on Windows,
// where clients can't start npx directly.
var (
	npxSelf    = []string{"npx", "--no", "--", Self}
	cmdNPXSelf = slices.Concat([]string{"cmd", "/c"}, npxSelf)
)

// The flags of the guard, and whether each takes a value.
var guardFlags = map[string]bool{
	"--on-drift": true, "--relist": true, "--log": true, "--log-digests": false, "--lock": true, "--substitute": true, "--header-env": true, "--sse": false,
}

// unguarded returns an entry without our guard: a guard asks for pins, which can only be made after the
// capture. A guard is ours only if it is started as wrap would write it, with this entry's server ID.
// Anything else that looks like a guard stays, because the client starts it.
func (e entry) unguarded(id string) entry {
	argv := e.argv()
	n := selfWords(argv)
	if n == 0 || n == len(argv) || argv[n] != "guard" {
		e.foreign = foreignGuard(argv)
		return e
	}
	words := readGuard(argv[n+1:])
	if words.strange != "" {
		e.foreign = "its guard has the word " + text.Name(words.strange) + ", which wrap doesn't know there"
		return e
	}
	e.flags = append(e.flags, words.flags...)
	if len(words.ids) == 0 || words.server < 0 || words.server == len(argv)-n-1 {
		return e // it would not start
	}
	if words.ids[0] != id {
		e.foreign = "its guard is for the server ID " + text.Name(words.ids[0])
		return e
	}
	server := n + 1 + words.server
	e.guard = argv[:server]
	e.Command = argv[server]
	e.Args = argv[server+1:]
	if argv[server-1] == "--" {
		return e
	}
	e.URL = e.Command
	e.Command = ""
	if words.isSSE {
		e.Type = "sse"
	}
	e.Headers = map[string]string{}
	e.EnvHTTPHeaders = map[string]string{}
	for _, header := range words.headers {
		name, variable, _ := strings.Cut(header, "=")
		if value, set := e.Env[variable]; set {
			e.Headers[name] = value
		} else {
			e.EnvHTTPHeaders[name] = variable
		}
	}
	return e
}

// guardWords are the words behind "guard" in a command line.
type guardWords struct {
	ids []string // at most one

	// The index of the server's command or address, or -1.
	server int

	isSSE   bool
	headers []string // NAME=VARIABLE
	flags   []string // the other flags, with their values
	strange string   // a word that wrap doesn't know there
}

func readGuard(words []string) guardWords {
	g := guardWords{server: -1}
	for i := 0; i < len(words); i++ {
		word := words[i]
		name, value, hasValue := strings.Cut(word, "=")
		takesValue, isFlag := guardFlags[name]
		if word == "--" && g.server < 0 {
			g.server = i + 1
			break
		}
		if strings.Contains(word, "://") && !isFlag && g.server < 0 {
			g.server = i
			continue
		}
		if !isFlag && len(g.ids) == 0 && g.server < 0 && !strings.HasPrefix(word, "-") {
			g.ids = append(g.ids, word)
			continue
		}
		isCut := takesValue && !hasValue && i+1 == len(words)
		if !isFlag || hasValue && !takesValue || isCut {
			g.strange = word
			return g
		}
		if takesValue && !hasValue {
			i++
			value = words[i]
		}
		switch name {
		case "--sse":
			g.isSSE = true
		case "--header-env":
			g.headers = append(g.headers, value)
		default:
			g.flags = append(g.flags, strings.TrimSuffix(name+" "+value, " "))
		}
	}
	return g
}

// selfWords returns how many words at the beginning of a command line start this program as wrap would
// write it; 0 if it is started otherwise, or not at all.
func selfWords(argv []string) int {
	for _, words := range [][]string{{Self}, npxSelf, cmdNPXSelf} {
		if len(argv) >= len(words) && slices.Equal(argv[:len(words)], words) {
			return len(words)
		}
	}
	if filepath.IsAbs(argv[0]) && programOf(argv[0]) == Self && isThis(argv[0]) {
		return 1
	}
	return 0
}

// isThis reports whether a path leads to this program, or to a file that is gone.
func isThis(path string) bool {
	if _, err := os.Stat(path); os.IsNotExist(err) {
		return true
	}
	self, err := os.Executable()
	return err == nil && workspace.SameFile(self, path)
}

// foreignGuard reports that a command line that isn't ours starts a guard of a program with our name, in words
// for a person. It returns "" if there is no such guard.
func foreignGuard(argv []string) string {
	for i, word := range argv {
		if programOf(word) == Self && slices.Contains(argv[i+1:], "guard") {
			return "a guard is there that wrap would not write: " + text.Printable(Quoted(argv[:i+1]))
		}
	}
	return ""
}
