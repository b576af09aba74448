package text

import (
	"encoding/base64"
	"net/url"
	"strings"
)

// IsImage reports whether a text is the data URI of an image (RFC 2397).
func IsImage(s string) bool { return strings.HasPrefix(s, "data:image/") }

// magic is what files of image types begin with (PNG Third Edition, 5.2; JPEG, B.1.1.3; GIF89a, 17).
var magic = map[string]string{"image/png": "\x89PNG\r\n\x1a\n", "image/jpeg": "\xff\xd8\xff", "image/gif": "GIF8"}

// Image reads the data URI of an image of pixels, in base64, or of SVG, which is text. head is what is before the data, and
// kind the media type. It returns false for anything else.
func Image(s string) (head, kind string, data []byte, ok bool) {
	head, body, found := strings.Cut(s, ",")
	kind, parameters, _ := strings.Cut(strings.TrimPrefix(head, "data:"), ";")
	isSVG := kind == "image/svg+xml"
	if !found || !IsImage(s) || !isSVG && magic[kind] == "" {
		return head, kind, nil, false
	}
	if parameters == "base64" {
		data, err := base64.StdEncoding.Strict().DecodeString(body)
		return head, kind, data, err == nil && strings.HasPrefix(string(data), magic[kind])
	}
	plain, err := url.PathUnescape(body)
	return head, kind, []byte(plain), err == nil && isSVG
}
