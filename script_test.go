package main

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"html"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"

	"pinproof/internal/atomicfile"
	"pinproof/internal/jsontest"
	"pinproof/internal/pintest"
	"pinproof/internal/shell"
)

// program builds pinproof, for the shells and terminals of the pages of testdata/script. It returns the folder of the
// binary. The test binary could take its place, but takes four times as long to start.
var program = sync.OnceValues(func() (folder string, err error) {
	if folder, err = os.MkdirTemp("", "pinproof-test"); err != nil {
		return "", err
	}
	build := exec.Command("go", "run", "-buildvcs=false", "-exec", "cp", ".", folder)
	if underRace() {
		build.Args = slices.Insert(build.Args, 2, "-race")
	} else {
		build.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	}
	if out, err := build.CombinedOutput(); err != nil {
		return folder, fmt.Errorf("%w\n%s", err, out)
	}
	return folder, nil
})

// built is set once program was called: only then is there a folder to remove.
var built atomic.Bool

func programFolder(t *testing.T) string {
	t.Helper()
	built.Store(true)
	folder, err := program()
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

func underRace() bool {
	info, _ := debug.ReadBuildInfo()
	return slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// TestMain lets twice as many tests run at once as there are cores: the pages wait for
// processes and disks most of the time.
func TestMain(m *testing.M) {
	if os.Getenv(workerVariable) != "" {
		work()
		return
	}
	flag.Parse()
	parallel := flag.Lookup("test.parallel")
	if fuzz := flag.Lookup("test.fuzz"); fuzz.Value.String() == "" && parallel.Value.String() == parallel.DefValue {
		_ = parallel.Value.Set(strconv.Itoa(2 * runtime.GOMAXPROCS(0)))
	}
	code := m.Run()
	for len(idleWorkers) > 0 {
		w := <-idleWorkers
		w.input.Close()
		_ = w.process.Wait()
	}
	if built.Load() {
		folder, _ := program()
		os.RemoveAll(folder)
	}
	os.Exit(code)
}

// pages returns the pages of testdata/script: all of them or, with -short, the first of each topic. A page's topic
// is the first word of its name.
func pages(t *testing.T) (files []string) {
	t.Helper()
	all, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(all) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	if !testing.Short() {
		return all
	}
	topics := map[string]bool{}
	for _, file := range all {
		topic, _, _ := strings.Cut(filepath.Base(file), "_")
		if !topics[topic] {
			topics[topic] = true
			files = append(files, file)
		}
	}
	t.Logf("left out with -short: %d pages of %d, for each runs the program a dozen times", len(all)-len(files), len(all))
	return files
}

// TestScript runs the pages. Each finds the captures of testdata in its folder.
// Besides the commands of testscript there are:
//
//	exits N COMMAND...    run it; the exit code must be N. "! exec" can't tell 1 from 2.
//	terminal N FILE COMMAND...
//	                      the same on a terminal, with FILE's lines as the answers to
//	                      the prompts, one each, then the end of input; a line ^C is
//	                      the interrupt key, and a line !COMMAND runs in a shell
//	                      before the next answer. stdout is all that the terminal
//	                      showed. With FILE - there are no answers.
//	paste N PATTERN       type the last command we printed that matches; exits N
//	keep FILE..., kept FILE...
//	                      remember files; later: same bytes, time and mode
//	text FILE STRING      write a file; STRING has the escapes of Go
//	raw NAME=STRING...    set environment variables, with the escapes of Go
//	big KIND FILE         write a large or hostile file, see bigFiles
//
// After each exits, terminal and paste, everything printed is checked against the rules
// for every output: see wellBehaved. After exits of pinproof, errorsFit, approvesNothing
// and reportsFit check more.
func TestScript(t *testing.T) {
	t.Parallel()
	folder := programFolder(t)
	testscript.Run(t, testscript.Params{
		Files:               pages(t),
		WorkdirRoot:         t.TempDir(),
		RequireUniqueNames:  true,
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("PINPROOF_UPDATE") != "", // then read what differs
		Setup: func(env *testscript.Env) error {
			captures, err := filepath.Glob("testdata/*.jsonl")
			for _, path := range captures {
				data, readErr := os.ReadFile(path)
				writeErr := os.WriteFile(filepath.Join(env.WorkDir, filepath.Base(path)), data, 0o644)
				err = errors.Join(err, readErr, writeErr)
			}
			env.Values["kept"] = keptFiles{}
			env.Setenv("PATH", folder+string(os.PathListSeparator)+env.Getenv("PATH"))
			return err
		},
		Condition: func(condition string) (bool, error) {
			switch condition {
			case "root":
				return os.Geteuid() == 0, nil
			case "race": // ten times slower: too slow for the hostile files
				return underRace(), nil
			case "long": // for pages that take seconds
				return jsontest.IsLongRun(), nil
			case "terminal": // there is the script of util-linux, which makes a pseudo-terminal
				_, err := exec.LookPath("script")
				return runtime.GOOS == "linux" && err == nil, nil
			case "full": // a device that is always full
				_, err := os.Stat("/dev/full")
				return err == nil, nil
			}
			return false, fmt.Errorf("unknown condition %q", condition)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": cmdExits, "terminal": cmdTerminal, "paste": cmdPaste,
			"keep": cmdKeep, "kept": cmdKept, "text": cmdText, "raw": cmdRaw, "big": cmdBig,
		},
	})
}

// promptPatience is how long a program may run on a terminal before it is killed: far longer
// than any takes on a busy machine.
const promptPatience = time.Minute

func cmdExits(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: exits N COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	before := unfinished(ts)
	start := time.Now()
	got := outcomeOf(ts, args[1:])
	code, stdout, stderr := got.Code, got.Stdout, got.Stderr
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
	colored := ts.Getenv("CLICOLOR_FORCE") != ""
	if slices.Contains(args, "completion") {
		stdout = strings.ReplaceAll(stdout, "\t", " ") // in cobra's scripts
	}
	if slices.Contains(args, "github") {
		stdout = ourCommands.ReplaceAllString(stdout, "$2") // --format github asks for these commands
	}
	wellBehaved(ts, stdout, colored)
	wellBehaved(ts, stderr, colored)
	if args[1] == "pinproof" {
		if !slices.Contains(args, "--hook") {
			errorsFit(ts, code, stderr)
		}
		approvesNothing(ts, args[2:], stdout+stderr)
		reportsFit(ts, code, start, args[2:], stdout)
	}
	if after := unfinished(ts); !slices.Equal(before, after) {
		ts.Fatalf("left behind: %q, before: %q", after, before)
	}
}

// workerVariable makes the test binary a worker: it runs command lines of pinproof, one after the other, in its own
// folder and environment. That takes a third of what a process for each of them takes.
const workerVariable = "PINPROOF_TEST_WORKER"

type (
	worker struct {
		process      *exec.Cmd
		input        io.Closer
		*gob.Encoder // of command lines
		*gob.Decoder // of outcomes
	}
	commandLine struct {
		Folder            string
		Environment, Args []string
	}
	outcome struct {
		Code           int
		Stdout, Stderr string
	}
)

// work runs command lines of standard input until it ends.
func work() {
	lines, outcomes := gob.NewDecoder(os.Stdin), gob.NewEncoder(os.Stdout)
	for line := (commandLine{}); lines.Decode(&line) == nil; line = (commandLine{}) {
		os.Clearenv()
		for _, variable := range line.Environment {
			name, value, _ := strings.Cut(variable, "=")
			os.Setenv(name, value)
		}
		if err := os.Chdir(line.Folder); err != nil {
			panic(err)
		}
		debug.SetGCPercent(jsontest.GCPercent) // a large file changes it
		var stdout, stderr strings.Builder
		code := run(line.Args, strings.NewReader(""), &stdout, &stderr)
		if err := outcomes.Encode(outcome{code, stdout.String(), stderr.String()}); err != nil {
			panic(err)
		}
	}
}

// idleWorkers have no command line to run.
var idleWorkers = make(chan worker, 100)

// byWorker has a worker run a command line of pinproof. It returns an error if that crashes.
func byWorker(line commandLine) (got outcome, err error) {
	var w worker
	select {
	case w = <-idleWorkers:
	default:
		if w, err = startWorker(); err != nil {
			return got, err
		}
	}
	if err := errors.Join(w.Encode(line), w.Decode(&got)); err != nil {
		return got, err
	}
	idleWorkers <- w
	return got, nil
}

func startWorker() (w worker, err error) {
	self, err := os.Executable()
	if err != nil {
		return w, err
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), workerVariable+"=1")
	cmd.Stderr = os.Stderr
	in, inErr := cmd.StdinPipe()
	out, outErr := cmd.StdoutPipe()
	if err := errors.Join(inErr, outErr, cmd.Start()); err != nil {
		return w, err
	}
	return worker{cmd, in, gob.NewEncoder(in), gob.NewDecoder(out)}, nil
}

// outcomeOf runs a command. If it is pinproof, a worker does, unless the command reads standard input or a device.
// In .ci/run each command is a process, as users start it.
func outcomeOf(ts *testscript.TestScript, args []string) outcome {
	needsProcess := func(arg string) bool { return arg == "-" || strings.Contains(arg, "/dev/") }
	if args[0] != "pinproof" || jsontest.IsLongRun() || slices.ContainsFunc(args, needsProcess) {
		code := processExit(ts, ts.Exec(args[0], args[1:]...))
		return outcome{code, ts.ReadFile("stdout"), ts.ReadFile("stderr")}
	}
	got, err := byWorker(commandLine{ts.MkAbs("."), environment(ts), args[1:]})
	ts.Check(err)
	io.WriteString(ts.Stdout(), got.Stdout)
	io.WriteString(ts.Stderr(), got.Stderr)
	return got
}

func processExit(ts *testscript.TestScript, err error) int {
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		ts.Fatalf("%v", err)
	}
	if exit != nil {
		return exit.ExitCode()
	}
	return 0
}

