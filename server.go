package main

import (
	"cmp"
	"slices"
	"strings"

	"pinproof/internal/fail"
	"pinproof/internal/lockfile"
	"pinproof/internal/pin"
	"pinproof/internal/shell"
	"pinproof/internal/text"
)

// chooseServer decides which server a manifest belongs to: the one that --server names,
// else the pinned one that is named like the manifest's file, else the lockfile's only
// one. If nothing is pinned yet, the server is named like the file.
func (req *request) chooseServer(l *lockfile.Lockfile, path, fileLabel string) (string, error) {
	switch {
	case req.Server != "":
		return req.Server, nil
	case fileLabel != "" && l.Find(fileLabel) != nil:
		return fileLabel, nil
	case len(l.Servers) == 1:
		return l.Servers[0].Server, nil
	case len(l.Servers) == 0:
		return cmp.Or(fileLabel, "default"), nil
	}
	return "", fail.New("which server? %s has %s", text.Printable(path), strings.Join(text.Names(l.Labels()), ", ")).
		Hint("say which: %s --server ID", req.To(req.verb))
}

// unknownServer is the error for a --server that the lockfile doesn't have.
func (req *request) unknownServer(l *lockfile.Lockfile) error {
	f := fail.New("%s has no server %s; it has %s", text.Printable(req.lockPath), text.Name(req.Server), cmp.Or(strings.Join(text.Names(l.Labels()), ", "), "none"))
	if near := nearest(req.Server, l.Labels()); near != "" && shell.PasteableLabel(near) {
		c := req.Command
		c.Server = near
		f.Hint("did you mean: %s", c.To(req.verb))
	}
	return f.Hint("to approve a new server: %s", req.To("lock"))
}

// otherServer stops lock and relock if the server was guessed and its pins have no entry
// in common with the manifest: a second server must not replace the first.
func (req *request) otherServer(w *workspace) error {
	p := &w.pairs[0]
	if w.folder || req.Server != "" || !p.Unrelated {
		return nil
	}
	same := "ID" // the label comes from the lockfile
	if shell.PasteableLabel(p.Server) {
		same = p.Server
	}
	return fail.New("%s looks like another server: none of its tools is among the pins of %s", text.Printable(req.Manifest), text.Name(p.Server)).
		Hint("if it is: %s", req.To("lock", "--server "+shell.Label(p.FileLabel, p.Server))).
		Hint("if it is not, name the server: %s --server %s", req.To("relock"), same)
}

// looksLikeAnother reports whether both sides have entries, and none in common.
func looksLikeAnother(p *pin.Pair) bool {
	return len(p.Pinned.Pins) > 0 && len(p.Found.Pins) > 0 &&
		!slices.ContainsFunc(p.Found.Pins, func(f pin.Pin) bool { return p.Pinned.Find(f.Key) != nil })
}
