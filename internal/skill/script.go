package skill

import (
	"slices"
	"strings"
)

// scriptEndings are the ends of the names of files that are run.
var scriptEndings = strings.Fields(".py .sh .bash .zsh .fish .js .mjs .cjs .ts .rb .pl .php .lua .ps1 .psm1 .bat .cmd .exe .com .vbs .r .jl .go .rs .swift .scpt .command .jar .wasm .so .dll .dylib .bin")

// IsScript reports whether a file is one to run, by its name or URI: where it lies, or how it ends.
func IsScript(name string) bool {
	lower := strings.ToLower(name)
	inScripts := strings.HasPrefix(lower, "scripts/") || strings.HasPrefix(lower, "bin/") || strings.Contains(lower, "/scripts/") || strings.Contains(lower, "/bin/")
	return inScripts || slices.ContainsFunc(scriptEndings, func(ending string) bool { return strings.HasSuffix(lower, ending) })
}
