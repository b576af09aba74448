package skill

import (
	"slices"
	"strings"
	"sync"
)

// scriptEndings are the endings of the names of scripts and programs.
var scriptEndings = sync.OnceValue(func() []string {
	return strings.Fields(".py .pyw .pyz .sh .bash .zsh .ksh .csh .fish .nu .awk .sed .js .mjs .cjs .jsx .ts .mts .cts .tsx .rb .pl .php .lua .ps1 .psm1 .bat .cmd .exe .com .vbs .r .jl .go .rs .swift .scpt .command .jar .wasm .so .dll .dylib .bin")
})

// IsExecutable reports whether a file is a script or a program, by its name or by its content: a line with #! at the
// beginning, or the scripts of a package.json.
func IsExecutable(name, content string) bool {
	isPackage := strings.HasSuffix(strings.ToLower(name), "package.json") && strings.Contains(content, `"scripts"`)
	return IsScript(name) || strings.HasPrefix(content, "#!") || isPackage
}

// IsScript reports whether a file is a script or a program, by its name or URI: by its folder or its ending.
func IsScript(name string) bool {
	lower := strings.ToLower(name)
	inScripts := strings.HasPrefix(lower, "scripts/") || strings.HasPrefix(lower, "bin/") || strings.Contains(lower, "/scripts/") || strings.Contains(lower, "/bin/")
	isRecipe := slices.Contains([]string{"makefile", "gnumakefile", "justfile", "rakefile", "dockerfile"}, lower[strings.LastIndex(lower, "/")+1:])
	return inScripts || isRecipe || slices.ContainsFunc(scriptEndings(), func(ending string) bool { return strings.HasSuffix(lower, ending) })
}

// IsProse reports whether a file is read as a text and never run, by its name: any other file is code, in which a blank can
// change what it does.
func IsProse(name string) bool {
	lower := strings.ToLower(name)
	return strings.HasSuffix(lower, ".md") || strings.HasSuffix(lower, ".txt")
}
