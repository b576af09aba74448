package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"pinproof/internal/capture"
	"pinproof/internal/jsontest"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
	"pinproof/internal/prompt"
	. "pinproof/internal/report"
	page "pinproof/internal/report/html"
	"pinproof/internal/report/markdown"
	"pinproof/internal/report/plain"
	"pinproof/internal/report/reporttest"
)

// What a person is asked to accept has been shown: every sentence, name and value that was added or
// removed is in the review, on the page, in Markdown, and at the prompt before the question. These tests
// work out what that is from what encoding/json reads, without any of the code that shows it.

// A made is a JSON object as encoding/json reads it.
type made = map[string]any

// An upgrader makes up servers and changes them.
type upgrader struct {
	jsontest.Maker
	n      int  // how many words were made up so far: no two are equal
	shared made // schemas that several tools have, used or not
}

func (u *upgrader) word() string {
	u.n++
	return u.Pick("kite", "lamp", "pond", "reed", "moss", "fern") + fmt.Sprint(u.n)
}

func (u *upgrader) sentence() string {
	return u.Pick("Reads the %s of a %s.", "Never sends a %s to the %s!", "Takes %s, e.g. a %s; ", "Before any answer the %s opens the %s.", "この%sは%sです。")
}

func (u *upgrader) text() string {
	var list []string
	for range 1 + u.IntN(4) {
		list = append(list, fmt.Sprintf(u.sentence(), u.word(), u.word()))
	}
	return strings.TrimSpace(strings.Join(list, u.Pick(" ", "\n", "\n\n")))
}

// schema makes a schema that may have texts in every place where schemas have them.
func (u *upgrader) schema(depth int) made {
	s := made{"type": u.Pick("string", "integer", "object", "array")}
	maybe := func(name string, value func() any) {
		if u.IntN(4) == 0 {
			s[name] = value()
		}
	}
	maybe("description", func() any { return u.text() })
	maybe("title", func() any { return u.word() })
	maybe("enum", func() any { return []any{u.word(), u.word(), "stays"} })
	maybe("const", func() any { return u.word() })
	maybe("default", func() any { return u.word() })
	maybe("examples", func() any { return []any{u.text(), made{u.word(): u.word()}} })
	maybe("pattern", func() any { return "^" + u.word() + "$" })
	maybe("format", func() any { return u.Pick("date", "order-"+u.word()) })
	maybe("$comment", func() any { return u.text() })
	maybe("x-"+u.word(), func() any { return made{u.word(): []any{u.text()}} })
	maybe("maximum", func() any { return u.IntN(99) })
	maybe("additionalProperties", func() any { return u.IntN(2) == 0 })
	if depth > 0 {
		below := func() any { return u.schema(depth - 1) }
		named := func() any { return made{u.word(): below(), u.word(): below()} }
		maybe("properties", named)
		maybe("properties", named)
		maybe("$defs", named)
		maybe("patternProperties", named)
		maybe("items", below)
		maybe("not", below)
		maybe("if", below)
		maybe("anyOf", func() any { return []any{below(), below()} })
	}
	return s
}

// entry makes an entry of a list.
func (u *upgrader) entry(list, identity string) made {
	e := made{identity: u.word(), "description": u.text()}
	maybe := func(name string, value func() any) {
		if u.IntN(2) == 0 {
			e[name] = value()
		}
	}
	maybe("title", func() any { return u.text() })
	maybe("_meta", func() any { return made{u.word(): made{u.word(): u.text()}, "n": u.IntN(9)} })
	maybe("icons", func() any { return []any{made{"src": "https://example.com/" + u.word(), "mimeType": "image/png"}} })
	maybe(u.word(), func() any { return u.text() })
	switch list {
	case "tools":
		e["inputSchema"] = made{"type": "object", "properties": made{u.word(): u.schema(2), u.word(): u.schema(1)}}
		if u.shared == nil {
			u.shared = made{"first": u.schema(1), "next": u.schema(1), "last": made{"type": "object", "properties": made{u.word(): u.schema(0), u.word(): u.schema(0)}}}
		}
		if u.IntN(2) == 0 { // other tools have most of these, too
			defs := maps.Clone(u.shared)
			defs[u.Pick("first", "next", "last", "own")] = u.schema(1)
			e["inputSchema"].(made)["$defs"] = defs
		}
		maybe("outputSchema", func() any { return made{"type": "object", "properties": made{u.word(): u.schema(2)}} })
		maybe("annotations", func() any { return made{"title": u.text(), "readOnlyHint": u.IntN(2) == 0, u.word(): u.text()} })
		maybe("execution", func() any { return made{"taskSupport": u.Pick("forbidden", u.word())} })
	case "prompts":
		e["arguments"] = []any{made{"name": u.word(), "description": u.text()}, made{"name": u.word(), "required": true}}
	default:
		e["name"] = u.word()
		maybe("annotations", func() any { return made{"audience": []any{"user", u.word()}} })
	}
	return e
}