// unfinished lists what an interrupted write leaves behind.
func unfinished(ts *testscript.TestScript) []string {
	list, err := filepath.Glob(filepath.Join(ts.MkAbs("."), "*"+atomicfile.TempSuffix))
	ts.Check(err)
	return list
}

var (
	colorSequence = regexp.MustCompile("\x1b\\[[0-9;]*m")
	ourCommands   = regexp.MustCompile(`(?m)^::(error|warning|notice) ((file=[^:,]*,line=[0-9]+,)?title=[^:,]*::.*)$`)
	ourLines      = regexp.MustCompile(`^(error|hint): [^ ]`)
)

// wellBehaved fails if an output breaks a rule for every output, on every page:
// it has no unseen or active character raw, no command for a CI system, and no stack trace.
func wellBehaved(ts *testscript.TestScript, out string, colored bool) {
	if colored {
		out = colorSequence.ReplaceAllString(out, "")
	}
	if at := strings.IndexFunc(out, active); at >= 0 || !utf8.ValidString(out) {
		ts.Fatalf("printed raw: %+q", out[max(0, at-20):min(len(out), max(0, at)+20)])
	}
	for line := range strings.Lines(out) {
		if strings.HasPrefix(strings.TrimLeft(line, " "), "::") || strings.Contains(line, "##[") {
			ts.Fatalf("a command for the CI system: %s", line)
		}
	}
	if strings.Contains(out, "goroutine ") {
		ts.Fatalf("it crashed")
	}
}

