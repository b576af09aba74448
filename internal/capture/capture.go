// Package capture reads the saved answers of a server, in any of the shapes that people save,
// into lists. It refuses rather than guesses.
package capture

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/shell"
	"pinproof/internal/skill"
	"pinproof/internal/text"
)

// A Capture is what one server answered, as saved: its tools and everything else that a
// model reads.
type Capture struct {
	Path  string
	Lists [pin.EntryTypes]listing
	About pin.About // for display only
	Noise int       // lines passed over
}

// A listing is one list of a capture. A list that can't be read is a problem only
// where it is pinned.
type listing struct {
	// The server gave the list, or declares that it doesn't have it.
	Answered bool

	Declared bool      // the server declares that it has the list
	Entries  []pin.Pin // as received, in the server's order
	Problem  error
}

// EntryNamed names an entry in a sentence: tool NAME, prompt NAME, instructions.
func EntryNamed(entryType pin.EntryType, name string) string {
	if entryType == pin.Instructions {
		return "instructions"
	}
	return pin.EntryTypeInfo[entryType].Entry + " " + text.Name(name)
}

// Read reads a saved answer in any of the shapes people save: a JSON-RPC
// response, a bare result, a bare array, a batch, pages one after another, the
// transcript of a stdio session, an event stream. It refuses rather than guesses;
// see jsontree.Reader for what is refused in JSON itself.
func Read(path string, data []byte, formOf pin.FormFunc, pol pin.Policy) (Capture, error) {
	return Scan(path, data, formOf).Capture(pol)
}

// Scanned is a file's JSON values, or what is wrong with them. Reading this far needs no
// policy: which one applies is known only once the server is.
type Scanned struct {
	// The file is part of a session: lists may be missing or unfinished.
	Part bool

	stream stream
	values []jsontree.Value
	err    error
	made   map[reading]Capture
}

// A reading has the parts of a policy that change how a file is read.
type reading struct{ emptyCursorEnds, roundIntegers bool }

// Scan reads a file's JSON values. formOf makes the form of each definition.
func Scan(path string, data []byte, formOf pin.FormFunc) *Scanned {
	s := &Scanned{stream: newStream(path, data, formOf), made: map[reading]Capture{}}
	s.values, s.err = s.stream.values()
	return s
}

// Faulty returns what is wrong with the file, or nil if it can be read under some policy.
func (s *Scanned) Faulty() error {
	if _, err := s.Capture(pin.Policy{EmptyCursorEnds: true, RoundIntegers: true}); err == nil {
		return nil
	}
	_, err := s.Capture(pin.Policy{})
	return err
}

// Capture sorts the values into lists.
func (s *Scanned) Capture(pol pin.Policy) (Capture, error) {
	if s.err != nil {
		return Capture{}, s.err
	}
	as := reading{pol.EmptyCursorEnds, pol.RoundIntegers}
	if made, ok := s.made[as]; ok {
		return made, nil
	}
	if s.stream.json.Rounded != nil && !pol.RoundIntegers {
		return Capture{}, s.stream.refuse(s.stream.json.Rounded).
			Hint("to pin the double, as the published recipe (RFC 8785) does: pinproof lock --round-integers %s", shell.Path(s.stream.Path))
	}
	r := &captureReader{stream: s.stream, part: s.Part, emptyCursorEnds: pol.EmptyCursorEnds, asked: map[string]bool{}}
	for _, v := range s.values {
		r.messages = r.messages || v.Has("jsonrpc") || slices.ContainsFunc(v.Items(), func(item jsontree.Member) bool { return item.Has("jsonrpc") })
	}
	for _, v := range s.values {
		if err := r.message(v, len(s.values) == 1); err != nil {
			return Capture{}, err
		}
	}
	if err := r.finish(); err != nil {
		return Capture{}, err
	}
	s.made[as] = r.made
	if s.stream.json.Rounded == nil && !r.emptyCursor {
		// The file can be read in one way only.
		s.made[reading{}] = r.made
	}
	return r.made, nil
}

