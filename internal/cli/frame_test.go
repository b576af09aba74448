package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"pinproof/internal/jsontest"
	"pinproof/internal/lint"
	"pinproof/internal/lockfile"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
)

// A typist types a random answer whenever somebody waits for input.
type typist struct{ random jsontest.Maker }

func (t *typist) Read(b []byte) (int, error) {
	return copy(b, t.random.Pick("y", "y", "n", "e", "x", "yes", "yes", "b", "w")+"\n"), nil
}

// frameTools makes a list of tools. Some texts call tools of other servers, some parameters have such a name.
func frameTools(random jsontest.Maker) string {
	var tools []string
	for _, name := range []string{"help", "run", "send_mail", "list_all"} {
		if random.IntN(3) == 0 {
			continue
		}
		said := random.Pick("Waits.", "Lists.", "Call send_mail afterwards.", "Use list_all first.", "Waits"+`\u200b\u200b`+".")
		parameter := random.Pick("x", "x", "send_mail")
		tools = append(tools, fmt.Sprintf(`{"name":%q,"description":"%s","inputSchema":{"type":"object","properties":{%q:{"type":"string"}}}}`, name, said, parameter))
		if random.IntN(8) == 0 {
			tools = append(tools, fmt.Sprintf(`{"name":"%s_2","description":"%s","inputSchema":{"type":"object","properties":{%q:{"type":"string"}}}}`, name, said, parameter))
		}
	}
	return "[" + strings.Join(append(tools, `{"name":"same","inputSchema":{"type":"object","properties":{}}}`), ",") + "]"
}

// namesOthers lists the new warnings about names of other servers' tools in what is pinned, as a review of the lockfile
// reads it.
func namesOthers(l lockfile.Lockfile) map[lint.Finding]bool {
	var sides []pin.Comparison
	for i := range l.Servers {
		sides = append(sides, pin.Comparison{Server: l.Servers[i].Server, State: pin.ServerPaired, Locked: l.Servers[i], Captured: l.Servers[i]})
	}
	found := map[lint.Finding]bool{}
	for _, f := range lint.Findings(sides, nil, l.Servers, true) {
		own := l.Find(f.Server).Find(f.Key)
		isExcused := strings.Contains(string(own.Definition), strconv.Quote(f.NamedTool())+":{") // by a parameter, as long as no tool of that name is listed
		if f.NamedTool() != "" && !f.Approved && !isExcused {
			f.Detail = "" // which may name other servers
			found[f] = true
		}
	}
	return found
}

// atPrompt runs lock or relock with a person who answers.
func atPrompt(a *app, verb string, args []string, answers io.Reader) error {
	f := &approver{request: request{app: a}}
	f.PinsNewServers = verb == "lock"
	f.NeedsPins = !f.PinsNewServers
	f.AcceptsForbiddenPins = !f.PinsNewServers
	cmd := &cobra.Command{Use: verb}
	f.registerReview(cmd)
	f.registerOnly(cmd)
	f.register(cmd)
	if err := cmd.ParseFlags(args); err != nil {
		return err
	}
	if err := f.readArguments(cmd, cmd.Flags().Args()); err != nil {
		return err
	}
	if err := f.load(); err != nil {
		return err
	}
	if f.PinsNewServers {
		f.Workspace = f.SelectLocked(false)
	}
	if len(f.Comparisons) == 0 {
		return nil
	}
	f.tty = answers
	return f.approve()
}

