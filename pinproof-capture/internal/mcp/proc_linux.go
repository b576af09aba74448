package mcp

import "syscall"

// endWithUs has the system kill the server if this program is killed, because the program can't end the server then.
func endWithUs(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
