package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A manifest is what one server answered, as saved: its tools and whatever else a
// model reads.
type manifest struct {
	path  string
	lists [listKinds]listing
	about string // the server's own name and version, printable; for display only
	noise int    // lines passed over
}

// A listing is one list of a manifest. A list that can't be read is a problem only
// where it is pinned.
type listing struct {
	answered bool  // the server gave it, or says that it has none
	entries  []pin // as received, in the server's order
	problem  error
}

// entryNamed names an entry in a sentence: tool NAME, prompt NAME, instructions.
func entryNamed(list listKind, name string) string {
	if list == instructionsList {
		return "instructions"
	}
	return listInfo[list].entry + " " + quotedName(name)
}

// The member names to which the specification gives a meaning, up to revision 2026-07-28,
// in each object that a client reads by name.
var (
	messageMembers = []string{"jsonrpc", "id", "method", "params", "result", "error"}
	resultMembers  = []string{"tools", "prompts", "resources", "resourceTemplates", "instructions", "nextCursor",
		"_meta", "resultType", "ttlMs", "cacheScope"}
	entryMembers = [listKinds][]string{
		toolList:     {"name", "title", "description", "icons", "inputSchema", "outputSchema", "annotations", "execution", "_meta"},
		promptList:   {"name", "title", "description", "arguments", "icons", "_meta"},
		templateList: {"uriTemplate", "name", "title", "description", "mimeType", "annotations", "icons", "_meta"},
		resourceList: {"uri", "name", "title", "description", "mimeType", "size", "annotations", "icons", "_meta"},
	}
	innerMembers = map[string][]string{
		"annotations": {"title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint", "audience", "priority", "lastModified"},
		"execution":   {"taskSupport"},
		"arguments":   {"name", "title", "description", "required"},
	}
)

// parseManifest reads a saved answer in any of the shapes people save: a JSON-RPC
// response, a bare result, a bare array, a batch, pages one after another, the
// transcript of a stdio session, an event stream. It refuses rather than guesses;
// see jsonReader for what is refused in JSON itself.
func parseManifest(path string, data []byte, formOf formFunc, pol policy) (manifest, error) {
	return scanManifest(path, data, formOf).manifest(pol)
}

// scanned is a file's JSON values, or what is wrong with them. Reading this far needs no
// policy: which one applies is known only once the server is.
type scanned struct {
	stream  stream
	values  []value
	err     error
	rounded error // an integer among them that a double can't hold exactly, or nil
}

func scanManifest(path string, data []byte, formOf formFunc) *scanned {
	s := &scanned{stream: newStream(path, data, formOf)}
	if s.values, s.err = s.stream.values(); s.err == nil && s.stream.json.rounded != nil {
		s.rounded = s.stream.refuse(s.stream.json.rounded).
			hint("to pin the double, as the published recipe (RFC 8785) does: pinproof lock --round-integers %s", shellPath(path))
	}
	return s
}

// faulty returns what is wrong with the file, or nil if it can be read under some policy.
func (s *scanned) faulty() error {
	if _, err := s.manifest(policy{emptyCursorEnds: true, roundIntegers: true}); err == nil {
		return nil
	}
	_, err := s.manifest(policy{})
	return err
}

// manifest sorts the values into lists.
func (s *scanned) manifest(pol policy) (manifest, error) {
	switch {
	case s.err != nil:
		return manifest{}, s.err
	case s.rounded != nil && !pol.roundIntegers:
		return manifest{}, s.rounded
	}
	r := &manifestReader{stream: s.stream, emptyCursorEnds: pol.emptyCursorEnds, asked: map[string]bool{}}
	for _, v := range s.values {
		r.messages = r.messages || v.has("jsonrpc") || slices.ContainsFunc(v.items(), func(item namedValue) bool { return item.has("jsonrpc") })
	}
	for _, v := range s.values {
		if err := r.message(v, len(s.values) == 1); err != nil {
			return manifest{}, err
		}
	}
	if err := r.finish(); err != nil {
		return manifest{}, err
	}
	return r.made, nil
}

