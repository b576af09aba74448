package client

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"pinproof/internal/fail"
	"pinproof/internal/shell"
	"pinproof/internal/text"
	"pinproof/internal/workspace"
)

// Self is the name of this program.
const Self = "pinproof-capture"

// programOf returns the name of the program at a path.
func programOf(path string) string {
	name := strings.ToLower(filepath.Base(path))
	return strings.TrimSuffix(strings.TrimSuffix(name, ".exe"), ".cmd")
}

// CheckLaunch refuses a command line if npx or npm would take a part of it for itself. In "npx --no
// NAME --read-only", npx takes NAME for the value of --no, and --read-only for a flag of npm's, mostly
// without a message, and the server starts without that flag. The hint shows the line as it should be,
// with the words of before in front of the command.
func CheckLaunch(argv []string, before ...string) error {
	at, _ := readNPM(argv)
	if at < 0 {
		return nil
	}
	words := slices.Concat(before, argv[:at], []string{"--"}, argv[at:])
	return fail.New("%s would take flags of %s for its own: -- has to come before the name", programOf(argv[0]), text.Name(argv[at])).
		Hint("%s", Quoted(words))
}

// Quoted returns words quoted for a shell.
func Quoted(words []string) string {
	list := slices.Clone(words)
	for i := range list {
		list[i] = shell.Quote(list[i])
	}
	return strings.Join(list, " ")
}

// Floats reports whether a command line runs a version that npm chooses on that day.
func Floats(argv []string) bool {
	_, floats := readNPM(argv)
	return floats
}

// The flags of npx and npm exec before a server's name: those that take a value, and those that npx
// knows to take no argument.
var (
	valued = strings.Fields("-p --package -c --call -w --workspace -C --prefix --cache --loglevel " +
		"--registry --script-shell --shell --userconfig --tag --omit --include")
	switches = strings.Fields("-y --yes --no-install -q --quiet -s --silent -d -dd -ddd --verbose -f --force -g --global " +
		"--offline --prefer-offline --prefer-online --ignore-scripts --ignore-existing -ws --workspaces -iwr --include-workspace-root")
)

// readNPM reads a command line with npx or npm exec. dashes is the index of the word before which "--"
// is missing, or -1; floats reports whether the line runs a version that npm chooses on that day. For any
// other program it returns -1 and false.
//
// npx puts a "--" before the first word that isn't a flag, but takes the word after a flag that it
// doesn't know for the flag's value: after --no and --local, which are short for other flags, after
// --no-yes and other negations except --no-install, and after several letters in one flag (npm 7 to
// 11). npm exec takes all flags for its own, up to a "--".
func readNPM(argv []string) (dashes int, floats bool) {
	at, program := programIn(argv)
	if program != "npx" && program != "npm" {
		return -1, false
	}
	isNPX := program == "npx"
	isExec := isNPX
	name := -1
	for i := at + 1; i < len(argv); i++ {
		word := argv[i]
		isFlag := strings.HasPrefix(argv[i], "-")
		switch {
		case word == "--" || isNPX && !isFlag:
			return -1, floats && isExec
		case isFlag && name >= 0:
			return name, floats
		case !isFlag && !isExec:
			if isExec = word == "exec" || word == "x"; !isExec {
				return -1, false
			}
		case !isFlag && name < 0:
			name = i
		case slices.Contains(valued, word):
			i++
		case slices.Contains(switches, word) || strings.Contains(word, "="):
			floats = floats || word == "-y" || word == "--yes"
		case isNPX && i+1 < len(argv) && !strings.HasPrefix(argv[i+1], "-"):
			return i + 1, floats
		}
	}
	return -1, floats && isExec
}

// programIn returns where the program is in a command line, and its name. On Windows, it may be behind cmd.
func programIn(argv []string) (at int, name string) {
	if programOf(argv[0]) == "cmd" {
		at = behindCmd(argv)
	}
	return at, programOf(argv[at])
}

// behindCmd returns where the command that cmd starts begins: behind /c, before which there may be other
// switches. It returns 0 if there is no /c.
func behindCmd(argv []string) int {
	for i := 1; i+1 < len(argv) && strings.HasPrefix(argv[i], "/"); i++ {
		if strings.EqualFold(argv[i], "/c") {
			return i + 1
		}
	}
	return 0
}

// Start returns the words that start this program from the configuration's project, where its
// client starts servers, so that the client finds it. what describes them for a person.
func (c *Config) Start() (argv []string, what string, err error) {
	path, err := os.Executable()
	if err != nil {
		return nil, "", fail.From(err)
	}
	if root, _, ok := strings.Cut(filepath.ToSlash(path), "/node_modules/"); ok {
		project, _ := filepath.EvalSymlinks(c.project)
		if below, err := filepath.Rel(filepath.FromSlash(root), project); err == nil && filepath.IsLocal(below) {
			if runtime.GOOS == "windows" {
				return cmdNPXSelf, "the one in node_modules", nil
			}
			return npxSelf, "the one in node_modules", nil
		}
	}
	found, err := exec.LookPath(Self)
	isFound := err == nil && filepath.IsAbs(found) && workspace.SameFile(found, path)
	folders := workspace.UpToRoot(c.project)
	if _, err := os.Lstat(filepath.Join(folders[len(folders)-1], ".git")); err == nil {
		// Others use this file, too, on machines with other paths.
		if !isFound {
			return nil, "", fail.New("%s is not on the path, and a path of this machine doesn't belong into a file of the repository", Self).
				Hint("install it for the project: npm install --save-dev pinproof")
		}
		return []string{Self}, "the one on the path, where each user of this repository needs it", nil
	}
	if isFound {
		// A client that wasn't started in a shell looks for programs in these folders.
		usual := []string{"/usr/local/bin", "/usr/bin", "/bin"}
		if runtime.GOOS == "windows" || slices.Contains(usual, filepath.Dir(found)) {
			return []string{Self}, "the one on the path of clients", nil
		}
		// It may be a link, which stays in place when a new version is installed.
		path = found
	}
	return []string{path}, "its path on this machine, because clients don't find it by name", nil
}
