package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"pinproof/internal/fail"
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

// writeGitHub writes annotations for GitHub Actions. GitHub shows only ten of each level
// outside the log, so the verdict comes first. In the log it also comes last.
func writeGitHub(w io.Writer, r *Report) error {
	out := bufio.NewWriter(w)
	list := annotations(r, true)
	first := annotation{level: "error", line: 1, title: "pinproof", text: r.verdictLine()}
	switch {
	case r.NoAnswer != nil: // it may be about any file, so it has no line
		first = annotation{level: "error", title: "pinproof has no answer", text: strings.Join(fail.Lines(r.NoAnswer), "\n")}
	case !r.Failed:
		first.level = "warning"
	}
	if r.NoAnswer != nil || !r.Matches {
		list = append([]annotation{first}, list...)
	}
	file := githubProperty.Replace(text.Printable(r.annotated()))
	for _, a := range list {
		place := ""
		if file != "" && a.line > 0 {
			place = fmt.Sprintf("file=%s,line=%d,", file, a.line)
		}
		command := strings.Replace(a.level, "note", "notice", 1)
		fmt.Fprintf(out, "::%s %stitle=%s::%s\n", command, place, githubProperty.Replace(a.title), githubData.Replace(a.text))
	}
	if !r.Empty() {
		fmt.Fprintf(out, "%s\n", r.verdictLine())
	}
	if !r.Matches && !r.Empty() {
		fmt.Fprintf(out, "hint: %s: %s\n", r.ReviewStep().Text, r.ReviewStep().Command)
	}
	return out.Flush()
}
