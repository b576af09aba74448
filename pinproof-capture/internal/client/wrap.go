package client

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/text"
	"pinproof/pinproof-capture/internal/mcp"
)

// Rewrite returns the configuration with guards before servers, which start begins, or without
// guards if start is nil. All else stays byte for byte. For Codex's TOML there is no writer that
// leaves the rest as it is: byHand has the entries as a person should write them. refused says why
// a server stays as it is although it was meant.
func (c *Config) Rewrite(labels, start []string) (out []byte, byHand string, refused []error) {
	for _, label := range labels {
		var entry string
		next, err := c, error(nil)
		if c.plain {
			entry, err = c.byHand(label, start)
		} else {
			next, err = c.rewrite(label, start)
		}
		if err != nil {
			f := fail.From(err)
			f.Text = text.Name(label) + ": " + f.Text
			refused = append(refused, f)
			continue
		}
		c, byHand = next, byHand+entry
	}
	return c.Data, byHand, refused
}

// rewrite rewrites one server. Wrapping and unwrapping must be the inverse of each other to the
// byte, for this very text: what can't be given back isn't wrapped, and a guard that wrap
// wouldn't write is left to whoever wrote it.
func (c *Config) rewrite(label string, start []string) (*Config, error) {
	argv := c.entries[label].argv()
	behind, _ := behindGuard(argv)
	switch {
	case (start == nil) == (behind < 0):
		return c, nil
	case start != nil:
		after, err := c.wrapped(label, start)
		if err != nil {
			return nil, err
		}
		for _, before := range after.unwrapped(label) {
			if bytes.Equal(before.Data, c.Data) {
				return after, nil
			}
		}
		return nil, fail.New("its entry is spelled in a way that could not be given back").Hint("write the guard by hand: pinproof-capture guard LABEL")
	}
	for _, before := range c.unwrapped(label) {
		if again, err := before.wrapped(label, argv[:max(slices.Index(argv, "guard"), 1)]); err == nil && bytes.Equal(again.Data, c.Data) {
			return before, nil
		}
	}
	return nil, fail.New("its guard was put in by hand, or changed since: take it away by hand")
}

// An object is an entry as it is spelled, with changes to it.
type object struct {
	of      *Config
	members map[string]hujson.ObjectMember
	args    []hujson.Value // the elements of that list
	changes []change
}

// A change puts a text in the place of what stands from one offset to another.
type change struct {
	at, end int
	text    string
}

func (c *Config) object(label string) *object {
	o := &object{of: c, members: map[string]hujson.ObjectMember{}}
	root, _ := hujson.Parse(c.Data) // it was read before
	name := "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(label)
	entry := cmp.Or(root.Find("/mcpServers"+name), root.Find("/servers"+name))
	for _, m := range entry.Value.(*hujson.Object).Members {
		o.members[m.Name.Value.(hujson.Literal).String()] = m
	}
	if list, ok := o.members["args"].Value.Value.(*hujson.Array); ok {
		o.args = list.Elements
	}
	return o
}

func (o *object) raw(v hujson.Value) string { return string(o.of.Data[v.StartOffset:v.EndOffset]) }

func (o *object) put(at, end int, text string) { o.changes = append(o.changes, change{at, end, text}) }

// rename gives a member another name, as it is to be spelled, if it is there.
func (o *object) rename(from, to string) {
	if m, ok := o.members[from]; ok {
		o.put(m.Name.StartOffset, m.Name.EndOffset, to)
	}
}

// renameEach gives the members of a member other names.
func (o *object) renameEach(member string, rename func(string) string) {
	inner, ok := o.members[member].Value.Value.(*hujson.Object)
	if !ok {
		return
	}
	for _, m := range inner.Members {
		o.put(m.Name.StartOffset, m.Name.EndOffset, quoted(rename(m.Name.Value.(hujson.Literal).String()))[0])
	}
}

// apply makes the changes. There is no configuration where they contradict each other.
func (o *object) apply() (*Config, error) {
	slices.SortFunc(o.changes, func(a, b change) int { return a.at - b.at })
	var out []byte
	at := 0
	for _, c := range o.changes {
		if c.at < at || c.end < c.at {
			return nil, fail.New("its entry is spelled in another order")
		}
		out = append(append(out, o.of.Data[at:c.at]...), c.text...)
		at = c.end
	}
	return parse(o.of.File, append(out, o.of.Data[at:]...))
}

