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

// Grace is how long a server has to leave by itself once its input is closed, and again once it is told to.
// That is enough for a server that shuts a browser down, and short enough for the time limit of a hook.
const Grace = time.Second

// A process is a stdio server that runs, with its group.
type process struct {
	io.WriteCloser // its input
	cmd            *exec.Cmd
	group          group // proc_unix.go, proc_windows.go
	rec            *record
	out            *io.PipeReader

	// Closed when the server itself has ended, and its output.
	ended chan struct{}

	once sync.Once // Stop
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
	cmd.WaitDelay = Grace
	// Clients look for the program on the PATH that the server gets.
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
		p.group, err = startGroup(cmd)
	}
	if err != nil {
		return nil, fail.Path(s.Argv[0]+" does not start", err)
	}
	go func() {
		cmd.Wait() // its code is read from ProcessState
		theirs.Close()
		close(p.ended)
	}()
	return p, nil
}

// Lines passes on what the server prints, line by line, until it ends.
func (p *process) Lines(take func(Received) error) error {
	return readLines(p.out, p.rec, func(line []byte, asked int64) error { return take(Received{Line: line, asked: asked}) })
}

// Stop ends the server and its group. It closes the server's input, then tells the group to end,
// then kills it, a second apart.
func (p *process) Stop() {
	// Only once: the group's number may be that of another group later.
	p.once.Do(func() {
		p.Close()
		go io.Copy(io.Discard, p.out) // nobody may be reading any more
		if !p.gone() {
			p.group.send(syscall.SIGTERM)
			p.gone()
		}
		p.group.send(syscall.SIGKILL)
		p.group.release()
		<-p.ended
		p.out.Close()
	})
}

// isPath reports whether a variable is PATH, where programs are looked for. On Windows, its letter
// case doesn't matter.
func isPath(name, system string) bool {
	return name == "PATH" || system == "windows" && strings.EqualFold(name, "PATH")
}

// batchLine returns the command line of cmd for a batch file, such as npx.cmd. It puts every word in double
// quotes, and refuses the characters that aren't plain even there. It returns "" for any other program, which
// takes its words as they are. Go's own quoting is for programs: with it, cmd would run what follows an &.
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

// ExitCode returns the exit code of a server that has ended, as a shell does: 128 plus the signal's
// number if a signal ended it.
func (p *process) ExitCode() int { return exitCode(p.cmd.ProcessState) }

// reason returns how the server ended. It gives a server that has just closed its output a moment to end.
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

// A tail keeps the end of what a server prints on standard error.
type tail []byte

// maxTail is how many bytes are kept: a program prints at the end why it stops, and a person reads a screenful.
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
	return text.Lines(strings.ReplaceAll(said, "\r\n", "\n"), false)
}
