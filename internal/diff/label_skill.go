package diff

import (
	"slices"
	"strings"

	"pinproof/internal/jsontree"
	"pinproof/internal/label"
	"pinproof/internal/pin"
	"pinproof/internal/skill"
	"pinproof/internal/words"
)

// skillLabel labels a change in the entry of a skill, or in its files.
func (l *labeller) skillLabel(c Change, name string, inside []string) label.Label {
	switch {
	case name == pin.FilesMember && len(inside) == 1:
		return fileLabel(c, inside[0], l.isCode(inside[0]))
	case name == "frontmatter" && len(inside) > 0:
		return frontmatterLabel(c, inside)
	case name == "resources" && len(inside) == 2 && (inside[1] == "digest" || inside[1] == "size") && l.showsFile(inside[0]):
		return label.FileDigest
	case name == "resources" && len(inside) == 1 && c.Old.Kind == 0:
		if skill.IsScript(l.nameOf(c.New.Get("uri").Text)) {
			return label.ScriptAdded
		}
	}
	return label.Changed
}

// showsFile reports whether both texts of a listed file are known, the old one and the new one, so that a review
// shows how they differ. index is the file's index in the list.
func (l *labeller) showsFile(index string) bool {
	listed := jsontree.Lookup(jsontree.Lookup(&l.shown[1], "resources"), index)
	name := l.nameOf(jsontree.TextOf(jsontree.Lookup(listed, "uri")))
	isKnown := func(side jsontree.Value) bool { return side.Get(pin.FilesMember).Get(name).Kind != 0 }
	return isKnown(l.shown[0]) && isKnown(l.shown[1])
}

// nameOf returns the name of a file in its skill's folder.
func (l *labeller) nameOf(uri string) string {
	return strings.TrimPrefix(uri, strings.TrimSuffix(l.shown[1].Get("uri").Text, skill.Main))
}

// isCode reports whether a file of a skill may be run: by its name, or because the code of the skill names it.
func (l *labeller) isCode(name string) bool {
	if !skill.IsProse(name) {
		return true
	}
	if l.codeNames == nil {
		l.codeNames = &skill.CodeNames{}
		for _, side := range l.shown {
			jsontree.MapTexts(side.Get("frontmatter").Get("hooks"), func(command string) string {
				l.codeNames.AddCode(command)
				return command
			})
			for _, file := range side.Get(pin.FilesMember).Members() {
				l.codeNames.Add(file.Name, file.Value.Text)
			}
		}
	}
	return l.codeNames.Has(name)
}

// fileLabel labels a change in the text of a file. Changed code is never label.Wording.
func fileLabel(c Change, name string, isCode bool) label.Label {
	ran := c.Old.Kind != 0 && skill.IsExecutable(name, c.Old.Text)
	runs := c.New.Kind != 0 && skill.IsExecutable(name, c.New.Text)
	if runs && !ran {
		return label.ScriptAdded
	}
	isText := strings.HasSuffix(strings.ToLower(name), ".txt") // may be prose, or input of a command
	if ran || isText || isCode || skill.AnyHead(c.Old.Text) != skill.AnyHead(c.New.Text) || skill.FromCode(c.Old.Text) != skill.FromCode(c.New.Text) {
		return label.Changed
	}
	if words.IndentChange(c.Old.Text, c.New.Text) != "" {
		return label.Wording // unlike a doc comment, a file isn't indented by a compiler
	}
	return proseLabel(c, nil)
}

// frontmatterLabel labels a change in a member of the frontmatter.
func frontmatterLabel(c Change, inside []string) label.Label {
	switch inside[0] {
	case "allowed-tools":
		if c.New.Kind != 0 {
			return label.SkillTools
		}
		return label.Changed
	case "hooks":
		if isEmpty(c.Old) && !isEmpty(c.New) {
			return label.ScriptAdded
		}
		return label.Changed
	case "disable-model-invocation":
		return label.Changed
	}
	if len(inside) == 1 && slices.Contains([]string{"description", "license", "compatibility"}, inside[0]) {
		return proseLabel(c, nil)
	}
	return label.Changed
}
