// Package capture parses the saved responses of a server, in all common file formats, into lists. It rejects
// ambiguous input.
package capture

import (
	"cmp"
	"fmt"
	"slices"

	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/shell"
	"pinproof/internal/skill"
	"pinproof/internal/text"
)

// A Capture is the saved output of one server: its tools and everything else that a model reads.
type Capture struct {
	Path         string
	Lists        [pin.EntryTypeCount]listing
	ServerInfo   pin.ServerInfo // for display only
	SkippedLines int            // lines skipped as noise
}

// A listing is one list of a capture. An invalid list is an error only if the list is pinned.
type listing struct {
	// The server returned the list, or declared that it has no such list.
	Answered bool

	Declared bool      // the server declares that it has the list
	Entries  []pin.Pin // as received, in the server's order
	Problem  error

	// The lists of the session, each from one or more pages. If they differ, the capture is ambiguous.
	lists [][]pin.Pin

	// The cursor of the last page, if the list isn't complete; or nil.
	cursor *jsontree.Value

	lastPage jsontree.Value // the message with the last page

	// The notification, after the last page, that the list has changed; or nil.
	changed *jsontree.Value
}

// DescribeEntry names an entry in a sentence: tool NAME, prompt NAME, instructions.
func DescribeEntry(entryType pin.EntryType, name string) string {
	if entryType == pin.Instructions {
		return "instructions"
	}
	return pin.EntryTypeInfo[entryType].Entry + " " + text.QuoteName(name)
}

// Read parses a saved response: a JSON-RPC response, a bare result, a bare array, a batch, several pages one
// after another, a stdio transcript, or an event stream. It rejects ambiguous input. jsontree.Reader documents
// what it rejects in the JSON itself.
func Read(path string, data []byte, formOf pin.HashFunc, pol pin.Policy) (Capture, error) {
	return Scan(path, data, formOf).Capture(pol)
}

// ScannedCapture holds the JSON values of a file, or the error in them. Scanning needs no policy: the policy depends
// on the server, which is not known yet.
type ScannedCapture struct {
	// The file is part of a session: lists may be missing or unfinished.
	IsPartial bool

	fail.File
	json   *jsontree.Reader
	formOf pin.HashFunc

	// The definitions, in the order of the file.
	defined []entry

	noise  int // lines and values skipped as noise
	values []jsontree.Value
	err    error

	// The captures made so far, by the policy's EmptyCursorEnds.
	captures map[bool]Capture
}

// Scan reads a file's JSON values. formOf computes the digests of each definition.
func Scan(path string, data []byte, formOf pin.HashFunc) *ScannedCapture {
	s := &ScannedCapture{File: fail.NewFile(path, data), formOf: formOf, captures: map[bool]Capture{}}
	values, err := s.readValues()
	s.values = values
	s.err = s.located(err)
	return s
}

// Err returns the error in the file, or nil if some policy accepts the file.
func (s *ScannedCapture) Err() error {
	_, err := s.Capture(pin.Policy{})
	if err != nil {
		if _, lenient := s.Capture(pin.Policy{EmptyCursorEnds: true, RoundIntegers: true}); lenient == nil {
			return nil
		}
	}
	return err
}

// Capture sorts the file's values into lists, and checks them under a policy.
func (s *ScannedCapture) Capture(pol pin.Policy) (Capture, error) {
	if s.err != nil {
		return Capture{}, s.err
	}
	if s.json.FirstRounded != nil && !pol.RoundIntegers {
		return Capture{}, s.refuse(s.json.FirstRounded).
			Hint("to pin the double, as the published recipe (RFC 8785) does: pinproof lock --round-integers %s", shell.QuotePath(s.Path))
	}
	if made, ok := s.captures[pol.EmptyCursorEnds]; ok {
		return made, nil
	}
	r := &captureReader{ScannedCapture: *s, emptyCursorEnds: pol.EmptyCursorEnds, asked: map[string]bool{}}
	for _, v := range s.values {
		r.messages = r.messages || v.Has("jsonrpc") || slices.ContainsFunc(v.Items(), func(item jsontree.Member) bool { return item.Has("jsonrpc") })
	}
	for _, v := range s.values {
		var err error
		switch v.Kind {
		case '[':
			err = r.array(v, len(s.values) == 1)
		case '{':
			err = r.object(v)
		default:
			// This is a scalar between messages.
			r.noise++
		}
		if err != nil {
			return Capture{}, r.located(err)
		}
	}
	if err := r.finish(); err != nil {
		return Capture{}, err
	}
	s.captures[pol.EmptyCursorEnds] = r.made
	return r.made, nil
}

