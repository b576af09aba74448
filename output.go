package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"pinproof/internal/atomicfile"
	"pinproof/internal/fail"
	"pinproof/internal/report"
	"pinproof/internal/report/github"
	"pinproof/internal/report/html"
	"pinproof/internal/report/json"
	"pinproof/internal/report/junit"
	"pinproof/internal/report/markdown"
	"pinproof/internal/report/plain"
	"pinproof/internal/report/sarif"
	"pinproof/internal/text"
)

// formatNames are the formats that --format and --report take.
const formatNames = "text, json, github, sarif, junit, markdown, summary, html"

// formats write a report in a format other than text, or why there is none.
var formats = map[string]func(io.Writer, *report.Model) error{
	"json": json.Write, "github": github.Write, "sarif": sarif.Write, "junit": junit.Write, "markdown": markdown.Write, "summary": markdown.WriteSummary, "html": html.Write,
}

// An output is where verify and diff put their answer.
type output struct {
	format string
	files  []string
	text   func(io.Writer, *report.Model, plain.Style) error
	shows  bool // it is for reading only: a reader that has seen enough may go
}

func (o *output) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.format, "format", "text", "what to print: "+formatNames)
	cmd.Flags().StringArrayVar(&o.files, "report", nil, "write the answer to a file, too: `FORMAT=FILE` (repeatable)")
}

// check refuses unknown formats, and files that are an input or another output.
func (o *output) check(a *app, req *request, others ...string) error {
	if o.find(o.format) == nil {
		return fail.New("--format %s: one of %s", text.Name(o.format), formatNames)
	}
	for _, arg := range o.files {
		name, path, ok := strings.Cut(arg, "=")
		if !ok || o.find(name) == nil {
			return fail.New("--report %s: FORMAT=FILE, the format one of %s", text.Name(arg), formatNames)
		}
		if err := a.checkOutput(req, "--report", path, others...); err != nil {
			return err
		}
		others = append(others, path)
	}
	return nil
}

// find returns the writer of a format, or nil. For an empty report it writes why there
// is no answer.
func (o *output) find(name string) func(io.Writer, *report.Model) error {
	if name == "text" {
		return o.writePlain
	}
	return formats[name]
}

// writePlain writes text to a file, or why there is none: the file must not keep an old answer.
func (o *output) writePlain(w io.Writer, m *report.Model) error {
	if !m.Nothing {
		return o.text(w, m, plain.Style{})
	}
	_, err := fmt.Fprintf(w, "error: %s\n", m.NoAnswer.Text)
	return err
}

// emit writes the files, then prints the answer, and returns it as an error. If err is set
// or an output can't be written, the other outputs have to report that error: a file that
// says exit code 0 when the code is 2 would be believed.
func (o *output) emit(a *app, r *report.Report, style plain.Style, err error) error {
	if err == nil {
		err = o.writeFiles(r)
	}
	if err != nil {
		if o.format == "text" && !r.Matches {
			o.text(a.out, r.Model, style) // the drift is still there
		}
		return o.explain(a, err)
	}
	if o.format == "text" {
		err = o.text(a.out, r.Model, style)
	} else {
		err = o.find(o.format)(a.out, r.Model)
	}
	if err == nil {
		err = a.out.Flush()
	}
	if o.shows && errors.Is(err, syscall.EPIPE) {
		a.out.Reset(io.Discard)
		err = nil
	}
	if err != nil {
		err = fail.Path("standard output", err)
		o.explainFiles(a, err)
		return err
	}
	return answerOf(r.NoAnswer, r.Failed)
}

// explain writes the error of a run without an answer in every format, and returns it.
func (o *output) explain(a *app, err error) error {
	if o.format != "text" { // for text, the error goes to standard error
		o.find(o.format)(a.out, report.Failed(err).Model) // ignored: the run fails anyway
	}
	o.explainFiles(a, err)
	return err
}

func (o *output) explainFiles(a *app, err error) {
	writeErr := o.writeFiles(report.Failed(err))
	if writeErr != nil && fail.From(writeErr).Text != fail.From(err).Text {
		fmt.Fprintf(a.stderr, "error: %s\n", fail.From(writeErr).Text)
	}
}

// writeFiles writes every file that it can and returns the first error.
func (o *output) writeFiles(r *report.Report) error {
	var first error
	for _, arg := range o.files {
		name, path, _ := strings.Cut(arg, "=")
		var b bytes.Buffer
		err := o.find(name)(&b, r.Model)
		if err == nil {
			err = atomicfile.Write(path, b.Bytes())
		}
		if first == nil {
			first = err
		}
	}
	return first
}
