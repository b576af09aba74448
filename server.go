package main

import (
	"cmp"
	"slices"
	"strings"
)

// chooseServer decides which server a manifest belongs to: the one that --server names,
// else the pinned one that is named like the manifest's file, else the lockfile's only
// one. If nothing is pinned yet, the server is named like the file.
func (req *request) chooseServer(l *lockfile, path, fileLabel string) (string, error) {
	switch {
	case req.server != "":
		return req.server, nil
	case fileLabel != "" && l.find(fileLabel) != nil:
		return fileLabel, nil
	case len(l.servers) == 1:
		return l.servers[0].server, nil
	case len(l.servers) == 0:
		return cmp.Or(fileLabel, "default"), nil
	}
	return "", fail("which server? %s has %s", printable(path), strings.Join(quotedNames(l.labels()), ", ")).
		hint("say which: %s --server ID", req.to(req.verb))
}

// unknownServer is the error for a --server that the lockfile doesn't have.
func (req *request) unknownServer(l *lockfile) error {
	f := fail("%s has no server %s; it has %s", printable(req.lockPath), quotedName(req.server), cmp.Or(strings.Join(quotedNames(l.labels()), ", "), "none"))
	if near := nearest(req.server, l.labels()); near != "" && pasteableLabel(near) {
		c := req.command
		c.server = near
		f.hint("did you mean: %s", c.to(req.verb))
	}
	return f.hint("to approve a new server: %s", req.to("lock"))
}

// otherServer stops lock and relock if the server was guessed and its pins have no entry
// in common with the manifest: a second server must not replace the first.
func (req *request) otherServer(w *workspace) error {
	p := &w.pairs[0]
	if w.folder || req.server != "" || !p.unrelated {
		return nil
	}
	same := "ID" // the label comes from the lockfile
	if pasteableLabel(p.server) {
		same = p.server
	}
	return fail("%s looks like another server: none of its tools is among the pins of %s", printable(req.manifest), quotedName(p.server)).
		hint("if it is: %s", req.to("lock", "--server "+labelArg(p.fileLabel, p.server))).
		hint("if it is not, name the server: %s --server %s", req.to("relock"), same)
}

// looksLikeAnother reports whether both sides have entries, and none in common.
func looksLikeAnother(p *pair) bool {
	return len(p.pinned.pins) > 0 && len(p.found.pins) > 0 &&
		!slices.ContainsFunc(p.found.pins, func(f pin) bool { return p.pinned.find(f.entryKey) != nil })
}