// listOf returns the list that a value is an entry of, and whether it is one. Its path
// says so: [i], tools[i], result.tools[i], [i].result.tools[i].
func listOf(path []pathStep) (listKind, bool) {
	n := len(path)
	switch {
	case n == 0 || path[n-1].index < 0:
		return 0, false
	case n == 1:
		return toolList, true
	case n == 4 && path[0].index >= 0 && path[1].name == "result",
		n == 3 && path[0].name == "result",
		n == 2:
		return listNamed(path[n-2].name)
	}
	return 0, false
}

// listNamed returns the list that a result holds in the member of that name.
func listNamed(member string) (listKind, bool) {
	return listIn(func(name string) bool { return name == member })
}

// listIn returns the first list that a result holds. has reports which members it has.
func listIn(has func(name string) bool) (listKind, bool) {
	for list := range instructionsList {
		if has(listInfo[list].member) {
			return list, true
		}
	}
	return 0, false
}

// opensBatch reports whether an array holds messages rather than tools. Its first element,
// which begins at data[at], says so.
func opensBatch(data []byte, at int) bool {
	var names []string
	eachMember(data[at:], func(name string, _ int) { names = append(names, name) })
	return isMessage(func(name string) bool { return slices.Contains(names, name) })
}

// isMessage tells an element of a batch from a tool, by the members it has.
func isMessage(has func(name string) bool) bool {
	return has("jsonrpc") || !has("name") && (has("method") || has("result") || has("error"))
}

// An entry is a definition of the file: its pin, without a place yet.
type entry struct {
	pin
	at      int32         // the offset of its first byte
	problem *entryProblem // why it can't be an entry, or nil
}

// An entryProblem says what is wrong with an entry, and at which offset.
type entryProblem struct {
	at   int
	text string
	hint string
	bare bool // the text continues "tool 3 of the list": the entry is no object and has no name
}

// newEntry checks a definition as a client would read it, and computes its digests.
func newEntry(list listKind, v *value, formOf formFunc) *entry {
	e := &entry{at: v.at}
	e.list = list
	if v.kind != '{' {
		e.problem = &entryProblem{at: int(v.at), text: "is no object", bare: true}
		return e
	}
	if id := v.get(listInfo[list].identity); id.kind == '"' {
		e.name = strings.Clone(id.text) // or it would keep its window in memory
	}
	if e.problem = e.check(v); e.problem == nil {
		e.form = formOf(list, v)
	}
	return e
}

// check returns what keeps a value from being an entry, or nil.
func (e *entry) check(v *value) *entryProblem {
	list := e.list
	if problem := findFolded(v.members(), entryMembers[list], ""); problem != nil {
		return problem
	}
	if list == toolList && !v.has("inputSchema") {
		for _, wrong := range []string{"input_schema", "parameters", "function"} {
			if v.has(wrong) {
				return &entryProblem{at: int(v.at), text: fmt.Sprintf(`%q instead of "inputSchema": a model API's list, not a server's own`, wrong), hint: captureHint}
			}
		}
	}
	if e.name == "" {
		return &entryProblem{at: int(v.at), text: fmt.Sprintf("no %q that is a non-empty string", listInfo[list].identity)}
	}
	for _, name := range []string{"annotations", "execution", "arguments"} {
		part := v.get(name)
		problem := findFolded(part.members(), innerMembers[name], name+": ")
		for _, item := range part.items() {
			problem = cmp.Or(problem, findFolded(item.members(), innerMembers[name], name+": "))
		}
		if problem != nil {
			return problem
		}
	}
	return nil
}

// folds reports whether s equals the ASCII name under Unicode case folding,
// simple or full (CaseFolding.txt). Clients whose decoders fold case take such a
// member for the real one.
func folds(s, name string) bool { return strings.EqualFold(foldASCII(s), name) }

