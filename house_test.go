package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os/exec"
	pathpkg "path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// own is where the packages of this module are.
const own = "pinproof/internal/"

// imports lists the packages of this module that each package may import. The packages that decide
// (jsontree, pin, capture, lockfile, approval, workspace, and canon.go and verify.go) import no package of
// those that explain (diff, lint, facts, report). Only main.go imports the command line. A format only
// lays out the model of a report, so it can't import the packages that facts are made from.
var imports = map[string]string{
	"text":       "",
	"fail":       "text",
	"shell":      "text",
	"jsontree":   "text",
	"schema":     "jsontree",
	"skill":      "text jsontree",
	"atomicfile": "text fail shell",
	"about":      "fail text",
	"pin":        "text fail jsontree schema skill",
	"capture":    "text fail shell jsontree skill pin",
	"lockfile":   "text fail shell jsontree skill pin",
	"approval":   "text fail shell jsontree skill pin",
	"workspace":  "text fail shell jsontree pin capture lockfile atomicfile",
	"inclusion":  "effort jsontree schema normal",
	"normal":     "effort text jsontree schema",
	"effort":     "",
	"label":      "",
	"words":      "effort text",
	"diff":       "effort text jsontree schema skill pin inclusion normal label words",
	"lint":       "effort text jsontree schema skill pin rank",
	"modeltext":  "text shell jsontree pin",
	"layout":     "text jsontree words",
	"rank":       "text",
	"signature":  "text jsontree schema pin normal layout",
	"facts":      "effort text rank jsontree pin diff label lint signature words",
	"report":     "effort text rank fail shell jsontree pin diff label lint facts layout signature words",
	"plain":      "text jsontree layout report",
	"markdown":   "report plain",
	"hook":       "modeltext pin report shell",
	"html":       "layout report plain",
	"json":       "jsontree report",
	"sarif":      "text report json",
	"junit":      "text report plain",
	"github":     "text report",
	"formats":    "report json github sarif junit markdown html",
	"prompt":     "text fail pin approval layout report plain",
	"cli":        "about effort text fail shell modeltext jsontree pin atomicfile approval workspace diff label lint facts report prompt plain hook formats",
	"jsontest":   "",
	"pintest":    "jsontree jsontest pin capture lockfile",
	"reporttest": "text shell jsontree jsontest pintest pin capture lockfile lint facts report",
}

// testRooms are for tests: no program links them.
var testRooms = []string{"jsontest", "pintest", "reporttest"}

// root has the files of the root, with what each may import.
var root = map[string]string{
	"main.go":   "about cli pin",
	"canon.go":  "jsontree pin text",
	"verify.go": "fail jsontree pin text",
}

// outside lists the packages that may import code that comes from elsewhere or touches the world.
// Any package may import a package of the standard library that isn't listed here.
var outside = map[string]string{
	"github.com/go-json-experiment/json/jsontext": "jsontree",
	"golang.org/x/text/unicode/norm":              "text",
	"golang.org/x/text/unicode/rangetable":        "text lint",
	"github.com/gowebpki/jcs":                     "jsontree",
	"go.yaml.in/yaml/v3":                          "skill",
	"github.com/sergi/go-diff/diffmatchpatch":     "words",
	"github.com/fatih/color":                      "plain",
	"github.com/mattn/go-isatty":                  "cli",
	"golang.org/x/term":                           "cli",
	"golang.org/x/sys/unix":                       "cli",
	"golang.org/x/sys/windows":                    "cli",
	"github.com/spf13/cobra":                      "cli about",
	"github.com/spf13/pflag":                      "cli",
	"encoding/json":                               "json", // it only writes JSON; nothing is decoded
	"encoding/xml":                                "junit",
	"os":                                          "main.go cli workspace atomicfile",
	"os/signal":                                   "main.go cli atomicfile",
	"syscall":                                     "main.go cli atomicfile",
	"log":                                         "",
	"log/slog":                                    "",
	"math/rand":                                   "",
	"net":                                         "",
	"net/http":                                    "",
	"os/exec":                                     "",
	"plugin":                                      "",
	"reflect":                                     "",
	"unsafe":                                      "",
}

