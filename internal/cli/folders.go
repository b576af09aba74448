package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pinproof/internal/pin"
	"pinproof/internal/shell"
	"pinproof/internal/text"
	"pinproof/internal/workspace"
)

// folderNames are the folders of this machine that a server's texts may hold, by the names that
// --substitute gives them here.
var folderNames = map[string]string{"ROOT": "working folder", "HOME": "home folder", "TMP": "temporary folder"}

// folders finds them, the longest first. They are read for a hint and decide nothing.
func folders() []pin.Substitute {
	root, _ := os.Getwd()
	home, _ := os.UserHomeDir()
	args := []string{"ROOT=" + root, "HOME=" + filepath.Clean(home), "TMP=" + filepath.Clean(os.TempDir())}
	list, _ := pin.ParseSubstitutes(slices.DeleteFunc(args, func(arg string) bool {
		_, err := pin.ParseSubstitutes([]string{arg}) // too short to stand for a folder alone
		return err != nil
	}))
	return list
}

// folderHints say which entries of new servers hold such a folder, and which drift is nothing
// but that, with the command that has a name stand for it. A part of a session has none: it
// keeps the policy.
func folderHints(req *request, w *workspace.Workspace) (hints [][2]string) {
	if len(w.Drifts) == 0 || w.LockPath == "" || req.Part {
		return nil
	}
	known, of := map[pin.Ref]bool{}, folders()
	for i := range w.Comparisons {
		p := &w.Comparisons[i]
		verb, next := "relock", req.Command
		if !p.Known && req.Verb != "lock" {
			verb = "lock"
		}
		if w.Folder { // where a name is recorded for the server of one file
			next.Capture, next.Server = p.Capture, p.Server
		}
		var said, flags []string
		for _, f := range of {
			var entries []string
			for _, d := range w.Drifts {
				holds := !p.Known && d.Kind == pin.Added && f.In(d.Captured.Definition) ||
					d.Kind == pin.Changed && d.TextsKnown() && f.Moved(d.Locked.Definition, d.Captured.Definition)
				if holds && d.Server == p.Server && !known[d.Ref()] {
					known[d.Ref()], entries = true, append(entries, d.EntryRef())
				}
			}
			if len(entries) == 0 || slices.Contains(p.Captured.Policy.Substitute, f.Name) {
				continue
			}
			what := "this machine's " + folderNames[f.Name] + " is in "
			if p.Known {
				what = "nothing but this machine's " + folderNames[f.Name] + " differs in "
			}
			said, flags = append(said, what+text.List(entries, 3)), append(flags, "--substitute "+shell.Quote(f.Flag()))
		}
		if len(said) > 0 && (!w.Folder || len(req.Substitutes) == 0 && shell.PasteableLabel(p.Server)) {
			hints = append(hints, [2]string{strings.Join(said, "; "), next.To(verb, flags...)})
		}
	}
	return hints
}
