package pin

import (
	"slices"

	"pinproof/internal/jsontree"
)

// An EntryType is one of the lists that a model reads. A server's instructions, which are one text, count as a
// list with one unnamed entry.
type EntryType int

const (
	Tools EntryType = iota
	Prompts
	Templates
	Resources
	Skills
	Instructions
	EntryTypeCount // the number of entry types
)

// EntryTypeInfo is the table of entry types. The code that reads, writes, asks for and guards lists
// works from its rows. internal/house compares the table with files outside of the
// program that name each type, such as the JSON schemas.
var EntryTypeInfo = [EntryTypeCount]struct {
	Entry string // the word for an entry

	// The member with the list, in a result and in the lockfile.
	Member string

	Method   string // the request for the list
	Identity string // the member of an entry that names it

	// The path to the capability that a server with the list declares.
	Capability []string

	// The request that uses an entry by its name, or "".
	Uses string

	// The notification that the list has changed; "" where Uses is "", too.
	Changed string

	// The members of an entry to which the specification gives a meaning.
	Members []string

	// The same for the objects inside an entry.
	Inner []NamedParts
}{
	Tools: {
		Entry: "tool", Member: "tools", Method: "tools/list", Identity: "name", Capability: []string{"tools"},
		Uses: "tools/call", Changed: "notifications/tools/list_changed",
		Members: []string{"name", "title", "description", "icons", "inputSchema", "outputSchema", "annotations", "execution", "_meta"},
		Inner:   innerMembers,
	},
	Prompts: {
		Entry: "prompt", Member: "prompts", Method: "prompts/list", Identity: "name", Capability: []string{"prompts"},
		Uses: "prompts/get", Changed: "notifications/prompts/list_changed",
		Members: []string{"name", "title", "description", "arguments", "icons", "_meta"},
		Inner:   innerMembers,
	},
	Templates: {
		Entry: "template", Member: "resourceTemplates", Method: "resources/templates/list", Identity: "uriTemplate", Capability: []string{"resources"},
		Members: []string{"uriTemplate", "name", "title", "description", "mimeType", "annotations", "icons", "_meta"},
		Inner:   innerMembers,
	},
	Resources: {
		Entry: "resource", Member: "resources", Method: "resources/list", Identity: "uri", Capability: []string{"resources"},
		Members: []string{"uri", "name", "title", "description", "mimeType", "size", "annotations", "icons", "_meta"},
		Inner:   innerMembers,
	},
	Skills: {
		Entry: "skill", Member: "skills", Method: "skills/list", Identity: "uri", Capability: []string{"extensions", SkillsExtension},
		Members: []string{"uri", "frontmatter", "resources"},
		Inner: []NamedParts{
			{"frontmatter", []string{"name", "description", "license", "compatibility", "metadata", "allowed-tools"}},
			{"resources", []string{"uri", "digest", "size"}},
		},
	},
	Instructions: {Entry: "instructions", Member: "instructions", Method: "initialize"},
}

// SkillsExtension is the extension whose skills are pinned, final since September 2026.
const SkillsExtension = "io.modelcontextprotocol/skills"

// LockOrder is the order of the lists in a server's entry of the lockfile, and of
// the lines of a combined set digest.
var LockOrder = [EntryTypeCount]EntryType{Instructions, Tools, Prompts, Templates, Resources, Skills}

// RequestOrder is the order in which a capture asks for the lists.
var RequestOrder = [Instructions]EntryType{Tools, Prompts, Resources, Templates, Skills}

// NamedParts lists the members (Parts) to which the specification gives a meaning in an object inside an entry. Member
// is the member of the entry that contains that object, or an array of such objects.
type NamedParts struct {
	Member string
	Parts  []string
}

// The members to which the specification gives a meaning, up to revision 2026-07-28, in objects whose members a client
// looks up by name. For the members of entries, see EntryTypeInfo.
var (
	MessageMembers = []string{"jsonrpc", "id", "method", "params", "result", "error"}
	ResultMembers  = append(ListMemberNames(), "skill", "contents", "nextCursor", "_meta", "resultType", "ttlMs", "cacheScope")

	innerMembers = []NamedParts{
		{"annotations", []string{"title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint", "audience", "priority", "lastModified"}},
		{"execution", []string{"taskSupport"}},
		{"arguments", []string{"name", "title", "description", "required"}},
	}
)

// ListMemberNames returns the members of results that contain lists, in the order of the entry types.
func ListMemberNames() []string {
	var members []string
	for _, row := range EntryTypeInfo {
		members = append(members, row.Member)
	}
	return members
}

// IsSpecifiedMember reports whether the specification gives a meaning to a member of an entry.
func IsSpecifiedMember(entryType EntryType, member string) bool {
	return slices.Contains(EntryTypeInfo[entryType].Members, member)
}

// EntryTypeNamed returns the type of entries whose list is the member of that name.
func EntryTypeNamed(member string) (EntryType, bool) {
	return EntryTypeIn(func(name string) bool { return name == member })
}

// EntryTypeIn returns the type of the first list in a result. has reports whether the result has a member.
func EntryTypeIn(has func(name string) bool) (EntryType, bool) {
	for entryType := range Instructions {
		if has(EntryTypeInfo[entryType].Member) {
			return entryType, true
		}
	}
	return 0, false
}

// DeclaresList reports whether the capabilities of a server declare a list. A member that is
// null declares that there is no list.
func DeclaresList(entryType EntryType, capabilities jsontree.Value) bool {
	path := EntryTypeInfo[entryType].Capability
	for _, member := range path {
		capabilities = capabilities.Get(member)
	}
	return len(path) > 0 && capabilities.Kind != 0 && capabilities.Kind != 'n'
}

// CanBeDenied reports whether --deny accepts entries of a type. It doesn't accept instructions: they are one
// text, which an agent reads whole.
func (t EntryType) CanBeDenied() bool { return t != Instructions }