// listOf returns the list of the entry at a path, or false if the path isn't that of an entry. Entries are at
// [i], tools[i], result.tools[i] and [i].result.tools[i].
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

// isMessage reports whether an object is a message of a batch rather than a tool, by the members it has.
func isMessage(has func(name string) bool) bool {
	return has("jsonrpc") || !has("name") && (has("method") || has("result") || has("error"))
}

// An entry is a definition of the file: its pin, or why it can't be an entry.
type entry struct {
	pin.Pin
	problem error
}

// newEntry checks a definition as a client would read it, and computes its digests.
func (s *ScannedCapture) newEntry(path []jsontree.Step, v jsontree.Value, canonical []byte) entry {
	entryType, _ := listOf(path)
	p := s.placed(v)
	p.Key = pin.Key{Type: entryType, Name: v.StringIn(pin.EntryTypeInfo[entryType].Identity)}
	problem := s.check(p.Key, path, v)
	if problem == nil {
		p.HashedDefinition = s.formOf(entryType, canonical)
	}
	return entry{p, problem}
}

// placed returns a pin with the received text, and with its line and column.
func (s *ScannedCapture) placed(v jsontree.Value) pin.Pin {
	line, column := s.Position(int(v.Start))
	return pin.Pin{Received: s.Data[v.Start:v.End], Line: line, Column: column}
}

// entryAt names an entry by its name or, without a name, by its number in the list.
func entryAt(path []jsontree.Step, name string) string {
	entryType, _ := listOf(path)
	if name == "" {
		return fmt.Sprintf("%s %d of the list", pin.EntryTypeInfo[entryType].Entry, path[len(path)-1].Index+1)
	}
	return DescribeEntry(entryType, name)
}

// read creates a reader of data that treats the entries of lists as definitions.
func (s *ScannedCapture) read(data []byte) {
	s.Data, s.json, s.defined = data, jsontree.NewReader(data), nil
	s.json.LimitsDefinitions = true
	batch := false
	s.json.IsDefinition = func(path []jsontree.Step) bool {
		_, ok := listOf(path)
		if ok && len(path) == 1 {
			// The first element of an array decides whether it is a batch of messages rather than a list of tools.
			if path[0].Index == 0 {
				names := jsontree.MemberNames(data[s.json.ValueStart:])
				batch = isMessage(func(name string) bool { return slices.Contains(names, name) })
			}
			return !batch
		}
		return ok
	}
	s.json.OnDefinition = func(path []jsontree.Step, v jsontree.Value, canonical []byte) {
		s.defined = append(s.defined, s.newEntry(path, v, canonical))
	}
}

// check returns why a value isn't a valid entry, or nil.
func (s *ScannedCapture) check(key pin.Key, path []jsontree.Step, v jsontree.Value) error {
	info := &pin.EntryTypeInfo[key.Type]
	refuse := func(problem *jsontree.Error) *fail.Error {
		return s.ErrorAt(problem.Offset, "%s: %s", entryAt(path, key.Name), problem.Text)
	}
	if v.Kind != '{' {
		return s.ErrorAt(int(v.Start), "%s is no object", entryAt(path, ""))
	}
	if problem := findFolded(v.Members(), info.Members, ""); problem != nil {
		return refuse(problem)
	}
	if key.Type == pin.Tools && !v.Has("inputSchema") {
		for _, wrong := range []string{"input_schema", "parameters", "function"} {
			if v.Has(wrong) {
				return refuse(v.Errorf(`%q instead of "inputSchema": a model API's list, not a server's own`, wrong)).Hint(CaptureHint)
			}
		}
	}
	if key.Name == "" {
		return refuse(v.Errorf("no %q that is a non-empty string", info.Identity))
	}
	if key.Type == pin.Skills {
		if _, problem := skill.Parse(v); problem != nil {
			return refuse(problem)
		}
	}
	for _, inner := range info.Inner {
		part := v.Get(inner.Member)
		problem := findFolded(part.Members(), inner.Parts, inner.Member+": ")
		for _, item := range part.Items() {
			problem = cmp.Or(problem, findFolded(item.Members(), inner.Parts, inner.Member+": "))
		}
		if problem != nil {
			return refuse(problem)
		}
	}
	return nil
}

