package layout

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	stdimage "image"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"
	"net/url"
	"strings"
)

// An image in a data URI (RFC 2397) is shown by what it is: one of pixels by its type, size
// and digest, if its bytes decode as that type; SVG is text, and shown decoded.

func isImage(s string) bool { return strings.HasPrefix(s, "data:image/") }

// image is an image as the printable inside of a JSON string.
func image(s string, asciiOnly bool) string {
	head, body, _ := strings.Cut(s, ",")
	kind, parameters, _ := strings.Cut(strings.TrimPrefix(head, "data:"), ";")
	plain, err := url.PathUnescape(body)
	data := []byte(plain)
	if parameters == "base64" {
		data, err = base64.StdEncoding.Strict().DecodeString(body)
	}
	switch {
	case err != nil:
	case kind == "image/svg+xml":
		return fmt.Sprintf("<%d bytes, decoded> %s %s", len(data), escaped(head, asciiOnly), escaped(string(data), asciiOnly))
	case (parameters == "" || parameters == "base64") && decodes(kind, data):
		return fmt.Sprintf("<%d bytes of %s, sha256 %x>", len(data), kind, sha256.Sum256(data))
	}
	return escaped(s, asciiOnly)
}

// decodes reports whether bytes are an image of a type that the standard library reads.
func decodes(kind string, data []byte) bool {
	config, format, err := stdimage.DecodeConfig(bytes.NewReader(data))
	const most = 1 << 24 // pixels: an icon has a few thousand
	if err != nil || kind != "image/"+format || config.Width*config.Height > most {
		return false
	}
	_, _, err = stdimage.Decode(bytes.NewReader(data))
	return err == nil
}
