package workspace

import (
	"os"
	"path/filepath"
	"testing"

	"pinproof/internal/jsontest"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
)

// TestReadLockfileThatComesAndGoes: a lockfile that another program puts there and takes away
// is there or isn't, and never an error.
func TestReadLockfileThatComesAndGoes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tools.lock")
	other := path + ".other"
	if err := os.WriteFile(path, []byte(jsontest.LockfileText), 0o600); err != nil {
		t.Fatal(err)
	}
	stop, stopped := make(chan bool), make(chan error)
	go func() {
		for {
			for _, move := range [][2]string{{path, other}, {other, path}} {
				if err := os.Rename(move[0], move[1]); err != nil {
					stopped <- err
					return
				}
			}
			select {
			case <-stop:
				stopped <- nil
				return
			default:
			}
		}
	}()
	there := 0
	for n := 0; n < 20_000 && (n < 2_000 || there == 0 || there == n); n++ {
		l, data, err := ReadLockfile(pin.Gate{Form: pintest.Form}, path)
		if err != nil || (data == nil) != (len(l.Servers) == 0) {
			t.Errorf("run %d: %d servers, %v", n, len(l.Servers), err)
			break
		}
		if data != nil {
			there++
		}
	}
	close(stop)
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

// TestReadLockfile: what is there instead of a lockfile.
func TestReadLockfile(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("folder", 0o700); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"tools.lock":    "",
		"no/tools.lock": "no/tools.lock: no such file or directory",
		"folder":        "folder: a folder, where the lockfile belongs",
	} {
		l, data, err := ReadLockfile(pin.Gate{Form: pintest.Form}, path)
		jsontest.WantError(t, err, want)
		if data != nil || len(l.Servers) > 0 {
			t.Errorf("%s: %d bytes, %v", path, len(data), l)
		}
	}
}
