package text

import (
	"encoding/base64"
	"net/url"
	"strings"
)

// magic has the first bytes of the files of each image type (PNG Third Edition, 5.2; JPEG, B.1.1.3; GIF89a, 17).
var magic = map[string]string{"image/png": "\x89PNG\r\n\x1a\n", "image/jpeg": "\xff\xd8\xff", "image/gif": "GIF8"}

// DecodeImage decodes the data URI (RFC 2397) of a PNG, JPEG or GIF image in base64, or of an SVG image, which is
// text. kind is the media type. It returns false for anything else.
func DecodeImage(s string) (kind string, data []byte, ok bool) {
	head, body, found := strings.Cut(s, ",")
	address, isData := strings.CutPrefix(head, "data:")
	kind, parameters, _ := strings.Cut(address, ";")
	isSVG := kind == "image/svg+xml"
	if !found || !isData || !isSVG && magic[kind] == "" {
		return kind, nil, false
	}
	if parameters == "base64" {
		data, err := base64.StdEncoding.Strict().DecodeString(body)
		return kind, data, err == nil && strings.HasPrefix(string(data), magic[kind])
	}
	plain, err := url.PathUnescape(body)
	return kind, []byte(plain), err == nil && isSVG
}
