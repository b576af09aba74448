package diff

import (
	"slices"

	"pinproof/internal/jsontree"
	"pinproof/internal/label"
)

// metaRules label the changes in _meta after which clients ask a person less, or let a page or a model do more.
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
	less  func(old, new jsontree.Value) bool
	label label.Label
}{
	{[]string{"anthropic/requiresUserInteraction"}, asksNoMore, label.AskingDropped},
	{[]string{"ui", "visibility"}, isShownMore, label.AppWidened},
	{[]string{"openai/visibility"}, isPublicNow, label.AppWidened},
	{[]string{"openai/widgetAccessible"}, grows, label.AppWidened},
	{[]string{"openai/widgetCSP"}, grows, label.AppWidened},
	{[]string{"ui", "csp"}, grows, label.AppWidened},
	{[]string{"ui", "permissions"}, grows, label.AppWidened},
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
		less := rule.less
		if len(p.inside) > len(rule.path) {
			less = grows
		}
		if less(old, new) {
			return rule.label
		}
	}
	return label.ClientMetadata
}

func asksNoMore(old, new jsontree.Value) bool { return old.Kind == 't' && new.Kind != 't' }

// isPublicNow reports whether a tool that was private, which a model doesn't see, isn't private any more.
func isPublicNow(old, new jsontree.Value) bool {
	return jsontree.TextOf(&old) == "private" && jsontree.TextOf(&new) != "private"
}

// isShownMore reports whether the model or the page may use a tool that it could not use before. If no member declares
// who may use a tool, both may.
func isShownMore(old, new jsontree.Value) bool {
	listed := func(v jsontree.Value) jsontree.Value {
		if v.Kind != '[' {
			return jsontree.Texts([]string{"model", "app"})
		}
		return v
	}
	return grows(listed(old), listed(new))
}

// grows reports whether the new value allows something that the old one doesn't name: an element, a member, or a
// different scalar.
func grows(old, new jsontree.Value) bool {
	if isNothing(new) || new.Kind == 'f' {
		return false
	}
	if old.Kind != new.Kind {
		return true
	}
	if new.Kind == '[' {
		was := set{}
		for _, item := range old.Items() {
			was[string(jsontree.Append(nil, item.Value))] = true
		}
		return slices.ContainsFunc(new.Items(), func(item jsontree.Member) bool { return !was[string(jsontree.Append(nil, item.Value))] })
	}
	if new.Kind == '{' {
		return slices.ContainsFunc(new.Members(), func(m jsontree.Member) bool { return grows(old.Get(m.Name), m.Value) })
	}
	return old.Text != new.Text
}
