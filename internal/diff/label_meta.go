package diff

import (
	"slices"

	"pinproof/internal/label"
)

// userInteraction is the _meta member that makes the client ask a person before each call (documentation of Claude Code, read
// 2026-11).
const userInteraction = "anthropic/requiresUserInteraction"

// pageRights are the members of _meta that name the page of a tool, or determine what the page may do and who may call
// the tool. Everything else in _meta is metadata for clients.
//
//	member                     source                                              read on
//	ui                         extension io.modelcontextprotocol/ui, 2026-01-26    2026-11
//	ui/resourceUri             the same, its older form                            2026-11
//	openai/outputTemplate      documentation of OpenAI's Apps SDK, the page        2026-11
//	openai/visibility          the same                                            2026-11
//	openai/widgetAccessible    the same, "true lets the page call the tool"        2026-11
//	openai/widgetCSP           the same, where the page may connect                2026-11
var pageRights = []string{"ui", "ui/resourceUri", "openai/outputTemplate", "openai/visibility", "openai/widgetAccessible", "openai/widgetCSP"}

// metaLabel labels a change in _meta: of a member, inside one, or of several that were added or removed together.
func (p *place) metaLabel() label.Label {
	asks := func(side int) bool { return p.shown[side].Get("_meta").Get(userInteraction).Kind == 't' }
	isRight := func(name string) bool { return slices.Contains(pageRights, name) }
	switch names := p.names(); {
	case slices.Contains(names, userInteraction) && asks(0) && !asks(1):
		return label.ConfirmationDropped
	case slices.ContainsFunc(names, isRight):
		return label.AppWidened
	}
	return label.ClientMetadata
}
