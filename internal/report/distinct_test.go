package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"pinproof/internal/capture"
	"pinproof/internal/diff"
	"pinproof/internal/effort"
	"pinproof/internal/jsontest"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
	. "pinproof/internal/report"
	page "pinproof/internal/report/html"
	"pinproof/internal/report/markdown"
	"pinproof/internal/report/plain"
	"pinproof/internal/report/reporttest"
)

// Captures that differ must have reviews that differ, so that whoever has read a review knows what would be pinned.
// Digests and counts of bytes don't make a difference: nobody reads them. Minor changes are summed up: only --full has
// to show them.

// A mangler makes two captures out of one, which differ in a way that a review could hide.
type mangler struct{ jsontest.Maker }

// A slot is a place in a definition that has a text, or could have one.
type slot struct {
	in   made
	name string
}

func (s slot) text() string {
	text, _ := s.in[s.name].(string)
	return text
}

// slots lists the texts of some tools, and the schemas in them without a description.
func slots(tools []made) (texts, empty []slot) {
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, item := range v {
				walk(item)
			}
		case made:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				text, isText := v[name].(string)
				if isText && name != "name" && name != "type" && name != "$ref" && name != "$schema" && len(text) > 3 {
					texts = append(texts, slot{v, name})
				}
				walk(v[name])
			}
			_, typed := v["type"].(string)
			if _, described := v["description"]; typed && !described {
				empty = append(empty, slot{v, "description"})
			}
		}
	}
	for _, tool := range tools {
		walk(tool)
	}
	return texts, empty
}

// listsIn are the lists in a value that have more than one element.
func listsIn(v any) (found [][]any) {
	switch v := v.(type) {
	case []any:
		if len(v) > 1 {
			found = append(found, v)
		}
		for _, item := range v {
			found = append(found, listsIn(item)...)
		}
	case made:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			found = append(found, listsIn(v[name])...)
		}
	}
	return found
}

// parameters are the maps of parameters of some tools, those of inputs and those of outputs.
func parameters(tools []made) (found []made) {
	for _, tool := range tools {
		for _, side := range []string{"inputSchema", "outputSchema"} {
			schema, _ := tool[side].(made)
			if properties, _ := schema["properties"].(made); len(properties) > 0 {
				found = append(found, properties)
			}
		}
	}
	return found
}

var manglings = []string{"swap", "move", "double", "shuffle", "turn", "parameter", "drop", "keyword"}

// mangle changes some tools in one way. It may leave them as they are.
func (m *mangler) mangle(tools []made, how string) {
	texts, empty := slots(tools)
	if len(texts) == 0 {
		return
	}
	one, other := texts[m.IntN(len(texts))], texts[m.IntN(len(texts))]
	if len(empty) > 0 && m.IntN(2) == 0 {
		other = empty[m.IntN(len(empty))]
	}
	switch how {
	case "swap":
		text := one.text()
		one.in[one.name] = other.text()
		other.in[other.name] = text
	case "move":
		other.in[other.name] = one.text()
		delete(one.in, one.name)
	case "double":
		other.in[other.name] = one.text()
	case "shuffle":
		for range 20 {
			list := strings.SplitAfter(one.text(), ". ")
			if len(list) < 2 {
				one = texts[m.IntN(len(texts))]
				continue
			}
			for i := range list {
				list[i] = strings.TrimSpace(list[i])
			}
			if m.IntN(3) == 0 {
				list = append(list, list[m.IntN(len(list))])
			}
			m.Shuffle(len(list), func(i, j int) {
				swapped := list[i]
				list[i] = list[j]
				list[j] = swapped
			})
			one.in[one.name] = strings.Join(list, " ")
			return
		}
	case "turn":
		var all []any
		for _, tool := range tools {
			all = append(all, tool)
		}
		var found [][]any
		for _, tool := range all {
			found = append(found, listsIn(tool)...)
		}
		if len(found) > 0 {
			slices.Reverse(found[m.IntN(len(found))])
		}
	case "parameter":
		all := parameters(tools)
		if len(all) == 0 {
			return
		}
		from, to := all[m.IntN(len(all))], all[m.IntN(len(all))]
		names := slices.Sorted(maps.Keys(from))
		name := names[m.IntN(len(names))]
		moved, replaced := from[name], to[name]
		to[name] = moved
		if replaced != nil {
			from[name] = replaced
		}
	case "drop":
		delete(one.in, one.name)
	case "keyword":
		if len(empty) > 0 {
			schema := empty[m.IntN(len(empty))].in
			name := m.Pick("if", "not", "$defs", "contains", "propertyNames", "const", "minLength")
			if _, has := schema[name]; has {
				delete(schema, name)
				return
			}
			schema[name] = map[string]any{"if": made{"type": "string"}, "not": made{"const": "a"}, "$defs": made{"x": made{"type": "string", "description": one.text()}},
				"contains": made{"type": "string"}, "propertyNames": made{"pattern": "^a"}, "const": "a", "minLength": 2}[name]
		}
	}
}

