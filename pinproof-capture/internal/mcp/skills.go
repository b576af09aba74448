package mcp

import (
	"context"
	"errors"

	"pinproof/internal/capture"
	"pinproof/internal/jsontree"
	"pinproof/internal/skill"
)

// skillFiles are the files of the skills that a server lists. They are read so that a person can review them.
type skillFiles struct {
	wanted []skill.File    // not yet read
	seen   map[string]bool // the URIs of these files, and of those already read
	size   int64           // of all of them, as declared
}

// add takes the entries of a page. Those that aren't skills are for pinproof to refuse.
func (f *skillFiles) add(entries jsontree.Value) {
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

// readFiles reads what is wanted. A file that the server refuses stays unread: pinproof says so.
func (s *session) readFiles(ctx context.Context) error {
	wanted := s.files.wanted
	s.files.wanted = nil
	for _, file := range wanted {
		_, err := s.ask(ctx, "resources/read", map[string]any{"uri": file.URI})
		if err != nil && !errors.As(err, new(*refusal)) {
			return err
		}
	}
	return nil
}
