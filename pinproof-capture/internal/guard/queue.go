package guard

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"pinproof/internal/text"
	"pinproof/pinproof-capture/internal/mcp"
)

// A queue writes lines to one side of a session, in order. Only its own goroutine waits for that side.
type queue struct {
	w    io.Writer
	most int // maximum of unwritten bytes; more end the session

	mu      sync.Mutex
	changed sync.Cond
	waiting []byte
	left    int  // bytes that aren't written yet
	lost    bool // writing to the side has failed
}

const (
	// While more bytes than this wait, the guard doesn't read from the other side.
	enough = 1 << 20

	// The maximum number of bytes that wait for standard error.
	maxNotes = 1 << 20
)

func newQueue(w io.Writer, most int) *queue {
	q := &queue{w: w, most: most}
	q.changed.L = &q.mu
	go q.run()
	return q
}

// put adds lines. It returns false if more than q.most bytes would wait.
func (q *queue) put(lines []byte) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.lost {
		return true // the lines are dropped
	}
	if q.left+len(lines) > q.most {
		return false
	}
	q.waiting = append(q.waiting, lines...)
	q.left += len(lines)
	q.changed.Broadcast()
	return true
}

// until blocks until at most few unwritten bytes remain.
func (q *queue) until(few int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.left > few {
		q.changed.Wait()
	}
}

// drained returns a channel that is closed once all is written.
func (q *queue) drained() <-chan struct{} {
	all := make(chan struct{})
	go func() {
		q.until(0)
		close(all)
	}()
	return all
}

// run writes the lines that put adds, and never returns.
func (q *queue) run() {
	q.mu.Lock()
	for {
		for len(q.waiting) == 0 {
			q.changed.Wait()
		}
		lines := q.waiting
		q.waiting = nil
		q.mu.Unlock()
		_, err := q.w.Write(lines)
		q.mu.Lock()
		q.left -= len(lines)
		if err != nil {
			q.lost = true
			q.waiting = nil
			q.left = 0
		}
		q.changed.Broadcast()
	}
}

// notes are messages for a person on standard error. They never block: if the client doesn't read them, further ones
// are dropped and counted.
type notes struct {
	*queue
	dropped atomic.Int64
}

// Write adds a message. If messages were dropped before, it first adds one with their number.
func (n *notes) Write(b []byte) (int, error) {
	if count := n.dropped.Swap(0); count > 0 && !n.put(fmt.Appendf(nil, "pinproof: %s left out here, because nobody read them\n", text.FormatCount(int(count), "note"))) {
		n.dropped.Add(count)
	}
	if !n.put(b) {
		n.dropped.Add(1)
	}
	return len(b), nil
}

// settle waits at most mcp.ExitGrace until all is written.
func (n *notes) settle() {
	n.Write(nil)
	select {
	case <-n.drained():
	case <-time.After(mcp.ExitGrace):
	}
}

func (q *queue) isEmpty() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.left == 0
}
