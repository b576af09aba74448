// Package markdown writes reports as a page for a job summary, a pull request's comment or a changelog.
// Everything that is not our own words or a number is in a code span or in a fenced block, where no
// dialect of Markdown knows links, mentions, issue numbers, emoji, formulas or HTML. Server text never
// begins a line, so it can't close its fence.
package markdown

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"pinproof/internal/report"
	"pinproof/internal/report/plain"
)

// Limits in bytes. A comment on a pull request has at most 65,536 characters, a job summary 1 MiB; both
// leave room for what a workflow puts around the page.
const (
	maxComment = 60_000
	maxSummary = 1_000_000
)

// Write prints a report as a page that fits into a comment.
func Write(w io.Writer, m *report.Model) error { return write(w, m, maxComment) }

// WriteSummary prints a report as a page that fits into a job summary.
func WriteSummary(w io.Writer, m *report.Model) error { return write(w, m, maxSummary) }

// write prints the summary, then the drift of all servers, the most dangerous first, as long as there is room. It
// lists what doesn't fit.
func write(w io.Writer, m *report.Model, room int) error {
	// The maximum size, in bytes, of each part other than the drift, so that no part pushes the drift off the page.
	most := room / 10
	begin := regexp.MustCompile("(?m)^.")
	fit := func(part string) string {
		// Four spaces before each line, so that no line is a fence (CommonMark, 4.5).
		return fence("text", plain.TruncateLines(begin.ReplaceAllString(part, "    $0"), most))
	}
	var page, out, next, approve, left, others strings.Builder
	t := plain.New(&out, plain.Style{})
	printed := func(print func(m *report.Model)) string {
		out.Reset()
		print(m)
		return out.String()
	}
	if m.NoVerdict != nil {
		page.WriteString("## No answer\n" + fit("error: "+strings.Join(m.NoVerdict.Lines, "\n")+"\n"))
	} else {
		page.WriteString("## " + m.Word + ": " + code(m.Text) + "\n")
	}
	if !m.Matches && !m.NothingCompared {
		page.WriteString(fit(printed(t.WriteOverview)))
	}
	page.WriteString(fit(printed(t.WriteCaptureFindings)))
	for _, s := range m.Steps(m.ManualSteps) {
		step := "\n" + code(s.Text) + " " + code(s.Digest) + "\n"
		if s.Command != "" {
			// The command begins with pinproof's name, so it can't close its fence.
			step = "\n" + code(s.Text) + ":\n" + fence("sh", s.Command)
		}
		if next.Len()+approve.Len()+len(step) > most {
			continue
		}
		if s.Digest != "" {
			approve.WriteString(step)
		} else {
			next.WriteString(step)
		}
	}
	room -= page.Len() + next.Len() + approve.Len() + most + 1_000 // for words about what is left out
	t.Diff = true
	told := false
	for _, b := range m.ByRank() {
		if !told && !b.Warned {
			told = true
			if several := fence("diff", printed(t.WriteSharedChanges)+printed(t.WriteLateSharedChanges)); len(several) > room/2 {
				t.ForgetSharedChanges(m)
			} else if several != "" {
				room -= len(several)
				page.WriteString("\n### In several\n" + several)
			}
		}
		if b.HasNothingElse(t.Shown) {
			others.WriteString(digests(b, true))
			continue
		}
		rows := printed(func(*report.Model) { t.WriteRows("", b) })
		block := fmt.Sprintf("\n### %d. %s\n", b.Number, code(b.Heading())) + fence("diff", rows) + digests(b, len(b.Entries) > 1)
		if len(block) > room {
			delete(t.Shown, b.Number)
			fmt.Fprintf(&left, "%d  %s\n", b.Number, b.Heading())
			continue
		}
		room -= len(block)
		page.WriteString(block)
	}
	rest := strings.TrimPrefix(printed(t.WriteEntriesWithoutBlock), "    \n")
	if rest = fence("diff", rest) + others.String(); len(rest) <= room+most {
		page.WriteString(rest)
	} else {
		left.WriteString("entries with nothing else than what several share\n")
	}
	if left.Len() > 0 {
		page.WriteString("\n### Not shown here\n\nThere is no room for these on this page; " + code(m.Review.Command) + " shows them:\n" + fit(left.String()))
	}
	if left.Len() == 0 {
		next.WriteString(approve.String()) // the digests are of the whole captures
	}
	if next.Len() > 0 {
		page.WriteString("\n### Next\n" + next.String())
	}
	_, err := io.WriteString(w, page.String())
	return err
}

// digests prints the digests that an approval of a block is bound to, if the block can be approved by digests. With
// named, each one has the name of its entry.
func digests(b *report.ReviewBlock, named bool) string {
	if b.AcceptCommand == "" {
		return ""
	}
	var lines strings.Builder
	for _, e := range b.Entries {
		name := ""
		if named {
			name = " of " + code(e.ShortName)
		}
		fmt.Fprintf(&lines, "\ndigest%s: %s\n", name, code(e.ApprovalDigest))
	}
	return lines.String()
}

// code returns a code span of printable text. A character that would end the span or the table cell around it is
// escaped the way text.Printable does it.
func code(s string) string {
	if s == "" {
		// Two backticks would begin a longer span.
		return ""
	}
	return "`" + strings.NewReplacer("`", "<U+0060>", "|", "<U+007C>").Replace(s) + "`"
}

// fence returns a fenced block of lines that can't close it.
func fence(kind, lines string) string {
	if lines == "" {
		return ""
	}
	return "\n```" + kind + "\n" + strings.TrimSuffix(lines, "\n") + "\n```\n"
}
