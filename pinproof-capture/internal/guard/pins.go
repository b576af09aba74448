// Package guard compares a server with its pins: through a whole session, between a client and
// the server, or once, for an agent's hook. What is approved it leaves to pinproof verify.
package guard

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"pinproof/internal/fail"
	"pinproof/internal/shell"
	"pinproof/internal/text"
	"pinproof/internal/workspace"
	"pinproof/pinproof-capture/internal/mcp"
)

// Pins says which pins a server is held against.
type Pins struct {
	Label       string
	Lockfile    string   // "" is for the nearest
	Substitutes []string // NAME=VALUE, as pinproof takes them
}

// find returns the path of the lockfile: the one that is named, else the nearest from the
// project's folder on, as pinproof looks for it.
func (p Pins) find() (path string, err error) {
	begin, err := filepath.Abs(cmp.Or(os.Getenv("CLAUDE_PROJECT_DIR"), os.Getenv("GEMINI_PROJECT_DIR")))
	path = workspace.NearestLockfile(begin)
	if p.Lockfile != "" {
		path, err = filepath.Abs(p.Lockfile)
	}
	if err != nil {
		return "", fail.From(err)
	}
	switch _, err := os.Lstat(path); {
	case !errors.Is(err, fs.ErrNotExist):
		return path, nil
	case p.Lockfile != "":
		return "", fail.New("there is no lockfile %s", text.Printable(p.Lockfile))
	}
	return "", p.unapproved(fail.New("there is no %s in %s or above it in its repository", filepath.Base(path), text.Printable(begin)))
}

// unapproved says how a server is approved that isn't yet.
func (p Pins) unapproved(f *fail.Error) error {
	return f.Hint("approve the server first: pinproof-capture save %s -- COMMAND, then pinproof lock", shell.Quote(mcp.FileName(p.Label)))
}

// verifyTimeout bounds pinproof, which needs milliseconds, so that nothing can hold
// a hook up until its agent gives up and lets the call pass.
const verifyTimeout = 10 * time.Second

// verify runs pinproof verify and returns its exit code.
func (p Pins) verify(mode string, stdin io.Reader, stdout, stderr io.Writer, args ...string) (code int, err error) {
	program, err := findPinproof()
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), verifyTimeout)
	defer cancel()
	flags := []string{"verify", mode, "--server=" + p.Label}
	for _, s := range p.Substitutes {
		flags = append(flags, "--substitute="+s)
	}
	cmd := exec.CommandContext(ctx, program, append(flags, args...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = stdin, stdout, stderr, mcp.Grace
	if err = cmd.Run(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() < 0 {
		return 0, fail.New("pinproof gave no answer: %s", text.Printable(err.Error()))
	}
	return cmd.ProcessState.ExitCode(), nil
}

// findPinproof prefers the pinproof that lies beside this program: the two come
// together, and the path is easier to change.
func findPinproof() (string, error) {
	self, _ := os.Executable()
	path, err := exec.LookPath(filepath.Join(filepath.Dir(self), "pinproof"))
	if self == "" || err != nil {
		path, err = exec.LookPath("pinproof")
	}
	if err != nil {
		return "", fail.New("pinproof is neither beside pinproof-capture nor on the path")
	}
	return path, nil
}