// listOf returns the list that a value is an entry of, and whether it is an entry at all,
// by the value's path: [i], tools[i], result.tools[i], [i].result.tools[i].
func listOf(path []jsontree.Step) (pin.EntryType, bool) {
	n := len(path)
	if n == 0 || path[n-1].Index < 0 {
		return 0, false
	}
	if n == 1 {
		return pin.Tools, true
	}
	if n == 4 && path[0].Index >= 0 && path[1].Name == "result" || n == 3 && path[0].Name == "result" || n == 2 {
		return pin.EntryTypeNamed(path[n-2].Name)
	}
	return 0, false
}

// opensBatch reports whether an array is a batch of messages rather than a list of tools. Its first element,
// which begins at data[at], decides.
func opensBatch(data []byte, at int) bool {
	var names []string
	jsontree.EachMember(data[at:], func(name string, _ int) { names = append(names, name) })
	return isMessage(func(name string) bool { return slices.Contains(names, name) })
}

// isMessage reports whether an object is a message of a batch rather than a tool, by the members it has.
func isMessage(has func(name string) bool) bool {
	return has("jsonrpc") || !has("name") && (has("method") || has("result") || has("error"))
}

// An entry is a definition of the file: its pin, without a place yet.
type entry struct {
	pin.Pin
	problem *entryProblem // why it can't be an entry, or nil
}

// An entryProblem is what is wrong with an entry, and at which offset.
type entryProblem struct {
	at   int
	text string
	hint string

	// The text continues "tool 3 of the list": the entry isn't an object and has no name.
	bare bool
}

// newEntry checks a definition as a client would read it, and computes its digests.
func newEntry(entryType pin.EntryType, v jsontree.Value, canonical []byte, formOf pin.FormFunc) *entry {
	e := &entry{}
	e.Type = entryType
	if v.Kind != '{' {
		e.problem = &entryProblem{at: int(v.At), text: "is no object", bare: true}
		return e
	}
	if name := v.Get(pin.EntryTypeInfo[entryType].Identity); name.Kind == '"' {
		e.Name = strings.Clone(name.Text) // without the copy, it would keep the text around it in memory
	}
	if e.problem = e.check(v); e.problem == nil {
		e.Form = formOf(entryType, canonical)
	}
	return e
}

// check returns what keeps a value from being an entry, or nil.
func (e *entry) check(v jsontree.Value) *entryProblem {
	entryType := e.Type
	if problem := findFolded(v.Members(), pin.EntryTypeInfo[entryType].Members, ""); problem != nil {
		return problem
	}
	if entryType == pin.Tools && !v.Has("inputSchema") {
		for _, wrong := range []string{"input_schema", "parameters", "function"} {
			if v.Has(wrong) {
				return &entryProblem{at: int(v.At), text: fmt.Sprintf(`%q instead of "inputSchema": a model API's list, not a server's own`, wrong), hint: CaptureHint}
			}
		}
	}
	if e.Name == "" {
		return &entryProblem{at: int(v.At), text: fmt.Sprintf("no %q that is a non-empty string", pin.EntryTypeInfo[entryType].Identity)}
	}
	if entryType == pin.Skills {
		if _, problem := skill.Read(v); problem != nil {
			return &entryProblem{at: problem.At, text: problem.Text}
		}
	}
	for _, inner := range pin.EntryTypeInfo[entryType].Inner {
		part := v.Get(inner.Member)
		problem := findFolded(part.Members(), inner.Parts, inner.Member+": ")
		for _, item := range part.Items() {
			problem = cmp.Or(problem, findFolded(item.Members(), inner.Parts, inner.Member+": "))
		}
		if problem != nil {
			return problem
		}
	}
	return nil
}

// findFolded finds a member that equals a specified name only when folded, or returns nil.
func findFolded(members []jsontree.Member, specified []string, where string) *entryProblem {
	for _, m := range members {
		if slices.Contains(specified, m.Name) {
			continue
		}
		folded := text.FoldASCII(m.Name)
		for _, s := range specified {
			if strings.EqualFold(folded, s) {
				return &entryProblem{at: int(m.At), text: fmt.Sprintf("%smember %s differs from %q by letter case only: some clients read it as the real one",
					where, text.Name(m.Name), s)}
			}
		}
	}
	return nil
}

