package diff

import (
	"pinproof/internal/label"
	"pinproof/internal/pin"
	"pinproof/internal/skill"
)

// skillLabel is for a change in the entry of a skill, or in its files.
func skillLabel(c Change, name string, inside []string) label.Label {
	switch {
	case name == pin.FilesMember && len(inside) == 1:
		if c.Old.Kind == 0 && skill.IsScript(inside[0]) {
			return label.ScriptAdded
		}
		if !skill.IsProse(inside[0]) {
			return label.Wording
		}
		return proseLabel(c, nil)
	case name == "frontmatter" && len(inside) > 0 && inside[0] == "allowed-tools":
		if c.New.Kind == 0 {
			return label.Changed
		}
		return label.SkillTools
	case name == "frontmatter" && len(inside) == 1:
		return proseLabel(c, nil)
	case name == "resources" && len(inside) == 2 && (inside[1] == "digest" || inside[1] == "size"):
		return label.FileDigest
	case name == "resources" && len(inside) == 1 && c.Old.Kind == 0:
		uri := c.New.Get("uri")
		if skill.IsScript(uri.Text) {
			return label.ScriptAdded
		}
	}
	return label.Changed
}