// foldASCII folds the characters of s that fold to ASCII: the capital letters, and the
// few others that foldTable has.
func foldASCII(s string) string {
	plain := true
	for i := 0; i < len(s) && plain; i++ {
		plain = s[i] < 0x80 && (s[i] < 'A' || s[i] > 'Z')
	}
	if plain {
		return s
	}
	return foldTable.Replace(strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s))
}

var foldTable = strings.NewReplacer("\u017f", "s", "\u212a", "k", "\u00df", "ss", "\u1e9e", "ss", "\ufb00", "ff", "\ufb01", "fi",
	"\ufb02", "fl", "\ufb03", "ffi", "\ufb04", "ffl", "\ufb05", "st", "\ufb06", "st")

// findFolded finds a member that equals a specified name only when folded, or returns nil.
func findFolded(members []namedValue, specified []string, where string) *entryProblem {
	for _, m := range members {
		if slices.Contains(specified, m.name) {
			continue
		}
		folded := foldASCII(m.name)
		for _, s := range specified {
			if strings.EqualFold(folded, s) {
				return &entryProblem{at: int(m.value.at), text: fmt.Sprintf("%smember %s differs from %q by letter case only: some clients read it as the real one",
					where, quotedName(m.name), s)}
			}
		}
	}
	return nil
}

// manifestReader sorts the JSON values of a file into lists.
type manifestReader struct {
	stream
	emptyCursorEnds bool

	made   manifest
	states [listKinds]listState

	messages bool            // the file has JSON-RPC messages
	asked    map[string]bool // the requests: method, space, id
	errors   []value         // messages with an error
	offered  *value          // the capabilities that the server declared
}

// A listState is how far one list was read.
type listState struct {
	complete [][]pin // the complete lists of the session; if they differ, the manifest is ambiguous
	page     []pin   // the pages so far of a list that isn't complete
	cursor   *value  // of the last page, if another has to follow
	lastPage int     // offset of the last page's message
}

const bareAmongMessages = "a bare list among messages: not something a client would read"

// message takes one JSON value of the file. Only if it is alone there may it be a bare list.
func (r *manifestReader) message(v value, alone bool) error {
	switch v.kind {
	case '[':
		return r.array(v, alone)
	case '{':
		return r.object(v)
	}
	r.noise++ // a scalar between messages
	return nil
}

func (r *manifestReader) array(v value, alone bool) error {
	if len(v.items()) > maxEntries {
		return r.failAt(int(v.at), "more than 50,000 entries")
	}
	if len(v.items()) > 0 && r.entryAt(v.items()[0].at) == nil {
		for _, item := range v.items() {
			if !isMessage(item.has) {
				return r.failAt(int(item.at), "neither a batch of messages nor a list of tools")
			}
		}
		for _, item := range v.items() {
			if err := r.object(item.value); err != nil {
				return err
			}
		}
		return nil
	}
	switch {
	case r.messages && !spellsResult(r.data[v.at:v.end]):
		r.noise++ // what a server logs
		return nil
	case !alone:
		return r.failAt(int(v.at), bareAmongMessages)
	}
	return r.page(toolList, v.items(), nil, int(v.at))
}

func (r *manifestReader) refuseFolded(members []namedValue, specified []string, where string) error {
	if problem := findFolded(members, specified, where); problem != nil {
		return r.failAt(problem.at, "%s", problem.text)
	}
	return nil
}

