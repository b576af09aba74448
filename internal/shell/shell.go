// Package shell quotes words for the system's shell, and builds the commands that we suggest, which are safe to
// paste.
package shell

import (
	"cmp"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"pinproof/internal/text"
)

// IsPasteable reports whether the name of a tool may be in a command we print:
// [A-Za-z0-9_][A-Za-z0-9_.-]{0,127}. Any other tool is named by its digest.
func IsPasteable(tool string) bool {
	return tool != "" && len(tool) <= 128 && tool[0] != '.' && tool[0] != '-' && text.IsAlnumOr(tool, "_.-")
}

// IsPasteableID is IsPasteable for a server ID, which is often a package's name. A
// server ID that text.QuoteName leaves plain is safe, unless a tilde (a home folder) or a hyphen
// (a flag) is its first character.
func IsPasteableID(server string) bool {
	return text.QuoteName(server) == server && server[0] != '-' && server[0] != '~'
}

// Quote returns the user's own argument as one word for the shell that runs here: a POSIX shell, or
// on Windows both cmd and PowerShell.
func Quote(arg string) string {
	if runtime.GOOS == "windows" {
		return quoteWindows(arg)
	}
	return quotePOSIX(arg)
}

// Placeholder returns a word of a command that a person has to replace. Flags reject it as a value (IsPlaceholder). A
// word such as ID or NAME could be a real name.
func Placeholder(what string) string { return Quote("<" + what + ">") }

// IsPlaceholder reports whether an argument, after the shell has removed its quotes, looks like one that Placeholder
// returns.
func IsPlaceholder(arg string) bool {
	return strings.HasPrefix(arg, "<") && strings.HasSuffix(arg, ">")
}

// argumentPlaceholder replaces an argument that can't be quoted for both cmd and PowerShell.
const argumentPlaceholder = `"<argument>"`

