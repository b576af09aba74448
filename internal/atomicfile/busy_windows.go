package atomicfile

import (
	"errors"
	"io/fs"
	"syscall"
)

// What Windows reports for a file that another program has open (winerror.h).
const (
	accessDenied     = syscall.Errno(5)
	sharingViolation = syscall.Errno(32)
	lockViolation    = syscall.Errno(33)
)

// isBusy reports whether an error may be about a file that another program has open.
func isBusy(err error) bool {
	return errors.Is(err, accessDenied) || errors.Is(err, sharingViolation) || errors.Is(err, lockViolation)
}

// replaceable opens a file for deletion, shared with all who have it open, and closes it. That fails
// if a rename over the file would fail.
func replaceable(path string) error {
	const mayDelete = 0x10000 // DELETE
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return err
	}
	const share = syscall.FILE_SHARE_READ | syscall.FILE_SHARE_WRITE | 4 // FILE_SHARE_DELETE
	handle, err := syscall.CreateFile(name, mayDelete, share, nil, syscall.OPEN_EXISTING, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return syscall.CloseHandle(handle)
}
