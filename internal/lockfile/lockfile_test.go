package lockfile_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pinproof/internal/capture"
	"pinproof/internal/fail"
	"pinproof/internal/jsontest"
	"pinproof/internal/jsontree"
	"pinproof/internal/lockfile"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
	"pinproof/internal/text"
)

func read(text string) (lockfile.Lockfile, error) {
	return lockfile.Read("tools.lock", []byte(text), pintest.HashDefinition, nil)
}

// theLockfile returns the lockfile of jsontest.LockfileText, made from captures.
func theLockfile(t testing.TB) lockfile.Lockfile {
	files := pintest.PinsOf(t, `{"tools":[{"name":"read_file","inputSchema":{"type":"object","required":[],"properties":{"n":{"minimum":-0,"maximum":1000000000000000000000}},"extra":{}},
		"description":"Reads a\u200b file\u00a0now, caf\u00e9 \ud83d\ude00."},{"name":"list_dir"}]}`, pin.Policy{})
	files.Server = "files"
	web := pintest.PinsOf(t, `{"tools":[{"name":"bare","_meta":{"x":1}}]}`, pin.Policy{HashOnly: true, Ignore: []string{"/_meta"}})
	web.Server = "web"
	web.Pins[0].Approval = &pin.Approval{By: "Ada\u200b <a@example.org>", At: "2026-01-02T03:04:05Z", Hash: "sha256:ae178d187162fcfbc2394adb93daee390dfb878361615330ea7963518bfe915d",
		Digest: "sha256:79ba70ca76018216f216c2eed3e08bfa1ce350343325a262d78e658044a76d5c"}
	var l lockfile.Lockfile
	l.Put(web)
	l.Put(files)
	return l
}

// inLockfile compares two lockfiles, places in files aside.
func inLockfile(t *testing.T, got, want lockfile.Lockfile) {
	t.Helper()
	recorded := func(l lockfile.Lockfile) (sets []pin.Set) {
		for _, s := range l.Servers {
			s.Line = 0
			s.Pins = slices.Clone(s.Pins)
			for i := range s.Pins {
				p := &s.Pins[i]
				p.Received, p.Line, p.Column = nil, 0, 0
				if s.Policy.HashOnly {
					p.Definition = nil
				}
			}
			sets = append(sets, s)
		}
		return sets
	}
	if a, b := recorded(got), recorded(want); !reflect.DeepEqual(a, b) {
		t.Errorf("the lockfile has\n%+v\nwant\n%+v", a, b)
	}
}

func TestLockfileText(t *testing.T) {
	want := theLockfile(t)
	if got := pintest.MustMarshal(t, want); got != jsontest.LockfileText {
		t.Errorf("got\n%s\nwant\n%s", got, jsontest.LockfileText)
	}
	got := pintest.MustParse(t, jsontest.LockfileText)
	inLockfile(t, got, want)
	files := got.Find("files")
	for name, line := range map[string]int{"list_dir": 6, "read_file": 12} {
		if p := files.Find(pin.Key{Type: pin.Tools, Name: name}); files.Line != 4 || p.Line != line {
			t.Errorf("%s is at line %d of the server at line %d", name, p.Line, files.Line)
		}
	}
	if got.Find("other") != nil || files.Find(pin.Key{Type: pin.Tools, Name: "other"}) != nil {
		t.Error("found what isn't there")
	}
	got.Drop("files")
	inLockfile(t, got, lockfile.Lockfile{Servers: want.Servers[1:]})
	if got := pintest.MustMarshal(t, lockfile.Lockfile{}); got != "{\n  \"lockfileVersion\": 1,\n  \"servers\": {}\n}\n" {
		t.Errorf("without servers: %s", got)
	}
}

// TestLockfileValue: line ends and the order of pins don't count in a lockfile: a merge may change them. All else counts
// (TestLayout).
func TestLockfileValue(t *testing.T) {
	for _, text := range []string{
		reversed(t, jsontest.LockfileText, isFreeOrder),
		strings.TrimRight(jsontest.LockfileText, "\n"),
		strings.ReplaceAll(jsontest.LockfileText, "\n", "\r\n"),
	} {
		got := pintest.MustParse(t, text)
		inLockfile(t, got, theLockfile(t))
		if again := pintest.MustMarshal(t, got); again != jsontest.LockfileText {
			t.Errorf("written again as\n%s", again)
		}
	}
}

