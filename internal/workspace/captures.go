package workspace

import (
	"bytes"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"unicode/utf8"

	"pinproof/internal/atomicfile"
	"pinproof/internal/capture"
	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/lockfile"
	"pinproof/internal/pin"
	"pinproof/internal/text"
)

// A source is one capture as it was read.
type source struct {
	path string // for messages and commands

	// The server ID that its file name gives; "" for standard input.
	server string

	scan *capture.ScannedCapture
	size int // in bytes

	made *pin.Set // the pins that were made last
}

// pins makes the pins of a capture under a policy. It caches the last result, because reading the lockfile and the
// comparison need the same pins.
func (w *Workspace) pins(s *source, server string, pol pin.Policy) (pin.Set, error) {
	if s.made != nil && s.made.Server == server && s.made.Policy.Equal(pol) {
		return *s.made, nil
	}
	m, err := s.scan.Capture(pol)
	if err != nil {
		return pin.Set{}, err
	}
	set, err := capture.PinCapture(m, server, pol, w.Substitutes, w.Gate.HashDefinition)
	if err == nil {
		s.made = &set
	}
	return set, err
}

// readSource reads one capture.
func (w *Workspace) readSource(path, server string) (source, error) {
	data, err := readFile(path, w.Stdin, capture.MaxBytes)
	if err != nil {
		f := fail.AsError(err)
		if f.IsMissing {
			f.Hint("to save what a server lists: pinproof-capture save FILE -- COMMAND (or its URL)")
		}
		return source{}, f
	}
	return source{path: path, server: server, scan: capture.Scan(path, data, w.Gate.HashDefinition), size: len(data)}, nil
}

// readSources reads a capture, or every capture of a folder: each *.json or *.jsonl belongs to one server. Names that
// begin with a dot are skipped, and so are the lockfile, LOCKFILE.new and CAPTURE.old. Anything else is an error,
// because a gate must not ignore a file.
func (w *Workspace) readSources(path string) ([]source, error) {
	if !IsFolder(path) {
		server := ""
		if path != "-" {
			server, _ = serverOf(filepath.Base(path))
		}
		s, err := w.readSource(path, server)
		return []source{s}, err
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, fail.PathError(path, err)
	}
	lockInfo, _ := os.Stat(w.LockPath)
	var list []source
	servers := map[string]string{}
	total := 0
	for _, e := range entries {
		file := filepath.Join(path, e.Name())
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		info, err := os.Stat(file)
		if err != nil {
			return nil, fail.PathError(file, err)
		}
		if os.SameFile(info, lockInfo) || strings.TrimSuffix(filepath.Clean(file), atomicfile.TempSuffix) == filepath.Clean(w.LockPath) {
			continue
		}
		name, isOld := strings.CutSuffix(e.Name(), OldSuffix)
		server, ok := serverOf(name)
		if isOld && ok {
			// The server has failed since this capture was saved, and is treated as a server without a capture.
			continue
		}
		if isOld || !ok || !info.Mode().IsRegular() {
			return nil, fail.NewAt(file, "not a capture: a folder holds *.json and *.jsonl, one a server").
				Hint("keep captures in a folder of their own")
		}
		if servers[server] != "" {
			return nil, fail.NewAt(file, "the same server as %s", text.Printable(servers[server]))
		}
		servers[server] = file
		s, err := w.readSource(file, server)
		if err != nil {
			return nil, err
		}
		if total += s.size; total > lockfile.MaxBytes {
			return nil, fail.NewAt(path, "more than 256 MiB of captures")
		}
		if total > largeFile {
			debug.SetGCPercent(lowGCPercent)
		}
		list = append(list, s)
	}
	if len(list) == 0 {
		return nil, fail.NewAt(path, "no *.json or *.jsonl in this folder").Hint("%s", capture.CaptureHint)
	}
	slices.SortFunc(list, func(a, b source) int { return jsontree.CompareUTF16(a.server, b.server) })
	return list, nil
}

// OldSuffix is the suffix of a capture that pinproof-capture renamed because its server has failed since.
const OldSuffix = ".old"

