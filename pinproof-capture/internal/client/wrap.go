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
func (c *Config) Rewrite(labels, start []string) (out []byte, byHand string, refused []Result) {
	for _, label := range labels {
		next, entry, e, err := c, "", c.entries[label], error(nil)
		if (start == nil) == (e.guard == nil) {
			continue // nothing is left to do
		}
		if start != nil {
			err = e.guardable(label)
		}
		if err == nil && c.isTOML {
			entry, err = e.byHand(label, start)
		} else if err == nil {
			next, err = c.rewrite(label, start)
		}
		if err != nil {
			refused = append(refused, Result{Label: label, Err: err})
			continue
		}
		c, byHand = next, byHand+entry
	}
	return c.Data, byHand, refused
}

// guardable says why a server can't be put behind the guard.
func (e entry) guardable(label string) error {
	const byHand = "write the guard by hand: pinproof-capture guard LABEL URL --header-env NAME=VARIABLE"
	switch err := e.refuse(); {
	case mcp.FileName(label) == "":
		return fail.New(mcp.NoFileName)
	case e.Command != "":
		return CheckLaunch(e.argv())
	case err != nil:
		return err
	case e.URL == "" || e.HTTPURL != "" || e.Env != nil:
		return fail.New("it has neither a command nor a plain url").Hint(byHand)
	}
	for _, name := range slices.Sorted(maps.Keys(e.Headers)) {
		if !variableHeader.MatchString(name) {
			return fail.New("its header %s can't be the name of a variable", text.Name(name)).Hint(byHand)
		}
	}
	return nil
}

// byHand returns an entry of Codex's configuration as it should be.
func (e entry) byHand(label string, start []string) (string, error) {
	words := e.argv()
	if start != nil {
		words = slices.Concat(start, []string{"guard", label, "--"}, words)
	}
	if e.Command == "" {
		return "", fail.New("it has no command: write there by hand: pinproof-capture guard LABEL URL")
	} else if all := strings.Join(words, "") + label; text.Printable(all) != all {
		return "", fail.New("it has a character that can't be shown")
	}
	return fmt.Sprintf("[mcp_servers.%s]\ncommand = %s\nargs = [%s]\n", spelled(label), spelled(words[0]), spelled(words[1:]...)), nil
}

// spelled are words as JSON and TOML spell them in a list.
func spelled(words ...string) string {
	var list []string
	for _, word := range words {
		list = append(list, string(jsontree.AppendString(nil, word)))
	}
	return strings.Join(list, ", ")
}

// rewrite rewrites one server. Wrapping and unwrapping must be the inverse of each other to the
// byte, for this very text: what can't be given back isn't wrapped, and a guard that wrap
// wouldn't write is left to whoever wrote it.
func (c *Config) rewrite(label string, start []string) (*Config, error) {
	why, guard := "its entry is spelled in a way that could not be given back: write the guard by hand", []string(nil)
	if start == nil {
		why, guard = "its guard was put in by hand, or changed since: take it away by hand", c.entries[label].guard
		guard = guard[:slices.Index(guard, "guard")]
	}
	if after, err := c.edit(label, start); err == nil {
		if before, err := after.edit(label, guard); err == nil && bytes.Equal(before.Data, c.Data) {
			return after, nil
		}
	}
	return nil, fail.New("%s", why)
}

// edit puts the guard before a server, or takes it away if start is nil.
func (c *Config) edit(label string, start []string) (*Config, error) {
	root, _ := hujson.Parse(c.Data) // it was read before
	name := "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(label)
	o := object{data: c.Data, members: map[string]hujson.ObjectMember{}}
	for _, m := range cmp.Or(root.Find("/mcpServers"+name), root.Find("/servers"+name)).Value.(*hujson.Object).Members {
		o.members[m.Name.Value.(hujson.Literal).String()] = m
	}
	switch e := c.entries[label]; {
	case start != nil:
		o.wrap(e, label, start)
	case e.guard != nil:
		o.unwrap(e)
	default: // this program has another name
		return nil, fail.New("its guard isn't known for one")
	}
	slices.SortFunc(o.changes, func(a, b change) int { return a.at - b.at })
	var out []byte
	at := 0
	for _, change := range o.changes {
		if change.at < at || change.end < change.at {
			return nil, fail.New("its members stand in another order")
		}
		out = append(append(out, c.Data[at:change.at]...), change.text...)
		at = change.end
	}
	return parse(c.File, append(out, c.Data[at:]...))
}