// findInResult finds what only some clients read as a member of a result, or returns nil.
// Models in Python may take snake_case names; those of serde take an array of the members' values.
func findInResult(result jsontree.Value) *entryProblem {
	if result.Kind == '[' {
		return &entryProblem{at: int(result.At), text: "a result that is an array: some clients read its elements as members"}
	}
	for _, m := range result.Members() {
		plain := strings.ReplaceAll(m.Name, "_", "")
		for _, s := range pin.ResultMembers {
			if plain != m.Name && strings.EqualFold(plain, s) {
				return &entryProblem{at: int(m.At), text: fmt.Sprintf("result: member %s differs from %q by underscores: some clients read it as the real one",
					text.Name(m.Name), s)}
			}
		}
	}
	return findFolded(result.Members(), pin.ResultMembers, "result: ")
}

// captureReader sorts the JSON values of a file into lists.
type captureReader struct {
	stream
	part            bool // see Scanned
	emptyCursorEnds bool
	emptyCursor     bool // there is one

	made   Capture
	states [pin.EntryTypes]listState

	messages bool             // the file has JSON-RPC messages
	asked    map[string]bool  // the requests: method, space, id
	errors   []jsontree.Value // messages with an error

	// The contents in all answers to resources/read, item by item.
	bodies []jsontree.Value

	// The capabilities that the server declared, each time it was asked.
	offered []jsontree.Value
}

// A listState is how far one list was read.
type listState struct {
	// The complete lists of the session; if they differ, the capture is ambiguous.
	complete [][]pin.Pin

	// The pages so far of a list that isn't complete.
	page []pin.Pin

	// The cursor of the last page, if another page has to follow.
	cursor *jsontree.Value

	lastPage int // offset of the last page's message

	// The notification, after the last page, that the list has changed; or nil.
	changed *jsontree.Value
}

const bareAmongMessages = "a bare list among messages: not something a client would read"

// message takes one JSON value of the file. The value may be a bare list only if it is alone in the file.
func (r *captureReader) message(v jsontree.Value, alone bool) error {
	switch v.Kind {
	case '[':
		return r.array(v, alone)
	case '{':
		return r.object(v)
	}
	r.noise++ // a scalar between messages
	return nil
}

func (r *captureReader) array(v jsontree.Value, alone bool) error {
	if len(v.Items()) > jsontree.MaxEntries {
		return r.At(int(v.At), "more than 50,000 entries")
	}
	if len(v.Items()) > 0 && v.Items()[0].Definition == 0 {
		for _, item := range v.Items() {
			if !isMessage(item.Has) {
				return r.At(int(item.At), "neither a batch of messages nor a list of tools")
			}
		}
		for _, item := range v.Items() {
			if err := r.object(item.Value); err != nil {
				return err
			}
		}
		return nil
	}
	if r.messages && !spellsResult(r.Data[v.At:v.End]) {
		r.noise++ // a line of the server's log
		return nil
	}
	if !alone {
		return r.At(int(v.At), bareAmongMessages)
	}
	return r.page(pin.Tools, v.Items(), nil, int(v.At))
}

func (r *captureReader) refuseFolded(v jsontree.Value, specified []string, where string) error {
	if problem := findFolded(v.Members(), specified, where); problem != nil {
		return r.At(problem.at, "%s", problem.text)
	}
	return nil
}

// otherFile refuses an object that shows that the file isn't a capture.
func (r *captureReader) otherFile(v jsontree.Value) error {
	if v.Has("mcpServers") {
		return r.At(-1, `a client configuration ("mcpServers"), not an answer to tools/list`).
			Hint("save the answers of its servers: pinproof-capture config %s captures", shell.Path(r.Path)).
			Hint("then pin them: pinproof lock captures")
	}
	if v.Has("lockfileVersion") && v.Has("servers") {
		return r.At(-1, "a lockfile, where a saved tools/list belongs").
			Hint("the capture comes first, the lockfile second: pinproof COMMAND CAPTURE %s", shell.Path(r.Path))
	}
	if v.Has("manifest_version") || v.Has("dxt_version") {
		return r.At(-1, `a bundle's manifest ("manifest_version"), not what its server lists`).Hint("%s", CaptureHint)
	}
	return nil
}

// twoShapes refuses an object that one client reads as a message, and another as a result or as another message.
func (r *captureReader) twoShapes(v jsontree.Value) error {
	at := int(v.At)
	entryType, isResult := pin.EntryTypeIn(v.Has)
	listed := pin.EntryTypeInfo[entryType].Member
	if isResult && (v.Has("result") || v.Has("error") || v.Has("method")) {
		return r.At(at, `fits two shapes: %q beside "result", "error" or "method"`, listed)
	}
	if v.Has("result") && (v.Has("error") || v.Has("method")) {
		return r.At(at, `fits two shapes: "result" beside "error" or "method"`)
	}
	if isResult && v.Has("jsonrpc") {
		return r.At(at, `fits two shapes: %q beside "jsonrpc"`, listed)
	}
	return nil
}

