package mcp

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"pinproof/internal/fail"
	"pinproof/internal/text"
)

// Grace is how long a server has to leave by itself once its input is closed, and
// again once it is told to: enough for one that shuts a browser down, and the end
// still comes before the hook's own time is up.
const Grace = time.Second

// A Process is a stdio server that runs, with its group.
type Process struct {
	io.WriteCloser // its input
	cmd            *exec.Cmd
	group          group // proc_unix.go, proc_windows.go
	rec            *record
	out            *os.File
	ended          chan struct{} // closed when the server itself has ended

	once sync.Once // stop
}

// Launch starts a stdio server. What it says on standard error goes to stderr.
func Launch(src Server, stderr io.Writer) (*Process, error) {
	cmd := exec.Command(src.Argv[0], src.Argv[1:]...)
	cmd.Dir = src.Dir
	cmd.Env = append(os.Environ(), src.Env...)
	for _, variable := range src.Env { // clients look for the program on the PATH that it gets
		list, ok := strings.CutPrefix(variable, "PATH=")
		if !ok || filepath.Base(src.Argv[0]) != src.Argv[0] {
			continue
		}
		cmd.Err = exec.ErrNotFound
		for _, dir := range slices.Backward(filepath.SplitList(list)) {
			if path, err := exec.LookPath(filepath.Join(Within(src.Dir, dir), src.Argv[0])); err == nil {
				cmd.Path, cmd.Err = path, nil
			}
		}
	}
	cmd.WaitDelay = Grace // a child of its may hold standard error open
	p := &Process{cmd: cmd, rec: src.rec, ended: make(chan struct{})}
	cmd.Stderr = stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	// A pipe of our own: Wait would close the other kind before it is read out.
	out, theirs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.Stdout = theirs
	p.WriteCloser, p.out = in, out
	p.group, err = startGroup(cmd)
	theirs.Close()
	if err != nil {
		in.Close()
		out.Close()
		return nil, fail.New("%s does not start: %s", text.Printable(src.Argv[0]), startReason(err))
	}
	go func() {
		cmd.Wait() // its code is read from ProcessState
		close(p.ended)
		// What it left running may hold its output open, and answers no more.
		out.SetReadDeadline(time.Now().Add(Grace))
	}()
	return p, nil
}

// Lines hands on what the server says until its end. No answer comes before its request, so the
// requests count that were sent when a line began to come.
func (p *Process) Lines(take func(Said) error) error {
	in := &marked{Reader: p, rec: p.rec}
	var asked int64
	return ReadLines(in, func() { asked = in.asked }, func(line []byte) error { return take(Said{Line: line, asked: asked}) })
}

// Read reads what the server says. Once it has ended, that is what it left in the pipe.
func (p *Process) Read(b []byte) (int, error) {
	n, err := p.out.Read(b)
	if errors.Is(err, os.ErrDeadlineExceeded) { // time may have passed elsewhere, with something left
		p.out.SetReadDeadline(time.Now().Add(Grace / 4))
		if n, err = p.out.Read(b); errors.Is(err, os.ErrDeadlineExceeded) {
			err = io.EOF
		}
	}
	return n, err
}

// A ServerError is an error about a server, with the end of what it said on standard
// error, printable.
type ServerError struct {
	err  *fail.Error
	Said []string
}

func (e *ServerError) Error() string { return e.err.Error() }
func (e *ServerError) Unwrap() error { return e.err }

func startReason(err error) string {
	if errors.Is(err, exec.ErrNotFound) {
		return "there is no such program on the path"
	}
	if path, ok := errors.AsType[*os.PathError](err); ok {
		err = path.Err
	}
	return text.Printable(err.Error())
}

// Stop ends the server and its group: by closing its input, by telling the group to
// end, by killing it, a second apart.
func (p *Process) Stop() {
	p.once.Do(func() { // later the group's number may be another's
		p.Close()
		if !p.gone() {
			p.group.terminate()
			p.gone()
		}
		p.group.kill()
		<-p.ended
		p.out.Close()
	})
}

// gone waits until the server and its group have left, for a second at most.
func (p *Process) gone() bool {
	for end := time.Now().Add(Grace); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		select {
		case <-p.ended:
			if !p.group.alive() {
				return true
			}
		default:
		}
	}
	return false
}

// Signal passes on a signal that we got.
func (p *Process) Signal(s os.Signal) { p.group.signal(s) }

// ExitCode is that of a server that has ended: as a shell has it, 128 and the signal's number
// after a signal.
func (p *Process) ExitCode() int { return exitCode(p.cmd.ProcessState) }

// reason says how the server ended, or nil if it still runs. One that has just
// closed its output is given a moment to end.
func (p *Process) reason(err error) *fail.Error {
	select {
	case <-p.ended:
	case <-time.After(Grace / 2):
		if errors.Is(err, io.EOF) {
			return fail.New("the server closed its output before it answered")
		}
		return nil
	}
	if code := p.cmd.ProcessState.ExitCode(); code >= 0 {
		return fail.New("the server ended with code %d before it answered", code)
	}
	return fail.New("the server was ended by a signal before it answered")
}

// tail is a writer that keeps the end of what a server says on standard error.
type tail struct {
	buf []byte
	cut bool
}

// maxTail is what is kept: the end is where a program says why it stops, and a
// screenful is what a person reads.
const maxTail = 4 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.buf = append(t.buf, p...)
	if over := len(t.buf) - maxTail; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
		t.cut = true
	}
	return len(p), nil
}

// lines returns the kept text, printable, without blank lines at its end.
func (t *tail) lines() []string {
	said := strings.TrimRight(string(t.buf), "\r\n \t")
	if said == "" {
		return nil
	}
	if t.cut {
		if _, rest, ok := strings.Cut(said, "\n"); ok {
			said = rest // the first line may have lost its begin
		}
	}
	var lines []string
	for line := range strings.SplitSeq(said, "\n") {
		lines = append(lines, text.Printable(strings.TrimRight(line, "\r")))
	}
	return lines
}
