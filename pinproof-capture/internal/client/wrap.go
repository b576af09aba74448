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

// A Guard is how wrap writes the guard before a server.
type Guard struct {
	Start []string // how this program is started
	Flags []string // of the guard
}

// before returns the words that the guard puts in front of a server.
func (g *Guard) before(id string, e entry) []string {
	words := slices.Concat(g.Start, []string{"guard", id}, g.Flags)
	if e.Command != "" {
		words = append(words, "--")
	}
	return words
}

// Rewrite returns the configuration with guards before these servers, or without guards if g is nil. All
// else stays byte for byte. Codex's TOML isn't rewritten, because no writer leaves the rest as it is:
// byHand has the entries for a person to write. refused says which servers stay as they are, and why.
func (c *Config) Rewrite(ids []string, g *Guard) (out []byte, byHand string, refused []Result) {
	for _, id := range ids {
		e := c.entries[id]
		if e.foreign == "" && (g == nil) == (e.guard == nil) {
			continue // nothing is left to do
		}
		next, entry, err := c.rewritten(id, g)
		if err != nil {
			refused = append(refused, Result{Server: id, Err: err})
			continue
		}
		c = next
		byHand += entry
	}
	return c.Data, byHand, refused
}

// rewritten rewrites one server, or says what a person should write for it.
func (c *Config) rewritten(id string, g *Guard) (next *Config, byHand string, err error) {
	e := c.entries[id]
	if e.foreign != "" {
		return nil, "", fail.New("%s", e.foreign).Hint("if it is meant to be there, leave it; if not, remove it by hand")
	}
	var words []string
	if g != nil {
		if err := e.guardable(id); err != nil {
			return nil, "", err
		}
		words = g.before(id, e)
	}
	if c.isTOML {
		byHand, err = e.byHand(id, words)
		return c, byHand, err
	}
	next, err = c.rewrite(id, words)
	return next, "", err
}

// Unguarded returns those of the servers that Rewrite would put a guard in front of.
func (c *Config) Unguarded(ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		e := c.entries[id]
		return e.guard != nil || e.foreign != "" || e.guardable(id) != nil
	})
}

// GuardFlags returns the flags that the guard of a server has in the configuration, without those that
// say how the server is reached.
func (c *Config) GuardFlags(id string) []string { return c.entries[id].flags }