func (r *captureReader) object(v jsontree.Value) error {
	if len(v.Members()) > maxMembers {
		return r.At(int(v.At), "more than 10,000 members in a message")
	}
	if err := r.refuseFolded(v, pin.MessageMembers, ""); err != nil {
		return err
	}
	at := int(v.At)
	_, isResult := pin.EntryTypeIn(v.Has)
	isBare := !v.Has("jsonrpc") && !v.Has("result")
	if r.messages && isBare && (isResult || !isMessage(v.Has)) {
		// This is a line of the server's log: no client finds an answer in it.
		r.noise++
		return nil
	}
	if err := r.otherFile(v); err != nil {
		return err
	}
	if err := r.twoShapes(v); err != nil {
		return err
	}
	if isResult {
		return r.result(v, at)
	}
	if method := v.Get("method"); method.Kind != 0 {
		// A request whose id is null isn't recorded: an error with that id answers no request.
		if v.Has("id") && v.Get("id").Kind != 'n' {
			r.asked[method.Text+" "+MessageID(v)] = true
		}
		for entryType, info := range pin.EntryTypeInfo {
			if method.Text != "" && method.Text == info.Changed {
				r.states[entryType].changed = &v
			}
		}
		return nil
	}
	if v.Has("error") {
		r.errors = append(r.errors, v)
		return nil
	}
	if !r.messages { // a bare answer to resources/read
		r.addBodies(v)
	}
	if result := v.Get("result"); result.Kind == '{' || result.Kind == '[' {
		if _, ok := pin.EntryTypeIn(result.Has); ok && r.messages && !v.Has("jsonrpc") {
			return r.At(at, bareAmongMessages)
		}
		return r.result(result, at)
	}
	return nil
}

func (r *captureReader) result(result jsontree.Value, at int) error {
	if len(result.Members()) > maxMembers {
		return r.At(int(result.At), "more than 10,000 members in a message")
	}
	if problem := findInResult(result); problem != nil {
		return r.At(problem.at, "%s", problem.text)
	}
	if t := result.Get("resultType"); t.Kind != 0 && t.Text != "complete" {
		return r.At(int(t.At), `"resultType" is not "complete": the server has not answered yet`)
	}
	r.made.About = cmp.Or(r.made.About, pin.AboutIn(result.Get("serverInfo")), pin.AboutIn(result.Get("_meta").Get("io.modelcontextprotocol/serverInfo")))
	entryType, listed := pin.EntryTypeIn(result.Has)
	r.addBodies(result)
	if !listed {
		return r.greeting(result)
	}
	others := []string{"instructions", "protocolVersion", "supportedVersions"}
	for other := entryType + 1; other < pin.Instructions; other++ {
		others = append(others, pin.EntryTypeInfo[other].Member)
	}
	for _, other := range others {
		if result.Has(other) {
			return r.At(at, "fits two shapes: %q beside %q in one result", pin.EntryTypeInfo[entryType].Member, other)
		}
	}
	array := result.Get(pin.EntryTypeInfo[entryType].Member)
	if array.Kind != '[' {
		return r.At(int(array.At), `%q is not an array`, pin.EntryTypeInfo[entryType].Member)
	}
	var cursor *jsontree.Value
	if c := result.Get("nextCursor"); c.Kind != 0 && c.Kind != 'n' {
		if c.Kind != '"' {
			return r.At(int(c.At), `"nextCursor" is neither a string nor null`)
		}
		r.emptyCursor = r.emptyCursor || c.Text == ""
		if c.Text != "" || !r.emptyCursorEnds {
			cursor = &c
		}
	}
	return r.page(entryType, array.Items(), cursor, at)
}

