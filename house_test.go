package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// A family is NAME.go and every NAME_*.go. The core decides; the others explain, show and
// touch the world, and what decides can't depend on them. Each file is in one of the two.
var (
	core = []string{"errors", "printable", "shell", "json", "manifest", "schema", "policy", "sanitize", "canon", "pin", "lockfile",
		"verify", "relock"}
	outside = []string{"diff", "label", "finding", "report", "prompt", "files", "cmd", "main"}
)

// inFamily reports whether a file belongs to one of the families.
func inFamily(families []string, file string) bool {
	family, _, _ := strings.Cut(strings.TrimSuffix(file, ".go"), "_")
	return slices.Contains(families, family)
}

// onlyIn says which files may import what touches the world, or what a decision
// rests on. Any other outside package needs a line here.
var onlyIn = map[string][]string{
	"github.com/go-json-experiment/json/jsontext": {"json.go", "json_write.go"},
	"golang.org/x/text/unicode/norm":              {"sanitize.go"},
	"golang.org/x/text/unicode/rangetable":        {"finding_hidden.go"},
	"github.com/gowebpki/jcs":                     {"canon.go"},
	"crypto/sha256":                               {"canon.go"},
	"github.com/sergi/go-diff/diffmatchpatch":     {"diff.go", "diff_words.go"},
	"github.com/fatih/color":                      {"report_text.go"},
	"html/template":                               {"report_html.go"},
	"encoding/json":                               {"report_json.go"}, // see TestNothingIsDecoded
	"encoding/xml":                                {"report_junit.go"},
	"github.com/mattn/go-isatty":                  {"prompt.go"},
	"golang.org/x/term":                           {"prompt.go"},
	"github.com/spf13/cobra":                      {"main.go", "cmd.go", "cmd_lock.go", "cmd_verify.go", "cmd_diff.go", "cmd_relock.go", "cmd_complete.go", "cmd_next.go", "report_formats.go"},
	"github.com/spf13/pflag":                      {"main.go", "cmd_next.go", "cmd_relock.go"},
	"os":                                          {"files.go", "files_sources.go", "files_replace.go", "main.go", "cmd.go", "cmd_lock.go", "cmd_verify.go", "prompt.go"},
	"os/signal":                                   {"files_replace.go", "main.go", "prompt.go"},
	"syscall":                                     {"files_replace.go", "main.go"},
}

// never are packages that no file imports: pinproof is offline, starts nothing, and
// exits in one place.
var never = []string{"log", "log/slog", "math/rand", "net", "net/http", "os/exec", "plugin", "reflect", "unsafe"}

// parsedFiles parses the program's own files.
func parsedFiles(t *testing.T) (*token.FileSet, map[string]*ast.File) {
	t.Helper()
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	set, files := token.NewFileSet(), map[string]*ast.File{}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files[path] = f
	}
	if len(files) < 20 {
		t.Skip("not in the folder of the source")
	}
	return set, files
}

// TestFamilies: every file is in one family, and no family is without files.
func TestFamilies(t *testing.T) {
	_, files := parsedFiles(t)
	for name := range files {
		if inFamily(core, name) == inFamily(outside, name) {
			t.Errorf("%s: is it of the core or outside it?", name)
		}
	}
	for _, family := range slices.Concat(core, outside) {
		if files[family+".go"] == nil {
			t.Errorf("no %s.go", family)
		}
	}
}