// edit changes something in a value, at any depth.
func (u *upgrader) edit(v any, fixed ...string) any {
	switch v := v.(type) {
	case string:
		list := strings.SplitAfter(v, ". ")
		switch at := u.IntN(len(list)); u.IntN(5) {
		case 0: // one more sentence
			return strings.Join(slices.Insert(list, at, fmt.Sprintf(u.sentence(), u.word(), u.word())+" "), "")
		case 1: // one sentence less
			return strings.TrimSpace(strings.Join(slices.Delete(list, at, at+1), "")) + "."
		case 2: // another order
			slices.Reverse(list)
			return strings.TrimSpace(strings.Join(list, " "))
		case 3: // the opposite meaning
			return strings.NewReplacer("Never sends", "Always sends", "Reads", "Never reads").Replace(v)
		}
		return u.text()
	case []any:
		if len(v) == 0 {
			return []any{u.word()}
		}
		switch list := slices.Clone(v); u.IntN(4) {
		case 0:
			slices.Reverse(list)
			return list
		case 1:
			return append(list, u.word())
		case 2:
			return list[1:]
		default:
			at := u.IntN(len(list))
			list[at] = u.edit(list[at])
			return list
		}
	case made:
		names := slices.DeleteFunc(slices.Sorted(maps.Keys(v)), func(name string) bool { return slices.Contains(fixed, name) })
		if len(names) == 0 {
			v = maps.Clone(v)
			v[u.word()] = u.text()
			return v
		}
		v, name := maps.Clone(v), names[u.IntN(len(names))]
		switch u.IntN(8) {
		case 0:
			delete(v, name)
		case 1:
			v[u.word()] = u.text()
		case 2: // another name for the member
			v[u.word()] = v[name]
			delete(v, name)
		default:
			v[name] = u.edit(v[name])
		}
		return v
	case bool:
		return !v
	}
	return u.IntN(99)
}

var lists = map[string]string{"tools": "name", "prompts": "name", "resources": "uri", "resourceTemplates": "uriTemplate"}

// session writes a server's lists as a capture.
func session(server map[string][]made, instructions string) string {
	var b strings.Builder
	line := func(id int, result made) {
		text, _ := json.Marshal(made{"jsonrpc": "2.0", "id": id, "result": result})
		b.WriteString(string(text) + "\n")
	}
	line(0, made{"protocolVersion": "2025-06-18", "serverInfo": made{"name": "s", "version": "1"}, "capabilities": made{}, "instructions": instructions})
	for i, list := range slices.Sorted(maps.Keys(lists)) {
		line(i+1, made{list: server[list]})
	}
	return b.String()
}

