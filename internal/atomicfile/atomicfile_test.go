package atomicfile

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// oldFile makes a file "a" in a folder of its own.
func oldFile(t *testing.T) (dir, path string) {
	t.Helper()
	dir = t.TempDir()
	path = filepath.Join(dir, "a")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir, path
}

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// leftBehind lists what the folder has besides the files named.
func leftBehind(t *testing.T, dir string, names ...string) (more []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.Contains(strings.Join(names, " ")+" ", e.Name()+" ") {
			more = append(more, e.Name())
		}
	}
	return more
}

func TestWriteKeepsModeAndLink(t *testing.T) {
	dir, target := oldFile(t)
	link := filepath.Join(dir, "b")
	if err := os.Symlink("a", link); err != nil {
		t.Skip("no links here")
	}
	if err := Write(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(target)
	if err != nil || info.Mode().Perm() != 0o600 || content(t, target) != "new" {
		t.Errorf("%v, %v, %q", err, info.Mode(), content(t, target))
	}
	if to, err := os.Readlink(link); err != nil || to != "a" {
		t.Errorf("the link is gone: %q, %v", to, err)
	}
	if more := leftBehind(t, dir, "a", "b"); more != nil {
		t.Errorf("left behind: %q", more)
	}
}

func TestWriteOfNoFile(t *testing.T) {
	dir := t.TempDir()
	if err := Write(dir, []byte("x")); err == nil || !strings.HasSuffix(err.Error(), "not a regular file") {
		t.Errorf("a folder: %v", err)
	}
	if err := Write(filepath.Join(dir, "none", "a"), []byte("x")); err == nil {
		t.Error("a folder that isn't there: no error")
	}
}

// TestReplaceWholeOrNotAtAll: if update or announce fails, the old bytes stay and
// nothing is left behind, also after a panic.
func TestReplaceWholeOrNotAtAll(t *testing.T) {
	dir, path := oldFile(t)
	failed := errors.New("failed")
	fine := func() error { return nil }
	for what, replace := range map[string]func() error{
		"update": func() error { return Replace(path, 0, func() ([]byte, error) { return []byte("new"), failed }, fine) },
		"announce": func() error {
			return Replace(path, 0, func() ([]byte, error) { return []byte("new"), nil }, func() error { return failed })
		},
		"panic": func() (err error) {
			defer func() { err = recover().(error) }()
			return Replace(path, 0, func() ([]byte, error) { panic(failed) }, fine)
		},
	} {
		if err := replace(); !errors.Is(err, failed) {
			t.Errorf("%s: %v", what, err)
		}
		if content(t, path) != "old" || leftBehind(t, dir, "a") != nil {
			t.Errorf("%s: %q, left behind %q", what, content(t, path), leftBehind(t, dir, "a"))
		}
	}
	announced := false
	err := Replace(path, 0, func() ([]byte, error) { return nil, nil }, func() error { announced = true; return nil })
	if err != nil || !announced || content(t, path) != "old" {
		t.Errorf("left alone: %v, announced %t, %q", err, announced, content(t, path))
	}
}

// addLine adds a line with a number to a file, which has whole lines.
func addLine(t *testing.T, path string, n int) error {
	return Replace(path, time.Minute, func() ([]byte, error) {
		data, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		if len(data) > 0 && data[len(data)-1] != '\n' {
			t.Errorf("half-written: %q", data)
		}
		return append(data, strconv.Itoa(n)+"\n"...), nil
	}, func() error { return nil })
}

// TestReplaceOneAtATime: many writers at once lose no line.
func TestReplaceOneAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if err := addLine(t, path, i); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := bytes.Count([]byte(content(t, path)), []byte("\n")); n != 20 {
		t.Errorf("%d lines", n)
	}
}

// TestLockDeleted: a writer whose lock somebody else deleted writes nothing, reports that, and leaves
// alone the lock that the next writer has made.
func TestLockDeleted(t *testing.T) {
	for _, taken := range []bool{false, true} {
		dir, path := oldFile(t)
		lock := path + TempSuffix
		steal := func() error {
			if err := os.Remove(lock); err != nil || !taken {
				return err
			}
			return os.WriteFile(lock, []byte("another's"), 0o644)
		}
		err := Replace(path, 0, func() ([]byte, error) { return nil, nil }, steal)
		if left := leftBehind(t, dir, "a"); err != nil || content(t, path) != "old" || len(left) != 0 != taken {
			t.Errorf("taken %t, nothing to write: %v, %q, beside it %q", taken, err, content(t, path), left)
		}
		os.Remove(lock)
		err = Replace(path, 0, func() ([]byte, error) { return []byte("new"), nil }, steal)
		if want := lock + ": somebody deleted it while it was in use; nothing was written"; err == nil || err.Error() != want {
			t.Errorf("taken %t: %v, want %s", taken, err, want)
		}
		left := leftBehind(t, dir, "a")
		if content(t, path) != "old" || taken && content(t, lock) != "another's" || len(left) != 0 != taken {
			t.Errorf("taken %t: %q, beside it %q", taken, content(t, path), left)
		}
	}
}

// TestLocksDeleted: somebody deletes every lock in sight while twelve writers add a line each.
// A writer that reports success has written all that was there and its line. The line can only be
// lost to a writer that had begun to rename, and that one reports no success.
func TestLocksDeleted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	const writers = 12
	var all, others sync.WaitGroup
	var results [writers]error
	done := make(chan struct{})
	others.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				os.Remove(path + TempSuffix)
			}
		}
	})
	for i := range writers {
		all.Go(func() {
			results[i] = addLine(t, path, i)
		})
	}
	all.Wait()
	close(done)
	others.Wait()
	lost, overwriting := 0, 0
	written, _ := os.ReadFile(path)
	for i, err := range results {
		switch {
		case err == nil && !bytes.Contains(append([]byte("\n"), written...), []byte("\n"+strconv.Itoa(i)+"\n")):
			lost++
		case err != nil && !strings.Contains(err.Error(), path+TempSuffix+": somebody deleted it"):
			t.Error(err)
		case err != nil && !strings.HasSuffix(err.Error(), "nothing was written"):
			overwriting++
		}
	}
	if lost > 0 && overwriting == 0 {
		t.Errorf("%d writers report success, and their lines aren't in %q", lost, written)
	}
}

// TestRetry: what fails because a file is in use is tried again, for as long as patience. Any other error is
// returned at once.
func TestRetry(t *testing.T) {
	busy := errors.New("in use")
	other := errors.New("another")
	isBusy := func(err error) bool { return err == busy }
	for _, c := range []struct {
		fails    int
		with     error
		patience time.Duration
		want     error
		most     int
	}{
		{0, busy, time.Minute, nil, 1},
		{3, busy, time.Minute, nil, 4},
		{1000, busy, 50 * time.Millisecond, busy, 5},
		{1, other, time.Minute, other, 1},
	} {
		tries := 0
		err := retry(c.patience, isBusy, func() error {
			tries++
			if tries <= c.fails {
				return c.with
			}
			return nil
		})
		if err != c.want || tries > c.most || tries < min(c.most, 2) {
			t.Errorf("%+v: %v after %d tries", c, err, tries)
		}
	}
}
