//go:build unix && !linux

package mcp

import "syscall"

// endWithUs does nothing: this system sends no signal when a parent ends, but the server sees the end of its input.
func endWithUs(*syscall.SysProcAttr) {}