// statements passes the sentences, names and values of a definition to add, with their places: the names of the
// members on the way, and "[]" for every element. exempt ones need not be shown. of is the name that a title may
// repeat, name that of the member v. With names, the members of v are named by the server.
func statements(v any, place, of, name string, names bool, add func(place, said string, exempt bool)) {
	switch v := v.(type) {
	case string:
		known := map[string]string{"type": " string integer object array number boolean null ", "format": " date uri date-time email uuid ", "taskSupport": " forbidden optional required ", "mimeType": " image/png image/jpeg image/svg+xml ",
			"$schema": " http://json-schema.org/draft-07/schema# https://json-schema.org/draft/2020-12/schema "}[name]
		titled := name == "title" && strings.EqualFold(strings.NewReplacer("_", "", "-", "", " ", "", ".", "").Replace(v), strings.NewReplacer("_", "", "-", "", ".", "").Replace(of))
		if titled || strings.Contains(known, " "+v+" ") {
			add(place, v, true)
			return
		}
		for _, said := range sentenceEnd.Split(sentenceMark.ReplaceAllString(strings.NewReplacer("e.g.", "e\x00g\x00", "i.e.", "i\x00e\x00").Replace(v), "$1\x01"), -1) {
			if said = strings.TrimSpace(strings.ReplaceAll(said, "\x00", ".")); said != "" {
				add(place, said, false)
			}
		}
	case []any:
		for _, item := range v {
			statements(item, place+"/[]", of, name, false, add)
		}
	case made:
		for member, item := range v {
			if names || !oracleKeywords[member] {
				add(place+"/", member, false)
			}
			holds := !names && slices.Contains([]string{"properties", "patternProperties", "$defs"}, member)
			within := of // the name that a title in it may repeat
			if names {
				within = member
			}
			at := member
			if !names && at == "oneOf" {
				at = "anyOf" // what moved from one to the other is neither added nor removed
			}
			statements(item, place+"/"+at, within, member, holds, add)
		}
	}
}

// nameOf returns the name of an entry, which its title may repeat in words.
func nameOf(v any) string {
	entry, _ := v.(made)
	name, _ := entry["name"].(string)
	return name
}

var (
	sentenceMark = regexp.MustCompile(`([。！？।؟]|[.!?;](?:\s|$)|\n)`)
	sentenceEnd  = regexp.MustCompile("\x01")

	oracleKeywords = map[string]bool{}
)

func init() {
	for _, word := range strings.Fields("name uri uriTemplate title description _meta icons src mimeType annotations readOnlyHint audience arguments required execution taskSupport " +
		"inputSchema outputSchema type properties patternProperties $defs items not if anyOf enum const default examples pattern format $comment maximum additionalProperties " +
		"minimum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems uniqueItems minProperties maxProperties propertyNames allOf oneOf then else prefixItems " +
		"contains $schema $id $ref definitions destructiveHint idempotentHint openWorldHint deprecated readOnly writeOnly nullable contentEncoding contentMediaType sizes theme dependentRequired") {
		oracleKeywords[word] = true
	}
}

// wanted returns what was added to an entry and what was removed from it.
func wanted(old, new any) (joined, gone []string) {
	sides := [2]map[[2]string]bool{{}, {}} // by place and words, whether it has to be shown
	for i, v := range []any{old, new} {
		if v != nil {
			statements(v, "", nameOf(v), "", false, func(place, said string, exempt bool) { sides[i][[2]string{place, said}] = !exempt })
		}
	}
	has := func(side int, fact [2]string) bool {
		_, ok := sides[side][fact]
		return ok
	}
	for fact, counts := range sides[1] {
		if counts && !has(0, fact) {
			joined = append(joined, fact[1])
		}
	}
	for fact, counts := range sides[0] {
		if counts && !has(1, fact) {
			gone = append(gone, fact[1])
		}
	}
	return joined, gone
}

var (
	removedMark = regexp.MustCompile(`(?s)\[-.*?-\]`)
	addedMark   = regexp.MustCompile(`(?s)\{\+.*?\+\}`)
	gutterMark  = regexp.MustCompile(`(?m)^[-+ @!]*(?:[|:] *)+`)
	besideMark  = regexp.MustCompile(`(?m)  [-+ ] [|:] ?`)
)

// flat returns a text without blanks, quotes, and the marks of sentences to read first.
func flat(s string) string {
	return strings.NewReplacer(" ", "", "\n", "", "\\n", "", "\"", "", "\\", "", "»", "", "«", "").Replace(s)
}

// sidesOf returns the old and the new side of a text with marks and gutters.
func sidesOf(s string) (sides [2]string) {
	s = besideMark.ReplaceAllString(gutterMark.ReplaceAllString(s, " "), " ")
	sides[0] = flat(strings.NewReplacer("[-", "", "-]", "").Replace(addedMark.ReplaceAllString(s, "")))
	sides[1] = flat(strings.NewReplacer("{+", "", "+}", "").Replace(removedMark.ReplaceAllString(s, "")))
	return sides
}

