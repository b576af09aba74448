package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gowebpki/jcs"

	"pinproof/internal/capture"
	"pinproof/internal/jsontest"
	"pinproof/internal/jsontree"
	"pinproof/internal/lockfile"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
)

func TestCanonicalForm(t *testing.T) {
	tests := []struct {
		what      string
		received  string
		canonical string
		digest    string
	}{
		{
			"a definition: members sorted at every depth, no blanks",
			jsontest.DefinitionOfListDir,
			`{"description":"Lists a folder.","inputSchema":{"properties":{"path":{"type":"string"}},"required":["path"],"type":"object"},"name":"list_dir"}`,
			"sha256:af36110b112f0e68e9be531659ca16f658ea66beb0dd0275cf1e7384b56de237",
		},
		{
			"the same value: another order of members, other blanks, needless escapes",
			` { "inputSchema" : {"required":["path"],"type":"object","properties":{"path":{"type":"string"}}},` + "\n" +
				`"description":"Lists \u0061 f\u006flder.", "name":"list\u005fdir"}`,
			`{"description":"Lists a folder.","inputSchema":{"properties":{"path":{"type":"string"}},"required":["path"],"type":"object"},"name":"list_dir"}`,
			"sha256:af36110b112f0e68e9be531659ca16f658ea66beb0dd0275cf1e7384b56de237",
		},
		{
			"white space inside a text counts",
			strings.Replace(jsontest.DefinitionOfListDir, "folder.", "folder. ", 1),
			`{"description":"Lists a folder. ","inputSchema":{"properties":{"path":{"type":"string"}},"required":["path"],"type":"object"},"name":"list_dir"}`,
			"sha256:072362115d709de3fd0e07add8f2892c18b63a0dfd71f3735acdc2333a52647a",
		},
		{
			"null is not absent",
			strings.Replace(jsontest.DefinitionOfListDir, `"name"`, `"title":null,"name"`, 1),
			`{"description":"Lists a folder.","inputSchema":{"properties":{"path":{"type":"string"}},"required":["path"],"type":"object"},"name":"list_dir","title":null}`,
			"sha256:a97d78ba32ce115edaad4de12633bb3b8b63dc261679623d77625ea56d4f7666",
		},
		{
			"an array keeps its order",
			strings.Replace(jsontest.DefinitionOfListDir, `["path"]`, `["path","depth"]`, 1),
			`{"description":"Lists a folder.","inputSchema":{"properties":{"path":{"type":"string"}},"required":["path","depth"],"type":"object"},"name":"list_dir"}`,
			"sha256:443d1a8435f829a4baeb3ac7a85f40ba3b61873874c1056ba4d4321a94661252",
		},
		{
			"the other order is another value",
			strings.Replace(jsontest.DefinitionOfListDir, `["path"]`, `["depth","path"]`, 1),
			`{"description":"Lists a folder.","inputSchema":{"properties":{"path":{"type":"string"}},"required":["depth","path"],"type":"object"},"name":"list_dir"}`,
			"sha256:c17c537d760da9773360a2184c98e92bc7fb37126b9571e652c9b2c61b68c121",
		},
		{
			"numbers as ECMAScript prints the double",
			`{"name":"n","x":[1.0,100e-2,-0,0.1,1e21,1e-7,1.2345678901234568E+20,4.50,1e3,333333333.33333329,5e-324,9007199254740991]}`,
			`{"name":"n","x":[1,1,0,0.1,1e+21,1e-7,123456789012345680000,4.5,1000,333333333.3333333,5e-324,9007199254740991]}`,
			"sha256:df71524ff6109a44a44e6c059af645e0f65069f20f3e831b742f7ecbf66c0969",
		},
		{
			"strings with the fewest escapes, everything above U+001F raw",
			`{"name":"s","description":"\u000a\t\b\u000c\r\u001b\u007f\u2028\/\"\\é\ud83d\ude00\u200b"}`,
			`{"description":"\n\t\b\f\r\u001b` + "\x7f\u2028" + `/\"\\é😀` + "\u200b" + `","name":"s"}`,
			"sha256:3dbd4d7c159692a1b9a29f62276798afe346dccb925fe0ec8386980045fbe9f7",
		},
		{
			"members sorted by UTF-16 code units: U+1F600 stands before U+FB33",
			`{"name":"k","\ufb33":1,"\ud83d\ude00":2,"\u20ac":3,"\u0080":4,"":5,"A":6,"a":7,"10":8,"9":9,"\r":10}`,
			`{"":5,"\r":10,"10":8,"9":9,"A":6,"a":7,"name":"k","` + "\u0080" + `":4,"€":3,"😀":2,"` + "\ufb33" + `":1}`,
			"sha256:79f59a51f39bbaa8cdfe109983f26da3ba7208aea94a4d87cebbbf00a4558427",
		},
		{
			"no Unicode normalization: e and U+0301",
			`{"name":"c","description":"caf\u0065\u0301"}`,
			`{"description":"cafe` + "\u0301" + `","name":"c"}`,
			"sha256:9ef846e8870082173e7113ebf2bb45e589194faf63c290e455907c8fd5517260",
		},
		{
			"no Unicode normalization: U+00E9",
			`{"name":"c","description":"caf\u00e9"}`,
			`{"description":"café","name":"c"}`,
			"sha256:27ffcece59b89205f87d20e75bb0d02870e9eb4680b5ec584cdf8c3475197b3d",
		},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			set := canonPins(t, `{"tools":[`+tt.received+`]}`, pin.Policy{})
			if p := set.Pins[0]; string(p.Definition) != tt.canonical || p.Digest != tt.digest {
				t.Errorf("got  %s\n     %s\nwant %s\n     %s", p.Definition, p.Digest, tt.canonical, tt.digest)
			}
		})
	}
}

