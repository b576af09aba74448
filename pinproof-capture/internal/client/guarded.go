package client

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"pinproof/internal/workspace"
	"pinproof/pinproof-capture/internal/mcp"
)

// npxSelf starts this program from a project's node_modules. cmdNPXSelf does so on Windows, where clients can't start
// npx directly.
var (
	npxSelf    = []string{"npx", "--no", "--", SelfName}
	cmdNPXSelf = slices.Concat([]string{"cmd", "/c"}, npxSelf)
)

// unguarded removes our guard from an entry, because a guard requires pins and pins require a capture. A guard is
// ours if its command line is one that wrap writes, with this server ID. Any other look-alike stays, because the
// client starts it.
func (e entry) unguarded(id string) entry {
	argv := e.argv()
	n := selfWords(argv)
	if n == 0 || n == len(argv) || argv[n] != "guard" {
		return e
	}
	flags := pflag.NewFlagSet("guard", pflag.ContinueOnError)
	isSSE := flags.Bool("sse", false, "")
	headers := flags.StringArray("header-env", nil, "")
	flags.Bool("log-digests", false, "")
	for _, name := range []string{"on-drift", "relist", "log", "lock", "substitute"} {
		flags.String(name, "", "")
	}
	err := flags.Parse(argv[n+1:])
	words := flags.Args()
	isCommand := flags.ArgsLenAtDash() == 1
	if err != nil || len(words) < 2 || words[0] != id || !isCommand && (len(words) > 2 || !strings.Contains(words[1], "://")) {
		return e
	}
	if isCommand {
		e.guard = argv[:len(argv)-len(words)+1]
		e.Command = words[1]
		e.Args = words[2:]
		return e
	}
	e.guard = argv[:slices.Index(argv, words[1])]
	e.URL = words[1]
	e.Command = ""
	if *isSSE {
		e.Type = "sse"
	}
	e.Headers = map[string]string{}
	e.EnvHTTPHeaders = map[string]string{}
	for _, header := range *headers {
		name, variable, _ := strings.Cut(header, "=")
		if value, set := e.Env[variable]; set {
			e.Headers[name] = value
		} else {
			e.EnvHTTPHeaders[name] = variable
		}
	}
	return e
}

// selfWords returns the number of words at the start of argv that run this program in a form that wrap writes, or 0.
func selfWords(argv []string) int {
	for _, words := range [][]string{{SelfName}, npxSelf, cmdNPXSelf} {
		if slices.Equal(argv[:min(len(words), len(argv))], words) {
			return len(words)
		}
	}
	if filepath.IsAbs(argv[0]) && mcp.ProgramName(argv[0]) == SelfName {
		_, err := os.Stat(argv[0])
		self, _ := os.Executable()
		// If the file no longer exists, it may have been another version of this program.
		if os.IsNotExist(err) || workspace.SameFile(self, argv[0]) {
			return 1
		}
	}
	return 0
}
