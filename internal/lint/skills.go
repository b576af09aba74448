package lint

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/skill"
	"pinproof/internal/text"
)

// skill reviews what only skills have: files that nobody read, a dynamic list of files, scripts, and commands
// to run. It also looks for a skill of another server with the same name.
func (r *Reviewer) skill(p *pin.Pin) {
	s, problem := skill.Parse(p.Tree())
	if problem != nil {
		// A policy changed the pinned definition, so it can't be parsed as a skill. The caller has reviewed its texts.
		return
	}
	r.at("resources")
	if s.Dynamic {
		r.add("dynamic-skill", "it says that its files are dynamic: nothing binds what they will say")
	}
	r.oversize("a skill of %s files, over %s", len(s.Files), skill.MaxFiles)
	r.oversize("a skill of %s bytes, over %s", int(min(s.Size(), math.MaxInt)), skill.MaxBytes)
	for i, f := range s.Files {
		name := s.FilePath(f)
		if skill.IsExecutableName(name) {
			r.at("resources", strconv.Itoa(i), "uri")
			r.add("skill-script", "a script that the model may run: %s", text.QuoteName(name))
		}
		if p.Files.Has(f.URI) {
			continue
		}
		r.at("resources")
		r.text = f.Digest // a person accepts these very bytes
		r.addFor(name, skill.UnreadFileID, true, "%s, %s, not shown: nobody has read what it says", text.QuoteName(name), text.FormatCount(int(f.Size), "byte"))
	}
	for _, f := range p.Files.Parts {
		name := strings.TrimPrefix(f.Name, s.Folder)
		r.at(pin.FilesMember, name)
		if runsCommand(f.Text) {
			r.add("skill-script", "a command for the model to run")
		} else if !skill.IsExecutableName(name) && skill.IsExecutable(name, f.Text) {
			r.add("skill-script", "a script by its content: %s", text.QuoteName(name))
		}
	}
	if hooks := r.root.Get("frontmatter").Get("hooks"); len(hooks.Parts) > 0 || hooks.Text != "" {
		r.at("frontmatter", "hooks")
		r.add("skill-script", "hooks: commands that a client runs by itself")
	}
	r.at("frontmatter", "name")
	if others, _ := r.x.others(r.about.Server, skillKey(p.Name)); others != "" {
		r.add("same-name", "a skill of %s has this name, too", others)
	}
}

// invocation reports a skill that models can now start by themselves; in the approved definition, only people
// could.
func (r *Reviewer) invocation(was jsontree.Value) {
	isDisabled := func(v jsontree.Value) bool {
		flag := v.Get("frontmatter").Get("disable-model-invocation")
		return flag.Kind == 't' || slices.Contains([]string{"true", "yes", "on", "1"}, strings.ToLower(flag.Text))
	}
	if r.about.Type == pin.Skills && isDisabled(was) && !isDisabled(r.root) {
		r.at("frontmatter")
		r.add("skill-script", "a model may start it by itself now")
	}
}

// shells are the languages of code blocks that are meant to be run by a shell.
var shells = wordsOf(wordRow{"shell", "sh bash shell zsh fish console powershell ps1 pwsh bat batch cmd terminal shellsession shell-session shell-script"})

// runsCommand reports whether a text in Markdown has a code block for a shell, also in a list or a quote, or makes a
// client run a command before a model reads the text: !`date`.
func runsCommand(s string) bool {
	if strings.Contains(s, "!`") || strings.Contains(s, "```!") {
		return true
	}
	for line := range strings.Lines(s) {
		info, isFence := skill.ParseFence(line)
		words := strings.FieldsFunc(strings.ToLower(info), func(c rune) bool { return !nameBytes.has(c) })
		if isFence && len(words) > 0 && shells()[words[0]] != "" {
			return true
		}
	}
	return false
}

// skillKey returns a key with the last part of the skill's folder, in lower case, as its name. uri is the URI
// of the skill.
func skillKey(uri string) pin.Key {
	folder := strings.TrimSuffix(uri, "/"+skill.MainFile)
	return pin.Key{Type: pin.Skills, Name: strings.ToLower(strings.ToUpper(folder[strings.LastIndex(folder, "/")+1:]))}
}
