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
func (p *place) labelOf() label.Label {
	switch {
	case len(p.steps) == 0:
		return p.proseLabel(0) // the instructions of a server are one text
	case len(p.steps) == 1 && isNothing(p.Old) && isNothing(p.New) && pin.IsSpecifiedMember(p.entryType, p.keyword):
		if p.New.Kind == 'n' {
			return label.Unclear // null makes the SDKs' clients reject the whole list
		}
		return label.EquivalentForm
	case p.side != nil:
		return p.sideLabel()
	case p.keyword == "title" || p.keyword == "description":
		return p.titleLabel(p.keyword, 0)
	case p.entryType == pin.Skills:
		return p.skillLabel()
	case p.keyword == "_meta" && !p.isMove():
		return p.metaLabel()
	case p.keyword == "_meta" || p.keyword == "icons":
		return label.ClientMetadata
	case p.isMove():
		return label.OtherMember
	case p.keyword == pin.EntryTypeInfo[p.entryType].Identity:
		return label.Renamed
	case p.entryType == pin.Tools:
		return p.toolLabel()
	case p.entryType != pin.Prompts:
		return p.resourceLabel()
	case p.keyword == "arguments":
		return p.promptArgumentLabel()
	}
	return label.OtherMember
}

// isNothing reports whether a value is absent or null, which mean the same.
func isNothing(v jsontree.Value) bool { return v.Kind == 0 || v.Kind == 'n' }

// isEmpty reports whether a value has no content: it is absent, null, or without parts.
func isEmpty(v jsontree.Value) bool {
	return isNothing(v) || (v.Kind == '{' || v.Kind == '[') && len(v.Parts) == 0
}

// toolLabel labels a change in a member, other than a schema, that only tools have.
func (p *place) toolLabel() label.Label {
	if p.keyword == "execution" {
		isAll := p.Pointer == "/execution" || p.Pointer == "/execution/taskSupport"
		if isAll && isForbidden(p.Old) && isForbidden(p.New) {
			return label.EquivalentForm
		}
		return label.Unclear // a client may call the tool either way, as a task or not
	}
	if p.keyword != "annotations" {
		return label.OtherMember
	}
	switch {
	case len(p.inside) > 0:
		return p.annotationLabel()
	case len(p.New.Members()) > 0:
		// A value that wasn't an object became annotations, which may contain any hint.
		return label.HintHarmless
	case isEmpty(p.Old) && isEmpty(p.New):
		return label.ClientMetadata
	}
	return label.Unclear
}

// resourceLabel labels a change in a member of a resource or a template.
func (p *place) resourceLabel() label.Label {
	switch p.keyword {
	case "name":
		return p.proseLabel(0)
	case "annotations", "size":
		return label.ClientMetadata
	case "mimeType":
		// A reader may not know the new type.
		if p.Old.Kind != 0 {
			return label.Unclear
		}
	}
	return label.OtherMember
}

// sideLabel labels a change of, or inside, the input or output schema. The same rules compare both: they return the
// label for an input, which ForOutput maps to the label for an output.
func (p *place) sideLabel() label.Label {
	isOutput := p.steps[0] == "outputSchema"
	k := label.Unclear
	switch {
	case p.schemas != nil:
		k = p.schemaLabel()
	case isOutput && p.Old.Kind == 0:
		return label.OutputExtended
	case isOutput && p.New.Kind == 0:
		return label.OutputRemoved
	case p.exports(&p.New, schema.AtSchema):
		k = label.ArgumentSentAsHeader
	}
	if isOutput {
		return k.InOutputSchema()
	}
	return k
}

// titleLabel labels a change of an entry's title or description. depth is the number of steps from the keyword to that
// text. A title that repeats the words of the entry's name tells a reader nothing new.
func (p *place) titleLabel(name string, depth int) label.Label {
	inWords := func(v jsontree.Value) bool { return v.Kind == 0 || normal.RepeatsName(v.Text, p.name) }
	if name == "title" && len(p.inside) == depth && inWords(p.Old) && inWords(p.New) {
		return label.EquivalentForm
	}
	return p.proseLabel(depth)
}

// proseLabel labels a change in a text that people read. depth is the number of steps from the keyword to that text.
// Only a string is prose.
func (p *place) proseLabel(depth int) label.Label {
	isText := func(v jsontree.Value) bool { return isNothing(v) || v.Kind == '"' }
	switch {
	case len(p.inside) > depth || !isText(p.Old) || !isText(p.New):
		return label.Unclear
	case isNothing(p.Old) && isNothing(p.New):
		return label.EquivalentForm
	case words.IndentChange(p.Old.Text, p.New.Text) != "" && words.IsDocComment(p.Old.Text):
		return label.IndentationChanged
	}
	return label.TextChanged
}

// promptArgumentLabel labels a change in a prompt's arguments, each with name, description and required.
func (p *place) promptArgumentLabel() label.Label {
	on := func(v jsontree.Value) bool { return v.Kind != 0 && v.Kind != 'f' }
	if len(p.inside) < 2 {
		kind := label.Unclear
		if p.Old.Kind == 0 {
			kind = label.ParameterAdded
		} else if p.New.Kind == 0 {
			kind = label.ParameterRemoved
		}
		for _, item := range slices.Concat(p.New.Items(), []jsontree.Member{{Value: p.New}}) {
			if on(item.Get("required")) {
				return label.RequiredParameterAdded
			}
		}
		return kind
	}
	switch member := p.inside[1]; {
	case member == "title" || member == "description":
		return p.proseLabel(2)
	case len(p.inside) > 2 || member != "name" && member != "required":
		return label.OtherMember
	case member == "name":
		return label.Renamed
	case on(p.New):
		return label.ParameterRequired
	case on(p.Old):
		return label.ParameterOptional
	}
	return label.EquivalentForm
}

// annotationLabel labels a change in one annotation.
func (p *place) annotationLabel() label.Label {
	name := p.inside[0]
	if name == "title" {
		return p.titleLabel(name, 1)
	}
	hint, ok := toolHints[name]
	if !ok || len(p.inside) > 1 {
		return label.ClientMetadata
	}
	isReadOnly := func(side int) bool { return p.shown[side].Get("annotations").Get("readOnlyHint").Kind == 't' }
	isOdd := !isFlag(p.Old) || !isFlag(p.New)
	// Clients differ in how they read a hint that isn't a boolean. To be safe, assume that clients ask less because of
	// a new hint of this kind, and didn't because of an old one.
	before := p.Old.Kind == hint.asksLess
	after := p.New.Kind == hint.asksLess || !isFlag(p.New)
	switch {
	case hint.writes && !isOdd && isReadOnly(0) && isReadOnly(1):
		return label.EquivalentForm
	case after && !before:
		return hint.safer
	case before && !after:
		return label.HintCautious
	case isOdd:
		return label.OtherMember
	}
	return label.EquivalentForm
}

// isFlag reports whether a value is true, false or absent.
func isFlag(v jsontree.Value) bool { return v.Kind == 0 || v.Kind == 't' || v.Kind == 'f' }

// isForbidden reports whether a value of execution, or of its member taskSupport, means that a tool accepts no calls as
// tasks, like a tool without it (MCP 2025-11-25). SDKs once added it to every tool.
func isForbidden(v jsontree.Value) bool {
	said := string(jsontree.Append(nil, v))
	return v.Kind == 0 || said == `{}` || said == `"forbidden"` || said == `{"taskSupport":"forbidden"}`
}
