// Package hook writes the output of verify --hook, which an agent's language model reads. It doesn't build a
// report.Model, because the agent waits for the output.
package hook

import (
	"fmt"
	"io"

	"pinproof/internal/modeltext"
	"pinproof/internal/pin"
	"pinproof/internal/report"
	"pinproof/internal/shell"
)

// Write prints why an agent's start or call is blocked: how much differs, and the command for a person. It prints
// only names from the user's command line, none from a capture, a lockfile or a folder.
func Write(w io.Writer, in report.Input) error {
	var of, empty modeltext.Text
	if in.CommandLine.Server != "" {
		of = modeltext.New(" of server ").AddArgument(in.CommandLine.Server)
	}
	denied := 0 // denied entries that fail the run
	if in.RefusesDenied {
		denied = len(in.Denied)
	}
	if denied > 0 && len(in.Drifts) == 0 && len(in.UnjudgedServers) == 0 {
		return write(w, []modeltext.Text{
			modeltext.New("pinproof: blocked: a person has denied ").AddCount(denied, "MCP entry").AddText(of),
			modeltext.New("Do not use this server's tools. A person lets the guard or the client leave out what is denied, and adds to this command: --allow denied"),
		})
	}
	lines := []modeltext.Text{modeltext.New("pinproof: blocked: the MCP tools").AddText(of).AddWords(" are not the ones approved")}
	say := func(line modeltext.Text) { lines = append(lines, line) }
	warnings := 0
	for _, f := range in.Findings {
		if f.Warning && !f.Approved {
			warnings++
		}
	}
	unknown := 0
	missing := 0
	for _, p := range in.Comparisons {
		if !p.IsLocked() {
			unknown++
		}
		if !p.HasCapture() {
			missing++
		}
	}
	drifted := map[pin.DriftKind]int{}
	for _, d := range in.Drifts {
		drifted[d.Kind]++
	}
	if warnings > 0 {
		say(empty.AddCount(warnings, "warning").AddWords(" that nobody approved"))
	}
	if unknown > 0 {
		say(empty.AddCount(unknown, "server").AddWords(" without approved tools"))
	}
	if missing > 0 {
		say(empty.AddCount(missing, "server").AddWords(" without a capture"))
	}
	if denied > 0 {
		say(empty.AddCount(denied, "denied entry").AddWords(", which only a guard keeps from agents"))
	}
	if len(drifted) > 0 {
		say(empty.AddCount(len(in.Drifts), "entry").AddWords(": ").AddDrift(drifted))
	}
	if len(in.Comparisons) == 1 {
		say(modeltext.New("approved set ").AddDigest(in.Comparisons[0].Locked.Digest))
		say(modeltext.New("listed set   ").AddDigest(in.Comparisons[0].Captured.Digest))
	}
	c := in.CommandLine
	c.Lockfile = in.Lockfile // even if the user didn't name it
	say(modeltext.New("Do not use this server's tools. ").AddReviewCommand("A person reviews the change at a terminal", c))
	return write(w, lines)
}

// WriteNoVerdict prints that there is no verdict. It doesn't print the reason, because the reason may quote the
// server; only a person reads it.
func WriteNoVerdict(w io.Writer, next shell.Command, lockfile string) error {
	next.Lockfile = lockfile
	return write(w, []modeltext.Text{
		modeltext.New("pinproof: blocked: no answer whether the MCP tools are the approved ones"),
		modeltext.New("Do not use this server's tools. ").AddReviewCommand("To see why, a person runs this at a terminal", next),
	})
}

func write(w io.Writer, lines []modeltext.Text) error {
	for _, line := range lines {
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}
