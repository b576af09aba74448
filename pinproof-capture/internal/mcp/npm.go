package mcp

import (
	"path/filepath"
	"slices"
	"strings"
)

// ProgramOf returns the name of the program at a path.
func ProgramOf(path string) string {
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

// An NPM describes a command line of npx or npm exec.
type NPM struct {
	// The index of the word before which "--" is missing, or -1.
	Dashes int

	// The package or program to run, or "" if it isn't found.
	Name string
}

// ReadNPM parses a command line. For any other program, it returns NPM{Dashes: -1}.
//
// npx inserts a "--" before the first word that isn't a flag. But it reads the word after an unknown flag as the
// flag's value: after --no and --local, which abbreviate other flags, after negations such as --no-yes (except
// --no-install), and after combined letters (npm 7 to 11). npm exec reads all flags up to a "--" as its own.
func ReadNPM(argv []string) NPM {
	n := NPM{Dashes: -1}
	at, program := programIn(argv)
	isNPX := program == "npx"
	isExec := isNPX
	name := -1
	for i := at + 1; (isNPX || program == "npm") && i < len(argv); i++ {
		word := argv[i]
		isFlag := strings.HasPrefix(word, "-")
		switch {
		case word == "--" && i+1 < len(argv):
			n.Name = argv[i+1]
			return n
		case isNPX && !isFlag:
			n.Name = word
			return n
		case isFlag && name >= 0:
			n.Dashes = name
			return n
		case !isFlag && !isExec:
			if isExec = word == "exec" || word == "x"; !isExec {
				return NPM{Dashes: -1}
			}
		case !isFlag && name < 0:
			name = i
			n.Name = word
		case slices.Contains(valued, word):
			i++
		case slices.Contains(switches, word) || strings.Contains(word, "="):
		case isNPX && i+1 < len(argv) && !strings.HasPrefix(argv[i+1], "-"):
			n.Dashes = i + 1
			n.Name = argv[i+1]
			return n
		}
	}
	return n
}

// programIn returns where the program is in a command line, and its name. On Windows, it may be behind cmd /c.
func programIn(argv []string) (at int, name string) {
	if ProgramOf(argv[0]) == "cmd" {
		at = 1 + slices.IndexFunc(argv, func(word string) bool { return strings.EqualFold(word, "/c") })
	}
	at = min(at, len(argv)-1)
	return at, ProgramOf(argv[at])
}
