package guard

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
)

// A callLog is the record of a guard: JSON Lines, each whole or absent. A nil one keeps
// nothing.
type callLog struct {
	path, server, session string
	f                     *os.File
	digests               bool  // of arguments, in place of these
	err                   error // the first failure to write
}

// A logLine is a call that goes to the server, the answer to it, or what was held back.
type logLine struct {
	Time    string `json:"time"`
	Session string `json:"session"` // one for each start of the guard
	Server  string `json:"server"`
	Event   string `json:"event"` // call, answer, drift, block

	ID              json.RawMessage `json:"id,omitempty"` // of the request; an answer has that of its call
	Tool            string          `json:"tool,omitempty"`
	Prompt          string          `json:"prompt,omitempty"`
	Digest          string          `json:"digest,omitempty"`   // of the definition that was active
	Approval        string          `json:"approval,omitempty"` // its approval's hash
	Arguments       json.RawMessage `json:"arguments,omitempty"`
	ArgumentsDigest string          `json:"argumentsDigest,omitempty"`

	Bytes   int    `json:"bytes,omitempty"`   // of the answer
	Outcome string `json:"outcome,omitempty"` // result, tool error, error

	Entry  string `json:"entry,omitempty"` // of a drift or a block
	Kind   string `json:"kind,omitempty"`
	Reason string `json:"reason,omitempty"`
	File   string `json:"file,omitempty"` // what was held back
}

// openLog opens the record that the user asked for. It is for the user alone: arguments
// can hold secrets.
func openLog(o Options) (*callLog, error) {
	if o.Log == "" {
		return nil, nil
	}
	f, err := os.OpenFile(o.Log, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fail.Path(o.Log, err)
	}
	locked(f, func() { // a guard that was killed may have left a line without its end
		last := []byte("\n")
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
			f.ReadAt(last, info.Size()-1)
		}
		if last[0] != '\n' {
			f.Write([]byte("\n"))
		}
	})
	session := strconv.FormatInt(time.Now().UnixMicro(), 36) + "-" + strconv.Itoa(os.Getpid())
	return &callLog{path: o.Log, server: o.Label, session: session, f: f, digests: o.LogDigests}, nil
}

func (l *callLog) close() {
	if l != nil {
		l.f.Close()
	}
}

// add appends one line in one write. What was written of it is taken back if it isn't
// whole.
func (l *callLog) add(line logLine) {
	if l == nil || l.err != nil {
		return
	}
	line.Time, line.Session, line.Server = time.Now().UTC().Format("2006-01-02T15:04:05.000000Z"), l.session, l.server
	text, err := json.Marshal(line)
	if err == nil {
		text = append(jsontree.ASCII(text), '\n')
		locked(l.f, func() {
			var n int
			if n, err = l.f.Write(text); err != nil && n > 0 {
				if info, failed := l.f.Stat(); failed == nil {
					err = errors.Join(err, l.f.Truncate(info.Size()-int64(n)))
				}
			}
		})
	}
	if err != nil {
		l.err = fail.Path(l.path, err)
	}
}

// broken returns why the record can't be kept: the session may not go on without it.
func (l *callLog) broken() error {
	if l == nil {
		return nil
	}
	return l.err
}

// setArguments records arguments as they came, or their digest: that of the bytes without
// blanks between tokens.
func (line *logLine) setArguments(arguments []byte, l *callLog) {
	if l == nil {
		return
	}
	plain := jsontext.Value(bytes.Clone(arguments))
	plain.Compact() // they were read strictly
	if !l.digests {
		line.Arguments = json.RawMessage(plain)
		return
	}
	sum := sha256.Sum256(plain)
	line.ArgumentsDigest = pin.DigestPrefix + hex.EncodeToString(sum[:])
}