// wrapped puts the guard before a server. A command and its arguments go behind the guard's. So
// does an address, as it is spelled; its headers become the guard's environment, under other names, where
// clients fill in the same variables and no list of processes shows them, and its type stays under another key.
func (c *Config) wrapped(label string, start []string) (*Config, error) {
	e, o := c.entries[label], c.object(label)
	words := quoted(slices.Concat(start[1:], []string{"guard", label})...)
	command := quoted(start[0])[0]
	if e.Command != "" {
		if err := guardable(label, e.argv()); err != nil {
			return nil, err
		}
		was, args := o.members["command"].Value, o.members["args"].Value
		list := strings.Join(append(words, `"--"`, o.raw(was)), ", ")
		o.put(was.StartOffset, was.EndOffset, command)
		if args.Value == nil {
			o.put(was.EndOffset, was.EndOffset, `, "args": [`+list+"]")
		} else {
			o.put(args.StartOffset+1, args.StartOffset+1, list+behindWords(len(o.args) > 0))
		}
		return o.apply()
	}
	if err := e.refuse(); err != nil {
		f := fail.From(err)
		f.Hints = []string{"one that wants OAuth goes behind a bridge: pinproof-capture guard LABEL -- npx --no -- mcp-remote URL"}
		return nil, f
	}
	if _, hasEnv := o.members["env"]; e.URL == "" || e.HTTPURL != "" || hasEnv {
		return nil, fail.New("it has neither a command nor a plain url").Hint("a guard before an address: pinproof-capture guard LABEL URL")
	}
	if err := guardable(label, []string{e.URL}); err != nil {
		return nil, err
	}
	url := o.members["url"]
	words = append(words, o.raw(url.Value))
	for _, name := range slices.Sorted(maps.Keys(e.Headers)) {
		if !variableHeader.MatchString(name) {
			return nil, fail.New("its header %s can't be the name of a variable", text.Name(name)).
				Hint("write the guard by hand: pinproof-capture guard LABEL URL --header-env NAME=VARIABLE")
		}
		words = append(words, quoted("--header-env", name+"="+variableOf(name))...)
	}
	o.renameEach("headers", variableOf)
	if e.Type == "sse" {
		words = append(words, `"--sse"`)
	}
	o.put(url.Name.StartOffset, url.Name.EndOffset, `"command": `+command+`, "args"`)
	o.put(url.Value.StartOffset, url.Value.EndOffset, "["+strings.Join(words, ", ")+"]")
	o.rename("type", `"type": "stdio", "`+keptType+`"`)
	o.rename("headers", `"env"`)
	return o.apply()
}

// unwrapped returns what may have stood there before a guard.
func (c *Config) unwrapped(label string) (before []*Config) {
	try := func(o *object) {
		if config, err := o.apply(); err == nil {
			before = append(before, config)
		}
	}
	o := c.object(label)
	at, isURL := behindGuard(c.entries[label].argv())
	if at < 1 || at > len(o.args) {
		return nil
	}
	command, args, server := o.members["command"], o.members["args"], o.args[at-1]
	if isURL {
		o.put(command.Name.StartOffset, args.Name.EndOffset, `"url"`)
		o.put(args.Value.StartOffset, args.Value.EndOffset, o.raw(server))
		o.rename("env", `"headers"`)
		o.renameEach("env", func(variable string) string {
			return strings.ReplaceAll(strings.TrimPrefix(variable, headerPrefix), "_", "-")
		})
		if kept, ok := o.members[keptType]; ok {
			o.put(o.members["type"].Name.StartOffset, kept.Name.EndOffset, `"type"`)
		}
		try(o)
		return before
	}
	o.put(command.Value.StartOffset, command.Value.EndOffset, o.raw(server)) // with a list that was there
	o.put(args.Value.StartOffset+1, server.EndOffset+len(behindWords(at < len(o.args))), "")
	try(o)
	o.changes = nil
	o.put(command.Value.StartOffset, args.Value.EndOffset, o.raw(server)) // or with none
	try(o)
	return before
}

// byHand returns an entry of Codex's configuration as it should be, or "" if it is.
func (c *Config) byHand(label string, start []string) (entry string, err error) {
	argv := c.entries[label].argv()
	behind, _ := behindGuard(argv)
	if (start == nil) == (behind < 0) {
		return "", nil
	}
	words := argv[max(behind, 0):]
	if start != nil {
		words = slices.Concat(start, []string{"guard", label, "--"}, argv)
		err = guardable(label, argv)
	}
	if all := strings.Join(words, "") + label; err == nil && text.Printable(all) != all {
		err = fail.New("it has a character that can't be shown")
	}
	list := quoted(append(words, label)...)
	key, list := list[len(words)], list[:len(words)]
	if plainKey.MatchString(label) {
		key = label
	}
	entry = fmt.Sprintf("[mcp_servers.%s]\ncommand = %s\n", key, list[0])
	if len(list) > 1 {
		entry += fmt.Sprintf("args = [%s]\n", strings.Join(list[1:], ", "))
	}
	return entry, err
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

// keptType is the key of a server's type behind a guard, which clients don't know.
const keptType = "type-without-guard"

// headerPrefix begins the names of a guard's variables for headers, so that they mean nothing to
// other programs. A shell, through which npx starts the guard, drops a variable with a hyphen.
const headerPrefix = "HEADER_"

func variableOf(header string) string { return headerPrefix + strings.ReplaceAll(header, "-", "_") }

// variableHeader matches the names of headers that variableOf keeps apart.
var variableHeader = regexp.MustCompile(`^[A-Za-z0-9-]+$`)

// quoted are words as JSON and TOML spell them.
func quoted(words ...string) (list []string) {
	for _, word := range words {
		list = append(list, string(jsontree.AppendString(nil, word)))
	}
	return list
}

// behindWords stands behind a server's command in a list that was there. The blank tells a list with
// nothing in it from none.
func behindWords(more bool) string {
	if more {
		return ", "
	}
	return " "
}