// unfolded returns what a page shows without a click.
func unfolded(t *testing.T, page string) (lines string) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		if n.Type == html.TextNode && !reporttest.IsInClosedDetails(n) && !reporttest.HasClass(n.Parent, "sign") {
			lines += n.Data
		}
	}
	return lines
}

// shownEverywhere checks that every output shows what was added and what was removed in each entry of a report. It
// returns how many sentences, names and values it looked for.
func shownEverywhere(t *testing.T, r *Report, side func(key pin.Key) (old, new any)) (counted int) {
	t.Helper()
	var diff, md, shown bytes.Buffer
	if err := plain.WriteDiff(&diff, r.Model, plain.Style{}); err != nil {
		t.Fatal(err)
	}
	if err := markdown.WriteSummary(&md, r.Model); err != nil {
		t.Fatal(err)
	}
	asker := prompt.New(strings.NewReader(strings.Repeat("n\n", len(r.Drifts))), &shown, plain.New(&shown, plain.Style{}), r.Model, "again", nil)
	if _, err := asker.Review(); err != nil {
		t.Fatal(err)
	}
	questions := strings.SplitAfter(shown.String(), "[?]: ")
	outputs := map[string][2]string{"diff": sidesOf(diff.String()), "markdown": sidesOf(md.String()), "page": sidesOf(unfolded(t, reporttest.WriteToString(t, page.Write, r.Model)))}
	for i := range r.Drifts {
		d := &r.Drifts[i]
		old, new := side(d.Key)
		if d.RenamedTo != "" { // compare it with the entry under the new name
			_, new = side(pin.Key{Type: d.Type, Name: d.RenamedTo})
		}
		joined, gone := wanted(old, new)
		if d.Kind == pin.DriftRemoved && d.RenamedTo == "" {
			gone = nil // nobody has to read again what is gone with its entry
		}
		before := sidesOf(strings.Join(questions[:questionOf(questions, r.Model.Entries[i].DisplayName)], ""))
		for at, list := range [][]string{gone, joined} {
			for _, said := range list {
				counted++
				outputs["prompt"] = before
				for name, sides := range outputs {
					if !strings.Contains(sides[at], flat(said)) && !strings.Contains(sides[1], flat(said)) && !spelled(sides[at], said) {
						t.Errorf("%s doesn't show what %s of %s: %q\n%s", name, []string{"went", "joined"}[at], d.EntryRef(), said, diff.String())
						return counted
					}
				}
				if r.Model.Entries[i].Minor {
					t.Errorf("%s is minor, and %q joined or went", d.EntryRef(), said)
				}
			}
		}
	}
	return counted
}

// questionOf returns how many questions there are up to the one that names an entry; all of them if no question does.
func questionOf(questions []string, said string) int {
	for i, q := range questions {
		for line := range strings.Lines(q) {
			// The text of a question, or the names of the entries that it is about.
			if asks := strings.HasPrefix(line, "Accept ") || strings.HasPrefix(line, "nothing "); asks && strings.Contains(" "+strings.NewReplacer(",", " ", "?", " ").Replace(line)+" ", " "+said+" ") {
				return i + 1
			}
		}
	}
	return len(questions)
}

// spelled reports whether a text is shown with its non-ASCII characters spelled by code points. Names are, and
// texts next to one that looks alike.
func spelled(shown, said string) bool {
	escaped := regexp.MustCompile("[^ -~]").ReplaceAllStringFunc(said, func(s string) string { return fmt.Sprintf("<U+%04X>", []rune(s)[0]) })
	return escaped != said && strings.Contains(shown, flat(escaped))
}

func sessionReport(t *testing.T, old, new string) *Report {
	t.Helper()
	policy := pin.Policy{Resources: true}
	var sets [2]pin.Set
	for i, text := range []string{old, new} {
		m, err := capture.Read("live.json", []byte(text), pintest.HashDefinition, policy)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if sets[i], err = capture.PinCapture(m, "s", policy, nil, pintest.HashDefinition); err != nil {
			t.Fatal(err)
		}
	}
	return reporttest.NewReportOf([]pin.Comparison{{Server: "s", CapturePath: "live.json", State: pin.ServerPaired, Locked: sets[0], Captured: sets[1]}}, nil)
}

