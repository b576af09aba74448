//go:build ignore

// Density measures how densely the code is written: go run ci/density.go [-v] FOLDER...
//
// It reads every Go file that isn't a test and prints, per 1,000 lines that aren't blank, how many
// assignments have two or more right sides, how many comments are behind code, and how many
// switches have no tag; and which functions, tables aside, are above a cyclomatic complexity of 25
// or, in pinproof-capture, above 60 lines. It exits with 1 if a bound is exceeded. -v names the
// places.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The bounds, per 1,000 lines that aren't blank.
const (
	maxTuples   = 4.0
	maxTrailing = 25.0
	maxTagless  = 3.0

	maxComplexity = 25
	maxLines      = 60 // of a function of pinproof-capture
)

// counts holds what was counted in one folder.
type counts struct {
	lines, tuples, trailing, tagless int
	complex                          []string
}

func main() {
	verbose := flag.Bool("v", false, "name the places")
	flag.Parse()
	failed := false
	for _, folder := range flag.Args() {
		var c counts
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			isOther := entry.IsDir() && path != folder && isModule(path)
			if isOther || entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == "ci") {
				return fs.SkipDir
			}
			if entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return nil
			}
			return c.read(path, *verbose)
		})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		failed = c.print(folder) || failed
	}
	if failed {
		os.Exit(1)
	}
}

// isModule reports whether a folder is a module of its own.
func isModule(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, "go.mod"))
	return err == nil
}

// print reports the counts of a folder, and returns whether one is over its bound.
func (c *counts) print(folder string) (over bool) {
	fmt.Printf("%s: %d lines\n", folder, c.lines)
	for _, one := range []struct {
		what  string
		n     int
		bound float64
	}{
		{"assignments of two or more right sides", c.tuples, maxTuples},
		{"comments behind code", c.trailing, maxTrailing},
		{"switches without a tag", c.tagless, maxTagless},
	} {
		density := float64(one.n) * 1000 / float64(max(c.lines, 1))
		fmt.Printf("  %5.1f of %4.1f  %s\n", density, one.bound, one.what)
		over = over || density > one.bound
	}
	for _, name := range c.complex {
		fmt.Println("  over:", name)
	}
	return over || len(c.complex) > 0
}

// read adds the counts of a file.
func (c *counts) read(path string, verbose bool) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	lines := bytes.Split(text, []byte("\n"))
	for _, line := range lines {
		if len(bytes.TrimSpace(line)) > 0 {
			c.lines++
		}
	}
	found := func(at token.Pos, what string, n *int) {
		*n++
		if verbose {
			fmt.Printf("%s: %s\n", set.Position(at), what)
		}
	}
	for _, group := range file.Comments {
		at := set.Position(group.Pos())
		if len(bytes.TrimSpace(lines[at.Line-1][:at.Column-1])) > 0 {
			found(group.Pos(), "a comment behind code", &c.trailing)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if len(n.Rhs) > 1 {
				found(n.Pos(), "several right sides", &c.tuples)
			}
		case *ast.SwitchStmt:
			if n.Tag == nil {
				found(n.Pos(), "a switch without a tag", &c.tagless)
			}
		case *ast.FuncDecl:
			c.function(path, set, n)
		}
		return true
	})
	return nil
}

// function records a function that is too complex or too long.
func (c *counts) function(path string, set *token.FileSet, f *ast.FuncDecl) {
	name := fmt.Sprintf("%s: %s", set.Position(f.Pos()), f.Name.Name)
	if n := complexity(f); n > maxComplexity && !isTable(f) {
		c.complex = append(c.complex, fmt.Sprintf("%s has a cyclomatic complexity of %d", name, n))
	}
	n := set.Position(f.End()).Line - set.Position(f.Pos()).Line + 1
	if n > maxLines && strings.Contains(filepath.ToSlash(path), "pinproof-capture/") {
		c.complex = append(c.complex, fmt.Sprintf("%s has %d lines", name, n))
	}
}

// isTable reports whether a function is a switch with a tag whose cases do nothing but return, with at
// most one statement after the switch.
func isTable(f *ast.FuncDecl) bool {
	if f.Body == nil || len(f.Body.List) == 0 {
		return false
	}
	table, isSwitch := f.Body.List[0].(*ast.SwitchStmt)
	if !isSwitch || table.Tag == nil || len(f.Body.List) > 2 {
		return false
	}
	for _, clause := range table.Body.List {
		body := clause.(*ast.CaseClause).Body
		if len(body) != 1 {
			return false
		}
		if _, returns := body[0].(*ast.ReturnStmt); !returns {
			return false
		}
	}
	return true
}

// complexity returns the cyclomatic complexity of a function: 1, and 1 more for each branch, case, && and ||.
func complexity(f *ast.FuncDecl) int {
	n := 1
	ast.Inspect(f, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
			n++
		case *ast.CaseClause:
			if node.List != nil {
				n++
			}
		case *ast.CommClause:
			if node.Comm != nil {
				n++
			}
		case *ast.BinaryExpr:
			if node.Op == token.LAND || node.Op == token.LOR {
				n++
			}
		}
		return true
	})
	return n
}
