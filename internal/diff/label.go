package diff

import (
	"slices"

	"pinproof/internal/jsontree"
	"pinproof/internal/label"
	"pinproof/internal/normal"
	"pinproof/internal/pin"
	"pinproof/internal/schema"
	"pinproof/internal/words"
)

// labelOf returns the label of a change.
func (l *labeller) labelOf(c Change, s location) label.Label {
	if len(s.steps) == 0 {
		return proseLabel(c, nil) // of a server's instructions
	}
	name := s.steps[0]
	inside := s.steps[1:]
	if len(inside) == 0 && saysNothing(c) && pin.IsSpecifiedMember(l.entryType, name) {
		if c.New.Kind == 'n' {
			return label.Other // the SDKs' clients refuse the whole list
		}
		return label.OtherForm
	}
	// What differs inside a moved value has changes of its own.
	moved := c.Old.Kind == 0 && c.New.Kind == 0
	if name == "title" || name == "description" {
		return l.proseLabel(c, name, inside)
	}
	if l.entryType == pin.Skills {
		return l.skillLabel(c, name, inside)
	}
	if name == "_meta" && !moved {
		return metaLabel(c, inside)
	}
	if name == "_meta" || name == "icons" {
		return label.ClientMetadata
	}
	if l.entryType == pin.Tools && (name == "inputSchema" || name == "outputSchema") {
		return l.sideLabel(c, s)
	}
	if moved {
		return label.Changed
	}
	if name == pin.EntryTypeInfo[l.entryType].Identity {
		return label.Renamed
	}
	switch l.entryType {
	case pin.Tools:
		return l.toolLabel(c, name, inside)
	case pin.Prompts:
		if name == "arguments" {
			return promptArgumentLabel(c, inside)
		}
		return label.Changed
	}
	return resourceLabel(c, name, inside)
}

// saysNothing reports whether a change is between null and no member, which mean the same.
func saysNothing(c Change) bool {
	says := func(v jsontree.Value) bool { return v.Kind != 0 && v.Kind != 'n' }
	return !says(c.Old) && !says(c.New)
}

// toolLabel labels a change in a member, other than a schema, that only tools have.
func (l *labeller) toolLabel(c Change, name string, inside []string) label.Label {
	switch name {
	case "annotations":
		if len(inside) > 0 {
			return l.annotationLabel(c, inside[0], inside[1:])
		}
		// All annotations took the place of something else, or the other way round: return the gravest label of any of them. Who
		// accepts the wording of a title accepts no hint.
		var labels []label.Label
		for _, m := range slices.Concat(c.Old.Members(), c.New.Members()) {
			part := Change{Old: c.Old.Get(m.Name), New: c.New.Get(m.Name)}
			labels = append(labels, l.annotationLabel(part, m.Name, nil))
		}
		slices.Sort(labels)
		if labels = slices.Compact(labels); len(labels) > 1 && labels[0] == label.Wording {
			return label.Other
		}
		return append(labels, label.ClientMetadata)[0]
	case "execution":
		return executionLabel(c, inside)
	}
	return label.Changed
}

// resourceLabel labels a change in a member of a resource or a template.
func resourceLabel(c Change, name string, inside []string) label.Label {
	switch name {
	case "name":
		return proseLabel(c, inside)
	case "annotations", "size":
		return label.ClientMetadata
	case "mimeType":
		// A reader may not know the new type.
		if c.Old.Kind != 0 {
			return label.Other
		}
	}
	return label.Changed
}

// sideLabel labels a change of, or inside, the input or output schema. The same rules compare both: they return the
// label for an input, which OfOutput maps to that for an output.
func (l *labeller) sideLabel(c Change, at location) label.Label {
	isOutput := at.steps[0] == "outputSchema"
	var k label.Label
	switch {
	case at.keyword >= 0:
		k = l.schemaLabel(c, at)
	case isOutput && c.Old.Kind == 0:
		return label.OutputAdded
	case isOutput && c.New.Kind == 0:
		return label.OutputRemoved
	case l.exports(&c.New, schema.AtSchema):
		k = label.Exported
	default:
		k = label.Other
	}
	if isOutput {
		return k.OfOutput()
	}
	return k
}

