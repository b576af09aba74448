//go:build unix && !linux

package mcp

import "syscall"

// endWithUs does nothing: where no signal tells it, a server sees the end of its input.
func endWithUs(*syscall.SysProcAttr) {}