// captureReader sorts the JSON values of a file into lists.
type captureReader struct {
	ScannedCapture
	emptyCursorEnds bool

	made Capture

	messages bool             // the file has JSON-RPC messages
	asked    map[string]bool  // the requests: method, space, MessageKey
	errors   []jsontree.Value // messages with an error

	// The contents in all answers to resources/read, item by item.
	bodies []jsontree.Member

	// The results of checkFrontmatter that are nil: digests of files, with the frontmatter of their entries.
	checked map[[2]string]bool

	// The capabilities in each response to initialize or server/discover.
	offered []jsontree.Value
}

const bareAmongMessages = "a bare list among messages: not something a client would read"

// array reads an array at the top level: a batch of messages, or a bare list, which must be the file's only
// value.
func (r *captureReader) array(v jsontree.Value, alone bool) error {
	if len(v.Items()) > jsontree.MaxEntries {
		return v.Errorf("more than 50,000 entries")
	}
	if len(v.Items()) > 0 && v.Items()[0].DefinitionNumber == 0 {
		for _, item := range v.Items() {
			if !isMessage(item.Has) {
				return item.Errorf("neither a batch of messages nor a list of tools")
			}
			if err := r.object(item.Value); err != nil {
				return err
			}
		}
		return nil
	}
	if r.messages && !spellsResult(r.Data[v.Start:v.End]) {
		// This is a line of the server's log.
		r.noise++
		return nil
	}
	if !alone {
		return v.Errorf(bareAmongMessages)
	}
	return r.page(pin.Tools, v.Items(), nil, v)
}

func (r *captureReader) object(v jsontree.Value) error {
	if len(v.Members()) > maxMembers {
		return v.Errorf("more than 10,000 members in a message")
	}
	if problem := findFolded(v.Members(), pin.MessageMembers, ""); problem != nil {
		return problem
	}
	_, isResult := pin.EntryTypeIn(v.Has)
	isBare := !v.Has("jsonrpc") && !v.Has("result")
	if r.messages && isBare && (isResult || !isMessage(v.Has)) {
		// This is a line of the server's log: no client reads it as a response.
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
		return r.result(v, v)
	}
	if method := v.Get("method"); method.Kind != 0 {
		// A request whose id is null isn't recorded: an error with that id answers no request.
		if v.Has("id") && v.Get("id").Kind != 'n' {
			r.asked[method.Text+" "+MessageKey(v)] = true
		}
		for entryType, info := range pin.EntryTypeInfo {
			if method.Text != "" && method.Text == info.Changed {
				r.made.Lists[entryType].changed = &v
			}
		}
		return nil
	}
	if v.Has("error") {
		r.errors = append(r.errors, v)
		return nil
	}
	if !r.messages { // a bare answer to resources/read
		r.bodies = append(r.bodies, v.Get("contents").Items()...)
	}
	if result := v.Get("result"); result.Kind == '{' || result.Kind == '[' {
		if _, ok := pin.EntryTypeIn(result.Has); ok && r.messages && !v.Has("jsonrpc") {
			return v.Errorf(bareAmongMessages)
		}
		return r.result(result, v)
	}
	return nil
}

