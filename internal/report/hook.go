package report

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"pinproof/internal/fail"
	"pinproof/internal/lint"
	"pinproof/internal/pin"
	"pinproof/internal/shell"
	"pinproof/internal/text"
)

// What a hook prints goes to the model, so none of it may come from the server. It
// has only our words, the user's own paths and labels, counts, digests and plain
// names of pins that a person approved. It needs no model of the report: an agent waits.

const (
	maxHookBytes = 2 << 10 // bytes of the whole message
	maxHookPath  = 300     // bytes of a path or label in it
	maxHookNames = 12      // pins named for each kind of drift
)

// WriteHook says why an agent's start or call is blocked.
func WriteHook(w io.Writer, in Input) error {
	lines := []string{"pinproof: blocked: the MCP tools are not the ones approved in " + hookPath(in.Lockfile)}
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	warnings := 0
	for _, f := range in.Findings {
		warnings += lint.RankOf(f.Warning && !f.Approved)
	}
	if warnings > 0 {
		say("%s that nobody approved", text.Count(warnings, "warning"))
	}
	for i := range in.Comparisons {
		p := &in.Comparisons[i]
		if !p.Known {
			say("server %s has no approved tools", hookPath(p.Server))
		}
		if !p.Present {
			say("there is no capture of an approved server")
		}
	}
	for _, k := range []pin.DriftKind{pin.Hidden, pin.Changed, pin.Removed, pin.Added, pin.Duplicate} {
		unnamed, named := pin.Counts{}, 0
		for i := range in.Drifts {
			d := &in.Drifts[i]
			if d.Kind != k {
				continue
			}
			plain := d.Type == pin.Instructions || shell.Pasteable(d.Name) && len(d.Name) <= 64
			if d.Locked == nil || named == maxHookNames || !plain { // nobody approved a new name
				unnamed[d.Type]++
				continue
			}
			named++
			say("%s: %s", k, shortRef(d.Type, d.Name))
		}
		if unnamed.Total() > 0 {
			say("%s: %s not named here", k, unnamed)
		}
	}
	if len(in.Comparisons) == 1 {
		say("approved set %s\nlisted set   %s", SetOrNone(in.Comparisons[0].Locked.Digest), SetOrNone(in.Comparisons[0].Captured.Digest))
	}
	return hookEnd(w, lines, "Do not use this server's tools. A person has to review the change", in.Next)
}

// SetOrNone is a set digest in words. There is none where a name is repeated.
func SetOrNone(digest string) string { return cmp.Or(digest, "none: a name is repeated") }

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
