package mcp

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"pinproof/internal/capture"
	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/skill"
)

const (
	// How long the guard waits for one page.
	PageTimeout = 30 * time.Second

	// How long to wait for the response to an empty cursor. If none arrives, the list is complete.
	doubtPatience = 2 * time.Second
)

// A Listing requests all pages of one list and, with WithFiles, the files of the skills in it. It doesn't parse
// definitions, because pinproof judges them.
type Listing struct {
	EntryType pin.EntryType
	Files     *SkillFiles
	WithFiles bool

	// The members of _meta in each request, from revision 2026-07-28 on. In these revisions, an empty cursor is valid.
	Meta []jsontree.Member

	// An empty cursor ends the list.
	EmptyEnds bool

	Pages       []Page
	Count       int    // the number of entries in Pages
	FileResults []Page // the results with files

	// The cursor is empty. Many older servers send one at the end of a list, and respond to it with an error, nothing
	// or the same page.
	HasEmptyCursor bool
	RequestsFiles  bool

	size int      // of all responses, in bytes
	next string   // the cursor of the next page, or the URI of the next file
	seen []string // the cursors so far
	last []byte   // the entries of the last page, as received
}

// A Page is a result, as received (Text) and as parsed.
type Page struct {
	Text []byte
	jsontree.Value
}

// NextRequest returns the method and the parameters of the next request.
func (l *Listing) NextRequest() (method string, params []jsontree.Member) {
	if len(l.Meta) > 0 {
		params = append(params, member("_meta", jsontree.Object(l.Meta...)))
	}
	if l.RequestsFiles {
		return "resources/read", append(params, textMember("uri", l.next))
	}
	if l.Pages != nil {
		params = append(params, textMember("cursor", l.next))
	}
	return pin.EntryTypeInfo[l.EntryType].Method, params
}

// RequestLine returns a request as a line.
func RequestLine(id int64, method string, params []jsontree.Member) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"%s","params":%s}`+"\n", id, method, jsontree.Append(nil, jsontree.Object(params...)))
}

// Timeout returns how long to wait for the next response.
func (l *Listing) Timeout() time.Duration {
	if l.HasEmptyCursor {
		return doubtPatience
	}
	return PageTimeout
}

// Add adds a response, given as a line and as parsed, to the listing. It returns whether another request follows, or
// an error if the list is unusable.
func (l *Listing) Add(line []byte, m jsontree.Value) (more bool, err error) {
	info := pin.EntryTypeInfo[l.EntryType]
	if l.size += len(line); l.size > MaxBytes || len(l.Pages) > maxPages {
		return false, fail.New("its answers to %s are too large or too many", info.Method)
	}
	result := m.Get("result")
	page := Page{line[result.Start:result.End], result}
	if l.RequestsFiles {
		if result.Kind == '{' { // otherwise the file is missing, which pinproof reports
			l.FileResults = append(l.FileResults, page)
		}
		return l.nextFile(), nil
	}
	entries := result.Get(info.Member)
	spelled := line[entries.Start:entries.End]
	if l.HasEmptyCursor && (len(entries.Items()) == 0 || bytes.Equal(spelled, l.last)) {
		return l.Finish(), nil
	}
	l.Pages = append(l.Pages, page)
	l.Count += len(entries.Items())
	l.last = spelled
	if l.EntryType == pin.Skills {
		l.Files.add(entries)
	}
	next := result.Get("nextCursor")
	if next.Kind == 0 || next.Kind == 'n' || next.Kind == '"' && next.Text == "" && l.EmptyEnds {
		return l.Finish(), nil
	}
	if next.Kind != '"' {
		return false, fail.New("its answer to %s has a nextCursor that isn't a string", info.Method)
	}
	if slices.Contains(l.seen, next.Text) {
		return false, fail.New("its answers to %s never end: a nextCursor comes twice", info.Method)
	}
	l.seen = append(l.seen, next.Text)
	l.next = next.Text
	l.HasEmptyCursor = next.Text == "" && l.Meta == nil
	return true, nil
}

// Finish ends the list. It returns whether skill files have to be requested.
func (l *Listing) Finish() (more bool) {
	l.HasEmptyCursor = false
	return l.WithFiles && l.nextFile()
}

func (l *Listing) nextFile() (more bool) {
	l.RequestsFiles = true
	if more = len(l.Files.wanted) > 0; more {
		l.next = l.Files.wanted[0]
		l.Files.wanted = l.Files.wanted[1:]
	}
	return more
}

// maxPages limits one list. No real server has that many pages, even with one tool per page, and an endless list is
// detected before the time limit.
const maxPages = 1000

// SkillFiles are the files of a server's skills. They are requested so that a person can review them.
type SkillFiles struct {
	wanted []string        // the URIs of those not yet read
	seen   map[string]bool // the URIs of these files, and of those already read
	size   int64           // the declared size of all these files
}

// add adds the files of the skills in entries. It skips an invalid entry, which pinproof will reject, and files above
// the size limits.
func (f *SkillFiles) add(entries jsontree.Value) {
	for _, e := range entries.Items() {
		s, problem := skill.Parse(e.Value)
		if problem != nil {
			continue
		}
		for _, file := range s.Files {
			tooLarge := file.Size > capture.MaxReviewedFileBytes || f.size+file.Size > capture.MaxReviewedFilesBytes
			if tooLarge || f.seen[file.URI] {
				continue
			}
			if f.seen == nil {
				f.seen = map[string]bool{}
			}
			f.seen[file.URI] = true
			f.size += file.Size
			f.wanted = append(f.wanted, file.URI)
		}
	}
}