func (r *manifestReader) object(v value) error {
	if len(v.members()) > maxMembers {
		return r.failAt(int(v.at), "more than 10,000 members in a message")
	}
	if err := r.refuseFolded(v.members(), messageMembers, ""); err != nil {
		return err
	}
	at := int(v.at)
	list, isResult := listIn(v.has)
	listed := listInfo[list].member
	switch {
	case r.messages && !v.has("jsonrpc") && !v.has("result") && (isResult || !isMessage(v.has)):
		r.noise++ // what a server logs: no client finds an answer in it
		return nil
	case v.has("mcpServers"):
		return r.failAt(-1, `a client configuration ("mcpServers"), not an answer to tools/list`).hint("%s", captureHint)
	case v.has("lockfileVersion") && v.has("servers"):
		return r.failAt(-1, "a lockfile, where a saved tools/list belongs").
			hint("the manifest comes first, the lockfile second: pinproof COMMAND MANIFEST %s", shellPath(r.path))
	case v.has("manifest_version") || v.has("dxt_version"):
		return r.failAt(-1, `a bundle's manifest ("manifest_version"), not what its server lists`).hint("%s", captureHint)
	case isResult && (v.has("result") || v.has("error") || v.has("method")):
		return r.failAt(at, `fits two shapes: %q beside "result", "error" or "method"`, listed)
	case v.has("result") && (v.has("error") || v.has("method")):
		return r.failAt(at, `fits two shapes: "result" beside "error" or "method"`)
	case isResult && v.has("jsonrpc"):
		return r.failAt(at, `fits two shapes: %q beside "jsonrpc"`, listed)
	}
	if isResult {
		return r.result(v, at)
	}
	if method := v.get("method"); method.kind != 0 {
		if v.has("id") && v.get("id").kind != 'n' { // an error whose id is null answers no request
			r.asked[method.text+" "+messageID(v.get("id"))] = true
		}
		return nil
	}
	if v.has("error") {
		r.errors = append(r.errors, v)
		return nil
	}
	if result := v.get("result"); result.kind == '{' {
		if _, ok := listIn(result.has); ok && r.messages && !v.has("jsonrpc") {
			return r.failAt(at, bareAmongMessages)
		}
		return r.result(result, at)
	}
	return nil
}

// messageID returns a key for a message's id: the number 1 and the string "1" differ.
func messageID(v value) string {
	if v.kind == '"' {
		return "text " + v.text
	}
	return string(v.kind) + v.text
}

func (r *manifestReader) result(result value, at int) error {
	if len(result.members()) > maxMembers {
		return r.failAt(int(result.at), "more than 10,000 members in a message")
	}
	if err := r.refuseFolded(result.members(), resultMembers, "result: "); err != nil {
		return err
	}
	if t := result.get("resultType"); t.kind != 0 && t.text != "complete" {
		return r.failAt(int(t.at), `"resultType" is not "complete": the server has not answered yet`)
	}
	r.describe(result.get("serverInfo"))
	r.describe(result.get("_meta").get("io.modelcontextprotocol/serverInfo"))
	list, listed := listIn(result.has)
	if !listed {
		return r.greeting(result)
	}
	others := []string{"instructions", "protocolVersion", "supportedVersions"}
	for other := list + 1; other < instructionsList; other++ {
		others = append(others, listInfo[other].member)
	}
	for _, other := range others {
		if result.has(other) {
			return r.failAt(at, "fits two shapes: %q beside %q in one result", listInfo[list].member, other)
		}
	}
	array := result.get(listInfo[list].member)
	if array.kind != '[' {
		return r.failAt(int(array.at), `%q is not an array`, listInfo[list].member)
	}
	var cursor *value
	if c := result.get("nextCursor"); c.kind != 0 && c.kind != 'n' {
		if c.kind != '"' {
			return r.failAt(int(c.at), `"nextCursor" is neither a string nor null`)
		}
		if c.text != "" || !r.emptyCursorEnds {
			cursor = &c
		}
	}
	return r.page(list, array.items(), cursor, at)
}

// describe takes the server's own name and version, for display.
func (r *manifestReader) describe(info value) {
	if info.kind != '{' || r.made.about != "" {
		return
	}
	r.made.about = quotedName(info.get("name").text)
	if version := info.get("version").text; version != "" {
		r.made.about += " " + quotedName(version)
	}
}

