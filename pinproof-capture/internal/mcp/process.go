package mcp

import (
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

// ExitGrace is how long a server gets to exit after its stdin is closed, and again after a termination signal. That is
// enough to shut down a browser, and short enough for a hook's time limit.
const ExitGrace = time.Second

// A process is a running stdio server and its process group.
type process struct {
	io.WriteCloser // its input
	cmd            *exec.Cmd
	group          group // proc_unix.go, proc_windows.go
	rec            *record
	out            *io.PipeReader

	// Closed when the server has exited and its output is closed.
	ended chan struct{}

	once sync.Once // so that Stop acts only once
}

// launch starts a stdio server. What the server prints on standard error goes to stderr.
func launch(s Server, stderr io.Writer) (*process, error) {
	cmd := exec.Command(s.Argv[0], s.Argv[1:]...)
	cmd.Dir = s.Dir
	cmd.Env = append(os.Environ(), s.Env...)
	cmd.Stderr = stderr
	out, theirs := io.Pipe()
	cmd.Stdout = theirs
	// Processes that the server left running may keep its output open, but no longer answer.
	cmd.WaitDelay = ExitGrace
	// Clients look up the program in the PATH of the server's own environment.
	for _, variable := range s.Env {
		name, list, _ := strings.Cut(variable, "=")
		if isPath(name, runtime.GOOS) && filepath.Base(s.Argv[0]) == s.Argv[0] {
			cmd.Err = exec.ErrNotFound
			for _, dir := range slices.Backward(filepath.SplitList(list)) {
				if path, err := exec.LookPath(filepath.Join(ResolveIn(s.Dir, dir), s.Argv[0])); err == nil {
					cmd.Path = path
					cmd.Err = nil
				}
			}
		}
	}
	in, err := cmd.StdinPipe()
	p := &process{WriteCloser: in, cmd: cmd, rec: s.rec, out: out, ended: make(chan struct{})}
	if err == nil {
		p.group, err = startGroup(cmd, s.Permit)
	}
	if err != nil {
		return nil, fail.PathError(s.Argv[0]+" does not start", err)
	}
	go func() {
		cmd.Wait() // the exit code is read from ProcessState
		theirs.Close()
		close(p.ended)
	}()
	return p, nil
}

// Lines passes on what the server prints, line by line, until it ends.
func (p *process) Lines(take func(Received) error) error {
	return readLines(p.out, p.rec, take)
}

// Stop ends the server and its group: it closes the server's input, sends SIGTERM after ExitGrace, and SIGKILL after
// another ExitGrace.
func (p *process) Stop() {
	// Only once, because the group's ID may be reused.
	p.once.Do(func() {
		p.Close()
		go io.Copy(io.Discard, p.out) // otherwise the server could block on its output
		if !p.gone() {
			p.group.send(syscall.SIGTERM)
			p.gone()
		}
		p.group.kill()
		<-p.ended
		p.out.Close()
	})
}

// isPath reports whether a variable is PATH, ignoring case on Windows.
func isPath(name, system string) bool {
	return name == "PATH" || system == "windows" && strings.EqualFold(name, "PATH")
}

// batchLine returns the command line with which cmd runs a batch file such as npx.cmd, or "" for any other program.
// It quotes every word, and rejects characters that cmd interprets even in quotes. Go's own quoting isn't for cmd,
// which would run whatever follows an &.
func batchLine(path string, args []string) (string, error) {
	ending := strings.ToLower(filepath.Ext(path))
	if ending != ".cmd" && ending != ".bat" {
		return "", nil
	}
	words := append([]string{path}, args[1:]...)
	for i, word := range words {
		if strings.ContainsAny(word, "%!\"\r\n\x00") {
			return "", fail.New("cmd, which starts %[2]s, would read another word than %[1]s", text.QuoteName(word), text.QuoteName(filepath.Base(path))).
				Hint("start the program itself in place of the .cmd file, such as node PATH")
		}
		backslashes := len(word) - len(strings.TrimRight(word, `\`))
		words[i] = `"` + word + strings.Repeat(`\`, backslashes) + `"`
	}
	return `cmd.exe /d /v:off /s /c "` + strings.Join(words, " ") + `"`, nil
}

// gone waits at most ExitGrace for the server and its group to exit. It returns whether they have.
func (p *process) gone() bool {
	for end := time.Now().Add(ExitGrace); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
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

// Signal sends s to the server's group.
func (p *process) Signal(s os.Signal) { p.group.send(s.(syscall.Signal)) }

// ExitCode returns the exit code of a server that has ended, as a shell does: 128 plus the signal's
// number if a signal ended it.
func (p *process) ExitCode() int {
	if status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return p.cmd.ProcessState.ExitCode()
}

// reason returns how the server ended. It gives a server that has just closed its output a moment to end.
func (p *process) reason() *fail.Error {
	select {
	case <-p.ended:
	case <-time.After(ExitGrace / 2):
		return fail.New("the server closed its input or output before it answered")
	}
	if code := p.cmd.ProcessState.ExitCode(); code >= 0 {
		return fail.New("the server ended with code %d before it answered", code)
	}
	return fail.New("the server was ended by a signal before it answered")
}

// A tail keeps the end of what a server prints on standard error.
type tail []byte

// maxTail is the number of bytes kept: about a screenful, because a program prints the reason for its end last.
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
		said = rest // the first line may have lost its beginning
	}
	if said == "" {
		return nil
	}
	return text.PrintableLines(strings.ReplaceAll(said, "\r\n", "\n"), false)
}
