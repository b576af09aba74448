// Package guard compares a server with its pins: throughout a session, between client and server, or once, for an
// agent's hook. pinproof verify decides what is approved.
package guard

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/shell"
	"pinproof/internal/text"
	"pinproof/internal/workspace"
	"pinproof/pinproof-capture/internal/mcp"
)

// A judge compares parts of a session with the pins of one server. It decides nothing itself: it
// runs pinproof verify --part.
type judge struct {
	PinSource
	lock   string
	values []pin.Substitution

	// Judges a part of a session: runPart, unless a test replaces it.
	part func(messages []byte) (*verdict, error)

	// The function that begin returned for the next part, if pinproof was started in advance.
	ahead chan func(messages []byte) (*verdict, error)

	// The flags that the judge passes to pinproof verify --part.
	flags []string

	// The lockfile's state when it was last read; nil if it couldn't be read.
	at os.FileInfo
}

// A verdict is pinproof's result for one part of a session.
type verdict struct {
	matches bool
	drifted map[pin.Key]drift
	matched map[pin.Key]entryPin // with the approval's hash
	summary string               // printable; it may quote the server
}

// A drift describes an entry that differs from its pin: the kind of drift, the entry's digest, and a warning for a
// person.
type drift struct{ kind, digest, warning string }

// newJudge finds the lockfile and pinproof.
func newJudge(o Options) (j *judge, err error) {
	j = &judge{PinSource: o.PinSource, ahead: make(chan func([]byte) (*verdict, error), 1), flags: []string{"--format=json", "--allow=denied"}}
	// The log records the hashes of approvals, which --terse leaves out.
	if o.Log == "" {
		j.flags = append(j.flags, "--terse")
	}
	j.part = j.runPart
	if j.lock, err = o.find(); err != nil {
		return nil, err
	}
	if j.values, err = pin.ParseSubstitutions(o.Substitutes); err != nil {
		return nil, fail.New("--substitute %s", err)
	}
	_, err = FindPinproof()
	return j, err
}

// readPins reads the pins if the lockfile has changed since the last read, or if that read failed. It doesn't
// validate them, because pinproof does so with each verdict, and no entry passes without a verdict.
func (j *judge) readPins() (pins serverPins, isChanged bool, err error) {
	at, err := os.Stat(j.lock)
	if err == nil && j.at != nil && os.SameFile(at, j.at) && at.Size() == j.at.Size() && at.ModTime().Equal(j.at.ModTime()) {
		return pins, false, nil
	}
	j.at = nil
	servers, err := ReadServers(j.lock)
	if err != nil {
		return pins, true, err
	}
	if !servers.Has(j.ServerID) {
		return pins, true, j.unapproved(fail.New("%s has no server %s", text.Printable(j.lock), text.QuoteName(j.ServerID)))
	}
	j.at = at
	return readApproved(servers.Get(j.ServerID), j.values), true, nil
}

// ReadServers returns the servers in a lockfile by their IDs, without the definitions. It validates only the JSON.
func ReadServers(lock string) (servers jsontree.Value, err error) {
	data, err := os.ReadFile(lock)
	if err != nil {
		return servers, fail.PathError(lock, err)
	}
	in := jsontree.NewReader(bytes.TrimPrefix(data, []byte("\ufeff")))
	in.IsDefinition = func(path []jsontree.Step) bool { return len(path) == 5 && path[4].Name == "definition" }
	in.SkipKnown = func(_ []jsontree.Step, text []byte) int { return jsontree.ValueEnd(text) }
	in.OnDefinition = func([]jsontree.Step, jsontree.Value, []byte) {}
	root, err := in.ReadSingle()
	if err != nil {
		return servers, fail.NewAt(lock, "%s", err)
	}
	return root.Get("servers"), nil
}

// begin starts pinproof verify --part, which waits for its input. judge sends it the input and returns its verdict.
// pinproof reads the lockfile only then, and ends if this program does. The error is the reason why there is no
// verdict; it may quote the server.
func (j *judge) begin() (judge func(messages []byte) (*verdict, error)) {
	ctx, cancel := context.WithCancel(context.Background())
	in, ours, err := os.Pipe()
	var out bytes.Buffer
	var code int
	done := make(chan struct{})
	go func() {
		if err == nil {
			code, err = j.verify(ctx, "--part", in, &out, nil, slices.Concat(j.flags, []string{"--", "-", j.lock})...)
			in.Close()
		}
		close(done)
	}()
	return func(messages []byte) (*verdict, error) {
		defer time.AfterFunc(verifyTimeout, cancel).Stop()
		// An error of Write means that pinproof has ended.
		ours.Write(messages)
		ours.Close()
		<-done
		if err != nil {
			return nil, err
		}
		return readVerdict(out.Bytes(), code)
	}
}

// prepare starts pinproof for the next part in advance, unless one is already waiting, because its start takes as long
// as the judgement.
func (j *judge) prepare() {
	if len(j.ahead) == 0 {
		j.ahead <- j.begin()
	}
}

// runPart judges a part of a session.
func (j *judge) runPart(messages []byte) (*verdict, error) {
	select {
	case judge := <-j.ahead:
		// If the waiting process of pinproof was killed, start another one.
		if v, err := judge(messages); err == nil {
			return v, nil
		}
	default:
	}
	return j.begin()(messages)
}

