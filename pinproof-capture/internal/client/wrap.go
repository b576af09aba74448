package client

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/shell"
	"pinproof/internal/text"
	"pinproof/internal/workspace"
	"pinproof/pinproof-capture/internal/mcp"
)

// A GuardCommand is the command line that wrap puts before a server's.
type GuardCommand struct {
	// The words that start this program, and a description of them for a person.
	Argv        []string
	Description string

	// The flags of the guard.
	Flags []string
}

// WithGuard returns the configuration with guards before the servers, or without guards if g is nil. Comments stay. told
// shows a person how each server was started and how it is started now, without secrets. Codex's TOML isn't rewritten,
// because no TOML writer keeps the rest of a file unchanged. refused lists the servers that stay as they are, and why.
func (c *Config) WithGuard(g *GuardCommand) (out []byte, told string, refused []Result) {
	out = c.Data
	for _, id := range c.SelectedIDs {
		e := c.entries[id]
		if (g == nil) == (e.guard == nil) {
			continue // nothing is left to do
		}
		var words []string // to put before the server's command line
		var err error
		next := out
		if g != nil {
			words = slices.Concat(g.Argv, []string{"guard", id}, g.Flags)
			if e.Command != "" {
				words = append(words, "--")
			}
			err = e.wrappable(id)
		}
		if err == nil && !c.isTOML {
			next, err = c.edit(out, id, words)
		} else if err == nil && e.Command == "" {
			err = fail.New("it has no command; write there by hand: pinproof-capture guard ID URL")
		}
		if err != nil {
			refused = append(refused, Result{Server: id, Err: err})
			continue
		}
		out = next
		told += fmt.Sprintf("%s\n- %s\n+ %s\n", text.Printable(id), e.shown(e.guard), e.shown(words))
	}
	return out, told, refused
}

// shown returns the server's command line or URL after the words in before, for display without secrets.
func (e entry) shown(before []string) string {
	words := slices.Concat(before, e.argv())
	for i, word := range words {
		if strings.Contains(word, "://") {
			words[i] = mcp.RedactURL(word)
		}
	}
	return text.Printable(shell.QuoteAll(words))
}

// Unguarded returns the servers to which WithGuard would add a guard.
func (c *Config) Unguarded() []string {
	return slices.DeleteFunc(slices.Clone(c.SelectedIDs), func(id string) bool {
		e := c.entries[id]
		return e.guard != nil || e.wrappable(id) != nil
	})
}

// wrappable returns why a server can't get a guard, or nil.
func (e entry) wrappable(id string) error {
	const byHand = "write the guard by hand: pinproof-capture guard ID URL --header-env NAME=VARIABLE"
	if workspace.CaptureFileName(id) == "" {
		return fail.New(workspace.FileNameRule)
	}
	if e.Command != "" {
		return CheckNPMFlags(e.argv())
	}
	if err := e.refuse(); err != nil {
		return err
	}
	if e.URL == "" || e.HTTPURL != "" || e.Env != nil {
		return fail.New("it has neither a command nor a plain url").Hint(byHand)
	}
	for _, name := range slices.Sorted(maps.Keys(e.Headers)) {
		if !variableHeader.MatchString(name) {
			return fail.New("its header %s can't be the name of a variable", text.QuoteName(name)).Hint(byHand)
		}
	}
	return nil
}

// edit puts words before a server's command line or, if words is nil, removes its guard. It changes nothing else. It
// fails if the result wouldn't start the same server.
func (c *Config) edit(data []byte, id string, words []string) ([]byte, error) {
	root, err := hujson.Parse(data)
	if err != nil {
		return nil, err
	}
	p := patch{root: &root, place: jsontree.ExtendPointer("/"+c.place, id)}
	if e := c.entries[id]; words != nil {
		p.wrap(e, words)
	} else {
		p.unwrap(e)
	}
	text, err := json.Marshal(p.operations)
	if err == nil {
		err = root.Patch(text)
	}
	out := root.Pack()
	after, failed := parse(c.File, out)
	if err = cmp.Or(err, failed); err != nil || !c.entries[id].isSame(after.entries[id]) {
		return nil, fail.New("its entry can't be edited: write the guard by hand")
	}
	return out, nil
}

// isSame reports whether two entries start the same server.
func (e entry) isSame(f entry) bool {
	return e.Command == f.Command && slices.Equal(e.argv(), f.argv()) && maps.Equal(e.Headers, f.Headers) && (e.Type == "sse") == (f.Type == "sse")
}

// A patch is a JSON Patch (RFC 6902) of one server's entry.
type patch struct {
	root       *hujson.Value
	place      string
	operations []map[string]any
}

func (p *patch) has(path string) bool { return p.root.Find(p.place+path) != nil }

// put sets a member, or inserts an element.
func (p *patch) put(path string, value any) {
	p.operations = append(p.operations, map[string]any{"op": "add", "path": p.place + path, "value": value})
}

func (p *patch) remove(paths ...string) {
	for _, path := range paths {
		if p.has(path) {
			p.operations = append(p.operations, map[string]any{"op": "remove", "path": p.place + path})
		}
	}
}

// wrap puts the guard's words before a server's. A URL's headers become environment variables of the guard, because
// clients expand variables there, too, and no process list shows them.
func (p *patch) wrap(e entry, words []string) {
	if e.Command != "" {
		if len(e.Args) == 0 {
			p.put("/args", []string{})
		}
		for _, word := range slices.Backward(append(words, e.Command)[1:]) {
			p.put("/args/0", word)
		}
		p.put("/command", words[0])
		return
	}
	list := append(words[1:], e.URL)
	variables := map[string]string{}
	for _, header := range slices.Sorted(maps.Keys(e.Headers)) {
		list = append(list, "--header-env", header+"="+variableOf(header))
		variables[variableOf(header)] = e.Headers[header]
	}
	if e.Type == "sse" {
		list = append(list, "--sse")
	}
	p.put("/command", words[0])
	p.put("/args", list)
	if len(variables) > 0 {
		p.put("/env", variables)
	}
	if p.has("/type") {
		p.put("/type", "stdio")
	}
	p.remove("/url", "/headers")
}

// unwrap removes the guard.
func (p *patch) unwrap(e entry) {
	if e.Command != "" {
		p.put("/command", e.Command)
		// Remove as many words as the guard has: its first is not in args, but the server's command is.
		for range e.guard {
			p.remove("/args/0")
		}
		return
	}
	p.put("/url", e.URL)
	if len(e.Headers) > 0 {
		p.put("/headers", e.Headers)
	}
	if e.Type == "sse" {
		p.put("/type", "sse")
	} else if p.has("/type") {
		p.put("/type", "http")
	}
	p.remove("/command", "/args", "/env")
}

// variableOf returns the name of the guard's variable for a header. Its prefix makes other programs ignore it. It
// contains no hyphen, because npx starts the guard through a shell, which would drop such a variable.
func variableOf(header string) string { return "HEADER_" + strings.ReplaceAll(header, "-", "_") }

// variableHeader matches the header names for which variableOf returns different variables.
var variableHeader = regexp.MustCompile(`^[A-Za-z0-9-]+$`)
