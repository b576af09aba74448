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
	"pinproof/pinproof-capture/internal/mcp"
)

// SelfName is the name of this program.
const SelfName = "pinproof-capture"

// CheckNPMFlags rejects a command line if npx or npm would consume a part of it. In "npx --no NAME --read-only", npx
// reads NAME as the value of --no and --read-only as npm's own flag, usually without a message, so the server starts
// without the flag. The hint shows the corrected line after the words in before.
func CheckNPMFlags(argv []string, before ...string) error {
	at, _ := mcp.ParseNPM(argv)
	if at < 0 {
		return nil
	}
	words := slices.Concat(before, argv[:at], []string{"--"}, argv[at:])
	return fail.New("%s would take flags of %s for its own: -- has to come before the name", mcp.ProgramName(argv[0]), text.QuoteName(argv[at])).
		Hint("%s", shell.QuoteAll(words))
}

// SelfCommand returns the command line with which a client can start this program from the configuration's project. what
// describes it for a person.
func (c *Config) SelfCommand() (argv []string, what string, err error) {
	path, err := os.Executable()
	if err != nil {
		return nil, "", err
	}
	if root, _, ok := strings.Cut(filepath.ToSlash(path), "/node_modules/"); ok {
		project, _ := filepath.EvalSymlinks(c.Project)
		if below, err := filepath.Rel(root, project); err == nil && filepath.IsLocal(below) {
			argv = npxSelf
			if runtime.GOOS == "windows" {
				argv = cmdNPXSelf
			}
			return argv, "the one in node_modules", nil
		}
	}
	found, _ := exec.LookPath(SelfName)
	isFound := filepath.IsAbs(found) && workspace.SameFile(found, path)
	if workspace.RepositoryRoot(c.Project) != "" {
		// The file is shared through the repository, with machines where the path differs.
		if !isFound {
			return nil, "", fail.New("%s is not on the path, and a path of this machine doesn't belong into a file of the repository", SelfName).
				Hint("install it for the project: npm install --save-dev pinproof")
		}
		return []string{SelfName}, "the one on the path, where each user of this repository needs it", nil
	}
	if isFound {
		// found may be a link, which remains valid when a new version is installed.
		path = found
	}
	return []string{path}, "its path on this machine, because clients don't find it by name", nil
}
