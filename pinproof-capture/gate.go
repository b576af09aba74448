package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"pinproof/internal/atomicfile"
	"pinproof/internal/fail"
	"pinproof/internal/text"
)

// verifyTimeout bounds pinproof, which needs milliseconds, so that nothing can hold
// a hook up until its agent gives up and lets the call pass.
const verifyTimeout = 10 * time.Second

// A blocked error is a no with its reason in words for a model: ours, the user's
// label and paths, and what pinproof verify --hook said, but nothing of the server's.
type blocked struct {
	words string
	cause error // for a person, where there is one: it may quote the server
}

func (b *blocked) Error() string { return b.words }

func block(cause error, next, format string, args ...any) *blocked {
	if _, ok := errors.AsType[*fail.Error](cause); !ok {
		cause = nil
	}
	return &blocked{fmt.Sprintf("pinproof: blocked: %s\nDo not use this server's tools. A person sees the reason with: %s\n",
		fmt.Sprintf(format, args...), next), cause}
}

// guardOnce captures the server, has pinproof hold it against its pins, and becomes it
// only then. It returns the server's exit code where a program can't become another.
func guardOnce(ctx context.Context, o *options, stderr io.Writer) (int, error) {
	project, lock, err := findLock(o.lock)
	if err != nil {
		return 2, err
	}
	path, err := exec.LookPath(o.command[0])
	if err != nil {
		return 2, fail.New("%s does not start: %s", text.Printable(o.command[0]), startReason(err))
	}
	if err := gate(ctx, o, source{argv: o.command}, project, lock); err != nil {
		return 2, err
	}
	fmt.Fprintf(stderr, "pinproof: server %s matched once; what it says in this session is not checked\n", text.Printable(o.label()))
	return become(path, o.command)
}

// hook is what an agent's hook runs. The server is started in the project's folder:
// agents run hooks wherever they happen to be.
func hook(ctx context.Context, o *options) error {
	project, lock, err := findLock(o.lock)
	if err != nil {
		return block(err, "pinproof-capture --hook "+o.hook+" "+o.remedy(), "%s", err)
	}
	src, err := o.source()
	if err != nil {
		return block(err, "pinproof-capture --help", "%s", err)
	}
	src.dir = project
	key, err := "", error(nil)
	if o.maxAge > 0 {
		if key, err = matchKey(o, src, project, lock); err != nil {
			return block(err, "pinproof-capture --help", "the lockfile can't be read")
		}
		if matchedWithin(key, o.maxAge) {
			return nil
		}
	}
	err = gate(ctx, o, src, project, lock)
	if err == nil && key != "" {
		if after, err := matchKey(o, src, project, lock); err == nil && after == key { // or the pins have changed meanwhile
			rememberMatch(key)
		}
	}
	return err
}

// gate captures the server and has pinproof hold the capture against the pins. The
// capture is kept if the answer is no, so that a person can look at it, or where the user
// said.
func gate(ctx context.Context, o *options, src source, project, lock string) error {
	pinproof, err := findPinproof()
	if err != nil {
		return block(err, "pinproof --version", "%s", err)
	}
	c, err := src.run(ctx, o)
	if err != nil {
		return block(err, "pinproof-capture "+fileName(o.label())+" "+o.remedy(), "the tools of server %s could not be listed", text.Printable(o.label()))
	}
	name := filepath.Join(o.save, fileName(o.label())) // as it is seen from the project
	if o.save == "" {
		if name, err = newRefused(o.label()); err != nil {
			return block(err, "pinproof-capture --help", "there is no folder for the capture")
		}
	}
	file := within(project, name)
	if err = os.MkdirAll(filepath.Dir(file), 0o755); err == nil {
		err = atomicfile.Write(file, c.data)
	}
	if err != nil {
		return block(err, "pinproof-capture --help", "the capture can't be written to %s", text.Printable(name))
	}
	err = verify(ctx, o, pinproof, project, lock, name)
	switch {
	case o.save != "":
	case err == nil:
		os.Remove(file)
	default:
		pruneRefused()
	}
	return err
}

// within is a path as it is meant in a folder.
func within(folder, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(folder, path)
}

// verify runs pinproof verify --hook in the project's folder. Only its 0 is a yes.
func verify(ctx context.Context, o *options, pinproof, project, lock, file string) error {
	ctx, cancel := context.WithTimeout(ctx, verifyTimeout)
	defer cancel()
	args := []string{"verify", "--hook", "--server=" + o.label()}
	for _, s := range o.substitutes {
		args = append(args, "--substitute="+s)
	}
	// The command for a person that pinproof prints must work where the person is.
	if here, err := os.Getwd(); err != nil || here != project {
		lock, file = within(project, lock), within(project, file)
	}
	args = append(args, "--", file)
	if lock != lockName {
		args = append(args, lock)
	}
	var words bytes.Buffer
	cmd := exec.CommandContext(ctx, pinproof, args...)
	cmd.Dir = project
	cmd.Stderr = &words
	cmd.WaitDelay = grace
	err := cmd.Run()
	switch {
	case err == nil:
		return nil
	case words.Len() == 0:
		return block(err, "pinproof diff "+text.Printable(file), "pinproof gave no answer")
	}
	return &blocked{words: words.String()}
}

// findPinproof prefers the pinproof that lies beside this program: the two come
// together, and the path is easier to change.
func findPinproof() (string, error) {
	if self, err := os.Executable(); err == nil {
		if path, err := exec.LookPath(filepath.Join(filepath.Dir(self), "pinproof")); err == nil {
			return path, nil
		}
	}
	path, err := exec.LookPath("pinproof")
	if err != nil {
		return "", fail.New("pinproof is neither beside pinproof-capture nor on the path")
	}
	return path, nil
}

const lockName = "tools.lock"

// findLock returns the folder and name of the lockfile: the one that is named, else
// the nearest tools.lock from the project's folder up to the repository's root. It
// looks no higher, nor above the folder of a project in no repository: what lies
// there anyone may have put there.
func findLock(named string) (project, lock string, err error) {
	if named != "" {
		path, err := filepath.Abs(named)
		if err != nil {
			return "", "", fail.From(err)
		}
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			return "", "", fail.New("there is no lockfile %s", text.Printable(named))
		}
		return filepath.Dir(path), filepath.Base(path), nil
	}
	begin, err := filepath.Abs(cmp.Or(os.Getenv("CLAUDE_PROJECT_DIR"), os.Getenv("GEMINI_PROJECT_DIR")))
	if err != nil {
		return "", "", fail.From(err)
	}
	for folder := begin; ; folder = filepath.Dir(folder) {
		if info, err := os.Stat(filepath.Join(folder, lockName)); project == "" && err == nil && info.Mode().IsRegular() {
			project = folder
		}
		_, err := os.Stat(filepath.Join(folder, ".git"))
		switch {
		case project == begin || project != "" && err == nil:
			return project, lockName, nil
		case err == nil || folder == filepath.Dir(folder):
			return "", "", fail.New("there is no %s in %s or above it in its repository", lockName, text.Printable(begin))
		}
	}
}

// drain takes the agent's event from standard input: one that nobody reads can count
// as a failed hook, and that as yes. The function it returns waits until all
// is taken, for a second at most: a terminal has no end.
func drain(r io.Reader) func() {
	taken := make(chan struct{})
	go func() {
		io.Copy(io.Discard, r)
		close(taken)
	}()
	return func() {
		select {
		case <-taken:
		case <-time.After(time.Second):
		}
	}
}
