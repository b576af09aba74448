//go:build ignore

// archive packs a folder: go run archive.go OUT FOLDER. The ending of OUT determines the format: .tar, .tar.gz, .tgz,
// .zip or .whl.
//
// The bytes depend only on the names and contents of the files, and on whether they are executable. They are the same
// on every machine, because the compressor is that of the Go toolchain that go.mod names, not the system's.
package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"path"
	"strings"
	"time"
)

// A file is one entry of an archive. Entries are in lexical order.
type file struct {
	name string
	mode fs.FileMode // 0755 or 0644, regardless of the umask
	data []byte
}

// epoch is the earliest time that a zip archive can store.
var epoch = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: archive OUT FOLDER")
	}
	out := os.Args[1]
	files, err := read(os.DirFS(os.Args[2]))
	if err != nil {
		log.Fatal(err)
	}
	f, err := os.Create(out)
	if err != nil {
		log.Fatal(err)
	}
	switch {
	case strings.HasSuffix(out, ".tar"):
		err = writeTar(f, files)
	case strings.HasSuffix(out, ".tar.gz"), strings.HasSuffix(out, ".tgz"):
		z := gzip.NewWriter(f)
		if err = writeTar(z, files); err == nil {
			err = z.Close()
		}
	case strings.HasSuffix(out, ".zip"):
		err = writeZip(f, files)
	case strings.HasSuffix(out, ".whl"):
		err = writeZip(f, append(files, record(files)))
	default:
		err = fmt.Errorf("%s: no archive has this ending", out)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		log.Fatal(err)
	}
}

func read(folder fs.FS) (files []file, err error) {
	err = fs.WalkDir(folder, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := fs.ReadFile(folder, name)
		mode := fs.FileMode(0o644)
		if info.Mode()&0o100 != 0 {
			mode = 0o755
		}
		files = append(files, file{name, mode, data})
		return err
	})
	return files, err
}

// record returns the list of a wheel's files with their digests (PyPA, "Binary distribution format").
func record(files []file) file {
	var lines strings.Builder
	var folder string
	for _, f := range files {
		digest := sha256.Sum256(f.data)
		fmt.Fprintf(&lines, "%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(digest[:]), len(f.data))
		if path.Base(f.name) == "WHEEL" {
			folder = path.Dir(f.name)
		}
	}
	name := folder + "/RECORD"
	return file{name, 0o644, []byte(lines.String() + name + ",,\n")}
}

func writeTar(w io.Writer, files []file) error {
	t := tar.NewWriter(w)
	for _, f := range files {
		header := &tar.Header{Name: f.name, Mode: int64(f.mode), Size: int64(len(f.data)), ModTime: epoch, Format: tar.FormatUSTAR}
		if err := t.WriteHeader(header); err != nil {
			return err
		}
		if _, err := t.Write(f.data); err != nil {
			return err
		}
	}
	return t.Close()
}

func writeZip(w io.Writer, files []file) error {
	z := zip.NewWriter(w)
	for _, f := range files {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: epoch}
		header.SetMode(f.mode)
		entry, err := z.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := entry.Write(f.data); err != nil {
			return err
		}
	}
	return z.Close()
}
