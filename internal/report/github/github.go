// Package github writes reports as annotations of GitHub Actions.
package github

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"pinproof/internal/report"
	"pinproof/internal/text"
)

// GitHub Actions: "::error file=F,line=L,title=T::MESSAGE" on a line of its own
// (GitHub's documentation of workflow commands). Server text can't begin a line,
// because line feeds are escaped, nor end the title, because ":" and "," are.

// Escapes that the runner decodes in a message and in a property.
var (
	githubData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// Write writes annotations for GitHub Actions. GitHub shows only ten of each level
// outside the log, so the verdict comes first. In the log it also comes last.
func Write(w io.Writer, m *report.Model) error {
	out := bufio.NewWriter(w)
	verdict := m.Word + ": " + m.Text
	first := report.Annotation{Level: "error", Line: 1, Title: "pinproof", Text: verdict}
	switch {
	// The error may concern any file, so it has no line.
	case m.NoVerdict != nil:
		first = report.Annotation{Level: "error", Title: "pinproof has no answer", Text: strings.Join(m.NoVerdict.Lines, "\n")}
	case !m.Failed:
		first.Level = "warning"
	}
	list := m.Annotations(false)
	if !m.Matches {
		list = append([]report.Annotation{first}, list...)
	}
	file := githubProperty.Replace(text.Printable(m.AnnotatedFile))
	for _, a := range list {
		place := ""
		if file != "" && a.Line > 0 {
			place = fmt.Sprintf("file=%s,line=%d,", file, a.Line)
		}
		command := strings.Replace(a.Level, "note", "notice", 1)
		fmt.Fprintf(out, "::%s %stitle=%s::%s\n", command, place, githubProperty.Replace(a.Title), githubData.Replace(a.Text))
	}
	if !m.NothingCompared {
		fmt.Fprintf(out, "%s\n", verdict)
		if !m.Matches {
			fmt.Fprintf(out, "hint: %s: %s\n", m.Review.Text, m.Review.Command)
		}
	}
	return out.Flush()
}