// quoteWindows returns an argument as one word for both cmd and PowerShell. In double quotes cmd fills in
// %NAME% and !NAME!, PowerShell fills in $NAME, and the two read quotes differently. So an argument that has
// one of these characters, or one that can't be seen, is argumentPlaceholder. A backslash is plain, except right before
// the closing quote, where programs take backslashes in pairs.
func quoteWindows(arg string) string {
	plain := `_+:./\-`
	if strings.HasPrefix(arg, "-") {
		// PowerShell would end a flag at a dot or colon.
		plain = "_-"
	}
	if arg != "" && text.IsAlnumOr(arg, plain) {
		return arg
	}
	if isUnseen(arg) || strings.ContainsAny(arg, "%!$`\"\u201c\u201d\u201e") {
		return argumentPlaceholder
	}
	end := len(arg) - len(strings.TrimRight(arg, `\`))
	return `"` + arg + strings.Repeat(`\`, end) + `"`
}

// isUnseen reports whether an argument has a character that can't be seen, or "##", which may begin a command
// in CI logs.
func isUnseen(arg string) bool {
	return strings.Contains(arg, "##") || strings.ContainsFunc(arg, func(r rune) bool {
		return r < 0x20 || r > 0x7e && (r == utf8.RuneError || text.IsHidden(r) || text.UnusualSpace(r) || text.IsCombiningMark(r))
	})
}

// quotePOSIX returns an argument as one word for a POSIX shell. If a part of the argument can't be seen, or may begin a
// command in CI logs ("##"), everything but plain ASCII is escaped, as in $'\033' (POSIX.1-2024), and so are \, ' and
// #.
func quotePOSIX(arg string) string {
	if arg != "" && arg[0] != '=' && text.IsAlnumOr(arg, "_@%+:,./-=") {
		return arg
	}
	if !isUnseen(arg) {
		return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
	}
	var b strings.Builder
	for i := range len(arg) {
		switch c := arg[i]; {
		case c < 0x20 || c > 0x7e || strings.IndexByte(`\'#`, c) >= 0: // not every shell reads \' as '
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	return "$'" + b.String() + "'"
}

// QuoteAll returns arguments, each quoted, as a command line.
func QuoteAll(args []string) string {
	list := slices.Clone(args)
	for i := range list {
		list[i] = Quote(list[i])
	}
	return strings.Join(list, " ")
}

// DeleteCommand returns the command that deletes a file.
func DeleteCommand(path string) string {
	if runtime.GOOS == "windows" {
		return "del " + QuotePath(path)
	}
	return "rm " + QuotePath(path)
}

// QuotePath is like Quote, for a path, which must not look like a flag.
func QuotePath(path string) string {
	if path != "-" && strings.HasPrefix(path, "-") {
		path = "./" + path
	}
	return Quote(path)
}

// PasteableServerID returns a server ID for a command that we print, or a placeholder if the ID isn't safe or another
// server has it (taken).
func PasteableServerID(server, taken string) string {
	if server == taken || !IsPasteableID(server) {
		return Placeholder("server ID")
	}
	return server
}

// DefaultLockfile is the lockfile that a command uses by default.
const DefaultLockfile = "tools.lock"

// A Command is the command line of this run. Its methods make the next command to type, which is safe to paste: it
// contains only our own words, digests, and the user's quoted arguments.
type Command struct {
	Capture  string
	Lockfile string // "" if it was not given
	Server   string // "" if it was not given

	// What diff compares with, in addition to or instead of a lockfile.
	Against string

	// How pinproof is started; "" for plain "pinproof".
	Program string

	// The flags that were set, for each command that has them.
	Flags map[string][]string
}

// ProgramCommand returns the words that start the pinproof at a path. npm installs it in a folder that isn't in
// PATH.
func ProgramCommand(path string) string {
	if strings.Contains(filepath.ToSlash(path), "/node_modules/") {
		return "npx --no -- pinproof"
	}
	return "pinproof"
}

// ForVerb makes the command for a verb, with further words at its end.
func (c Command) ForVerb(verb string, args ...string) string {
	words := []string{cmp.Or(c.Program, "pinproof"), verb, QuotePath(c.Capture)}
	if c.Lockfile != "" {
		words = append(words, QuotePath(c.Lockfile))
	}
	if c.Server != "" {
		words = append(words, "--server", Quote(c.Server))
	}
	return strings.Join(slices.Concat(words, c.Flags[verb], args), " ")
}

// WithoutFlag returns the command without a flag that has a value.
func (c Command) WithoutFlag(flag string) Command {
	flags := map[string][]string{}
	for verb, words := range c.Flags {
		flags[verb] = slices.DeleteFunc(slices.Clone(words), func(word string) bool { return strings.HasPrefix(word, "--"+flag+" ") })
	}
	c.Flags = flags
	return c
}

// CICommand makes the command for a CI job. If the capture is in a folder of the user's cache, where pinproof-capture
// keeps captures only for a while, that is pinproof-capture check.
func (c Command) CICommand() string {
	path := strings.ReplaceAll(c.Capture, `\`, "/")
	if strings.Contains(path, "/pinproof/checks/") || strings.Contains(path, "/pinproof/refused/") {
		return "pinproof-capture check"
	}
	return c.ForVerb("verify")
}

// ReviewCommand makes the command that shows a capture and asks about it. It always names the lockfile, because
// the person who types it may be in another folder.
func (c Command) ReviewCommand() string {
	last := append([]string{QuotePath(c.Lockfile)}, c.Flags["relock"]...)
	c.Lockfile = ""
	c.Flags = nil
	return c.ForVerb("relock", last...)
}

// DropServerCommand makes the command that removes a server's pins. The ID comes from the lockfile, so the command
// contains it only if it is safe to paste.
func (c Command) DropServerCommand(server string) string {
	words := cmp.Or(c.Program, "pinproof") + " relock --drop-server " + PasteableServerID(server, "")
	if c.Lockfile != "" {
		words += " " + QuotePath(c.Lockfile)
	}
	return words
}