// serverOf returns a file's name without its ending, percent-decoded:
// "@org%2Fpkg.json" is the server "@org/pkg". ok is false if that can't be a capture.
func serverOf(file string) (server string, ok bool) {
	ext := strings.ToLower(filepath.Ext(file))
	stem := strings.TrimSuffix(file, filepath.Ext(file))
	if decoded, err := url.PathUnescape(stem); err == nil {
		stem = decoded
	}
	return stem, (ext == ".json" || ext == ".jsonl") && stem != "" && utf8.ValidString(stem)
}

// CaptureFileName returns the name of a server's capture: its server ID, with %XX for characters that can't be in a
// file's name on every system. serverOf reads the server ID back from it. CaptureFileName returns "" for an ID that
// can't name a file: one that is empty, longer than 100 bytes, not printable ASCII, or reserved by the system.
func CaptureFileName(id string) string {
	name := special().ReplaceAllStringFunc(id, func(c string) string { return fmt.Sprintf("%%%02X", c) }) + ".jsonl"
	if !possible().MatchString(id) || len(id) > 100 || !filepath.IsLocal(name) {
		return ""
	}
	return name
}

// FileNameRule is the reason why CaptureFileName returned "".
const FileNameRule = "only a server ID of 1 to 100 printable ASCII characters can name a file"

var (
	possible = text.LazyRegexp(`^[ -~]+$`)
	special  = text.LazyRegexp(`^[.-]|[^A-Za-z0-9_@.-]`)
)

// IsCapture reports whether a path leads to a regular file that can be read as a capture.
func IsCapture(path string) bool {
	noForm := func(pin.EntryType, []byte) pin.HashedDefinition { return pin.HashedDefinition{} } // nobody needs the digests
	return capture.Scan(path, readRegular(path, capture.MaxBytes), noForm).Err() == nil
}

// readRegular returns the content of a regular file, or nil if the path leads to anything else or can't be read.
func readRegular(path string, limit int) []byte {
	if fileSize(path) < 0 {
		return nil
	}
	data, _ := readFile(path, nil, limit)
	return data
}

// readFile reads a file or, for "-", standard input. It never truncates: more than limit bytes are an error.
func readFile(path string, stdin io.Reader, limit int) ([]byte, error) {
	in := stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, fail.PathError(path, err)
		}
		defer f.Close()
		in = f
	}
	var data bytes.Buffer
	data.Grow(min(int(max(fileSize(path), 0)), limit) + bytes.MinRead)
	_, err := data.ReadFrom(io.LimitReader(in, int64(limit)+1))
	if data.Len() > limit {
		return nil, fail.NewAt(path, "more than %d MiB", limit>>20)
	}
	if err != nil {
		return nil, fail.PathError(path, err)
	}
	if data.Len() > largeFile {
		debug.SetGCPercent(lowGCPercent)
	}
	return data.Bytes(), nil
}

const (
	// The size of what is read, in bytes, above which memory matters more than time.
	largeFile = 2 << 20

	// The garbage collection percentage from there on. For less, main sets a higher one.
	lowGCPercent = 60
)

// fileSize returns the size of a regular file in bytes, or -1 for anything else.
func fileSize(path string) int64 {
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && path != "-" {
		return info.Size()
	}
	return -1
}

// IsFolder reports whether a path, which may be - for standard input, leads to a folder.
func IsFolder(path string) bool {
	info, err := os.Stat(path)
	return path != "-" && err == nil && info.IsDir()
}

// SameFile reports whether two paths lead to one file, even one that is still to be written.
func SameFile(a, b string) bool {
	if a == "-" || b == "-" {
		return false
	}
	x, _ := os.Stat(a)
	y, _ := os.Stat(b)
	if x == nil && y == nil && filepath.Base(a) == filepath.Base(b) {
		x, _ = os.Stat(filepath.Dir(a))
		y, _ = os.Stat(filepath.Dir(b))
	}
	return os.SameFile(x, y)
}
