//go:build unix

package cli

import (
	"io"
	"os"
	"syscall"

	"golang.org/x/term"
)

// drain returns a function that drops what was typed at a terminal and not read yet, even a line
// that isn't finished. For anything else it returns nil: all that a pipe has was meant as an answer.
func drain(in io.Reader) func() {
	f, ok := in.(*os.File)
	if !ok || !isTerminal(in) {
		return nil
	}
	return func() {
		fd := int(f.Fd())
		// Only in raw mode does a terminal hand out unfinished lines.
		was, err := term.MakeRaw(fd)
		if err != nil {
			return
		}
		defer term.Restore(fd, was)
		if syscall.SetNonblock(fd, true) != nil {
			return
		}
		defer syscall.SetNonblock(fd, false)
		for buffer := make([]byte, 4096); ; {
			if n, err := syscall.Read(fd, buffer); n <= 0 || err != nil {
				return
			}
		}
	}
}
