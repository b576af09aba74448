package mcp

import (
	"path/filepath"
	"slices"
	"strings"
)

// ProgramName returns the name of the program at a path.
func ProgramName(path string) string {
	name := strings.ToLower(filepath.Base(path))
	return strings.TrimSuffix(strings.TrimSuffix(name, ".exe"), ".cmd")
}

// The flags of npx and npm exec before a server's name: those with a value, and those that npx knows to have none.
var (
	valued = strings.Fields("-p --package -c --call -w --workspace -C --prefix --cache --loglevel " +
		"--registry --script-shell --shell --userconfig --tag --omit --include")
	switches = strings.Fields("-y --yes --no-install -q --quiet -s --silent -d -dd -ddd --verbose -f --force -g --global " +
		"--offline --prefer-offline --prefer-online --ignore-scripts --ignore-existing -ws --workspaces -iwr --include-workspace-root")
)

// ParseNPM parses a command line of npx or npm exec. It returns the package or program to run, or "", and the index of
// the word before which "--" is missing, or -1. For any other program, it returns -1 and "".
//
// npx inserts a "--" before the first word that isn't a flag. But it reads the word after an unknown flag as the
// flag's value: after --no and --local, which abbreviate other flags, after negations such as --no-yes (except
// --no-install), and after combined letters (npm 7 to 11). npm exec reads all flags up to a "--" as its own.
func ParseNPM(argv []string) (dashes int, name string) {
	at := 0
	if ProgramName(argv[0]) == "cmd" { // on Windows, npx may be behind cmd /c
		at = 1 + slices.IndexFunc(argv, func(word string) bool { return strings.EqualFold(word, "/c") })
	}
	at = min(at, len(argv)-1)
	program := ProgramName(argv[at])
	isNPX := program == "npx"
	isExec := isNPX
	if !isNPX && program != "npm" {
		return -1, ""
	}
	named := -1
	for i := at + 1; i < len(argv); i++ {
		word := argv[i]
		isFlag := strings.HasPrefix(word, "-")
		switch {
		case word == "--" && i+1 < len(argv):
			return -1, argv[i+1]
		case isNPX && !isFlag:
			return -1, word
		case isFlag && named >= 0:
			return named, name
		case !isFlag && !isExec:
			if isExec = word == "exec" || word == "x"; !isExec {
				return -1, ""
			}
		case !isFlag && named < 0:
			named = i
			name = word
		case slices.Contains(valued, word):
			i++
		case slices.Contains(switches, word) || strings.Contains(word, "="):
		case isNPX && i+1 < len(argv) && !strings.HasPrefix(argv[i+1], "-"):
			return i + 1, argv[i+1]
		}
	}
	return -1, name
}
