// The runtime neither reads a container's CPU limit nor watches it for changes, because a run is short.
//
//go:debug containermaxprocs=0
//go:debug updatemaxprocs=0

// Pinproof is a lockfile for MCP tool definitions. It reads a saved tools/list result and pins every tool in a
// committed file. Later, its exit code says whether the tools that an agent is about to use are those that a
// person approved.
//
// CONTRIBUTING.md has the map of the files.
//
// Exit codes:
//
//	0  every entry was read and matches its pin, or what was asked for is
//	   written and no drift is left
//	1  drift, or an approval refused because of what the capture contains
//	2  no verdict: bad usage, unreadable or ambiguous input, a missing lockfile
//	   or one that contradicts itself, a failed write
//
// An interrupt at the prompt ends pinproof by SIGINT, which a shell reports as 130.
package main

import (
	"cmp"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"

	"pinproof/internal/about"
	"pinproof/internal/cli"
	"pinproof/internal/pin"
)

// memoryLimit is the memory use, in bytes, above which garbage collections become frequent again.
const memoryLimit = 768 << 20

func main() {
	// If the reader of our output closes the pipe, we need a write error. By default, SIGPIPE would end the process
	// silently between two steps.
	signal.Ignore(syscall.SIGPIPE)
	// Most runs end before a garbage collection pays off. Package workspace lowers the percentage for large files.
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(memoryLimit)
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// gate bundles the functions of canon.go and verify.go for the packages that read files and print reports.
func gate() pin.Gate {
	return pin.Gate{HashDefinition: formOf, SetDigest: setDigest, ApprovalHash: approvalHash, Compare: compareAll, Judge: judge, ExitCode: codeOf}
}

// run runs the program with the given arguments and streams, and returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	verdict, err := cli.Run(gate(), build(), args, stdin, stdout, stderr)
	return codeOf(verdict, err)
}

// release and home are the version of the program and the address of the project's page. The linker sets them in a
// published binary (release/release.sh).
var release, home string

// build returns the versions of the program and of Go, and the project's address. The program's version is the
// release's or else the module's.
func build() about.Build {
	v := release
	if info, ok := debug.ReadBuildInfo(); v == "" && ok && info.Main.Version != "(devel)" {
		v = info.Main.Version
	}
	return about.Build{Version: cmp.Or(v, "devel"), GoVersion: runtime.Version(), ProjectURL: home}
}
