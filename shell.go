package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// pasteable reports whether the name of a tool may stand in a command we print:
// [A-Za-z0-9_][A-Za-z0-9_.-]{0,127}. Any other tool is named by its digest.
func pasteable(tool string) bool {
	return tool != "" && len(tool) <= 128 && tool[0] != '.' && tool[0] != '-' && isMadeOf(tool, "_.-")
}

// isMadeOf reports whether s has only ASCII letters, digits and the characters of more.
func isMadeOf(s, more string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > 0x7e || !isAlnum(byte(r)) && !strings.ContainsRune(more, r) })
}

// pasteableLabel is pasteable for a server's label, which often is a package's name. A
// label that quotedName leaves plain is safe, unless a tilde (a home folder) or a hyphen
// (a flag) is its first character.
func pasteableLabel(server string) bool {
	return quotedName(server) == server && server[0] != '-' && server[0] != '~'
}

// shellQuote returns the user's own argument as one word for a POSIX shell.
// If some of it can't be seen, all but plain ASCII is escaped, as in $'\033' (POSIX.1-2024),
// and so is "##", which may begin a command in CI logs.
func shellQuote(arg string) string {
	unseen := strings.Contains(arg, "##") || strings.ContainsFunc(arg, func(r rune) bool {
		return r < 0x20 || r > 0x7e && (r == utf8.RuneError || hidden(r) || unusualSpace(r) || unicode.Is(markTable, r))
	})
	switch {
	case arg != "" && arg[0] != '=' && isMadeOf(arg, "_@%+:,./-="):
		return arg
	case !unseen:
		return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
	}
	var b strings.Builder
	for i := range len(arg) {
		switch c := arg[i]; {
		case c == '\\' || c == '\'':
			b.WriteString(`\` + string(c))
		case c < 0x20 || c > 0x7e || c == '#':
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	return "$'" + b.String() + "'"
}

// shellPath is shellQuote for a path, which must not read as a flag.
func shellPath(path string) string {
	if path != "-" && strings.HasPrefix(path, "-") {
		path = "./" + path
	}
	return shellQuote(path)
}

// labelArg returns the label that a file's name gives, quoted for a command. It is ID if
// the name gives none, or one that another server has.
func labelArg(label, taken string) string {
	if label == "" || label == taken {
		return "ID"
	}
	return shellQuote(label)
}

const defaultLockfile = "tools.lock"

// A command is how this run was called. It makes the next command to type, which is safe
// to paste: it has our own words, digests, and the user's arguments in quotes.
type command struct {
	manifest string
	lockfile string // "" if it was not given
	server   string // "" if it was not given
	against  string // what diff compares with, beside or instead of a lockfile

	flags map[string][]string // the flags that were set, for each command that has them
}

func (c command) to(verb string, args ...string) string {
	words := []string{"pinproof", verb, shellPath(c.manifest)}
	if c.lockfile != "" {
		words = append(words, shellPath(c.lockfile))
	}
	if c.server != "" {
		words = append(words, "--server", shellQuote(c.server))
	}
	words = append(words, c.flags[verb]...)
	if verb == "diff" && c.against != "" {
		words = append(words, "--against", shellPath(c.against))
	}
	return strings.Join(append(words, args...), " ")
}

// without leaves the flags that begin with given out of the commands for a verb.
func (c command) without(verb, given string) command {
	flags := map[string][]string{}
	maps.Copy(flags, c.flags)
	flags[verb] = slices.DeleteFunc(slices.Clone(flags[verb]), func(word string) bool { return strings.HasPrefix(word, given) })
	c.flags = flags
	return c
}

// instead makes a command with the flag arg, whatever this run was given in its place.
func (c command) instead(verb, given, arg string) string { return c.without(verb, given).to(verb, arg) }

// pinProse makes the command that pins all prose.
func (c command) pinProse(verb string) string {
	return c.instead(verb, "--descriptions ", "--descriptions=preserve")
}

// retire makes the command that removes a server's pins. The label comes from the
// lockfile, so the command has it only if that is safe.
func (c command) retire(server string) string {
	if !pasteableLabel(server) {
		server = "ID"
	}
	words := "pinproof relock --drop-server " + server
	if c.lockfile != "" {
		words += " " + shellPath(c.lockfile)
	}
	return words
}