// errorsFit compares standard error, for people, with the exit code. It has at most one error, of one line
// with hints under it. Exit code 2 comes with an error, and 0 with nothing on standard error.
func errorsFit(ts *testscript.TestScript, code int, stderr string) {
	wrong := 0
	for line := range strings.Lines(stderr) {
		if !ourLines.MatchString(line) {
			ts.Fatalf("on standard error: %s", line)
		}
		if strings.HasPrefix(line, "error: ") {
			wrong++
		}
	}
	if code == 2 && wrong != 1 || wrong > 1 || code == 0 && stderr != "" {
		ts.Fatalf("exit code %d with %d errors", code, wrong)
	}
}

// approvesNothing fails if a flag that accepts something is printed where there is no terminal: a model may
// read that output. The help, the HTML page, and errors about a flag that was given may have one.
func approvesNothing(ts *testscript.TestScript, args []string, printed string) {
	for _, arg := range args {
		if strings.HasPrefix(arg, "--help") || arg == "-h" || arg == "help" || arg == "completion" || strings.HasPrefix(arg, "__complete") || strings.HasSuffix(arg, "html") {
			return
		}
	}
	given := slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "--accept") })
	for line := range strings.Lines(printed) {
		isHint := strings.HasPrefix(line, "hint: ")
		accepts := strings.Contains(line, "--accept") && (isHint || !given)
		if accepts || strings.Contains(line, "pinproof lock") && strings.Contains(line, "--expect") {
			ts.Fatalf("a command that approves, where no terminal is: %s", line)
		}
	}
}