// eachFile calls f for every file of the program. room is its package: a folder of internal/ or of
// internal/report/. Each file of the root counts as a room, by its file name.
func eachFile(t *testing.T, f func(room, path string, set *token.FileSet, file *ast.File)) {
	t.Helper()
	set, files := token.NewFileSet(), 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && path != "." && path != "internal" && filepath.Dir(path) != "internal" && filepath.Dir(path) != filepath.Join("internal", "report") {
			return fs.SkipDir
		}
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		room := filepath.Base(filepath.Dir(path))
		if room == "." {
			room = path
		}
		f(room, filepath.ToSlash(path), set, file)
		files++
		return nil
	})
	if err != nil || files < 50 {
		t.Fatalf("%d files read; %v", files, err)
	}
}

// TestWhoImportsWhat: each package imports only what the tables above allow.
func TestWhoImportsWhat(t *testing.T) {
	rooms := map[string]bool{}
	eachFile(t, func(room, path string, _ *token.FileSet, file *ast.File) {
		rooms[room] = true
		for _, i := range file.Imports {
			name, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			allowed, of := imports[room], pathpkg.Base(name)
			if inRoot, ok := root[path]; ok {
				allowed = inRoot
			}
			where, listed := outside[name]
			test := slices.Contains(testRooms, room)
			switch isOwn := strings.HasPrefix(name, own); {
			case isOwn && !slices.Contains(strings.Fields(allowed), of):
				t.Errorf("%s imports %s", path, of)
			case isOwn || test:
			case listed && !slices.Contains(strings.Fields(where), room):
				t.Errorf("%s imports %s: only of %q", path, name, where)
			case !listed && strings.Contains(name, "."):
				t.Errorf("%s imports %s, which no line of this test allows", path, name)
			}
		}
	})
	known := maps.Clone(imports)
	maps.Copy(known, root)
	for room := range known {
		if !rooms[room] {
			t.Errorf("no package or file %s", room)
		}
	}
	for room := range rooms {
		if _, ok := known[room]; !ok {
			t.Errorf("%s has no line in this test", room)
		}
	}
}

// TestRankDecidesNothing: what is learned from texts can be evaded and can't be proved, so the package
// rank may only order what to read first. No package that decides can import it, not even
// through others, and its trainer isn't a part of the program.
func TestRankDecidesNothing(t *testing.T) {
	for _, room := range []string{"canon.go", "verify.go", "approval", "lockfile", "capture", "workspace", "pin"} {
		allowed, known := imports[room]
		if !known {
			allowed, known = root[room]
		}
		if !known {
			t.Errorf("no package or file %s", room)
		}
		seen := map[string]bool{}
		for left := strings.Fields(allowed); len(left) > 0; left = left[1:] {
			if left[0] == "rank" {
				t.Errorf("%s may reach internal/rank", room)
			}
			if !seen[left[0]] {
				seen[left[0]] = true
				left = append(left, strings.Fields(imports[left[0]])...)
			}
		}
	}
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Skipf("go list: %v", err)
	}
	if strings.Contains(string(out), own+"rank/") {
		t.Error("the trainer is linked")
	}
}

// TestRoot: the files of the root have at most 700 lines together and export no function, and only
// verify.go makes a verdict, be it by a literal, a variable, new, or by writing one of its fields.
func TestRoot(t *testing.T) {
	lines := 0
	eachFile(t, func(room, path string, set *token.FileSet, file *ast.File) {
		if _, ok := root[path]; ok {
			lines += set.File(file.Pos()).LineCount()
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Name.IsExported() {
					t.Errorf("%s exports %s", path, f.Name.Name)
				}
			}
		}
		if path == "verify.go" || slices.Contains(testRooms, room) {
			return
		}
		isVerdict := func(n ast.Expr) bool {
			s, ok := n.(*ast.SelectorExpr)
			return ok && s.Sel.Name == "Verdict" && fmt.Sprint(s.X) == "pin"
		}
		ast.Inspect(file, func(n ast.Node) bool {
			made := false
			switch n := n.(type) {
			case *ast.CompositeLit:
				made = n.Type != nil && isVerdict(n.Type)
			case *ast.ValueSpec:
				made = n.Type != nil && isVerdict(n.Type)
			case *ast.CallExpr:
				made = fmt.Sprint(n.Fun) == "new" && isVerdict(n.Args[0])
			case *ast.AssignStmt:
				for _, to := range n.Lhs {
					s, ok := to.(*ast.SelectorExpr)
					made = made || ok && slices.Contains([]string{"Matches", "Failed", "FailingDrift", "DifferingServers", "UnjudgedServers", "ExitCode"}, s.Sel.Name)
				}
			}
			if made {
				t.Errorf("%s: a verdict is made or changed", set.Position(n.Pos()))
			}
			return true
		})
	})
	if lines > 700 {
		t.Errorf("%d lines", lines)
	}
}

