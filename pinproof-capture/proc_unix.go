//go:build unix

package main

import (
	"io"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
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

func (g group) alive() bool { return syscall.Kill(-int(g), 0) == nil }
func (g group) terminate()  { syscall.Kill(-int(g), syscall.SIGTERM) }
func (g group) kill()       { syscall.Kill(-int(g), syscall.SIGKILL) }

// signal passes a signal on that we got.
func (g group) signal(s os.Signal) { syscall.Kill(-int(g), s.(syscall.Signal)) }

// exitCode is a process's exit code, as a shell has it: 128 and the signal that ended it.
func exitCode(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}

// hungUp reports whether nobody reads any more what is written to w.
func hungUp(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	ends := []unix.PollFd{{Fd: int32(f.Fd())}}
	n, err := unix.Poll(ends, 0)
	return err == nil && n > 0 && ends[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
}

// locked runs do while no other guard writes to the file, where the file can be locked.
func locked(f *os.File, do func()) {
	if unix.Flock(int(f.Fd()), unix.LOCK_EX) == nil {
		defer unix.Flock(int(f.Fd()), unix.LOCK_UN)
	}
	do()
}

// become replaces this program by argv. It returns only if that fails.
func become(path string, argv []string) (int, error) {
	return 2, syscall.Exec(path, argv, os.Environ())
}

var endSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
