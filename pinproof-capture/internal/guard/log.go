package guard

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"time"

	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
)

// A callLog is the record of a guard: JSON Lines, each whole or absent, each a call that goes to the
// server, the answer to it, a drift or a block. Without a file it keeps nothing.
type callLog struct {
	*slog.Logger
	f       *os.File
	digests bool // log digests in place of arguments

	// The first failure to write: the session may not go on without the record.
	err error
}

// openLog opens the record that the user asked for. It is for the user alone: arguments
// can hold secrets.
func openLog(o Options) (l *callLog, err error) {
	l = &callLog{digests: o.LogDigests, Logger: slog.New(slog.DiscardHandler)}
	if o.Log == "" {
		return l, nil
	}
	if l.f, err = os.OpenFile(o.Log, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600); err != nil {
		return nil, fail.Path(o.Log, err)
	}
	// A guard that was killed may have left a line without its end.
	locked(l.f, func() {
		last := []byte("\n")
		if info, err := l.f.Stat(); err == nil && info.Mode().IsRegular() {
			l.f.ReadAt(last, info.Size()-1)
		}
		if last[0] != '\n' {
			l.f.Write([]byte("\n"))
		}
	})
	session := strconv.FormatInt(time.Now().UnixMicro(), 36) + "-" + strconv.Itoa(os.Getpid())
	l.Logger = slog.New(slog.NewJSONHandler(l, &slog.HandlerOptions{ReplaceAttr: named})).With("session", session, "server", o.ServerID)
	return l, nil
}

// named gives what the library adds to a line the names of the record, and leaves out what is empty.
func named(_ []string, a slog.Attr) slog.Attr {
	switch {
	case a.Key == slog.TimeKey:
		a.Value = slog.TimeValue(a.Value.Time().UTC())
	case a.Key == slog.MessageKey:
		a.Key = "event"
	case a.Key == slog.LevelKey, a.Value.Kind() == slog.KindString && a.Value.String() == "":
		return slog.Attr{}
	}
	return a
}

// Write appends one line. If only a part of the line could be written, that part is taken back.
func (l *callLog) Write(line []byte) (n int, err error) {
	locked(l.f, func() {
		if n, err = l.f.Write(jsontree.ASCII(line)); err != nil && n > 0 {
			if info, failed := l.f.Stat(); failed == nil {
				err = errors.Join(err, l.f.Truncate(info.Size()-int64(n)))
			}
		}
	})
	if err != nil {
		l.err = cmp.Or(l.err, error(fail.Path(l.f.Name(), err)))
	}
	return n, err
}

// call records a call that goes to the server, with its arguments as they came or with the digest
// of their bytes, without the blanks between tokens. It returns what the answer is recorded with.
func (l *callLog) call(entryType pin.EntryType, entry pinned, line []byte, m jsontree.Value) (said []any) {
	id := m.Get("id")
	name := m.Get("params").Get("name").Text
	arguments := m.Get("params").Get("arguments")
	said = []any{pin.EntryTypeInfo[entryType].Entry, name}
	if id.Kind != 0 {
		said = append(said, "id", json.RawMessage(bytes.Clone(line[id.At:id.End])))
	}
	call := slices.Concat(said, []any{"digest", entry.Digest, "approval", entry.Approval})
	switch raw := json.RawMessage(line[arguments.At:arguments.End]); {
	case arguments.Kind == 0:
	case l.digests:
		var plain bytes.Buffer
		json.Compact(&plain, raw) // no error: they were read strictly
		call = append(call, "argumentsDigest", fmt.Sprintf("%s%x", pin.DigestPrefix, sha256.Sum256(plain.Bytes())))
	default:
		call = append(call, "arguments", raw)
	}
	l.Info("call", call...)
	return said
}

// answer records the answer to a call, and its outcome.
func (l *callLog) answer(said []any, m jsontree.Value) {
	outcome := "result"
	if m.Has("error") {
		outcome = "error"
	} else if m.Get("result").Get("isError").Kind == 't' {
		outcome = "tool error"
	}
	l.Info("answer", append(said, "bytes", m.End-m.At, "outcome", outcome)...)
}
