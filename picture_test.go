package main

import (
	"bytes"
	"flag"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

var updatePicture = flag.Bool("update-picture", false, "write docs/review.svg anew")

// TestPicture: the picture in the README shows what the program prints for the example, with its colours.
func TestPicture(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for to, from := range map[string]string{"filesystem.jsonl": "upgraded.jsonl", "tools.lock": "tools.lock"} {
		if err := os.WriteFile(filepath.Join(folder, to), vector(t, filepath.Join("testdata", from)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	review := exec.Command(filepath.Join(programFolder(t), "pinproof"), "diff", "filesystem.jsonl", "--color", "always")
	review.Dir = folder
	shown, err := review.Output()
	if review.ProcessState == nil || review.ProcessState.ExitCode() != 1 {
		t.Fatalf("%v, want exit code 1", err)
	}
	upToDigest, _, _ := strings.Cut(string(shown), "hint: set digest") // the last line, which holds a whole digest
	want := picture(t, "$ pinproof diff filesystem.jsonl\n"+upToDigest)
	const path = "docs/review.svg"
	if *updatePicture {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(vector(t, path), want) {
		t.Errorf("%s is not what the program prints; go test . -run TestPicture -update-picture", path)
	}
}

// picture draws what a terminal shows as SVG. It brings its own background, so that it reads the same on light and dark pages.
func picture(t *testing.T, shown string) []byte {
	t.Helper()
	const size, lineHeight, columnWidth, margin = 13, 18, 8, 16
	classes := map[string]string{"1": "bold", "31": "red", "32": "green", "33": "yellow"}
	escape := regexp.MustCompile("\x1b\\[([0-9;]*)m")

	lines := strings.Split(strings.TrimSuffix(shown, "\n"), "\n")
	var drawn bytes.Buffer
	columns := 0
	for i, line := range lines {
		columns = max(columns, utf8.RuneCountInString(escape.ReplaceAllString(line, "")))
		fmt.Fprintf(&drawn, `<text x="%d" y="%d">`, margin, margin+size+i*lineHeight)
		// Each colour is set and reset within its line. Either of the codes 0 and 22 resets it.
		open, last := 0, 0
		for _, at := range escape.FindAllStringSubmatchIndex(line, -1) {
			drawn.WriteString(html.EscapeString(line[last:at[0]]))
			last = at[1]
			for code := range strings.SplitSeq(line[at[2]:at[3]], ";") {
				if class, known := classes[code]; known {
					fmt.Fprintf(&drawn, `<tspan class="%s">`, class)
					open++
				} else if code == "0" || code == "22" {
					drawn.WriteString(strings.Repeat("</tspan>", open))
					open = 0
				} else {
					t.Fatalf("no colour for %q", line)
				}
			}
		}
		if open > 0 {
			t.Fatalf("a colour goes on behind %q", line)
		}
		drawn.WriteString(html.EscapeString(line[last:]) + "</text>\n")
	}
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-size="%d" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace">
<title>What pinproof diff prints of an upgrade that hides an instruction in a description</title>
<style>text { fill: #d1d7e0; white-space: pre } .bold { font-weight: bold } .red { fill: #ff8e86 } .green { fill: #6fce7e } .yellow { fill: #e0b341 }</style>
<rect width="100%%" height="100%%" rx="8" fill="#151b23"/>
%s</svg>
`, columns*columnWidth+2*margin, len(lines)*lineHeight+2*margin, size, drawn.Bytes())
}
