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
	var b strings.Builder
	w := plain.New(&b, plain.Style{Colored: true})
	w.Rows("", &report.Block{Rows: []report.Row{
		{Op: 'W', Word: "WARNING padding", Finding: true},
		{Op: '!', Word: "wording", Place: "/title", Lines: []report.Line{{Text: []layout.Line{
			{Sign: '-', Runs: []layout.Run{{Op: '-', Text: "<b>old"}}},
			{Sign: '=', Runs: []layout.Run{{Op: '=', Text: "kept "}, {Op: '+', Text: "new"}}},
		}}}}}})
	got := ""
	for _, p := range parts(b.String()) {
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

// TestPlaces: a place keeps all of its text, and a long one has a title.
func TestPlaces(t *testing.T) {
	long := "arguments.exportTarget/items/oneOf/2/properties/mappings/properties/fields/description"
	for _, said := range []string{"/description", long, strings.Repeat("p", 200), "arguments." + strings.Repeat("p", 200) + "/enum", strings.Repeat("/", 100)} {
		p := placeOf(said, said)
		if p.Above+p.Last != said {
			t.Errorf("%q became %q and %q", said, p.Above, p.Last)
		}
		if cut := p.Above != ""; cut != (p.Whole == said) || len(p.Last) >= lastPlace && cut {
			t.Errorf("%q: %q, with the title %q", said, p, p.Whole)
		}
	}
	if p := placeOf(long, "/inputSchema/x"); p.Last != "properties/fields/description" || p.Whole != "/inputSchema/x" {
		t.Errorf("%q", p)
	}
}
