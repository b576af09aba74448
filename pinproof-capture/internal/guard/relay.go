package guard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"time"

	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/text"
	"pinproof/internal/workspace"
	"pinproof/pinproof-capture/internal/mcp"
)

// A relay carries lines between a client, its server and the core, which alone decides what passes.
type relay struct {
	judge *judge
	log   *callLog

	mu   sync.Mutex // protects the core; only writes to the log block while it is held
	core *core

	judging sync.WaitGroup

	client, server *queue
	person         *notes
	ends           chan error // why the session ends
}

// Options configure a guard.
type Options struct {
	PinSource
	OnDrift    string        // ModeEnd, ModeSubset or ModeWarn
	MaxListAge time.Duration // the age at which a listing is renewed before the next call; 0 for never

	// The file of the log; "" is for none.
	Log string

	LogDigests bool // log digests in place of arguments
}

// newCore returns the core of a session that hasn't begun.
func newCore(o Options, pins serverPins, review reviewSetup) *core {
	return &core{Options: o, review: review, pins: pins, open: map[string]request{}, news: map[string][]byte{}}
}

// Run starts the server once and passes messages between it and the client until one of them ends. It returns the
// server's exit code, or 2 if the guard ended the session.
func Run(o Options, src mcp.Server, stdin io.Reader, stdout, stderr io.Writer) (int, error) {
	debug.SetGCPercent(400) // parsing a list allocates a large tree
	debug.SetMemoryLimit(1 << 29)
	j, err := newJudge(o)
	if err != nil {
		return 2, err
	}
	if workspace.SameFile(j.lock, o.Log) {
		return 2, fail.New("--log %s: this is the lockfile", text.Printable(o.Log))
	}
	log, err := openLog(o)
	if err != nil {
		return 2, err
	}
	defer log.f.Close()
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, mcp.EndSignals...)
	defer signal.Stop(signals)
	person := &notes{queue: newQueue(stderr, maxNotes)}
	defer person.settle()
	var r *relay
	src.InputOf = func(tool string) jsontree.Value {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.core.inputOf(tool)
	}
	// The lockfile is read while the process starts. The process executes the server only if the pins could be read
	// (mcp.Server.Permit).
	var pins serverPins
	src.Permit = sync.OnceValue(func() (err error) {
		pins, _, err = j.readPins()
		return err
	})
	go src.Permit()
	s, err := src.Open(stderr)
	if err = cmp.Or(src.Permit(), err); err != nil {
		return 2, err
	}
	defer s.Stop()
	j.prepare()
	if o.OnDrift == ModeWarn {
		fmt.Fprintln(person, "pinproof: --on-drift warn passes what the server lists, approved or not: it protects nobody")
	}
	r = &relay{judge: j, log: log, core: newCore(o, pins, j.reviewing()), client: newQueue(stdout, mcp.MaxBytes+2*enough), server: newQueue(s, mcp.MaxBytes+2*enough),
		person: person, ends: make(chan error, 8)}
	return r.run(stdin, s, stdout, signals)
}

// SignalGrace is how long a server may run after a signal before it is stopped. Stopping takes at most twice
// mcp.ExitGrace, so the session ends within ten seconds.
var SignalGrace = 10*time.Second - 2*mcp.ExitGrace

const (
	// The interval at which look calls tick.
	lookAfter = 200 * time.Millisecond

	// How long a refused session still answers the client, which might otherwise restart the server many times a
	// second.
	lingerAfter = 10 * time.Second
)

var (
	errBlocked = errors.New("blocked") // already reported to a person
	errFull    = fail.New("too much waits to be read by one side of the session")
)

// run runs the session to its end.
func (r *relay) run(stdin io.Reader, p mcp.Connection, stdout io.Writer, signals <-chan os.Signal) (int, error) {
	clientEnds := make(chan struct{})
	go r.look(p, stdout, clientEnds)
	go func() {
		err := r.last(p.Lines(r.serverSays))
		r.judging.Wait() // its last list may have drifted
		r.happens(func(c *core) {
			if c.serverEnds(); c.refused != nil {
				err = cmp.Or(err, errBlocked)
			}
		})
		r.end(cmp.Or(err, io.EOF))
	}()
	go func() {
		r.end(r.last(mcp.ReadLines(stdin, r.clientSays)))
		close(clientEnds)
	}()
	signalled, signal := context.WithCancel(context.Background())
	late, isLate := context.WithCancel(context.Background())
	go func() {
		for s := range signals {
			p.Signal(s)
			signal()
			time.AfterFunc(SignalGrace, isLate)
		}
	}()
	var end error
	select {
	case end = <-r.ends:
	case <-late.Done():
		return r.ended(p, io.EOF)
	}
	select {
	case <-r.client.drained():
	case <-late.Done(): // after a signal, don't wait for a client that doesn't read
	}
	if end == errBlocked {
		go p.Stop()
		select {
		case <-time.After(lingerAfter):
		case <-clientEnds:
		case <-signalled.Done():
		}
	}
	return r.ended(p, end)
}