// TestOneYes: the package approval decides what a person approves, from plain data. No other package words
// why nothing is approved: for lock and relock, cli chooses exit code 1 only for servers that are pinned already. No
// decision is passed in a map by position.
func TestOneYes(t *testing.T) {
	eachFile(t, func(room, path string, set *token.FileSet, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.MapType:
				if key, isWord := n.Key.(*ast.Ident); isWord && key.Name == "int" && slices.Contains([]string{"approval", "cli", "prompt"}, room) {
					t.Errorf("%s: a map by position", set.Position(n.Pos()))
				}
			case *ast.SelectorExpr:
				isOther := path != "internal/cli/cmd_lock.go" && path != "internal/cli/judged_input.go" && path != "internal/cli/cli.go"
				if room == "cli" && isOther && (n.Sel.Name == "AsDrift" || n.Sel.Name == "ErrDrift") {
					t.Errorf("%s: exit code 1 is chosen", set.Position(n.Pos()))
				}
			}
			return true
		})
	})
}

// TestOffline: the gate links no network client. It links the JSON module that go.mod names: with
// GOEXPERIMENT=jsonv2, the standard library's code would take the place of that module.
func TestOffline(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Skipf("go list: %v", err)
	}
	deps := strings.Fields(string(out))
	if len(deps) < 50 {
		t.Fatalf("only %d packages", len(deps))
	}
	for _, path := range []string{"net/http", "crypto/tls", "net/rpc", "plugin", "C", "encoding/json/jsontext"} {
		if slices.Contains(deps, path) {
			t.Errorf("%s is linked", path)
		}
	}
}

// TestSorted: the packages that decide set the pins of a set and the members of an object only where
// those are sorted, in pin.Set.SetPins, in jsontree.Object and in the reader. The comparison of two sides,
// searches and the canonical form rely on that order.
func TestSorted(t *testing.T) {
	makers := map[string]string{"Pins": "pin", "Parts": "jsontree"}
	seen := 0
	eachFile(t, func(room, path string, set *token.FileSet, file *ast.File) {
		if slices.Contains([]string{"diff", "inclusion", "lint", "normal", "facts", "report", "signature"}, room) || slices.Contains(testRooms, room) {
			return // their trees are shown, never hashed
		}
		sets := func(field ast.Expr) {
			name := ""
			switch field := field.(type) {
			case *ast.SelectorExpr:
				name = field.Sel.Name
			case *ast.Ident:
				name = field.Name
			}
			maker, sorted := makers[name]
			if sorted && maker == room {
				seen++
			} else if sorted {
				t.Errorf("%s: sets %s", set.Position(field.Pos()), name)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for _, left := range n.Lhs {
					if index, ok := left.(*ast.IndexExpr); ok {
						left = index.X
					}
					if field, ok := left.(*ast.SelectorExpr); ok {
						sets(field)
					}
				}
			case *ast.KeyValueExpr:
				sets(n.Key)
			}
			return true
		})
	})
	if seen < 4 {
		t.Errorf("only %d places set them", seen)
	}
}

// TestOneExit: os.Exit is called once, no init hides work, no recover turns a crash into an
// answer, and nothing is decoded into structs: Go's decoders fold letter case and keep the
// last of two members of the same name, so what they read would not be what was hashed.
func TestOneExit(t *testing.T) {
	exits := 0
	eachFile(t, func(room, _ string, set *token.FileSet, file *ast.File) {
		if slices.Contains(testRooms, room) {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv == nil && n.Name.Name == "init" {
					t.Errorf("%s: init", set.Position(n.Pos()))
				}
			case *ast.CallExpr:
				if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "recover" {
					t.Errorf("%s: recover", set.Position(n.Pos()))
				}
			case *ast.SelectorExpr:
				pkg, ok := n.X.(*ast.Ident)
				switch {
				case !ok:
				case pkg.Name == "os" && n.Sel.Name == "Exit":
					exits++
				case pkg.Name == "cobra" && n.Sel.Name == "CheckErr",
					(pkg.Name == "json" || pkg.Name == "xml") && (strings.HasPrefix(n.Sel.Name, "Unmarshal") || n.Sel.Name == "NewDecoder"):
					t.Errorf("%s: %s.%s", set.Position(n.Pos()), pkg.Name, n.Sel.Name)
				}
			}
			return true
		})
	})
	if exits != 1 {
		t.Errorf("os.Exit stands %d times", exits)
	}
}
