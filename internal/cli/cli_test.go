package cli

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pinproof/internal/fail"
	"pinproof/internal/jsontest"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
)

// testGate passes everything: what is tested here comes before or after a decision.
var testGate = pin.Gate{
	HashDefinition: pintest.HashDefinition,
	SetDigest:      pintest.SetDigest,
	Compare:        func(sides []pin.Comparison) ([]pin.Drift, error) { return pintest.CompareByDigest(sides), nil },
	Judge: func([]pin.Comparison, []pin.Drift, pin.Faults, pin.Leniency) pin.Verdict {
		return pin.Verdict{Matches: true}
	},
}

// TestStaleWriter: somebody left a LOCKFILE.new that never goes away. After a while the
// message names the file to delete, and nothing is written.
func TestStaleWriter(t *testing.T) {
	t.Chdir(t.TempDir())
	const lockPath, stale = "my tools.lock", "my tools.lock.new"
	for path, text := range map[string]string{"weather.json": `{"tools":[{"name":"forecast"}]}`, lockPath: jsontest.LockfileText, stale: "half"} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var stdout, stderr bytes.Buffer
	a := &app{gate: testGate, stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr, lockPatience: 50 * time.Millisecond}
	if _, err := a.run([]string{"lock", "weather.json", lockPath, "--server", "weather"}); err == nil || errors.Is(err, fail.ErrDrift) {
		t.Errorf("ended with %v", err)
	}
	const want = "error: my tools.lock.new is there: another pinproof is writing, or one was killed\n" +
		"hint: look first: is another pinproof still running?\n" +
		"hint: only if none is, delete it: rm 'my tools.lock.new'\n"
	if stderr.String() != want || stdout.Len() > 0 {
		t.Errorf("stdout %q, stderr %q", stdout.String(), stderr.String())
	}
	for path, want := range map[string]string{lockPath: jsontest.LockfileText, stale: "half"} {
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s was written: %q, %v", path, got, err)
		}
	}
}

// TestCarriedFlags: a command that we suggest repeats the flags of this run that it knows,
// except those about how this run answers or what it accepts. Every flag of every command
// is on one of two lists: carried over, or not.
func TestCarriedFlags(t *testing.T) {
	carried := append(strings.Fields("against allow-empty approved-by fail-on max-tokens part"), pin.PolicyFlags()...)
	root, has := newRoot(&app{}), map[string]bool{}
	root.PersistentFlags().VisitAll(func(f *pflag.Flag) { has[f.Name] = true })
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" || cmd.Name() == "help" {
			continue
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			has[f.Name] = true
			if slices.Contains(carried, f.Name) == slices.Contains(strings.Fields(notCarried), f.Name) {
				t.Errorf("%s --%s: carried or not?", cmd.Name(), f.Name)
			}
			value := map[bool]string{true: "true", false: "a b"}[f.Value.Type() == "bool"]
			if err := cmd.Flags().Set(f.Name, value); err != nil {
				t.Error(err)
			}
		})
	}
	for _, name := range slices.Concat(carried, strings.Fields(notCarried)) {
		if !has[name] {
			t.Errorf("no command has --%s", name)
		}
	}
	cmd, _, _ := root.Find([]string{"diff"})
	for verb, want := range map[string]string{
		"diff":   "--against 'a b' --fail-on 'a b' --max-tokens 'a b' --part --substitute 'a b'",
		"relock": "--part --substitute 'a b'",
		"lock":   "--substitute 'a b'",
	} {
		if got := strings.Join(carriedBy(cmd)[verb], " "); got != want {
			t.Errorf("from diff to %s: %q, want %q", verb, got, want)
		}
	}
}

// TestHeadings: every flag of every command is under one heading of the help. The first
// heading has at most nine flags of a command.
func TestHeadings(t *testing.T) {
	heading := map[string]string{}
	for _, h := range headings() {
		for name := range strings.FieldsSeq(h[1]) {
			if heading[name] != "" {
				t.Errorf("--%s stands under %s and %s", name, heading[name], h[0])
			}
			heading[name] = h[0]
		}
	}
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		cmd.InitDefaultHelpFlag()
		cmd.InitDefaultVersionFlag()
		used, common := cmd.UsageString(), 0
		count := func(f *pflag.Flag) {
			if heading[f.Name] == headings()[0][0] {
				common++
			}
			if heading[f.Name] == "" || strings.Count(used, "--"+f.Name+" ") == 0 && !strings.Contains(used, "--"+f.Name+"\n") {
				t.Errorf("%s --%s stands under no heading", cmd.Name(), f.Name)
			}
		}
		cmd.LocalFlags().VisitAll(count)
		cmd.InheritedFlags().VisitAll(count)
		if common > 9 {
			t.Errorf("%s: %d flags that everybody uses", cmd.Name(), common)
		}
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	root := newRoot(&app{helpAll: true})
	visit(root)
}