// proseLabel returns the label of a change of the title or the description of an entry. A title that repeats the
// words of the entry's name tells a reader nothing new.
func (l *labeller) proseLabel(c Change, name string, inside []string) label.Label {
	inWords := func(v jsontree.Value) bool { return v.Kind == 0 || normal.RepeatsName(v.Text, l.name) }
	if name == "title" && len(inside) == 0 && inWords(c.Old) && inWords(c.New) {
		return label.OtherForm
	}
	return proseLabel(c, inside)
}

// proseLabel labels a change in a title or description. Only a string is prose.
func proseLabel(c Change, inside []string) label.Label {
	isText := func(v jsontree.Value) bool { return v.Kind == 0 || v.Kind == 'n' || v.Kind == '"' }
	switch {
	case len(inside) > 0 || !isText(c.Old) || !isText(c.New):
		return label.Other
	case isEmpty(c.Old) && isEmpty(c.New):
		return label.OtherForm
	case words.IndentChange(c.Old.Text, c.New.Text) != "" && words.IsDocComment(c.Old.Text):
		return label.Layout
	}
	return label.Wording
}

// promptArgumentLabel labels a change in a prompt's arguments, each with name, description and required.
func promptArgumentLabel(c Change, inside []string) label.Label {
	on := func(v jsontree.Value) bool { return v.Kind != 0 && v.Kind != 'f' }
	if len(inside) < 2 {
		kind := label.Other
		if c.Old.Kind == 0 {
			kind = label.NewOptional
		} else if c.New.Kind == 0 {
			kind = label.ParameterRemoved
		}
		for _, item := range slices.Concat(c.New.Items(), []jsontree.Member{{Value: c.New}}) {
			if on(item.Value.Get("required")) {
				return label.NewRequired
			}
		}
		return kind
	}
	if inside[1] == "title" || inside[1] == "description" {
		return proseLabel(c, inside[2:])
	}
	if len(inside) > 2 || inside[1] != "name" && inside[1] != "required" {
		return label.Changed
	}
	if inside[1] == "name" {
		return label.Renamed
	}
	if on(c.New) {
		return label.NowRequired
	}
	if on(c.Old) {
		return label.NoLongerRequired
	}
	return label.OtherForm
}

// annotationLabel labels a change in one annotation.
func (l *labeller) annotationLabel(c Change, name string, inside []string) label.Label {
	if name == "title" {
		return l.proseLabel(c, name, inside)
	}
	hint, ok := toolHints[name]
	if !ok || len(inside) > 0 {
		return label.ClientMetadata
	}
	// Clients differ in how they read a hint that isn't a boolean. To be safe, assume that clients ask less because
	// of a new one, and didn't because of an old one.
	asksLess := func(v jsontree.Value, odd bool) bool {
		switch v.Kind {
		case 0:
			return hint.absent == hint.asksLess
		case 't', 'f':
			return (v.Kind == 't') == hint.asksLess
		}
		return odd
	}
	switch before, after := asksLess(c.Old, false), asksLess(c.New, true); {
	case l.readOnly && hint.writes && isFlag(c.Old) && isFlag(c.New):
		return label.OtherForm
	case after && !before:
		return hint.safer
	case before && !after:
		return label.TowardsCaution
	case !isFlag(c.Old) || !isFlag(c.New):
		return label.Changed
	}
	return label.OtherForm
}

// readOnly reports whether a definition's annotations declare that the tool only reads.
func readOnly(definition *jsontree.Value) bool {
	hint := jsontree.Lookup(jsontree.Lookup(definition, "annotations"), "readOnlyHint")
	return hint != nil && hint.Kind == 't'
}

// isFlag reports whether a value is true, false or absent.
func isFlag(v jsontree.Value) bool { return v.Kind == 0 || v.Kind == 't' || v.Kind == 'f' }

// executionLabel labels a change in execution, which SDKs once added to every tool and now omit (MCP 2025-11-25,
// 2026-07-28). A tool without it accepts no call as a task. If a tool accepts fewer kinds of calls than before, it's
// unknown whether a client used them.
func executionLabel(c Change, inside []string) label.Label {
	support := func(v jsontree.Value) string {
		if v.Kind == 0 {
			return "forbidden"
		}
		return taskSupport[string(jsontree.Append(nil, v))]
	}
	switch old, new := support(c.Old), support(c.New); {
	case old == "" || new == "" || len(inside) > 0 && inside[0] != "taskSupport":
		return label.Changed
	case old == new:
		return label.OtherForm
	case new == "optional":
		return label.Changed
	}
	return label.Other
}