// reportsFit checks the exit code that a JSON or SARIF report gives, printed or in a file
// written since start, against the process's own.
func reportsFit(ts *testscript.TestScript, code int, start time.Time, args []string, stdout string) {
	reports := []string{stdout}
	for _, arg := range args {
		for _, prefix := range []string{"json=", "sarif=", "--report=json=", "--report=sarif="} {
			path, ok := strings.CutPrefix(arg, prefix)
			info, err := os.Stat(ts.MkAbs(path))
			if ok && err == nil && info.Mode().IsRegular() && info.ModTime().After(start.Add(-time.Second)) {
				reports = append(reports, ts.ReadFile(path))
			}
		}
	}
	for _, text := range reports {
		var got struct {
			ExitCode *int
			Verdict  string
			Error    *struct{ Message string }
			Runs     []struct {
				Invocations []struct {
					ExitCode            int
					ExecutionSuccessful bool
				}
			}
		}
		if json.Unmarshal([]byte(text), &got) != nil {
			continue // another format, or an input that was left alone
		}
		if got.ExitCode != nil && (*got.ExitCode != code || (got.Verdict == "error") != (code == 2) || (got.Error != nil) != (code == 2) || got.Verdict == "match" && code != 0) {
			ts.Fatalf("exit code %d beside %.200s", code, text)
		}
		for _, run := range got.Runs {
			if i := run.Invocations[0]; i.ExitCode != code || i.ExecutionSuccessful != (code != 2) {
				ts.Fatalf("exit code %d, and SARIF says %d, successful %v", code, i.ExitCode, i.ExecutionSuccessful)
			}
		}
	}
}

// active reports whether a character is unseen, looks like a space but isn't one, or acts
// on a terminal. It uses the standard library's tables, as a second opinion on the
// program's own.
func active(r rune) bool {
	switch {
	case r == '\n' || r >= ' ' && r <= '~':
		return false
	case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp, unicode.Variation_Selector,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point):
		return true
	case unicode.Is(unicode.Zs, r):
		return r != ' '
	}
	return r == '\u2800' || !unicode.IsGraphic(r)
}