// TestMapOfFiles: the tables of CONTRIBUTING.md with the head "files" name every Go file
// but the tests, once, and no other. A name may be a pattern.
func TestMapOfFiles(t *testing.T) {
	parsedFiles(t)
	text, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]string{} // folder -> names and patterns
	folder, inTable := "", false
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		switch {
		case len(cells) < 3:
			inTable = false
		case strings.HasPrefix(strings.TrimSpace(cells[1]), "files"):
			inTable, folder = true, "."
			if strings.Contains(cells[1], "pinproof-capture") {
				folder = "pinproof-capture"
			}
		case inTable:
			for _, name := range backticked.FindAllStringSubmatch(cells[1], -1) {
				if name := strings.TrimPrefix(name[1], folder+"/"); strings.HasSuffix(name, ".go") {
					rows[folder] = append(rows[folder], name)
				}
			}
		}
	}
	for _, folder := range []string{".", "pinproof-capture"} {
		paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil || len(paths) == 0 || len(rows[folder]) == 0 {
			t.Errorf("%s: %d files, %d in the table, %v", folder, len(paths), len(rows[folder]), err)
		}
		named := map[string]int{} // by name or pattern: how many files
		for _, path := range paths {
			file, times := filepath.Base(path), 0
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, name := range rows[folder] {
				if ok, err := filepath.Match(name, file); err != nil {
					t.Errorf("%s: %v", name, err)
				} else if ok {
					named[name]++
					times++
				}
			}
			if times != 1 {
				t.Errorf("CONTRIBUTING.md names %s %d times", path, times)
			}
		}
		for _, name := range rows[folder] {
			if named[name] == 0 {
				t.Errorf("CONTRIBUTING.md names %s, and there is no such file", filepath.Join(folder, name))
			}
		}
	}
}

var backticked = regexp.MustCompile("`([^`]+)`")

// TestCoreStandsAlone: no file of the core names what a file outside it declares.
func TestCoreStandsAlone(t *testing.T) {
	t.Parallel()
	set, files := parsedFiles(t)
	var list []*ast.File
	for _, f := range files {
		list = append(list, f)
	}
	// Other packages are left empty: what is wrong for that reason is passed over,
	// our own names are resolved all the same.
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	check := types.Config{Importer: noPackages{}, Error: func(error) {}}
	own, _ := check.Check("main", set, list, info)
	uses := 0
	for name, object := range info.Uses {
		f, isFunc := object.(*types.Func)
		if object.Pkg() != own || object.Parent() != own.Scope() && !(isFunc && f.Signature().Recv() != nil) {
			continue
		}
		uses++
		from, to := set.Position(name.Pos()), set.Position(object.Pos())
		if inFamily(core, from.Filename) && !inFamily(core, to.Filename) {
			t.Errorf("%s names %s, which %s declares, outside the core", from, object.Name(), to)
		}
	}
	if uses < 1_000 {
		t.Errorf("only %d names were resolved", uses)
	}
}

type noPackages struct{}

func (noPackages) Import(path string) (*types.Package, error) {
	p := types.NewPackage(path, path[strings.LastIndexByte(path, '/')+1:])
	p.MarkComplete()
	return p, nil
}

func TestImports(t *testing.T) {
	_, files := parsedFiles(t)
	for name, f := range files {
		for _, i := range f.Imports {
			path, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			allowed, named := onlyIn[path]
			switch {
			case slices.Contains(never, path):
				t.Errorf("%s imports %s: nothing may", name, path)
			case named && !slices.Contains(allowed, name):
				t.Errorf("%s imports %s: only %s may", name, path, strings.Join(allowed, ", "))
			case !named && strings.Contains(path, "."):
				t.Errorf("%s imports %s, which no one is known to need", name, path)
			}
		}
	}
}

// TestOffline: nothing that is linked can open a network connection for us.
func TestOffline(t *testing.T) {
	t.Parallel()
	parsedFiles(t)
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Skipf("go list: %v", err)
	}
	deps := strings.Fields(string(out))
	if !slices.Contains(deps, "github.com/gowebpki/jcs") {
		t.Fatalf("a list without what is linked: %d packages", len(deps))
	}
	for _, path := range []string{"net/http", "crypto/tls", "net/rpc", "plugin", "C"} {
		if slices.Contains(deps, path) {
			t.Errorf("%s is linked", path)
		}
	}
}

