package guard

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"pinproof/internal/fail"
	"pinproof/internal/modeltext"
	"pinproof/internal/text"
	"pinproof/internal/workspace"
	"pinproof/pinproof-capture/internal/mcp"
)

// A relay carries lines between a client, its server and the core, which alone decides what passes.
type relay struct {
	judge *judge
	log   *callLog
	clock func() time.Time

	mu    sync.Mutex // protects the core; nothing waits while it is held, except for the log
	core  *core
	timer *time.Timer

	judging sync.WaitGroup

	client, server *queue
	person         *notes
	ends           chan error // why the session ends
}

// Options are how a guard runs.
type Options struct {
	Pins
	OnDrift string        // one of Ends, Subset, Warns
	Relist  time.Duration // the age at which a listing is renewed before the next call; 0 for never

	// The file of the log; "" is for none.
	Log string

	LogDigests bool // log digests in place of arguments
}

// newCore returns the core of a session that hasn't begun.
func newCore(o Options, pins approved, review reviewing) *core {
	return &core{setup: setup{o.Pins, o.OnDrift, o.Relist, review}, pins: pins,
		open: map[string]request{}, own: map[string]*listing{}}
}

// Run starts the server once and passes messages between it and the client until one of them
// ends. It returns the server's exit code, or 2 if the session was ended here.
func Run(ctx context.Context, o Options, src mcp.Server, stdin io.Reader, stdout, stderr io.Writer) (int, error) {
	j, err := newJudge(o.Pins)
	if err != nil {
		return 2, err
	}
	pins, _, err := j.readPins()
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
	person := newNotes(stderr)
	defer person.settle()
	s, err := src.Open(stderr)
	if err != nil {
		return 2, err
	}
	defer s.Stop()
	if o.OnDrift == Warns {
		person.say("pinproof: --on-drift warn passes what the server lists, approved or not: it protects nobody")
	}
	r := &relay{judge: j, log: log, clock: time.Now, core: newCore(o, pins, j.reviewing()), client: newQueue(stdout), server: newQueue(s),
		person: person, ends: make(chan error, 8)}
	return r.run(stdin, s, stdout, signals)
}

const (
	// After a signal, a server has signalPatience to end before it is stopped, which takes the rest of ten seconds.
	signalPatience = 10*time.Second - 2*mcp.Grace

	// Once a client has closed its end, the guard checks this often whether anything is left to do, and whether the client still reads.
	lookAfter = 200 * time.Millisecond

	// How long a refused session answers the client, which may otherwise restart the server many times a second.
	lingerAfter = 10 * time.Second
)

var (
	errBlocked = errors.New("blocked") // a person has been told
	errFull    = fail.New("too much waits to be read by one side of the session")
)

// begin begins to read and write on both sides. It returns a channel that is closed at the end of what the client sends.
func (r *relay) begin(stdin io.Reader, p mcp.Connection) (clientEnds chan struct{}) {
	clientEnds = make(chan struct{})
	go func() {
		err := r.last(p.Lines(r.serverSays))
		r.judging.Wait() // what it said last may drift
		if r.happens((*core).serverEnds); r.isRefused() {
			err = cmp.Or(err, errBlocked)
		}
		r.ends <- cmp.Or(err, io.EOF)
	}()
	go func() {
		r.end(r.last(mcp.ReadLines(stdin, r.clientSays)))
		close(clientEnds)
	}()
	go r.client.run()
	go r.server.run()
	return clientEnds
}

