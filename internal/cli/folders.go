package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/report"
	"pinproof/internal/shell"
	"pinproof/internal/text"
	"pinproof/internal/workspace"
)

// folderHint returns which entries of a new server contain a folder of this machine, or which drift is
// nothing but such a folder, and gives the command that replaces the folder with a name. It decides
// nothing. There is no hint for a part of a session, which keeps the policy, nor for a folder of captures,
// because a name is recorded for one server.
func folderHint(req *request, w *workspace.Workspace) (hint report.Step) {
	if len(w.Drifts) == 0 || w.LockPath == "" || w.Folder || req.Part {
		return hint
	}
	p := &w.Comparisons[0]
	verb := "relock"
	words := "only this machine's %s differs in %s"
	if !p.Known() {
		words = "this machine's %s is in %s"
		if req.Verb != "lock" {
			verb = "lock"
		}
	}
	root, _ := os.Getwd()
	home, _ := os.UserHomeDir()
	var said, flags []string
	told := map[pin.Ref]bool{}
	for _, f := range []struct{ name, is, path string }{{"ROOT", "working folder", root}, {"TMP", "temporary folder", os.TempDir()}, {"HOME", "home folder", home}} {
		path := filepath.Clean(f.path)
		flag := f.name + "=" + path
		if _, err := pin.ParseSubstitutes([]string{flag}); err != nil || slices.Contains(p.Captured.Policy.Substitute, f.name) {
			// The path is too short to mean only this folder, or the name already replaces another value.
			continue
		}
		var entries []string
		for _, d := range w.Drifts {
			if !told[d.Ref()] && (d.Kind == pin.Changed || !p.Known()) && hasPath(&d, path) {
				told[d.Ref()], entries = true, append(entries, d.EntryRef())
			}
		}
		if len(entries) > 0 {
			said = append(said, fmt.Sprintf(words, f.is, text.List(entries, 3)))
			flags = append(flags, "--substitute "+shell.Quote(flag))
		}
	}
	if len(said) > 0 {
		hint = report.Step{Text: strings.Join(said, "; "), Command: req.To(verb, flags...)}
	}
	return hint
}

// hasPath reports whether a new entry has a path in one of its strings, or whether a changed one differs in
// nothing but that: wherever the path is now, one other absolute path was.
func hasPath(d *pin.Drift, path string) bool {
	quoted := jsontree.AppendString(nil, path)
	now := quoted[1 : len(quoted)-1]
	if d.Kind != pin.Changed || !d.TextsKnown() {
		return d.Kind == pin.Added && bytes.Contains(d.Captured.Definition, now)
	}
	old := d.Locked.Definition
	around := bytes.Split(d.Captured.Definition, now)
	from := len(around[0])
	times := len(around) - 1
	to := from + len(now) + (len(old)-len(d.Captured.Definition))/max(times, 1)
	if times == 0 || to <= from || to > len(old) {
		return false
	}
	was := old[from:to]
	return (was[0] == '/' || len(was) > 2 && was[1] == ':') && !bytes.Contains(was, []byte(`"`)) && bytes.Equal(bytes.Join(around, was), old)
}
