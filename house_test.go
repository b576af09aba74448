package main

import (
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

	"github.com/spf13/pflag"
)

// own is where the packages of this module are.
const own = "pinproof/internal/"

// imports says what each package may import of this module. What decides (jsontree, capture,
// lockfile, and of the root the files in deciding) imports nothing of what explains (diff, lint,
// report). A format lays out the model of a report: it can't import what facts are made of.
var imports = map[string]string{
	"text":       "",
	"fail":       "text",
	"shell":      "text",
	"jsontree":   "text",
	"schema":     "jsontree",
	"atomicfile": "text fail shell",
	"pin":        "text fail jsontree schema",
	"capture":    "text fail shell jsontree pin",
	"lockfile":   "text fail shell jsontree pin",
	"approval":   "text fail pin",
	"diff":       "text jsontree schema pin",
	"lint":       "text jsontree schema pin",
	"layout":     "text jsontree diff",
	"signature":  "text jsontree pin diff layout",
	"report":     "text fail shell jsontree pin diff lint layout signature",
	"plain":      "text jsontree layout report",
	"markdown":   "text report plain",
	"html":       "text layout report",
	"json":       "jsontree report",
	"sarif":      "text report json",
	"junit":      "text report plain",
	"github":     "text report",
	"prompt":     "text fail layout report plain",
	"jsontest":   "",
	"pintest":    "jsontree jsontest pin capture lockfile",
	".":          "text fail shell jsontree pin capture lockfile diff lint report approval atomicfile prompt plain markdown html json sarif junit github",
}

// deciding are the files of the root that decide, with what they may import.
var deciding = map[string]string{
	"canon.go":  "jsontree pin text",
	"verify.go": "jsontree pin",
}

// outside says which packages may import what comes from elsewhere or touches the world.
// The standard library is free, but for what stands here.
var outside = map[string]string{
	"github.com/go-json-experiment/json/jsontext": "jsontree",
	"golang.org/x/text/unicode/norm":              "text",
	"golang.org/x/text/unicode/rangetable":        "lint",
	"github.com/gowebpki/jcs":                     "jsontree",
	"github.com/sergi/go-diff/diffmatchpatch":     "diff",
	"github.com/fatih/color":                      "plain",
	"github.com/mattn/go-isatty":                  ".",
	"golang.org/x/term":                           ".",
	"github.com/spf13/cobra":                      ".",
	"github.com/spf13/pflag":                      ".",
	"encoding/json":                               "json", // it writes there; nothing is decoded
	"encoding/xml":                                "junit",
	"os":                                          ". atomicfile",
	"os/signal":                                   ". atomicfile",
	"syscall":                                     ". atomicfile",
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

// eachFile calls f for every file of the program, with its package: a folder of internal/ or of
// internal/report/, or "." for the root.
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
		f(room, filepath.ToSlash(path), set, file)
		files++
		return nil
	})
	if err != nil || files < 50 {
		t.Fatalf("%d files read; %v", files, err)
	}
}

// TestWhoImportsWhat: the walls between the rooms.
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
			if decides, ok := deciding[path]; ok {
				allowed = decides
			}
			where, listed := outside[name]
			test := room == "jsontest" || room == "pintest"
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
	for room := range imports {
		if !rooms[room] {
			t.Errorf("no package %s", room)
		}
	}
	for room := range rooms {
		if _, ok := imports[room]; !ok {
			t.Errorf("package %s has no line in this test", room)
		}
	}
}

// TestOffline: the gate links no network client.
func TestOffline(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Skipf("go list: %v", err)
	}
	deps := strings.Fields(string(out))
	if len(deps) < 50 {
		t.Fatalf("only %d packages", len(deps))
	}
	for _, path := range []string{"net/http", "crypto/tls", "net/rpc", "plugin", "C"} {
		if slices.Contains(deps, path) {
			t.Errorf("%s is linked", path)
		}
	}
}

// TestOneExit: os.Exit stands once, no init hides work, no recover turns a crash into an
// answer, and nothing is decoded into structs: Go's decoders fold letter case and keep the
// last of two members, and what they read would not be what was hashed.
func TestOneExit(t *testing.T) {
	exits := 0
	eachFile(t, func(room, _ string, set *token.FileSet, file *ast.File) {
		if room == "jsontest" || room == "pintest" {
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

// TestCarriedFlags: the next command that we print has every flag of this one, as far
// as the other command knows it, but those that say how this run answers or what it
// accepts, and --here, for which commands name the lockfile.
func TestCarriedFlags(t *testing.T) {
	answers := strings.Fields("accept accept-all accept-label accept-warning accept-warnings against allow drop-server expect format full here hook only part quiet report server review stat subset warn yes")
	flags := map[string]*pflag.FlagSet{}
	for _, cmd := range newRoot(&app{}).Commands() {
		if cmd.Name() != "completion" && cmd.Name() != "help" {
			flags[cmd.Name()] = cmd.Flags()
		}
	}
	for _, name := range answers {
		if !slices.ContainsFunc(slices.Collect(maps.Values(flags)), func(set *pflag.FlagSet) bool { return set.Lookup(name) != nil }) {
			t.Errorf("no command has --%s", name)
		}
	}
	for verb, set := range flags {
		set.VisitAll(func(f *pflag.Flag) {
			carries := slices.ContainsFunc(carried, func(c struct{ flags, verbs []string }) bool {
				return slices.Contains(c.flags, f.Name) && slices.Contains(c.verbs, verb)
			})
			if carries == slices.Contains(answers, f.Name) {
				t.Errorf("%s --%s: carried %t", verb, f.Name, carries)
			}
		})
	}
	for _, c := range carried {
		for _, verb := range c.verbs {
			for _, name := range c.flags {
				if flags[verb] == nil || flags[verb].Lookup(name) == nil {
					t.Errorf("%s has no --%s", verb, name)
				}
			}
		}
	}
}