func (r *relay) run(stdin io.Reader, p mcp.Connection, stdout io.Writer, signals <-chan os.Signal) (int, error) {
	r.timer = time.AfterFunc(time.Hour, r.tick)
	defer r.timer.Stop()
	clientEnds := r.begin(stdin, p)
	var killed, look, late, lingered <-chan time.Time
	var told <-chan struct{} // closed once the client has been told all
	var end error
	hasClient := true
	for {
		select {
		case s := <-signals:
			p.Signal(s)
			if end == errBlocked {
				return r.ended(p, end)
			}
			if killed == nil {
				killed = time.After(signalPatience)
			}
		case <-killed: // also if the client doesn't read
			return r.ended(p, io.EOF)
		case err := <-r.ends:
			if end == nil {
				end = err
				told = r.client.drained()
			}
		case <-told:
			if end != errBlocked || !hasClient {
				return r.ended(p, end)
			}
			told = nil
			go p.Stop()
			lingered = time.After(lingerAfter)
		case <-lingered:
			return r.ended(p, end)
		case <-clientEnds:
			clientEnds = nil
			hasClient = false
			if lingered != nil {
				return r.ended(p, end)
			}
			look = time.Tick(lookAfter)
			late = time.After(mcp.PagePatience) // the server may never send its greeting
		case <-late:
			go p.Close()
		case <-look:
			if hungUp(stdout) {
				go p.Stop() // nobody will ever read what it sends
			} else if r.isIdle() && r.server.isEmpty() {
				go p.Close()
			}
		}
	}
}

func (r *relay) isRefused() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.core.refused != nil
}

func (r *relay) isIdle() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.core.isIdle()
}

// last tells the client why the session ends, if a message was too large to be judged.
func (r *relay) last(err error) error {
	if err == mcp.ErrTooLarge {
		r.happens(func(c *core) (o out) {
			o.log("block", "reason", mcp.ErrTooLarge.Text)
			return c.end(&o, modeltext.Say("pinproof: blocked: a message of more than 64 MiB. The session with server ").
				Argument(c.ServerID).Say(" is over."))
		})
	}
	return err
}

// ended returns the exit code.
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

// happens has the core decide about something that happened, and does what the core returns.
func (r *relay) happens(decide func(c *core) out) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.core.now = r.clock()
	return r.do(decide(r.core))
}

// do does what the core returns. The caller holds r.mu.
func (r *relay) do(o out) error {
	if err := r.log.write(o.records); err != nil && r.core.refused == nil {
		o = r.core.lost(err)
	}
	for _, k := range o.keep {
		if err := keep(k); err != nil {
			o.tell("%s could not be saved: %s", text.Printable(k.path), fail.From(err).Text)
		}
	}
	for _, line := range o.say {
		r.person.say(line)
	}
	if !r.client.put(o.toClient) || !r.server.put(o.toServer) {
		o.err = cmp.Or(o.err, error(errFull))
	}
	for _, part := range o.judge {
		r.judging.Go(func() {
			v, err := r.judge.part(part.said)
			r.end(r.happens(func(*core) out { return part.then(v, err) }))
		})
	}
	if at := r.core.due(); !at.IsZero() {
		r.timer.Reset(max(0, at.Sub(r.core.now)))
	}
	return o.err
}

func (r *relay) end(err error) {
	if err != nil {
		r.ends <- err
	}
}

func (r *relay) tick() { r.end(r.happens((*core).tick)) }

// serverSays takes what the server sends.
func (r *relay) serverSays(said mcp.Said) error {
	err := r.happens(func(c *core) (o out) {
		switch {
		case said.Unsent:
			return c.unsent(said.Line)
		case said.Err != nil:
			o.tell("the server: %s", strings.Join(fail.Lines(said.Err), "\n"))
			if said.Renews {
				o.add(c.renews())
			}
			return o
		}
		return c.fromServer(said.Line)
	})
	r.client.wait()
	return r.keepReading(err)
}

// clientSays takes a line of the client's.
func (r *relay) clientSays(line []byte) error {
	pins, isChanged, bad := r.judge.readPins()
	err := r.happens(func(c *core) (o out) {
		if isChanged && c.refused == nil {
			o = c.reread(pins, bad)
		}
		o.add(c.fromClient(line))
		return o
	})
	r.server.wait()
	return r.keepReading(err)
}

// keepReading ends the session, but goes on reading: a refused session still answers its client.
func (r *relay) keepReading(err error) error {
	if err == errBlocked {
		r.ends <- err
		return nil
	}
	return err
}