// result reads the result of a message.
func (r *captureReader) result(result, message jsontree.Value) error {
	if len(result.Members()) > maxMembers {
		return result.Errorf("more than 10,000 members in a message")
	}
	if problem := findInResult(result); problem != nil {
		return problem
	}
	if t := result.Get("resultType"); t.Kind != 0 && t.Text != "complete" {
		return t.Errorf(`"resultType" is not "complete": the server has not answered yet`)
	}
	r.made.ServerInfo = cmp.Or(r.made.ServerInfo, pin.ReadServerInfo(result.Get("serverInfo")), pin.ReadServerInfo(result.Get("_meta").Get("io.modelcontextprotocol/serverInfo")))
	entryType, listed := pin.EntryTypeIn(result.Has)
	r.bodies = append(r.bodies, result.Get("contents").Items()...)
	if !listed {
		return r.greeting(result)
	}
	list := pin.EntryTypeInfo[entryType].Member
	others := append(pin.ListMemberNames()[entryType+1:], "protocolVersion", "supportedVersions")
	if other := slices.IndexFunc(others, result.Has); other >= 0 {
		return message.Errorf("fits two shapes: %q beside %q in one result", list, others[other])
	}
	array := result.Get(list)
	if array.Kind != '[' {
		return array.Errorf(`%q is not an array`, list)
	}
	var cursor *jsontree.Value
	if c := result.Get("nextCursor"); c.Kind != 0 && c.Kind != 'n' {
		if c.Kind != '"' {
			return c.Errorf(`"nextCursor" is neither a string nor null`)
		}
		if c.Text != "" || !r.emptyCursorEnds {
			cursor = &c
		}
	}
	return r.page(entryType, array.Items(), cursor, message)
}

// greeting reads the server's capabilities and instructions from the result of initialize (to revision
// 2025-11-25) or of server/discover (2026-07-28).
func (r *captureReader) greeting(result jsontree.Value) error {
	text := result.Get("instructions")
	if text.Kind == 0 && !result.Has("protocolVersion") && !result.Has("supportedVersions") {
		return nil
	}
	if text.Kind != 0 && text.Kind != 'n' && text.Kind != '"' {
		return text.Errorf(`"instructions" is not a string`)
	}
	if text.End-text.Start > jsontree.MaxDefinitionBytes {
		return text.Errorf("instructions of more than 4 MiB")
	}
	if offered := result.Get("capabilities"); offered.Kind == '{' {
		if problem := findInCapabilities(offered); problem != nil {
			return problem
		}
		r.offered = append(r.offered, offered)
	}
	var list []pin.Pin
	if text.Text != "" && text.Kind == '"' { // an empty text tells a model nothing
		p := r.placed(text)
		p.Type = pin.Instructions
		p.HashedDefinition = r.formOf(pin.Instructions, []byte(text.Text))
		list = append(list, p)
	}
	s := &r.made.Lists[pin.Instructions]
	s.lists = append(s.lists, list)
	return nil
}

// page adds one page. Without a cursor, it is the last page of its list. A problem in a list other than tools is only
// recorded, because it matters only if that list is pinned.
func (r *captureReader) page(entryType pin.EntryType, items []jsontree.Member, cursor *jsontree.Value, message jsontree.Value) error {
	s := &r.made.Lists[entryType]
	if s.cursor == nil {
		s.lists = append(s.lists, nil)
	}
	s.cursor = cursor
	s.lastPage = message
	s.changed = nil
	list := &s.lists[len(s.lists)-1]
	if len(*list)+len(items) > jsontree.MaxEntries {
		s.Problem = cmp.Or(s.Problem, error(message.Errorf("more than 50,000 %ss", pin.EntryTypeInfo[entryType].Entry)))
	}
	for i := 0; i < len(items) && s.Problem == nil; i++ {
		e := &r.defined[items[i].DefinitionNumber-1]
		s.Problem = e.problem
		*list = append(*list, e.Pin)
	}
	if entryType == pin.Tools {
		return s.Problem
	}
	return nil
}

// finish checks whether each list is complete.
func (r *captureReader) finish() error {
	r.made.Path = r.Path
	r.made.SkippedLines = r.noise
	if err := r.answeredError(); err != nil {
		return err
	}
	answered := false
	for entryType := range pin.EntryTypeCount {
		list := &r.made.Lists[entryType]
		list.Problem = r.located(cmp.Or(list.Problem, r.finishList(entryType, list)))
		if entryType == pin.Tools && list.Problem != nil {
			return list.Problem
		}
		answered = answered || list.Answered
	}
	if skills := &r.made.Lists[pin.Skills]; skills.Problem == nil && len(skills.Entries) > 0 {
		skills.Problem = r.readFiles(skills.Entries)
	}
	what := "no answer to tools/list in it"
	switch {
	case r.made.Lists[pin.Tools].Answered, r.IsPartial && (r.messages || answered):
		return nil
	case r.IsPartial:
		what = "no message of a session in it"
	}
	if r.noise > 0 {
		what += fmt.Sprintf(" (%s passed over)", text.FormatCount(r.noise, "line")+" of noise")
	}
	return r.notCapture(-1, "%s", what)
}

