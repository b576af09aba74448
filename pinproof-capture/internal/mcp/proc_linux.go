package mcp

import "syscall"

// endWithUs has the server killed if this program is, so that it can't end it.
func endWithUs(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
