//go:build !windows

package atomicfile

// isBusy returns false: a file that others read can be replaced.
func isBusy(error) bool { return false }

// replaceable returns nil, because a file that others read can be replaced.
func replaceable(string) error { return nil }
