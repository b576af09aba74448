package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pinproof/internal/effort"
	"pinproof/internal/facts"
	"pinproof/internal/jsontree"
	"pinproof/internal/lint"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
	"pinproof/internal/rank"
	"pinproof/internal/report"
)

// An upgrade is two neighbouring captures of a real server, with what is new to read.
type upgrade struct {
	name      string
	sentences []string
}

// fewest is how many new sentences a mass upgrade has at least: three times what is shown first.
const fewest = 15

// corpusByHand reads the texts for a test that a person runs.
func corpusByHand(t *testing.T) []Text {
	t.Helper()
	if os.Getenv("PINPROOF_RANK") == "" {
		t.Skip("PINPROOF_RANK isn't set")
	}
	texts, err := readCorpus()
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// massUpgrades lists all upgrades of real servers in which much is new to read, from one capture
// to the next.
func massUpgrades(t *testing.T) (list []upgrade) {
	t.Helper()
	pintest.RealUpgrades(t, func(old, new string) {
		if !strings.HasPrefix(old, pintest.RealServers) {
			return // our own server
		}
		said := newSentences(pintest.ReadPins(t, old, "s"), pintest.ReadPins(t, new, "s"))
		if len(said) >= fewest {
			name := filepath.Base(filepath.Dir(new)) + " " + filepath.Base(new)
			list = append(list, upgrade{strings.TrimSuffix(name, ".json"), said})
		}
	})
	return list
}

// ordinaryUpgrades makes up upgrades of ordinary servers: for each server, sentences picked at random
// count as new.
func ordinaryUpgrades(t *testing.T) (list []upgrade) {
	t.Helper()
	const picked = 40
	files, _ := filepath.Glob(pintest.FromRoot("../shared/ordinary/*.json*"))
	state := uint32(7)
	for _, file := range files {
		said := newSentences(pin.Set{}, pintest.ReadPins(t, file, "s"))
		if len(said) < picked {
			continue
		}
		one := upgrade{name: filepath.Base(file)}
		for range picked {
			state = state*1664525 + 1013904223
			at := int(uint64(state) * uint64(len(said)) >> 32)
			one.sentences = append(one.sentences, said[at])
			said = slices.Delete(said, at, at+1)
		}
		list = append(list, one)
	}
	return list
}

// newSentences lists the sentences of an upgrade that the approved definition of their entry lacks,
// each once.
func newSentences(old, new pin.Set) (list []string) {
	seen := map[string]bool{}
	for i := range new.Pins {
		var was jsontree.Value
		if before := old.Find(new.Pins[i].Key); before != nil {
			was = before.Tree()
		}
		now := new.Pins[i].Tree()
		for _, s := range lint.AddedSentences(effort.NewBudget(), &was, &now) {
			if !seen[s.Text] {
				seen[s.Text] = true
				list = append(list, s.Text)
			}
		}
	}
	return list
}

// split lists the sentences of a text.
func split(s string) (list []string) {
	definition := jsontree.Object(jsontree.Member{Name: "description", Value: jsontree.String(s)})
	for _, one := range lint.AddedSentences(effort.NewBudget(), &jsontree.Value{}, &definition) {
		list = append(list, one.Text)
	}
	if list == nil {
		return []string{s} // a single word
	}
	return list
}

// warned reports whether a rule of lint warns of a text at its place in a tool.
func warned(t *testing.T, x *Text) bool {
	quoted, err := json.Marshal(x.Text)
	if err != nil {
		t.Fatal(err)
	}
	tool := fmt.Sprintf(`{"name":"get_item","description":%s}`, quoted)
	inside := `{"name":"get_item","description":"Returns an item.","%s":{"type":"object","properties":{"value":{"type":"string",%s}}}}`
	switch x.Place {
	case "parameter":
		tool = fmt.Sprintf(inside, "inputSchema", `"description":`+string(quoted))
	case "output":
		tool = fmt.Sprintf(inside, "outputSchema", `"description":`+string(quoted))
	case "enum":
		tool = fmt.Sprintf(inside, "inputSchema", `"enum":[`+string(quoted)+`]`)
	case "default":
		tool = fmt.Sprintf(inside, "inputSchema", `"default":`+string(quoted))
	case "title":
		tool = fmt.Sprintf(inside, "inputSchema", `"title":`+string(quoted))
	}
	return toolWarned(t, tool)
}

func toolWarned(t *testing.T, tool string) bool {
	set := pintest.PinsOf(t, "["+tool+"]", pin.Policy{})
	return len(lint.WarningsIn(lint.NewNameIndex(nil, []pin.Set{set}).CheckEntry("s", set.Pins[0], nil))) > 0
}

// published lists the poisoned sentences of tools that others published, without tools that a rule warns of.
func published(t *testing.T) (texts []Text) {
	for _, file := range []string{"published.json", "published-2.json"} {
		data, err := os.ReadFile(pintest.FromRoot("../shared/" + file))
		if err != nil {
			t.Skip("no published examples at hand")
		}
		var list []struct {
			Order        *bool
			Tool, Benign json.RawMessage
		}
		if err := json.Unmarshal(data, &list); err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			if e.Order != nil && !*e.Order || toolWarned(t, string(e.Tool)) {
				continue
			}
			old := pin.Set{}
			if e.Benign != nil {
				old = pintest.PinsOf(t, "["+string(e.Benign)+"]", pin.Policy{})
			}
			said := newSentences(old, pintest.PinsOf(t, "["+string(e.Tool)+"]", pin.Policy{}))
			if len(said) > 0 {
				texts = append(texts, Text{Author: "published", Poison: true, Lang: "en", Text: strings.Join(said, "\n")})
			}
		}
	}
	return texts
}

