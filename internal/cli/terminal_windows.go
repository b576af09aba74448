package cli

import (
	"io"
	"os"
	"syscall"
)

// drain returns a function that drops what was typed at a console and not read yet. For anything
// else it returns nil: all that a pipe has was meant as an answer.
func drain(in io.Reader) func() {
	f, ok := in.(*os.File)
	if !ok || !isTerminal(in) {
		return nil
	}
	flush := syscall.NewLazyDLL("kernel32.dll").NewProc("FlushConsoleInputBuffer")
	return func() { flush.Call(f.Fd()) }
}
