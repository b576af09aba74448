package house

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pinproof/internal/lint"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
	"pinproof/internal/report/formats"
)

// Each entry type, policy switch, format and rule is a row of a table that the program works from.
// These tests compare other files, such as the documentation and the JSON schemas, with the tables:
// a new row fails them until each such file names it.

// read returns the text of a file of the repository.
func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(pintest.FromRoot(path))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// within returns the value in a JSON file that the names lead to, member by member.
func within(t *testing.T, path string, names ...string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(read(t, path)), &v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	for i, name := range names {
		object, _ := v.(map[string]any)
		if v = object[name]; v == nil {
			t.Fatalf("%s: no /%s", path, strings.Join(names[:i+1], "/"))
		}
	}
	return v
}

// keysWithin returns the sorted names of the members of the object that within finds.
func keysWithin(t *testing.T, path string, names ...string) []string {
	t.Helper()
	object, _ := within(t, path, names...).(map[string]any)
	var keys []string
	for key := range object {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func TestEntryTypesAreNamed(t *testing.T) {
	const lockSchema = "docs/lockfile.schema.json"
	var members, lists []string
	for list, row := range pin.EntryTypeInfo {
		isList := pin.EntryType(list) != pin.Instructions
		if row.Entry == "" || row.Member == "" || row.Method == "" || isList && (row.Identity == "" || len(row.Capability) == 0 || len(row.Members) == 0) {
			t.Errorf("the row of %s%s lacks something", row.Entry, row.Member)
		}
		if isList && !slices.Contains(row.Members, row.Identity) {
			t.Errorf("%s: its members lack %s", row.Member, row.Identity)
		}
		members = append(members, row.Member)
		if isList {
			lists = append(lists, row.Member)
		}
		if !slices.Contains(pin.LockOrder[:], pin.EntryType(list)) {
			t.Errorf("LockOrder lacks %s", row.Member)
		}
		if isList && !slices.Contains(pin.RequestOrder[:], pin.EntryType(list)) {
			t.Errorf("AskOrder lacks %s", row.Member)
		}
	}
	slices.Sort(members)
	slices.Sort(lists)

	var server []string
	for _, member := range keysWithin(t, lockSchema, "$defs", "server", "properties") {
		if !slices.Contains([]string{"about", "acceptedWarnings", "policy"}, member) {
			server = append(server, member)
		}
	}
	places := map[string][]string{
		"the servers of " + lockSchema:         server,
		"what has a definition, " + lockSchema: keysWithin(t, lockSchema, "$defs", "server", "else", "properties"),
		"what has none, " + lockSchema:         keysWithin(t, lockSchema, "$defs", "server", "then", "properties"),
	}
	var ofReport []string
	for _, member := range within(t, "docs/report.schema.json", "$defs", "list", "enum").([]any) {
		ofReport = append(ofReport, member.(string))
	}
	slices.Sort(ofReport)
	places["the list of docs/report.schema.json"] = ofReport
	for place, got := range places {
		if !slices.Equal(got, members) {
			t.Errorf("%s names %q, the table %q", place, got, members)
		}
	}

	// The merge driver merges the lists that it names entry by entry. It takes any other list whole.
	joined := regexp.MustCompile(`IN\(([^)]*)\)`).FindStringSubmatch(read(t, "docs/merge-lockfile.sh"))
	if joined == nil {
		t.Fatal("docs/merge-lockfile.sh names no lists")
	}
	merged := strings.Split(strings.ReplaceAll(joined[1], `"`, ""), ", ")
	slices.Sort(merged)
	if !slices.Equal(merged, lists) {
		t.Errorf("docs/merge-lockfile.sh joins %q, the table has %q", merged, lists)
	}
	for _, member := range members {
		if !strings.Contains(read(t, "docs/lockfile.md"), `      "`+member+`": {`) {
			t.Errorf("docs/lockfile.md doesn't show %s", member)
		}
	}
}

func TestPoliciesAreNamed(t *testing.T) {
	members := []string{"descriptions", "ignore", "substitute"}
	for _, s := range pin.PolicySwitches {
		members = append(members, s.Member)
	}
	slices.Sort(members)
	for path, names := range map[string][]string{
		"docs/lockfile.schema.json": {"$defs", "policy", "properties"},
		"docs/report.schema.json":   {"$defs", "policy", "properties"},
	} {
		if got := keysWithin(t, path, names...); !slices.Equal(got, members) {
			t.Errorf("%s has %q, the table %q", path, got, members)
		}
	}
	page := read(t, "docs/lockfile.md")
	for _, member := range members {
		if !strings.Contains(page, "| `"+member+"` |") {
			t.Errorf("docs/lockfile.md has no row for %s", member)
		}
	}
	for _, flag := range pin.PolicyFlags() {
		if !strings.Contains(page, "| `--"+flag) {
			t.Errorf("docs/lockfile.md has no row for --%s", flag)
		}
	}
}

func TestFormatsAreDocumented(t *testing.T) {
	page := read(t, "docs/ci.md")
	for _, name := range formats.Names() {
		if !strings.Contains(page, "| `"+name+"` |") {
			t.Errorf("docs/ci.md has no line for %s", name)
		}
	}
}

func TestRulesAreDocumented(t *testing.T) {
	page := read(t, "docs/review.md")
	for _, rule := range lint.Rules {
		if !strings.Contains(page, "| `"+rule.ID+"` |") {
			t.Errorf("docs/review.md has no line for %s", rule.ID)
		}
	}
}
