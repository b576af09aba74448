//go:build unix

package mcp

import (
	"os"
	"os/exec"
	"syscall"
)

// A group is a server's session, and so its process group: the server and all that it started,
// except processes that left the group on purpose.
type group int

// startGroup starts cmd in a session of its own: the server can't ask anything on the terminal, and
// an interrupt there reaches only us.
func startGroup(cmd *exec.Cmd) (group, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	endWithUs(cmd.SysProcAttr)
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	return group(cmd.Process.Pid), nil
}

// send sends a signal to the whole group. An error means that no process of it is left.
func (g group) send(s syscall.Signal) error { return syscall.Kill(-int(g), s) }

// end does nothing: on Unix, the deadline for reading the server's output takes effect.
func (g group) end() {}

// exitCode returns a process's exit code as a shell does: 128 plus the signal's number if a signal ended it.
func exitCode(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}

// EndSignals are the signals that ask a program to end.
var EndSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