// Secrets returns the parts of the configuration's text that no message may have: the values of servers'
// headers and the queries of their addresses, as they are spelled.
func (c *Config) Secrets() (list []string) {
	if c.isTOML {
		return nil // no line of TOML is shown
	}
	root, _ := hujson.Parse(c.Data)
	for id := range c.entries {
		o := c.object(&root, id)
		for _, name := range []string{"headers", "env"} {
			inner, _ := o.members[name].Value.Value.(*hujson.Object)
			if inner == nil {
				continue
			}
			for _, m := range inner.Members {
				isHeader := name == "headers" || strings.HasPrefix(m.Name.Value.(hujson.Literal).String(), headerPrefix)
				if value := o.raw(m.Value); isHeader && len(value) > 2 {
					list = append(list, value[1:len(value)-1])
				}
			}
		}
		for _, name := range []string{"url", "httpUrl", "args"} {
			for _, raw := range strings.Split(o.raw(o.members[name].Value), `"`) {
				if _, query, ok := strings.Cut(raw, "?"); ok && strings.Contains(raw, "://") && query != "" {
					list = append(list, query)
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b string) int { return len(b) - len(a) })
	return list
}

// guardable says why a server can't be put behind the guard.
func (e entry) guardable(id string) error {
	const byHand = "write the guard by hand: pinproof-capture guard ID URL --header-env NAME=VARIABLE"
	if mcp.FileName(id) == "" {
		return fail.New(mcp.NoFileName)
	}
	if e.Command != "" {
		return CheckLaunch(e.argv())
	}
	if err := e.refuse(); err != nil {
		return err
	}
	if e.URL == "" || e.HTTPURL != "" || e.Env != nil {
		return fail.New("it has neither a command nor a plain url").Hint(byHand)
	}
	for _, name := range slices.Sorted(maps.Keys(e.Headers)) {
		if !variableHeader.MatchString(name) {
			return fail.New("its header %s can't be the name of a variable", text.Name(name)).Hint(byHand)
		}
	}
	return nil
}

// byHand returns an entry of Codex's configuration as it should be, with these words before the server.
func (e entry) byHand(id string, before []string) (string, error) {
	words := slices.Concat(before, e.argv())
	if e.Command == "" {
		return "", fail.New("it has no command; write there by hand: pinproof-capture guard ID URL")
	} else if all := strings.Join(words, "") + id; text.Printable(all) != all {
		return "", fail.New("it has a character that can't be shown")
	}
	return fmt.Sprintf("[mcp_servers.%s]\ncommand = %s\nargs = [%s]\n", spelled(id), spelled(words[0]), spelled(words[1:]...)), nil
}

// spelled returns words as JSON and TOML spell them in a list.
func spelled(words ...string) string {
	var list []string
	for _, word := range words {
		list = append(list, string(jsontree.AppendString(nil, word)))
	}
	return strings.Join(list, ", ")
}

// rewrite puts words before one server, or takes its guard away if there are none. For this very text,
// wrapping and unwrapping must undo each other to the byte: an entry that couldn't be restored isn't
// wrapped, and a guard that wrap wouldn't write is left to whoever wrote it.
func (c *Config) rewrite(id string, words []string) (*Config, error) {
	why := "its entry couldn't be restored byte for byte: write the guard by hand"
	if words == nil {
		why = "its guard was added by hand, or changed since: remove it by hand"
	}
	after, err := c.edit(id, words)
	if err != nil {
		return nil, fail.New("%s", why)
	}
	before, err := after.edit(id, c.entries[id].guard)
	if err != nil || !bytes.Equal(before.Data, c.Data) {
		return nil, fail.New("%s", why)
	}
	return after, nil
}

// object returns the entry of a server as it is spelled.
func (c *Config) object(root *hujson.Value, id string) object {
	name := "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(id)
	o := object{data: c.Data, members: map[string]hujson.ObjectMember{}}
	for _, m := range cmp.Or(root.Find("/mcpServers"+name), root.Find("/servers"+name), root.Find("/mcp_servers"+name)).Value.(*hujson.Object).Members {
		o.members[m.Name.Value.(hujson.Literal).String()] = m
	}
	return o
}

// edit puts words before a server, or takes its guard away if there are none.
func (c *Config) edit(id string, words []string) (*Config, error) {
	root, _ := hujson.Parse(c.Data) // it was read before
	o := c.object(&root, id)
	switch e := c.entries[id]; {
	case words != nil:
		o.wrap(e, words)
	case e.guard != nil:
		o.unwrap(e)
	default: // such as if this program has another name
		return nil, fail.New("its guard isn't recognized")
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

// A change replaces what is between two offsets with a text.
type change struct {
	at, end int
	text    string
}

func (o *object) put(at, end int, text string) { o.changes = append(o.changes, change{at, end, text}) }

func (o *object) replace(v hujson.Value, text string) { o.put(v.StartOffset, v.EndOffset, text) }

func (o *object) raw(v hujson.Value) string { return string(o.data[v.StartOffset:v.EndOffset]) }

// rename gives a member another name, if it is there, and each of the members in it as well.
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

// wrap puts the guard's words before a server, which keeps its spelling. The headers of an address
// become the guard's environment, under other names: clients fill in the same variables there, and no
// list of processes shows them. Its type is kept under another key.
func (o *object) wrap(e entry, words []string) {
	name := "url"
	if e.Command != "" {
		name = "command"
	}
	server := o.members[name]
	args := o.members["args"].Value
	list := spelled(words[1:]...) + ", " + o.raw(server.Value)
	if e.Command != "" && args.Value != nil {
		o.replace(server.Value, spelled(words[0]))
		// The blank tells an empty list from none at all, for unwrap.
		end := " "
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
	o.replace(server.Name, `"command": `+spelled(words[0])+`, "args"`)
	o.replace(server.Value, "["+list+"]")
}

// unwrap undoes wrap.
func (o *object) unwrap(e entry) {
	command := o.members["command"]
	args := o.members["args"]
	// Where the guard's words and the server are.
	list := args.Value.Value.(*hujson.Array).Elements
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
// other programs. These names have no hyphen: npx starts the guard through a shell, which would drop them.
const headerPrefix = "HEADER_"

func variableOf(header string) string { return headerPrefix + strings.ReplaceAll(header, "-", "_") }

// variableHeader matches the names of headers that variableOf keeps apart.
var variableHeader = regexp.MustCompile(`^[A-Za-z0-9-]+$`)
