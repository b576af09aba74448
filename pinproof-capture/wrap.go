package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"pinproof/internal/atomicfile"
	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/text"
)

// rewrap puts the guard before the servers of a client's configuration, or takes it away.
// Everything else in the file stays byte for byte.
func rewrap(o *options, stdin io.Reader, stdout, stderr io.Writer) error {
	entries, _, err := readConfig(o.config)
	if err != nil {
		return err
	}
	for _, label := range o.args {
		if _, ok := entries[label]; !ok {
			return fail.New("%s has no server %s", text.Printable(o.config), text.Name(label))
		}
	}
	if filepath.Ext(o.config) == ".toml" {
		return rewrapByHand(entries, o, stdout, stderr)
	}
	before, err := os.ReadFile(o.config)
	if err != nil {
		return fail.Path(o.config, err)
	}
	after, refused, err := rewrapped(before, o.args, o.addGuard)
	if err != nil {
		return err
	}
	if !bytes.Equal(before, after) {
		showLines(stdout, before, after)
		if err := confirm(o, stdin, stderr); err != nil {
			return err
		}
		if err := atomicfile.Write(o.config, after); err != nil {
			return err
		}
	}
	for _, r := range refused {
		fmt.Fprintf(stderr, "error: %s\n", r)
	}
	if refused != nil {
		return fail.New("%s of %s as before", text.Count(len(refused), "server"), text.Printable(o.config))
	}
	return nil
}

// rewrapped is a configuration with the guard, or without. refused has a line for each
// server that stays as it is although it was meant.
func rewrapped(config []byte, labels []string, add bool) (out []byte, refused []string, err error) {
	root, err := hujson.Parse(config)
	if err != nil {
		return nil, nil, fail.New("%s", text.Printable(err.Error()))
	}
	var edits []edit
	top, _ := root.Value.(*hujson.Object)
	for _, m := range top.Members {
		servers, ok := m.Value.Value.(*hujson.Object)
		if name := m.Name.Value.(hujson.Literal).String(); !ok || name != "mcpServers" && name != "servers" {
			continue
		}
		for _, s := range servers.Members {
			label := s.Name.Value.(hujson.Literal).String()
			if len(labels) > 0 && !slices.Contains(labels, label) {
				continue
			}
			made, why := rewrapEntry(config, label, s.Value, add)
			if why != "" {
				refused = append(refused, text.Name(label)+": "+why)
			}
			edits = append(edits, made...)
		}
	}
	return edited(config, edits), refused, nil
}

// rewrapByHand prints the entries of Codex's configuration as they should be: there is no
// writer of TOML that leaves the rest as it is.
func rewrapByHand(entries map[string]entry, o *options, stdout, stderr io.Writer) error {
	labels := o.args
	if len(labels) == 0 {
		labels = slices.Sorted(maps.Keys(entries))
	}
	open, written := 0, false // servers that are to change, and whether one can
	for _, label := range labels {
		e := entries[label]
		argv := append([]string{e.Command}, e.Args...)
		bare := unguarded(argv)
		isGuarded := len(bare) < len(argv)
		why := ""
		switch {
		case o.addGuard == isGuarded:
			continue
		case e.Command == "":
			why = noCommand
		case o.addGuard && fileName(label) == "":
			why = noFileName
		case o.addGuard:
			bare = append([]string{"pinproof-capture", "--guard", label, "--"}, argv...)
		}
		var words []string
		for _, word := range append([]string{label}, bare...) {
			if text.Printable(word) != word {
				why = "it has a character that can't be shown"
			}
			words = append(words, string(jsontree.AppendString(nil, word)))
		}
		open++
		if why != "" {
			fmt.Fprintf(stderr, "error: %s: %s\n", text.Name(label), why)
			continue
		}
		if plainKey.MatchString(label) {
			words[0] = label
		}
		fmt.Fprintf(stdout, "[mcp_servers.%s]\ncommand = %s\n", words[0], words[1])
		if len(e.Args) > 0 || len(words) > 2 {
			fmt.Fprintf(stdout, "args = [%s]\n", strings.Join(words[2:], ", "))
		}
		written = true
	}
	switch {
	case open == 0:
		return nil
	case !written:
		return fail.New("%s of %s as before", text.Count(open, "server"), text.Printable(o.config))
	}
	return fail.New("%s is TOML, which isn't rewritten: write there by hand what stands above", text.Printable(o.config))
}

var plainKey = regexp.MustCompile(`^[A-Za-z0-9_-]+$`) // of TOML

