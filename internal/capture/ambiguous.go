package capture

import (
	"slices"
	"strings"

	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/shell"
	"pinproof/internal/text"
)

// otherFile refuses an object from another kind of file, such as a client configuration or a lockfile.
func (r *captureReader) otherFile(v jsontree.Value) error {
	if v.Has("mcpServers") {
		return r.ErrorAt(-1, `a client configuration ("mcpServers"), not an answer to tools/list`).
			Hint("save the answers of its servers: pinproof-capture config %s captures", shell.QuotePath(r.Path)).
			Hint("then pin them: pinproof lock captures")
	}
	if v.Has("lockfileVersion") && v.Has("servers") {
		return r.ErrorAt(-1, "a lockfile, where a saved tools/list belongs").
			Hint("the capture comes first, the lockfile second: pinproof COMMAND CAPTURE %s", shell.QuotePath(r.Path))
	}
	if v.Has("manifest_version") || v.Has("dxt_version") {
		return r.notCapture(-1, `a bundle's manifest ("manifest_version"), not what its server lists`)
	}
	return nil
}

// twoShapes refuses an object that fits two kinds of messages, because clients may read it differently.
func (r *captureReader) twoShapes(v jsontree.Value) error {
	entryType, isResult := pin.EntryTypeIn(v.Has)
	first := pin.EntryTypeInfo[entryType].Member
	second := ""
	isOther := v.Has("error") || v.Has("method")
	switch {
	case isResult && (isOther || v.Has("result")):
		second = `"result", "error" or "method"`
	case isOther && v.Has("result"):
		first = "result"
		second = `"error" or "method"`
	case isResult && v.Has("jsonrpc"):
		second = `"jsonrpc"`
	default:
		return nil
	}
	return v.Errorf("fits two shapes: %q beside %s", first, second)
}

// findFolded returns an error for a member that equals a specified name only if letter case is ignored, or nil.
func findFolded(members []jsontree.Member, specified []string, where string) *jsontree.Error {
	for _, m := range members {
		if slices.Contains(specified, m.Name) {
			continue
		}
		folded := text.FoldASCII(m.Name)
		for _, s := range specified {
			if strings.EqualFold(folded, s) {
				return m.Errorf("%smember %s differs from %q by letter case only: some clients read it as the real one", where, text.QuoteName(m.Name), s)
			}
		}
	}
	return nil
}

// findInResult returns an error for what only some clients read as a member of a result, or nil. Python models
// may accept snake_case names, and serde models accept an array of the members' values.
func findInResult(result jsontree.Value) *jsontree.Error {
	if result.Kind == '[' {
		return result.Errorf("a result that is an array: some clients read its elements as members")
	}
	for _, m := range result.Members() {
		plain := strings.ReplaceAll(m.Name, "_", "")
		for _, s := range pin.ResultMembers {
			if plain != m.Name && strings.EqualFold(plain, s) {
				return m.Errorf("result: member %s differs from %q by underscores: some clients read it as the real one", text.QuoteName(m.Name), s)
			}
		}
	}
	return findFolded(result.Members(), pin.ResultMembers, "result: ")
}

// findInCapabilities returns an error for a capability that only some clients recognize, or nil.
func findInCapabilities(offered jsontree.Value) *jsontree.Error {
	for _, row := range pin.EntryTypeInfo {
		object := offered
		where := "capabilities: "
		for _, member := range row.Capability {
			if problem := findFolded(object.Members(), []string{member}, where); problem != nil {
				return problem
			}
			object = object.Get(member)
			where += member + ": "
		}
	}
	return nil
}
