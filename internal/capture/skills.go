package capture

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"unicode/utf8"

	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/skill"
	"pinproof/internal/text"
)

// The bodies of a skill's files come in answers to resources/read, whose result has "contents".
// Nothing says which request an answer is to, so a body belongs to the files of its own URI. It counts
// only if its bytes are those that the entry of the skill says: an entry and a body that
// contradict each other come from a server that can't be believed in either.

// A person reads no more than this of a file, and of all files of a server. Larger ones are
// pinned by their digests all the same, and stay unread.
const (
	MaxFileBytes  = 256 << 10
	MaxFilesBytes = 16 << 20
)

// readFiles gives each skill the texts of its files that the capture has.
func (r *captureReader) readFiles() error {
	bodies := map[string][]jsontree.Value{}
	for _, b := range r.bodies {
		uri := b.Get("uri")
		bodies[jsontree.TextOf(&uri)] = append(bodies[jsontree.TextOf(&uri)], b)
	}
	left := MaxFilesBytes
	entries := r.made.Lists[pin.Skills].Entries
	for i := range entries {
		e := &entries[i]
		s, problem := skill.Read(e.Tree())
		if problem != nil {
			return r.At(-1, "%s: %s", EntryNamed(pin.Skills, e.Name), problem.Text) // newEntry refuses it
		}
		where := func(b jsontree.Value, f skill.File, format string, args ...any) error {
			return r.At(int(b.At), "%s: the server contradicts itself: its file %s, as read, %s", EntryNamed(pin.Skills, e.Name), text.Name(s.Name(f)), fmt.Sprintf(format, args...))
		}
		for _, f := range s.Files {
			var body []byte
			for _, b := range bodies[f.URI] {
				read, err := bodyOf(b)
				if err != nil {
					return where(b, f, "%s", err)
				}
				digest := fmt.Sprintf("%s%x", pin.DigestPrefix, sha256.Sum256(read))
				if int64(len(read)) != f.Size || digest != f.Digest {
					return where(b, f, "has %s and %s, where its entry says %s and %s", text.Count(len(read), "byte"), digest, text.Count(int(f.Size), "byte"), f.Digest)
				}
				body = append([]byte{}, read...)
			}
			if body == nil {
				continue
			}
			if f.URI == s.URI {
				if err := skill.CheckFrontmatter(string(body), e.Tree().Get("frontmatter")); err != nil {
					return where(bodies[f.URI][0], f, "isn't what its entry says: %s", err)
				}
			}
			if left -= len(body); len(body) > MaxFileBytes || left < 0 || !isText(body) {
				continue
			}
			e.Files = append(e.Files, pin.File{URI: f.URI, Text: string(body)})
		}
		slices.SortFunc(e.Files, func(a, b pin.File) int { return jsontree.CompareUTF16(a.URI, b.URI) })
	}
	return nil
}

// bodyOf returns the bytes of one item of contents.
func bodyOf(v jsontree.Value) ([]byte, error) {
	plain := v.Get("text")
	blob := v.Get("blob")
	if plain.Kind == '"' && blob.Kind == 0 {
		return []byte(plain.Text), nil
	}
	if blob.Kind != '"' || plain.Kind != 0 {
		return nil, fmt.Errorf(`has not one of "text" and "blob" as a string`)
	}
	read, err := base64.StdEncoding.Strict().DecodeString(blob.Text)
	if err != nil || bytes.ContainsAny([]byte(blob.Text), "\r\n") {
		return nil, fmt.Errorf("is not spelled in base64 as RFC 4648 has it")
	}
	return read, nil
}

// isText reports whether bytes are a text that a person can read.
func isText(b []byte) bool { return utf8.Valid(b) && bytes.IndexByte(b, 0) < 0 }
