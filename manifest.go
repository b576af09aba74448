package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// A manifest is one server's tools/list result as saved.
type manifest struct {
	path  string
	lists [][]tool // complete lists of one session: equal, or the manifest is ambiguous
	about string   // the server's own name and version, printable; for display only
	noise int      // lines passed over
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

// reader takes one file apart. It knows where it is, for messages.
type reader struct {
	path            string
	data            []byte
	emptyCursorEnds bool

	// line and column of offset at, moved forward only
	at, line, lineStart int

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
	noise          int
	budget         int
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
	r := &reader{path: path, data: data, emptyCursorEnds: emptyCursorEnds, line: 1, budget: maxParts, asked: map[string]bool{}}
	if err := r.read(); err != nil {
		return manifest{}, err
	}
	return manifest{path: path, lists: r.lists, about: r.about, noise: r.noise}, nil
}

func (r *reader) read() error {
	if len(r.data) > maxManifestBytes {
		return r.failAt(-1, "more than 64 MiB: not one server's list of tools")
	}
	if err := r.notJSON(); err != nil {
		return err
	}
	r.data = bytes.TrimPrefix(r.data, []byte("\ufeff"))
	values, err := r.sequence()
	if err != nil {
		var bad *readError
		if !errors.As(err, &bad) {
			return err
		}
		if !bad.grammar && grammatical(r.data) {
			return r.failAt(bad.at, "%s", bad.text)
		}
		if events := eventStream(r.data); events != nil {
			r.data = events
			values, err = r.events()
		} else {
			values, err = r.lines()
		}
		if err != nil || len(values) == 0 {
			// One value over several lines that breaks off inside is
			// better told where it breaks than as lines of noise.
			if bytes.ContainsAny(r.data[bad.from:bad.at], "\r\n") || err == nil && r.noise < 2 {
				return r.failAt(bad.at, "%s", bad.text).hint("%s", captureHint)
			}
			if err != nil {
				return err
			}
		}
	}
	for _, v := range values {
		if err := r.message(v, len(values) == 1); err != nil {
			return err
		}
	}
	return r.finish()
}

const captureHint = "save a server's answer first: sh capture.sh OUT.jsonl -- COMMAND"

// failAt is an error at an offset, or of the file as a whole where at is -1.
func (r *reader) failAt(at int, format string, args ...any) *failure {
	where := printable(r.path)
	if at >= 0 {
		line, column := r.position(at)
		where += ":" + strconv.Itoa(line) + ":" + strconv.Itoa(column)
	}
	return fail("%s: %s", where, fmt.Sprintf(format, args...))
}

// position counts lines as editors do, ended by LF, CRLF or a lone CR.
func (r *reader) position(at int) (line, column int) {
	if at < r.at {
		r.at, r.line, r.lineStart = 0, 1, 0
	}
	passed := r.data[r.at:at]
	r.line += bytes.Count(passed, []byte("\n"))
	last := bytes.LastIndexByte(passed, '\n')
	for i := 0; ; i++ {
		next := bytes.IndexByte(passed[i:], '\r')
		if next < 0 {
			break
		}
		i += next
		if behind := r.at + i + 1; behind == len(r.data) || r.data[behind] != '\n' {
			r.line++
			last = max(last, i)
		}
	}
	if last >= 0 {
		r.lineStart = r.at + last + 1
	}
	r.at = at
	return r.line, at - r.lineStart + 1
}

// notJSON names what people hand over by mistake.
func (r *reader) notJSON() error {
	head := bytes.ToLower(bytes.TrimLeft(r.data[:min(len(r.data), 512)], " \t\r\n\ufeff"))
	at := func(magic string) bool { return bytes.HasPrefix(r.data, []byte(magic)) }
	switch {
	case len(bytes.TrimSpace(bytes.TrimPrefix(r.data, []byte("\ufeff")))) == 0:
		return r.failAt(-1, "empty: the server printed nothing").hint("see what the server wrote to its standard error")
	case at("\xff\xfe"), at("\xfe\xff"), len(r.data) > 1 && (r.data[0] == 0 || r.data[1] == 0):
		return r.failAt(-1, "UTF-16 text; JSON is UTF-8").hint("in PowerShell, save with: | Out-File -Encoding utf8NoBOM")
	case at("\x1f\x8b"):
		return r.failAt(-1, "gzip data").hint("unpack it first: gunzip -c FILE > OUT.json")
	case at("PK\x03\x04"):
		return r.failAt(-1, "a zip archive (an MCP bundle?), not an answer to tools/list").hint("%s", captureHint)
	case bytes.HasPrefix(head, []byte("<!doctype")), bytes.HasPrefix(head, []byte("<html")), bytes.HasPrefix(head, []byte("<?xml")):
		return r.failAt(-1, "a web page, not an answer to tools/list: the address or the login was wrong").hint("%s", captureHint)
	}
	return nil
}

// sequence reads the file as JSON values one after another.
func (r *reader) sequence() ([]span, error) {
	var values []span
	for at := 0; ; {
		start, end, err := scanValue(r.data, at, strictness{})
		if err == io.EOF {
			return values, nil
		}
		if err != nil {
			return nil, err
		}
		v, err := r.outline(start)
		if err != nil {
			return nil, err
		}
		if values = append(values, v); len(values) > maxMessages {
			return nil, r.failAt(start, "more than 100,000 messages")
		}
		at = end
	}
}

// lines reads the file line by line: a stdio transcript. A line is noise only if
// it can't be a message; every other line is read strictly.
func (r *reader) lines() ([]span, error) {
	var values []span
	for at := 0; at < len(r.data); {
		end := bytes.IndexAny(r.data[at:], "\r\n")
		if end < 0 {
			end = len(r.data)
		} else {
			end += at
		}
		v, err := r.whole(at, end)
		if err != nil {
			return nil, err
		}
		if v.end > 0 {
			values = append(values, v)
		}
		if len(values) > maxMessages {
			return nil, r.failAt(at, "more than 100,000 messages")
		}
		at = end + 1
	}
	return values, nil
}

// whole reads data[at:end] as one value, or passes it over as noise.
func (r *reader) whole(at, end int) (span, error) {
	if len(bytes.TrimLeft(r.data[at:end], " \t\r\n")) == 0 {
		return span{}, nil
	}
	if !couldBeMessage(r.data[at:end]) {
		r.noise++
		return span{}, nil
	}
	start, stop, err := scanValue(r.data[:end], at, strictness{})
	if err != nil {
		bad := err.(*readError)
		return span{}, r.failAt(bad.at, "%s", bad.text)
	}
	if rest := bytes.TrimLeft(r.data[stop:end], " \t\r\n"); len(rest) > 0 {
		return span{}, r.failAt(end-len(rest), "trailing data after a message")
	}
	return r.outline(start)
}

// outline looks into an accepted message as far as the tools of its list.
func (r *reader) outline(at int) (span, error) {
	v := outline(r.data, at, 3, &r.budget)
	if r.budget < 0 {
		return v, r.failAt(at, "more than 2,000,000 entries outside definitions")
	}
	return v, nil
}

func couldBeMessage(line []byte) bool {
	line = bytes.TrimLeft(line, " \t\r\n")
	if len(line) == 0 {
		return false
	}
	next := bytes.TrimLeft(line[1:], " \t\r\n")
	switch line[0] {
	case '{':
		return len(next) > 0 && (next[0] == '"' || next[0] == '}')
	case '[':
		return len(next) > 0 && next[0] == '{'
	}
	return false
}

// eventStream returns data with everything but the events' data blanked out, so
// that offsets stay true, or nil if data isn't a saved event stream (WHATWG HTML,
// section 9.2). Events of another type than "message" are no messages.
func eventStream(data []byte) []byte {
	out := bytes.Repeat([]byte(" "), len(data))
	found := false
	event, from := "", 0 // the type and the begin of the current event
	for at := 0; at < len(data); {
		end := bytes.IndexAny(data[at:], "\r\n")
		if end < 0 {
			end = len(data)
		} else {
			end += at
			out[end] = data[end]
		}
		field, value, _ := bytes.Cut(data[at:end], []byte(":"))
		switch string(field) {
		case "data":
			found = true
			copy(out[end-len(value):end], value)
		case "event":
			event = strings.TrimPrefix(string(value), " ")
		case "id", "retry":
		case "":
			if at == end && (at == 0 || data[at-1] != '\r' || data[at] != '\n') {
				if event != "" && event != "message" {
					blank(out[from:at])
				}
				event, from = "", end
			}
		default:
			return nil
		}
		at = end + 1
	}
	if event != "" && event != "message" {
		blank(out[from:])
	}
	if !found {
		return nil
	}
	return out
}

func blank(b []byte) {
	for i, c := range b {
		if c != '\n' && c != '\r' {
			b[i] = ' '
		}
	}
}

// events reads what eventStream left: events end at an empty line, and blanked
// lines are not empty.
func (r *reader) events() ([]span, error) {
	var values []span
	for at := 0; at < len(r.data); {
		end := eventEnd(r.data, at)
		v, err := r.whole(at, end)
		if err != nil {
			return nil, err
		}
		if v.end > 0 {
			values = append(values, v)
		}
		if len(values) > maxMessages {
			return nil, r.failAt(at, "more than 100,000 messages")
		}
		at = end + 1
	}
	return values, nil
}

func eventEnd(data []byte, at int) int {
	for i := at; i < len(data); i++ {
		if data[i] != '\n' && data[i] != '\r' {
			continue
		}
		next := i + 1
		if data[i] == '\r' && next < len(data) && data[next] == '\n' {
			next++
		}
		if next < len(data) && (data[next] == '\n' || data[next] == '\r') {
			return next
		}
		i = next - 1
	}
	return len(data)
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
			r.asked[string(id.of(r.data))] = true
		}
		return nil
	}
	if e, ok := member(members, "error"); ok {
		r.errors = append(r.errors, errorAnswer{id: string(id.of(r.data)), at: v.start, text: r.errorText(e)})
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
			r.about = strings.TrimSpace(quotedName(title) + " " + quotedName(version))
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
			what += fmt.Sprintf(" (%s passed over)", plural(r.noise, "line of noise"))
		}
		return r.failAt(-1, "%s", what).hint("%s", captureHint)
	}
	return nil
}
