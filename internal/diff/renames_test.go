package diff

import (
	"fmt"
	"strings"
	"testing"

	"pinproof/internal/effort"
	"pinproof/internal/jsontest"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
)

func TestFindRenames(t *testing.T) {
	const words = "Looks for pages on the web and gives back the ten that fit best"
	tool := func(name, description string) string {
		return fmt.Sprintf(`{"name":%q,"description":%q}`, name, description)
	}
	for _, tt := range []struct {
		what, old, new, want string
		similar              bool
	}{
		{"the same body", `{"name":"a","x":1}`, `{"name":"b","x":1}`, "REMOVED a to b, ADDED b from a", false},
		{"other separators", `{"name":"web-search","x":1}`, `{"name":"web_search","x":2}`, "REMOVED web-search to web_search, ADDED web_search from web-search", true},
		{"other letter case", `{"name":"webSearch","x":1}`, `{"name":"web.search","x":2}`, "ADDED web.search from webSearch, REMOVED webSearch to web.search", true},
		{"the body counts before the name", `{"name":"a-b","x":1},{"name":"z","x":2}`, `{"name":"a_b","x":2}`, "REMOVED a-b, ADDED a_b from z, REMOVED z to a_b", false},
		{"the same description", tool("a", words) + `,` + tool("keep", ""), strings.Replace(tool("b", words), "{", `{"x":1,`, 1) + `,` + tool("keep", ""), "REMOVED a to b, ADDED b from a", true},
		{"another description", tool("a", words), tool("b", words+" now"), "REMOVED a, ADDED b", false},
		{"much alike", `{"name":"run_code","description":"Runs a snippet.","inputSchema":{"properties":{"code":{}}}}`,
			`{"name":"run_code_now","description":"Runs a long snippet.","inputSchema":{"properties":{"code":{},"file":{}}}},{"name":"run_file","description":"Runs a file."}`,
			"REMOVED run_code to run_code_now, ADDED run_code_now from run_code, ADDED run_file", true},
		{"too few words to tell", tool("a", "Looks for pages"), strings.Replace(tool("b", "Looks for pages"), "{", `{"x":1,`, 1), "REMOVED a, ADDED b", false},
		{"a name of separators alone", `{"name":"-","x":1}`, `{"name":"_","x":2}`, "REMOVED -, ADDED _", false},
		{"a look-alike letter is no separator", `{"name":"ab","x":1}`, `{"name":"a\u0432b","x":2}`, "REMOVED ab, ADDED a\u0432b", false},
	} {
		drifts := pintest.Drifts([]pin.Comparison{{Locked: pintest.PinsOf(t, "["+tt.old+"]", pin.Policy{}), Captured: pintest.PinsOf(t, "["+tt.new+"]", pin.Policy{})}})
		Renames(effort.New(), nil, drifts)
		if got := pintest.DriftLines(drifts); got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.what, got, tt.want)
		}
		for _, d := range drifts {
			if (d.RenamedFrom+d.RenamedTo != "" && tt.similar) != d.RenamedSimilar {
				t.Errorf("%s: %s similar: %v", tt.what, d.Name, d.RenamedSimilar)
			}
		}
	}
}

