package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pinproof/internal/jsontest"
	"pinproof/internal/jsontree"
	"pinproof/internal/lint"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
	. "pinproof/internal/report"
	"pinproof/internal/report/plain"
	"pinproof/internal/report/reporttest"
	"pinproof/internal/schema"
	"pinproof/internal/text"
)

func written(t *testing.T, write func(io.Writer, *Model, plain.Style) error, r *Report, style plain.Style) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, r.Model, style); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// bodies lists the texts after gutters, line by line. Wrapped lines are joined again.
func bodies(review string) (list []string) {
	gutter := regexp.MustCompile(`^ .*?([|:])(?: (.*))?$`)
	open := false
	for line := range strings.Lines(review) {
		m := gutter.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		switch {
		case m == nil:
			open = false
		case m[1] == "|":
			list, open = append(list, m[2]), true
		case open:
			list[len(list)-1] += m[2]
		}
	}
	return list
}

// TestBigReviews: a year of upgrades of several servers is read in minutes.
func TestBigReviews(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it reviews thousands of entries")
	for _, folder := range pintest.CaptureFolders() {
		if _, err := os.Stat(folder); err != nil {
			continue
		}
		r := reporttest.FolderReport(t, folder)
		review := written(t, plain.WriteDiff, r, plain.Style{})
		seen, twice := map[string]bool{}, 0
		for _, body := range bodies(review) {
			if len(body) > 200 && seen[body] { // may be an equal line of two different texts
				twice++
			}
			seen[body] = true
		}
		if twice > 5 {
			t.Errorf("%s: %d long lines stand twice", folder, twice)
		}
		for _, width := range []int{60, 80, 100, 200} {
			stat := written(t, plain.WriteStat, r, plain.Style{Width: width})
			if n := strings.Count(stat, "\n"); n > len(r.Model.Blocks)+80 {
				t.Errorf("%s: %d lines of %d groups", folder, n, len(r.Model.Blocks))
			}
			for _, b := range r.Model.Blocks {
				isWhole := func(name string) bool {
					return strings.Contains(stat, " "+name+"  ") || strings.Contains(stat, " "+name+"\n")
				}
				if name := b.Names[0]; len(b.Entries) == 1 && len(name) <= 24 && !isWhole(name) {
					t.Errorf("%s: %d columns cut %s", folder, width, name)
				}
			}
			for line := range strings.Lines(stat) {
				if reporttest.DisplayWidth(strings.TrimSuffix(line, "\n")) > width && !strings.HasPrefix(line, "hint: ") {
					t.Errorf("%s: wider than %d: %s", folder, width, line)
				}
			}
		}
		screen := strings.Join(slices.Collect(strings.Lines(review))[:min(50, strings.Count(review, "\n"))], "")
		cut := "" // the reasons of which the head names only some entries
		for _, w := range r.Model.Worst {
			if strings.HasSuffix(w[len(w)-1].Text, " more") {
				cut += w[0].Text
			}
		}
		screen = regexp.MustCompile(`\n +: `).ReplaceAllString(screen, " ")
		isRisky := map[int]bool{} // by the number of a block
		for _, b := range r.Model.Blocks {
			isRisky[b.Number] = slices.Contains(b.Risks, "destructive")
		}
		for i := range r.Drifts {
			d := &r.Drifts[i]
			if (r.Model.Entries[i].Warned || d.Kind == pin.DriftAdded && isRisky[r.Model.Entries[i].Block] && !strings.Contains(cut, "destructive")) && !strings.Contains(screen, d.Name) {
				t.Errorf("%s: the first screen doesn't name %s\n%s", folder, d.Name, screen)
			}
		}
		for i, b := range r.Model.Blocks[1:] {
			if last := r.Model.Blocks[i]; b.Server == last.Server && b.Class < last.Class {
				t.Errorf("%s: %s stands below %s", folder, b.Title, last.Title)
			}
		}
	}
}

// TestBreakingIsCounted: the head of a long review counts the breaking entries and names some; a short one shows them.
func TestBreakingIsCounted(t *testing.T) {
	for n, want := range map[int]string{5: "", 9: "\n  breaking: 9 tools; (n) is the number of a block\n    unclear: t0 (1), t1 (2), t2 (3) and 6 more\n"} {
		var old, now []string
		for i := range n {
			old = append(old, fmt.Sprintf(`{"name":"t%d"}`, i))
			now = append(now, fmt.Sprintf(`{"name":"t%d","inputSchema":{"type":"object","required":["p%[1]d"]}}`, i))
		}
		sets := [2]pin.Set{}
		for i, tools := range [][]string{old, now} {
			sets[i] = pintest.PinsOf(t, "["+strings.Join(tools, ",")+"]", pin.Policy{})
		}
		head, _, _ := strings.Cut(written(t, plain.WriteDiff, reporttest.UpgradeReport(sets[0], sets[1]), plain.Style{}), "\n\n")
		if !strings.Contains(head+"\n", want) || want == "" && strings.Contains(head, "breaking") {
			t.Errorf("%d tools: %s", n, head)
		}
	}
}

