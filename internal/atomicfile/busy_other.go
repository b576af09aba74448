//go:build !windows

package atomicfile

// isBusy returns false: a file that others read can be replaced.
func isBusy(error) bool { return false }

// replaceable returns nil, for the same reason.
func replaceable(string) error { return nil }