// TestWhatIsAcceptedWasShown makes up servers, upgrades them in every place, and looks for all
// that was added or removed.
func TestWhatIsAcceptedWasShown(t *testing.T) {
	t.Parallel()
	counted, rounds := 0, jsontest.RoundCount(10, 40)
	for seed := range uint64(rounds) {
		u := &upgrader{Maker: jsontest.NewMaker(seed)}
		old, new := map[string][]made{}, map[string][]made{}
		for _, list := range slices.Sorted(maps.Keys(lists)) {
			identity := lists[list]
			for range 3 {
				e := u.entry(list, identity)
				old[list] = append(old[list], e)
				switch u.IntN(6) {
				case 0: // it goes
				case 1: // it stays
					new[list] = append(new[list], e)
				default:
					changed := any(e)
					for range 1 + u.IntN(4) {
						changed = u.edit(changed, identity, "inputSchema")
						if tool := changed.(made); u.IntN(2) == 0 && tool["inputSchema"] != nil {
							tool["inputSchema"] = u.edit(tool["inputSchema"])
						}
					}
					new[list] = append(new[list], changed.(made))
				}
			}
			new[list] = append(new[list], u.entry(list, identity))
		}
		instructions := [2]string{u.text(), ""}
		instructions[1] = u.edit(instructions[0]).(string)
		r := sessionReport(t, session(old, instructions[0]), session(new, instructions[1]))
		counted += shownEverywhere(t, r, func(key pin.Key) (was, is any) {
			if key.Type == pin.Instructions {
				return instructions[0], instructions[1]
			}
			list := pin.EntryTypeInfo[key.Type].Member
			for i, side := range []map[string][]made{old, new} {
				for _, e := range side[list] {
					if e[lists[list]] == key.Name {
						if i == 0 {
							was = e
						} else {
							is = e
						}
					}
				}
			}
			return was, is
		})
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if counted < 75*rounds {
		t.Errorf("only %d sentences, names and values", counted)
	}
}

// TestRealUpgradesAreShownWhole does the same with releases of real servers.
func TestRealUpgradesAreShownWhole(t *testing.T) {
	t.Parallel()
	counted := 0
	pintest.SomeUpgrades(t, func(old, new string) {
		var sides [2]map[string]made
		for i, path := range []string{old, new} {
			sides[i] = map[string]made{}
			set := pintest.ReadPins(t, path, "s")
			for _, p := range set.PinsOf(pin.Tools) {
				sides[i][p.Name] = jsontest.DecodeJSON(t, p.Definition).(made)
			}
		}
		r := reporttest.UpgradeReport(pintest.ReadPins(t, old, "s"), pintest.ReadPins(t, new, "s"))
		counted += shownEverywhere(t, r, func(key pin.Key) (was, is any) {
			if key.Type == pin.Tools && sides[0][key.Name] != nil {
				was = sides[0][key.Name]
			}
			if key.Type == pin.Tools && sides[1][key.Name] != nil {
				is = sides[1][key.Name]
			}
			return was, is
		})
		if t.Failed() {
			t.Fatalf("%s -> %s", old, new)
		}
	})
	t.Logf("%d sentences, names and values", counted)
}

// TestOrdersByName has upgrades that an attacker would make.
func TestOrdersByName(t *testing.T) {
	tool := func(members string) string { return `[{"name":"t",` + members + `},{"name":"u",` + members + `}]` }
	for _, row := range jsontest.ReadRows(t, "testdata/orders.txt", 4) {
		r := reporttest.ListsReport(t, tool(row[1]), tool(row[2]))
		var b bytes.Buffer
		if err := plain.WriteDiff(&b, r.Model, plain.Style{Width: 1_000}); err != nil {
			t.Fatal(err)
		}
		for _, want := range strings.Fields(row[3]) {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: no %q in\n%s", row[0], row[3], b.String())
				break
			}
		}
		if r.Model.Entries[0].Minor {
			t.Errorf("%s is minor:\n%s", row[0], b.String())
		}
	}
}
