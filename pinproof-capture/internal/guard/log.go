package guard

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
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

// A record is what the guard's log has of one event. arguments are those of a call, as they came.
type record struct {
	event     string
	args      []any
	arguments []byte
}

// A callLog is the log of a guard: JSON Lines, each a call that goes to the server, the answer to it, a drift or a block. Without a
// file it keeps nothing.
type callLog struct {
	*slog.Logger
	f       *os.File
	digests bool  // log digests in place of arguments
	err     error // the first failure to write: the session may not go on without the log
}

// openLog opens the log that the user asked for. It is for the user alone: arguments can hold secrets. Guards that share a file append
// each record in one write, so no lock is needed.
func openLog(o Options) (l *callLog, err error) {
	l = &callLog{digests: o.LogDigests, Logger: slog.New(slog.DiscardHandler)}
	if o.Log == "" {
		return l, nil
	}
	if l.f, err = os.OpenFile(o.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err != nil {
		return nil, fail.Path(o.Log, err)
	}
	session := strconv.FormatInt(time.Now().UnixMicro(), 36) + "-" + strconv.Itoa(os.Getpid())
	l.Logger = slog.New(slog.NewJSONHandler(l, &slog.HandlerOptions{ReplaceAttr: named})).With("session", session, "server", o.ServerID)
	return l, nil
}

// named gives what the library adds to a line the names of the record, and leaves out what is empty.
func named(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		a.Value = slog.TimeValue(a.Value.Time().UTC())
	} else if a.Key == slog.MessageKey {
		a.Key = "event"
	} else if a.Key == slog.LevelKey || a.Value.Kind() == slog.KindString && a.Value.String() == "" {
		return slog.Attr{}
	}
	return a
}

// Write appends one record.
func (l *callLog) Write(line []byte) (int, error) {
	n, err := l.f.Write(jsontree.ASCII(line))
	if err != nil {
		l.err = cmp.Or(l.err, error(fail.Path(l.f.Name(), err)))
	}
	return n, err
}

// write writes records. The error is that of the log's first failure.
func (l *callLog) write(records []record) error {
	for _, r := range records {
		args := r.args
		if r.arguments != nil {
			args = append(slices.Clone(args), "argumentsBytes", len(r.arguments))
		}
		switch {
		case len(r.arguments) == 0:
		case l.digests:
			var plain bytes.Buffer
			json.Compact(&plain, r.arguments) // no error: they were read strictly
			args = append(args, "argumentsDigest", fmt.Sprintf("%s%x", pin.DigestPrefix, sha256.Sum256(plain.Bytes())))
		default:
			args = append(args, "arguments", json.RawMessage(r.arguments))
		}
		l.Info(r.event, args...)
	}
	return l.err
}