// cmdTerminal types each answer when its prompt has come, so that the transcript
// reads as a person saw it.
func cmdTerminal(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 3 {
		ts.Fatalf("usage: terminal N FILE COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	words := make([]string, len(args[2:]))
	for i, word := range args[2:] {
		words[i] = shell.Quote(word)
	}
	cmd := exec.Command("script", "-qefc", "stty -echo; exec "+strings.Join(words, " "), os.DevNull)
	cmd.Dir, cmd.Env = ts.MkAbs("."), environment(ts)
	in, err := cmd.StdinPipe()
	ts.Check(err)
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	guard := time.AfterFunc(promptPatience, func() { cmd.Process.Kill() })
	defer guard.Stop()
	var shown bytes.Buffer
	var answers []string
	if args[1] != "-" {
		answers = slices.Collect(strings.Lines(ts.ReadFile(args[1])))
	}
	for buf := make([]byte, 4096); ; {
		n, err := out.Read(buf)
		shown.Write(buf[:n])
		if bytes.HasSuffix(shown.Bytes(), []byte("[?]: ")) {
			for len(answers) > 0 && answers[0][0] == '!' {
				ts.Check(inShell(ts, answers[0][1:]))
				answers = answers[1:]
			}
			// The terminal doesn't echo: the transcript gets what the person types from here.
			answer := "^D"
			if len(answers) > 0 {
				answer, answers = strings.TrimSuffix(answers[0], "\n"), answers[1:]
			}
			shown.WriteString(answer + "\n")
			switch answer {
			case "^C":
				io.WriteString(in, "\x03")
			case "^D":
				io.WriteString(in, "\x04")
			default:
				io.WriteString(in, strings.ReplaceAll(answer, `\n`, "\n")+"\n") // a pasted text can have several lines
			}
		}
		if err != nil {
			break
		}
	}
	in.Close()
	code := processExit(ts, cmd.Wait())
	// The terminal turns LF into CR LF. The program printed everything else.
	transcript := strings.ReplaceAll(shown.String(), "\r\n", "\n")
	io.WriteString(ts.Stdout(), transcript)
	if code != want {
		ts.Fatalf("exit code %d, want %d\n%s", code, want, transcript)
	}
	if len(answers) > 0 {
		ts.Fatalf("not asked for: %q\n%s", answers, transcript)
	}
	wellBehaved(ts, transcript, ts.Getenv("NO_COLOR") == "")
}

func environment(ts *testscript.TestScript) (list []string) {
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "NO_COLOR", "CLICOLOR_FORCE", "TERM", "SOURCE_DATE_EPOCH"} {
		if value := ts.Getenv(name); value != "" {
			list = append(list, name+"="+value)
		}
	}
	return list
}

func inShell(ts *testscript.TestScript, command string) error {
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir, cmd.Env = ts.MkAbs("."), environment(ts)
	return cmd.Run()
}

// cmdPaste runs a printed command in a shell, unchanged.
func cmdPaste(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: paste N PATTERN")
	}
	pattern := regexp.MustCompile(args[1])
	command := ""
	for line := range strings.Lines(ts.ReadFile("stdout") + ts.ReadFile("stderr")) {
		if at := strings.Index(line, "pinproof "); strings.HasPrefix(line, "hint: ") && at > 0 && pattern.MatchString(line[at:]) {
			command = strings.TrimSuffix(line[at:], "\n")
		}
	}
	if command == "" {
		ts.Fatalf("no such command was printed")
	}
	shell := "sh"
	if bash, err := exec.LookPath("bash"); err == nil {
		shell = bash // bash knows $'…', which some older sh don't
	}
	cmdExits(ts, false, []string{args[0], shell, "-c", command})
}

type (
	keptFiles map[string]keptFile
	keptFile  struct {
		data []byte
		time time.Time
		mode fs.FileMode
	}
)

func readKept(ts *testscript.TestScript, path string) keptFile {
	info, err := os.Stat(ts.MkAbs(path))
	ts.Check(err)
	return keptFile{[]byte(ts.ReadFile(path)), info.ModTime(), info.Mode()}
}

func cmdKeep(ts *testscript.TestScript, _ bool, args []string) {
	for _, path := range args {
		// With an old time, even a rewrite within the resolution of the clock shows.
		old := time.Unix(1_000_000_000, 0)
		ts.Check(os.Chtimes(ts.MkAbs(path), old, old))
		ts.Value("kept").(keptFiles)[path] = readKept(ts, path)
	}
}

func cmdKept(ts *testscript.TestScript, _ bool, args []string) {
	for _, path := range args {
		was, ok := ts.Value("kept").(keptFiles)[path]
		if !ok {
			ts.Fatalf("%s was not kept", path)
		}
		is := readKept(ts, path)
		if !bytes.Equal(is.data, was.data) || !is.time.Equal(was.time) || is.mode != was.mode {
			ts.Fatalf("%s was written", path)
		}
	}
}

func goString(ts *testscript.TestScript, s string) string {
	s, err := strconv.Unquote(`"` + strings.ReplaceAll(s, `"`, `\"`) + `"`)
	ts.Check(err)
	return s
}

func cmdText(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: text FILE STRING")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(goString(ts, args[1])), 0o644))
}

func cmdRaw(ts *testscript.TestScript, _ bool, args []string) {
	for _, arg := range args {
		name, s, _ := strings.Cut(arg, "=")
		ts.Setenv(name, goString(ts, s))
	}
}

