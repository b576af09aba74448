package shell

import (
	"os/exec"
	"strings"
	"testing"
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
	tests := []struct{ arg, want string }{
		{"live.json", "live.json"},
		{"a/b_c@1%+:,.-2", "a/b_c@1%+:,.-2"},
		{"", "''"},
		{"two words", "'two words'"},
		{"it's", `'it'\''s'`},
		{"$(id)", "'$(id)'"},
		{"`id`", "'`id`'"},
		{`a\b`, `'a\b'`},
		{"!x", "'!x'"}, {"#x", "'#x'"}, {"a*", "'a*'"}, {"a?", "'a?'"}, {"[a]", "'[a]'"}, {"{a,b}", "'{a,b}'"},
		{"a;b", "'a;b'"}, {"a&b", "'a&b'"}, {"a|b", "'a|b'"}, {"a>b", "'a>b'"}, {"(a)", "'(a)'"}, {"^a", "'^a'"},
		{"~", "'~'"}, {"~root/x", "'~root/x'"}, {"=ls", "'=ls'"},
		{"größe", "'größe'"},
		{"a\nb", `$'a\012b'`},
		{"a\tb'c\\", `$'a\011b\047c\134'`},
		{"\x1b[2J", `$'\033[2J'`},
		{"a\u200b", `$'a\342\200\213'`},
		{"a\u00a0b", `$'a\302\240b'`},
		{"\xff", `$'\377'`},
		{"\u202ex1", `$'\342\200\256x1'`}, // a digit after an escape isn't a part of it
		{"e\u0301", `$'e\314\201'`},
		{"a##[error]b", `$'a\043\043[error]b'`}, // a command in CI logs
	}
	for _, tt := range tests {
		if got := quotePOSIX(tt.arg); got != tt.want {
			t.Errorf("shellQuote(%+q) = %s, want %s", tt.arg, got, tt.want)
		}
	}
	for path, want := range map[string]string{"-": "-", "-x.json": "./-x.json", "x": "x", "--help": "./--help"} {
		if got := Path(path); got != want {
			t.Errorf("shellPath(%q) = %s, want %s", path, got, want)
		}
	}
}

// TestQuoteWindows: an argument becomes one word that cmd and PowerShell both read, by the rules of their
// documentation and those of programs (CommandLineToArgv). If there is no such word, it is Unquotable.
func TestQuoteWindows(t *testing.T) {
	for arg, want := range map[string]string{
		`C:\Users\me\AppData\Local\x.jsonl`: `C:\Users\me\AppData\Local\x.jsonl`,
		`C:\Users\A Name\AppData\x.jsonl`:   `"C:\Users\A Name\AppData\x.jsonl"`,
		`C:\A Name\`:                        `"C:\A Name\\"`,
		"tools.lock":                        "tools.lock",
		"--server":                          "--server",
		"-":                                 `-`, "-a.b": `"-a.b"`,
		"":                `""`,
		"a&b":             `"a&b"`,
		"a;b":             `"a;b"`,
		"a,b":             `"a,b"`,
		"@org/x":          `"@org/x"`,
		"(a)":             `"(a)"`,
		"a^b":             `"a^b"`,
		"a|b>c":           `"a|b>c"`,
		"it's":            `"it's"`,
		"#x":              `"#x"`,
		"~":               `"~"`,
		"gr\u00f6\u00dfe": "\"gr\u00f6\u00dfe\"",
		"%PATH%":          Unquotable,
		"100%":            Unquotable,
		"!x!":             Unquotable,
		"$(id)":           Unquotable,
		"a`b":             Unquotable,
		`a"b`:             Unquotable,
		"a\u201cb":        Unquotable, // PowerShell takes it for a quote
		"a\nb":            Unquotable,
		"a\u200bb":        Unquotable,
		"a##[error]":      Unquotable,
	} {
		if got := quoteWindows(arg); got != want {
			t.Errorf("%q: %s, want %s", arg, got, want)
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
		if got := (Command{Program: ProgramAt(path)}).Retire("a"); got != want {
			t.Errorf("at %q: %s", path, got)
		}
	}
}
