package mcp

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"pinproof/internal/jsontest"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
)

// TestAnswersOfTwoKinds: some clients pass over an answer that isn't spelled as the protocol says,
// and take the next one. A capture that ends with the first one is refused.
func TestAnswersOfTwoKinds(t *testing.T) {
	for _, row := range jsontest.ReadRows(t, "testdata/answers.txt", 2) {
		line, good := row[0], row[1] == "true"
		s := &session{rec: &record{}}
		s.take(Received{Line: []byte(line + "\n"), asked: 2})
		if err := s.rec.refuse(nil); err == nil != good || good && s.rec.lines.Len() == 0 {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestEventStreams(t *testing.T) {
	for name, c := range map[string]struct{ stream, want string }{
		"line ends":        {"data: 1\n\ndata: 2\r\n\r\ndata: 3\r\r\n\r\r\n", "1\n2\n3\n"},
		"other types":      {"event: ping\ndata: 1\n\nevent: message\ndata: 2\n\ndata: 3\n\n", "2\n3\n"},
		"blanks in a type": {"event:  message\ndata: 1\n\nevent: message \ndata: 2\n\ndata: 3\n\n", "3\n"},
		"several lines":    {"data: {\ndata:  }\n\n", "{  }\n"},
		"comments, fields": {":x\nid: 1\nretry: 5\nfoo: bar\ndata:1\n\n", "1\n"},
		"byte order mark":  {"\ufeffdata: 1\n\n", "1\n"},
		"no blank line":    {"data: 1\n\ndata: 2\n", "1\n"},
		"an empty event":   {"id: 1\n\ndata:\n\ndata: 1\n\n", "1\n"},
		"a long line":      {"data: " + strings.Repeat("1", 10_000) + "\r\n\r\n", strings.Repeat("1", 10_000) + "\n"},
	} {
		for _, in := range []io.Reader{strings.NewReader(c.stream), iotest.OneByteReader(strings.NewReader(c.stream))} {
			got := ""
			err := readEvents(in, nil, func(e event) error {
				if (e.kind == "" || e.kind == "message") && len(e.data) > 0 {
					got += string(oneLine(e.data)) + "\n"
				}
				return nil
			})
			if got != c.want || err != nil {
				t.Errorf("%s: %q, %v, want %q", name, got, err, c.want)
			}
		}
	}
}

// TestOneResponseALine: a message that was sent over several lines is one line in the record.
func TestOneResponseALine(t *testing.T) {
	r := &remote{Server: Server{rec: &record{}}, inbox: inbox{t.Context(), make(chan Received, 1)}}
	if err := r.hand([]byte("\n{\"method\":\r\n\"\xff\"}\n"), 0); err != nil {
		t.Fatal(err)
	}
	if said := string((<-r.came).Line); said != "{\"method\":  \"\xff\"}\n" {
		t.Errorf("%q", said)
	}
	if err := r.hand([]byte("{\"a\":\"\n\"}"), 0); err == nil {
		t.Error("a line feed inside a string was mended")
	}
}

func TestCaptureOfNothing(t *testing.T) {
	if got := (&greeting{capabilities: jsontree.Object()}).line(0); got != "nothing in 0.0 s" {
		t.Error(got)
	}
}

func TestTail(t *testing.T) {
	var whole tail
	for i := range 2000 {
		fmt.Fprintf(&whole, "line %d\n", i)
	}
	lines := whole.lines()
	if last := lines[len(lines)-1]; last != "line 1999" || !strings.HasPrefix(lines[0], "line ") || len(strings.Join(lines, "\n")) > maxTail {
		t.Errorf("%d lines, %q to %q", len(lines), lines[0], last)
	}
}

// TestInterruptedBefore: no server is started after an interrupt.
func TestInterruptedBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := Server{Argv: []string{"no-such-program"}}.Capture(ctx, CaptureOptions{Timeout: time.Minute, Protocol: LastInitialize})
	if err == nil || err.Error() != "interrupted" {
		t.Error(err)
	}
}

// inPieces is a server that says one piece after each request.
type inPieces struct {
	rec  *record
	left []string
}

func (p *inPieces) Read(b []byte) (n int, err error) {
	if len(p.left) == 0 {
		return 0, io.EOF
	}
	p.rec.sent.Add(1)
	n = copy(b, p.left[0])
	p.left = p.left[1:]
	return n, nil
}

// TestMarks: a line is marked with the last request at its first byte, also after a line that came in pieces.
func TestMarks(t *testing.T) {
	rec, got := &record{}, ""
	err := readLines(&inPieces{rec, []string{"a\nlog, ", "with its end\nb\n", "c\n"}}, rec, func(said Received) error {
		got += fmt.Sprint(strings.TrimSpace(string(said.Line)), said.asked, " ")
		return nil
	})
	if err != nil || got != "a1 log, with its end1 b2 c3 3 " {
		t.Errorf("%q, %v", got, err)
	}
}

// TestRepeated: which parts of a call headers repeat. The values were worked out by hand, the
// base64 with another program.
func TestRepeated(t *testing.T) {
	input, err := jsontree.NewReader([]byte(`{"properties":{
		"city":{"x-mcp-header":"City"},"plain":{"x-mcp-header":"Plain"},"empty":{"x-mcp-header":"Empty"},"line":{"x-mcp-header":"Line"},"blank":{"x-mcp-header":"Blank"},
		"like":{"x-mcp-header":"Like"},"n":{"x-mcp-header":"N"},"f":{"x-mcp-header":"F"},"null":{"x-mcp-header":"Null"},"absent":{"x-mcp-header":"Absent"},
		"list":{"x-mcp-header":"List"},"bad":{"x-mcp-header":"A\r\nB"},"odd":{"x-mcp-header":1},"unmarked":{},
		"at":{"properties":{"deep":{"x-mcp-header":"Deep"}}},"each":{"items":{"properties":{"no":{"x-mcp-header":"No"}}}}}}`)).ReadSingle()
	if err != nil {
		t.Fatal(err)
	}
	params, err := jsontree.NewReader([]byte(`{"name":"größe","arguments":{"city":"Köln","plain":"a b","empty":"","line":"a\r\nX: y","blank":" a","like":"=?base64?YQ==?=",
		"n":-7,"f":false,"null":null,"list":["a"],"bad":"b","odd":"o","unmarked":"u","at":{"deep":true},"each":[{"no":"n"}]}}`)).ReadSingle()
	if err != nil {
		t.Fatal(err)
	}
	inputOf := func(string) jsontree.Value { return input }
	got := map[string]string{}
	for h := range slices.Chunk(repeated("tools/call", params, inputOf), 2) {
		got[h[0]] = h[1]
	}
	want := map[string]string{"Mcp-Method": "tools/call", "Mcp-Name": "=?base64?Z3LDtsOfZQ==?=", "Mcp-Param-City": "=?base64?S8O2bG4=?=", "Mcp-Param-Plain": "a b",
		"Mcp-Param-Empty": "=?base64??=", "Mcp-Param-Line": "=?base64?YQ0KWDogeQ==?=", "Mcp-Param-Blank": "=?base64?IGE=?=",
		"Mcp-Param-Like": "=?base64?PT9iYXNlNjQ/WVE9PT89?=", "Mcp-Param-N": "-7", "Mcp-Param-F": "false", "Mcp-Param-Deep": "true"}
	if !maps.Equal(got, want) {
		t.Errorf("%v\nnot %v", got, want)
	}
	if got := repeated("tasks/get", jsontree.Object(jsontree.Member{Name: "taskId", Value: jsontree.String("7")}), inputOf); !slices.Equal(got, []string{"Mcp-Method", "tasks/get", "Mcp-Name", "7"}) {
		t.Error(got)
	}
	if got := repeated("tools/list", jsontree.Object(), inputOf); len(got) != 2 {
		t.Error(got)
	}
}

// TestBatchLine: words for a batch file are passed whole or refused, by the rules of cmd /s /c and of
// CommandLineToArgv.
func TestBatchLine(t *testing.T) {
	for word, want := range map[string]string{
		"a": `"a"`, "a b": `"a b"`, "a&calc": `"a&calc"`, "a|b>c<d^e": `"a|b>c<d^e"`, `C:\x y\`: `"C:\x y\\"`, "": `""`,
		"%PATH%": "", "100%": "", `a"b`: "", "!x!": "", "a\nb": "",
	} {
		line, err := batchLine(`C:\npx.CMD`, []string{"npx", "--no", word})
		if want != "" {
			want = `cmd.exe /d /v:off /s /c ""C:\npx.CMD" "--no" ` + want + `"`
		}
		if line != want || (err == nil) != (want != "") {
			t.Errorf("%q: %s, %v", word, line, err)
		}
	}
	if line, err := batchLine(`C:\node.exe`, []string{"node", "%X%", `"`}); line != "" || err != nil {
		t.Errorf("%s, %v", line, err)
	}
	for name, want := range map[string][2]bool{"PATH": {true, true}, "Path": {false, true}, "path": {false, true}, "PATHS": {}, "": {}} {
		if isPath(name, "linux") != want[0] || isPath(name, "windows") != want[1] {
			t.Error(name)
		}
	}
}

// TestLongBatch: of a batch that isn't JSON, or has too many messages, only so many are parsed.
func TestLongBatch(t *testing.T) {
	batch := "[" + strings.Repeat(`{"id":1},`, 20_000) + "{}]"
	for text, want := range map[string]int{batch: 10_000, ` [{"id":1},{"id":2}]`: 2, `{"id":1,"id":2}`: 1, `[{"id":1},x]`: 1, "x": 0} {
		if got := ParseLeniently([]byte(text)); len(got) != want {
			t.Errorf("%.40s: %d messages, not %d", text, len(got), want)
		}
	}
}

// TestLargeListing: the pages of a list together are at most as large as a message.
func TestLargeListing(t *testing.T) {
	line := []byte(`{"result":{"tools":[],"nextCursor":"a"}}`)
	m, err := jsontree.NewReader(line).ReadSingle()
	l := Listing{EntryType: pin.Tools, size: MaxBytes - len(line)}
	more, first := l.Add(line, m)
	_, second := l.Add(line, m)
	if err != nil || !more || first != nil || second == nil || !strings.Contains(second.Error(), "too large") {
		t.Errorf("%v %v, then %v", more, first, second)
	}
}