// laidOut returns JSON text in the layout of a lockfile, which is that of the standard library.
func laidOut(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(strings.TrimSpace(text)), "", "  "); err != nil {
		t.Fatal(err)
	}
	return b.String() + "\n"
}

// TestLayout: no blank can be added to a lockfile or taken away, line ends in CRLF and the last one apart. No escape
// stands for a printable character.
func TestLayout(t *testing.T) {
	good := jsontest.LockfileText
	if spaced := laidOut(t, good); spaced != good {
		t.Fatalf("the standard library lays it out as\n%s", spaced)
	}
	refuses := func(text string) {
		t.Helper()
		if l, err := read(text); err == nil && pintest.MustMarshal(t, l) == good {
			t.Errorf("read %q", text[:min(len(text), 300)])
		}
	}
	inText := false
	for i := range good {
		wasText := inText
		if good[i] == '"' && good[i-1] != '\\' {
			inText = !inText
		}
		if wasText || testing.Short() && i%8 > 0 {
			continue
		}
		for _, blanks := range []string{" ", "\t", "\r", "\n"} {
			if blanks != "\r" || good[i] != '\n' {
				refuses(good[:i] + blanks + good[i:])
			}
		}
		if strings.ContainsRune(" \n", rune(good[i])) && i < len(good)-1 {
			refuses(good[:i] + good[i+1:])
		}
	}
	refuses(good + "\n")
	refuses(good + "\n\n")
	refuses(strings.ReplaceAll(good, "é", `\u00e9`))
	refuses(strings.ReplaceAll(good, ": 0", ": -0"))
	refuses(strings.ReplaceAll(good, "1e+21", "1000000000000000000000.0"))
	refuses(strings.Replace(good, "list_dir", `\u006cist_dir`, 1))
	refuses(strings.ReplaceAll(good, "a.org", `a\/org`) + " ")
}

// reversed returns the text of a lockfile with the members of the objects at some paths in reverse order.
func reversed(t testing.TB, text string, is func(path []string) bool) string {
	t.Helper()
	root, err := jsontree.NewReader([]byte(text)).ReadSingle()
	if err != nil {
		t.Fatal(err)
	}
	var turn func(path []string, v jsontree.Value) string
	turn = func(path []string, v jsontree.Value) string {
		if v.Kind != '{' {
			return text[v.Start:v.End]
		}
		var list []string
		members := slices.Clone(v.Members())
		slices.SortFunc(members, func(a, b jsontree.Member) int { return int(a.Start - b.Start) })
		for _, m := range members {
			list = append(list, strconv.Quote(m.Name)+": "+turn(append(slices.Clip(path), m.Name), m.Value))
		}
		if is(path) {
			slices.Reverse(list)
		}
		return "{" + strings.Join(list, ",") + "}"
	}
	return laidOut(t, turn(nil, root))
}

// isFreeOrder reports whether a path leads to the servers or to the tools of one.
func isFreeOrder(path []string) bool {
	return len(path) == 1 || len(path) == 3 && path[2] == "tools"
}

// TestOrder: only the servers, and the pins of a list, may be in another order. A mark or a policy far from its place
// could be overlooked, in a merge as well.
func TestOrder(t *testing.T) {
	good := pintest.MustMarshal(t, lockfile.Lockfile{Servers: []pin.Set{markedSet(t)}})
	orders := map[string]bool{}
	reversed(t, good, func(path []string) bool {
		text := reversed(t, good, func(other []string) bool { return slices.Equal(path, other) })
		if isDefinition := slices.Contains(path, "definition"); text == good || isDefinition || isFreeOrder(path) {
			return false
		}
		orders[strings.Join(path, "/")] = true
		if _, err := read(text); err == nil || !strings.HasSuffix(fail.AsError(err).Text, "this version of pinproof writes it at another place") {
			t.Errorf("%v reversed: %v", path, err)
		}
		return false
	})
	if want := 7; len(orders) != want { // the file, the server, about, the policy, two pins and an approval
		t.Errorf("objects whose order counts: %v", orders)
	}
}

// markedSet returns a server's pins with each member that a pin of a tool may have.
func markedSet(t *testing.T) pin.Set {
	set := pintest.PinsOf(t, `[{"name":"b","description":"x\u200b"},{"name":"a"}]`, pin.Policy{RequireClean: true, AppPages: true})
	set.Server = "s"
	set.ServerInfo = pin.ServerInfo{Name: "S", Version: "1"}
	p := &set.Pins[1]
	p.Denied = true
	p.AcceptedWarnings = []pin.AcceptedWarning{{ID: "hidden-text", Digest: p.Digest}}
	p.Approval = &pin.Approval{By: "Ada", At: "2026-01-02T03:04:05Z", Hash: p.Digest, Digest: p.Digest}
	return set
}

