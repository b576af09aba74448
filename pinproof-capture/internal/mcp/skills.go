package mcp

import (
	"context"
	"errors"

	"pinproof/internal/capture"
	"pinproof/internal/jsontree"
	"pinproof/internal/skill"
)

// SkillFiles are the files of the skills that a server lists. They are read so that a person can review them.
type SkillFiles struct {
	wanted []skill.File    // not yet read
	seen   map[string]bool // the URIs of these files, and of those already read
	size   int64           // of all of them, as declared
}

// Add takes the entries of a page. Those that aren't skills are for pinproof to refuse.
func (f *SkillFiles) Add(entries jsontree.Value) {
	for _, e := range entries.Items() {
		s, problem := skill.Read(e.Value)
		if problem != nil {
			continue
		}
		for _, file := range s.Files {
			tooLarge := file.Size > capture.MaxFileBytes || f.size+file.Size > capture.MaxFilesBytes
			if tooLarge || f.seen[file.URI] {
				continue
			}
			if f.seen == nil {
				f.seen = map[string]bool{}
			}
			f.seen[file.URI] = true
			f.size += file.Size
			f.wanted = append(f.wanted, file)
		}
	}
}

// Next returns the URI of the next file to read. It returns false if no file is left.
func (f *SkillFiles) Next() (uri string, ok bool) {
	if len(f.wanted) == 0 {
		return "", false
	}
	uri = f.wanted[0].URI
	f.wanted = f.wanted[1:]
	return uri, true
}

// readFiles reads what is wanted. A file that the server refuses stays unread: pinproof says so.
func (s *session) readFiles(ctx context.Context) error {
	for uri, ok := s.files.Next(); ok; uri, ok = s.files.Next() {
		_, err := s.ask(ctx, "resources/read", map[string]any{"uri": uri})
		if err != nil && !errors.As(err, new(*refusal)) {
			return err
		}
	}
	return nil
}