// bigFiles are written on the fly. Each has a head, a piece that is repeated so many
// times, and a tail.
var bigFiles = map[string]struct {
	head, piece string
	times       int
	tail        string
}{
	"arrays":       {"", "[", 2_000_000, ""},
	"arrays-in":    {`{"tools":[{"name":"a","x":`, "[", 2_000_000, ""},
	"objects":      {"", `{"a":`, 1_000_000, ""},
	"closed":       {`{"tools":[{"name":"a","x":` + strings.Repeat("[", 9_000), "1", 1, strings.Repeat("]", 9_000) + "}]}"},
	"noise":        {"", "[\n", 1_000_000, ""},
	"deep-127":     {`{"tools":[{"name":"a","x":` + strings.Repeat("[", 127), "1", 1, strings.Repeat("]", 127) + "}]}"},
	"deep-128":     {`{"tools":[{"name":"a","x":` + strings.Repeat("[", 128), "1", 1, strings.Repeat("]", 128) + "}]}"},
	"string":       {`{"tools":[{"name":"a","description":"`, "x", 30 << 20, `"}]}`},
	"string-4m":    {`{"tools":[{"name":"a","description":"`, "word ", 800_000, `"}]}`},
	"name":         {`{"tools":[{"name":"`, "x", 4_000_000, `"}]}`},
	"values":       {`{"tools":[{"name":"a","x":[1`, ",1", 8_000_001, `]}]}`},
	"values-200k":  {`{"tools":[{"name":"a","x":[1`, ",1", 199_900, `]}]}`},
	"values-201k":  {`{"tools":[{"name":"a","x":[1`, ",1", 200_100, `]}]}`},
	"ids":          {"", `{"jsonrpc":"2.0","id":1}` + "\n", 100_001, ""},
	"mebibytes-65": {`{"tools":[]}`, strings.Repeat(" ", 1<<20), 65, ""},
}

func cmdBig(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: big KIND FILE")
	}
	var b bytes.Buffer
	numbered := func(head, format string, n int, tail string) {
		b.WriteString(head)
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, format, i)
		}
		b.WriteString(tail)
	}
	f, ok := bigFiles[args[0]]
	switch {
	case ok:
		b.WriteString(f.head)
		for range f.times {
			b.WriteString(f.piece)
		}
		b.WriteString(f.tail)
	case args[0] == "members": // of one definition
		numbered(`{"tools":[{"name":"a",`, `"k%d":1`, 100_000, "}]}")
	case args[0] == "members-of-message":
		numbered(`{"tools":[],`, `"k%d":1`, 100_000, "}")
	case args[0] == "tools":
		numbered(`{"tools":[`, `{"name":"t%d"}`, 50_001, "]}")
	case args[0] == "tools-1100": // with a description
		numbered(`{"tools":[`, `{"name":"t%04d","description":"One thing.","inputSchema":{"properties":{}}}`, 1_100, "]}")
	case args[0] == "tools-1100-changed":
		numbered(`{"tools":[`, `{"name":"t%04[1]d","description":"One thing.","inputSchema":{"properties":{"p%[1]d":{"type":"string"}}}}`, 1_100, "]}")
	case args[0] == "parameters-25":
		numbered(`{"tools":[{"name":"a","inputSchema":{"type":"object","properties":{`, `"p%02[1]d":{"type":"string","maxLength":%[1]d}`, 25, "}}}]}")
	case args[0] == "duplicates": // a repeated name at the end of a large object
		numbered(`{"tools":[{"name":"a",`, `"k%d":1`, 100_000, `,"k0":1}]}`)
	default:
		ts.Fatalf("no such kind: %s", args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), b.Bytes(), 0o644))
}

// inFolder runs pinproof in a folder. It returns the exit code and both outputs in one string.
func inFolder(t *testing.T, dir string, args ...string) (int, string) {
	t.Helper()
	got, err := byWorker(commandLine{dir, os.Environ(), args})
	if err != nil {
		t.Fatal(err)
	}
	return got.Code, got.Stdout + got.Stderr
}