// answeredError returns an error if the server sent an error response instead of its tools, unless it declares that it
// has no tools.
func (r *captureReader) answeredError() error {
	tools := &r.made.Lists[pin.Tools]
	if r.IsPartial || r.offersNone(pin.Tools) {
		return nil
	}
	for _, e := range r.errors {
		if len(tools.lists) == 0 || r.asked["tools/list "+MessageKey(e)] {
			s := "the server answered with an error"
			if said := e.Get("error").StringIn("message"); said != "" {
				s += ": " + text.QuoteName(said)
			}
			return r.ErrorAt(int(e.Start), "%s", s).Hint("capture again once the server lists its tools")
		}
	}
	return nil
}

func (r *captureReader) finishList(entryType pin.EntryType, s *listing) error {
	s.Declared = r.offers(entryType)
	if r.IsPartial && s.Problem == nil {
		s.Answered = len(s.lists) > 0
		s.Entries = unionOf(s.lists)
		return nil
	}
	entry := pin.EntryTypeInfo[entryType].Entry
	if s.cursor != nil {
		f := r.ErrorAt(int(s.lastPage.Start), `an unfinished list: "nextCursor" of its last page says that more %ss follow`, entry).
			Hint("ask for the next page with that cursor and append the answer to the file")
		if s.cursor.Text == "" {
			f.Hint("if this server sends an empty cursor on its last page: pinproof lock --empty-cursor-ends %s", shell.QuotePath(r.Path))
		}
		return f
	}
	if len(s.lists) == 0 {
		s.Answered = s.Problem == nil && r.offersNone(entryType)
		return nil
	}
	if s.changed != nil {
		return r.ErrorAt(int(s.changed.Start), "the server says that its list of %ss has changed, and no newer list follows", entry).
			Hint("capture again: pinproof-capture save %s -- COMMAND", shell.QuotePath(r.Path))
	}
	s.Answered = true
	first := digestsOf(s.lists[0])
	for i, other := range s.lists[1:] {
		differ := missingIn(first, other)
		// The first list may be long, and there may be many others, so search the first list only if another list lacks
		// one of its entries.
		if known := digestsOf(other); len(known) < len(first) || differ != nil {
			return r.ambiguous(entryType, i+2, append(missingIn(known, s.lists[0]), differ...))
		}
	}
	// All lists have the same digests. A longer list repeats some entries, and the repetition must be reported.
	s.Entries = slices.MaxFunc(s.lists, func(a, b []pin.Pin) int { return len(a) - len(b) })
	return nil
}

// unionOf merges the lists of a session. Each definition occurs as often as in the list that repeats it most, because
// only a repetition within one list is a duplicate.
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
	return slices.ContainsFunc(r.offered, func(offered jsontree.Value) bool { return pin.DeclaresList(entryType, offered) })
}

// offersNone reports whether the server declared capabilities without this list.
func (r *captureReader) offersNone(entryType pin.EntryType) bool {
	canSay := len(r.offered) > 0 && len(pin.EntryTypeInfo[entryType].Capability) > 0
	return canSay && !r.offers(entryType)
}

const revisionHint = "if its answer depends on the revision of the protocol: pinproof-capture save FILE --protocol REVISION, the one that the agent speaks"

// digestsOf returns the digests of the entries of a list.
func digestsOf(list []pin.Pin) map[string]bool {
	known := map[string]bool{}
	for _, e := range list {
		known[e.Digest] = true
	}
	return known
}

// missingIn returns the names of the entries of a list whose digests another list doesn't have.
func missingIn(known map[string]bool, list []pin.Pin) (names []string) {
	for _, e := range list {
		if !known[e.Digest] {
			names = append(names, e.Name)
		}
	}
	return names
}

