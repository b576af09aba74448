package client

import (
	"bytes"
	"fmt"
	"maps"
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
			made, err := []edit.Edit(nil), error(nil)
			if e := c.entries[label]; e.Command == "" || addressBehindGuard(append([]string{e.Command}, e.Args...)) > 0 {
				made, err = c.rewriteAddress(label, s.Value, start)
			} else {
				made, err = rewriteEntry(c.Data, label, s.Value, start)
			}
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
		return fail.New("it has no command: write the guard by hand: pinproof-capture guard LABEL URL")
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
	return nil, errByHand
}

// rewriteAddress is rewriteEntry for a server at an address. Its url goes among the args, as it is
// spelled. Its headers become the guard's environment, under other names: clients fill in the same
// variables there, and no list of processes shows it. Its type stays under another key.
func (c *Config) rewriteAddress(label string, entry hujson.Value, start []string) ([]edit.Edit, error) {
	e := c.entries[label]
	if (start == nil) == (e.Command == "") {
		return nil, nil
	}
	object, ok := entry.Value.(*hujson.Object)
	if !ok {
		return nil, fail.New("it is no object")
	}
	members := map[string]hujson.ObjectMember{}
	raw := func(v hujson.Value) string { return string(c.Data[v.StartOffset:v.EndOffset]) }
	for _, m := range object.Members {
		name := m.Name.Value.(hujson.Literal).String()
		members[name] = m
		if slices.Contains([]string{"url", "type", "headers"}, name) && raw(m.Name) != `"`+name+`"` {
			return nil, fail.New("its %s is spelled with escapes", name)
		}
	}
	var edits []edit.Edit
	put := func(from, to int, text string) {
		edits = append(edits, edit.Edit{At: from, End: to, Text: []byte(text)})
	}
	rename := func(from, to string) {
		if m, ok := members[from]; ok {
			put(m.Name.StartOffset, m.Name.EndOffset, to)
		}
	}
	if start != nil {
		_, hasEnv := members["env"]
		_, hasURL := members["url"]
		switch err := e.refuse(); {
		case err != nil:
			f := fail.From(err)
			f.Hints = []string{"one that wants OAuth goes behind a bridge: " + bridge}
			return nil, f
		case !hasURL || e.HTTPURL != "" || hasEnv:
			return nil, fail.New("it has neither a command nor a plain url").Hint("a guard before an address: pinproof-capture guard LABEL URL")
		case mcp.FileName(label) == "":
			return nil, fail.New(mcp.NoFileName)
		}
		for _, m := range membersOf(members["headers"].Value) {
			name := m.Name.Value.(hujson.Literal).String()
			if !variableHeader.MatchString(name) || raw(m.Name) != `"`+name+`"` {
				return nil, fail.New("its header %s can't be the name of a variable", text.Name(name)).
					Hint("write the guard by hand: pinproof-capture guard LABEL URL --header-env NAME=VARIABLE")
			}
			put(m.Name.StartOffset, m.Name.EndOffset, `"`+variableOf(name)+`"`)
		}
		url := members["url"]
		put(url.Name.StartOffset, url.Name.EndOffset, `"command": `+string(jsontree.AppendString(nil, start[0]))+`, "args"`)
		put(url.Value.StartOffset, url.Value.EndOffset, addressWords(start, label, raw(url.Value), slices.Sorted(maps.Keys(e.Headers)), e.Type == "sse"))
		rename("type", `"type": "stdio", "`+keptType+`"`)
		rename("headers", `"env"`)
		return inOrder(edits...), nil
	}
	argv := append([]string{e.Command}, e.Args...)
	at := addressBehindGuard(argv)
	command, args := members["command"], members["args"]
	list, _ := args.Value.Value.(*hujson.Array)
	if list == nil || len(list.Elements) < at {
		return nil, errByHand
	}
	url := raw(list.Elements[at-1])
	var headers []string
	for _, m := range membersOf(members["env"].Value) {
		variable := m.Name.Value.(hujson.Literal).String()
		name := strings.ReplaceAll(strings.TrimPrefix(variable, headerPrefix), "_", "-")
		if raw(m.Name) != `"`+variableOf(name)+`"` {
			return nil, errByHand
		}
		headers = append(headers, name)
		put(m.Name.StartOffset, m.Name.EndOffset, `"`+name+`"`)
	}
	slices.Sort(headers)
	kept, hasType := members[keptType]
	isSSE := hasType && raw(kept.Value) == `"sse"`
	if string(c.Data[command.Name.StartOffset:args.Name.EndOffset]) != `"command": `+string(jsontree.AppendString(nil, argv[0]))+`, "args"` ||
		raw(args.Value) != addressWords(argv[:at-2], label, url, headers, isSSE) ||
		hasType && !strings.HasSuffix(string(c.Data[:kept.Name.StartOffset]), `"type": "stdio", `) {
		return nil, errByHand
	}
	put(command.Name.StartOffset, args.Name.EndOffset, `"url"`)
	put(args.Value.StartOffset, args.Value.EndOffset, url)
	rename("env", `"headers"`)
	if hasType {
		put(members["type"].Name.StartOffset, kept.Name.EndOffset, `"type"`)
	}
	return inOrder(edits...), nil
}

// bridge is how a server is started that wants OAuth, which is not done here.
const bridge = "pinproof-capture guard LABEL -- npx --no -- mcp-remote URL"

// keptType is the key of a server's type behind a guard, which clients don't know.
const keptType = "type-without-guard"

// headerPrefix begins the names of a guard's variables for headers, so that they mean nothing to
// other programs. A shell, through which npx starts the guard, drops a variable with a hyphen.
const headerPrefix = "HEADER_"

func variableOf(header string) string { return headerPrefix + strings.ReplaceAll(header, "-", "_") }

// variableHeader matches the names of headers that variableOf keeps apart.
var variableHeader = regexp.MustCompile(`^[A-Za-z0-9-]+$`)

func membersOf(v hujson.Value) []hujson.ObjectMember {
	if object, ok := v.Value.(*hujson.Object); ok {
		return object.Members
	}
	return nil
}

var errByHand = fail.New("its guard was put in by hand, or changed since: take it away by hand")

// addressWords is the list of arguments of a guard before an address.
func addressWords(start []string, label, url string, headers []string, sse bool) string {
	var list []string
	for _, word := range slices.Concat(start[1:], []string{"guard", label}) {
		list = append(list, string(jsontree.AppendString(nil, word)))
	}
	list = append(list, url)
	for _, name := range headers {
		list = append(list, `"--header-env"`, `"`+name+"="+variableOf(name)+`"`)
	}
	if sse {
		list = append(list, `"--sse"`)
	}
	return "[" + strings.Join(list, ", ") + "]"
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
