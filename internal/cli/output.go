package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"pinproof/internal/atomicfile"
	"pinproof/internal/facts"
	"pinproof/internal/fail"
	"pinproof/internal/report"
	"pinproof/internal/report/formats"
	"pinproof/internal/report/hook"
	"pinproof/internal/report/plain"
	"pinproof/internal/text"
	"pinproof/internal/workspace"
)

// formatNames returns the formats that --format and --report accept.
func formatNames() string { return strings.Join(formats.Names(), ", ") }

// An output is a run of verify or diff: its request, and the destination of its report.
type output struct {
	request
	format string
	files  []string

	// The path of the capture in suggested commands, if the readers of the report have the capture at another path;
	// otherwise "".
	reader string

	quiet bool // the line about a match isn't printed

	writes map[string]bool // the formats of all outputs
	text   func(io.Writer, *report.Model, plain.Style) error

	hook bool // an agent's hook: the output must be safe for a model
}

func (o *output) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.format, "format", formats.TextFormat, "print this `FORMAT`: "+formatNames())
	cmd.Flags().StringArrayVar(&o.files, "report", nil, "also write the answer to a file: `FORMAT=FILE` (repeatable)")
	cmd.Flags().StringVar(&o.reader, "capture-as", "", "in suggested commands, call the capture `PATH`, which is where its readers keep it")
}

// check refuses unknown formats, and report files that are an input or another output.
func (o *output) check(others ...string) error {
	o.writes = map[string]bool{o.format: true}
	if formats.Find(o.format) == nil {
		return fail.New("--format %s: one of %s", text.QuoteName(o.format), formatNames())
	}
	inputs := []string{o.Capture, o.LockPath}
	entries, _ := os.ReadDir(o.Capture) // empty unless Capture is a folder; Load reports the error
	for _, e := range entries {
		inputs = append(inputs, filepath.Join(o.Capture, e.Name()))
	}
	for _, arg := range o.files {
		name, path, ok := strings.Cut(arg, "=")
		there, _ := os.Stat(path)
		same := func(other string) bool { return other != "" && workspace.SameFile(path, other) }
		isStream := func(stream any) bool { // a standard stream may have been redirected to this file
			f, _ := stream.(*os.File)
			open, err := f.Stat() // Stat of a nil file returns an error
			return err == nil && os.SameFile(open, there)
		}
		if !ok || formats.Find(name) == nil {
			return fail.New("--report %s: FORMAT=FILE, the format one of %s", text.QuoteName(arg), formatNames())
		}
		if path == "" || path == "-" {
			return fail.New("--report needs a file")
		}
		if slices.ContainsFunc(inputs, same) || workspace.SameFile(filepath.Dir(path), o.Capture) {
			return fail.New("--report %s: that is an input; it is never written", text.Printable(path))
		}
		if slices.ContainsFunc(others, same) || slices.ContainsFunc([]any{o.stdin, o.stdout, o.stderr}, isStream) {
			return fail.New("--report %s: an input or another output has that name", text.Printable(path))
		}
		others = append(others, path)
		o.writes[name] = true
	}
	return nil
}

// write writes a report. If nothing was compared, it writes the error, so that a file doesn't keep an old report.
func (o *output) write(w io.Writer, format string, m *report.Model, style plain.Style) error {
	if format != formats.TextFormat {
		return formats.Find(format).Write(w, m)
	}
	if m.NothingCompared {
		_, err := fmt.Fprintf(w, "error: %s\n", m.NoVerdict.Text)
		return err
	}
	style.Full = o.full                 // --full applies to report files, too
	style.Quiet = o.quiet && w == o.out // a report file always has the line about a match
	return o.text(w, m, style)
}

// emit writes the report files, then prints the report. If a file can't be written, the other outputs report that
// error, because the run exits with 2 and its readers would believe a report with exit code 0. known holds the facts,
// or is nil if they haven't been computed.
func (o *output) emit(ans report.Input, known *facts.Explanation) error {
	o.verdict = &ans.Verdict
	if o.hook {
		if ans.ExitCode == 0 {
			return nil
		}
		// The run exits with 2 even if this write fails.
		hook.Write(o.stderr, ans)
		return errReported
	}
	if line, ok := report.MatchLine(&ans); ok {
		// Most runs print only this line, and it takes a fraction of the time of a report.
		t := plain.New(o.out, o.style())
		if !o.quiet || len(ans.Denied) > 0 {
			t.WriteMatch(line)
		}
		return o.printed(t.Err, ans.NoVerdict)
	}
	ans.OmitsData = true
	for name := range o.writes {
		format := formats.Find(name)
		if format.NeedsEntries {
			ans.OmitsData = false
		}
		if format.NeedsHashes {
			ans.ApprovalHash = o.gate.ApprovalHash
		}
	}
	if o.reader != "" {
		ans.CommandLine.Capture = o.reader
	}
	model := o.reportOf(ans, known).Model
	err := o.writeFiles(model)
	if err != nil {
		if o.format == formats.TextFormat && !ans.Matches {
			o.write(o.out, "text", model, o.style()) // the drift has to be shown all the same
		}
		return o.explain(err)
	}
	return o.printed(o.write(o.out, o.format, model, o.style()), ans.NoVerdict)
}

// printed flushes the output. It returns noAnswer or, if printing failed, that error.
func (o *output) printed(err, noAnswer error) error {
	if err == nil {
		err = o.out.Flush()
	}
	// diff only shows its report: if the reader closes the pipe early, that is no error.
	if o.ShowsWithoutPins && errors.Is(err, syscall.EPIPE) {
		o.out.Reset(io.Discard)
		err = nil
	}
	if err != nil {
		return o.explain(fail.PathError("standard output", err))
	}
	return noAnswer
}

// explain writes the error of a run without a verdict to every report, and returns it.
func (o *output) explain(err error) error {
	if o.hook {
		hook.WriteNoVerdict(o.stderr, o.Command, o.LockPath)
		return errReported
	}
	without := report.NewWithoutVerdict(o.gate.ExitCode(nil, err), err)
	// For text, the error goes to standard error.
	if o.format != formats.TextFormat {
		o.write(o.out, o.format, without, plain.Style{}) // ignored: the run fails anyway
	}
	if writeErr := o.writeFiles(without); writeErr != nil && fail.AsError(writeErr).Text != fail.AsError(err).Text {
		fmt.Fprintf(o.stderr, "error: %s\n", fail.AsError(writeErr).Text)
	}
	return err
}

// writeFiles writes every file that it can and returns the first error.
func (o *output) writeFiles(m *report.Model) error {
	var first error
	for _, arg := range o.files {
		name, path, _ := strings.Cut(arg, "=")
		var b bytes.Buffer
		err := o.write(&b, name, m, plain.Style{})
		if err == nil {
			err = atomicfile.Write(path, b.Bytes())
		}
		first = cmp.Or(first, err)
	}
	return first
}
