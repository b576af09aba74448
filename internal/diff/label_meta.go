package diff

import (
	"slices"

	"pinproof/internal/label"
)

// metaRules label the changes in _meta after which clients may ask a person less, or let a page or a model do something else.
// Everything else in _meta is metadata for clients.
//
//	member                               source                                              read on
//	anthropic/requiresUserInteraction    documentation of Claude Code, "true asks each time"   2026-11
//	ui.visibility                        extension io.modelcontextprotocol/ui, 2026-01-26       2026-11
//	openai/visibility                    documentation of OpenAI's Apps SDK                     2026-11
//	openai/widgetAccessible              the same, "true lets the page call the tool"           2026-11
//	openai/widgetCSP                     the same, where the page may connect                   2026-11
//	ui.csp, ui.permissions               the same, of the page that a tool names                2026-11
var metaRules = []struct {
	path  []string // from _meta on
	label label.Label
}{
	{[]string{"anthropic/requiresUserInteraction"}, label.ConfirmationDropped},
	{[]string{"ui", "visibility"}, label.AppWidened},
	{[]string{"openai/visibility"}, label.AppWidened},
	{[]string{"openai/widgetAccessible"}, label.AppWidened},
	{[]string{"openai/widgetCSP"}, label.AppWidened},
	{[]string{"ui", "csp"}, label.AppWidened},
	{[]string{"ui", "permissions"}, label.AppWidened},
}

// metaLabel labels a change in _meta, which may be a member in the table, inside one, or around one if both were added
// or removed together.
func (p *place) metaLabel() label.Label {
	for _, rule := range metaRules {
		common := min(len(p.inside), len(rule.path))
		if !slices.Equal(p.inside[:common], rule.path[:common]) {
			continue
		}
		old := p.Old
		new := p.New
		for _, step := range rule.path[common:] {
			old = old.Get(step)
			new = new.Get(step)
		}
		isAsked := rule.label == label.ConfirmationDropped && (old.Kind != 't' || new.Kind == 't')
		if old.Kind+new.Kind > 0 && !isAsked {
			return rule.label
		}
	}
	return label.ClientMetadata
}
