// Package picture reads images in data URIs (RFC 2397): what they are, and the bytes in them that no
// viewer shows but a model may be given.
package picture

import (
	"bytes"
	"encoding/base64"
	"image"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Picture is an image that was decoded, or SVG, which is text.
type Picture struct {
	Type string // its media type, such as image/png
	Head string // of the data URI, up to its comma
	Data []byte
	// Beside is what the file has besides the pixels and what is needed to draw them: comments, metadata,
	// parts that a viewer skips, and all that follows the end. For SVG it is nil, because all of SVG is text.
	Beside []byte
	pixels []byte // as they are coded
}

// IsImage reports whether a text is the data URI of an image.
func IsImage(s string) bool { return strings.HasPrefix(s, "data:image/") }

// Read reads a data URI. It fails if its bytes aren't an image of the type that it names.
func Read(s string) (p Picture, ok bool) {
	if !IsImage(s) {
		return p, false
	}
	head, body, _ := strings.Cut(s, ",")
	kind, parameters, _ := strings.Cut(strings.TrimPrefix(head, "data:"), ";")
	plain, err := url.PathUnescape(body)
	data := []byte(plain)
	if parameters == "base64" {
		data, err = base64.StdEncoding.Strict().DecodeString(body)
	}
	if err != nil {
		return p, false
	}
	p = Picture{Type: kind, Head: head, Data: data}
	if p.IsSVG() {
		return p, true
	}
	if parameters != "" && parameters != "base64" || !decodes(kind, data) {
		return p, false
	}
	p.Beside, p.pixels = beside(kind, data)
	return p, true
}

// IsSVG reports whether a picture is SVG, all of which is text.
func (p *Picture) IsSVG() bool { return p.Type == "image/svg+xml" }

// Text returns what can be read in a picture. Of SVG that is all of it. Of another image it is the words beside the
// pixels, and long runs of text among the pixels.
func (p *Picture) Text() string {
	if p.IsSVG() {
		return string(p.Data)
	}
	said := runs(p.Beside, leastWord)
	for _, run := range runs(p.pixels, leastInPixels) {
		if !slices.ContainsFunc(said, func(other string) bool { return strings.Contains(other, run) }) {
			said = append(said, run)
		}
	}
	return strings.Join(said, " ")
}

// decodes reports whether bytes are an image of a type that the standard library reads.
func decodes(kind string, data []byte) bool {
	config, format, err := image.DecodeConfig(bytes.NewReader(data))
	const most = 1 << 24 // pixels: an icon has a few thousand
	if err != nil || kind != "image/"+format || config.Width*config.Height > most {
		return false
	}
	_, _, err = image.Decode(bytes.NewReader(data))
	return err == nil
}

// A run of so many printable characters counts as text: shorter runs occur in any bytes by chance. A run among
// pixels has to be longer, because pixels are many and compressed; but a file may have text where its pixels end.
const (
	leastWord     = 4
	leastInPixels = 20
)

// runs returns the runs of printable characters in some bytes that have at least so many characters, in UTF-8 or,
// as EXIF has them, in UTF-16.
func runs(data []byte, least int) []string {
	if zeros := bytes.Count(data, []byte{0}); zeros*3 > len(data) { // UTF-16 of ASCII
		data = bytes.ReplaceAll(data, []byte{0}, nil)
	}
	var list []string
	var run []rune
	end := func() {
		if len(run) >= least {
			list = append(list, strings.TrimSpace(string(run)))
		}
		run = run[:0]
	}
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		data = data[size:]
		isText := r != utf8.RuneError && (unicode.IsPrint(r) || r == '\n' || r == '\t' || unicode.Is(unicode.Cf, r))
		if !isText {
			end()
			continue
		}
		run = append(run, r)
	}
	end()
	return list
}