// greeting takes the result of initialize (to revision 2025-11-25) or of
// server/discover (2026-07-28): what the server offers, and its instructions.
func (r *manifestReader) greeting(result value) error {
	text := result.get("instructions")
	if text.kind == 0 && !result.has("protocolVersion") && !result.has("supportedVersions") {
		return nil
	}
	if text.kind != 0 && text.kind != 'n' && text.kind != '"' {
		return r.failAt(int(text.at), `"instructions" is not a string`)
	}
	if text.end-text.at > maxDefinitionBytes {
		return r.failAt(int(text.at), "instructions of more than 4 MiB")
	}
	if offered := result.get("capabilities"); offered.kind == '{' {
		if err := r.refuseFolded(offered.members(), []string{"prompts", "resources", "tools"}, "capabilities: "); err != nil {
			return err
		}
		r.offered = &offered
	}
	s := &r.states[instructionsList]
	list := []pin{}
	if text.text != "" && text.kind == '"' { // an empty text tells a model nothing
		p := pin{entryKey: entryKey{list: instructionsList}, form: r.formOf(instructionsList, &text)}
		list = append(list, r.placed(p, text))
	}
	s.complete = append(s.complete, list)
	return nil
}

// page adds one page. Without a cursor it is the last one of its list. Problems in a list
// other than tools are only noted: they matter if that list is pinned.
func (r *manifestReader) page(list listKind, items []namedValue, cursor *value, at int) error {
	s, made := &r.states[list], &r.made.lists[list]
	if made.problem != nil {
		return nil
	}
	if err := r.entries(list, s, items, at); err != nil {
		if list == toolList {
			return err
		}
		made.problem = err
		return nil
	}
	s.cursor, s.lastPage = cursor, at
	if cursor == nil {
		s.complete = append(s.complete, s.page)
		s.page = nil
	}
	return nil
}

func (r *manifestReader) entries(list listKind, s *listState, items []namedValue, at int) error {
	if len(s.page)+len(items) > maxEntries {
		return r.failAt(at, "more than 50,000 %ss", listInfo[list].entry)
	}
	for i, v := range items {
		d := r.entryAt(v.at)
		if p := d.problem; p != nil {
			where := fmt.Sprintf("%s %d of the list", listInfo[list].entry, i+1)
			switch {
			case p.bare:
				return r.failAt(p.at, "%s %s", where, p.text)
			case d.name != "":
				where = entryNamed(list, d.name)
			}
			err := r.failAt(p.at, "%s: %s", where, p.text)
			if p.hint != "" {
				err.hint("%s", p.hint)
			}
			return err
		}
		s.page = append(s.page, r.placed(d.pin, v.value))
	}
	return nil
}

// placed returns p with its text as received, and the place where that begins.
func (r *manifestReader) placed(p pin, v value) pin {
	p.received = r.data[v.at:v.end]
	p.line, p.column = r.position(int(v.at))
	return p
}

// finish decides, list by list, whether the answer is complete.
func (r *manifestReader) finish() error {
	r.made.path, r.made.noise = r.path, r.noise
	tools := &r.states[toolList]
	for _, e := range r.errors {
		if r.offersNone(toolList) {
			break // some servers without tools answer tools/list with an error
		}
		if len(tools.complete) == 0 && tools.cursor == nil || r.asked["tools/list "+messageID(e.get("id"))] {
			text := "the server answered with an error"
			if said := e.get("error").get("message"); said.text != "" && said.kind == '"' {
				text += ": " + quotedName(said.text)
			}
			return r.failAt(int(e.at), "%s", text).hint("capture again once the server lists its tools")
		}
	}
	for list := range listKinds {
		err := r.finishList(list)
		if err != nil && list == toolList {
			return err
		}
		if made := &r.made.lists[list]; made.problem == nil {
			made.problem = err
		}
	}
	if !r.made.lists[toolList].answered {
		what := "no answer to tools/list in it"
		if r.noise > 0 {
			what += fmt.Sprintf(" (%s passed over)", plural(r.noise, "line")+" of noise")
		}
		return r.failAt(-1, "%s", what).hint("%s", captureHint)
	}
	return nil
}