// TestRunFrame: whatever a run of lock or relock accepts, by flags or at the prompt, of random captures: afterwards
// nothing that is pinned names another server's tool without a record, unless it did before. No denied entry has lost
// its mark without its name, and no other name has its definition without the mark.
func TestRunFrame(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("captures", 0o755); err != nil {
		t.Fatal(err)
	}
	random := jsontest.NewMaker(41)
	gate := testGate
	gate.Judge = func(sides []pin.Comparison, drifts []pin.Drift, _ pin.Faults, _ pin.Leniency) pin.Verdict {
		v := pin.Verdict{Matches: len(drifts) == 0, DifferingServers: map[string]bool{}}
		for i := range drifts {
			v.DifferingServers[drifts[i].Server] = true
		}
		return v
	}
	gate.Compare = func(sides []pin.Comparison) ([]pin.Drift, error) {
		isKept := func(d pin.Drift) bool {
			return d.Kind == pin.DriftRemoved && pin.FindComparison(sides, d.Server).IsPartial
		}
		return slices.DeleteFunc(pintest.CompareByDigest(sides), isKept), nil
	}
	written := 0
	asked := 0
	rounds := jsontest.RoundCount(600, 6000)
	for range rounds {
		before := lockfile.Lockfile{}
		for i, server := range []string{"mail", "notes", "own"} {
			set := pintest.PinsOf(t, frameTools(random), pin.Policy{HashOnly: random.IntN(6) == 0})
			set.Server = server
			for j := range set.Pins {
				set.Pins[j].Denied = random.IntN(5) == 0
			}
			if i == 0 || random.IntN(3) > 0 {
				before.Put(set)
			}
			write(t, filepath.Join("captures", server+".json"), `{"tools":`+frameTools(random)+`}`)
		}
		old := pintest.MustMarshal(t, before)
		before = pintest.MustParse(t, old)
		write(t, "tools.lock", old)
		verb, args, named := frameCommand(random)
		var out bytes.Buffer
		a := &app{gate: gate, stdin: strings.NewReader(""), stdout: &out, stderr: &out}
		isAsked := random.IntN(2) == 0
		if isAsked {
			asked++
			named = nil
			args = slices.DeleteFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "--accept") || arg == "--yes" })
			a.run([]string{"--version"}) // which makes its buffer
			atPrompt(a, verb, args, &typist{random})
		} else {
			a.run(slices.Concat([]string{verb}, args))
		}
		data, err := os.ReadFile("tools.lock")
		if err != nil {
			t.Fatal(err)
		}
		if string(data) == old {
			continue
		}
		written++
		after := pintest.MustParse(t, string(data))
		wrong := brokenMark(&before, &after, named, isAsked)
		known := namesOthers(before)
		for warning := range namesOthers(after) {
			if !known[warning] {
				wrong = fmt.Sprint("a new warning without a record: ", warning.Ref, " ", warning.NamedTool())
			}
		}
		if wrong != "" {
			t.Fatalf("%s\n%s %q, asked: %t\n%s\nbefore\n%s\nafter\n%s", wrong, verb, args, isAsked, out.String(), old, data)
		}
	}
	if written < rounds/6 || asked < rounds/6 {
		t.Errorf("only %d runs wrote something, and %d asked", written, asked)
	}
}

// frameCommand returns a random command, and the names that it accepts.
func frameCommand(random jsontest.Maker) (verb string, args, named []string) {
	verb = random.Pick("relock", "relock", "lock")
	if random.IntN(2) == 0 {
		args = append(args, "captures")
	} else {
		args = append(args, "captures/"+random.Pick("mail", "notes", "own")+".json")
		if verb == "relock" && random.IntN(2) == 0 {
			args = append(args, "--part")
		}
	}
	if verb == "lock" {
		args = append(args, "--yes")
	}
	name := func() string { return random.Pick("help", "run", "send_mail", "list_all", "run_2", "help_2", "same") }
	if random.IntN(4) == 0 {
		args = append(args, "--deny="+name())
	}
	if random.IntN(4) == 0 {
		args = append(args, "--accept-warning="+name())
	}
	if verb == "lock" {
		return verb, args, nil
	}
	switch random.IntN(3) {
	case 0:
		args = append(args, "--accept-all")
		if random.IntN(3) == 0 {
			args = append(args, "--only="+random.Pick("added", "changed", "removed", "no-hints", "warnings", "text", "minor"))
		}
		if random.IntN(4) == 0 {
			args = append(args, "--accept-warnings")
		}
	case 1:
		args = append(args, "--accept="+random.Pick("added", "changed", "removed", "text", "h*"))
	default:
		for range 1 + random.IntN(2) {
			named = append(named, name())
			args = append(args, "--accept="+named[len(named)-1])
		}
	}
	return verb, args, named
}

// brokenMark returns what became of a denied entry without its name, or "".
func brokenMark(before, after *lockfile.Lockfile, named []string, isAsked bool) string {
	content := func(p *pin.Pin) string { return strings.Replace(string(p.Definition), `"name":"`+p.Name+`"`, "", 1) }
	for i := range before.Servers {
		s := &before.Servers[i]
		next := after.Find(s.Server)
		for j := range s.Pins {
			p := &s.Pins[j]
			if !p.Denied {
				continue
			}
			if now := next.Find(p.Key); !isAsked && !slices.Contains(named, p.Name) && (now == nil || !now.Denied) {
				return p.Name + " of " + s.Server + " has lost its mark"
			}
			for k := range next.Pins {
				q := &next.Pins[k]
				was := s.Find(q.Key)
				isOld := was != nil && (was.Denied || was.Digest == q.Digest) || slices.ContainsFunc(s.Pins, func(former pin.Pin) bool {
					return !former.Denied && next.Find(former.Key) == nil && content(&former) == content(q) // an approved entry under another name
				})
				if strings.Contains(content(p), "description") && content(p) == content(q) && !q.Denied && !isOld {
					return q.Name + " of " + s.Server + " has the definition of " + p.Name + ", without its mark"
				}
			}
		}
	}
	return ""
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
