//go:build unix

package guard

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// hungUp reports whether the reader at the other end of w is gone.
func hungUp(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	ends := []unix.PollFd{{Fd: int32(f.Fd())}}
	n, err := unix.Poll(ends, 0)
	return err == nil && n > 0 && ends[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
}
