//go:build unix

package mcp

import (
	"os"
	"os/exec"
	"syscall"
)

// A group is a server's session, and so its process group: all it started that
// didn't move away on purpose.
type group int

// startGroup starts cmd in a session of its own: it can't ask anything on the
// terminal, and an interrupt there reaches us alone.
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

// end does nothing: the deadline of the server's output holds here.
func (g group) end() {}

// exitCode is a process's exit code, as a shell has it: 128 and the signal that ended it.
func exitCode(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}

// EndSignals are those that ask a program to end.
var EndSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