// TestNewToolsByRisk: what a new tool declares and takes decides where it is listed.
func TestNewToolsByRisk(t *testing.T) {
	r := reporttest.UpgradeReport(pintest.PinsOf(t, `[{"name":"pinned"}]`, pin.Policy{}), pintest.PinsOf(t, `[{"name":"pinned"},
		{"name":"a_reads","annotations":{"readOnlyHint":true}},
		{"name":"b_reads_a_path","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"filePath":{"type":"string"}}}},
		{"name":"c_reads_one_of_two","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"path":{"type":"string","enum":["a","b"]}}}},
		{"name":"d_writes","annotations":{"readOnlyHint":false,"destructiveHint":false}},
		{"name":"e_says_nothing"},
		{"name":"f_destroys","annotations":{"destructiveHint":true}},
		{"name":"g_runs_code","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"code":{"type":"string"}}}},
		{"name":"h_opens_a_url","annotations":{"readOnlyHint":true,"openWorldHint":true},"inputSchema":{"type":"object","properties":{"pageURL":{"type":"string"}}}}]`, pin.Policy{}))
	var got []string
	for _, b := range r.Model.Blocks {
		got = append(got, b.Title)
	}
	const want = "g_runs_code f_destroys a_reads b_reads_a_path c_reads_one_of_two d_writes e_says_nothing h_opens_a_url"
	if strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
	if s := r.Model.Servers[0]; s.Drift != "8 added" || s.DriftAndRisks != "8 added, 1 with code, 1 destructive" {
		t.Errorf("%+v", s)
	}
}

// ordersWithoutWarning returns the texts of published examples that order the model and get
// no warning. They are not ours, so they are not in the repository.
func ordersWithoutWarning(t *testing.T) (texts []string) {
	data, err := os.ReadFile(pintest.FromRoot("../shared/published-2.json"))
	if err != nil {
		t.Skip("no published examples at hand")
	}
	var list []struct {
		Order bool
		Tool  json.RawMessage
	}
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		set := pintest.PinsOf(t, "["+string(e.Tool)+"]", pin.Policy{})
		if !e.Order || len(lint.WarningsIn(lint.NewNameIndex(nil, []pin.Set{set}).CheckEntry("s", set.Pins[0], nil))) > 0 {
			continue
		}
		tool, said := set.Pins[0].AsReceived(), ""
		schema.Visit(&tool, schema.AtDefinition, func(v *jsontree.Value, _, _ schema.Position, path []jsontree.Step) {
			if n := len(path); v.Kind == '"' && n > 0 && slices.Contains([]string{"description", "title", "default"}, path[n-1].Name) {
				said += " " + v.Text
			}
		})
		texts = append(texts, said)
	}
	return texts
}

// TestOrdersComeFirst: in a mass upgrade most orders that no rule warns of are among the sentences to read first.
func TestOrdersComeFirst(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it makes hundreds of reviews of real upgrades")
	orders, all, first := ordersWithoutWarning(t), 0, 0
	least := 50
	if !jsontest.IsLongRun() {
		// Every sixth order shows the same.
		least = 7
		for i := range len(orders) / 6 {
			orders[i] = orders[6*i]
		}
		orders = orders[:len(orders)/6]
	}
	for _, upgrade := range [][3]string{
		{"mcp-filesystem", "2025.7.29", "2025.11.25"}, {"mcp-filesystem", "0.5.1", "2026.8.31"}, {"mongodb", "1.0.2", "1.14.0"},
		{"mongodb", "2.1.1", "3.0.4"}, {"notion", "1.8.0", "2.5.2"}, {"playwright", "0.0.33", "0.0.83"}, {"playwright", "0.0.68", "0.0.83"},
	} {
		folder := filepath.Join(pintest.RealServers, upgrade[0])
		old, new := pintest.ReadPins(t, filepath.Join(folder, upgrade[1]+".json"), "s"), pintest.ReadPins(t, filepath.Join(folder, upgrade[2]+".json"), "s")
		var changed []string
		for _, d := range reporttest.UpgradeReport(old, new).Drifts {
			if d.Kind == pin.DriftChanged && d.Type == pin.Tools {
				changed = append(changed, d.Name)
			}
		}
		for i, order := range orders {
			name := changed[(i*7+len(order))%len(changed)]
			var tools []string
			for _, p := range new.Pins {
				v := p.AsReceived()
				for j := range v.Parts {
					if m := &v.Parts[j]; p.Name == name && m.Name == "description" {
						m.Value.Text += order
					}
				}
				if p.Type == pin.Tools {
					tools = append(tools, string(jsontree.Append(nil, v)))
				}
			}
			poisoned := pintest.PinsOf(t, "["+strings.Join(tools, ",")+"]", pin.Policy{})
			poisoned.Server = "s"
			r := reporttest.UpgradeReport(old, poisoned)
			at := slices.IndexFunc(r.Model.Blocks, func(b *ReviewBlock) bool { return slices.Contains(b.Names, text.QuoteName(name)) })
			if r.Model.Blocks[at].Warned {
				continue // among these tools it gets a warning
			}
			all++
			plain := strings.Join(strings.Fields(order), " ")
			isFirst := func(s ReadFirst) bool {
				// Its first sentence may begin with words of the description before it.
				said, _, _ := strings.Cut(s.Text, "<and ")
				return s.Name == name && (strings.Contains(plain, said) || strings.Contains(said, plain[:min(30, len(plain))]))
			}
			if slices.ContainsFunc(r.Model.ReadFirst, isFirst) {
				first++
			}
		}
	}
	t.Logf("%d of %d are read first", first, all)
	if all < least || first*100 < 75*all {
		t.Errorf("only %d of %d orders are read first", first, all)
	}
}