// TestLockfileRoundTrip: parse → marshal → parse is identity for all kinds of pins.
func TestLockfileRoundTrip(t *testing.T) {
	random := jsontest.NewMaker(3)
	for i := range jsontest.RoundCount(30, 300) {
		var l lockfile.Lockfile
		for range random.IntN(3) {
			pol := pin.Policy{HashOnly: random.IntN(4) == 0, RequireClean: random.IntN(4) == 0, EmptyCursorEnds: random.IntN(4) == 0,
				Descriptions: random.Pick("", "", "strip", "truncate=3")}
			if random.IntN(3) == 0 {
				pol.Ignore = []string{"/_meta/" + strings.NewReplacer("~", "", "/", "").Replace(random.Text())}
			}
			var tools []string
			seen := map[string]bool{}
			for range random.IntN(6) {
				name := "t" + random.Text()
				if !seen[name] {
					seen[name] = true
					tools = append(tools, random.Definition(name))
				}
			}
			s := pintest.PinsOf(t, "["+strings.Join(tools, ",")+"]", pol)
			s.Server = "s" + random.Text()
			if random.IntN(2) == 0 {
				s.ServerInfo = pin.ServerInfo{Name: random.Text(), Version: "1." + random.Text()}.AsRecorded()
			}
			for i := range s.Pins {
				if random.IntN(3) == 0 {
					for n := range 3 {
						s.Pins[i].AcceptedWarnings = append(s.Pins[i].AcceptedWarnings, pin.AcceptedWarning{ID: fmt.Sprint("id-", n), Place: jsontree.ExtendPointer("", random.Text()), Digest: s.Pins[i].Digest})
					}
				}
				if random.IntN(3) == 0 {
					s.Pins[i].Approval = &pin.Approval{By: "x" + random.Text(), At: "2026-01-02T03:04:05Z", Hash: s.Pins[i].Digest, Digest: s.Pins[i].Digest}
				}
			}
			if random.IntN(3) == 0 {
				s.AcceptedWarnings = []pin.AcceptedWarning{{ID: "oversize", Digest: jsontree.DigestPrefix + strings.Repeat("0", 64)}}
			}
			l.Put(s)
		}
		str := pintest.MustMarshal(t, l)
		once := pintest.MustParse(t, str)
		inLockfile(t, once, l)
		if again := pintest.MustMarshal(t, once); again != str {
			t.Fatalf("run %d: written again as\n%s\nwas\n%s", i, again, str)
		}
		withListed(t, l, str)
		for range 20 {
			at := random.IntN(len(str))
			for _, other := range []string{str[:at], str[:at] + "x" + str[at+1:], str[:at] + str[at+1:], str + str[at:], str[:at] + " " + str[at:]} {
				withListed(t, l, other)
			}
		}
		for _, r := range str {
			if r != '\n' && (r < 0x20 || text.IsHidden(r) || text.UnusualSpace(r)) {
				t.Fatalf("run %d: U+%04X is unescaped in\n%s", i, r, str)
			}
		}
		if !json.Valid([]byte(str)) || strings.TrimRight(str, "\n")+"\n" != str {
			t.Fatalf("run %d: not JSON with one final line feed:\n%s", i, str)
		}
	}
}

// withListed checks that Read returns the same if it is given captures that list the entries of l.
func withListed(t *testing.T, l lockfile.Lockfile, text string) {
	t.Helper()
	fast, err := lockfile.Read("tools.lock", []byte(text), pintest.HashDefinition, func(server string, _ pin.Policy) *pin.Set {
		if s := l.Find(server); s != nil {
			return s
		}
		return &pin.Set{}
	})
	slow, want := read(text)
	if fmt.Sprint(err) != fmt.Sprint(want) || !reflect.DeepEqual(fast, slow) {
		t.Fatalf("%+v, %v, but without captures\n%+v, %v\n%s", fast, err, slow, want, text)
	}
}