// A tally counts the ranks of poison among the new sentences of upgrades.
type tally struct {
	all, five int
	long      int   // like five, if the longest came first: the baseline
	scores    []int // of the texts, once each
	places    []int // from 0
}

func (c *tally) add(poison, others []int, poisonLength int, lengths []int) {
	best := slices.Max(poison)
	above, longer := 0, 0
	for i, s := range others {
		if s >= best {
			above++
		}
		if lengths[i] >= poisonLength {
			longer++
		}
	}
	c.all++
	c.places = append(c.places, above)
	if above < 5 {
		c.five++
	}
	if longer < 5 {
		c.long++
	}
}

func (c *tally) String() string {
	if c.scores != nil {
		said := fmt.Sprintf("%6d:", len(c.scores))
		for _, from := range []int{0, 16, 32, 36, 40, 48, 64} {
			above := 0
			for _, score := range c.scores {
				if score >= from {
					above++
				}
			}
			said += fmt.Sprintf(" %.1f %% from %d,", 100*float64(above)/float64(len(c.scores)), from)
		}
		return said
	}
	slices.Sort(c.places)
	at := func(percent int) int { return c.places[len(c.places)*percent/100] + 1 }
	return fmt.Sprintf("%6d cases: %5.1f %% among five (longest first %.1f), place %d median, %d at 90 %%",
		c.all, 100*float64(c.five)/float64(c.all), 100*float64(c.long)/float64(c.all), at(50), at(90))
}

// The texts of these authors were written after a look at what is measured: d's are all honest, e's are
// of both kinds and were written along with the classes of words. They are left out of the totals.
const (
	lookedAuthor = "d"
	ownAuthor    = "e"
)

