package text

import (
	"bytes"
	"encoding/base64"
	"net/url"
	"strings"
	"unicode/utf8"
)

// magic has the first bytes of the files of each image type (PNG Third Edition, 5.2; JPEG, B.1.1.3; GIF89a, 17).
var magic = map[string]string{"image/png": "\x89PNG\r\n\x1a\n", "image/jpeg": "\xff\xd8\xff", "image/gif": "GIF8"}

// DecodeImage decodes the data URI (RFC 2397) of a PNG, JPEG or GIF image in base64, or of an SVG image, which is
// text. kind is the media type. It returns false for anything else.
func DecodeImage(s string) (kind string, data []byte, ok bool) {
	head, body, found := strings.Cut(s, ",")
	address, isData := strings.CutPrefix(strings.ToLower(head), "data:")
	kind, parameters, _ := strings.Cut(address, ";")
	isSVG := kind == "image/svg+xml"
	if !found || !isData || !isSVG && magic[kind] == "" {
		return kind, nil, false
	}
	// "base64" is the last parameter. An SVG may have a charset before it.
	if last := parameters[strings.LastIndexByte(parameters, ';')+1:]; strings.TrimSpace(last) == "base64" {
		data, err := base64.StdEncoding.Strict().DecodeString(body)
		isRead := parameters == last && strings.HasPrefix(string(data), magic[kind])
		if isSVG {
			isRead = isText(data)
		}
		return kind, data, err == nil && isRead
	}
	plain, err := url.PathUnescape(body)
	return kind, []byte(plain), err == nil && isSVG && isText([]byte(plain))
}

// isText reports whether data is UTF-8 without zero bytes, which text in UTF-16 has.
func isText(data []byte) bool { return utf8.Valid(data) && bytes.IndexByte(data, 0) < 0 }
