package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pinproof/internal/capture"
	"pinproof/internal/jsontest"
	"pinproof/internal/lockfile"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
)

// TestLockfileOf: lockfileOf returns what parsing the lockfile would give. A lockfile with
// anything else in it is left to the parser.
func TestLockfileOf(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tools.lock")
	gate := pin.Gate{Form: pintest.Form, ApprovalHash: func(server string, p *pin.Pin) string { return p.Digest }}
	of := func(lock string, captures ...string) (lockfile.Lockfile, bool) {
		var sources []source
		for i, m := range captures {
			sources = append(sources, source{"m.json", fmt.Sprintf("server_%d", i), capture.Scan("m.json", []byte(m), pintest.Form)})
		}
		if err := os.WriteFile(path, []byte(lock), 0o600); err != nil {
			t.Fatal(err)
		}
		return lockfileOf(gate, path, sources)
	}
	random := jsontest.NewMaker(8)
	for i := range 100 {
		var l lockfile.Lockfile
		var captures []string
		for n := range 1 + random.IntN(2) {
			m := `[` + random.Definition("b"+random.Text()) + `,{"name":"a","inputSchema":{}}]`
			s := pintest.PinsOf(t, m, pin.Policy{})
			s.Server = fmt.Sprintf("server_%d", n)
			if random.IntN(2) == 0 {
				s.About = pin.About{Name: "example", Version: random.Text()}.Recorded()
			}
			if random.IntN(2) == 0 {
				s.Accepted = []pin.Record{{ID: "oversize", Digest: s.Pins[0].Digest}}
				s.Pins[0].Accepted = []pin.Record{{ID: "hidden-text", Place: "/a b", Digest: s.Pins[0].Digest}, {ID: "padding", Place: "/é", Digest: s.Pins[0].Digest}}
				s.Pins[1].Approval = &pin.Approval{By: "x" + random.Text(), At: "2026-01-02T03:04:05Z", Hash: gate.ApprovalHash(s.Server, &s.Pins[1]), Digest: random.Pick("", s.Pins[1].Digest)}
			}
			l.Put(s)
			captures = append(captures, m)
		}
		text := pintest.MustMarshal(t, l)
		got, ok := of(text, captures...)
		if want := pintest.MustParse(t, text); !ok || !reflect.DeepEqual(got, want) {
			t.Fatalf("run %d: %v, want\n%v\nof\n%s", i, got, want, text)
		}
		if len(captures) == 1 { // the server ID is the lockfile's own
			if got, ok := of(strings.Replace(text, `"server_0"`, `"other"`, 1), captures[0]); !ok || got.Servers[0].Server != "other" {
				t.Fatalf("run %d: %v", i, got)
			}
		}
		for _, m := range captures {
			if got, ok := of(text, strings.Replace(m, `{}`, `{"x":1}`, 1)); ok || len(got.Servers) > 0 {
				t.Fatalf("run %d: a changed tool is pinned: %v", i, got)
			}
		}
	}
	// What lock never writes is left to the parser, which refuses it.
	twice := `[{"name":"a","inputSchema":{}},{"name":"a","inputSchema":{}}]`
	set := pintest.PinsOf(t, twice, pin.Policy{})
	set.Server = "server_0"
	if _, ok := of(pintest.MustMarshal(t, lockfile.Lockfile{Servers: []pin.Set{set}}), twice); ok {
		t.Error("a name that is pinned twice")
	}
	for _, server := range []string{"", strings.Repeat("w", 1025)} {
		set = pintest.PinsOf(t, `[]`, pin.Policy{})
		set.Server = server
		if _, ok := of(pintest.MustMarshal(t, lockfile.Lockfile{Servers: []pin.Set{set}}), `[]`); ok {
			t.Errorf("a server named %q", server)
		}
	}
}