// TestWritersAtOnce starts sixteen writers of one lockfile: each waits for its
// turn, and no pin is lost.
func TestWritersAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const writers = 16
	var all sync.WaitGroup
	for i := range writers {
		file := fmt.Sprintf("m%d.json", i)
		list := fmt.Sprintf(`{"tools":[{"name":"tool_%d"},{"name":"both"}]}`, i)
		if err := os.WriteFile(filepath.Join(dir, file), []byte(list), 0o644); err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			if code, out := inFolder(t, dir, "lock", file, "--server", fmt.Sprintf("s%d", i)); code != 0 {
				t.Errorf("writer %d: exit code %d\n%s", i, code, out)
			}
		})
	}
	all.Wait()
	for i := range writers {
		server := fmt.Sprintf("s%d", i)
		code, out := inFolder(t, dir, "verify", fmt.Sprintf("m%d.json", i), "--server", server)
		if code != 0 || out != "OK: 0 drift (2 tools match tools.lock)\n" {
			t.Errorf("%s: exit code %d\n%s", server, code, out)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*"+atomicfile.TempSuffix)); left != nil {
		t.Errorf("left behind: %q", left)
	}
}

// secondOpinion returns what ci/compare.mjs finds in a folder of captures. For the
// made-up captures, drift.jsonl has the same, for machines without node.
func secondOpinion(t *testing.T, folder string) []byte {
	t.Helper()
	var kept []byte
	if folder == pintest.MadeUpServers {
		kept = vector(t, pintest.MadeUpServers+"/drift.jsonl")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		return kept
	}
	out, err := exec.Command(node, "ci/compare.mjs", folder).Output()
	if err != nil {
		t.Fatalf("the second opinion failed: %v", err)
	}
	if kept != nil && !bytes.Equal(out, kept) {
		t.Errorf("drift.jsonl is not what the second opinion says now:\n%s", out)
	}
	return out
}

// TestRealServers locks each captured version of a server and verifies the next one.
// The verdicts and the drifted names must be those that an independent script finds,
// comparing value by value. .ci/run tests all pairs. Other runs test every sixth pair and all that
// we made up, with -short only the latter.
func TestRealServers(t *testing.T) {
	t.Parallel()
	var pairs [][]byte
	for _, folder := range pintest.CaptureFolders() {
		if folder != pintest.MadeUpServers && testing.Short() {
			continue
		}
		for i, line := range bytes.Split(bytes.TrimSpace(secondOpinion(t, folder)), []byte("\n")) {
			if folder == pintest.MadeUpServers || i%6 == 0 || jsontest.IsLongRun() {
				pairs = append(pairs, line)
			}
		}
	}
	drifted := 0
	for _, line := range pairs {
		if len(line) == 0 {
			continue // there is no node to ask
		}
		var want struct {
			Old, New string
			Drift    []string
		}
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatal(err)
		}
		lock := filepath.Join(t.TempDir(), "tools.lock")
		if code, out := runHere("lock", want.Old, lock, "--server", "s", "--accept-warnings"); code != 0 {
			t.Fatalf("lock %s: exit %d\n%s", want.Old, code, out)
		}
		if code, out := runHere("verify", want.Old, lock, "--server", "s"); code != 0 || !strings.HasPrefix(out, "OK: 0 drift (") {
			t.Errorf("verify of what was locked, %s: exit %d\n%s", want.Old, code, out)
		}
		code, out := runHere("verify", want.New, lock)
		var got []string
		for line := range strings.Lines(out) {
			if rest, ok := strings.CutPrefix(line, "BLOCK ["); ok {
				kind, name, _ := strings.Cut(strings.TrimSpace(rest), "] ")
				list, identity, _ := strings.Cut(name, "=")
				if plain, err := strconv.Unquote(identity); err == nil { // a URI is quoted
					name = list + "=" + plain
				}
				got = append(got, kind+" "+name)
			}
		}
		slices.Sort(got)
		wantCode := 0
		if len(want.Drift) > 0 {
			wantCode = 1
			drifted++
		}
		if code != wantCode || !slices.Equal(got, want.Drift) {
			t.Errorf("%s -> %s: exit %d, drift %q; the second opinion: %q", want.Old, want.New, code, got, want.Drift)
		}
		if diffCode, _ := runHere("diff", want.New, lock); diffCode != code {
			t.Errorf("%s -> %s: verify says %d, diff %d", want.Old, want.New, code, diffCode)
		}
		if code, out := runHere("relock", want.New, lock, "--server", "s", "--accept-all", "--accept-warnings"); code != 0 {
			t.Errorf("relock %s: exit %d\n%s", want.New, code, out)
		}
		if code, out := runHere("verify", want.New, lock); code != 0 {
			t.Errorf("verify after relock, %s: exit %d\n%s", want.New, code, out)
		}
	}
	t.Logf("%d pairs of captures, %d with drift", len(pairs), drifted)
}

