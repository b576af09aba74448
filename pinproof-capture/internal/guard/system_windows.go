package guard

import (
	"io"
	"os"

	"golang.org/x/sys/windows"
)

// hungUp is false: it shows when something is written.
func hungUp(io.Writer) bool { return false }

// locked runs do while no other guard writes to the file, where the file can be locked.
func locked(f *os.File, do func()) {
	at := &windows.Overlapped{OffsetHigh: 1 << 30} // what is locked can't be read by others: nothing is there
	if windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, at) == nil {
		defer windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, at)
	}
	do()
}
