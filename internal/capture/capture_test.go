package capture_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"pinproof/internal/capture"
	"pinproof/internal/jsontest"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
	"pinproof/internal/text"
)

// read reads a capture under the default policy.
func read(text string) (capture.Capture, error) {
	return capture.Read("m.json", []byte(text), pintest.HashDefinition, pin.Policy{})
}

// pinsOf reads a capture and makes its pins under the default policy.
func pinsOf(text string) (pin.Set, error) {
	m, err := read(text)
	if err != nil {
		return pin.Set{}, err
	}
	return capture.PinCapture(m, "s", pin.Policy{}, nil, pintest.HashDefinition)
}

// TestMangledCapture: every edit of one byte of a capture gives drift or an
// error, or leaves the very same values in its list.
func TestMangledCapture(t *testing.T) {
	t.Parallel()
	values := func(data string) []string {
		var list []string
		for _, tool := range lenientReading(t, []byte(data)) {
			list = append(list, jsontest.CanonicalForm(t, []byte(tool)))
		}
		slices.Sort(list)
		return list
	}
	pinned, want := pintest.PinsOf(t, jsontest.CaptureToMangle, pin.Policy{}), values(jsontest.CaptureToMangle)
	count := map[string]int{}
	jsontest.EachByteEdit(jsontest.CaptureToMangle, func(edited string) {
		found, err := pinsOf(edited)
		if err != nil {
			count["error"]++
			return
		}
		if drifts := pintest.CompareByDigest([]pin.Comparison{{Locked: pinned, Captured: found}}); len(drifts) > 0 {
			count["drift"]++
			return
		}
		if got := values(edited); !slices.Equal(got, want) {
			t.Fatalf("matches, and is not the same:\n%s", edited)
		}
		count["the same values"]++
	})
	if len(count) != 3 {
		t.Errorf("%v", count)
	}
	t.Log(count)
}

// The two tools that every accepted shape of a saved list below has.
const (
	toolA = `{"name":"read_file","description":"Reads a file.","inputSchema":{"type":"object"}}`
	toolB = `{"name":"list_dir","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`

	initialized = `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"files","version":"1.2"}}}`
	answer      = `{"jsonrpc":"2.0","id":1,"result":{"tools":[` + toolA + "," + toolB + `]}}`
	asksTools   = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
)

// pages returns one list in two answers, the first with a cursor.
func pages(first, second string) string {
	return `{"jsonrpc":"2.0","id":1,"result":{"tools":[` + toolA + `],"nextCursor":` + first + `}}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"result":{"tools":[` + toolB + `]` + second + `}}` + "\n"
}

