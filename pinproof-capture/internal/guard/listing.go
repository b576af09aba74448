package guard

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/pinproof-capture/internal/mcp"
)

const (
	// How long a server has to answer for a page.
	pagePatience = 30 * time.Second

	// How long it has to answer a cursor that may mean the end of the list.
	doubtPatience = 2 * time.Second
)

// A listing requests all pages of one list and, for a review, the files of the skills in it.
type listing struct {
	entryType pin.EntryType
	began     int               // the value of list.changes when it began
	meta      []jsontree.Member // members of _meta in each request
	isModern  bool              // since 2026-07-28, an empty cursor is one like any other

	key    string    // of the request that waits for its answer
	sent   time.Time // when that was sent
	cursor string
	doubts bool // the cursor is empty: older servers mean the end by it
	seen   map[string]bool

	pages [][]byte // the results, as they came
	last  []byte   // the entries of the last page, as they came
	files mcp.SkillFiles
	read  [][]byte // the results with files

	withFiles, inFiles, isJudged bool
}

// request returns the method and the parameters of the next request.
func (l *listing) request() (method string, params jsontree.Value) {
	var members []jsontree.Member
	if len(l.meta) > 0 {
		members = append(members, jsontree.Member{Name: "_meta", Value: jsontree.Object(l.meta...)})
	}
	if l.inFiles {
		return readResource, jsontree.Object(append(members, jsontree.Member{Name: "uri", Value: jsontree.Text(l.cursor)})...)
	}
	if l.pages != nil {
		members = append(members, jsontree.Member{Name: "cursor", Value: jsontree.Text(l.cursor)})
	}
	return pin.EntryTypeInfo[l.entryType].Method, jsontree.Object(members...)
}

// patience returns how long the server has for the request that is open.
func (l *listing) patience() time.Duration {
	if l.doubts {
		return doubtPatience
	}
	return pagePatience
}

// take reads an answer. It returns whether another request follows, or why the server's list is unusable.
func (l *listing) take(line []byte, m jsontree.Value, emptyEnds bool) (more bool, err error) {
	result := m.Get("result")
	raw := bytes.Clone(line[result.At:result.End])
	if l.inFiles {
		if result.Kind == '{' {
			l.read = append(l.read, raw)
		}
		return l.nextFile(), nil
	}
	member := pin.EntryTypeInfo[l.entryType].Member
	entries := result.Get(member)
	spelled := line[entries.At:entries.End]
	if l.doubts && (result.Kind == 0 || len(entries.Items()) == 0 || bytes.Equal(spelled, l.last)) {
		return l.end(), nil
	}
	if entries.Kind != '[' {
		return false, fmt.Errorf("its answer to %s has no array %s", pin.EntryTypeInfo[l.entryType].Method, member)
	}
	l.pages = append(l.pages, raw)
	l.last = bytes.Clone(spelled)
	if l.entryType == pin.Skills {
		v, _ := jsontree.NewReader(raw).Only() // its texts stay
		l.files.Add(v.Get(member))
	}
	next := result.Get("nextCursor")
	if next.Kind == 0 || next.Kind == 'n' || next.Kind == '"' && next.Text == "" && emptyEnds {
		return l.end(), nil
	}
	if next.Kind != '"' {
		return false, fmt.Errorf("its answer has a nextCursor that isn't a string")
	}
	if l.seen[next.Text] || len(l.pages) == mcp.MaxPages {
		return false, fmt.Errorf("its pages never end")
	}
	if l.seen == nil {
		l.seen = map[string]bool{}
	}
	l.seen[strings.Clone(next.Text)] = true
	l.cursor = strings.Clone(next.Text)
	l.doubts = next.Text == "" && !l.isModern
	return true, nil
}

// end ends the list. It returns whether the files of skills follow.
func (l *listing) end() (more bool) {
	l.doubts = false
	return l.withFiles && l.nextFile()
}

func (l *listing) nextFile() (more bool) {
	l.inFiles = true
	l.cursor, more = l.files.Next()
	return more
}

// response returns a result as a line, such as for a capture.
func response(id int, result []byte) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", strconv.Itoa(id), result)
}
