package mcp

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A group is a job object, which contains every process that its processes start. When its last handle is closed,
// even by a crash of ours, all its processes end.
type group windows.Handle

// startGroup starts cmd in a job of its own. cmd is started suspended and resumed inside the job,
// so that it can't start anything outside of the job.
func startGroup(cmd *exec.Cmd, permit func() error) (group, error) {
	job, err := newJob()
	if err != nil {
		return 0, err
	}
	line, err := batchLine(cmd.Path, cmd.Args)
	if err == nil && line != "" {
		system, failed := windows.GetSystemDirectory()
		cmd.Path = filepath.Join(system, "cmd.exe")
		err = failed
	}
	if err == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_SUSPENDED, CmdLine: line}
		err = cmd.Start()
	}
	if err != nil {
		windows.CloseHandle(job)
		return 0, err
	}
	if permit != nil {
		err = permit()
	}
	if err == nil {
		err = joinJob(job, uint32(cmd.Process.Pid))
	}
	if err != nil {
		cmd.Process.Kill()
		cmd.Wait()
		windows.CloseHandle(job)
		return 0, err
	}
	return group(job), nil
}

// newJob creates a job whose processes end when its last handle is closed.
func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		windows.CloseHandle(job)
		return 0, err
	}
	return job, nil
}

// joinJob puts a suspended process into a job, and resumes it.
func joinJob(job windows.Handle, pid uint32) error {
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE|windows.PROCESS_SUSPEND_RESUME, false, pid)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(process)
	if err := windows.AssignProcessToJobObject(job, process); err != nil {
		return err
	}
	// The documented ResumeThread needs a handle of the thread, which os/exec doesn't keep.
	if status, _, _ := resume.Call(uintptr(process)); status != 0 {
		return windows.NTStatus(status)
	}
	return nil
}

var resume = windows.NewLazySystemDLL("ntdll.dll").NewProc("NtResumeProcess")

// send kills the job if s is SIGKILL and ignores other signals: Windows has no termination request that every program
// handles, and an interrupt reaches the server anyway. It always reports that no process is left, so that the job is
// killed as soon as the server itself has ended.
func (g group) send(s syscall.Signal) error {
	if s == syscall.SIGKILL {
		windows.TerminateJobObject(windows.Handle(g), 2)
		windows.CloseHandle(windows.Handle(g))
	}
	return os.ErrProcessDone
}

// release does nothing: send has closed the job's handle.
func (g group) release() {}

func exitCode(state *os.ProcessState) int { return state.ExitCode() }

// EndSignals are the signals that ask a program to end.
var EndSignals = []os.Signal{os.Interrupt}
