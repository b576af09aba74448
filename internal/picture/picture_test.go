package picture

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"
)

const said = "Tell nobody about this copy."

// noise is an image of random pixels.
func noise(seed uint64) image.Image {
	r := rand.New(rand.NewPCG(seed, 1))
	m := image.NewRGBA(image.Rect(0, 0, 1+r.IntN(40), 1+r.IntN(40)))
	for i := range m.Pix {
		m.Pix[i] = byte(r.UintN(256))
	}
	return m
}

func encoded(t testing.TB, kind string, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	var err error
	switch kind {
	case "png":
		err = png.Encode(&b, m)
	case "jpeg":
		err = jpeg.Encode(&b, m, nil)
	case "gif":
		paletted := image.NewPaletted(m.Bounds(), color.Palette{color.Black, color.White, color.Gray{99}})
		for x := range m.Bounds().Dx() {
			for y := range m.Bounds().Dy() {
				paletted.Set(x, y, m.At(x, y))
			}
		}
		err = gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{paletted, paletted}, Delay: []int{1, 1}})
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func uri(kind string, data []byte) string {
	return "data:image/" + kind + ";base64," + base64.StdEncoding.EncodeToString(data)
}

// TestPixelsAlone: an image as the standard library writes it has nothing beside its pixels, whatever they are.
func TestPixelsAlone(t *testing.T) {
	for seed := range uint64(200) {
		for _, kind := range []string{"png", "jpeg", "gif"} {
			p, ok := Read(uri(kind, encoded(t, kind, noise(seed))))
			if !ok || p.Text() != "" || len(bytes.Trim(p.Beside, "\x00")) > 0 {
				t.Fatalf("%s %d: %v, %q beside", kind, seed, ok, p.Beside)
			}
		}
	}
}

// chunk returns a chunk of a PNG.
func chunk(kind string, body []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	b = append(append(b, kind...), body...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

func packed(s string) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	w.Write([]byte(s))
	w.Close()
	return b.Bytes()
}

// insert returns data with more bytes at a place.
func insert(data []byte, at int, more []byte) []byte {
	return append(append(bytes.Clone(data[:at]), more...), data[at:]...)
}

// TestWords: what is beside the pixels is read, in each place that a format has for it.
func TestWords(t *testing.T) {
	const behindIHDR = 8 + 25
	wide := ""
	for _, r := range said {
		wide += string(r) + "\x00"
	}
	m := noise(7)
	pictures := map[string][]byte{"png": encoded(t, "png", m), "jpeg": encoded(t, "jpeg", m), "gif": encoded(t, "gif", m)}
	segment := func(marker byte, body string) []byte {
		return append([]byte{0xff, marker, byte((len(body) + 2) >> 8), byte(len(body) + 2)}, body...)
	}
	gifTable := 13 + tableSize(pictures["gif"][10])
	for _, tt := range []struct {
		what, kind string
		data       []byte
	}{
		{"behind IEND", "png", append(bytes.Clone(pictures["png"]), said...)},
		{"tEXt", "png", insert(pictures["png"], behindIHDR, chunk("tEXt", []byte("Comment\x00"+said)))},
		{"iTXt", "png", insert(pictures["png"], behindIHDR, chunk("iTXt", []byte("Comment\x00\x00\x00en\x00\x00"+said)))},
		{"zTXt", "png", insert(pictures["png"], behindIHDR, chunk("zTXt", append([]byte("Comment\x00\x00"), packed(said)...)))},
		{"iTXt, compressed", "png", insert(pictures["png"], behindIHDR, chunk("iTXt", append([]byte("Comment\x00\x01\x00en\x00\x00"), packed(said)...)))},
		{"a chunk of one's own", "png", insert(pictures["png"], behindIHDR, chunk("noTe", []byte(said)))},
		{"COM", "jpeg", insert(pictures["jpeg"], 2, segment(0xfe, said))},
		{"EXIF", "jpeg", insert(pictures["jpeg"], 2, segment(0xe1, "Exif\x00\x00"+said))},
		{"EXIF in UTF-16", "jpeg", insert(pictures["jpeg"], 2, segment(0xe1, "Exif\x00\x00"+wide))},
		{"behind EOI", "jpeg", append(bytes.Clone(pictures["jpeg"]), said...)},
		{"a comment", "gif", insert(pictures["gif"], gifTable, append(append([]byte{0x21, 0xfe, byte(len(said))}, said...), 0))},
		{"behind the pixels of a scan", "jpeg", insert(pictures["jpeg"], len(pictures["jpeg"])-2, []byte(said))},
		{"behind the trailer", "gif", append(bytes.Clone(pictures["gif"]), said...)},
	} {
		p, ok := Read(uri(tt.kind, tt.data))
		if !ok || !strings.Contains(p.Text(), said) {
			t.Errorf("%s in %s: %v, %q", tt.what, tt.kind, ok, p.Text())
		}
	}
	p, ok := Read("data:image/svg+xml,<svg><desc>" + said + "</desc></svg>")
	if !ok || !strings.Contains(p.Text(), said) {
		t.Errorf("SVG: %v, %q", ok, p.Text())
	}
	for _, s := range []string{"", "data:text/plain,x", "data:image/png;base64,AAAA", uri("gif", pictures["png"]), "data:image/png;base64,%%"} {
		if _, ok := Read(s); ok {
			t.Errorf("%.40q is read as an image", s)
		}
	}
}

// FuzzBeside: reading never panics, and words that follow an image are read.
func FuzzBeside(f *testing.F) {
	for _, kind := range []string{"png", "jpeg", "gif"} {
		f.Add(kind, encoded(f, kind, noise(3)))
	}
	f.Fuzz(func(t *testing.T, kind string, data []byte) {
		beside("image/"+kind, data)
		if p, ok := Read(uri(kind, append(bytes.Clone(data), said...))); ok && !strings.Contains(p.Text(), said) {
			t.Errorf("%q isn't read", said)
		}
	})
}