// TestUnconfirmed: a pin whose bytes aren't the canonical form of what was received is not written.
func TestUnconfirmed(t *testing.T) {
	for _, wrong := range []bool{false, true} {
		form := func(entryType pin.EntryType, hashed []byte) pin.HashedDefinition {
			if wrong {
				hashed = append(hashed, ' ')
			}
			return pin.HashedDefinition{Definition: hashed, Digest: fmt.Sprintf("sha256:%x", sha256.Sum256(hashed))}
		}
		m, err := capture.Read("m.json", []byte(`{"tools":[{"name":"a"}]}`), form, pin.Policy{})
		if err != nil {
			t.Fatal(err)
		}
		set, err := capture.PinCapture(m, "s", pin.Policy{}, nil, form)
		if err != nil {
			t.Fatal(err)
		}
		for _, set.Policy = range []pin.Policy{{}, {HashOnly: true}} {
			out, err := lockfile.Marshal(lockfile.Lockfile{Servers: []pin.Set{set}})
			if (err != nil) != wrong || wrong && (out != nil || !strings.Contains(err.Error(), "server s: tool=a: ")) {
				t.Errorf("wrong %t: %v", wrong, err)
			}
		}
	}
}

// TestContradictions makes each edit of testdata/contradictions.txt in a good lockfile.
func TestContradictions(t *testing.T) {
	for _, row := range jsontest.ReadRows(t, "testdata/contradictions.txt", 4) {
		t.Run(row[0], func(t *testing.T) {
			text := strings.Replace(jsontest.LockfileText, row[1], row[2], 1)
			if text == jsontest.LockfileText {
				t.Fatalf("%q is not in the lockfile", row[1])
			}
			l, err := read(text)
			jsontest.WantError(t, err, row[3])
			if l.Servers != nil {
				t.Error("an error, and a lockfile beside it")
			}
		})
	}
}

func TestNotALockfile(t *testing.T) {
	for _, row := range jsontest.ReadRows(t, "testdata/no_lockfile.txt", 3) {
		t.Run(row[0], func(t *testing.T) {
			_, err := read(row[1])
			jsontest.WantError(t, err, row[2])
		})
	}
}

func TestIsLockfile(t *testing.T) {
	for text, want := range map[string]bool{
		jsontest.LockfileText: true, jsontest.LockfileText[:200]: true, `{"servers":{},"lockfileVersion":9}`: true, "\ufeff{\"lockfileVersion\": 1,,}": true,
		`{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`: false, `[{"name":"lockfileVersion"}]`: false, "": false, `"lockfileVersion"x`: false, `{"tools":[{"lockfileVersion":1}]}`: false,
	} {
		if got := lockfile.IsLockfile([]byte(text)); got != want {
			t.Errorf("isLockfile(%.40q) = %v", text, got)
		}
	}
}

// TestManyServers: the work grows with the size of a lockfile, not with its square.
func TestManyServers(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it reads 50,000 servers")
	var b strings.Builder
	b.WriteString(`{"lockfileVersion":1,"servers":{`)
	for i := range 50_000 {
		fmt.Fprintf(&b, "%q:{\"tools\":{}},", fmt.Sprintf("server_%d", i))
	}
	text := laidOut(t, strings.TrimRight(b.String(), ",")+"}}")
	if l := pintest.MustParse(t, text); len(l.Servers) != 50_000 {
		t.Errorf("%d servers", len(l.Servers))
	}
	_, err := read(strings.Replace(text, `"server_0"`, `"one_more":{"tools":{}},"server_0"`, 1))
	jsontest.WantError(t, err, "tools.lock:3:14: more than 50,000 servers")
}

// FuzzLockfile: reading never panics and returns only an error if there is one; what is
// read is written and read again as the same.
func FuzzLockfile(f *testing.F) {
	f.Add([]byte(jsontest.LockfileText))
	f.Add([]byte(`{"lockfileVersion":1,"servers":{}}`))
	f.Add([]byte(`{"servers":{"a":{"policy":{"hashOnly":true},"tools":{"t":{"digest":"` + jsontree.DigestPrefix + strings.Repeat("0", 64) + `"}}}},"lockfileVersion":1}`))
	f.Add([]byte("<<<<<<< a\n"))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := read(string(data))
		if err != nil {
			if l.Servers != nil {
				t.Fatalf("%q: %v, and a lockfile beside it", data, err)
			}
			jsontest.CheckVisible(t, err.Error())
			return
		}
		text := pintest.MustMarshal(t, l)
		again := pintest.MustParse(t, text)
		inLockfile(t, again, l)
		if !lockfile.IsLockfile(data) {
			t.Fatalf("%q is read, and not recognised as a lockfile", data)
		}
		if !reflect.DeepEqual(jsontest.DecodeJSON(t, []byte(text)), jsontest.DecodeJSON(t, data)) {
			t.Fatalf("%q\nis written as\n%s", data, text)
		}
	})
}

