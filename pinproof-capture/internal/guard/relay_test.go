package guard

import (
	"io"
	"os"
	"strings"
	"testing"

	"pinproof/internal/pin"
)

// TestGuardPlaceholders: where the pins' names stand for values, a call says the value. The
// pin's own spelling is another name.
func TestGuardPlaceholders(t *testing.T) {
	t.Parallel()
	values, err := pin.ParseSubstitutes([]string{"ORG=acmecorp"})
	if err != nil {
		t.Fatal(err)
	}
	j := &judge{approved: approved{values: values, entries: map[pin.Key]pinned{{Type: pin.Tools, Name: "get_<ORG>"}: {}}}}
	r := newRelay(j, Ends, nil, io.Discard, io.Discard)
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
	r := newRelay(&judge{}, Ends, nil, io.Discard, io.Discard)
	b.SetBytes(int64(len(message)))
	b.ReportAllocs()
	for b.Loop() {
		if pass, _, err := r.fromServer(message); err != nil || len(pass) != len(message) {
			b.Fatal(err)
		}
	}
}