// tell puts two texts of some tools into the same place of two copies of them. References in the two reviews have to
// tell these texts apart.
func (m *mangler) tell(one, other []made) {
	texts, empty := slots(one)
	texts2, empty2 := slots(other)
	if len(texts) == 0 {
		return
	}
	at, first, second := m.IntN(len(texts)+len(empty)), m.IntN(len(texts)), m.IntN(len(texts))
	to, to2 := slot{}, slot{}
	if at < len(texts) {
		to = texts[at]
		to2 = texts2[at]
	} else {
		to = empty[at-len(texts)]
		to2 = empty2[at-len(texts)]
	}
	to.in[to.name] = texts[first].text()
	to2.in[to2.name] = texts2[second].text()
}

// mangleBoth makes two captures different, and returns how.
func (m *mangler) mangleBoth(one, other []made) string {
	how, instead := m.Pick(manglings...), m.Pick(manglings...)
	switch m.IntN(6) {
	case 0, 1:
		m.tell(one, other)
		return "two texts in one place"
	case 2, 3:
		instead = how
	case 4:
		instead = "nothing"
	}
	m.mangle(one, how)
	m.mangle(other, instead)
	return how + " and " + instead
}

// copied returns a copy that shares nothing with the tools.
func copied(t *testing.T, tools []made) (list []made) {
	t.Helper()
	text, err := json.Marshal(tools)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// pinsOfTools returns the pins of a capture with some tools.
func pinsOfTools(t *testing.T, tools []made) pin.Set {
	t.Helper()
	text, err := json.Marshal(made{"tools": tools})
	if err != nil {
		t.Fatal(err)
	}
	m, err := capture.Read("live.json", text, pintest.HashDefinition, pin.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	set, err := capture.PinCapture(m, "s", pin.Policy{}, nil, pintest.HashDefinition)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

var (
	digestMark = regexp.MustCompile(`\b[0-9a-f]{12,64}\b`)
	countMark  = regexp.MustCompile(`[-+]?[0-9][0-9,]* (bytes|tokens)`)
	firstBlock = regexp.MustCompile(`(?m)^(### 1\.| *1  [A-Z]|the same in several:)`)
)

// told returns what a review prints of the drift, without its head, which has counts, and without digests and counts of
// bytes.
func told(review string) string {
	if at := firstBlock.FindStringIndex(review); at != nil {
		review = review[at[0]:]
	}
	return countMark.ReplaceAllString(digestMark.ReplaceAllString(review, "#"), "#")
}

// mainOf returns what the main part of a page shows without a click.
func mainOf(t *testing.T, page string) (lines string) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		inMain := false
		for above := range n.Ancestors() {
			inMain = inMain || above.Data == "main"
		}
		if n.Type == html.TextNode && inMain && !reporttest.IsInClosedDetails(n) {
			lines += n.Data
		}
	}
	return countMark.ReplaceAllString(digestMark.ReplaceAllString(lines, "#"), "#")
}

// reviews returns the reviews of an upgrade in all formats for people, by the format's name.
func reviews(t *testing.T, r *Report) map[string]string {
	t.Helper()
	var text, md, full bytes.Buffer
	if err := plain.WriteDiff(&text, r.Model, plain.Style{}); err != nil {
		t.Fatal(err)
	}
	if err := plain.WriteDiff(&full, r.Model, plain.Style{Full: true}); err != nil {
		t.Fatal(err)
	}
	if err := markdown.WriteSummary(&md, r.Model); err != nil {
		t.Fatal(err)
	}
	return map[string]string{"text": told(text.String()), "full": told(full.String()), "markdown": told(md.String()), "page": mainOf(t, reporttest.WriteToString(t, page.Write, r.Model))}
}

// spelledOut lists the changes of an entry that aren't summed up as minor.
func spelledOut(entryType pin.EntryType, old, new *pin.Pin) (changes []string) {
	all, _ := diff.CompareDefinitions(effort.NewBudget(), entryType, old.Tree(), new.Tree())
	for _, c := range all {
		if c.Label.Minor() && !c.HasText() || c.Label.ID() == "title" {
			continue
		}
		sides := [2]string{}
		for i, v := range []jsontree.Value{c.Old, c.New} {
			if strings.HasSuffix(c.Pointer, "/required") {
				v = sortedList(v) // another order is minor
			}
			if v.Kind != 0 {
				sides[i] = string(jsontree.Append(nil, v))
			}
		}
		if sides[0] != sides[1] || c.OldPointer != "" {
			changes = append(changes, fmt.Sprintf("%s %s from %s: %s -> %s", c.Pointer, c.Label.ID(), c.OldPointer, sides[0], sides[1]))
		}
	}
	return changes
}

// sortedList returns a list sorted by its elements.
func sortedList(v jsontree.Value) jsontree.Value {
	sorted := v
	sorted.Parts = slices.Clone(v.Parts)
	slices.SortFunc(sorted.Parts, func(a, b jsontree.Member) int {
		return strings.Compare(string(jsontree.Append(nil, a.Value)), string(jsontree.Append(nil, b.Value)))
	})
	return sorted
}

// differ returns how two captures differ as upgrades of the same pins: not at all, in what is minor, or in more.
func differ(old, one, other pin.Set) (differs, more bool) {
	names := map[pin.Key]bool{}
	for _, p := range slices.Concat(one.Pins, other.Pins) {
		names[p.Key] = true
	}
	for key := range names {
		was, a, b := old.Find(key), one.Find(key), other.Find(key)
		if a == nil || b == nil {
			return true, true
		}
		if a.Digest == b.Digest {
			continue
		}
		differs = true
		if was == nil {
			more = more || len(spelledOut(key.Type, a, b)) > 0
		} else {
			more = more || !slices.Equal(spelledOut(key.Type, was, a), spelledOut(key.Type, was, b))
		}
	}
	return differs, more
}

// heldApart checks that the reviews of two captures differ as the captures do. Both are upgrades of the same pins. It
// reports whether the captures differ in more than what is minor.
func heldApart(t *testing.T, old pin.Set, one, other []made, what string) bool {
	t.Helper()
	sets := [2]pin.Set{pinsOfTools(t, one), pinsOfTools(t, other)}
	differs, more := differ(old, sets[0], sets[1])
	if !differs {
		return false
	}
	a, b := reviews(t, reporttest.UpgradeReport(old, sets[0])), reviews(t, reporttest.UpgradeReport(old, sets[1]))
	for _, format := range slices.Sorted(maps.Keys(a)) {
		if a[format] == b[format] && (more || format == "full") {
			var changes []string
			for i := range sets[0].Pins {
				p := &sets[0].Pins[i]
				all, _ := diff.CompareDefinitions(effort.NewBudget(), p.Type, p.Tree(), sets[1].Find(p.Key).Tree())
				for _, c := range all {
					changes = append(changes, fmt.Sprintf("%s %s %s %.300q -> %.300q", p.Name, c.Label.ID(), c.Pointer, c.Old, c.New))
				}
			}
			t.Errorf("%s: %s is the same for captures that differ in\n%s\n%.9000s", what, format, strings.Join(changes, "\n"), a[format])
			break
		}
	}
	return more
}

// upgradesAtHand lists pairs of captures with drift: neighbours, and the oldest with the newest.
func upgradesAtHand(t *testing.T) (list [][2]string) {
	t.Helper()
	oldest, newest := map[string]string{}, map[string]string{}
	pintest.SomeUpgrades(t, func(old, new string) {
		folder := filepath.Dir(old)
		if oldest[folder] == "" {
			oldest[folder] = old
		}
		newest[folder] = new
		list = append(list, [2]string{old, new})
	})
	for _, folder := range slices.Sorted(maps.Keys(oldest)) {
		list = append(list, [2]string{oldest[folder], newest[folder]})
	}
	return list
}

// toolsOf returns the tools of a capture as encoding/json reads them.
func toolsOf(t *testing.T, path string) (tools []made) {
	t.Helper()
	set := pintest.ReadPins(t, path, "s")
	for _, p := range set.PinsOf(pin.Tools) {
		tools = append(tools, jsontest.DecodeJSON(t, p.Definition).(made))
	}
	return tools
}

// TestDifferentUpgradesHaveDifferentReviews mangles releases of real servers.
func TestDifferentUpgradesHaveDifferentReviews(t *testing.T) {
	t.Parallel()
	upgrades := upgradesAtHand(t)
	held := 0
	for seed := range uint64(jsontest.RoundCount(1, 3)) {
		m := &mangler{jsontest.NewMaker(seed)}
		for round := range jsontest.RoundCount(20, 400) {
			upgrade := upgrades[m.IntN(len(upgrades))]
			old := pinsOfTools(t, toolsOf(t, upgrade[0]))
			one := toolsOf(t, upgrade[1])
			other := copied(t, one)
			how := m.mangleBoth(one, other)
			if heldApart(t, old, one, other, fmt.Sprintf("seed %d round %d, %s, %s -> %s", seed, round, how, upgrade[0], upgrade[1])) {
				held++
			}
			if t.Failed() && os.Getenv("PINPROOF_ALL") == "" {
				return
			}
		}
	}
	t.Logf("%d pairs", held)
}

// sharedTools makes a few tools that share texts, names of parameters and schemas. All together have only two or three
// texts, so that most are told by a reference.
func (m *mangler) sharedTools() (tools []made) {
	texts := []string{"Reads a kite of the pond and a lamp of the fern, as it stands.", "Never sends a lamp to the reed, nor a kite to the moss.",
		"Asks before it opens the moss. Then it reads the fern.", "Takes a path. Takes a mode. Takes a path.", "Only within the folder of the lamp, and never above it."}
	m.Shuffle(len(texts), func(i, j int) {
		swapped := texts[i]
		texts[i] = texts[j]
		texts[j] = swapped
	})
	texts = texts[:2+m.IntN(2)]
	schema := func() made {
		s := made{"type": m.Pick("string", "string", "object")}
		if m.IntN(3) > 0 {
			s["description"] = m.Pick(texts...)
		}
		if m.IntN(4) == 0 {
			s["enum"] = []any{"near the pond", "far from the reed", "above the kite"}[m.IntN(2):]
		}
		if m.IntN(4) == 0 {
			s["properties"] = made{"mode": made{"type": "string", "description": m.Pick(texts...)}, "path": made{"type": "string", "description": m.Pick(texts...)}}
		}
		return s
	}
	for i := range 2 + m.IntN(4) {
		properties := made{}
		var required []any
		for _, name := range []string{"mode", "path", "element", "not", "returns"}[m.IntN(2) : 2+m.IntN(4)] {
			properties[name] = schema()
			if m.IntN(2) == 0 {
				required = append(required, name)
			}
		}
		tool := made{"name": fmt.Sprint(m.Pick("tool", "tool", "kite"), i), "description": m.Pick(texts...) + " " + m.Pick(texts...), "inputSchema": made{"type": "object", "properties": properties}}
		if required != nil {
			tool["inputSchema"].(made)["required"] = required
		}
		if m.IntN(2) == 0 {
			tool["outputSchema"] = made{"type": "object", "properties": made{"mode": schema(), "path": schema()}}
		}
		tools = append(tools, tool)
	}
	return tools
}

// TestDifferentListsHaveDifferentReviews makes up lists of tools that share much.
func TestDifferentListsHaveDifferentReviews(t *testing.T) {
	t.Parallel()
	held := 0
	for seed := range uint64(jsontest.RoundCount(1, 3)) {
		m := &mangler{jsontest.NewMaker(100 + seed)}
		for round := range jsontest.RoundCount(60, 400) {
			pinned := m.sharedTools()
			one := copied(t, pinned)
			if m.IntN(2) == 0 {
				one = m.sharedTools()
			}
			for range m.IntN(3) {
				m.mangle(one, m.Pick(manglings...))
			}
			other := copied(t, one)
			how := m.mangleBoth(one, other)
			if heldApart(t, pinsOfTools(t, pinned), one, other, fmt.Sprintf("seed %d round %d, %s", seed, round, how)) {
				held++
			}
			if t.Failed() && os.Getenv("PINPROOF_ALL") == "" {
				return
			}
		}
	}
	t.Logf("%d pairs", held)
}

// TestAlikeUpgradesHaveDifferentReviews is about the upgrades in testdata/distinct.txt.
func TestAlikeUpgradesHaveDifferentReviews(t *testing.T) {
	for _, lines := range jsontest.ReadParagraphs(t, "testdata/distinct.txt") {
		if len(lines) < 4 {
			continue
		}
		var sessions []string
		for _, line := range lines[1:] {
			text := jsontest.ExpandTemplates(line[2:])
			sessions = append(sessions, fmt.Sprintf(map[string]string{
				"= tools":   "{\"id\":1,\"jsonrpc\":\"2.0\",\"result\":{\"tools\":[%s]}}\n",
				"= prompts": "{\"id\":1,\"jsonrpc\":\"2.0\",\"result\":{\"tools\":[]}}\n{\"id\":2,\"jsonrpc\":\"2.0\",\"result\":{\"prompts\":[%s]}}\n",
			}[lines[0]], text))
		}
		one, other := reviews(t, sessionReport(t, sessions[0], sessions[1])), reviews(t, sessionReport(t, sessions[0], sessions[2]))
		for format, review := range one {
			if review == other[format] {
				t.Errorf("%s: one review of\n%s\nand\n%s\n%s", format, lines[2], lines[3], review)
			}
		}
	}
}
