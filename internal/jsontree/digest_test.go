package jsontree

import (
	"strings"
	"testing"
)

func TestIsDigest(t *testing.T) {
	hex := strings.Repeat("0123456789abcdef", 4)
	for s, want := range map[string]bool{
		"sha256:" + hex: true, hex: false, "SHA256:" + hex: false, "sha256:" + strings.ToUpper(hex): false,
		"sha256:" + hex[1:]: false, "sha256:" + hex + "0": false, "sha256:" + hex[1:] + "g": false, "": false, "sha512:" + hex: false,
	} {
		if got := IsDigest(s); got != want {
			t.Errorf("isDigest(%q) = %v", s, got)
		}
	}
}
