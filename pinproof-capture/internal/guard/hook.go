package guard

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"pinproof/internal/atomicfile"
	"pinproof/internal/fail"
	"pinproof/internal/shell"
	"pinproof/internal/text"
	"pinproof/pinproof-capture/internal/mcp"
)

// Blocked is a no with its reason in words for a model: ours, the user's label and paths, and
// what pinproof verify --hook said, but nothing of the server's.
type Blocked struct{ words string }

func (b *Blocked) Error() string { return b.words }

func block(next, format string, args ...any) *Blocked {
	return &Blocked{fmt.Sprintf("pinproof: blocked: %s\nDo not use this server's tools. A person sees the reason with: %s\n",
		fmt.Sprintf(format, args...), next)}
}

// A Hooked server is one that an agent's hook checks.
type Hooked struct {
	Pins
	Server  mcp.Server
	Asked   mcp.Options
	Remedy  string // names the server in a command, for a person
	Save    string // the folder for its capture; "" is for none
	MaxAge  time.Duration
	project string // the folder of the lockfile
	lock    string // its name there
}

// Hook captures the server and has pinproof hold that against its pins. The server is started
// in the project's folder: agents run hooks wherever they happen to be. The error is Blocked.
func (h Hooked) Hook(ctx context.Context) (err error) {
	if h.project, h.lock, err = h.find(); err != nil {
		return block("pinproof-capture hook "+shell.Quote(h.Label)+" "+h.Remedy, "%s", fail.From(err).Text)
	}
	h.Server.Dir = h.project
	key := ""
	if h.MaxAge > 0 {
		if key, err = h.matchKey(); err != nil {
			return block("pinproof-capture --help", "the lockfile can't be read")
		}
		if matchedWithin(key, h.MaxAge) {
			return nil
		}
	}
	err = h.check(ctx)
	if err == nil && key != "" {
		if after, err := h.matchKey(); err == nil && after == key { // or the pins have changed meanwhile
			rememberMatch(key)
		}
	}
	return err
}

// check captures the server and has pinproof hold the capture against the pins. The
// capture is kept if the answer is no, so that a person can look at it, or where the user
// said.
func (h Hooked) check(ctx context.Context) error {
	pinproof, err := findPinproof()
	if err != nil {
		return block("pinproof --version", "%s", err)
	}
	c, err := h.Server.Capture(ctx, h.Asked)
	if err != nil {
		return block("pinproof-capture save "+shell.Quote(mcp.FileName(h.Label))+" "+h.Remedy, "the tools of server %s could not be listed", text.Printable(h.Label))
	}
	name := filepath.Join(h.Save, mcp.FileName(h.Label)) // as it is seen from the project
	if h.Save == "" {
		if name, err = newKept(h.Label); err != nil {
			return block("pinproof-capture --help", "there is no folder for the capture")
		}
	}
	file := mcp.Within(h.project, name)
	if err = os.MkdirAll(filepath.Dir(file), 0o755); err == nil {
		err = atomicfile.Write(file, c.Data)
	}
	if err != nil {
		return block("pinproof-capture --help", "the capture can't be written to %s", text.Printable(name))
	}
	err = h.verify(ctx, pinproof, name)
	switch {
	case h.Save != "":
	case err == nil:
		os.Remove(file)
	default:
		pruneKept()
	}
	return err
}

// verify runs pinproof verify --hook in the project's folder. Only its 0 is a yes.
func (h Hooked) verify(ctx context.Context, pinproof, file string) error {
	ctx, cancel := context.WithTimeout(ctx, verifyTimeout)
	defer cancel()
	args := []string{"verify", "--hook", "--server=" + h.Label}
	for _, s := range h.Substitutes {
		args = append(args, "--substitute="+s)
	}
	// The command for a person that pinproof prints must work where the person is.
	lock := h.lock
	if here, err := os.Getwd(); err != nil || here != h.project {
		lock, file = mcp.Within(h.project, lock), mcp.Within(h.project, file)
	}
	args = append(args, "--", file)
	if lock != shell.DefaultLockfile {
		args = append(args, lock)
	}
	var words bytes.Buffer
	cmd := exec.CommandContext(ctx, pinproof, args...)
	cmd.Dir = h.project
	cmd.Stderr = &words
	cmd.WaitDelay = mcp.Grace
	err := cmd.Run()
	switch {
	case err == nil:
		return nil
	case words.Len() == 0:
		return block("pinproof diff "+shell.Path(file), "pinproof gave no answer")
	}
	return &Blocked{words.String()}
}
