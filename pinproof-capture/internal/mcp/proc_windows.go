package mcp

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A group is a job object, which contains every process that its processes start. When its last handle is closed, all
// these processes end, even if pinproof-capture has crashed.
type group windows.Handle

// startGroup starts cmd in a job of its own. cmd is started suspended and resumed inside the job,
// so that it can't start anything outside of the job.
func startGroup(cmd *exec.Cmd, permit func() error) (g group, err error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	defer func() {
		if err != nil {
			windows.CloseHandle(job)
		}
	}()
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
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
		return 0, err
	}
	if permit != nil {
		err = permit()
	}
	if err == nil {
		err = joinJob(job, cmd.Process)
	}
	if err != nil {
		cmd.Process.Kill()
		cmd.Wait()
	}
	return group(job), err
}

// joinJob puts a suspended process into a job, and resumes it.
func joinJob(job windows.Handle, p *os.Process) (err error) {
	failed := p.WithHandle(func(process uintptr) {
		if err = windows.AssignProcessToJobObject(job, windows.Handle(process)); err != nil {
			return
		}
		// The documented ResumeThread needs a handle of the thread, which os/exec doesn't keep.
		if status, _, _ := resume.Call(process); status != 0 {
			err = windows.NTStatus(status)
		}
	})
	return cmp.Or(failed, err)
}

var resume = windows.NewLazySystemDLL("ntdll.dll").NewProc("NtResumeProcess")

// send ignores the signal: Windows has no termination request that every program handles, and an interrupt reaches
// the server anyway. It always reports that no process is left, so that the job is killed as soon as the server itself
// has ended.
func (g group) send(syscall.Signal) error { return os.ErrProcessDone }

// kill kills all processes of the job.
func (g group) kill() {
	windows.TerminateJobObject(windows.Handle(g), 2)
	windows.CloseHandle(windows.Handle(g))
}

// EndSignals are the signals that ask a program to end.
var EndSignals = []os.Signal{os.Interrupt}
