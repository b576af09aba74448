package guard

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/shell"
	"pinproof/internal/text"
)

// A judge holds parts of a session against the pins of one server. It decides nothing
// itself: it asks pinproof verify --part.
type judge struct {
	Pins
	lock     string // the path of the lockfile
	named    string // the same in a command; "" if it is found where the guard runs
	approved approved
	seen     [sha256.Size]byte // the digest of the lockfile that was read last
	known    map[[sha256.Size]byte]*verdict
}

// maxKnown bounds what is remembered of a server that answers something new each time. A
// session has a few lists, of a few pages each.
const maxKnown = 256

// A verdict is what pinproof says of one result.
type verdict struct {
	code    int                // of pinproof: 0, 1 or 2
	drifted map[pin.Key]string // with the kind of drift
	matched map[pin.Key]pinned // with the approval's hash
	warned  map[pin.Key]string // with the warnings, for a person
	reason  string             // of a code 2, printable; it may quote the server
	summary string             // likewise
}

// newJudge finds pinproof and the lockfile, and makes sure that it has the server.
func newJudge(o Pins) (*judge, error) {
	lock, err := o.find()
	if err != nil {
		return nil, err
	}
	j := &judge{Pins: o, lock: lock}
	if here, err := os.Getwd(); err != nil || lock != filepath.Join(here, shell.DefaultLockfile) {
		j.named = lock
	}
	if j.approved.values, err = pin.ParseSubstitutes(o.Substitutes); err != nil {
		return nil, fail.New("--substitute %s", err)
	}
	v, err := j.part([]byte("{}"))
	if err == nil && v.code != 0 {
		err = o.unapproved(fail.New("%s", v.reason))
	}
	return j, err
}

// part judges the result of an answer. The same bytes are judged once, as long as the
// lockfile stays the same. The error says that there was no verdict at all.
func (j *judge) part(result []byte) (*verdict, error) {
	if err := j.readPins(); err != nil {
		return nil, err
	}
	digest := sha256.Sum256(result)
	if v := j.known[digest]; v != nil {
		return v, nil
	}
	message := slices.Concat([]byte(`{"jsonrpc":"2.0","id":1,"result":`), result, []byte("}\n"))
	var out, words bytes.Buffer
	code, err := j.verify("--part", bytes.NewReader(message), &out, &words, "--format=json", "--", "-", j.lock)
	if err != nil {
		return nil, err
	}
	v := &verdict{code: code, drifted: map[pin.Key]string{}, matched: map[pin.Key]pinned{}, warned: map[pin.Key]string{}}
	var said struct {
		SchemaVersion, ExitCode int
		Summary                 string
		Drift                   []struct {
			List, Name, Kind string
			Findings         []struct{ ID, Level string }
		}
		Entries []struct{ List, Name, Status, Digest, ApprovalHash string }
		Error   struct{ Message string }
	}
	if err := json.Unmarshal(out.Bytes(), &said); err != nil || said.SchemaVersion != 1 || said.ExitCode != code || code > 2 {
		return nil, fail.New("pinproof gave no answer").Hint("pinproof --version")
	}
	v.reason, v.summary = said.Error.Message, said.Summary
	for _, d := range said.Drift {
		key := pin.Key{Type: listNamed(d.List), Name: d.Name}
		v.drifted[key] = d.Kind
		for _, f := range d.Findings {
			if f.Level == "warning" {
				v.warned[key] = " (WARNING " + f.ID + ")" // the last one: one is enough to look
			}
		}
	}
	for _, e := range said.Entries {
		if e.Status == "MATCH" {
			v.matched[pin.Key{Type: listNamed(e.List), Name: e.Name}] = pinned{e.Digest, e.ApprovalHash}
		}
	}
	if len(j.known) >= maxKnown {
		clear(j.known)
	}
	j.known[digest] = v
	return v, nil
}

// command is what a person types about a file with a part of the session.
func (j *judge) command(verb, file string) string {
	args := []string{"--part"}
	for _, s := range j.Substitutes {
		args = append(args, shell.Quote("--substitute="+s))
	}
	program, _ := findPinproof() // that it is there was asked at the start
	return shell.Command{Program: shell.ProgramAt(program), Capture: file, Lockfile: j.named, Server: j.Label}.To(verb, args...)
}

// listNamed is the list of that name in a report: a member of a result.
func listNamed(member string) pin.EntryType {
	if list, ok := pin.EntryTypeNamed(member); ok {
		return list
	}
	return pin.Instructions
}

// readPins reads which entries are pinned, if the lockfile isn't the one read last.
func (j *judge) readPins() error {
	data, err := os.ReadFile(j.lock)
	if err != nil {
		return fail.Path(j.lock, err)
	}
	digest := sha256.Sum256(data)
	if j.known != nil && digest == j.seen {
		return nil
	}
	root, err := jsontree.NewReader(data).Only()
	if err != nil {
		return fail.In(text.Printable(j.lock), "%s", err)
	}
	j.seen, j.known = digest, map[[sha256.Size]byte]*verdict{}
	j.approved.read(root.Get("servers").Get(j.Label))
	return nil
}