// TestSanitizedDigest shows the second digest of a pin: that of the definition
// without what no reader sees. It differs only where there is something unseen.
func TestSanitizedDigest(t *testing.T) {
	set := canonPins(t, `[{"name":"read_file","description":"Reads a\u200b file."},{"name":"list_dir"}]`, pin.Policy{})
	hidden, clean := set.Find(pin.Key{Type: pin.Tools, Name: "read_file"}), set.Find(pin.Key{Type: pin.Tools, Name: "list_dir"})
	const (
		asReceived = "sha256:3cd716fbf8b3054739971901e79308a3f9698e6f6a964fb78171d40ea408d223" // with U+200B
		asSeen     = "sha256:c03ae84f7a13da34e6afa797ccfc1fdd2760ef6b46cd94c63ac048488066d26b" // without
	)
	if hidden.Digest != asReceived || hidden.SanitizedDigest != asSeen {
		t.Errorf("digest %s, sanitized %s", hidden.Digest, hidden.SanitizedDigest)
	}
	if clean.SanitizedDigest != clean.Digest {
		t.Errorf("clean text has two digests: %s, %s", clean.Digest, clean.SanitizedDigest)
	}
}

func TestSetDigest(t *testing.T) {
	const readFile = `{"name":"read_file","description":"Reads a\u200b file."}`
	tests := []struct {
		what  string
		tools string
		pol   pin.Policy
		want  string
	}{
		{ // list_dir:af36…e237 LF read_file:3cd7…d223
			"a line a tool",
			jsontest.DefinitionOfListDir + "," + readFile, pin.Policy{},
			"sha256:0b47aa7f41b8f538a85057959eca12ce903ddddcad4f2da5239973c13d48e688",
		},
		{
			"the order of the list does not count",
			readFile + "," + jsontest.DefinitionOfListDir, pin.Policy{},
			"sha256:0b47aa7f41b8f538a85057959eca12ce903ddddcad4f2da5239973c13d48e688",
		},
		{ // the SHA-256 of nothing
			"no tools", "", pin.Policy{},
			"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		},
		{ // U+1F600:aab4… LF U+FB33:e69b…
			"lines sorted by UTF-16 code units",
			`{"name":"\ufb33"},{"name":"\ud83d\ude00"}`, pin.Policy{},
			"sha256:90bf93d4faaec6c59080d2531dfa003e59ca6f5e012b5a3b1b2ac529279e0a28",
		},
		{ // policy:4d7c… of {"descriptions":"strip","hashOnly":true,"ignore":["/_meta","/execution"]},
			// then the two tools, pinned without their descriptions
			"a policy stands before them",
			jsontest.DefinitionOfListDir + "," + readFile,
			pin.Policy{Descriptions: "strip", HashOnly: true, Ignore: []string{"/_meta", "/execution"}},
			"sha256:0873d2b8604fe1e25ccd9d5b0603662397112988cf68414bbb779f6c3f1defbb",
		},
		{"requireClean alone", `{"name":"t","description":"größer"}`, pin.Policy{RequireClean: true}, "sha256:afdc6fa181fd4667bf392b139f0c5f634da79aaeebe82ff2ef10d69a2709a3ce"},
		{"emptyCursorEnds alone", `{"name":"t","description":"größer"}`, pin.Policy{EmptyCursorEnds: true}, "sha256:a9fb57925a09278d0d2718daba2ee4c012a638833d58e0714a3c3fd1183d1f99"},
		{"truncate alone, which the definition shows, too", `{"name":"t","description":"größer"}`, pin.Policy{Descriptions: "truncate=3"}, "sha256:07bd2abebee345af4eb39476252667c2b68b0ca49a8efd3565988879b778f8ff"},
		{"ignore alone", `{"name":"t","description":"größer"}`, pin.Policy{Ignore: []string{"/_meta/größe"}}, "sha256:659c41dea8774f76651561f699446ba3f43ff26469118b27c97ab91fff3f3d45"},
		{"hashOnly alone", `{"name":"t","description":"größer"}`, pin.Policy{HashOnly: true}, "sha256:3ff399cb6f291a2e3e5fd8e7a9cf6b1ba138ec0c618a71b4df467bb6017a3553"},
		{
			"a repeated name has no set digest",
			jsontest.DefinitionOfListDir + "," + jsontest.DefinitionOfListDir, pin.Policy{}, "",
		},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			set := canonPins(t, `{"tools":[`+tt.tools+`]}`, tt.pol)
			if got := setDigest(&set); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// TestApprovalHash shows what the hash of an approval covers, absent members
// left out:
//
//	{"description":"Lists a folder.","input_schema":{…},"server_id":"files","tool_name":"list_dir"}
func TestApprovalHash(t *testing.T) {
	tests := []struct{ definition, want string }{
		{jsontest.DefinitionOfListDir, "sha256:2301a773516b7d31d5010c4a2a82dd735d6d0f88b2cbe2d7e592a8748cc1e451"},
		{`{"name":"bare","title":"not hashed"}`, "sha256:c3f90e1264f2aca9e078ce71eb40dfa6e8438bb8c73100797f70684408c7ea26"},
	}
	for _, tt := range tests {
		for _, pol := range []pin.Policy{{}, {Descriptions: "strip"}} { // as received, whatever the policy pins
			set := canonPins(t, `{"tools":[`+tt.definition+`]}`, pol)
			if got := approvalHash("files", &set.Pins[0]); got != tt.want {
				t.Errorf("%s under %+v: %s; want %s", tt.definition, pol, got, tt.want)
			}
		}
	}
}

// TestListsOfOneSession: if a session has several complete lists, their sets of canonical
// forms must be equal, because nobody can know which of them an agent got.
func TestListsOfOneSession(t *testing.T) {
	list := func(tools ...string) string {
		return `{"jsonrpc":"2.0","id":1,"result":{"tools":[` + strings.Join(tools, ",") + `]}}` + "\n"
	}
	a, b, c := `{"name":"a"}`, `{"name":"b","x":1}`, `{"name":"c"}`
	tests := []struct{ what, capture, wrong string }{
		{"equal to the byte", list(a, b) + list(a, b), ""},
		{"another order", list(a, b) + list(b, a), ""},
		{"another spelling", list(a, b) + list(a, `{ "x":1.0, "name":"\u0062" }`), ""},
		{"one changed", list(a, b) + list(a, `{"name":"b","x":2}`), "m.json: ambiguous: list 2 of the session is not the first one: tool b"},
		{"one fewer", list(a, b) + list(a), "m.json: ambiguous: list 2 of the session is not the first one: tool b"},
		{"one more, in the third", list(a, b) + list(b, a) + list(a, b, c), "m.json: ambiguous: list 3 of the session is not the first one: tool c"},
		{"two replaced", list(a, b) + list(c), "m.json: ambiguous: list 2 of the session is not the first one: tool a and 2 others"},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			_, err := capture.Read("m.json", []byte(tt.capture), formOf, pin.Policy{})
			jsontest.WantError(t, err, tt.wrong)
		})
	}
	// A policy that would not pin the difference does not make the lists equal.
	_, err := capture.Read("m.json", []byte(list(`{"name":"a","description":"x"}`)+list(`{"name":"a","description":"y"}`)), formOf, pin.Policy{})
	jsontest.WantError(t, err, "m.json: ambiguous: list 2 of the session is not the first one: tool a")
	// A name that is repeated in any of the lists is repeated in the capture.
	for _, lists := range []string{list(a, a) + list(a), list(a) + list(a, a)} {
		if set := canonPins(t, lists, pin.Policy{}); !set.HasRepeatedName() {
			t.Errorf("a repeated name is not seen in\n%s", lists)
		}
	}
}

// TestPinnedForms: in the pins of many made-up tools, each canonical form is the one that
// a second implementation makes.
func TestPinnedForms(t *testing.T) {
	var list []string
	random := jsontest.NewMaker(7)
	for range 1_000 {
		list = append(list, random.Definition(fmt.Sprintf("tool_%d", random.IntN(900)))) // some names twice
	}
	set := canonPins(t, `{"tools":[`+strings.Join(list, ",")+`]}`, pin.Policy{})
	if len(set.Pins) != 1_000 {
		t.Fatalf("%d pins", len(set.Pins))
	}
	for i, p := range set.Pins {
		if want := jsontest.CanonicalForm(t, p.Received); string(p.Definition) != want {
			t.Fatalf("pin %d: canonical form\n%s\nthe second implementation says\n%s", i, p.Definition, want)
		}
	}
}

// TestNumbers compares the spelling of doubles, at random and next to powers of ten,
// against a second implementation.
func TestNumbers(t *testing.T) {
	random := jsontest.NewMaker(13)
	var list []string
	for range 20_000 {
		list = append(list, random.Number())
	}
	for e := -330; e <= 308; e++ {
		f, _ := strconv.ParseFloat(fmt.Sprintf("1e%d", e), 64)
		for _, next := range []float64{f, math.Nextafter(f, 0), math.Nextafter(f, 1), -f} {
			list = append(list, strconv.FormatFloat(next, 'e', 17, 64))
		}
	}
	raw := []byte("[" + strings.Join(list, ",") + "]")
	v := pintest.ParseTree(t, string(raw))
	ours, theirs := strings.Split(string(jsontree.Append(nil, v)), ","), strings.Split(jsontest.CanonicalForm(t, raw), ",")
	for i := range list {
		if ours[i] != theirs[i] {
			t.Errorf("%s: %s, the second implementation says %s", list[i], ours[i], theirs[i])
		}
	}
}

// FuzzCanonical: all that the strict reader accepts has one canonical form. That form is a
// fixed point, and a second implementation makes the same one.
func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{
		jsontest.DefinitionOfListDir, `{"b":1,"a":[{"d":null,"c":true}]}`, `[1e21,1e-7,-0,0.1,123456789.125,5e-324,1.7976931348623157e308]`,
		`"\u2028\ud83d\ude00\u0000\u007f\/"`, `{"\ufb33":1,"\ud83d\ude00":2}`, `[9007199254740993]`, `1e400`, `[0.1e1,2.50E+3]`, ` null `,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		r := jsontree.NewReader(raw)
		v, err := r.Next(0, len(raw))
		if err != nil {
			return
		}
		text := bytes.Clone(raw[v.Start:v.End])
		once := jsontree.Append(nil, v)
		if want := jsontest.CanonicalForm(t, text); string(once) != want {
			t.Fatalf("%q: canonical form\n%s\nthe second implementation says\n%s", raw, once, want)
		}
		if want, err := jcs.Transform(text); bytes.IndexAny(text, "{[") == 0 && (err != nil || string(once) != string(want)) {
			t.Fatalf("%q: canonical form\n%s\njcs says %v\n%s", raw, once, err, want)
		}
		var asDefinition []byte // as the reader hands it over
		d := jsontree.NewReader(raw)
		d.IsDefinition = func(path []jsontree.Step) bool { return len(path) == 0 }
		d.OnDefinition = func(_ []jsontree.Step, _ jsontree.Value, canonical []byte) { asDefinition = canonical }
		if _, err := d.Next(0, len(raw)); string(asDefinition) != string(once) || (d.FirstRounded == nil) != (r.FirstRounded == nil) {
			t.Fatalf("%q: canonical form\n%s\nas a definition %v\n%s", raw, once, err, asDefinition)
		}
		if err := jsontree.CheckCanonicalForm(text, once); err != nil {
			t.Fatalf("%q: %v", raw, err)
		}
		again := jsontree.ParseTrusted(once)
		if !jsontree.Equal(again, v) {
			t.Fatalf("%s is read again as another value", once)
		}
		if twice := jsontree.Append(nil, again); string(twice) != string(once) {
			t.Fatalf("%q: canonical form %s\nof which it is %s", raw, once, twice)
		}
	})
}

