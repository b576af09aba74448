package report

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"pinproof/internal/diff"
	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/shell"
	"pinproof/internal/text"
)

// What a hook prints goes to the model, so none of it may come from the server. It
// has only our words, the user's own paths and labels, counts, digests, plain
// names of pins that a person approved, and member names of the specification.

const (
	maxHookBytes = 2 << 10 // bytes of the whole message
	maxHookPath  = 300     // bytes of a path or label in it
	maxHookNames = 12      // pins named for each kind of drift
)

// WriteHook says why an agent's start or call is blocked.
func WriteHook(w io.Writer, r *Report) error {
	lines := []string{"pinproof: blocked: the MCP tools are not the ones approved in " + hookPath(r.Lockfile)}
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if n := len(r.newWarnings()); n > 0 {
		say("%s that nobody approved", text.Count(n, "warning"))
	}
	for i := range r.Comparisons {
		p := &r.Comparisons[i]
		if !p.Known {
			say("server %s has no approved tools", hookPath(p.Server))
		}
		if !p.Present {
			say("there is no capture of an approved server")
		}
	}
	for _, k := range []pin.DriftKind{pin.Hidden, pin.Changed, pin.Removed, pin.Added, pin.Duplicate} {
		unnamed, named := pin.Counts{}, 0
		for i := range r.Drifts {
			d := &r.Drifts[i]
			plain := d.Type == pin.Instructions || shell.Pasteable(d.Name) && len(d.Name) <= 64
			switch {
			case d.Kind != k:
			case d.Locked == nil || named == maxHookNames || !plain: // nobody approved a new name
				unnamed[d.Type]++
			default:
				named++
				say("%s: %s%s", k, shortRef(d.Type, d.Name), changedMembers(d.Type, r.changes[i]))
			}
		}
		if unnamed.Total() > 0 {
			say("%s: %s not named here", k, unnamed)
		}
	}
	if len(r.Comparisons) == 1 {
		say("approved set %s\nlisted set   %s", SetOrNone(r.Comparisons[0].Locked.Digest), SetOrNone(r.Comparisons[0].Captured.Digest))
	}
	return hookEnd(w, lines, "Do not use this server's tools. A person has to review the change", r.Next)
}

// SetOrNone is a set digest in words. There is none where a name is repeated.
func SetOrNone(digest string) string { return cmp.Or(digest, "none: a name is repeated") }

// changedMembers names the members of the specification that changed: " (title, icons)".
func changedMembers(list pin.EntryType, changes []diff.Change) string {
	var words []string
	for _, c := range changes {
		tokens, _ := jsontree.Tokens(c.Pointer)
		word := "another member"
		if len(tokens) > 0 && slices.Contains(pin.EntryMembers[list], tokens[0]) {
			word = tokens[0]
		}
		if !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	if len(words) == 0 || list == pin.Instructions {
		return ""
	}
	return " (" + strings.Join(words, ", ") + ")"
}

// WriteHookError says that there is no answer, and where reading stopped. The
// error's own words may quote the server; they are for a person.
func WriteHookError(w io.Writer, err error, next shell.Command) error {
	lines := []string{"pinproof: blocked: no answer whether the MCP tools are the approved ones"}
	if f, ok := errors.AsType[*fail.Error](err); ok && f.Where != "" {
		lines = append(lines, "it stopped at "+hookPath(f.Where))
	}
	return hookEnd(w, lines, "Do not use this server's tools. A person sees the reason with", next)
}

// hookPath is a path or label of the user's, printable. Of a long one it keeps the
// end, so that the rest of the message has room.
func hookPath(s string) string {
	if s = text.Printable(s); len(s) > maxHookPath {
		return "..." + strings.ToValidUTF8(s[len(s)-maxHookPath:], "")
	}
	return s
}

// hookEnd writes as many lines as there is room for, then what to do.
func hookEnd(w io.Writer, lines []string, what string, next shell.Command) error {
	end := what + ": " + next.To("diff") + "\n"
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
