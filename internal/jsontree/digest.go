package jsontree

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// DigestPrefix begins every digest.
const DigestPrefix = "sha256:"

// Digest returns the digest of canonical bytes, or of a text that is hashed as it is.
func Digest(canonical []byte) string {
	sum := sha256.Sum256(canonical)
	return DigestPrefix + hex.EncodeToString(sum[:])
}

// IsDigest reports whether s has the form of a digest.
func IsDigest(s string) bool {
	digits, ok := strings.CutPrefix(s, DigestPrefix)
	return ok && len(digits) == 64 && strings.Trim(digits, "0123456789abcdef") == ""
}

// HexOf returns the 64 hex digits of a digest.
func HexOf(digest string) string { return strings.TrimPrefix(digest, DigestPrefix) }
