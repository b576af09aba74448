package pin

import (
	"strings"

	"pinproof/internal/jsontree"
)

// IsAppPage reports whether a resource is the page of an app, by the scheme of its URI. Letter case is ignored
// (RFC 3986, section 3.1).
func IsAppPage(uri string) bool {
	scheme, _, found := strings.Cut(uri, ":")
	return found && strings.EqualFold(scheme, "ui")
}

// pageMembers lists the members of a tool's _meta that name the page that clients show when the tool is called.
//
//	member                   source                                                           read on
//	ui.resourceUri           extension io.modelcontextprotocol/ui, 2026-01-26                 2026-11
//	ui/resourceUri           its official package: the older form, which hosts read, too      2026-11
//	openai/outputTemplate    documentation of the Apps SDK                                    2026-11
var pageMembers = [][]string{{"ui", "resourceUri"}, {"ui/resourceUri"}, {"openai/outputTemplate"}}

// NamesAppPage reports whether a tool names the page of an app.
func NamesAppPage(tool jsontree.Value) bool {
	for _, path := range pageMembers {
		named := tool.Get("_meta")
		for _, member := range path {
			named = named.Get(member)
		}
		if named.Kind == '"' && IsAppPage(named.Text) {
			return true
		}
	}
	return false
}
