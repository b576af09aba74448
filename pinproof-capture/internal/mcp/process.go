package mcp

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"pinproof/internal/fail"
	"pinproof/internal/text"
)

// Grace is how long a server has to leave by itself once its input is closed, and
// again once it is told to: enough for one that shuts a browser down, and the end
// still comes before the hook's own time is up.
const Grace = time.Second

// A process is a stdio server that runs, with its group.
type process struct {
	io.WriteCloser // its input
	cmd            *exec.Cmd
	group          group // proc_unix.go, proc_windows.go
	rec            *record
	out            *os.File

	// Closed when the server itself has ended.
	ended chan struct{}

	once    sync.Once  // Stop
	mu      sync.Mutex // what follows
	stopped bool       // the group was ended by Stop
}

// launch starts a stdio server. What it says on standard error goes to stderr.
func launch(s Server, stderr io.Writer) (*process, error) {
	cmd := exec.Command(s.Argv[0], s.Argv[1:]...)
	cmd.Dir = s.Dir
	cmd.Env = append(os.Environ(), s.Env...)
	cmd.Stderr = stderr
	// A child of its may hold standard error open.
	cmd.WaitDelay = Grace
	// Clients look for the program on the PATH that it gets.
	for _, variable := range s.Env {
		name, list, _ := strings.Cut(variable, "=")
		if isPath(name, runtime.GOOS) && filepath.Base(s.Argv[0]) == s.Argv[0] {
			cmd.Err = exec.ErrNotFound
			for _, dir := range slices.Backward(filepath.SplitList(list)) {
				if path, err := exec.LookPath(filepath.Join(Within(s.Dir, dir), s.Argv[0])); err == nil {
					cmd.Path = path
					cmd.Err = nil
				}
			}
		}
	}
	// A pipe of our own: Wait would close the other kind before it is read out.
	out, theirs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	in, err := cmd.StdinPipe()
	cmd.Stdout = theirs
	p := &process{WriteCloser: in, cmd: cmd, rec: s.rec, out: out, ended: make(chan struct{})}
	if err == nil {
		p.group, err = startGroup(cmd)
	}
	theirs.Close()
	if err != nil {
		out.Close()
		return nil, fail.Path(s.Argv[0]+" does not start", err)
	}
	go func() {
		cmd.Wait() // its code is read from ProcessState
		close(p.ended)
		// What it left running may hold its output open, and answers no more. Where no deadline ends the
		// reading, as of a pipe on Windows, the end of those processes does.
		if out.SetReadDeadline(time.Now().Add(Grace)) != nil {
			time.Sleep(Grace)
			p.endGroup()
		}
	}()
	return p, nil
}

// Lines returns what the server prints, line by line, until it ends.
func (p *process) Lines(take func(Said) error) error {
	return readLines(p, p.rec, func(line []byte, asked int64) error { return take(Said{Line: line, asked: asked}) })
}

// Read reads what the server says. Once it has ended, that is what it left in the pipe.
func (p *process) Read(b []byte) (int, error) {
	n, err := p.out.Read(b)
	// Time may have passed elsewhere, with something left.
	if errors.Is(err, os.ErrDeadlineExceeded) {
		p.out.SetReadDeadline(time.Now().Add(Grace / 4))
		if n, err = p.out.Read(b); errors.Is(err, os.ErrDeadlineExceeded) {
			err = io.EOF
		}
	}
	return n, err
}

// Stop ends the server and its group: by closing its input, by telling the group to
// end, by killing it, a second apart.
func (p *process) Stop() {
	// Later the group's number may be another's.
	p.once.Do(func() {
		p.Close()
		if !p.gone() {
			p.group.send(syscall.SIGTERM)
			p.gone()
		}
		p.mu.Lock()
		p.group.send(syscall.SIGKILL)
		p.stopped = true
		p.mu.Unlock()
		<-p.ended
		p.out.Close()
	})
}

// endGroup ends what a server left running, unless Stop has done so: what names the group may mean
// another one by then.
func (p *process) endGroup() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.stopped {
		p.group.end()
	}
}

// isPath reports whether a variable is the path that programs are looked for on: on Windows however it is
// spelled.
func isPath(name, system string) bool {
	return name == "PATH" || system == "windows" && strings.EqualFold(name, "PATH")
}

// batchLine is the command line of cmd for a batch file, such as npx.cmd: every word in double quotes,
// in which all characters are plain but those that are refused. It is "" for any other program, which
// takes its words as they are. Go's own quoting is for programs: cmd would run what follows an &.
func batchLine(path string, args []string) (string, error) {
	ending := strings.ToLower(filepath.Ext(path))
	if ending != ".cmd" && ending != ".bat" {
		return "", nil
	}
	words := []string{path}
	words = append(words, args[1:]...)
	for i, word := range words {
		if strings.ContainsAny(word, "%!\"\r\n\x00") {
			return "", fail.New("cmd, which starts %[2]s, would read another word than %[1]s", text.Name(word), text.Name(filepath.Base(path))).
				Hint("start the program itself in place of the .cmd file, such as node PATH")
		}
		backslashes := len(word) - len(strings.TrimRight(word, `\`))
		words[i] = `"` + word + strings.Repeat(`\`, backslashes) + `"`
	}
	return `cmd.exe /d /v:off /s /c "` + strings.Join(words, " ") + `"`, nil
}

// gone waits until the server and its group have left, for a second at most.
func (p *process) gone() bool {
	for end := time.Now().Add(Grace); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		select {
		case <-p.ended:
			if p.group.send(0) != nil {
				return true
			}
		default:
		}
	}
	return false
}

// Signal passes on a signal that we got.
func (p *process) Signal(s os.Signal) { p.group.send(s.(syscall.Signal)) }

// ExitCode is that of a server that has ended: as a shell has it, 128 and the signal's number
// after a signal.
func (p *process) ExitCode() int { return exitCode(p.cmd.ProcessState) }

// reason says how the server ended. One that has just closed its output is given a moment to end.
func (p *process) reason() *fail.Error {
	select {
	case <-p.ended:
	case <-time.After(Grace / 2):
		return fail.New("the server closed its input or output before it answered")
	}
	if code := p.cmd.ProcessState.ExitCode(); code >= 0 {
		return fail.New("the server ended with code %d before it answered", code)
	}
	return fail.New("the server was ended by a signal before it answered")
}

// A tail keeps the end of what a server says on standard error.
type tail []byte

// maxTail is what is kept: the end is where a program says why it stops, and a
// screenful is what a person reads.
const maxTail = 4 << 10

func (t *tail) Write(p []byte) (int, error) {
	*t = append(*t, p...)
	*t = (*t)[max(len(*t)-maxTail, 0):]
	return len(p), nil
}

// lines returns the kept text, printable, without blank lines at its end.
func (t tail) lines() []string {
	said := strings.TrimRight(string(t), "\r\n \t")
	if _, rest, ok := strings.Cut(said, "\n"); ok && len(t) == maxTail {
		said = rest // the first line may have lost its begin
	}
	if said == "" {
		return nil
	}
	return text.Lines(strings.ReplaceAll(said, "\r\n", "\n"), false)
}