// TestRanksUnseen leaves out each author in turn while learning, and puts the author's texts among the
// new sentences of upgrades. Poison counts if no rule warns of it. Honest texts tell how high a text
// ranks only because it is foreign to its server.
func TestRanksUnseen(t *testing.T) {
	texts := corpusByHand(t)
	tests := append(slices.Clone(texts), published(t)...)
	upgrades := massUpgrades(t)
	real := len(upgrades)
	upgrades = append(upgrades, ordinaryUpgrades(t)...)
	counts := map[string]*tally{}
	var keys []string
	count := func(key string) *tally {
		if counts[key] == nil {
			counts[key] = &tally{}
			keys = append(keys, key)
		}
		return counts[key]
	}
	for _, author := range authorsOf(tests) {
		m := learnedWithout(author, texts)
		scores := make([][]int, len(upgrades))
		lengths := make([][]int, len(upgrades))
		for i, u := range upgrades {
			for _, s := range u.sentences {
				scores[i] = append(scores[i], m.Score(s))
				lengths[i] = append(lengths[i], len(s))
			}
		}
		for i := range upgrades {
			key := "scores of real sentences"
			if i >= real {
				key = "scores of ordinary sentences"
			}
			count(key).scores = append(count(key).scores, scores[i]...)
		}
		for n := range tests {
			x := &tests[n]
			if x.Author != author || x.Poison && warned(t, x) {
				continue
			}
			var own []int
			longest := 0
			for _, s := range split(x.Text) {
				own = append(own, m.Score(s))
				longest = max(longest, len(s))
			}
			if author == ownAuthor || author == lookedAuthor {
				// their scores don't tell how other authors, who know nothing of the model, would score
			} else if x.Poison {
				count("scores of poison").scores = append(count("scores of poison").scores, slices.Max(own))
			} else {
				count("scores of honest texts").scores = append(count("scores of honest texts").scores, slices.Max(own))
			}
			for i, u := range upgrades {
				add := func(key string) { count(key).add(own, scores[i], longest, lengths[i]) }
				if author == ownAuthor || author == lookedAuthor {
					if x.Poison && i < real {
						add("author " + author)
					}
					continue
				}
				of := "real"
				if i >= real {
					of = "ordinary"
				}
				if !x.Poison {
					add("honest, " + of)
					continue
				}
				add("poison, " + of)
				if i < real {
					add("author " + author)
					add("language " + map[bool]string{true: "en", false: "other"}[x.Lang == "en"])
					add(fmt.Sprintf("%s, %d new", u.name, len(u.sentences)))
				}
			}
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		t.Logf("%-40s %v", key, counts[key])
	}
}

// learnedWithout learns from the texts of all authors but one.
func learnedWithout(author string, texts []Text) rank.Model {
	others := slices.DeleteFunc(slices.Clone(texts), func(x Text) bool { return x.Author == author })
	return rank.ParseModel(string(quantized(learn(others))))
}

// authorsOf lists the authors of texts.
func authorsOf(texts []Text) (list []string) {
	for _, x := range texts {
		if !slices.Contains(list, x.Author) {
			list = append(list, x.Author)
		}
	}
	return list
}

// TestBlocks puts poison by authors that the model hasn't seen into a drifted tool of each real upgrade,
// and counts where the review has it: whether among what is to be read first, and in which block.
func TestBlocks(t *testing.T) {
	texts := corpusByHand(t)
	tests := append(slices.Clone(texts), published(t)...)
	learned := rank.LearnedModel
	defer func() { rank.LearnedModel = learned }()
	var all reviewed
	of := map[string]*reviewed{}
	state := uint32(3)
	random := func(n int) int {
		state = state*1664525 + 1013904223
		return int(uint64(state) * uint64(n) >> 32)
	}
	for _, author := range authorsOf(tests) {
		poison := slices.DeleteFunc(slices.Clone(tests), func(x Text) bool { return x.Author != author || !x.Poison || warned(t, &x) })
		if len(poison) == 0 || author == ownAuthor {
			continue
		}
		model := learnedWithout(author, texts)
		rank.LearnedModel = func() rank.Model { return model }
		pintest.RealUpgrades(t, func(old, new string) {
			if !strings.HasPrefix(old, pintest.RealServers) {
				return
			}
			before := pintest.ReadPins(t, old, "s")
			after := pintest.ReadPins(t, new, "s")
			if len(newSentences(before, after)) < fewest {
				return
			}
			name := strings.TrimSuffix(filepath.Base(filepath.Dir(new))+" "+filepath.Base(new), ".json")
			if of[name] == nil {
				of[name] = &reviewed{}
			}
			for range samples {
				text := poison[random(len(poison))].Text
				found, tool := poisoned(t, new, before, text, random)
				all.add(t, before, found, tool, text)
				last := all.last
				of[name].count(last)
			}
		})
	}
	var names []string
	for name := range of {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		t.Logf("%-28s %v", name, of[name])
	}
	t.Logf("%-28s %v", "all", &all)
}

// TestHonestTexts counts the honest texts in which a rule of lint warns, by author.
func TestHonestTexts(t *testing.T) {
	texts := corpusByHand(t)
	for _, author := range authorsOf(texts) {
		all := 0
		warnings := 0
		for i := range texts {
			x := &texts[i]
			if x.Author != author || x.Poison {
				continue
			}
			all++
			if warned(t, x) {
				warnings++
			}
		}
		t.Logf("author %s: %d of %d honest texts with a warning (%.1f %%)", author, warnings, all, 100*float64(warnings)/float64(all))
	}
}

// samples is how many poisoned texts of an author are put into an upgrade.
const samples = 12

// poisoned pins a capture after adding a text to the description of one of its drifted tools. It also
// returns the name of that tool.
func poisoned(t *testing.T, path string, before pin.Set, text string, random func(int) int) (pin.Set, string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var capture map[string]json.RawMessage
	var tools []map[string]any
	if err := json.Unmarshal(data, &capture); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(capture["tools"], &tools); err != nil {
		t.Fatal(err)
	}
	now := pintest.ReadPins(t, path, "s")
	var drifted []map[string]any
	for _, tool := range tools {
		key := pin.Key{Type: pin.Tools, Name: tool["name"].(string)}
		was := before.Find(key)
		if was == nil || was.Digest != now.Find(key).Digest {
			drifted = append(drifted, tool)
		}
	}
	tool := drifted[random(len(drifted))]
	said, _ := tool["description"].(string)
	tool["description"] = strings.TrimSpace(said + " " + text)
	capture["tools"], err = json.Marshal(tools)
	if err != nil {
		t.Fatal(err)
	}
	data, err = json.Marshal(capture)
	if err != nil {
		t.Fatal(err)
	}
	return pintest.PinsOf(t, string(data), pin.Policy{}), tool["name"].(string)
}

// A place is where a review has poison.
type place struct {
	block, blocks int
	first         bool // it is among what is to be read first
}

// reviewed counts the places of poison in reviews.
type reviewed struct {
	last   place
	blocks []int
	first  int
}

// add makes the review of a poisoned upgrade, and counts where it has the text that was added to a tool.
func (c *reviewed) add(t *testing.T, before, found pin.Set, tool, text string) {
	t.Helper()
	pairs := []pin.Comparison{{Server: "s", CapturePath: "new.json", State: pin.ServerPaired, Locked: before, Captured: found}}
	in := report.Input{Lockfile: "tools.lock", Comparisons: pairs, Drifts: pintest.CompareByDigest(pairs), CanWrite: true}
	in.Verdict = pin.Verdict{FailingDrift: pin.RefSet{}, DifferingServers: map[string]bool{"s": true}}
	in.AcceptableByName = pin.RefSet{}
	in.ApprovalHash = func(server string, p *pin.Pin) string { return p.Digest }
	in.Findings = lint.Findings(pairs, in.Drifts, []pin.Set{before}, true)
	m := report.New(in, facts.Explain(pairs, in.Drifts, in.Findings, facts.ExplainOptions{})).Model
	one := place{blocks: len(m.Blocks)}
	for _, b := range m.Blocks {
		for _, e := range b.Entries {
			if e.EntryRef.Name == tool && one.block == 0 {
				one.block = b.Number
			}
		}
	}
	if one.block == 0 {
		t.Fatalf("no block has %s", tool)
	}
	squashed := strings.Join(strings.Fields(text), " ")
	for _, f := range m.ReadFirst {
		said, _, _ := strings.Cut(f.Text, "<and ")
		// The first sentence of the text may have been joined with the description before it.
		end := said[len(said)*2/3:]
		if f.Name == tool && (strings.Contains(squashed, said) || strings.Contains(squashed, strings.TrimSpace(end))) {
			one.first = true
		}
	}
	c.count(one)
}

func (c *reviewed) count(one place) {
	c.last = one
	c.blocks = append(c.blocks, one.block)
	if one.first {
		c.first++
	}
}

func (c *reviewed) String() string {
	slices.Sort(c.blocks)
	at := func(percent int) int { return c.blocks[len(c.blocks)*percent/100] }
	return fmt.Sprintf("%5d cases: %5.1f %% read first, block %d median, %d at 90 %%", len(c.blocks), 100*float64(c.first)/float64(len(c.blocks)), at(50), at(90))
}