// greeting takes the result of initialize (to revision 2025-11-25) or of
// server/discover (2026-07-28): what the server offers, and its instructions.
func (r *captureReader) greeting(result jsontree.Value) error {
	text := result.Get("instructions")
	if text.Kind == 0 && !result.Has("protocolVersion") && !result.Has("supportedVersions") {
		return nil
	}
	if text.Kind != 0 && text.Kind != 'n' && text.Kind != '"' {
		return r.At(int(text.At), `"instructions" is not a string`)
	}
	if text.End-text.At > jsontree.MaxDefinitionBytes {
		return r.At(int(text.At), "instructions of more than 4 MiB")
	}
	if offered := result.Get("capabilities"); offered.Kind == '{' {
		if err := r.foldedCapability(offered); err != nil {
			return err
		}
		r.offered = append(r.offered, offered)
	}
	s := &r.states[pin.Instructions]
	list := []pin.Pin{}
	if text.Text != "" && text.Kind == '"' { // an empty text tells a model nothing
		p := pin.Pin{Key: pin.Key{Type: pin.Instructions}, Form: r.formOf(pin.Instructions, []byte(text.Text))}
		list = append(list, r.placed(p, text))
	}
	s.complete = append(s.complete, list)
	return nil
}

// foldedCapability refuses capabilities in which only some clients read that the server has a list.
func (r *captureReader) foldedCapability(offered jsontree.Value, above ...string) error {
	members := pin.CapabilityMembers(above...)
	where := strings.Join(append([]string{"capabilities"}, above...), ": ") + ": "
	if err := r.refuseFolded(offered, members, where); err != nil {
		return err
	}
	for _, member := range members {
		if err := r.foldedCapability(offered.Get(member), append(above, member)...); err != nil {
			return err
		}
	}
	return nil
}

// page adds one page. Without a cursor it is the last one of its list. Problems in a list
// other than tools are only noted: they matter if that list is pinned.
func (r *captureReader) page(entryType pin.EntryType, items []jsontree.Member, cursor *jsontree.Value, at int) error {
	s := &r.states[entryType]
	made := &r.made.Lists[entryType]
	if made.Problem != nil {
		return nil
	}
	if err := r.entries(entryType, s, items, at); entryType == pin.Tools && err != nil {
		return err
	} else if err != nil {
		made.Problem = err
		return nil
	}
	s.cursor = cursor
	s.lastPage = at
	s.changed = nil
	if cursor == nil {
		s.complete = append(s.complete, s.page)
		s.page = nil
	}
	return nil
}

func (r *captureReader) entries(entryType pin.EntryType, s *listState, items []jsontree.Member, at int) error {
	if len(s.page)+len(items) > jsontree.MaxEntries {
		return r.At(at, "more than 50,000 %ss", pin.EntryTypeInfo[entryType].Entry)
	}
	s.page = slices.Grow(s.page, len(items))
	for i, v := range items {
		d := r.defined[v.Definition-1]
		if p := d.problem; p != nil {
			where := fmt.Sprintf("%s %d of the list", pin.EntryTypeInfo[entryType].Entry, i+1)
			if p.bare {
				return r.At(p.at, "%s %s", where, p.text)
			}
			if d.Name != "" {
				where = EntryNamed(entryType, d.Name)
			}
			err := r.At(p.at, "%s: %s", where, p.text)
			if p.hint != "" {
				err.Hint("%s", p.hint)
			}
			return err
		}
		s.page = append(s.page, r.placed(d.Pin, v.Value))
	}
	return nil
}

// placed returns p with its text as received, and the place where that begins.
func (r *captureReader) placed(p pin.Pin, v jsontree.Value) pin.Pin {
	p.Received = r.Data[v.At:v.End]
	p.Line, p.Column = r.Position(int(v.At))
	return p
}

