package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"pinproof/internal/jsontest"
)

// TestScript runs the pages of testdata/script. On the path are both programs and server TWIST, a stand-in. "exits N
// COMMAND..." runs a command, whose exit code must be N.
func TestScript(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it starts programs and waits for them")
	unixOnly(t)
	programs, err := pinproofHere()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	self := string(install(t, bin))
	if err := os.Symlink(filepath.Join(programs, "pinproof"), filepath.Join(bin, "pinproof")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(bin, "server"), "#!/bin/sh\nexec "+self+` stand-in 2025-11-25 "$*"`+"\n")
	os.Chmod(filepath.Join(bin, "server"), 0o755)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("PINPROOF_UPDATE") != "", // then read what differs
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", bin+string(os.PathListSeparator)+env.Getenv("PATH"))
			for _, name := range []string{"HOME", "XDG_CACHE_HOME"} {
				env.Setenv(name, env.WorkDir+"/cache")
			}
			env.Setenv("BIN", bin)
			env.Setenv("CAPTURE_AS_MAIN", "1")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": func(ts *testscript.TestScript, _ bool, args []string) {
				code := 0
				if exit, ok := ts.Exec(args[1], args[2:]...).(*exec.ExitError); ok {
					code = exit.ExitCode()
				}
				if strconv.Itoa(code) != args[0] {
					ts.Fatalf("exit code %d, want %s", code, args[0])
				}
			},
		},
	})
}