// ambiguous returns the error for the n-th list of a session, which differs from the first. It is unknown which
// of them an agent got.
func (r *captureReader) ambiguous(entryType pin.EntryType, n int, differ []string) error {
	if entryType == pin.Instructions {
		return r.ErrorAt(-1, "ambiguous: the session has two different instructions").
			Hint("capture it again, and ask which of them an agent gets").Hint(revisionHint)
	}
	slices.SortFunc(differ, jsontree.CompareUTF16)
	differ = slices.Compact(differ)
	what := DescribeEntry(entryType, differ[0])
	if len(differ) > 1 {
		what += " and " + text.FormatCount(len(differ)-1, "other")
	}
	return r.ErrorAt(-1, "ambiguous: list %d of the session is not the first one: %s", n, what).
		Hint("the server changed its %ss during the session: capture it again, and ask which list an agent gets", pin.EntryTypeInfo[entryType].Entry).
		Hint(revisionHint)
}

// HasAppPages reports whether a tool names the page of an app, and the capture has the list of resources, which
// contains the pages.
func (m *Capture) HasAppPages() bool {
	if !m.Lists[pin.Resources].Answered && m.Lists[pin.Resources].Problem == nil {
		return false
	}
	names := func(tool pin.Pin) bool { return pin.NamesAppPage(tool.Tree()) }
	return slices.ContainsFunc(m.Lists[pin.Tools].Entries, names)
}

// PinCapture makes the pins of a capture under a policy.
func PinCapture(m Capture, server string, pol pin.Policy, values []pin.Substitution, formOf pin.HashFunc) (pin.Set, error) {
	s := pin.Set{Server: server, ServerInfo: m.ServerInfo.AsRecorded(), Policy: pol}
	names := pin.SubstitutionNames(values)
	for _, name := range pol.Substitute {
		if !slices.Contains(names, name) {
			return s, fail.New("%s replaces a value in the pins: which value is it here?", name).
				Hint("name it: --substitute %s=VALUE", name)
		}
	}
	// The values keep their order, the longest first.
	s.Substitutes = slices.DeleteFunc(slices.Clone(values), func(v pin.Substitution) bool { return !slices.Contains(pol.Substitute, v.Name) })
	var pins []pin.Pin
	for entryType, list := range m.Lists {
		if !pol.CoversType(pin.EntryType(entryType)) {
			continue
		}
		if list.Problem != nil {
			return s, list.Problem
		}
		pins = slices.Grow(pins, len(list.Entries))
		for _, p := range list.Entries {
			if !pol.CoversEntry(p.Key) {
				continue
			}
			if pol.ChangesDefinitions() || len(s.Substitutes) > 0 {
				if err := shape(&p, &s, formOf); err != nil {
					where := fmt.Sprintf("%s:%d:%d", m.Path, p.Line, p.Column)
					told := fail.NewAt(where, "%s: %s", DescribeEntry(p.Type, p.Name), err)
					told.Hints = err.Hints
					return s, told
				}
			}
			pins = append(pins, p)
		}
	}
	s.SetPins(pins)
	return s, nil
}

// shape applies the substitutes and the policy of a set to an entry.
func shape(p *pin.Pin, s *pin.Set, formOf pin.HashFunc) *fail.Error {
	v, err := pin.InsertPlaceholders(p.Tree(), s.Substitutes)
	if err != nil {
		return fail.AsError(err)
	}
	// Placeholders come first, so that truncation cuts a text at the same place for all values.
	v = s.Policy.Apply(p.Type, v)
	if p.Type == pin.Skills {
		// Reject a skill that can't be parsed, because no warning could refer to its files, and the lockfile couldn't
		// store their texts.
		if _, problem := skill.Parse(v); problem != nil {
			return fail.New("with a placeholder in it, it can't be read as a skill: %s", problem.Text).
				Hint("give --substitute a value that has nothing of the URI's scheme, of the skill's own folder and of %s", skill.MainFile)
		}
	}
	hashed := []byte(v.Text)
	if p.Type != pin.Instructions {
		hashed = jsontree.Append(nil, v)
	}
	p.HashedDefinition = formOf(p.Type, hashed)
	p.InsertPlaceholdersInNames(s.Substitutes)
	return nil
}