// finish decides, list by list, whether the answer is complete.
func (r *captureReader) finish() error {
	r.made.Path = r.Path
	r.made.Noise = r.noise
	tools := &r.states[pin.Tools]
	for _, e := range r.errors {
		if r.part || r.offersNone(pin.Tools) {
			// Some servers without tools answer tools/list with an error.
			break
		}
		if len(tools.complete) == 0 && tools.cursor == nil || r.asked["tools/list "+MessageID(e)] {
			s := "the server answered with an error"
			if said := e.Get("error").Get("message"); said.Text != "" && said.Kind == '"' {
				s += ": " + text.Name(said.Text)
			}
			return r.At(int(e.At), "%s", s).Hint("capture again once the server lists its tools")
		}
	}
	for entryType := range pin.EntryTypes {
		err := r.finishList(entryType)
		if err != nil && entryType == pin.Tools {
			return err
		}
		if made := &r.made.Lists[entryType]; made.Problem == nil {
			made.Problem = err
		}
	}
	if skills := &r.made.Lists[pin.Skills]; skills.Problem == nil && len(skills.Entries) > 0 {
		skills.Problem = r.readFiles()
	}
	if !r.made.Lists[pin.Tools].Answered && (!r.part || !r.messages && !slices.ContainsFunc(r.made.Lists[:], func(l listing) bool { return l.Answered })) {
		what := "no answer to tools/list in it"
		if r.part {
			what = "no message of a session in it"
		}
		if r.noise > 0 {
			what += fmt.Sprintf(" (%s passed over)", text.Count(r.noise, "line")+" of noise")
		}
		return r.At(-1, "%s", what).Hint("%s", CaptureHint)
	}
	return nil
}

func (r *captureReader) finishList(entryType pin.EntryType) error {
	s := &r.states[entryType]
	made := &r.made.Lists[entryType]
	made.Declared = r.offers(entryType)
	if r.part && made.Problem == nil {
		lists := append(s.complete, s.page)
		made.Answered, made.Entries = len(s.complete) > 0 || s.cursor != nil, unionOf(lists)
		return nil
	}
	if s.cursor != nil {
		f := r.At(s.lastPage, `an unfinished list: "nextCursor" of its last page says that more %ss follow`, pin.EntryTypeInfo[entryType].Entry).
			Hint("ask for the next page with that cursor and append the answer to the file")
		if s.cursor.Text == "" {
			f.Hint("if this server sends an empty cursor on its last page: pinproof lock --empty-cursor-ends %s", shell.Path(r.Path))
		}
		return f
	}
	if len(s.complete) == 0 {
		made.Answered = made.Problem == nil && r.offersNone(entryType)
		return nil
	}
	if s.changed != nil {
		return r.At(int(s.changed.At), "the server says that its list of %ss has changed, and no newer list follows", pin.EntryTypeInfo[entryType].Entry).
			Hint("capture again: pinproof-capture save %s -- COMMAND", shell.Path(r.Path))
	}
	made.Answered = true
	for i, other := range s.complete[1:] {
		if err := r.sameList(entryType, i+2, s.complete[0], other); err != nil {
			return err
		}
	}
	// These lists have the same digests. A longer one repeats some of them, and that must show.
	made.Entries = slices.MaxFunc(s.complete, func(a, b []pin.Pin) int { return len(a) - len(b) })
	return nil
}

// unionOf returns the entries of all lists of one session. It has each definition as often as
// the list that repeats it most: a definition in two lists isn't a duplicate, but one that a
// single list repeats is.
func unionOf(lists [][]pin.Pin) (entries []pin.Pin) {
	times := map[string]int{} // by digest, among entries
	for _, list := range lists {
		here := map[string]int{}
		for _, e := range list {
			if here[e.Digest]++; here[e.Digest] > times[e.Digest] {
				times[e.Digest]++
				entries = append(entries, e)
			}
		}
	}
	return entries
}

// offers reports whether the server declared that it has a list.
func (r *captureReader) offers(entryType pin.EntryType) bool {
	return slices.ContainsFunc(r.offered, func(offered jsontree.Value) bool { return pin.IsDeclared(entryType, offered) })
}

// offersNone reports whether the server declared capabilities without this list.
func (r *captureReader) offersNone(entryType pin.EntryType) bool {
	canSay := len(r.offered) > 0 && len(pin.EntryTypeInfo[entryType].Capability) > 0
	return canSay && !r.offers(entryType)
}

const revisionHint = "if its answer depends on the revision of the protocol: pinproof-capture save FILE --protocol REVISION, the one that the agent speaks"

