package report

import (
	"slices"
	"strings"

	"pinproof/internal/jsontree"
	"pinproof/internal/label"
	"pinproof/internal/text"
)

// What is printed about parameters: which became optional or required.

// above returns a pointer without its last step: it leads to what a value is in.
func above(pointer string) string { return pointer[:max(0, strings.LastIndexByte(pointer, '/'))] }

// valueAt returns what a pointer leads to. It is absent if there is nothing.
func valueAt(definition jsontree.Value, pointer string) jsontree.Value {
	at := &definition
	steps, _ := jsontree.Tokens(pointer)
	for _, step := range steps {
		at = jsontree.Lookup(at, step)
	}
	if at == nil {
		return jsontree.Value{}
	}
	return *at
}

// turned returns which parameters a changed list of required ones made optional or required, and where they are. For
// parameters that were added or removed, their own changes show it. turned returns "" if the list may mean more: if it
// isn't a list of different parameters with plain names.
func (d *describer) turned(c *change) (places, said string) {
	around, found := strings.CutSuffix(c.Pointer, "/required")
	if !found || c.From != "" || c.IsInMoved || len(c.Old.Items())+len(c.New.Items()) == 0 {
		return "", ""
	}
	was := parametersAt(d.tree(0), around)
	is := parametersAt(d.tree(1), around)
	before := namesIn(c.Old, was)
	after := namesIn(c.New, is)
	if before == nil || after == nil || c.New.Kind != 0 && len(after) == 0 || c.Old.Kind != 0 && len(before) == 0 {
		return "", ""
	}
	var optional, required []string
	for _, name := range before {
		if is[name] && !slices.Contains(after, name) {
			optional = append(optional, d.place(1, around+"/properties/"+name))
		}
	}
	for _, name := range after {
		if was[name] && !slices.Contains(before, name) {
			required = append(required, d.place(1, around+"/properties/"+name))
		}
	}
	places = strings.Join(required, ", ")
	switch {
	case required == nil && optional == nil:
		return "", ""
	case required == nil:
		return strings.Join(optional, ", "), "required -> optional"
	case optional == nil:
		return places, "optional -> required"
	}
	return places, "optional -> required; " + strings.Join(optional, ", ") + "  required -> optional"
}

// follows makes the row of the whole list of required parameters. Those that became optional or required have a row of
// their own. The rest of the list follows from the parameters, and their order means nothing.
func (d *describer) follows(c *change) (row Row, is bool) {
	if _, turned := d.turned(c); turned == "" {
		return row, false
	}
	list := listLine(c.Old, c.New)
	if list == nil {
		list = twoSides(c.Old, c.New, false)
	}
	return Row{Word: label.OtherForm.Words(), Label: label.OtherForm.ID(), Place: d.place(c.side(), c.at), Pointer: text.WholePointer(c.at), Lines: []Line{{Text: list}}}, true
}

// mostRequired is how many names a list can have to be told one by one.
const mostRequired = 50

// namesIn returns the names in a list of different parameters with plain names. It returns nil for anything else, and an
// empty list if it is absent.
func namesIn(list jsontree.Value, parameters map[string]bool) []string {
	names := []string{}
	if list.Kind != 0 && list.Kind != '[' || len(list.Parts) > mostRequired {
		return nil
	}
	for _, item := range list.Items() {
		name := item.Value.Text
		if item.Value.Kind != '"' || !parameters[name] || text.Name(name) != name || slices.Contains(names, name) {
			return nil
		}
		names = append(names, name)
	}
	return names
}

// parametersAt returns the names of the parameters of a schema in a definition.
func parametersAt(definition jsontree.Value, pointer string) map[string]bool {
	names := map[string]bool{}
	at := valueAt(definition, pointer)
	for _, p := range at.Get("properties").Members() {
		names[p.Name] = true
	}
	return names
}
