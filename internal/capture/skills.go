package capture

import (
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf8"

	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/skill"
	"pinproof/internal/text"
)

// File contents arrive in resources/read responses. A capture doesn't tell which request a response answers, so
// contents are matched by URI. If their size or digest differs from the skill's entry, neither the contents nor the
// entry is trusted.

// Limits on the files whose texts a person reviews: the size of one file, and the total size of a server's files. Files
// beyond these limits are pinned by their digests, but not shown.
const (
	MaxReviewedFileBytes  = 256 << 10
	MaxReviewedFilesBytes = 16 << 20
)

// A body is the content of a file, as it was read.
type body struct {
	at           int // offset
	text, digest string
	isText       bool // it is in UTF-8, without NUL
	err          error
}

// readFiles gives each skill the texts of its files that the capture has.
func (r *captureReader) readFiles(skills []pin.Pin) error {
	bodies := map[string][]body{}
	left := 0 // how many bytes of texts are kept: a file that several entries list may not make a capture larger
	for _, v := range r.bodies {
		uri := v.StringIn("uri")
		b := body{at: int(v.Start)}
		b.text, b.err = DecodeContent(v.Value)
		b.digest = jsontree.Digest([]byte(b.text))
		left += len(b.text)
		b.isText = utf8.ValidString(b.text) && strings.IndexByte(b.text, 0) < 0
		// Keep the first body, and the first body that differs from it. If there is a second one, a skill that lists
		// the file is rejected.
		if of := bodies[uri]; len(of) == 0 || len(of) == 1 && (b.err != nil || b.digest != of[0].digest) {
			bodies[uri] = append(of, b)
		}
	}
	left = min(left, MaxReviewedFilesBytes)
	known := map[string]jsontree.Value{} // by the digest of the entry, which may be repeated
	for i := range skills {
		p := &skills[i]
		files, isKnown := known[p.Digest]
		if !isKnown {
			var err error
			if files, err = r.filesOf(p, bodies, &left); err != nil {
				return err
			}
			known[p.Digest] = files
		}
		p.Files = files
	}
	return nil
}

// filesOf returns the texts of a skill's files, at most left bytes in total.
func (r *captureReader) filesOf(p *pin.Pin, bodies map[string][]body, left *int) (jsontree.Value, error) {
	files := map[string]jsontree.Value{}
	entry := p.Tree()
	s, problem := skill.Parse(entry)
	if problem != nil {
		return jsontree.Value{}, problem // can't happen: newEntry has parsed it
	}
	for _, f := range s.Files {
		of := bodies[f.URI]
		if len(of) == 0 {
			continue
		}
		for i, b := range of {
			err := b.err
			if err == nil && (int64(len(b.text)) != f.Size || b.digest != f.Digest) {
				err = fmt.Errorf("has %s and %s, where its entry says %s and %s", text.FormatCount(len(b.text), "byte"), b.digest, text.FormatCount(int(f.Size), "byte"), f.Digest)
			}
			if err == nil && i == 0 && f.URI == s.URI {
				err = r.checkFrontmatter(&b, entry.Get("frontmatter"))
			}
			if err != nil {
				return jsontree.Value{}, r.ErrorAt(b.at, "%s: the server contradicts itself: its file %s, as read, %s", DescribeEntry(pin.Skills, p.Name), text.QuoteName(s.FilePath(f)), err)
			}
		}
		body := of[0].text
		if *left -= len(body); len(body) > MaxReviewedFileBytes || *left < 0 || !of[0].isText {
			continue
		}
		files[f.URI] = jsontree.String(body)
	}
	return jsontree.ObjectFromMap(files), nil
}

// checkFrontmatter returns an error if the frontmatter of a SKILL.md differs from its entry's. It checks each pair once,
// because entries may be repeated.
func (r *captureReader) checkFrontmatter(b *body, frontmatter jsontree.Value) error {
	pair := [2]string{b.digest, string(jsontree.Append(nil, frontmatter))}
	if r.checked[pair] {
		return nil
	}
	if wrong := skill.CheckFrontmatter(b.text, frontmatter); wrong != nil {
		return fmt.Errorf("isn't what its entry says: %s", wrong)
	}
	if r.checked == nil {
		r.checked = map[[2]string]bool{}
	}
	r.checked[pair] = true
	return nil
}

// DecodeContent returns the bytes of one item of contents. It accepts only encodings that all clients decode alike:
// text, or a blob in padded base64 (RFC 4648) without line breaks.
func DecodeContent(v jsontree.Value) (string, error) {
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
