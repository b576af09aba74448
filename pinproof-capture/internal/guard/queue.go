package guard

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"

	"pinproof/internal/text"
	"pinproof/pinproof-capture/internal/mcp"
)

// A queue writes to one side of a session, in the order in which lines were put. Only its own goroutine waits for that side.
type queue struct {
	w       io.Writer
	mu      sync.Mutex
	changed sync.Cond
	waiting bytes.Buffer
	writing bool
	lost    bool // the side takes no more
}

// Below enough, the other side is read on; what is beyond most ends the session.
const (
	enough = 1 << 20
	most   = mcp.MaxBytes + enough
)

func newQueue(w io.Writer) *queue {
	q := &queue{w: w}
	q.changed.L = &q.mu
	return q
}

// put adds lines. It returns false if too much waits already.
func (q *queue) put(lines []byte) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.lost {
		return true // as without a guard
	}
	q.waiting.Write(lines)
	q.changed.Broadcast()
	return q.waiting.Len() <= most
}

// wait waits until not much is left to write.
func (q *queue) wait() { q.until(func() bool { return q.waiting.Len() <= enough }) }

func (q *queue) until(isReady func() bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for !isReady() {
		q.changed.Wait()
	}
}

// isDone reports whether all is written. The caller holds q.mu.
func (q *queue) isDone() bool { return q.waiting.Len() == 0 && !q.writing }

func (q *queue) isEmpty() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.isDone()
}

// drained returns a channel that is closed once all is written.
func (q *queue) drained() <-chan struct{} {
	all := make(chan struct{})
	go func() {
		q.until(q.isDone)
		close(all)
	}()
	return all
}

// run writes.
func (q *queue) run() {
	q.mu.Lock()
	for {
		for q.waiting.Len() == 0 {
			q.changed.Wait()
		}
		lines := q.waiting.Bytes()
		q.waiting = bytes.Buffer{}
		q.writing = true
		q.changed.Broadcast()
		q.mu.Unlock()
		_, err := q.w.Write(lines)
		q.mu.Lock()
		q.writing = false
		q.lost = q.lost || err != nil
		if q.lost {
			q.waiting.Reset()
		}
		q.changed.Broadcast()
	}
}

// Notes are what a person is told, on standard error. A client that doesn't read them holds nothing up: what doesn't fit is left out and
// counted.
type notes struct {
	*queue
	dropped int
}

// maxNotes is how many bytes may wait to be read.
const maxNotes = 1 << 20

func newNotes(w io.Writer) *notes {
	n := &notes{queue: newQueue(w)}
	go n.run()
	return n
}

// Write takes what the server prints on standard error.
func (n *notes) Write(b []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.waiting.Len()+len(b) > maxNotes {
		n.dropped++
		return len(b), nil
	}
	n.count()
	n.waiting.Write(b)
	n.changed.Broadcast()
	return len(b), nil
}

// count notes how many notes were left out. The caller holds n.mu.
func (n *notes) count() {
	if n.dropped > 0 {
		fmt.Fprintf(&n.waiting, "pinproof: %s left out here, because nobody read them\n", text.Count(n.dropped, "note"))
		n.dropped = 0
	}
}

func (n *notes) say(line string) { n.Write([]byte(line + "\n")) }

// settle waits a moment until all is written.
func (n *notes) settle() {
	n.mu.Lock()
	n.count()
	n.changed.Broadcast()
	n.mu.Unlock()
	select {
	case <-n.drained():
	case <-time.After(mcp.Grace):
	}
}