// sameList refuses the n-th complete list of a session if its definitions are not those of
// the first one: nobody can know which list an agent got.
func (r *captureReader) sameList(entryType pin.EntryType, n int, first, other []pin.Pin) error {
	in := map[string][2]bool{} // by digest: which of the two have it
	for _, e := range first {
		in[e.Digest] = [2]bool{true, false}
	}
	for _, e := range other {
		in[e.Digest] = [2]bool{in[e.Digest][0], true}
	}
	var differ []string
	for _, e := range slices.Concat(first, other) {
		if in[e.Digest] != [2]bool{true, true} {
			differ = append(differ, e.Name)
		}
	}
	if len(differ) == 0 {
		return nil
	}
	if entryType == pin.Instructions {
		return fail.In(text.Printable(r.Path), "ambiguous: the session has two different instructions").
			Hint("capture it again, and ask which of them an agent gets").Hint(revisionHint)
	}
	slices.SortFunc(differ, jsontree.CompareUTF16)
	differ = slices.Compact(differ)
	what := EntryNamed(entryType, differ[0])
	if len(differ) > 1 {
		what += " and " + text.Count(len(differ)-1, "other")
	}
	return fail.In(text.Printable(r.Path), "ambiguous: list %d of the session is not the first one: %s", n, what).
		Hint("the server changed its %ss during the session: capture it again, and ask which list an agent gets", pin.EntryTypeInfo[entryType].Entry).
		Hint(revisionHint)
}

// staysSkill refuses a skill that can't be read as one with placeholders in it: nobody could be warned of
// its files, and the lockfile could keep no file.
func staysSkill(path string, p *pin.Pin, pinned jsontree.Value) error {
	if p.Type != pin.Skills {
		return nil
	}
	_, problem := skill.Read(pinned)
	if problem == nil {
		return nil
	}
	where := fmt.Sprintf("%s:%d:%d", text.Printable(path), p.Line, p.Column)
	return fail.In(where, "%s: with a placeholder in it, it can't be read as a skill: %s", EntryNamed(pin.Skills, p.Name), problem.Text).
		Hint("give --substitute a value that has nothing of the URI's scheme, of the skill's own folder and of %s", skill.Main)
}

// HasPages reports whether a tool names the page of an app, and the capture has an answer about the list of
// resources, where the pages are.
func (m *Capture) HasPages() bool {
	if !m.Lists[pin.Resources].Answered && m.Lists[pin.Resources].Problem == nil {
		return false
	}
	names := func(tool pin.Pin) bool { return pin.NamesPage(tool.Tree()) }
	return slices.ContainsFunc(m.Lists[pin.Tools].Entries, names)
}

// Pins makes the pins of a capture under a policy.
func Pins(m Capture, server string, pol pin.Policy, values []pin.Substitute, formOf pin.FormFunc) (pin.Set, error) {
	s := pin.Set{Server: server, About: m.About.Recorded(), Policy: pol}
	var pins []pin.Pin
	for _, name := range pol.Substitute {
		at := slices.IndexFunc(values, func(s pin.Substitute) bool { return s.Name == name })
		if at < 0 {
			return s, fail.New("%s replaces a value in the pins: which value is it here?", name).
				Hint("name it: --substitute %s=VALUE", name)
		}
	}
	// They keep their order: the longest value comes first.
	for _, v := range values {
		if slices.Contains(pol.Substitute, v.Name) {
			s.Values = append(s.Values, v)
		}
	}
	for entryType := range pin.EntryTypes {
		if !pol.Pins(entryType) {
			continue
		}
		if err := m.Lists[entryType].Problem; err != nil {
			return s, err
		}
		pins = slices.Grow(pins, len(m.Lists[entryType].Entries))
		for _, p := range m.Lists[entryType].Entries {
			if entryType == pin.Resources && !pol.PinsEntry(p.Key) {
				continue
			}
			if pol.Shapes() || len(s.Values) > 0 {
				v, err := pin.PutPlaceholders(p.Tree(), s.Values)
				// The policy comes after the placeholders: a text is cut at the same place for all values.
				v = pol.Apply(entryType, v)
				if err != nil {
					where := fmt.Sprintf("%s:%d:%d", text.Printable(m.Path), p.Line, p.Column)
					return s, fail.In(where, "%s: %s", EntryNamed(entryType, p.Name), err)
				}
				if err := staysSkill(m.Path, &p, v); err != nil {
					return s, err
				}
				hashed := []byte(v.Text)
				if entryType != pin.Instructions {
					hashed = jsontree.Append(nil, v)
				}
				p.Form = formOf(entryType, hashed)
			}
			p.Files = slices.Clone(p.Files)
			if len(s.Values) > 0 {
				p.PutPlaceholders(s.Values)
			}
			pins = append(pins, p)
		}
	}
	s.Put(pins)
	return s, nil
}