// TestSetDigestOfInstructions: instructions are a part of the set. The digests were made with
// sha256sum, of the lines instructions:SHA-256 of the text, and tools:SHA-256 of nothing.
func TestSetDigestOfInstructions(t *testing.T) {
	for text, want := range map[string]string{
		"Use a.": "sha256:6d54ca778270e6b7086c737241bc9b3064e1c0797605892a9786a71ebd032060",
		"Use b.": "sha256:e23dd41fd465fa02f40a9cc02aa51983915c87e3d97dc13c38e94dbe6bd1dfbc",
	} {
		var s pin.Set
		s.SetPins([]pin.Pin{{Key: pin.Key{Type: pin.Instructions}, HashedDefinition: formOf(pin.Instructions, []byte(text))}})
		if got := setDigest(&s); got != want {
			t.Errorf("%s %s, want %s", text, got, want)
		}
	}
}

// canonPins reads a capture and pins its entries as server "s", with the digests of canon.go.
func canonPins(t testing.TB, text string, pol pin.Policy) pin.Set {
	t.Helper()
	m, err := capture.Read("m.json", []byte(text), formOf, pol)
	if err != nil {
		t.Fatalf("%v in\n%.500s", err, text)
	}
	set, err := capture.PinCapture(m, "s", pol, nil, formOf)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestSanitizedKeepsKeys(t *testing.T) {
	for _, tt := range []struct {
		text, want string
		changed    bool
	}{
		{`{"a\u200b":"b\u200b"}`, `{"a\u200b":"b"}`, true},
		{`{"a\u200b":["x",{"b\u200b":1,"c":null}]}`, `{"a\u200b":["x",{"b\u200b":1,"c":null}]}`, false},
		{`["e\u0301",["\u0000"],[]]`, `["é",[""],[]]`, true},
		{`{"enum":["a","a\u200b"]}`, `{"enum":["a","a"]}`, true},
		{`[1,true,null,{}]`, `[1,true,null,{}]`, false},
	} {
		before := jsontest.CanonicalForm(t, []byte(tt.text))
		got := sanitized([]byte(before))
		if want := jsontest.CanonicalForm(t, []byte(tt.want)); string(got) != want || (want != before) != tt.changed {
			t.Errorf("%s: got %s, want %s", tt.text, got, want)
		}
	}
}

// The vectors in ownVectors are ours; another implementation (ci/vectors.mjs) made their
// expected values. The vectors in outsideVectors, next to the checkout, are published by
// others. They are tested, too, where that folder exists.
const (
	ownVectors     = "testdata/vectors"
	outsideVectors = "../shared/vectors"
)

func vector(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// outsideFiles returns the files in outsideVectors that match a pattern, or nil if there is no such folder.
func outsideFiles(t *testing.T, pattern string) []string {
	t.Helper()
	if _, err := os.Stat(outsideVectors); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	files, err := filepath.Glob(filepath.Join(outsideVectors, pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no %s among the vectors: %v", pattern, err)
	}
	return files
}

// A jsonVector is a text and what the reader has to do with it: "y" is accepted, "n" refused;
// where the standard leaves the choice, "+" is accepted and "-" refused by us.
type jsonVector struct {
	name, kind string
	text       []byte
}

// escapedByte is how grammar.txt writes bytes outside printable ASCII.
var escapedByte = regexp.MustCompile(`\\x[0-9a-f]{2}`)

func jsonVectors(t *testing.T, kinds string) (list []jsonVector) {
	t.Helper()
	for line := range strings.Lines(string(vector(t, ownVectors+"/grammar.txt"))) {
		kind, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if kind != "#" {
			raw := escapedByte.ReplaceAllFunc([]byte(text), func(b []byte) []byte {
				n, _ := strconv.ParseUint(string(b[2:]), 16, 8)
				return []byte{byte(n)}
			})
			list = append(list, jsonVector{text, kind, raw})
		}
	}
	// The names of these files don't tell what our reader does. It refuses repeated keys, on which
	// parsers disagree. It accepts underflow, which is 0, and 10^20, which a double represents exactly.
	ours := map[string]string{
		"y_object_duplicated_key.json": "-", "y_object_duplicated_key_and_value.json": "-", "i_number_double_huge_neg_exp.json": "+",
		"i_number_real_underflow.json": "+", "i_number_too_big_pos_int.json": "+",
	}
	for _, path := range outsideFiles(t, "json-parsing/[yni]_*.json") {
		name := filepath.Base(path)
		kind := name[:1]
		if ours[name] != "" {
			kind = ours[name]
		} else if kind == "i" {
			kind = "-"
		}
		list = append(list, jsonVector{name, kind, vector(t, path)})
	}
	list = slices.DeleteFunc(list, func(v jsonVector) bool { return !strings.Contains(kinds, v.kind) })
	if len(list) < 60 {
		t.Fatalf("only %d vectors", len(list))
	}
	return list
}

// inDefinition returns a list of one tool that has the bytes of a parsing test as the value of a member.
func inDefinition(data []byte) []byte {
	return slices.Concat([]byte(`{"tools":[{"name":"t","x":`), data, []byte(`}]}`))
}

// TestVectorsToAccept: what is accepted is locked, and verifies against the lockfile.
func TestVectorsToAccept(t *testing.T) {
	for _, v := range jsonVectors(t, "y+") {
		t.Run(v.name, func(t *testing.T) {
			pins := canonPins(t, string(inDefinition(v.text)), pin.Policy{})
			if len(pins.Pins) != 1 || pins.Pins[0].Name != "t" {
				t.Fatalf("pins %+v", pins.Pins)
			}
			want := jsontest.CanonicalForm(t, pins.Pins[0].Received)
			if got := string(pins.Pins[0].Definition); got != want {
				t.Errorf("canonical form %s, want %s", got, want)
			}
			l := pintest.MustParse(t, pintest.MustMarshal(t, lockfile.Lockfile{Servers: []pin.Set{pins}}))
			if drifts, _ := compare(l.Servers[0], pins); len(drifts) > 0 {
				t.Errorf("not what was locked: %s", pintest.DriftLines(drifts))
			}
		})
	}
}

// TestVectorsToRefuse: each is refused in a capture, and in a definition that a lockfile stores.
func TestVectorsToRefuse(t *testing.T) {
	for _, v := range jsonVectors(t, "n-") {
		t.Run(v.name, func(t *testing.T) {
			_, err := capture.Read("m.json", inDefinition(v.text), formOf, pin.Policy{})
			if err == nil {
				t.Fatal("accepted")
			}
			jsontest.CheckVisible(t, err.Error())
			stored := strings.Replace(jsontest.LockfileText, `"extra": {}`, `"extra": `+string(v.text), 1)
			if _, err := lockfile.Read("tools.lock", []byte(stored), formOf, nil); err == nil {
				t.Error("accepted in a lockfile")
			}
		})
	}
}

// TestVectorsOfCanonicalForm: pairs of a text and its RFC 8785 form, byte for byte.
func TestVectorsOfCanonicalForm(t *testing.T) {
	type pair struct{ About, Input, Canonical string }
	var pairs []pair
	if err := json.Unmarshal(vector(t, ownVectors+"/canonical.json"), &pairs); err != nil || len(pairs) < 15 {
		t.Fatalf("%d pairs, %v", len(pairs), err)
	}
	for _, path := range outsideFiles(t, "rfc8785/input/*.json") {
		name := filepath.Base(path)
		pairs = append(pairs, pair{name, string(vector(t, path)), string(vector(t, filepath.Join(outsideVectors, "rfc8785/output", name)))})
	}
	for _, p := range pairs {
		t.Run(p.About, func(t *testing.T) {
			v, err := jsontree.NewReader([]byte(p.Input)).ReadSingle()
			if err != nil {
				t.Fatal(err)
			}
			if got := jsontree.Append(nil, v); !bytes.Equal(got, []byte(p.Canonical)) {
				t.Errorf("got  %s\nwant %s", got, p.Canonical)
			}
			// The same as a member of a definition, from a capture to a lockfile and back.
			pins := canonPins(t, string(inDefinition([]byte(p.Input))), pin.Policy{})
			l := pintest.MustParse(t, pintest.MustMarshal(t, lockfile.Lockfile{Servers: []pin.Set{pins}}))
			if got, want := string(l.Servers[0].Pins[0].Definition), `{"name":"t","x":`+p.Canonical+`}`; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// TestDigests: the digests of definitions, of sets and of instructions are the expected ones.
func TestDigests(t *testing.T) {
	t.Run("ours", func(t *testing.T) { digestsHold(t, ownVectors+"/digests.json") })
	for _, path := range outsideFiles(t, "tool-definition-hash-v1.json") {
		t.Run("published", func(t *testing.T) { digestsHold(t, path) })
	}
}

func digestsHold(t *testing.T, path string) {
	var vectors struct {
		Definitions []struct{ About, Input, Digest string }
		Sets        []struct {
			About, List string
			Pages       []string
			SetDigest   string
		}
		Instructions []struct{ Text, Digest string }
	}
	if err := json.Unmarshal(vector(t, path), &vectors); err != nil {
		t.Fatal(err)
	}
	if len(vectors.Definitions) < 8 || len(vectors.Sets) < 4 || len(vectors.Instructions) < 2 {
		t.Fatalf("too few vectors: %+v", vectors)
	}
	for _, d := range vectors.Definitions {
		r := jsontree.NewReader([]byte(d.Input))
		v, err := r.ReadSingle()
		if refused := strings.Contains(d.About, "pinproof refuses it"); refused != (err != nil || r.FirstRounded != nil) {
			t.Errorf("%s: refused: %v; %v", d.About, !refused, err)
		}
		if err != nil {
			continue
		}
		var p pin.Pin
		if p.HashedDefinition = formOf(pin.Tools, jsontree.Append(nil, v)); p.Digest != d.Digest {
			t.Errorf("%s: %s, want %s", d.About, p.Digest, d.Digest)
		}
	}
	lists := map[string]pin.EntryType{"tools": pin.Tools, "prompts": pin.Prompts, "resourceTemplates": pin.Templates}
	for _, s := range vectors.Sets {
		member := s.List
		if member == "" { // the published vectors name the list only in their title
			member = "tools"
			if s.About == "prompts" {
				member = "prompts"
			}
		}
		text := ""
		for i, page := range s.Pages {
			cursor := ""
			if i < len(s.Pages)-1 {
				cursor = `,"nextCursor":"x"`
			}
			text += `{"jsonrpc":"2.0","id":1,"result":{"` + member + `":` + page + cursor + "}}\n"
		}
		if member != "tools" {
			text += `{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}`
		}
		set := canonPins(t, text, pin.Policy{})
		if got := listDigest(&set, lists[member]); got != s.SetDigest {
			t.Errorf("%s: %s, want %s", s.About, got, s.SetDigest)
		}
	}
	for _, i := range vectors.Instructions {
		text, err := json.Marshal(i.Text)
		if err != nil {
			t.Fatal(err)
		}
		set := canonPins(t, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","instructions":`+string(text)+`}}
			{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}`, pin.Policy{})
		if p := set.Find(pin.Key{Type: pin.Instructions}); p == nil || p.Digest != i.Digest {
			t.Errorf("%q: %+v, want %s", i.Text, p, i.Digest)
		}
	}
}