// An object is an entry as it is spelled, with changes to it.
type object struct {
	data    []byte
	members map[string]hujson.ObjectMember
	changes []change
}

// A change puts a text in the place of what stands from one offset to another.
type change struct {
	at, end int
	text    string
}

func (o *object) put(at, end int, text string) { o.changes = append(o.changes, change{at, end, text}) }

func (o *object) replace(v hujson.Value, text string) { o.put(v.StartOffset, v.EndOffset, text) }

func (o *object) raw(v hujson.Value) string { return string(o.data[v.StartOffset:v.EndOffset]) }

// rename gives a member another name, and the members in it, if it is there.
func (o *object) rename(from, to string, each func(string) string) {
	m, ok := o.members[from]
	if !ok {
		return
	}
	o.replace(m.Name, spelled(to))
	if inner, ok := m.Value.Value.(*hujson.Object); ok {
		for _, m := range inner.Members {
			o.replace(m.Name, spelled(each(m.Name.Value.(hujson.Literal).String())))
		}
	}
}

// wrap puts the guard before a server, which goes behind the guard's words as it is spelled. An
// address' headers become the guard's environment, under other names, where clients fill in the same
// variables and no list of processes shows them, and its type stays under another key.
func (o *object) wrap(e entry, label string, start []string) {
	name, words := "url", slices.Concat(start[1:], []string{"guard", label})
	if e.Command != "" {
		name, words = "command", append(words, "--")
	}
	server, args := o.members[name], o.members["args"].Value
	list := spelled(words...) + ", " + o.raw(server.Value)
	if e.Command != "" && args.Value != nil {
		o.replace(server.Value, spelled(start[0]))
		end := " " // tells a list with nothing in it from none
		if len(e.Args) > 0 {
			end = ", "
		}
		o.put(args.StartOffset+1, args.StartOffset+1, list+end)
		return
	}
	if e.Command == "" {
		for _, header := range slices.Sorted(maps.Keys(e.Headers)) {
			list += ", " + spelled("--header-env", header+"="+variableOf(header))
		}
		if e.Type == "sse" {
			list += ", " + spelled("--sse")
		}
		if kind, ok := o.members["type"]; ok {
			o.replace(kind.Name, `"type": "stdio", `+spelled(keptType))
		}
		o.rename("headers", "env", variableOf)
	}
	o.replace(server.Name, `"command": `+spelled(start[0])+`, "args"`)
	o.replace(server.Value, "["+list+"]")
}

// unwrap undoes wrap.
func (o *object) unwrap(e entry) {
	command, args := o.members["command"], o.members["args"]
	list := args.Value.Value.(*hujson.Array).Elements // where the guard's words and the server are
	server := list[len(e.guard)-1]
	end := server.EndOffset + 1
	if e.Command != "" && end < args.Value.EndOffset {
		o.replace(command.Value, o.raw(server))
		if len(list) > len(e.guard) {
			end++
		}
		o.put(args.Value.StartOffset+1, end, "")
		return
	}
	name := "command"
	if e.Command == "" {
		name = "url"
		o.rename("env", "headers", func(variable string) string {
			return strings.ReplaceAll(strings.TrimPrefix(variable, headerPrefix), "_", "-")
		})
		if kept, ok := o.members[keptType]; ok {
			o.put(o.members["type"].Name.StartOffset, kept.Name.EndOffset, `"type"`)
		}
	}
	o.put(command.Name.StartOffset, args.Name.EndOffset, spelled(name))
	o.replace(args.Value, o.raw(server))
}

// keptType is the key of a server's type behind a guard, which clients don't know.
const keptType = "type-without-guard"

// headerPrefix begins the names of a guard's variables for headers, so that they mean nothing to
// other programs. A shell, through which npx starts the guard, drops a variable with a hyphen.
const headerPrefix = "HEADER_"

func variableOf(header string) string { return headerPrefix + strings.ReplaceAll(header, "-", "_") }

// variableHeader matches the names of headers that variableOf keeps apart.
var variableHeader = regexp.MustCompile(`^[A-Za-z0-9-]+$`)
