// Package skill parses a skill's entry: its folder, its files and their digests (extension
// io.modelcontextprotocol/skills, September 2026).
package skill

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"pinproof/internal/jsontree"
	"pinproof/internal/text"
)

// A Skill is an entry of skills/list.
type Skill struct {
	URI string // of its SKILL.md

	// The URI of its folder, with the slash at its end.
	Folder string

	// The files in the order of the entry, including SKILL.md.
	Files []File

	Dynamic bool // the entry doesn't list its files

	// The index of each file in Files, by its URI: a skill may have tens of thousands of files.
	index map[string]int
}

// A File is a file of a skill, as its entry pins it.
type File struct {
	URI string

	// sha256: and 64 lower-case hex digits, of the raw bytes.
	Digest string

	Size int64 // in bytes
}

// FilePath returns the path of a file inside its skill's folder, such as scripts/extract.py. It isn't safe to print.
func (s *Skill) FilePath(f File) string { return strings.TrimPrefix(f.URI, s.Folder) }

// File returns the file with a URI, or nil.
func (s *Skill) File(uri string) *File {
	at, ok := s.index[uri]
	if !ok {
		return nil
	}
	return &s.Files[at]
}

// Size returns the total size of all files in bytes, but at most math.MaxInt64.
func (s *Skill) Size() (bytes int64) {
	for _, f := range s.Files {
		bytes += min(f.Size, math.MaxInt64-bytes)
	}
	return bytes
}

// The limits that every host must support, according to the extension's specification. A skill that exceeds them gets a
// warning.
const (
	MaxFiles = 512
	MaxBytes = 16 << 20
)

// MainFile is the file that every skill has. DynamicResources is the value of "resources" in an entry that doesn't list
// its files.
const (
	MainFile         = "SKILL.md"
	DynamicResources = "dynamic"
)

// Parse parses an entry. It accepts only what the specification allows, because two clients that repair an entry
// may repair it differently.
func Parse(v jsontree.Value) (*Skill, *jsontree.Error) {
	uri := v.Get("uri")
	s := &Skill{URI: v.StringIn("uri")}
	folder, ok := strings.CutSuffix(s.URI, "/"+MainFile)
	if !ok {
		return nil, uri.Errorf(`its "uri" is not that of a %s`, MainFile)
	}
	s.Folder = folder + "/"
	if !IsPlainURI(s.URI) {
		return nil, uri.Errorf(`its "uri" is spelled in an unusual way: %s`, text.QuoteName(s.URI))
	}
	if files := v.Get("files"); files.Kind != 0 {
		return nil, files.Errorf(`it has a member "files", by which its files are shown`)
	}
	frontmatter := v.Get("frontmatter")
	if frontmatter.Kind != '{' {
		return nil, v.ErrorIn("frontmatter", `its "frontmatter" is not an object`)
	}
	last := unescape(folder[strings.LastIndex(folder, "/")+1:])
	if last == "" || frontmatter.StringIn("name") != last {
		return nil, frontmatter.ErrorIn("name", `the "name" in its frontmatter is not that of its folder, %s`, text.QuoteName(last))
	}
	return s.readFiles(v)
}

// readFiles reads the list of files.
func (s *Skill) readFiles(v jsontree.Value) (*Skill, *jsontree.Error) {
	resources := v.Get("resources")
	if resources.Kind == '"' && resources.Text == DynamicResources {
		s.Dynamic = true
		return s, nil
	}
	if resources.Kind != '[' {
		return nil, v.ErrorIn("resources", `its "resources" is neither an array nor %q`, DynamicResources)
	}
	seen := map[string]bool{}
	s.index = map[string]int{}
	for i, item := range resources.Items() {
		f, wrong := readFile(item.Value)
		if wrong != nil {
			wrong.Text = fmt.Sprintf("file %d of its resources: %s", i+1, wrong.Text)
			return nil, wrong
		}
		if !strings.HasPrefix(f.URI, s.Folder) || f.URI == s.Folder {
			return nil, item.Errorf("its file %s is outside of its folder", text.QuoteName(f.URI))
		}
		if !IsPlainURI(f.URI) {
			return nil, item.Errorf("the URI of its file %s is spelled in an unusual way", text.QuoteName(f.URI))
		}
		key := URIKey(f.URI)
		if seen[key] {
			return nil, item.Errorf("its file %s is listed twice", text.QuoteName(f.URI))
		}
		seen[key] = true
		s.index[f.URI] = len(s.Files)
		s.Files = append(s.Files, *f)
	}
	if s.File(s.URI) == nil {
		return nil, resources.Errorf("its resources have no entry for its own %s", MainFile)
	}
	return s, nil
}

// readFile reads one element of resources.
func readFile(v jsontree.Value) (*File, *jsontree.Error) {
	if v.Kind != '{' {
		return nil, v.Errorf("not an object")
	}
	f := &File{URI: v.StringIn("uri"), Digest: v.StringIn("digest")}
	size := v.Get("size")
	if f.URI == "" {
		return nil, v.ErrorIn("uri", `no "uri" that is a non-empty string`)
	}
	if !jsontree.IsDigest(f.Digest) {
		return nil, v.ErrorIn("digest", `no "digest" of the form sha256: and 64 lower-case hex digits`)
	}
	bytes, err := strconv.ParseUint(size.Text, 10, 63)
	if size.Kind != '0' || err != nil {
		return nil, v.ErrorIn("size", `no "size" that is a number of bytes`)
	}
	f.Size = int64(bytes)
	return f, nil
}

// UnreadFileID is the id of the warning about a file whose text isn't known.
const UnreadFileID = "unread-file"
