package shell

import (
	"os/exec"
	"strings"
	"testing"

	"pinproof/internal/jsontest"
)

func TestPasteable(t *testing.T) {
	for name, want := range map[string]bool{
		"read_file": true, "Read.File-2": true, "_x": true, "0": true, strings.Repeat("a", 128): true,
		"": false, strings.Repeat("a", 129): false, "-rf": false, ".hidden": false, "a b": false, "a/b": false, "a~": false, "a@b": false,
		"a\n": false, "größe": false, "re\u0430d": false, "$(x)": false, "a;b": false, "a'b": false, "a\x00": false, "*": false,
	} {
		if got := IsPasteable(name); got != want {
			t.Errorf("pasteable(%q) = %v", name, got)
		}
	}
}

func TestShellQuote(t *testing.T) {
	for _, row := range jsontest.ReadRows(t, "testdata/posix.txt", 2) {
		if got := quotePOSIX(row[0]); got != row[1] {
			t.Errorf("shellQuote(%+q) = %s, want %s", row[0], got, row[1])
		}
	}
	for path, want := range map[string]string{"-": "-", "-x.json": "./-x.json", "x": "x", "--help": "./--help"} {
		if got := QuotePath(path); got != want {
			t.Errorf("shellPath(%q) = %s, want %s", path, got, want)
		}
	}
}

// TestQuoteWindows: an argument becomes one word that cmd and PowerShell both read, by the rules of their
// documentation and those of programs (CommandLineToArgv). If there is no such word, it is argumentPlaceholder.
func TestQuoteWindows(t *testing.T) {
	for _, row := range jsontest.ReadRows(t, "testdata/windows.txt", 2) {
		if got := quoteWindows(row[0]); got != row[1] {
			t.Errorf("%q: %s, want %s", row[0], got, row[1])
		}
	}
}

// TestShellQuoteRoundTrip has real shells read the quoted arguments back.
func TestShellQuoteRoundTrip(t *testing.T) {
	t.Parallel()
	args := []string{
		"live.json", "", "two words", "it's", "$(id)", "`id`", `a\b`, "!x", "#x", "*", "a?", "[a]", "{a,b}", "a;b&c|d>e<f", "(a)",
		"~", "~root", "=ls", "a=b", "x=~", "x=~/y", "x=a:~", "a~b", "a:~/b", "größe", "名前", `"`, `''`, `\`, "-n", "-", "--", "%s%n", "a\\nb",
		"a\nb", "\n", "\t", "\x1b[2J", "a\u200b", "\u00a0", "\xff\xfe", "\u202ex1", "a\x01\x7f", "e\u0301", "\r", "a'\n'b", "\\\n", "$'a'", "\ufffd", "x\u0085y", "\n0017",
	}
	for _, shell := range []string{"sh", "dash", "bash", "zsh", "ksh"} {
		path, err := exec.LookPath(shell)
		if err != nil {
			continue
		}
		dollar, err := exec.Command(path, "-c", `printf %s $'\101'`).Output()
		knows := err == nil && string(dollar) == "A" // POSIX has $'…' since 2024 only
		for _, arg := range args {
			quoted := Quote(arg)
			if strings.HasPrefix(quoted, "$'") && !knows {
				continue
			}
			got, err := exec.Command(path, "-c", "printf %s "+quoted).Output()
			if err != nil || string(got) != arg {
				t.Errorf("%s reads %s as %q, %v; want %q", shell, quoted, got, err, arg)
			}
		}
		t.Logf("%s read the arguments back; it knows $'…': %v", shell, knows)
	}
}

func TestProgramAt(t *testing.T) {
	for path, want := range map[string]string{
		"/work/node_modules/@pinproof/linux-x64/pinproof": "npx --no -- pinproof relock --drop-server a",
		"/usr/local/bin/pinproof":                         "pinproof relock --drop-server a",
		"/home/node_modules.old/pinproof":                 "pinproof relock --drop-server a",
		"":                                                "pinproof relock --drop-server a",
	} {
		if got := (Command{Program: ProgramCommand(path)}).DropServerCommand("a"); got != want {
			t.Errorf("at %q: %s", path, got)
		}
	}
}
