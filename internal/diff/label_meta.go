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
	less  func(old, new *jsontree.Value) bool
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

// metaLabel labels a change in _meta. inside is the path from _meta to the change, which may be a member in the
// table, inside one, or around one if both were added or removed together.
func metaLabel(c Change, inside []string) label.Label {
	for _, rule := range metaRules {
		common := min(len(inside), len(rule.path))
		if !slices.Equal(inside[:common], rule.path[:common]) {
			continue
		}
		below := len(inside) > len(rule.path)
		old := &c.Old
		new := &c.New
		for _, step := range rule.path[common:] {
			old = jsontree.Lookup(old, step)
			new = jsontree.Lookup(new, step)
		}
		if below && grows(old, new) || !below && rule.less(old, new) {
			return rule.label
		}
	}
	return label.ClientMetadata
}

func isTrue(v *jsontree.Value) bool { return v != nil && v.Kind == 't' }

// isPublicNow reports whether a tool that was private, which a model doesn't see, isn't private any more.
func isPublicNow(old, new *jsontree.Value) bool {
	return jsontree.TextOf(old) == "private" && jsontree.TextOf(new) != "private"
}

func asksNoMore(old, new *jsontree.Value) bool { return isTrue(old) && !isTrue(new) }

// isShownMore reports whether the model or the page may use a tool that it could not use before. If no member declares
// who may use a tool, both may.
func isShownMore(old, new *jsontree.Value) bool {
	both := jsontree.Texts([]string{"model", "app"})
	listed := func(v *jsontree.Value) *jsontree.Value {
		if v == nil || v.Kind != '[' {
			return &both
		}
		return v
	}
	return grows(listed(old), listed(new))
}

// grows reports whether the new value allows something that the old one doesn't name: an element, a member, or a
// different scalar.
func grows(old, new *jsontree.Value) bool {
	if new == nil || new.Kind == 0 || new.Kind == 'f' || new.Kind == 'n' {
		return false
	}
	if old == nil || old.Kind != new.Kind {
		return true
	}
	if new.Kind == '[' {
		was := map[string]bool{}
		for _, item := range old.Items() {
			was[string(jsontree.Append(nil, item.Value))] = true
		}
		return slices.ContainsFunc(new.Items(), func(item jsontree.Member) bool { return !was[string(jsontree.Append(nil, item.Value))] })
	}
	if new.Kind == '{' {
		return slices.ContainsFunc(new.Members(), func(m jsontree.Member) bool { return grows(jsontree.Lookup(old, m.Name), &m.Value) })
	}
	return old.Text != new.Text
}
