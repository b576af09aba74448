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
)

// self is the name of this program.
const self = "pinproof-capture"

// programOf is the name of the program at a path.
func programOf(path string) string {
	name := strings.ToLower(filepath.Base(path))
	return strings.TrimSuffix(strings.TrimSuffix(name, ".exe"), ".cmd")
}

// CheckLaunch refuses a command line of which npx or npm takes a part for itself: npx takes the
// NAME in "npx --no NAME --read-only" for the value of --no and --read-only for a flag of npm's,
// mostly without a word, and the server starts without it. before is what stands before the
// command in the line that is shown as it should be.
func CheckLaunch(argv []string, before ...string) error {
	at := takenByNPM(argv)
	if at < 0 {
		return nil
	}
	var words []string
	for _, word := range slices.Concat(before, argv[:at], []string{"--"}, argv[at:]) {
		words = append(words, shell.Quote(word))
	}
	return fail.New("%s would take flags of %s for its own: -- has to stand before the name", programOf(argv[0]), text.Name(argv[at])).
		Hint("%s", strings.Join(words, " "))
}

// valued are the flags of npx and npm exec before a server's name that take a value.
var valued = strings.Fields("-p --package -c --call -w --workspace -C --prefix --cache --loglevel --registry --script-shell --shell --userconfig")

// takenByNPM is where "--" has to stand in a command line, or -1 if nothing is amiss. npx puts
// one before the first word that is no flag, but takes the word after a flag that it doesn't
// know for the flag's value: after --no and --local, which are short for others, after --no-yes
// and other negations, and after several letters in one (npm 7 to 11; --no-install it knows).
// npm exec itself takes all flags for its own, up to a "--".
func takenByNPM(argv []string) int {
	begin := npmAt(argv)
	if begin < 0 {
		return -1
	}
	isExec, name := programOf(argv[begin]) == "npm", -1
	for i := begin + 1; i < len(argv); i++ {
		word := argv[i]
		isFlag := strings.HasPrefix(word, "-")
		switch {
		case word == "--":
			return -1
		case slices.Contains(valued, word):
			i++
		case isFlag && name >= 0:
			return name
		case isExec && !isFlag && name < 0:
			if name = i; word == "exec" || word == "x" {
				name = -1
			}
		case !isExec && !isFlag:
			return -1
		case !isExec && takesNext(word) && i+1 < len(argv) && !strings.HasPrefix(argv[i+1], "-"):
			return i + 1
		}
	}
	return -1
}

// takesNext reports whether npx takes the word after a flag although the flag has no value.
func takesNext(flag string) bool {
	switch {
	case flag == "--no-install" || strings.Contains(flag, "="):
		return false
	case flag == "--no" || flag == "--local" || strings.HasPrefix(flag, "--no-"):
		return true
	}
	return len(flag) > 2 && flag[1] != '-' && !slices.Contains([]string{"-dd", "-ddd", "-ws", "-iwr"}, flag)
}

// npmAt is where npx or npm exec stands in a command line, or -1 if neither does.
func npmAt(argv []string) int {
	at := 0
	if len(argv) > 2 && programOf(argv[0]) == "cmd" && strings.EqualFold(argv[1], "/c") {
		at = 2 // as Windows needs it
	}
	switch {
	case len(argv) > at && programOf(argv[at]) == "npx":
		return at
	case len(argv) > at && programOf(argv[at]) == "npm":
		command := slices.IndexFunc(argv[at+1:], func(word string) bool { return !strings.HasPrefix(word, "-") })
		if command >= 0 && slices.Contains([]string{"exec", "x"}, argv[at+1+command]) {
			return at
		}
	}
	return -1
}

// Floats reports whether a command line runs what npm would fetch on the day.
func Floats(argv []string) bool {
	at := npmAt(argv)
	if at < 0 {
		return false
	}
	for _, word := range argv[at+1:] {
		switch {
		case word == "-y" || word == "--yes":
			return true
		case word == "--" || programOf(argv[at]) == "npx" && !strings.HasPrefix(word, "-"):
			return false
		}
	}
	return false
}

// behindGuard is where a server's own command or its address begins in a command line with our
// guard, or -1.
func behindGuard(argv []string) (at int, isURL bool) {
	if programOf(argv[0]) == "npx" {
		at = slices.Index(argv, "--") + 1
	}
	if at+3 >= len(argv) || programOf(argv[at]) != self || argv[at+1] != "guard" {
		return -1, false
	}
	if strings.Contains(argv[at+3], "://") {
		return at + 3, true
	}
	end := slices.Index(argv[at:], "--")
	if end < 0 || at+end+1 == len(argv) {
		return -1, false
	}
	return at + end + 1, false
}

// unguarded is the server behind our own guard: the guard would ask for pins that
// the capture is there to make.
func unguarded(argv []string) []string {
	behind, _ := behindGuard(argv)
	return argv[max(behind, 0):]
}

// usualPath are the folders that a client looks for programs in, also one that wasn't started
// in a shell. On Windows that is the user's path.
var usualPath = []string{"/usr/local/bin", "/usr/bin", "/bin"}

// Start is how a client that starts servers in this configuration's project starts this
// program, so that it is found, and what that is, for a person.
func (c *Config) Start() (argv []string, what string, err error) {
	path, err := os.Executable()
	if err != nil {
		return nil, "", fail.From(err)
	}
	mine, err := os.Stat(path)
	if err != nil {
		return nil, "", fail.From(err)
	}
	isMine := func(path string) bool {
		info, err := os.Stat(path)
		return err == nil && os.SameFile(info, mine)
	}
	if root, _, ok := strings.Cut(filepath.ToSlash(path), "/node_modules/"); ok {
		for folder := c.project; ; folder = filepath.Dir(folder) {
			if same(folder, filepath.FromSlash(root)) {
				return []string{"npx", "--no", "--", self}, "the one in node_modules", nil
			}
			if folder == filepath.Dir(folder) {
				break
			}
		}
	}
	folders := usualPath
	if runtime.GOOS == "windows" {
		folders = filepath.SplitList(os.Getenv("PATH"))
	}
	for _, folder := range folders {
		if found, err := exec.LookPath(filepath.Join(folder, self)); err == nil && isMine(found) {
			return []string{self}, "the one on the path of clients", nil
		}
	}
	if found, err := exec.LookPath(self); err == nil && filepath.IsAbs(found) && isMine(found) {
		path = found // a link that stays where it is when a new version comes
	}
	return []string{path}, "by its place on this machine, for the path of clients doesn't have it", nil
}

func same(a, b string) bool {
	x, _ := os.Stat(a)
	y, _ := os.Stat(b)
	return os.SameFile(x, y)
}