// look calls tick regularly. Once the client has closed its end, look closes the server's input when no message waits
// in the guard any more, or after mcp.PageTimeout, because messages may wait for a handshake response that never
// arrives.
func (r *relay) look(p mcp.Connection, stdout io.Writer, clientEnds <-chan struct{}) {
	var late time.Time
	for now := range time.Tick(lookAfter) {
		isIdle := false
		r.happens(func(c *core) {
			c.tick()
			isIdle = (c.refused == nil || c.refused.isTold) && len(c.waiting) == 0 // no message of the client's waits here
		})
		select {
		case <-clientEnds:
			late = cmp.Or(late, now.Add(mcp.PageTimeout))
		default:
			continue
		}
		if hungUp(stdout) { // nobody reads the server's messages any more
			p.Stop()
			return
		}
		if isIdle && r.server.isEmpty() || now.After(late) {
			p.Close()
		}
	}
}

// last ends the session with an error for the client if a message was too large to be judged.
func (r *relay) last(err error) error {
	if err == mcp.ErrTooLarge {
		r.happens(func(c *core) {
			c.log("block", "reason", mcp.ErrTooLarge.Text)
			c.end(say("pinproof: blocked: a message of more than 64 MiB. The session with server ").
				AddArgument(c.ServerID).AddWords(" is over."), err)
		})
	}
	return err
}

// ended returns the exit code and the error of a session that ended with err.
func (r *relay) ended(p mcp.Connection, err error) (int, error) {
	if err == io.EOF || errors.Is(err, syscall.EPIPE) {
		p.Stop()
		return p.ExitCode(), nil
	}
	if err == errBlocked {
		return 2, nil
	}
	return 2, err
}

// happens lets the core handle an event, and performs the resulting actions.
func (r *relay) happens(decide func(c *core)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.core.now = time.Now()
	decide(r.core)
	r.do(r.core.flush())
}

// do performs the core's actions. The caller holds r.mu.
func (r *relay) do(o out) {
	if err := r.log.write(o.records); err != nil && r.core.refused == nil {
		r.core.end(wordsNoRecord, err)
		o = r.core.flush()
	}
	for _, k := range o.keep {
		if err := keep(k); err != nil {
			fmt.Fprintf(r.person, "pinproof: %s could not be saved: %s\n", text.Printable(k.path), fail.AsError(err).Text)
		}
	}
	for _, line := range o.say {
		fmt.Fprintln(r.person, line)
	}
	if !r.client.put(o.toClient) || !r.server.put(o.toServer) {
		o.err = cmp.Or(o.err, error(errFull))
	}
	if o.prepares {
		r.judge.prepare()
	}
	for _, part := range o.judge {
		r.judging.Go(part.meanwhile)
		r.judging.Go(func() {
			v, err := r.judge.part(part.said)
			r.happens(func(*core) { part.then(v, err) })
		})
	}
	r.end(o.err)
}

// end ends the session if err isn't nil. Reading continues, because a refused session still answers its client.
func (r *relay) end(err error) {
	if err == nil {
		return
	}
	select {
	case r.ends <- err:
	default: // the session is ending already
	}
}

// serverSays handles what the server sends.
func (r *relay) serverSays(said mcp.Received) error {
	r.happens(func(c *core) {
		if said.Undelivered {
			c.unsent(said.Line)
		} else if said.Err == nil {
			c.fromServer(said.Line)
		} else {
			c.tell("the server: %s", strings.Join(fail.ErrorLines(said.Err), "\n"))
		}
		if said.SessionExpired {
			c.renews()
		}
	})
	r.client.until(enough)
	return nil
}

// clientSays handles a line from the client.
func (r *relay) clientSays(line []byte) error {
	pins, isChanged, bad := r.judge.readPins()
	r.happens(func(c *core) {
		if isChanged && c.refused == nil {
			c.reread(pins, bad)
		}
		c.fromClient(line)
	})
	r.server.until(enough)
	return nil
}
