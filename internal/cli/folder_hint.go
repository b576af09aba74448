package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/report"
	"pinproof/internal/shell"
	"pinproof/internal/text"
)

// folderHint returns a hint if drifted entries contain a local folder that their pins don't contain, with the
// command that replaces the folder by a name. There is no hint for a part of a session, which keeps the policy,
// or for a folder of captures, because a name is recorded for one server.
func (req *request) folderHint() (hint report.Step) {
	if len(req.Drifts) == 0 || req.LockPath == "" || req.HasFolder || req.IsPartial {
		return hint
	}
	p := &req.Comparisons[0]
	verb := "relock"
	if !p.IsLocked() && req.Verb != "lock" {
		verb = "lock"
	}
	root, _ := os.Getwd()
	home, _ := os.UserHomeDir()
	var said, flags []string
	told := pin.RefSet{}
	for _, f := range []struct{ name, is, path string }{{"ROOT", "working folder", root}, {"TMP", "temporary folder", os.TempDir()}, {"HOME", "home folder", home}} {
		path := filepath.Clean(f.path)
		flag := f.name + "=" + path
		if _, err := pin.ParseSubstitutions([]string{flag}); err != nil || slices.Contains(p.Captured.Policy.Substitute, f.name) {
			// The path is too short to mean only this folder, or the name already replaces another value.
			continue
		}
		var entries []string
		for _, d := range req.Drifts {
			if !told[d.Ref()] && gained(&d, path) {
				told[d.Ref()] = true
				entries = append(entries, d.EntryRef())
			}
		}
		if len(entries) > 0 {
			said = append(said, "this machine's "+f.is+" is in "+text.JoinNames(entries, 3))
			flags = append(flags, "--substitute "+shell.Quote(flag))
		}
	}
	if len(said) > 0 {
		hint = report.Step{Text: strings.Join(said, "; "), Command: req.ForVerb(verb, flags...)}
	}
	return hint
}

// gained reports whether an entry's captured definition contains a path that its pinned definition lacks.
func gained(d *pin.Drift, path string) bool {
	quoted := jsontree.AppendString(nil, path)
	has := func(p *pin.Pin) bool { return p != nil && bytes.Contains(p.Definition, quoted[1:len(quoted)-1]) }
	return d.TextsKnown() && has(d.Captured) && !has(d.Locked)
}