func (r *manifestReader) finishList(list listKind) error {
	s, made := &r.states[list], &r.made.lists[list]
	if s.cursor != nil {
		f := r.failAt(s.lastPage, `an unfinished list: "nextCursor" of its last page says that more %ss follow`, listInfo[list].entry).
			hint("ask for the next page with that cursor and append the answer to the file")
		if s.cursor.text == "" {
			f.hint("if this server sends an empty cursor on its last page: pinproof lock --empty-cursor-ends %s", shellPath(r.path))
		}
		return f
	}
	if len(s.complete) == 0 {
		made.answered = made.problem == nil && r.offersNone(list)
		return nil
	}
	made.answered = true
	for i, other := range s.complete[1:] {
		if err := r.sameList(list, i+2, s.complete[0], other); err != nil {
			return err
		}
	}
	// These lists have the same digests; a longer one repeats some, which must be seen.
	made.entries = slices.MaxFunc(s.complete, func(a, b []pin) int { return len(a) - len(b) })
	return nil
}

// offersNone reports whether the server declared capabilities without this list.
func (r *manifestReader) offersNone(list listKind) bool {
	capability := listInfo[list].capability
	if r.offered == nil || capability == "" {
		return false
	}
	offer := r.offered.get(capability)
	return offer.kind == 0 || offer.kind == 'n'
}

// sameList refuses the n-th complete list of a session if its definitions are not those of
// the first one: nobody can know which list an agent got.
func (r *manifestReader) sameList(list listKind, n int, first, other []pin) error {
	digests := func(entries []pin) map[string]bool {
		set := make(map[string]bool, len(entries))
		for _, e := range entries {
			set[e.digest] = true
		}
		return set
	}
	a, b := digests(first), digests(other)
	var differ []string
	for _, entries := range [][]pin{first, other} {
		for _, e := range entries {
			if a[e.digest] != b[e.digest] {
				differ = append(differ, e.name)
			}
		}
	}
	if len(differ) == 0 {
		return nil
	}
	if list == instructionsList {
		return failIn(printable(r.path), "ambiguous: the session has two different instructions").
			hint("capture it again, and ask which of them an agent gets")
	}
	slices.SortFunc(differ, compareUTF16)
	differ = slices.Compact(differ)
	what := entryNamed(list, differ[0])
	if len(differ) > 1 {
		what += " and " + plural(len(differ)-1, "other")
	}
	return failIn(printable(r.path), "ambiguous: list %d of the session is not the first one: %s", n, what).
		hint("the server changed its %ss during the session: capture it again, and ask which list an agent gets", listInfo[list].entry)
}

// pinManifest makes the pins of a manifest under a policy.
func pinManifest(m manifest, server string, pol policy, values []substitute, formOf formFunc) (pinset, error) {
	s := pinset{server: server, policy: pol}
	var substitutes []substitute
	for _, name := range pol.substitute {
		at := slices.IndexFunc(values, func(s substitute) bool { return s.name == name })
		if at < 0 {
			return s, fail("%s stands for a value in the pins: which one, here?", name).
				hint("say it: --substitute %s=VALUE", name)
		}
	}
	for _, v := range values { // in their order: the longest value first
		if slices.Contains(pol.substitute, v.name) {
			substitutes = append(substitutes, v)
		}
	}
	for list := range listKinds {
		if !pol.pins(list) {
			continue
		}
		if err := m.lists[list].problem; err != nil {
			return s, err
		}
		for _, p := range m.lists[list].entries {
			if pol.shapes() || len(substitutes) > 0 {
				v, err := putPlaceholders(p.tree(), substitutes)
				v = pol.apply(list, v) // after that: a text is cut at the same place whatever the values
				if err != nil {
					where := fmt.Sprintf("%s:%d:%d", printable(m.path), p.line, p.column)
					return s, failIn(where, "%s: %s", entryNamed(list, p.name), err)
				}
				p.form = formOf(list, &v)
			}
			if name, err := putPlaceholders(textValue(p.name), substitutes); err == nil {
				p.name = name.text
			}
			s.pins = append(s.pins, p)
		}
	}
	slices.SortStableFunc(s.pins, comparePins)
	return s, nil
}
