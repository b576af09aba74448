package report_test

import (
	"fmt"
	"strings"
	"testing"

	"pinproof/internal/pin"
	"pinproof/internal/pintest"
	page "pinproof/internal/report/html"
	"pinproof/internal/report/markdown"
	"pinproof/internal/report/plain"
	"pinproof/internal/report/reporttest"
)

// TestLetters: a change that three entries have is told once, under a letter. The letter doesn't stand for a change that
// differs in its place, in a side, or in what is shown around it.
func TestLetters(t *testing.T) {
	tool := func(name, description, limit, required string) string {
		return fmt.Sprintf(`{"name":%q,"description":%q,"inputSchema":{"type":"object","properties":{"x":{"type":"string"}%s},"required":[%s]}}`, name, description, limit, required)
	}
	const limit = `,"limit":{"type":"integer","description":"How many there are on a page."}`
	const another = `,"limit":{"type":"integer","description":"How many there may be on a page."}`
	before := []string{}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		before = append(before, tool(name, "Lists "+name+".", "", `"x"`))
	}
	after := []string{
		tool("a", "Lists all of a that there is.", limit, `"x"`),
		tool("b", "Lists one b after another.", limit, `"x"`),
		tool("c", "Lists c by name and by size.", limit, `"x"`),
		tool("d", "Lists d from its end.", another, `"x"`),
		tool("e", "Lists e in no order.", "", `"x"`),
	}
	list := func(tools []string) pin.Set {
		return pintest.PinsOf(t, "["+strings.Join(tools, ",")+"]", pin.Policy{})
	}
	r := reporttest.OfUpgrade(list(before), list(after))
	review := written(t, plain.WriteDiff, r, plain.Style{})
	const told = "a  the same in 3 tools\n   new parameter  arguments.limit  + integer\n     + | How many there are on a page.\n"
	if strings.Count(review, "   also a\n") != 3 || strings.Count(review, told) != 1 {
		t.Errorf("%s", review)
	}
	if strings.Index(review, told) > strings.Index(review, "also a") {
		t.Errorf("it is told too late:\n%s", review)
	}
	if strings.Count(review, "How many there may be on a page.") != 1 {
		t.Errorf("another text:\n%s", review)
	}
	if full := written(t, plain.WriteDiff, r, plain.Style{Full: true}); strings.Contains(full, "also a") || strings.Count(full, "How many there are on a page.") != 1 || strings.Count(full, "same in 2") != 2 {
		t.Errorf("in full:\n%s", full)
	}
	md := reporttest.Written(t, markdown.Write, r)
	if strings.Count(md, "also a\n") != 3 || strings.Count(md, "\n### a. the same in 3 tools\n") != 1 {
		t.Errorf("%s", md)
	}
	html := reporttest.Written(t, page.Write, r)
	if strings.Count(html, `also <a href="#same-a">a</a>`) != 3 || strings.Count(html, `id="same-a"`) != 1 {
		t.Errorf("%s", html)
	}
}

// TestNoLetter: a change isn't told under a letter if what is shown around it differs.
func TestNoLetter(t *testing.T) {
	var before, after []string
	for i, name := range []string{"a", "b", "c"} {
		required := ""
		if i == 2 {
			required = `,"required":["limit"]`
		}
		before = append(before, fmt.Sprintf(`{"name":%q,"description":"Lists %s.","inputSchema":{"type":"object"}}`, name, name))
		after = append(after, fmt.Sprintf(`{"name":%q,"description":"Lists %s by their names.","inputSchema":{"type":"object","properties":{"limit":{"type":"integer","description":"How many there are on a page."}}%s}}`, name, name, required))
	}
	r := reporttest.OfUpgrade(pintest.PinsOf(t, "["+strings.Join(before, ",")+"]", pin.Policy{}), pintest.PinsOf(t, "["+strings.Join(after, ",")+"]", pin.Policy{}))
	for _, b := range r.Model.Blocks {
		if len(b.Letters) > 0 {
			t.Errorf("%+v", b.Letters)
		}
	}
}

// TestCopiesFold: a text that repeats the description isn't shown again, and one that only resembles it is.
func TestCopiesFold(t *testing.T) {
	tool := func(description, copied string) pin.Set {
		annotations := `,"annotations":{"readOnlyHint":true}`
		if copied != "" {
			annotations = fmt.Sprintf(`,"annotations":{"readOnlyHint":true,"description":%q}`, copied)
		}
		return pintest.PinsOf(t, fmt.Sprintf(`[{"name":"a","description":%q%s}]`, description, annotations), pin.Policy{})
	}
	const was = "Lists the bills of a month, the newest of them first."
	const is = "Lists the bills of a month, the oldest of them first."
	for what, test := range map[string]struct {
		old, new pin.Set
		want     string
	}{
		"it joined":      {tool(was, ""), tool(was, was), "/annotations/description  + repeats the description\n"},
		"both changed":   {tool(was, was), tool(is, is), "/annotations/description  repeats the description\n"},
		"another joined": {tool(was, ""), tool(was, is), `+ "Lists the bills of a month, the oldest`},
		"it went":        {tool(was, was), tool(was, ""), `- "Lists the bills of a month, the newest`},
	} {
		if review := written(t, plain.WriteDiff, reporttest.OfUpgrade(test.old, test.new), plain.Style{}); !strings.Contains(review, test.want) {
			t.Errorf("%s:\n%s", what, review)
		}
	}
}