// TestOneExit: os.Exit stands once, no init hides work, no recover turns a crash
// into an answer, and neither log.Fatal nor cobra.CheckErr ends with the code of
// drift.
func TestOneExit(t *testing.T) {
	set, files := parsedFiles(t)
	exits := 0
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv == nil && n.Name.Name == "init" {
					t.Errorf("%s: init", set.Position(n.Pos()))
				}
			case *ast.CallExpr:
				if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "recover" {
					t.Errorf("%s: recover", set.Position(n.Pos()))
				}
				s, ok := n.Fun.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				if pkg, ok := s.X.(*ast.Ident); ok && pkg.Name == "os" && s.Sel.Name == "Exit" {
					exits++
				} else if ok && (pkg.Name == "log" || pkg.Name == "cobra" && s.Sel.Name == "CheckErr") {
					t.Errorf("%s: %s.%s", set.Position(n.Pos()), pkg.Name, s.Sel.Name)
				}
			}
			return true
		})
	}
	if exits != 1 {
		t.Errorf("os.Exit stands %d times", exits)
	}
}

// TestNothingIsDecoded into a struct: Go's decoders fold letter case and keep the last
// of two members, and what they read would not be what was hashed.
func TestNothingIsDecoded(t *testing.T) {
	set, files := parsedFiles(t)
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			pkg, ok := s.X.(*ast.Ident)
			if ok && (pkg.Name == "json" || pkg.Name == "xml") && (strings.HasPrefix(s.Sel.Name, "Unmarshal") || s.Sel.Name == "NewDecoder") {
				t.Errorf("%s: %s.%s", set.Position(n.Pos()), pkg.Name, s.Sel.Name)
			}
			return true
		})
	}
}

// TestNothingIsExported but what encoding and templates read: this is a program.
func TestNothingIsExported(t *testing.T) {
	set, files := parsedFiles(t)
	for _, f := range files {
		for name, kind := range topLevel(f) {
			if ast.IsExported(name.Name) {
				t.Errorf("%s: %s %s is exported", set.Position(name.Pos()), kind, name.Name)
			}
		}
	}
}

// topLevel lists what a file declares, methods aside.
func topLevel(f *ast.File) map[*ast.Ident]string {
	names := map[*ast.Ident]string{}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				names[d.Name] = "func"
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					names[s.Name] = "type"
				case *ast.ValueSpec:
					for _, name := range s.Names {
						names[name] = d.Tok.String()
					}
				}
			}
		}
	}
	return names
}

// TestMap: the map in CONTRIBUTING.md names every file of the source once, and none
// that isn't there.
func TestMap(t *testing.T) {
	text, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Skip("not in the folder of the source")
	}
	var named, there []string
	folder := ""
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		switch {
		case strings.HasPrefix(line, "| files"):
			folder = ""
			if strings.Contains(line, "pinproof-capture/") {
				folder = "pinproof-capture/"
			}
		case len(cells) == 4:
			for _, m := range regexp.MustCompile("`(\\w+\\.go)`").FindAllStringSubmatch(cells[1], -1) {
				named = append(named, folder+m[1])
			}
		}
	}
	for _, pattern := range []string{"*.go", "pinproof-capture/*.go"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		there = append(there, slices.DeleteFunc(paths, func(p string) bool { return strings.HasSuffix(p, "_test.go") })...)
	}
	slices.Sort(named)
	slices.Sort(there)
	if !slices.Equal(named, there) {
		t.Errorf("the map names\n%s\nand there is\n%s", strings.Join(named, " "), strings.Join(there, " "))
	}
}

// TestCarriedFlags: the next command that we print has every flag of this one, as far
// as the other command knows it, but those that say how this run answers or what it
// accepts.
func TestCarriedFlags(t *testing.T) {
	answers := strings.Fields("accept accept-all accept-label accept-warning accept-warnings against allow drop-server expect format full hook part quiet report server review subset warn")
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
