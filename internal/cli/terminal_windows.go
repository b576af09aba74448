package cli

import (
	"io"
	"os"
	"syscall"
)

// drain returns a function that discards input typed ahead at a console. For anything but a console it returns
// nil, because all piped input is meant as answers.
func drain(in io.Reader) func() {
	f, ok := in.(*os.File)
	if !ok || !isTerminal(in) {
		return nil
	}
	flush := syscall.NewLazyDLL("kernel32.dll").NewProc("FlushConsoleInputBuffer")
	return func() { flush.Call(f.Fd()) }
}
