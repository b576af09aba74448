package capture

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf8"

	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/skill"
	"pinproof/internal/text"
)

// The bodies of a skill's files come in answers to resources/read, whose result has "contents".
// A capture doesn't tell which request an answer belongs to, so a body belongs to the files that have its URI.
// Its size and digest have to be those in the skill's entry: if an entry and a body contradict each
// other, neither can be believed.

// A person reads no more than this of a file, and of all files of a server. Larger ones are
// pinned by their digests all the same, and stay unread.
const (
	MaxFileBytes  = 256 << 10
	MaxFilesBytes = 16 << 20
)

// skillFacts caches what is worked out only once about the skills in a file, however often its values
// are sorted into lists.
type skillFacts struct {
	skills map[string]*skill.Skill // by the digest of the entry

	// The digests of bodies, by the offset of the item.
	sums map[int32]string

	// What is wrong with a skill's head, by the digest of the entry.
	heads map[string]error
}

func newSkillFacts() *skillFacts {
	return &skillFacts{skills: map[string]*skill.Skill{}, sums: map[int32]string{}, heads: map[string]error{}}
}

// sum returns the digest of a body.
func (k *skillFacts) sum(item jsontree.Value, body string) string {
	digest, known := k.sums[item.At]
	if !known {
		digest = fmt.Sprintf("%s%x", pin.DigestPrefix, sha256.Sum256([]byte(body)))
		k.sums[item.At] = digest
	}
	return digest
}

// head returns what is wrong with the head of a SKILL.md whose digest is the one in its entry, or nil.
func (k *skillFacts) head(e *pin.Pin, body string) error {
	err, known := k.heads[e.Digest]
	if !known {
		err = skill.CheckFrontmatter(body, e.Tree().Get("frontmatter"))
		k.heads[e.Digest] = err
	}
	return err
}

// addBodies collects the contents in an answer to resources/read.
func (r *captureReader) addBodies(result jsontree.Value) {
	for _, item := range result.Get("contents").Items() {
		r.bodies = append(r.bodies, item.Value)
	}
}

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
		s := r.known.skills[e.Digest]
		if s == nil {
			return r.At(-1, "%s: not read as a skill", EntryNamed(pin.Skills, e.Name)) // can't happen: newEntry has read it
		}
		where := func(b jsontree.Value, f skill.File, format string, args ...any) error {
			return r.At(int(b.At), "%s: the server contradicts itself: its file %s, as read, %s", EntryNamed(pin.Skills, e.Name), text.Name(s.Name(f)), fmt.Sprintf(format, args...))
		}
		for _, f := range s.Files {
			body := ""
			found := false
			for _, b := range bodies[f.URI] {
				read, err := bodyOf(b)
				if err != nil {
					return where(b, f, "%s", err)
				}
				digest := r.known.sum(b, read)
				if int64(len(read)) != f.Size || digest != f.Digest {
					return where(b, f, "has %s and %s, where its entry says %s and %s", text.Count(len(read), "byte"), digest, text.Count(int(f.Size), "byte"), f.Digest)
				}
				body = read
				found = true
			}
			if !found {
				continue
			}
			if f.URI == s.URI {
				if err := r.known.head(e, body); err != nil {
					return where(bodies[f.URI][0], f, "isn't what its entry says: %s", err)
				}
			}
			if left -= len(body); len(body) > MaxFileBytes || left < 0 || !isText(body) {
				continue
			}
			e.Files = append(e.Files, pin.File{URI: f.URI, Text: body})
		}
		e.SortFiles()
	}
	return nil
}

// bodyOf returns the bytes of one item of contents.
func bodyOf(v jsontree.Value) (string, error) {
	plain := v.Get("text")
	blob := v.Get("blob")
	if plain.Kind == '"' && blob.Kind == 0 {
		return plain.Text, nil
	}
	if blob.Kind != '"' || plain.Kind != 0 {
		return "", fmt.Errorf(`needs either "text" or "blob", as a string`)
	}
	read, err := base64.StdEncoding.Strict().DecodeString(blob.Text)
	if err != nil || strings.ContainsAny(blob.Text, "\r\n") {
		return "", fmt.Errorf("isn't base64 as in RFC 4648")
	}
	return string(read), nil
}

// isText reports whether bytes are a text that a person can read.
func isText(body string) bool { return utf8.ValidString(body) && strings.IndexByte(body, 0) < 0 }