// TestLooksDenied: which entries look like a denied pin, r of server s, or may be one.
func TestLooksDenied(t *testing.T) {
	const (
		words = `Runs a shell command on the host, with all rights of the user.`
		cmd   = `"inputSchema":{"properties":{"cmd":{"type":"string"}}}`
		texts = `"inputSchema":{"properties":{"cmd":{"description":"A command for the shell of the host."}}}`
		list  = `{"name":"ls","description":"Lists a folder of the project.","inputSchema":{"properties":{"path":{}}}}`
	)
	const off = "Shuts the host machine down at once, without asking the user again."
	plain := func(name, description string) string {
		return `{"name":"` + name + `","description":"` + description + `"}`
	}
	run := `{"name":"r","description":"` + words + `",` + cmd + `}`
	named := func(name, definition string) string {
		return strings.Replace(definition, `"name":"r"`, `"name":"`+name+`"`, 1)
	}
	strip := pin.Policy{Descriptions: "strip"}
	for _, tt := range []struct {
		what, denied, old, new string // what else is pinned, and what is captured with it
		policy, next           pin.Policy
		isOther                bool // the denied pin is of another server
		want                   string
	}{
		{"an equal copy", run, ``, named("x", run), pin.Policy{}, pin.Policy{}, false, "x"},
		{"an equal copy in another server", run, ``, named("x", run), pin.Policy{}, pin.Policy{}, true, "x"},
		{"the same entry in another server", run, ``, run, pin.Policy{}, pin.Policy{}, true, "r"},
		{"one character more", run, ``, strings.Replace(named("x", run), "user.", "user. ", 1), pin.Policy{}, pin.Policy{}, false, "x"},
		{"a title more, in another server", run, ``, strings.Replace(named("x", run), "{", `{"title":"X",`, 1), pin.Policy{}, pin.Policy{}, true, "x"},
		{"a changed entry that is like it now", run, list, strings.Replace(named("ls", run), "user.", "user!", 1), pin.Policy{}, pin.Policy{}, false, "ls"},
		{"a changed entry with its description", run, list, strings.Replace(list, "Lists a folder of the project.", words, 1), pin.Policy{}, pin.Policy{}, false, "ls"},
		{"a changed entry that was like it before", run, strings.Replace(named("x", run), "Runs", "Shows", 1), strings.Replace(named("x", run), "Runs", "Prints", 1), pin.Policy{}, pin.Policy{}, false, ""},
		{"another entry", run, list, strings.Replace(list, "Lists", "Shows", 1), pin.Policy{}, pin.Policy{}, false, ""},
		{"an equal name in another server", run, ``, strings.Replace(list, "ls", "r", 1), pin.Policy{}, pin.Policy{}, true, ""},
		{"a name in other separators", named("r-r", run), ``, strings.Replace(list, "ls", "r_r", 1), pin.Policy{}, pin.Policy{}, false, "r_r"},
		{"one word changed, and no parameters", plain("r", off), ``, plain("x", strings.Replace(off, "again", "twice", 1)), pin.Policy{}, pin.Policy{}, true, "x"},
		{"one word changed, and a parameter renamed", run, ``, strings.NewReplacer("cmd", "line", "shell", "unix").Replace(named("x", run)), pin.Policy{}, pin.Policy{}, true, "x"},
		{"the text at another place", plain("r", off), ``, `{"name":"x","inputSchema":{"description":"` + off + `"}}`, pin.Policy{}, pin.Policy{}, true, "x"},
		{"letters that look alike", plain("r", off), ``, plain("x", strings.NewReplacer("a", "\u0430", "o", "\u043e", "e", "\u0435").Replace(off)), pin.Policy{}, pin.Policy{}, true, "x"},
		{"many words more", plain("r", off), ``, plain("x", off+strings.Repeat(" Lorem ipsum dolor sit amet.", 9)), pin.Policy{}, pin.Policy{}, true, "x"},
		{"a script without spaces", plain("r", "立即关闭主机，不再询问用户。"), ``, plain("x", "立即关闭主机不再询问用户。"), pin.Policy{}, pin.Policy{}, true, "x"},
		{"some words in common", plain("r", off), ``, plain("x", "Shuts the window of the host, and asks the user."), pin.Policy{}, pin.Policy{}, true, ""},
		{"without descriptions", `{"name":"r",` + cmd + `}`, ``, `{"name":"x",` + cmd + `}`, pin.Policy{}, pin.Policy{}, false, "x"},
		{"texts of parameters alone", `{"name":"r","title":"Shell",` + texts + `}`, ``, `{"name":"x","description":"x",` + texts + `}`, pin.Policy{}, pin.Policy{}, false, "x"},
		{"nothing to compare", `{"name":"r"}`, ``, `{"name":"x"}`, pin.Policy{}, pin.Policy{}, false, "x?"},
		{"nothing to compare in another server", `{"name":"r"}`, ``, `{"name":"x"}`, pin.Policy{}, pin.Policy{}, true, ""},
		{"under a policy", run, ``, named("x", run), strip, strip, false, "x"},
		{"under a new policy", run, list, list + "," + named("x", run), pin.Policy{}, strip, false, "x"},
		{"an entry that is its own pin under the policy before", `{"name":"r",` + cmd + `}`, `{"name":"ls",` + cmd + `}`, `{"name":"ls","description":"` + words + `",` + cmd + `}`, strip, pin.Policy{}, false, ""},
		{"under a policy that is gone", run, list, list + "," + named("x", run), strip, pin.Policy{}, false, "x"},
	} {
		pins := pintest.PinsOf(t, "["+tt.denied+"]", tt.policy)
		pins.Pins[0].Denied = true
		sides := []pin.Comparison{{Server: "s", State: pin.Paired, Locked: pintest.PinsOf(t, "["+tt.old+"]", tt.policy), Captured: pintest.PinsOf(t, "["+tt.new+"]", tt.next)}}
		if tt.isOther {
			pins.Server = "z"
			sides[0].Lockfile = []pin.Set{pins}
		} else {
			sides[0].Locked.Put(append(sides[0].Locked.Pins, pins.Pins...))
			captured := pintest.PinsOf(t, "["+tt.denied+"]", tt.next)
			sides[0].Captured.Put(append(sides[0].Captured.Pins, captured.Pins...))
		}
		for _, budget := range []*effort.Budget{effort.New(), effort.Of(0)} {
			drifts := pintest.Drifts(sides)
			Renames(budget, sides, drifts)
			var got []string
			for _, d := range drifts {
				if d.LooksDenied() {
					got = append(got, d.Name)
				} else if d.MayBeDenied {
					got = append(got, d.Name+"?")
				}
			}
			said := strings.Join(got, " ")
			if isNew := budget.Refusals() == 0; isNew && said != tt.want {
				t.Errorf("%s: %q, want %q", tt.what, said, tt.want)
			} else if !isNew && !strings.Contains(said, "?") {
				t.Errorf("%s, without a budget: %q", tt.what, said)
			}
		}
	}
}

