package guard

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
)

// A callLog is the record of a guard: JSON Lines, each whole or absent. Without a file it keeps
// nothing.
type callLog struct {
	Options
	session string
	f       *os.File
	err     error // the first failure to write: the session may not go on without the record
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
func openLog(o Options) (l *callLog, err error) {
	l = &callLog{Options: o, session: strconv.FormatInt(time.Now().UnixMicro(), 36) + "-" + strconv.Itoa(os.Getpid())}
	if o.Log == "" {
		return l, nil
	}
	if l.f, err = os.OpenFile(o.Log, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600); err != nil {
		return nil, fail.Path(o.Log, err)
	}
	locked(l.f, func() { // a guard that was killed may have left a line without its end
		last := []byte("\n")
		if info, err := l.f.Stat(); err == nil && info.Mode().IsRegular() {
			l.f.ReadAt(last, info.Size()-1)
		}
		if last[0] != '\n' {
			l.f.Write([]byte("\n"))
		}
	})
	return l, nil
}

// add appends one line in one write. What was written of it is taken back if it isn't
// whole.
func (l *callLog) add(line logLine) {
	if l.f == nil || l.err != nil {
		return
	}
	line.Time, line.Session, line.Server = time.Now().UTC().Format("2006-01-02T15:04:05.000000Z"), l.session, l.Label
	text, err := json.Marshal(line)
	if err == nil {
		locked(l.f, func() {
			var n int
			if n, err = l.f.Write(append(jsontree.ASCII(text), '\n')); err != nil && n > 0 {
				if info, failed := l.f.Stat(); failed == nil {
					err = errors.Join(err, l.f.Truncate(info.Size()-int64(n)))
				}
			}
		})
	}
	if err != nil {
		l.err = fail.Path(l.Log, err)
	}
}

// call records a call that goes to the server, with its arguments as they came or their digest:
// that of the bytes without blanks between tokens. It returns what the answer is recorded with.
func (l *callLog) call(list pin.EntryType, entry pinned, line []byte, m jsontree.Value) *logLine {
	id, name, arguments := m.Get("id"), m.Get("params").Get("name").Text, m.Get("params").Get("arguments")
	said := logLine{ID: bytes.Clone(line[id.At:id.End])}
	if list == pin.Tools {
		said.Tool = name
	} else {
		said.Prompt = name
	}
	call := said
	call.Event, call.Digest, call.Approval = "call", entry.Digest, entry.Approval
	if arguments.Kind != 0 && l.LogDigests {
		var plain bytes.Buffer
		json.Compact(&plain, line[arguments.At:arguments.End]) // they were read strictly
		call.ArgumentsDigest = fmt.Sprintf("%s%x", pin.DigestPrefix, sha256.Sum256(plain.Bytes()))
	} else {
		call.Arguments = line[arguments.At:arguments.End]
	}
	l.add(call)
	return &said
}

// answer records the answer to a call, and what it came to.
func (l *callLog) answer(said *logLine, m jsontree.Value) {
	said.Event, said.Bytes, said.Outcome = "answer", int(m.End-m.At), "result"
	if m.Has("error") {
		said.Outcome = "error"
	} else if m.Get("result").Get("isError").Kind == 't' {
		said.Outcome = "tool error"
	}
	l.add(*said)
}
