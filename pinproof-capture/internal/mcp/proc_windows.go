package mcp

import (
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A group is a job object: what a process in it starts is in it too, and when its
// last handle is closed, even by a crash of ours, all of it ends.
type group windows.Handle

func startGroup(cmd *exec.Cmd) (group, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		windows.CloseHandle(job)
		return 0, err
	}
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(cmd.Process.Pid))
	if err == nil {
		err = windows.AssignProcessToJobObject(job, process)
		windows.CloseHandle(process)
	}
	if err != nil {
		cmd.Process.Kill()
		cmd.Wait()
		windows.CloseHandle(job)
		return 0, err
	}
	return group(job), nil
}

// send kills the job or does nothing: there is no request to end that every program understands,
// and an interrupt reaches the server, too. Windows tells when the server has left, and the rest of
// its job is ended at once.
func (g group) send(s syscall.Signal) error {
	if s == syscall.SIGKILL {
		windows.TerminateJobObject(windows.Handle(g), 2)
		windows.CloseHandle(windows.Handle(g))
	}
	return os.ErrProcessDone
}

func exitCode(state *os.ProcessState) int { return state.ExitCode() }

// EndSignals are those that ask a program to end.
var EndSignals = []os.Signal{os.Interrupt}
