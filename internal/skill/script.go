package skill

import (
	"slices"
	"strings"
	"sync"
)

// scriptEndings are the endings of the names of scripts and programs.
var scriptEndings = sync.OnceValue(func() []string {
	return strings.Fields(".py .sh .bash .zsh .fish .js .mjs .cjs .ts .rb .pl .php .lua .ps1 .psm1 .bat .cmd .exe .com .vbs .r .jl .go .rs .swift .scpt .command .jar .wasm .so .dll .dylib .bin")
})

// IsScript reports whether a file is a script or a program, by its name or URI: by its folder or its ending.
func IsScript(name string) bool {
	lower := strings.ToLower(name)
	inScripts := strings.HasPrefix(lower, "scripts/") || strings.HasPrefix(lower, "bin/") || strings.Contains(lower, "/scripts/") || strings.Contains(lower, "/bin/")
	return inScripts || slices.ContainsFunc(scriptEndings(), func(ending string) bool { return strings.HasSuffix(lower, ending) })
}

// IsProse reports whether a file is read as a text and never run, by its name: any other file is code, in which a blank can
// change what it does.
func IsProse(name string) bool {
	lower := strings.ToLower(name)
	return strings.HasSuffix(lower, ".md") || strings.HasSuffix(lower, ".txt")
}
