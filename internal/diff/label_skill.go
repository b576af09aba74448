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
		return fileLabel(c, inside[0])
	case name == "frontmatter" && len(inside) > 0:
		return frontmatterLabel(c, inside)
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

// fileLabel is for the text of a file. Code is no wording.
func fileLabel(c Change, name string) label.Label {
	ran := c.Old.Kind != 0 && skill.IsExecutable(name, c.Old.Text)
	runs := c.New.Kind != 0 && skill.IsExecutable(name, c.New.Text)
	if runs && !ran {
		return label.ScriptAdded
	}
	if ran || !skill.IsProse(name) {
		return label.Changed
	}
	return proseLabel(c, nil)
}

// frontmatterLabel is for a member of the frontmatter.
func frontmatterLabel(c Change, inside []string) label.Label {
	switch inside[0] {
	case "allowed-tools":
		if c.New.Kind != 0 {
			return label.SkillTools
		}
		return label.Changed
	case "hooks":
		if c.Old.Kind == 0 && len(inside) == 1 {
			return label.ScriptAdded
		}
		return label.Changed
	case "disable-model-invocation":
		return label.Changed
	}
	if len(inside) == 1 {
		return proseLabel(c, nil)
	}
	return label.Changed
}