// runHere runs the program in this process. It returns the exit code and both outputs in one string.
func runHere(args ...string) (int, string) {
	var out bytes.Buffer
	code := run(args, strings.NewReader(""), &out, &out)
	return code, out.String()
}

var updatePicture = flag.Bool("update-picture", false, "write docs/review.svg anew")

// TestPicture: the picture in the README shows what the program prints for the example, with its colours.
func TestPicture(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for to, from := range map[string]string{"filesystem.jsonl": "upgraded.jsonl", "tools.lock": "tools.lock"} {
		if err := os.WriteFile(filepath.Join(folder, to), vector(t, filepath.Join("testdata", from)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	review := exec.Command(filepath.Join(programFolder(t), "pinproof"), "diff", "filesystem.jsonl")
	review.Dir = folder
	review.Env = append(os.Environ(), "CLICOLOR_FORCE=1", "NO_COLOR=")
	shown, err := review.Output()
	if review.ProcessState == nil || review.ProcessState.ExitCode() != 1 {
		t.Fatalf("%v, want exit code 1", err)
	}
	upToDigest, _, _ := strings.Cut(string(shown), "hint: set digest") // the last line, which holds a whole digest
	want := picture(t, "$ pinproof diff filesystem.jsonl\n"+upToDigest)
	const path = "docs/review.svg"
	if *updatePicture {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(vector(t, path), want) {
		t.Errorf("%s is not what the program prints; go test . -run TestPicture -update-picture", path)
	}
}

// picture draws what a terminal shows as SVG. It brings its own background, so that it reads the same on light and dark
// pages.
func picture(t *testing.T, shown string) []byte {
	t.Helper()
	const size, lineHeight, columnWidth, margin = 13, 18, 8, 16
	classes := map[string]string{"1": "bold", "31": "red", "32": "green", "33": "yellow"}
	escape := regexp.MustCompile("\x1b\\[([0-9;]*)m")

	lines := strings.Split(strings.TrimSuffix(shown, "\n"), "\n")
	var drawn bytes.Buffer
	columns := 0
	for i, line := range lines {
		columns = max(columns, utf8.RuneCountInString(escape.ReplaceAllString(line, "")))
		fmt.Fprintf(&drawn, `<text x="%d" y="%d">`, margin, margin+size+i*lineHeight)
		// Each colour is set and reset within its line. Either of the codes 0 and 22 resets it.
		open, last := 0, 0
		for _, at := range escape.FindAllStringSubmatchIndex(line, -1) {
			drawn.WriteString(html.EscapeString(line[last:at[0]]))
			last = at[1]
			for code := range strings.SplitSeq(line[at[2]:at[3]], ";") {
				if class, known := classes[code]; known {
					fmt.Fprintf(&drawn, `<tspan class="%s">`, class)
					open++
				} else if code == "0" || code == "22" {
					drawn.WriteString(strings.Repeat("</tspan>", open))
					open = 0
				} else {
					t.Fatalf("no colour for %q", line)
				}
			}
		}
		if open > 0 {
			t.Fatalf("a colour goes on behind %q", line)
		}
		drawn.WriteString(html.EscapeString(line[last:]) + "</text>\n")
	}
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-size="%d" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace">
<title>What pinproof diff prints of an upgrade that hides an instruction in a description</title>
<style>text { fill: #d1d7e0; white-space: pre } .bold { font-weight: bold } .red { fill: #ff8e86 } .green { fill: #6fce7e } .yellow { fill: #e0b341 }</style>
<rect width="100%%" height="100%%" rx="8" fill="#151b23"/>
%s</svg>
`, columns*columnWidth+2*margin, len(lines)*lineHeight+2*margin, size, drawn.Bytes())
}
