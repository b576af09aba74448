package mcp

import (
	"fmt"
	"path/filepath"
	"regexp"
)

// FileName is the name of a server's file: its label, with %XX for what can't stand in
// a file's name on every system. pinproof reads the label back from it. It is ""
// for a label that can't be one: empty, too long, or not printable ASCII.
func FileName(label string) string {
	name := special.ReplaceAllStringFunc(label, func(c string) string { return fmt.Sprintf("%%%02X", c) }) + ".jsonl"
	if !possible.MatchString(label) || !filepath.IsLocal(name) {
		return ""
	}
	return name
}

// NoFileName says why FileName has none.
const NoFileName = "a label of 1 to 100 printable ASCII characters can name a file, and this is none"

var (
	possible = regexp.MustCompile(`^[ -~]{1,100}$`)
	special  = regexp.MustCompile(`^[.-]|[^A-Za-z0-9_@.-]`)
)

// Within is a path as it is meant in a folder.
func Within(folder, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(folder, path)
}
