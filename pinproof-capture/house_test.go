package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rooms lists which packages of this module each of them may import. From the gate, which is pinproof's own
// module, they may import what reads and prints, but never what decides about pins: for that they run pinproof.
var rooms = map[string]string{
	".":      "client guard mcp",
	"client": "mcp",
	"guard":  "mcp",
	"mcp":    "",
}

// TestWhoImportsWhat: the packages import only what they may.
func TestWhoImportsWhat(t *testing.T) {
	const own, gate = "pinproof/pinproof-capture/internal/", "pinproof/internal/"
	gates := strings.Fields("text about lockfile fail shell modeltext jsontree skill capture pin atomicfile workspace")
	seen := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		room := filepath.Base(filepath.Dir(path))
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		seen[room] = true
		for _, i := range file.Imports {
			name, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			if of, ok := strings.CutPrefix(name, own); ok && !slices.Contains(strings.Fields(rooms[room]), of) {
				t.Errorf("%s imports %s", path, of)
			}
			if of, ok := strings.CutPrefix(name, gate); ok && !slices.Contains(gates, of) {
				t.Errorf("%s imports %s of the gate", path, of)
			}
		}
		return nil
	})
	if err != nil || len(seen) != len(rooms) {
		t.Errorf("%v, %d packages", err, len(seen))
	}
}
