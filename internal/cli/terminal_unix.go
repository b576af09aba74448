//go:build unix

package cli

import (
	"io"
	"os"
	"syscall"

	"golang.org/x/term"
)

// drain returns a function that discards input typed ahead at a terminal, even an unfinished line. For anything
// but a terminal it returns nil, because all piped input is meant as answers.
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
