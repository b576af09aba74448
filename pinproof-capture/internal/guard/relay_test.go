package guard

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"pinproof/internal/pin"
	"pinproof/pinproof-capture/internal/mcp"
)

// noLog is a record that keeps nothing.
func noLog() *callLog {
	l, _ := openLog(Options{}) // no error: there is no file
	return l
}

// TestGuardPlaceholders: if a placeholder in a pin stands for a value, a call names the value. The
// pin's own spelling is a different name.
func TestGuardPlaceholders(t *testing.T) {
	t.Parallel()
	values, err := pin.ParseSubstitutes([]string{"ORG=acmecorp"})
	if err != nil {
		t.Fatal(err)
	}
	j := &judge{approved: approved{values: values, entries: map[pin.Key]pinned{{Type: pin.Tools, Name: "get_<ORG>"}: {}}}}
	r := newRelay(j, Ends, noLog(), io.Discard, io.Discard)
	for name, passes := range map[string]bool{"get_acmecorp": true, "get_<ORG>": false, "": false} {
		line := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `"}}`
		if pass, reply, err := r.fromClient([]byte(line)); err != nil || (pass != nil) != passes || (reply != nil) == passes {
			t.Errorf("%q: %s, %s, %v", name, pass, reply, err)
		}
	}
}

// BenchmarkRelay passes messages of a call's size from a server to its client.
func BenchmarkRelay(b *testing.B) {
	b.Setenv("PATH", os.Getenv("PATH"))
	message := []byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + strings.Repeat("a line of a file\\n", 60) + `"}]}}` + "\n")
	r := newRelay(&judge{}, Ends, noLog(), io.Discard, io.Discard)
	b.SetBytes(int64(len(message)))
	b.ReportAllocs()
	for b.Loop() {
		if pass, _, err := r.fromServer(message); err != nil || len(pass) != len(message) {
			b.Fatal(err)
		}
	}
}

// TestGuardGivesUp: a call waits for its list, and is refused once that takes too long. The guard's request
// says the same about the client as the call, and no answer to it reaches anybody, however late it is.
func TestGuardGivesUp(t *testing.T) {
	t.Parallel()
	var client strings.Builder
	j := &judge{Pins: Pins{ServerID: "files"}, approved: approved{entries: map[pin.Key]pinned{toolA: {}}}}
	r := newRelay(j, Ends, noLog(), &client, io.Discard)
	r.fromServer([]byte(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`))
	pass, reply, err := r.fromClient([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":7,"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`))
	want := `{"jsonrpc":"2.0","id":"` + mcp.OwnID + `1","method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}` + "\n"
	if string(pass) != want || reply != nil || err != nil {
		t.Errorf("%s, %s, %v", pass, reply, err)
	}
	if pass, _, _ := r.fromClient([]byte(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a"}}`)); pass != nil {
		t.Errorf("it asks twice: %s", pass)
	}
	r.giveUp(r.asking[pin.Tools])
	if strings.Count(client.String(), `"message":"pinproof: blocked: `) != 2 || len(r.open) > 0 || len(r.waiting) > 0 {
		t.Errorf("the client got %s", &client)
	}
	if pass, reply, err := r.fromServer([]byte(`{"jsonrpc":"2.0","id":"` + mcp.OwnID + `1","result":{}}`)); pass != nil || reply != nil || err != nil {
		t.Errorf("late: %s, %s, %v", pass, reply, err)
	}
	pass, _, _ = r.fromClient([]byte(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"a"}}`))
	if !strings.Contains(string(pass), mcp.OwnID+"2") {
		t.Errorf("the next call: %s", pass)
	}
	r.asking[pin.Tools].late.Stop()
}

// TestGuardGivesUpWithoutRecord: when a list takes too long, a waiting call that can't be logged
// reaches nobody, and the session is over.
func TestGuardGivesUpWithoutRecord(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip(err)
	}
	log, err := openLog(Options{Log: "/dev/full"})
	if err != nil {
		t.Fatal(err)
	}
	defer log.f.Close()
	var client, server strings.Builder
	j := &judge{Pins: Pins{ServerID: "files"}, approved: approved{entries: map[pin.Key]pinned{toolA: {}, toolB: {}}}}
	r := newRelay(j, Ends, log, &client, io.Discard)
	r.server.w = &server
	r.fromServer([]byte(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`))
	for id, name := range []string{"a", "b", "a"} {
		r.fromClient(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"%s"}}`, id, name))
	}
	r.catalog.show(map[pin.Key]pinned{toolA: {}}, nil) // on a first page
	a := r.asking[pin.Tools]
	a.late.Stop()
	r.giveUp(a)
	if server.Len() > 0 || strings.Count(client.String(), wordsNoRecord.String()) != 3 || strings.Count(client.String(), "\n") != 3 {
		t.Errorf("the server got %s\nthe client got %s", &server, &client)
	}
	if pass, reply, err := r.fromServer([]byte(`{"jsonrpc":"2.0","id":7,"result":{}}`)); pass != nil || reply != nil || err == nil {
		t.Errorf("%s, %s, %v", pass, reply, err)
	}
	if pass, reply, err := r.fromClient([]byte(`{"jsonrpc":"2.0","id":8,"method":"ping"}`)); pass != nil || reply != nil || err == nil {
		t.Errorf("%s, %s, %v", pass, reply, err)
	}
}