// Why a server can't be put behind the guard.
const (
	noCommand  = "it has no command: a server at an address is guarded behind a bridge that speaks stdio"
	noFileName = "a label of 1 to 100 printable ASCII characters can name a file, and this is none"
)

// rewrapEntry returns the edits of one server, in the order of the file, or why there are
// none. The spelling tells what to give back: "--guard", "LABEL" went before arguments that
// were there, and "--guard=LABEL" stands in a list that wasn't.
func rewrapEntry(config []byte, label string, entry hujson.Value, add bool) ([]edit, string) {
	object, ok := entry.Value.(*hujson.Object)
	if !ok {
		return nil, "it is no object"
	}
	var command, args hujson.Value
	for _, m := range object.Members {
		switch m.Name.Value.(hujson.Literal).String() {
		case "command":
			command = m.Value
		case "args":
			args = m.Value
		}
	}
	list, _ := args.Value.(*hujson.Array)
	raw := func(v hujson.Value) []byte { return config[v.StartOffset:v.EndOffset] }
	name, isText := command.Value.(hujson.Literal)
	quoted := string(jsontree.AppendString(nil, label))
	inline := string(jsontree.AppendString(nil, "--guard="+label))
	const ours = `"pinproof-capture"`
	guarded := isText && strings.TrimSuffix(filepath.Base(name.String()), ".exe") == "pinproof-capture"
	switch {
	case add == guarded:
		return nil, ""
	case !isText:
		return nil, noCommand
	case add && fileName(label) == "":
		return nil, noFileName
	case add && list == nil && args.Value != nil:
		return nil, "its args are no list"
	case add && list == nil:
		return []edit{{command.StartOffset, command.EndOffset, fmt.Appendf(nil, `%s, "args": [%s, "--", %s]`, ours, inline, raw(command))}}, ""
	case add:
		first := fmt.Appendf(nil, `"--guard", %s, "--", %s`, quoted, raw(command))
		if len(list.Elements) > 0 {
			first = append(first, ", "...)
		}
		return inOrder(edit{command.StartOffset, command.EndOffset, []byte(ours)}, edit{args.StartOffset + 1, args.StartOffset + 1, first}), ""
	}
	const byHand = "its guard was put in by hand, or changed since: take it away by hand"
	if string(raw(command)) != ours || list == nil || len(list.Elements) < 3 {
		return nil, byHand
	}
	if was := raw(list.Elements[2]); string(raw(args)) == "["+inline+`, "--", `+string(was)+"]" &&
		string(config[command.EndOffset:args.StartOffset]) == `, "args": ` {
		return []edit{{command.StartOffset, args.EndOffset, was}}, ""
	}
	if len(list.Elements) < 4 {
		return nil, byHand
	}
	was := list.Elements[3]
	first := fmt.Sprintf(`["--guard", %s, "--", %s`, quoted, raw(was))
	if len(list.Elements) > 4 {
		first += ", "
	}
	if !bytes.HasPrefix(raw(args), []byte(first)) {
		return nil, byHand
	}
	return inOrder(edit{command.StartOffset, command.EndOffset, raw(was)}, edit{args.StartOffset + 1, args.StartOffset + len(first), nil}), ""
}

func inOrder(edits ...edit) []edit {
	slices.SortFunc(edits, func(a, b edit) int { return a.at - b.at })
	return edits
}

// showLines prints the lines that differ; both texts have as many.
func showLines(w io.Writer, before, after []byte) {
	old, new := bytes.Split(before, []byte("\n")), bytes.Split(after, []byte("\n"))
	for i := range min(len(old), len(new)) {
		if !bytes.Equal(old[i], new[i]) {
			fmt.Fprintf(w, "- | %s\n+ | %s\n", text.Printable(string(old[i])), text.Printable(string(new[i])))
		}
	}
}

// confirm asks on a terminal whether the file is to be written. Elsewhere it takes --yes.
func confirm(o *options, stdin io.Reader, stderr io.Writer) error {
	if o.yes {
		return nil
	}
	noTerminal := fail.New("%s was not written: this is no terminal to ask on", text.Printable(o.config)).Hint("--yes writes it")
	f, _ := stdin.(*os.File)
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return noTerminal
	}
	fmt.Fprintf(stderr, "write %s? [y/N] ", text.Printable(o.config))
	answer, err := bufio.NewReader(stdin).ReadString('\n')
	if err != nil && answer == "" { // /dev/null looks like a terminal
		fmt.Fprintln(stderr)
		return noTerminal
	}
	if answer = strings.ToLower(strings.TrimSpace(answer)); answer != "y" && answer != "yes" {
		return fail.New("%s was not written", text.Printable(o.config))
	}
	return nil
}
