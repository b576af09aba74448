//go:build unix

package mcp

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"syscall"
)

// A group is the process group of a server: the server and all that it started, except processes that left the group.
type group struct {
	id int

	// The input of the watchdog.
	watchdog io.WriteCloser
}

// watch reads the ID of a group, then waits for a line. If its input ends first, pinproof-capture was killed. Then
// watch kills the group, because a server that npx starts through a shell would survive.
const watch = `read -r group && ! read -r _ && kill -s KILL -- "-$group"`

// gate waits for a line before it becomes the server, so that the server starts nothing before the watchdog knows its
// group.
const gate = `read -r _ <&3 && exec 3<&- && exec "$@"`

// startGroup starts cmd in a session of its own, so that the server can't prompt on the terminal and Ctrl+C there
// interrupts only this program.
func startGroup(cmd *exec.Cmd, permit func() error) (g group, err error) {
	if cmd.Err == nil {
		_, cmd.Err = exec.LookPath(ResolveIn(cmd.Dir, cmd.Path))
	}
	if cmd.Err != nil {
		return g, cmd.Err
	}
	waits, opens, err := os.Pipe()
	if err != nil {
		return g, err
	}
	defer waits.Close()
	defer opens.Close()
	// The watchdog has a session of its own, too, so that a signal to our group doesn't kill it.
	watchdog := exec.Command("/bin/sh", "-c", watch)
	watchdog.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	watchdog.Dir = "/"
	if g.watchdog, err = watchdog.StdinPipe(); err == nil {
		err = watchdog.Start()
	}
	if err != nil {
		return g, err
	}
	go watchdog.Wait()
	cmd.Args = slices.Concat([]string{"sh", "-c", gate, "sh", cmd.Path}, cmd.Args[1:])
	cmd.Path = "/bin/sh"
	cmd.ExtraFiles = []*os.File{waits}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err = cmd.Start(); err == nil {
		g.id = cmd.Process.Pid
		_, err = fmt.Fprintln(g.watchdog, g.id)
	}
	if err == nil && permit != nil {
		err = permit()
	}
	if err == nil {
		_, err = fmt.Fprintln(opens)
	}
	if err != nil {
		g.watchdog.Close()
	}
	return g, err
}

// send sends a signal to the whole group. An error means that no process of the group is left.
func (g group) send(s syscall.Signal) error { return syscall.Kill(-g.id, s) }

// kill kills the whole group, and ends the watchdog.
func (g group) kill() {
	g.send(syscall.SIGKILL)
	io.WriteString(g.watchdog, "\n")
	g.watchdog.Close()
}

// EndSignals are the signals that ask a program to end.
var EndSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
