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

// A queue writes to one side of a session, in the order in which lines were put. Only its own goroutine waits for that side.
type queue struct {
	w    io.Writer
	most int // how many bytes may be left to write: more end the session

	mu      sync.Mutex
	changed sync.Cond
	waiting []byte
	left    int  // bytes that aren't written yet
	lost    bool // the side takes no more
}

const (
	// Below enough, the other side is read on.
	enough = 1 << 20

	// How many bytes may wait for a person to read them.
	maxNotes = 1 << 20
)

func newQueue(w io.Writer, most int) *queue {
	q := &queue{w: w, most: most}
	q.changed.L = &q.mu
	go q.run()
	return q
}

// put adds lines. It returns false if too much would be left.
func (q *queue) put(lines []byte) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.lost {
		return true // as without a guard
	}
	if q.left+len(lines) > q.most {
		return false
	}
	q.waiting = append(q.waiting, lines...)
	q.left += len(lines)
	q.changed.Broadcast()
	return true
}

// until waits until no more than a number of bytes is left to write.
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

// run writes.
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

// Notes are what a person is told, on standard error. A client that doesn't read them holds nothing up: what doesn't fit is left out and
// counted.
type notes struct {
	*queue
	dropped atomic.Int64
}

// Write takes what the server prints on standard error.
func (n *notes) Write(b []byte) (int, error) {
	if count := n.dropped.Swap(0); count > 0 && !n.put(fmt.Appendf(nil, "pinproof: %s left out here, because nobody read them\n", text.Count(int(count), "note"))) {
		n.dropped.Add(count)
	}
	if !n.put(b) {
		n.dropped.Add(1)
	}
	return len(b), nil
}

// settle waits a moment until all is written.
func (n *notes) settle() {
	n.Write(nil)
	select {
	case <-n.drained():
	case <-time.After(mcp.Grace):
	}
}

func (q *queue) isEmpty() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.left == 0
}
