package text

import "testing"

func TestImage(t *testing.T) {
	for _, tt := range []struct {
		uri, kind, data string
		ok              bool
	}{
		{"Data:image/GIF;base64,R0lGODlh", "image/gif", "GIF89a", true},
		{"data:image/svg+xml,%3Csvg/%3E", "image/svg+xml", "<svg/>", true},
		{"data:image/svg+xml;base64,PHN2Zy8+", "image/svg+xml", "<svg/>", true},
		{"data:image/svg+xml;charset=utf-8;Base64,PHN2Zy8+", "image/svg+xml", "<svg/>", true},
		{"data:image/svg+xml;charset=utf-16le;base64,PABzAHYAZwAvAD4A", "image/svg+xml", "", false},
		// its bytes are a text, a parameter, no base64, another type
		{"data:image/png;base64,SWdub3JlIGl0Lg==", "image/png", "Ignore it.", false},
		{"data:image/gif;x=1;base64,R0lGODlh", "image/gif", "", false},
		{"data:image/gif;base64,R0lGODlh!", "image/gif", "", false},
		{"data:image/webp;base64,R0lGODlh", "image/webp", "", false},
		{"data:image/gif", "image/gif", "", false},
	} {
		kind, data, ok := DecodeImage(tt.uri)
		if ok != tt.ok || kind != tt.kind || ok && string(data) != tt.data {
			t.Errorf("%s: %s %q %v", tt.uri, kind, data, ok)
		}
	}
}