// TestCaptureShapes reads the shapes of one list in testdata/shapes.txt.
func TestCaptureShapes(t *testing.T) {
	for _, row := range jsontest.ReadRows(t, "testdata/shapes.txt", 4) {
		t.Run(row[0], func(t *testing.T) {
			m, err := read(row[1])
			if row[2] == "-1" {
				if err == nil {
					t.Fatal("accepted")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := compacted(t, m.Lists[pin.Tools].Entries); got != toolA+"\n"+toolB {
				t.Errorf("tools\n%s", got)
			}
			if m.Path != "m.json" || fmt.Sprint(m.SkippedLines) != row[2] || m.ServerInfo.String() != row[3] {
				t.Errorf("path %q, noise %d, about %q; want noise %s, about %q", m.Path, m.SkippedLines, m.ServerInfo, row[2], row[3])
			}
		})
	}
}

// compacted returns the text of tools, one on each line, without blanks between tokens.
func compacted(t testing.TB, list []pin.Pin) string {
	t.Helper()
	var lines []string
	for _, tool := range list {
		var b bytes.Buffer
		if err := json.Compact(&b, tool.Received); err != nil {
			t.Fatalf("tool %q: %v", tool.Received, err)
		}
		lines = append(lines, b.String())
	}
	return strings.Join(lines, "\n")
}

func TestEmptyLists(t *testing.T) {
	for _, text := range []string{`{"tools":[]}`, `[]`, `{"jsonrpc":"2.0","id":1,"result":{"tools":[ ]}}`} {
		m, err := read(text)
		if err != nil || !m.Lists[pin.Tools].Answered || len(m.Lists[pin.Tools].Entries) != 0 {
			t.Errorf("%s: %+v, %v", text, m.Lists[pin.Tools], err)
		}
	}
}

func TestEmptyCursorEnds(t *testing.T) {
	text := `{"tools":[` + toolA + "," + toolB + `],"nextCursor":""}`
	if _, err := read(text); err == nil {
		t.Error("an empty cursor is one where the policy says nothing")
	}
	m, err := capture.Read("m.json", []byte(text), pintest.HashDefinition, pin.Policy{EmptyCursorEnds: true})
	if err != nil || compacted(t, m.Lists[pin.Tools].Entries) != toolA+"\n"+toolB {
		t.Errorf("%v", err)
	}
	if _, err := capture.Read("m.json", []byte(strings.Replace(text, `""`, `"x"`, 1)), pintest.HashDefinition, pin.Policy{EmptyCursorEnds: true}); err == nil {
		t.Error("only the empty cursor ends the list")
	}
}

// TestRoundIntegers compares which integers are rounded, and to what, with encoding/json.
func TestRoundIntegers(t *testing.T) {
	for _, tt := range []struct {
		integer string
		exact   bool
	}{
		{"9007199254740991", true}, {"-9007199254740992", true}, {"9007199254740993", false}, {"-9007199254740993", false}, {"9007199254740994", true},
		{"9223372036854775807", false}, {"9223372036854775808", true}, {"-9223372036854775808", true}, {"18446744073709551615", false},
		{"9223372036854776000", false}, {"100000000000000000000", true}, {"123456789012345678901234567890", false},
	} {
		text := `{"tools":[{"maximum":` + tt.integer + `,"name":"a"}]}`
		_, err := read(text)
		want := ""
		if !tt.exact {
			want = "m.json:1:22: tool a: " + tt.integer + ": an integer that a double can't hold exactly: parsers would read different numbers"
		}
		jsontest.WantError(t, err, want)
		m, err := capture.Scan("m.json", []byte(text), pintest.HashDefinition).Capture(pin.Policy{RoundIntegers: true})
		if err != nil {
			t.Fatal(err)
		}
		tool := m.Lists[pin.Tools].Entries[0]
		if got, want := string(tool.Definition), jsontest.CanonicalForm(t, tool.Received); got != want {
			t.Errorf("%s is pinned as %s, want %s", tt.integer, got, want)
		}
	}
	line := `{"n":9223372036854775807}` + "\n" // an inexact integer counts in such a line, not in noise
	if _, err := read("9223372036854775807 lines\n" + answer); err != nil {
		t.Error(err)
	}
	for _, text := range []string{line + answer, "noise\n" + line + answer, "data: " + line + "\ndata: " + answer + "\n\n"} {
		if _, err := read(text); err == nil {
			t.Errorf("%s: accepted", text)
		}
		if _, err := capture.Scan("m.json", []byte(text), pintest.HashDefinition).Capture(pin.Policy{RoundIntegers: true}); err != nil {
			t.Error(err)
		}
	}
}

// TestToolPositions: the line and the column where a tool begins. Lines end with LF, CRLF
// or a lone CR, and columns count bytes.
func TestToolPositions(t *testing.T) {
	for _, tt := range []struct{ what, text, want string }{
		{"one line", `{"tools":[{"name":"a"}, {"name":"b"}]}`, "a 1:11, b 1:25"},
		{"LF", "[\n{\"name\":\"a\"},\n  {\"name\":\"b\"}\n]", "a 2:1, b 3:3"},
		{"CRLF", "[\r\n{\"name\":\"a\"},\r\n  {\"name\":\"b\"}\r\n]", "a 2:1, b 3:3"},
		{"CR", "[\r{\"name\":\"a\"},\r  {\"name\":\"b\"}\r]", "a 2:1, b 3:3"},
		{"all three", "[\r\n\r\n\n\n\r{\"name\":\"a\"},\r\n\r{\"name\":\"b\"}]", "a 6:1, b 8:1"},
		{"behind bytes of other characters", `[{"name":"a","x":"é名"},{"name":"b"}]`, "a 1:2, b 1:27"},
		{"a transcript", "noise\n" + `{"tools":[{"name":"a"}]}`, "a 2:11"},
		{"an event", "id: 1\ndata: " + `{"tools":[{"name":"a"}]}` + "\n\n", "a 2:17"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			m, err := read(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, tool := range m.Lists[pin.Tools].Entries {
				got = append(got, fmt.Sprintf("%s %d:%d", tool.Name, tool.Line, tool.Column))
			}
			if s := strings.Join(got, ", "); s != tt.want {
				t.Errorf("got %s, want %s", s, tt.want)
			}
		})
	}
}

// TestRefusedCaptures reads the captures in testdata/refused.txt.
func TestRefusedCaptures(t *testing.T) {
	for _, row := range jsontest.ReadRows(t, "testdata/refused.txt", 3) {
		t.Run(row[0], func(t *testing.T) {
			m, err := read(row[1])
			jsontest.WantError(t, err, row[2])
			if m.Path != "" || m.Lists[pin.Tools].Answered || m.ServerInfo != (pin.ServerInfo{}) || m.SkippedLines != 0 {
				t.Errorf("an error, and a capture beside it: %+v", m)
			}
			if err != nil {
				jsontest.CheckVisible(t, err.Error())
			}
		})
	}
}

// TestUnfoldedMembers: a member whose name is close to a specified one, but doesn't fold
// to it, is treated like any other member.
func TestUnfoldedMembers(t *testing.T) {
	for _, text := range []string{
		`{"tools":[{"name":"a","input_schemas":1,"inputSchema":{"Type":"x","Properties":{},"NAME":1}}]}`,
		`{"tools":[{"name":"a","desc":1,"names":2,"n\u00e1me":3,"nam\u0435":4,"annotations":{"Name":1,"hint":2},"_META_":1}]}`,
		`{"tools":[],"tool":1,"Next":2,"name":"x","Name":"y"}`,
		`{"tools":[{"name":"a","annotations":["Title"],"execution":"TaskSupport"}]}`,
	} {
		if _, err := read(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestFolds compares folding with two full implementations of it, for every
// character in every place of every specified name.
func TestFolds(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it goes through all of Unicode")
	names := map[string]bool{}
	lists := [][]string{pin.MessageMembers, pin.ResultMembers, {"ss", "ff", "fi", "fl", "ffi", "ffl", "st", "k", "affix", "class"}}
	for _, row := range pin.EntryTypeInfo {
		lists = append(lists, row.Members)
		for _, inner := range row.Inner {
			lists = append(lists, inner.Parts)
		}
	}
	for _, list := range lists {
		for _, name := range list {
			names[name] = true
		}
	}
	for letter := 'a'; letter <= 'z'; letter++ {
		names[string(letter)] = true
	}
	candidates := map[rune]bool{} // all characters that fold, and whether they fold to ASCII
	for r := rune(0); r <= 0x10ffff; r++ {
		if folded := jsontest.FoldFully(string(r)); folded != string(r) || r < 0x80 {
			candidates[r] = strings.IndexFunc(folded, func(c rune) bool { return c < 0x80 }) >= 0
		}
	}
	foldedNames := map[string]string{}
	check := func(s, name string) {
		if foldedNames[name] == "" {
			foldedNames[name] = jsontest.FoldFully(name)
		}
		want := jsontest.FoldFully(s) == foldedNames[name] || strings.EqualFold(s, name)
		if got := strings.EqualFold(text.FoldASCII(s), name); got != want {
			t.Errorf("folds(%+q, %q) = %v", s, name, got)
		}
	}
	for name := range names {
		check(name, name)
		check(strings.ToUpper(name), name)
		check(name+"s", name)
		check(name[1:], name)
		check("", name)
		for r, toASCII := range candidates {
			if !toASCII && len(name) > 1 && !jsontest.IsLongRun() {
				continue // it meets each letter by itself
			}
			for i := range name {
				for width := 1; width <= 3 && i+width <= len(name); width++ {
					check(name[:i]+string(r)+name[i+width:], name)
				}
			}
		}
	}
}

// lenientReading reads a saved list without any of our rules: encoding/json over the
// whole file, else over its events, else over its lines. It returns the tools of
// every answer, in their order, as text without blanks.
func lenientReading(t *testing.T, data []byte) []string {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	values, ok := jsonValues(data)
	if !ok {
		ending := strings.NewReplacer("\r\n", "\n", "\r", "\n")
		lines := strings.Split(ending.Replace(string(data)), "\n")
		var texts []string
		if slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, "data:") && strings.Contains(line, "{") }) {
			texts = readings()[0].split(string(data))
		} else {
			texts = lines
		}
		values = nil
		for _, text := range texts {
			if v, ok := jsonValues([]byte(text)); ok {
				values = append(values, v...)
			}
		}
	}
	var tools []string
	add := func(raw json.RawMessage) {
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) != nil {
			return
		}
		for _, item := range list {
			var b bytes.Buffer
			if err := json.Compact(&b, item); err != nil {
				t.Fatal(err)
			}
			tools = append(tools, b.String())
		}
	}
	var object func(raw json.RawMessage) bool
	object = func(raw json.RawMessage) bool {
		var members map[string]json.RawMessage
		if json.Unmarshal(raw, &members) != nil || members == nil {
			return false
		}
		if list, ok := members["tools"]; ok {
			add(list)
			return true
		}
		result, ok := members["result"]
		return ok && object(result)
	}
	for _, v := range values {
		var batch []json.RawMessage
		if json.Unmarshal(v, &batch) != nil {
			object(v)
			continue
		}
		found := false
		for _, item := range batch {
			var members map[string]json.RawMessage
			json.Unmarshal(item, &members)
			if _, named := members["name"]; !named || members["jsonrpc"] != nil {
				found = object(item) || found
			}
		}
		if !found {
			add(v)
		}
	}
	return tools
}

// jsonValues splits JSON values that follow one another.
func jsonValues(data []byte) (values []json.RawMessage, ok bool) {
	d := json.NewDecoder(bytes.NewReader(data))
	for {
		var v json.RawMessage
		if err := d.Decode(&v); err == io.EOF {
			return values, true
		} else if err != nil {
			return nil, false
		}
		values = append(values, v)
	}
}

// A reading is one way in which clients split an event stream.
type reading struct {
	ends         string // what ends a line besides LF and CRLF, separated by blanks
	kinds        string // how the type of an event has to be that of a message: "exact", "trimmed" or "any"
	dispatchLast bool   // also an event that no empty line ends
	keepMark     bool   // a byte order mark is part of the first line
	trim         bool   // blanks before a field are passed over
	lastLine     bool   // only the last line of data counts
	stdio        bool   // not as an event stream: every line is a message
}

// readings returns all ways in which clients split an event stream. The first is that of the
// standard.
func readings() (list []reading) {
	for _, ends := range []string{"\r", "", "\r \v \f \x1c \x1d \x1e \u0085 \u2028 \u2029"} {
		for _, kinds := range []string{"exact", "trimmed", "any"} {
			for bits := range 16 {
				list = append(list, reading{ends, kinds, bits&1 > 0, bits&2 > 0, bits&4 > 0, bits&8 > 0, false})
			}
		}
	}
	return append(list, reading{stdio: true}, reading{ends: "\r", stdio: true})
}

// split returns what such a client takes for messages.
func (r reading) split(stream string) (messages []string) {
	if !r.keepMark {
		stream = strings.TrimPrefix(stream, "\ufeff")
	}
	kind, data := "", []string(nil)
	dispatch := func() {
		if r.kinds == "trimmed" {
			kind = strings.TrimSpace(kind)
		}
		switch {
		case data == nil || r.kinds != "any" && kind != "" && kind != "message":
		case r.lastLine:
			messages = append(messages, data[len(data)-1])
		default:
			messages = append(messages, strings.Join(data, "\n"))
		}
		kind, data = "", nil
	}
	stream = strings.ReplaceAll(stream, "\r\n", "\n")
	for _, end := range strings.Split(r.ends, " ") {
		if end != "" {
			stream = strings.ReplaceAll(stream, end, "\n")
		}
	}
	for line := range strings.Lines(stream) {
		line = strings.TrimSuffix(line, "\n")
		if r.stdio {
			messages = append(messages, line)
			continue
		}
		if r.trim {
			line = strings.TrimLeft(line, "\ufeff \t\v\f\x1c\x1d\x1e\x1f\u0085\u00a0\u2028\u2029\u3000")
		}
		field, text, _ := strings.Cut(line, ":")
		text = strings.TrimPrefix(text, " ")
		switch {
		case line == "":
			dispatch()
		case field == "data":
			data = append(data, text)
		case field == "event":
			kind = text
		}
	}
	if r.dispatchLast {
		dispatch()
	}
	return messages
}

// An answered is what a client takes out of its messages.
type answered struct {
	lists map[pin.EntryType][]string // canonical definitions, and instructions; sorted, without repeats
	paged bool                       // a list has a cursor
}

// answers reads messages as the most lenient clients do: the first JSON value of each, with
// members' names in any letter case.
func answers(t *testing.T, messages []string) answered {
	a := answered{lists: map[pin.EntryType][]string{}}
	var take func(raw json.RawMessage)
	take = func(raw json.RawMessage) {
		var batch []json.RawMessage
		if json.Unmarshal(raw, &batch) == nil {
			for _, item := range batch {
				take(item)
			}
		}
		var message struct {
			ID     json.RawMessage
			Result struct {
				Tools, Prompts, ResourceTemplates, Resources []json.RawMessage
				Instructions, NextCursor                     *string
			}
		}
		if json.Unmarshal(raw, &message) != nil || message.ID == nil {
			return
		}
		result := message.Result
		a.paged = a.paged || result.NextCursor != nil
		if result.Instructions != nil {
			text, _ := json.Marshal(*result.Instructions)
			a.lists[pin.Instructions] = append(a.lists[pin.Instructions], jsontest.CanonicalForm(t, text))
		}
		for entryType, entries := range map[pin.EntryType][]json.RawMessage{pin.Tools: result.Tools, pin.Prompts: result.Prompts,
			pin.Templates: result.ResourceTemplates, pin.Resources: result.Resources} {
			if entries != nil && a.lists[entryType] == nil {
				a.lists[entryType] = []string{}
			}
			for _, e := range entries {
				a.lists[entryType] = append(a.lists[entryType], jsontest.CanonicalForm(t, e))
			}
		}
	}
	for _, m := range messages {
		var first json.RawMessage
		if json.NewDecoder(strings.NewReader(m)).Decode(&first) == nil {
			take(first)
		}
	}
	for entryType, texts := range a.lists {
		slices.Sort(texts)
		a.lists[entryType] = slices.Compact(texts)
	}
	return a
}

// streamTokens are what replaces the capital letters of a fuzzed stream: E and G are answers
// to tools/list, I and J to initialize; A, Z and B, Y are the halves of E and of G.
var streamTokens = map[rune]string{
	'E': `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"evil"}]}}`, 'A': `{"jsonrpc":"2.0","id":1,"re\u0073ult":`, 'Z': `{"tools":[{"name":"evil"}]}}`,
	'G': `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"good"}]}}`, 'B': `{"jsonrpc":"2.0","id":1,"result":`, 'Y': `{"tools":[{"name":"good"}]}}`,
	'I': `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"1","instructions":"evil"}}`, 'J': `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"1","instructions":"good"}}`,
	'H': `{"jsonrpc":"2.0","id":1,"result":{"tools":[`, 'K': `]}}`, 'T': `{"name":"evil"},`, 'O': `{"name":"good"}`,
	'C': `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"good","description"`, 'F': `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"1","instructions"`,
	'D': "data: ", 'V': "event: ", 'X': "message", 'Q': `{"x":"`, 'P': `","x":`, 'R': "\r", 'S': "\u2028", 'N': "\u0085", 'U': "\u2029", 'W': "\x1e", 'M': "\ufeff", 'L': "\n\n",
}

// FuzzEventStreams: if the reader finds a list in a stream, no client finds a different one
// in it.
func FuzzEventStreams(f *testing.F) {
	for _, seed := range []string{
		"DGL", "VX\nDGL", "id: 1\r\nVX\r\nretry: 5\r\nDG\r\n\r\n", ": ping\n\nDJLDGL", "MDGL", "foo: bar\nDGL", "DB\nDYL", "DGLDEL", // all clients read these alike
		"DERVx\n\nDGL", "DCR:\"evil\"}]}}\n: cRD:\"fine\"}]}}L", "DFR:\"evil\"}}\n: cRD:\"fine\"}}LDGL", "DIRVx\n\nDJLDGL", "DBRDYL", "DER\nDGL", "VX\r\r\nDGL", "id: 1RVXRDGRR", // a lone CR
		"Vx\nDELDGL", "V X\nDELDGL", "VX \nDELDGL", "VMessage\nDELDGL", "DE\nVx\n\nDGL", "Vx\nDA\nDZLDGL", "MVx\nDELDGL", // another type
		"VxSVXSDE\n\nDGL", ": cSDELDGL", "id: NDELDGL", "x\vDELDGL", "x\fDELDGL", "xWDELDGL", "xUDA\nxUDZLDGL", "DH\n: SDT\nDO\nDKL", "DH\nxNDT\nDO\nDKL", "DH\nxUDT\nDO\nDKL", "DH\nxWDT\nDO\nDKL", "DH\nx\vDT\nDO\nDKL", "DH\nx\fDT\nDO\nDKL", "DH\nx\x1cDT\nDO\nDKL", "DH\nx\x1dDT\nDO\nDKL", // other ends of lines
		"DGLDE", "DGLDE\n", "DE", "DGLDA\nDZ", "DJLDGLDI\n", // no empty line at the end
		" DELDGL", "\tDELDGL", "MMDELDGL", "DGLMDEL", "DH\n DT\nDO\nDKL", "\u00a0DELDGL", "data :ELDGL", // blanks before a field
		"DH\nMDT\nDO\nDKL", "DH\n\u3000DT\nDO\nDKL", "DA\n \nDZLDGL",
		"DQ\",\"y\":\nid: S\nDA\nDZ\nid: S\nDPL", "D{\"x\":\nid: S\nDA\nDZ\nid: S\nD,\"jsonrpc\":\"2.0\",\"id\":1,\"result\":YL", "D{\"x\":\n \nDA\nDZ\n\t\nD,\"jsonrpc\":\"2.0\",\"id\":1,\"result\":YL", // an empty line in an event
		"D{\"xSS\":\nDA\nDZ\nD,\"SSjsonrpc\":\"2.0\",\"id\":1,\"result\":YL", "D[\nDA\nDZ\n]L",
		"DGLE\n", "DELG\n", "DA\nDZLG\n", "G\nDA\nDZL", "xSDA\nxSDZLG\n", "{\nDE\n}\nG\n", "noise\nG\n", "data: x\nG\n", "D{}\n\nG\n", // an answer outside the events
	} {
		f.Add(seed)
	}
	all := readings()
	f.Fuzz(func(t *testing.T, script string) {
		var stream strings.Builder
		for _, r := range script {
			if token, ok := streamTokens[r]; ok {
				stream.WriteString(token)
			} else {
				stream.WriteRune(r)
			}
		}
		m, err := read(stream.String())
		if err != nil {
			return
		}
		want := map[pin.EntryType][]string{}
		for entryType := range pin.EntryTypeCount {
			if m.Lists[entryType].Problem == nil {
				want[entryType] = []string{}
				for _, e := range m.Lists[entryType].Entries {
					want[entryType] = append(want[entryType], string(e.Definition))
				}
				slices.Sort(want[entryType])
				want[entryType] = slices.Compact(want[entryType])
			}
		}
		seen, paged := map[string]bool{}, false
		for i, r := range all {
			messages := r.split(stream.String())
			key := strings.Join(messages, "\x00")
			if seen[key] {
				continue
			}
			seen[key] = true
			a := answers(t, messages)
			paged = paged || i == 0 && a.paged // a client that misses a page asks for it in vain
			for entryType, got := range a.lists {
				if want[entryType] == nil || slices.Equal(got, want[entryType]) {
					continue
				}
				if other := slices.ContainsFunc(got, func(text string) bool { return !slices.Contains(want[entryType], text) }); other || !paged {
					t.Fatalf("%q: %s\n%q\na client reads, %+v\n%q", stream.String(), pin.EntryTypeInfo[entryType].Member, want[entryType], r, got)
				}
			}
		}
	})
}

// FuzzCapture: Read never panics and returns only an error if there is one, and what it accepts
// has the tools that lenientReading finds.
func FuzzCapture(f *testing.F) {
	for _, seed := range []string{
		answer, initialized + "\n" + answer, pages(`"p2"`, ""), "[" + toolA + "]", "[" + answer + "]", `{"tools":[` + toolB + `],"nextCursor":null}`,
		"noise\n" + answer + "\r\n", "event: message\r\ndata: " + answer + "\r\n\r\n", "data: {\ndata: \"tools\":[]}\n\nevent: x\ndata: {}\n\n: c\n",
		`{"result":{"tools":[{"name":"a"}]}}`, asksTools, "\ufeff[]", `{"tools":[]}{"tools":[]}`, "[1]\n{}\n{x\n", "\xff\xfe", `{"Tools":[]}`, "data\rdata:[]\r",
	} {
		f.Add([]byte(seed), false)
		f.Add([]byte(seed), true)
	}
	f.Fuzz(func(t *testing.T, data []byte, emptyCursorEnds bool) {
		m, err := capture.Read("m.json", data, pintest.HashDefinition, pin.Policy{EmptyCursorEnds: emptyCursorEnds})
		if err != nil {
			if m.Path != "" || m.Lists[pin.Tools].Answered || m.ServerInfo != (pin.ServerInfo{}) || m.SkippedLines != 0 {
				t.Fatalf("%q: %v, and a capture beside it", data, err)
			}
			jsontest.CheckVisible(t, err.Error())
			return
		}
		var got []string
		for _, tool := range m.Lists[pin.Tools].Entries {
			got = append(got, string(tool.Definition))
			var name struct {
				Name string `json:"name"`
			}
			if err := json.Unmarshal(tool.Received, &name); err != nil || name.Name != tool.Name || tool.Name == "" {
				t.Fatalf("%q: tool %q is named %q, %v", data, tool.Received, tool.Name, err)
			}
			lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(string(data), "\ufeff")), "\n")
			if tool.Line < 1 || tool.Line > len(lines) || tool.Column < 1 || !strings.HasPrefix(lines[tool.Line-1][tool.Column-1:], "{") {
				t.Fatalf("%q: no tool begins at %d:%d", data, tool.Line, tool.Column)
			}
		}
		var want []string
		for _, text := range lenientReading(t, data) {
			want = append(want, jsontest.CanonicalForm(t, []byte(text)))
		}
		unique := func(list []string) string { // a session may list its tools several times
			slices.Sort(list)
			return strings.Join(slices.Compact(list), "\n")
		}
		if unique(got) != unique(want) {
			t.Fatalf("%q: tools\n%q\na lenientReading parser finds\n%q", data, got, want)
		}
	})
}