// TestRawCharacterInAReorderedLockfile: the error names the pin that the character is
// in, in any order of the pins.
func TestRawCharacterInAReorderedLockfile(t *testing.T) {
	hidden := `"read_file": {
          "digest": "sha256:db783dc82e7e7887858da33ce4ee8773e412e032a1986ff681568b8e09124cf6",`
	at, end := strings.Index(jsontest.LockfileText, hidden), strings.Index(jsontest.LockfileText, "\n      }\n    },\n    \"web\"")
	first := strings.Index(jsontest.LockfileText, `"list_dir"`)
	pin := strings.Replace(jsontest.LockfileText[at:end], `\u200b`, "\u200b", 1)
	text := jsontest.LockfileText[:first] + pin + ",\n        " + strings.TrimRight(jsontest.LockfileText[first:at], ", \n") + jsontest.LockfileText[end:]
	_, err := read(text)
	jsontest.WantError(t, err, "tools.lock:10:36: server files: pin read_file: unescaped U+200B, where pinproof writes an escape")
}

// TestUnreadFiles: each file of a skill without a text needs the record that lint makes of it: one each for the first
// ten, one of the definition for all others.
func TestUnreadFiles(t *testing.T) {
	const folder = "skill://acme/pdf/"
	sum := func(s string) string { return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(s))) }
	names := []string{"SKILL.md", "a.py"}
	for i := range 11 {
		names = append(names, fmt.Sprintf("p%02d.png", i))
	}
	var resources []string
	for _, name := range names {
		resources = append(resources, fmt.Sprintf(`{"digest":%q,"size":%d,"uri":%q}`, sum(name), len(name), folder+name))
	}
	definition := `{"frontmatter":{"description":"Reads.","name":"pdf"},"resources":[` + strings.Join(resources, ",") + `],"uri":"` + folder + `SKILL.md"}`
	digest := sum(definition)
	unread := func(name string) pin.AcceptedWarning {
		return pin.AcceptedWarning{ID: "unread-file", Place: "/resources", Digest: sum(`["` + sum(name) + `","` + name + `"]`)}
	}
	records := func(names ...string) (list []pin.AcceptedWarning) {
		for _, name := range names {
			list = append(list, unread(name))
		}
		return list
	}
	others := pin.AcceptedWarning{ID: "unread-file", Digest: digest}
	for _, tt := range []struct {
		what    string
		read    int // so many files have a text
		records []pin.AcceptedWarning
		want    string // the file of the error
	}{
		{"all have a text", 13, nil, ""},
		{"none of two", 11, records(names[11:]...), ""},
		{"one record too few", 11, records(names[12]), "p09.png"},
		{"the record of another file", 12, records("a.py"), "p10.png"},
		{"a record of another definition", 12, []pin.AcceptedWarning{{ID: "oversize", Digest: sum("x")}}, "p10.png"},
		{"a definition that is too large", 0, []pin.AcceptedWarning{{ID: "oversize", Digest: digest}}, ""},
		{"a record of another place", 12, []pin.AcceptedWarning{{ID: "oversize", Place: "/resources", Digest: digest}}, "p10.png"},
		{"more than ten", 2, append(records(names[2:12]...), others), ""},
		{"more than ten, without the last record", 2, records(names[2:12]...), "p10.png"},
		{"a text less", 1, append(records(names[2:12]...), others), "a.py"},
		{"the last record alone", 12, []pin.AcceptedWarning{others}, "p10.png"},
	} {
		p := pin.Pin{Key: pin.Key{Type: pin.Skills, Name: folder + "SKILL.md"}, HashedDefinition: pintest.HashDefinition(pin.Skills, []byte(definition)), AcceptedWarnings: tt.records}
		for _, name := range names[:tt.read] {
			p.Files = jsontree.Object(append(p.Files.Parts, jsontree.Member{Name: folder + name, Value: jsontree.String(name)})...)
		}
		set := pin.Set{Server: "s"}
		slices.SortFunc(p.AcceptedWarnings, func(a, b pin.AcceptedWarning) int { return strings.Compare(a.String(), b.String()) })
		set.SetPins([]pin.Pin{p})
		_, err := read(pintest.MustMarshal(t, lockfile.Lockfile{Servers: []pin.Set{set}}))
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(fail.AsError(err).Text, "the text of its file "+tt.want+" is missing") {
			t.Errorf("%s: %v", tt.what, err)
		}
	}
}
