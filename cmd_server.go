package main

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
)

// chooseServer decides which server a manifest belongs to: the one that --server names,
// else the pinned one that is named like the manifest's file, else the lockfile's only
// one. If nothing is pinned yet, the server is named like the file.
func (a *app) chooseServer(l *lockfile, path, fileLabel string) (string, error) {
	switch {
	case a.from != "":
		return a.newLabel(l, cmp.Or(a.server, fileLabel))
	case a.server != "":
		return a.server, nil
	case fileLabel != "" && l.find(fileLabel) != nil:
		return fileLabel, nil
	case len(l.servers) == 1:
		return l.servers[0].server, nil
	case len(l.servers) == 0:
		return cmp.Or(fileLabel, "default"), nil
	}
	return "", fail("which server? %s has %s", printable(path), strings.Join(quotedNames(l.labels()), ", ")).
		hint("say which: %s --server ID", a.to(a.cmd.Name()))
}

// unknownServer is the error for a --server that the lockfile doesn't have.
func (a *app) unknownServer(l *lockfile, path string) error {
	f := fail("%s has no server %s; it has %s", printable(path), quotedName(a.server), cmp.Or(strings.Join(quotedNames(l.labels()), ", "), "none"))
	if near := nearest(a.server, l.labels()); near != "" && pasteableLabel(near) {
		c := a.command
		c.server = near
		f.hint("did you mean: %s", c.to(a.cmd.Name()))
	}
	return f.hint("to approve a new server: %s", a.to("lock"))
}

// newLabel checks the label that --from moves pins to: it must have no pins yet.
func (a *app) newLabel(l *lockfile, label string) (string, error) {
	switch {
	case l.find(a.from) == nil:
		return "", fail("--from %s: %s has no such server", quotedName(a.from), printable(a.lockPath))
	case label == "":
		return "", fail("--from %s: name the new label, too: --server NEW", quotedName(a.from))
	case l.find(label) != nil:
		return "", fail("--from %s: server %s is pinned already", quotedName(a.from), quotedName(label)).
			hint("name a new label: --server NEW")
	}
	return label, nil
}

// suggestedLabel returns the label that a file's name gives, quoted for a command. It is
// ID if the name gives none, or one that another server has.
func suggestedLabel(manifest, taken string) string {
	if label, ok := serverLabel(filepath.Base(manifest)); ok && label != taken {
		return shellQuote(label)
	}
	return "ID"
}

// otherServer stops lock and relock if the server was guessed and its pins have no entry
// in common with the manifest: a second server must not replace the first.
func (a *app) otherServer(w *workspace) error {
	p := &w.pairs[0]
	if w.folder || a.server != "" || !looksLikeAnother(p) {
		return nil
	}
	same := "ID" // the label comes from the lockfile
	if pasteableLabel(p.server) {
		same = p.server
	}
	return fail("%s looks like another server: none of its tools is among the pins of %s", printable(a.manifest), quotedName(p.server)).
		hint("if it is: %s", a.to("lock", "--server "+suggestedLabel(a.manifest, p.server))).
		hint("if it is not, name the server: %s --server %s", a.to("relock"), same)
}

func looksLikeAnother(p *pair) bool {
	return len(p.pinned.pins) > 0 && len(p.found.pins) > 0 &&
		!slices.ContainsFunc(p.found.pins, func(f pin) bool { return p.pinned.find(f.entryKey) != nil })
}