// readVerdict parses the output of pinproof verify --part. It rejects output that contradicts itself or the exit
// code, because a different program may have been found as pinproof.
func readVerdict(answer []byte, code int) (*verdict, error) {
	var said struct {
		SchemaVersion, ExitCode int
		Summary                 string
		Drift                   []struct {
			List, Name, Kind string
			Findings         []struct{ ID, Level string }
			Now              struct{ Digest string }
		}
		Entries []struct {
			List, Name, Status, Digest, ApprovalHash string
			Denied                                   bool
		}
		Error struct{ Message string }
	}
	none := fail.New("pinproof gave no answer").Hint("pinproof --version")
	if err := json.Unmarshal(answer, &said); err != nil || said.SchemaVersion != 1 || said.ExitCode != code || code > 2 {
		return nil, none
	}
	if code == 2 {
		return nil, fail.New("%s", said.Error.Message)
	}
	v := &verdict{matches: code == 0, drifted: map[pin.Key]drift{}, matched: map[pin.Key]entryPin{}, summary: said.Summary}
	for _, d := range said.Drift {
		entryType, ok := typeOf(d.List, memberOf)
		key := pin.Key{Type: entryType, Name: d.Name}
		if !ok || d.Kind == "" || v.matches {
			return nil, none
		}
		warning := ""
		for _, f := range d.Findings {
			if f.Level == "warning" {
				warning = " (WARNING " + f.ID + ")" // only the last one: one is enough to alert a person
			}
		}
		v.drifted[key] = drift{d.Kind, d.Now.Digest, warning}
	}
	for _, e := range said.Entries {
		entryType, ok := typeOf(e.List, memberOf)
		key := pin.Key{Type: entryType, Name: e.Name}
		_, twice := v.matched[key]
		_, isDrifted := v.drifted[key]
		isMatch := e.Status == "MATCH"
		if !ok || !jsontree.IsDigest(e.Digest) || v.matches && !isMatch || isMatch && twice {
			return nil, none
		}
		if isMatch && !e.Denied && !isDrifted {
			v.matched[key] = entryPin{Digest: e.Digest, Approval: e.ApprovalHash}
		}
	}
	return v, nil
}

// reviewing returns the command to review this session, and the prefix of the paths of its files.
func (j *judge) reviewing() reviewSetup {
	program, _ := FindPinproof() // newJudge has found it already
	var flags []string
	for _, s := range j.Substitutes {
		flags = append(flags, shell.Quote("--substitute="+s))
	}
	return reviewSetup{keptPlace(j.lock, j.ServerID), shell.Command{Program: shell.ProgramCommand(program), Lockfile: j.lock, Server: j.ServerID,
		Flags: map[string][]string{"relock": flags}}}
}

// PinSource selects the pins that a server is compared with.
type PinSource struct {
	ServerID    string
	Lockfile    string   // "" is for the nearest
	Substitutes []string // NAME=VALUE, as pinproof takes them
}

// find returns the path of the lockfile: the given one or, by default, the nearest one in the project's folder or
// above, where pinproof looks for it.
func (p PinSource) find() (path string, err error) {
	begin, err := filepath.Abs(cmp.Or(os.Getenv("CLAUDE_PROJECT_DIR"), os.Getenv("GEMINI_PROJECT_DIR")))
	path = workspace.NearestLockfile(begin)
	if p.Lockfile != "" {
		path, err = filepath.Abs(p.Lockfile)
	}
	if err != nil {
		return "", fail.AsError(err)
	}
	switch _, err := os.Lstat(path); {
	case !errors.Is(err, fs.ErrNotExist):
		return path, nil
	case p.Lockfile != "":
		return "", fail.New("there is no lockfile %s", text.Printable(p.Lockfile))
	}
	f := fail.New("there is no %s in %s or, inside a repository, above it", filepath.Base(path), text.Printable(begin))
	if root := workspace.RepositoryRoot(begin); root != "" {
		f.Hint("if it was committed, restore it: git restore %s", shell.QuotePath(filepath.Join(root, filepath.Base(path))))
	}
	return "", p.unapproved(f)
}

// unapproved adds a hint to an error: the commands that approve the server.
func (p PinSource) unapproved(f *fail.Error) error {
	return f.Hint("approve the server first: pinproof-capture save %s -- COMMAND (or its URL), then pinproof lock %[1]s", shell.Quote(workspace.CaptureFileName(p.ServerID)))
}

// verifyTimeout limits a run of pinproof, which takes milliseconds. Otherwise, a hook could block until its agent
// gives up and lets the call pass.
const verifyTimeout = 10 * time.Second

// verify runs pinproof verify and returns its exit code.
func (p PinSource) verify(ctx context.Context, mode string, stdin io.Reader, stdout, stderr io.Writer, args ...string) (code int, err error) {
	flags := []string{"verify", mode, "--server=" + p.ServerID}
	for _, s := range p.Substitutes {
		flags = append(flags, "--substitute="+s)
	}
	return RunPinproof(ctx, stdin, stdout, stderr, append(flags, args...)...)
}

// RunPinproof runs pinproof and returns its exit code.
func RunPinproof(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer, args ...string) (code int, err error) {
	program, err := FindPinproof()
	if err != nil {
		return 2, err
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdin = stdin
	cmd.Stdout = stdout
	cmd.Stderr = stderr
	cmd.WaitDelay = mcp.ExitGrace
	if err = cmd.Run(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() < 0 {
		return 2, fail.New("pinproof gave no answer: %s", text.Printable(err.Error()))
	}
	return cmd.ProcessState.ExitCode(), nil
}

// FindPinproof returns the path of pinproof. It prefers the one in this program's folder, because both are installed
// together and a program on PATH is easier to replace.
func FindPinproof() (string, error) {
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
