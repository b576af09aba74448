package client

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/text"
	"pinproof/pinproof-capture/internal/edit"
	"pinproof/pinproof-capture/internal/mcp"
)

// IsTOML reports whether the configuration is Codex's, for which there is no writer that leaves
// the rest as it is.
func (c *Config) IsTOML() bool { return c.plain }

// Rewrite returns the configuration with guards before servers, which start begins, or without
// guards if start is nil. All else stays byte for byte. refused has a line for each server that
// stays as it is although it was meant.
func (c *Config) Rewrite(labels, start []string) (out []byte, refused []error, err error) {
	root, err := hujson.Parse(c.Data)
	if err != nil {
		return nil, nil, fail.New("%s", text.Printable(err.Error()))
	}
	var edits []edit.Edit
	top, _ := root.Value.(*hujson.Object)
	for _, m := range top.Members {
		servers, ok := m.Value.Value.(*hujson.Object)
		if name := m.Name.Value.(hujson.Literal).String(); !ok || name != "mcpServers" && name != "servers" {
			continue
		}
		for _, s := range servers.Members {
			label := s.Name.Value.(hujson.Literal).String()
			if !slices.Contains(labels, label) {
				continue
			}
			made, err := rewriteEntry(c.Data, label, s.Value, start)
			if err != nil {
				refused = append(refused, refusal(label, err))
			}
			edits = append(edits, made...)
		}
	}
	return edit.Apply(c.Data, edits), refused, nil
}

// ByHand returns the entries of Codex's configuration as they should be, for a person to write.
func (c *Config) ByHand(labels, start []string) (entries string, refused []error) {
	for _, label := range labels {
		e := c.entries[label]
		argv := append([]string{e.Command}, e.Args...)
		behind := behindGuard(argv)
		if (start == nil) == (behind < 0) {
			continue
		}
		words, err := argv[max(behind, 0):], error(nil)
		if start != nil {
			words, err = slices.Concat(start, []string{"guard", label, "--"}, argv), guardable(label, argv)
		}
		var quoted []string
		for _, word := range append([]string{label}, words...) {
			if text.Printable(word) != word {
				err = fail.New("it has a character that can't be shown")
			}
			quoted = append(quoted, string(jsontree.AppendString(nil, word)))
		}
		if err != nil {
			refused = append(refused, refusal(label, err))
			continue
		}
		if plainKey.MatchString(label) {
			quoted[0] = label
		}
		entries += fmt.Sprintf("[mcp_servers.%s]\ncommand = %s\n", quoted[0], quoted[1])
		if len(e.Args) > 0 || len(quoted) > 2 {
			entries += fmt.Sprintf("args = [%s]\n", strings.Join(quoted[2:], ", "))
		}
	}
	return entries, refused
}

var plainKey = regexp.MustCompile(`^[A-Za-z0-9_-]+$`) // of TOML

// guardable says why a server can't be put behind the guard.
func guardable(label string, argv []string) error {
	switch {
	case argv[0] == "":
		return fail.New("it has no command: a server at an address is guarded behind a bridge that speaks stdio")
	case mcp.FileName(label) == "":
		return fail.New(mcp.NoFileName)
	}
	return CheckLaunch(argv)
}

// refusal is why a server stays as it is although it was meant.
func refusal(label string, why error) error {
	f := fail.From(why)
	f.Text = text.Name(label) + ": " + f.Text
	return f
}

// rewriteEntry returns the edits of one server, in the order of the file, or why there are
// none. The blanks tell what to give back: one before the bracket that ends the list says that
// there was a list, with nothing in it.
func rewriteEntry(config []byte, label string, entry hujson.Value, start []string) ([]edit.Edit, error) {
	object, ok := entry.Value.(*hujson.Object)
	if !ok {
		return nil, fail.New("it is no object")
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
	argv, raws := []string{""}, [][]byte{nil} // the words of the command line, and as they are spelled
	raw := func(v hujson.Value) []byte { return config[v.StartOffset:v.EndOffset] }
	if name, ok := command.Value.(hujson.Literal); ok && name.Kind() == '"' {
		argv[0], raws[0] = name.String(), raw(command)
	}
	list, _ := args.Value.(*hujson.Array)
	if list == nil && args.Value != nil {
		return nil, fail.New("its args are no list")
	}
	if list != nil {
		for _, v := range list.Elements {
			word, _ := v.Value.(hujson.Literal)
			argv, raws = append(argv, word.String()), append(raws, raw(v))
		}
	}
	behind := behindGuard(argv)
	if (start == nil) == (behind < 0) {
		return nil, nil
	}
	if start != nil {
		if err := guardable(label, argv); err != nil {
			return nil, err
		}
		first := guardWords(start, label) + string(raws[0])
		ours := edit.Edit{At: command.StartOffset, End: command.EndOffset, Text: jsontree.AppendString(nil, start[0])}
		if list == nil {
			ours.Text = fmt.Appendf(ours.Text, `, "args": [%s]`, first)
			return []edit.Edit{ours}, nil
		}
		return inOrder(ours, edit.Edit{At: args.StartOffset + 1, End: args.StartOffset + 1, Text: []byte(first + behindWords(len(argv) > 1))}), nil
	}
	// A list is there, for the guard's own command line is longer than a command.
	ours, was := guardWords(argv[:max(behind-3, 1)], label), raws[behind]
	first := "[" + ours + string(was)
	switch {
	case string(raws[0]) != string(jsontree.AppendString(nil, argv[0])):
	case string(raw(args)) == first+"]" && command.EndOffset < args.StartOffset && string(config[command.EndOffset:args.StartOffset]) == `, "args": `:
		return []edit.Edit{{At: command.StartOffset, End: args.EndOffset, Text: was}}, nil
	case bytes.HasPrefix(raw(args), []byte(first+behindWords(len(argv) > behind+1))):
		end := args.StartOffset + len(first+behindWords(len(argv) > behind+1))
		return inOrder(edit.Edit{At: command.StartOffset, End: command.EndOffset, Text: was}, edit.Edit{At: args.StartOffset + 1, End: end}), nil
	}
	return nil, fail.New("its guard was put in by hand, or changed since: take it away by hand")
}

// guardWords are the words of a list that come before a server's own command: those of start
// but the first, the guard, and what ends its flags.
func guardWords(start []string, label string) (words string) {
	for _, word := range slices.Concat(start[1:], []string{"guard", label, "--"}) {
		words += string(jsontree.AppendString(nil, word)) + ", "
	}
	return words
}

// behindWords stands behind a server's command in a list that was there.
func behindWords(more bool) string {
	if more {
		return ", "
	}
	return " "
}

func inOrder(edits ...edit.Edit) []edit.Edit {
	slices.SortFunc(edits, func(a, b edit.Edit) int { return a.At - b.At })
	return edits
}