// TestRenamesStayInTheirList checks that only entries of one server and list are paired, and that a URI
// counts as a name.
func TestRenamesStayInTheirList(t *testing.T) {
	entry := func(server string, entryType pin.EntryType, name, definition string) pin.Drift {
		p := &pin.Pin{Key: pin.Key{Type: entryType, Name: name}, Form: pin.Form{Definition: []byte(definition)}}
		if strings.HasPrefix(name, "old") {
			return pin.Drift{Server: server, Key: p.Key, Kind: pin.Removed, Locked: p}
		}
		return pin.Drift{Server: server, Key: p.Key, Kind: pin.Added, Captured: p}
	}
	drifts := []pin.Drift{
		entry("s", pin.Tools, "old", `{"name":"old","x":1}`),
		entry("s", pin.Prompts, "new", `{"name":"new","x":1}`),
		entry("t", pin.Tools, "new", `{"name":"new","x":1}`),
		entry("s", pin.Resources, "old:", `{"name":"x","uri":"old:"}`),
		entry("s", pin.Resources, "new:", `{"name":"x","uri":"new:"}`),
		entry("s", pin.Templates, "old:{x}", `{"name":"x","uriTemplate":"old:{x}"}`),
		entry("s", pin.Templates, "new:{x}", `{"name":"x","uriTemplate":"new:{x}"}`),
	}
	Renames(effort.New(), nil, drifts)
	want := "REMOVED old, ADDED new, ADDED new, REMOVED old: to new:, ADDED new: from old:, REMOVED old:{x} to new:{x}, ADDED new:{x} from old:{x}"
	if got := pintest.DriftLines(drifts); got != want {
		t.Errorf("got %s", got)
	}
}

// TestManyRenames has many tools with long descriptions: one half of them is gone, the other half is new.
func TestManyRenames(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it has 20,000 entries")
	var drifts []pin.Drift
	for i := range 20_000 {
		p := &pin.Pin{Key: pin.Key{Name: fmt.Sprint(i)}, Form: pin.Form{Definition: fmt.Appendf(nil, `{"description":"%sof %d","name":"%d"}`, strings.Repeat("some words ", 20), i, i)}}
		d := pin.Drift{Key: p.Key, Kind: pin.Removed, Locked: p}
		if i%2 == 0 {
			d.Kind, d.Locked, d.Captured = pin.Added, nil, p
		}
		drifts = append(drifts, d)
	}
	Renames(effort.New(), nil, drifts)
	for _, d := range drifts {
		if d.RenamedFrom+d.RenamedTo != "" {
			t.Fatalf("%s is a rename: too many to compare", d.Name)
		}
	}
}
