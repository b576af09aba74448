package guard

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
)

// A record is one event in the guard's log. arguments are a call's arguments, as received.
type record struct {
	event     string
	args      []any
	arguments []byte
}

// A callLog is the guard's log in JSON Lines: calls sent to the server, responses, drifts and blocks.
type callLog struct {
	f       *os.File // nil for no log
	digests bool     // log digests in place of arguments
	session string
	server  string
}

// openLog opens the log, if the user asked for one. Only the user may read it, because arguments can contain secrets.
// Guards that share a file append each record in one write, so no lock is needed. A pipe that nobody reads is an error.
func openLog(o Options) (l *callLog, err error) {
	l = &callLog{digests: o.LogDigests, server: o.ServerID, session: rand.Text()}
	if o.Log == "" {
		return l, nil
	}
	if l.f, err = os.OpenFile(o.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY|syscall.O_NONBLOCK, 0o600); err != nil {
		return nil, fail.PathError(o.Log, err)
	}
	return l, nil
}

// write appends records to the log. After an error, the session must end, because its events aren't logged.
func (l *callLog) write(records []record) error {
	for _, r := range records {
		if l.f == nil {
			return nil
		}
		args := slices.Concat([]any{"time", time.Now().UTC(), "event", r.event, "session", l.session, "server", l.server}, r.args)
		if r.arguments != nil {
			args = append(args, "argumentsBytes", len(r.arguments))
		}
		if len(r.arguments) > 0 && l.digests {
			var plain bytes.Buffer
			json.Compact(&plain, r.arguments) // can't fail: they were parsed strictly
			args = append(args, "argumentsDigest", jsontree.Digest(plain.Bytes()))
		} else if len(r.arguments) > 0 {
			args = append(args, "arguments", json.RawMessage(r.arguments))
		}
		if _, err := l.f.Write(lineOf(args)); err != nil {
			return fail.PathError(l.f.Name(), err)
		}
	}
	return nil
}

// lineOf returns alternating names and values as a line of ASCII JSON. It leaves out members whose value is "".
func lineOf(args []any) []byte {
	var members []string
	for pair := range slices.Chunk(args, 2) {
		if value, _ := json.Marshal(pair[1]); string(value) != `""` {
			members = append(members, fmt.Sprintf("%q:%s", pair[0], value))
		}
	}
	return jsontree.EscapeNonASCII([]byte("{" + strings.Join(members, ",") + "}\n"))
}
