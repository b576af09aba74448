package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// What a hook prints goes to the model, so none of it may come from the server. It
// has only our words, the user's own paths and labels, counts, digests, plain
// names of pins that a person approved, and member names of the specification.

const (
	maxHookBytes = 2 << 10 // bytes of the whole message
	maxHookPath  = 300     // bytes of a path or label in it
	maxHookNames = 12      // pins named for each kind of drift
)

// writeHook says why an agent's start or call is blocked.
func writeHook(w io.Writer, r *report) error {
	lines := []string{"pinproof: blocked: the MCP tools are not the ones approved in " + hookPath(r.lockfile)}
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if n := len(r.newWarnings()); n > 0 {
		say("%s that nobody approved", plural(n, "warning"))
	}
	for i := range r.pairs {
		p := &r.pairs[i]
		if !p.known {
			say("server %s has no approved tools", hookPath(p.server))
		}
		if !p.present {
			say("an approved server has no manifest")
		}
	}
	for _, k := range []kind{concealed, changed, removed, added, duplicate} {
		unnamed, named := counts{}, 0
		for i := range r.drifts {
			d := &r.drifts[i]
			plain := d.list == instructionsList || pasteable(d.name) && len(d.name) <= 64
			switch {
			case d.kind != k:
			case d.pinned == nil || named == maxHookNames || !plain: // nobody approved a new name
				unnamed[d.list]++
			default:
				named++
				say("%s: %s%s", k, shortRef(d.list, d.name), changedMembers(d.list, r.changes[i]))
			}
		}
		if unnamed.total() > 0 {
			say("%s: %s not named here", k, unnamed)
		}
	}
	if len(r.pairs) == 1 {
		say("approved set %s\nlisted set   %s", setOrNone(r.pairs[0].pinned.digest), setOrNone(r.pairs[0].found.digest))
	}
	return hookEnd(w, lines, "Do not use this server's tools. A person has to review the change", r.next)
}

func setOrNone(digest string) string { return cmp.Or(digest, "none: a name is repeated") }

// changedMembers names the members of the specification that changed: " (title, icons)".
func changedMembers(list listKind, changes []change) string {
	var words []string
	for _, c := range changes {
		tokens, _ := pointerTokens(c.pointer)
		word := "another member"
		if len(tokens) > 0 && slices.Contains(entryMembers[list], tokens[0]) {
			word = tokens[0]
		}
		if !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	if len(words) == 0 || list == instructionsList {
		return ""
	}
	return " (" + strings.Join(words, ", ") + ")"
}

// writeHookError says that there is no answer, and where reading stopped. The
// error's own words may quote the server; they are for a person.
func writeHookError(w io.Writer, err error, next command) error {
	lines := []string{"pinproof: blocked: no answer whether the MCP tools are the approved ones"}
	if f, ok := errors.AsType[*userError](err); ok && f.where != "" {
		lines = append(lines, "it stopped at "+hookPath(f.where))
	}
	return hookEnd(w, lines, "Do not use this server's tools. A person sees the reason with", next)
}

// hookPath is a path or label of the user's, printable. Of a long one it keeps the
// end, so that the rest of the message has room.
func hookPath(s string) string {
	if s = printable(s); len(s) > maxHookPath {
		return "..." + strings.ToValidUTF8(s[len(s)-maxHookPath:], "")
	}
	return s
}

// hookEnd writes as many lines as there is room for, then what to do.
func hookEnd(w io.Writer, lines []string, what string, next command) error {
	end := what + ": " + next.to("diff") + "\n"
	if len(end) > maxHookBytes/2 {
		end = what + ": pinproof diff\n"
	}
	const cut = "(more left out)\n"
	text := ""
	for _, l := range lines {
		if len(text)+len(l+"\n"+cut+end) > maxHookBytes {
			text += cut
			break
		}
		text += l + "\n"
	}
	_, err := io.WriteString(w, text+end)
	return err
}
