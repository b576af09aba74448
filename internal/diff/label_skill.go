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
func (p *place) skillLabel() label.Label {
	depth := len(p.inside)
	switch {
	case p.keyword == pin.FilesMember && depth == 1:
		return p.fileLabel(p.inside[0])
	case p.keyword == "frontmatter" && depth > 0:
		return p.frontmatterLabel(p.inside[0])
	case p.keyword != "resources":
		return label.OtherMember
	case depth == 2 && (p.inside[1] == "digest" || p.inside[1] == "size") && p.showsFile(p.inside[0]):
		return label.FileDigestChanged
	case depth == 1 && p.Old.Kind == 0 && skill.IsExecutableName(p.nameOf(p.New.Get("uri").Text)):
		return label.ScriptAdded
	}
	return label.OtherMember
}

// showsFile reports whether both texts of a listed file are known, the old one and the new one, so that a review
// shows how they differ. index is the file's index in the list.
func (l *labeller) showsFile(index string) bool {
	listed := jsontree.Lookup(jsontree.Lookup(&l.shown[1], "resources"), index)
	name := l.nameOf(jsontree.StringOf(jsontree.Lookup(listed, "uri")))
	isUnknown := func(side jsontree.Value) bool { return !side.Get(pin.FilesMember).Has(name) }
	return !slices.ContainsFunc(l.shown[:], isUnknown)
}

// nameOf returns the name of a file in its skill's folder.
func (l *labeller) nameOf(uri string) string {
	return strings.TrimPrefix(uri, strings.TrimSuffix(l.shown[1].Get("uri").Text, skill.MainFile))
}

// isCode reports whether a file of a skill may be run: by its name, or because the code of the skill names it.
func (l *labeller) isCode(name string) bool {
	if !skill.IsProse(name) {
		return true
	}
	if l.codeNames == nil {
		l.codeNames = &skill.NamedByCode{}
		for _, side := range l.shown {
			jsontree.MapStrings(side.Get("frontmatter").Get("hooks"), func(command string) string {
				l.codeNames.AddCode(command)
				return command
			})
			for _, file := range side.Get(pin.FilesMember).Members() {
				l.codeNames.Add(file.Name, file.Text)
			}
		}
	}
	return l.codeNames.Has(name)
}

// fileLabel labels a change in the text of a file. Changed code is never label.TextChanged.
func (p *place) fileLabel(name string) label.Label {
	p.IsCode = p.isCode(name)
	was := p.Old.Text
	is := p.New.Text
	ran := p.Old.Kind != 0 && skill.IsExecutable(name, was)
	runs := p.New.Kind != 0 && skill.IsExecutable(name, is)
	if runs && !ran {
		return label.ScriptAdded
	}
	isText := strings.HasSuffix(strings.ToLower(name), ".txt") // may be prose, or input of a command
	if ran || isText || p.IsCode || skill.LenientFrontmatter(was) != skill.LenientFrontmatter(is) || skill.FromFirstCode(was) != skill.FromFirstCode(is) {
		return label.OtherMember
	}
	if words.IndentChange(was, is) != "" {
		// Only an author can reindent a file, so a changed indent counts; compilers reindent doc comments.
		return label.TextChanged
	}
	return p.proseLabel(1)
}

// frontmatterLabel labels a change in a member of the frontmatter.
func (p *place) frontmatterLabel(member string) label.Label {
	isWhole := len(p.inside) == 1
	switch member {
	case "allowed-tools":
		if p.New.Kind != 0 {
			return label.SkillToolsChanged
		}
	case "hooks":
		if p.New.Kind != 0 {
			return label.ScriptAdded
		}
	case "description", "license", "compatibility":
		if isWhole {
			return p.proseLabel(1)
		}
	}
	return label.OtherMember
}
