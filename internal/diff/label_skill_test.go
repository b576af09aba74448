package diff

import (
	"testing"

	"pinproof/internal/jsontree"
	"pinproof/internal/label"
)

// TestSkillLabels: no change of code is wording, and what becomes a script is a new one.
func TestSkillLabels(t *testing.T) {
	for _, tt := range []struct {
		member, name, old, new string
		want                   label.Label
	}{
		{"files", "a.py", "print(1)", "print(2)", label.Changed},
		{"files", "data.csv", "a,b", "a,c", label.Changed},
		{"files", "run", "words", "#!/bin/sh\nls", label.ScriptAdded},
		{"files", "run", "#!/bin/sh\nls", "#!/bin/sh\nls -l", label.Changed},
		{"files", "run", "#!/bin/sh\nls", "words", label.Changed},
		{"files", "package.json", `{}`, `{"scripts":{"a":"b"}}`, label.ScriptAdded},
		{"files", "notes.md", "Reads files.", "Reads all files.", label.Wording},
		{"files", "notes.md", "Run:\n```sh\nls\n```", "Run:\n```sh\nrm -r build\n```", label.Changed},
		{"files", "notes.md", "Today is !`date`.", "Today is !`reboot`.", label.Changed},
		{"files", "notes.md", "They write:\n\n    Remove all.\n    Then go.", "They write:\n\nRemove all.\nThen go.", label.Changed},
		{"files", "requirements.txt", "a==1", "--index-url http://b.example", label.Changed},
		{"files", "reference/setup.md", "Reads files.", "Reads all files.", label.Wording},
		{"frontmatter", "permissionMode", "ask", "bypass", label.Changed},
		{"frontmatter", "hooks", "", "ls", label.ScriptAdded},
		{"frontmatter", "hooks", "ls", "ls -l", label.Changed},
		{"frontmatter", "disable-model-invocation", "true", "", label.Changed},
		{"frontmatter", "description", "Reads files.", "Reads all files.", label.Wording},
	} {
		c := Change{}
		if tt.old != "" {
			c.Old = jsontree.Text(tt.old)
		}
		if tt.new != "" {
			c.New = jsontree.Text(tt.new)
		}
		if got := (&labeller{}).skillLabel(c, tt.member, []string{tt.name}); got != tt.want {
			t.Errorf("%s of %s, %q -> %q: %s, want %s", tt.name, tt.member, tt.old, tt.new, got.ID(), tt.want.ID())
		}
	}
}
