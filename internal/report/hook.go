package report

import (
	"cmp"
	"errors"
	"io"
	"slices"
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
	maxHookPath  = 120 // bytes of a path or label in it
	maxHookNames = 4   // servers, or pins for each kind of drift, that are named
)

// WriteHook says why an agent's start or call is blocked.
func WriteHook(w io.Writer, in Input) error {
	lines := []string{"pinproof: blocked: the MCP tools are not the ones approved in " + hookPath(in.Lockfile)}
	say := func(what string, of []string) {
		if len(of) > 0 {
			lines = append(lines, what+text.List(of, maxHookNames))
		}
	}
	if n := len(slices.DeleteFunc(slices.Clone(in.Findings), func(f lint.Finding) bool { return !f.Warning || f.Approved })); n > 0 {
		of := " that nobody approved"
		if in.Unread > 0 {
			of += ", in what was read of so much drift"
		}
		lines = append(lines, text.Count(n, "warning")+of)
	}
	var unknown, missing []string
	for _, p := range in.Comparisons {
		if !p.Known {
			unknown = append(unknown, hookPath(p.Server))
		}
		if !p.Present {
			missing = append(missing, hookPath(p.Server))
		}
	}
	say("no approved tools of server ", unknown)
	say("no capture of server ", missing)
	for _, k := range kinds {
		var names []string
		unnamed := pin.Counts{}
		for _, d := range in.Drifts {
			plain := d.Type == pin.Instructions || shell.Pasteable(d.Name) && len(d.Name) <= 64
			switch {
			case d.Kind != k:
			case d.Locked == nil || !plain: // nobody approved a new name
				unnamed[d.Type]++
			default:
				names = append(names, shortRef(d.Type, d.Name))
			}
		}
		say(string(k)+": ", names)
		if unnamed.Total() > 0 {
			lines = append(lines, string(k)+": "+unnamed.String()+" not named here")
		}
	}
	if len(in.Comparisons) == 1 {
		lines = append(lines, "approved set "+SetOrNone(in.Comparisons[0].Locked.Digest), "listed set   "+SetOrNone(in.Comparisons[0].Captured.Digest))
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

// hookEnd writes the lines, then what to do.
func hookEnd(w io.Writer, lines []string, what string, next shell.Command) error {
	command := next.To("diff")
	if len(command) > 4*maxHookPath {
		command = "pinproof diff"
	}
	_, err := io.WriteString(w, strings.Join(append(lines, what+": "+command), "\n")+"\n")
	return err
}
