package main

import (
	"fmt"
	"strconv"
	"strings"
)

// A manifest is one server's tools/list result as saved.
type manifest struct {
	path  string
	lists [][]tool // complete lists of one session: equal, or the manifest is ambiguous
	about string   // the server's own name and version, printable; for display only
	noise int      // lines passed over

	emptyCursor bool // an empty cursor was met: whether it ends the list is the policy's to say
}

// A tool is one entry of a list, as received.
type tool struct {
	name         string
	raw          []byte // its JSON text: a definition
	values       int    // JSON values in it
	line, column int    // where it begins, from 1; columns count bytes
}

// The member names that the specification gives a meaning, through revision
// 2026-07-28, in each object a client reads by name.
var (
	messageMembers    = []string{"jsonrpc", "id", "method", "params", "result", "error"}
	resultMembers     = []string{"tools", "nextCursor", "_meta", "resultType", "ttlMs", "cacheScope"}
	toolMembers       = []string{"name", "title", "description", "icons", "inputSchema", "outputSchema", "annotations", "execution", "_meta"}
	annotationMembers = []string{"title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
	executionMembers  = []string{"taskSupport"}
)

// reader makes one list of the JSON values of a file.
type reader struct {
	stream
	emptyCursorEnds bool
	emptyCursor     bool // one was met

	lists    [][]tool
	page     []tool // pages of a list whose end has not come yet
	open     bool   // the last page has a cursor that none followed
	cursor   span   // that cursor
	lastPage int    // offset of the last page

	bare, messages bool
	firstBare      int
	asked          map[string]bool // ids of tools/list requests, as JSON text
	errors         []errorAnswer
	about          string
}

type errorAnswer struct {
	id   string
	at   int
	text string
}

// parseManifest reads a saved tools/list result in any of the shapes people
// save: a JSON-RPC response, a bare result, a bare array, a batch, pages one
// after another, the transcript of a stdio session, an event stream. It refuses
// rather than guesses; see scanValue for what is refused in JSON itself.
func parseManifest(path string, data []byte, emptyCursorEnds bool) (manifest, error) {
	return scanManifest(path, data).manifest(emptyCursorEnds)
}

// scanned is a file whose JSON values were found, or what is wrong with them: the
// part of reading that needs no policy, and can go on beside other work.
type scanned struct {
	stream stream
	values []span
	err    error
}

func scanManifest(path string, data []byte) *scanned {
	s := &scanned{stream: newStream(path, data)}
	s.values, s.err = s.stream.values()
	return s
}

// manifest makes one list of the values.
func (s *scanned) manifest(emptyCursorEnds bool) (manifest, error) {
	if s.err != nil {
		return manifest{}, s.err
	}
	r := &reader{stream: s.stream, emptyCursorEnds: emptyCursorEnds, asked: map[string]bool{}}
	for _, v := range s.values {
		if err := r.message(v, len(s.values) == 1); err != nil {
			return manifest{}, err
		}
	}
	if err := r.finish(); err != nil {
		return manifest{}, err
	}
	return manifest{path: r.path, lists: r.lists, about: r.about, noise: r.noise, emptyCursor: r.emptyCursor}, nil
}

// folds reports whether s equals the ASCII name under Unicode case folding,
// simple or full (CaseFolding.txt): clients with folding decoders take such a
// member for the real one. The table has every character that folds to ASCII.
func folds(s, name string) bool {
	i := 0
	for _, c := range s {
		folded := ""
		switch {
		case c >= 'A' && c <= 'Z':
			folded = string(c + 'a' - 'A')
		case c < 0x80:
			folded = string(c)
		case c == 0x17f:
			folded = "s"
		case c == 0x212a:
			folded = "k"
		case c == 0xdf || c == 0x1e9e:
			folded = "ss"
		case c == 0xfb00:
			folded = "ff"
		case c == 0xfb01:
			folded = "fi"
		case c == 0xfb02:
			folded = "fl"
		case c == 0xfb03:
			folded = "ffi"
		case c == 0xfb04:
			folded = "ffl"
		case c == 0xfb05 || c == 0xfb06:
			folded = "st"
		default:
			return false
		}
		if len(name)-i < len(folded) || !strings.EqualFold(name[i:i+len(folded)], folded) {
			return false
		}
		i += len(folded)
	}
	return i == len(name)
}

// checkFolding refuses a member that equals a specified name only when folded.
func (r *reader) checkFolding(members []span, specified []string, where string) error {
	for _, m := range members {
		for _, s := range specified {
			if m.name != s && folds(m.name, s) {
				return r.failAt(m.start, "%smember %s differs from %q by letter case only: some clients read it as the real one",
					where, quotedName(m.name), s)
			}
		}
	}
	return nil
}

// message takes one JSON value of the file. Alone in it, it may be a bare list.
func (r *reader) message(v span, alone bool) error {
	switch r.data[v.start] {
	case '[':
		return r.array(v, alone)
	case '{':
		return r.object(v)
	}
	r.noise++ // a scalar between messages
	return nil
}

func (r *reader) array(v span, alone bool) error {
	items := v.list(r.data, maxTools)
	if len(items) > maxTools {
		return r.failAt(v.start, "more than 50,000 entries")
	}
	if len(items) > 0 && r.isMessage(items[0]) {
		for _, item := range items {
			if !r.isMessage(item) {
				return r.failAt(item.start, "neither a batch of messages nor a list of tools")
			}
		}
		for _, item := range items {
			if err := r.object(item); err != nil {
				return err
			}
		}
		return nil
	}
	if !alone {
		return r.failAt(v.start, "a bare list among messages: not something a client would read")
	}
	r.bareAt(v.start)
	return r.list(items, "", v.start)
}

// isMessage tells an element of a batch from a tool.
func (r *reader) isMessage(v span) bool {
	if r.data[v.start] != '{' {
		return false
	}
	members, err := r.members(v)
	if err != nil {
		return false // object says so again
	}
	for _, key := range []string{"jsonrpc", "method", "result", "error"} {
		if _, ok := member(members, key); ok {
			_, named := member(members, "name")
			return !named || key == "jsonrpc"
		}
	}
	return false
}

func (r *reader) bareAt(at int) {
	if !r.bare {
		r.bare, r.firstBare = true, at
	}
}

// members lists the members of an object outside definitions.
func (r *reader) members(v span) ([]span, error) {
	list := v.list(r.data, maxMembers)
	if len(list) > maxMembers {
		return nil, r.failAt(v.start, "more than 10,000 members in a message")
	}
	return list, nil
}

func (r *reader) object(v span) error {
	members, err := r.members(v)
	if err != nil {
		return err
	}
	if err := r.checkFolding(members, messageMembers, ""); err != nil {
		return err
	}
	has := func(key string) bool { _, ok := member(members, key); return ok }
	switch {
	case has("mcpServers"):
		return r.failAt(-1, `a client configuration ("mcpServers"), not an answer to tools/list`).hint("%s", captureHint)
	case has("lockfileVersion") && has("servers"):
		return r.failAt(-1, "a lockfile, where a saved tools/list belongs").
			hint("the manifest comes first, the lockfile second: pinproof COMMAND MANIFEST %s", shellPath(r.path))
	case has("manifest_version") || has("dxt_version"):
		return r.failAt(-1, `a bundle's manifest ("manifest_version"), not what its server lists`).hint("%s", captureHint)
	case has("tools") && (has("result") || has("error") || has("method")):
		return r.failAt(v.start, `fits two shapes: "tools" beside "result", "error" or "method"`)
	case has("result") && (has("error") || has("method")):
		return r.failAt(v.start, `fits two shapes: "result" beside "error" or "method"`)
	}
	id, _ := member(members, "id")
	r.messages = r.messages || has("jsonrpc")
	if has("tools") {
		if has("jsonrpc") {
			return r.failAt(v.start, `fits two shapes: "tools" beside "jsonrpc"`)
		}
		r.bareAt(v.start)
		return r.result(members, v.start)
	}
	if m, ok := member(members, "method"); ok {
		if method, _ := unquote(m.of(r.data)); method == "tools/list" && has("id") {
			r.asked[messageID(id.of(r.data))] = true
		}
		return nil
	}
	if e, ok := member(members, "error"); ok {
		r.errors = append(r.errors, errorAnswer{id: messageID(id.of(r.data)), at: v.start, text: r.errorText(e)})
		return nil
	}
	if result, ok := member(members, "result"); ok && r.data[result.start] == '{' {
		inner, err := r.members(result)
		if err != nil {
			return err
		}
		if _, ok := member(inner, "tools"); ok && !has("jsonrpc") {
			r.bareAt(v.start)
		}
		return r.result(inner, v.start)
	}
	return nil
}

// messageID is equal for ids that are one value: a string or a number, however it
// is spelled.
func messageID(raw []byte) string {
	if s, ok := unquote(raw); ok {
		return "text " + s
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return string(raw)
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// errorText is what an error response says, for a message of ours.
func (r *reader) errorText(e span) string {
	if r.data[e.start] != '{' {
		return ""
	}
	m, _ := member(e.list(r.data, maxMembers), "message")
	said, _ := unquote(m.of(r.data))
	if said == "" {
		return ""
	}
	return ": " + quotedName(said)
}

func (r *reader) result(members []span, at int) error {
	tools, listed := member(members, "tools")
	if err := r.checkFolding(members, resultMembers, "result: "); err != nil {
		return err
	}
	if t, ok := member(members, "resultType"); ok {
		if s, _ := unquote(t.of(r.data)); s != "complete" {
			return r.failAt(t.start, `"resultType" is not "complete": the server has not answered yet`)
		}
	}
	if !listed {
		if info, ok := member(members, "serverInfo"); ok && r.about == "" && r.data[info.start] == '{' {
			inner := info.list(r.data, maxMembers)
			n, _ := member(inner, "name")
			v, _ := member(inner, "version")
			title, _ := unquote(n.of(r.data))
			version, _ := unquote(v.of(r.data))
			if r.about = quotedName(title); version != "" {
				r.about += " " + quotedName(version)
			}
		}
		return nil
	}
	if r.data[tools.start] != '[' {
		return r.failAt(tools.start, `"tools" is not an array`)
	}
	cursor := ""
	if c, ok := member(members, "nextCursor"); ok && r.data[c.start] != 'n' {
		s, isText := unquote(c.of(r.data))
		if !isText {
			return r.failAt(c.start, `"nextCursor" is neither a string nor null`)
		}
		r.emptyCursor = r.emptyCursor || s == ""
		if s != "" || !r.emptyCursorEnds {
			cursor = string(c.of(r.data))
			r.cursor = c
		}
	}
	return r.list(tools.list(r.data, maxTools), cursor, at)
}

// list adds one page: the last of its list if it has no cursor.
func (r *reader) list(items []span, cursor string, at int) error {
	if len(r.page)+len(items) > maxTools {
		return r.failAt(at, "more than 50,000 tools")
	}
	for i, item := range items {
		t, err := r.tool(item, i)
		if err != nil {
			return err
		}
		r.page = append(r.page, t)
	}
	r.lastPage = at
	if r.open = cursor != ""; !r.open {
		r.lists = append(r.lists, r.page)
		r.page = nil
	}
	return nil
}

func (r *reader) tool(v span, i int) (tool, error) {
	if r.data[v.start] != '{' {
		return tool{}, r.failAt(v.start, "tool %d of the list is no object", i+1)
	}
	problem := v.tooLarge()
	if v.end-v.start > maxToolBytes {
		problem = "a definition of more than 4 MiB"
	}
	if problem != "" {
		return tool{}, r.failAt(v.start, "tool %d of the list: %s", i+1, problem)
	}
	members := v.list(r.data, maxToolValues)
	toolName, where := "", fmt.Sprintf("tool %d of the list: ", i+1)
	if n, ok := member(members, "name"); ok {
		if toolName, _ = unquote(n.of(r.data)); toolName != "" {
			where = "tool " + quotedName(toolName) + ": "
		}
	}
	if err := r.checkFolding(members, toolMembers, where); err != nil {
		return tool{}, err
	}
	has := func(key string) bool { _, ok := member(members, key); return ok }
	if !has("inputSchema") {
		for _, wrong := range []string{"input_schema", "parameters", "function"} {
			if has(wrong) {
				return tool{}, r.failAt(v.start, `%s%q instead of "inputSchema": a model API's list, not a server's own`, where, wrong).
					hint("%s", captureHint)
			}
		}
	}
	if toolName == "" {
		return tool{}, r.failAt(v.start, `%sno "name" that is a non-empty string`, where)
	}
	for _, part := range []struct {
		member    string
		specified []string
	}{{"annotations", annotationMembers}, {"execution", executionMembers}} {
		p, ok := member(members, part.member)
		if !ok || r.data[p.start] != '{' {
			continue
		}
		inner := p.list(r.data, maxToolValues)
		if err := r.checkFolding(inner, part.specified, where+part.member+": "); err != nil {
			return tool{}, err
		}
	}
	line, column := r.position(v.start)
	return tool{name: toolName, raw: v.of(r.data), values: v.values, line: line, column: column}, nil
}

// finish decides whether what was read is one complete list.
func (r *reader) finish() error {
	if r.bare && r.messages {
		return r.failAt(r.firstBare, "a bare list among messages: not something a client would read")
	}
	for _, e := range r.errors {
		if len(r.lists) == 0 && !r.open || e.id != "" && r.asked[e.id] {
			return r.failAt(e.at, "the server answered with an error%s", e.text).
				hint("capture again once the server lists its tools")
		}
	}
	if r.open {
		f := r.failAt(r.lastPage, `an unfinished list: "nextCursor" of its last page says that more tools follow`).
			hint("ask for the next page with that cursor and append the answer to the file")
		if s, _ := unquote(r.cursor.of(r.data)); s == "" {
			f.hint("if this server sends an empty cursor on its last page: pinproof lock --empty-cursor-ends %s", shellPath(r.path))
		}
		return f
	}
	if len(r.lists) == 0 {
		what := "no answer to tools/list in it"
		if r.noise > 0 {
			what += fmt.Sprintf(" (%s passed over)", plural(r.noise, "line")+" of noise")
		}
		return r.failAt(-1, "%s", what).hint("%s", captureHint)
	}
	return nil
}
