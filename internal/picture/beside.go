package picture

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
)

// beside returns what an image has besides its pixels and what is needed to draw them, and the pixels as they are
// coded. Bytes that it can't parse count as the former.
func beside(kind string, data []byte) (found, pixels []byte) {
	switch kind {
	case "image/png":
		return besidePNG(data)
	case "image/jpeg":
		return besideJPEG(data)
	case "image/gif":
		return besideGIF(data)
	}
	return data, nil
}

// drawn are the chunks of a PNG that say how its pixels look (PNG Third Edition, 11).
var drawn = map[string]bool{
	"IHDR": true, "PLTE": true, "IDAT": true, "IEND": true, "tRNS": true, "gAMA": true, "cHRM": true, "sRGB": true,
	"sBIT": true, "bKGD": true, "pHYs": true, "hIST": true, "tIME": true,
}

func besidePNG(data []byte) (found, pixels []byte) {
	const signature, length, kind, check = 8, 4, 4, 4
	data = data[min(signature, len(data)):]
	for len(data) >= length+kind {
		size := int(binary.BigEndian.Uint32(data))
		name := string(data[length : length+kind])
		if size < 0 || size > len(data)-length-kind-check {
			break
		}
		body := data[length+kind : length+kind+size]
		data = data[length+kind+size+check:]
		if name == "IDAT" {
			pixels = append(pixels, body...)
		}
		if !drawn[name] {
			found = append(found, 0)
			found = append(found, unpacked(body)...)
		}
		if name == "IEND" {
			break
		}
	}
	return append(found, data...), pixels
}

// maxUnpacked is how many bytes of a compressed text are read. Such texts in real images have a few kilobytes.
const maxUnpacked = 1 << 20

// unpacked returns a chunk with its zlib stream, if it has one, unpacked (zTXt, iTXt and iCCP have a keyword, flags
// and a zlib stream).
func unpacked(chunk []byte) []byte {
	text := bytes.Clone(chunk)
	for at := range chunk {
		// The first byte of a zlib stream has its method, which is 8 (RFC 1950, 2.2).
		if chunk[at]&0x0f != 8 {
			continue
		}
		packed, err := zlib.NewReader(bytes.NewReader(chunk[at:]))
		if err != nil {
			continue
		}
		plain, err := io.ReadAll(io.LimitReader(packed, maxUnpacked))
		if len(plain) > 0 && err == nil {
			return append(append(text[:at:at], 0), plain...)
		}
	}
	return text
}

// Markers of a JPEG (ITU T.81, table B.1).
const (
	startOfScan = 0xda
	endOfImage  = 0xd9
	comment     = 0xfe
)

func besideJPEG(data []byte) (found, pixels []byte) {
	at := 2 // after the marker of its start
	for at+4 <= len(data) && data[at] == 0xff {
		marker := data[at+1]
		if marker == 0xff { // a fill byte
			at++
			continue
		}
		if marker == endOfImage {
			return append(append(found, 0), data[at+2:]...), pixels
		}
		size := int(binary.BigEndian.Uint16(data[at+2:]))
		end := at + 2 + size
		if size < 2 || end > len(data) {
			break
		}
		body := data[at+4 : end]
		isOther := marker >= 0xe0 && marker <= 0xef || marker == comment
		isJFIF := marker == 0xe0 && len(body) == 14 && bytes.HasPrefix(body, []byte("JFIF\x00"))
		if isOther && !isJFIF {
			found = append(append(found, 0), body...)
		}
		at = end
		if marker == startOfScan {
			at = endOfScan(data, at)
			pixels = append(append(pixels, 0), data[end:at]...)
		}
	}
	if at+2 <= len(data) && data[at] == 0xff && data[at+1] == endOfImage {
		at += 2
	}
	return append(append(found, 0), data[min(at, len(data)):]...), pixels
}

// endOfScan returns where coded pixels end and the next marker begins (ITU T.81, B.1.1.5). Within coded pixels,
// 0xff is followed only by 0 or by the code of a restart marker.
func endOfScan(data []byte, at int) int {
	for ; at+1 < len(data); at++ {
		next := data[at+1]
		if data[at] == 0xff && next != 0 && (next < 0xd0 || next > 0xd7) {
			return at
		}
	}
	return len(data)
}

// Blocks of a GIF (GIF89a, 20 to 27).
const (
	imageBlock     = 0x2c
	extensionBlock = 0x21
	trailer        = 0x3b
	graphicControl = 0xf9
)

func besideGIF(data []byte) (found, pixels []byte) {
	const header = 13
	if len(data) < header {
		return data, nil
	}
	at := header + tableSize(data[10])
	for at < len(data) {
		switch data[at] {
		case trailer:
			return append(append(found, 0), data[at+1:]...), pixels
		case imageBlock:
			if at+10 > len(data) {
				return append(append(found, 0), data[at:]...), pixels
			}
			start := at
			at += 11 + tableSize(data[at+9])
			body, size := subBlocks(data[min(at, len(data)):])
			if size == 0 {
				return append(append(found, 0), data[start:]...), pixels
			}
			at += size
			pixels = append(append(pixels, 0), body...)
		case extensionBlock:
			if at+2 > len(data) {
				return append(append(found, 0), data[at:]...), pixels
			}
			label := data[at+1]
			body, size := subBlocks(data[at+2:])
			if size == 0 {
				return append(append(found, 0), data[at:]...), pixels
			}
			at += 2 + size
			isLoop := bytes.HasPrefix(body, []byte("NETSCAPE2.0")) && len(body) == 14
			if label != graphicControl && !isLoop {
				found = append(append(found, 0), body...)
			}
		default:
			return append(append(found, 0), data[at:]...), pixels
		}
	}
	return found, pixels
}

// tableSize is the size of a color table, by the flags before it (GIF89a, 18 and 20).
func tableSize(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

// subBlocks returns what a sequence of data blocks holds, and its size, which is 0 if it has no end (GIF89a, 15).
func subBlocks(data []byte) (body []byte, size int) {
	for at := 0; at < len(data); {
		length := int(data[at])
		at++
		if length == 0 {
			return body, at
		}
		if at+length > len(data) {
			break
		}
		body = append(body, data[at:at+length]...)
		at += length
	}
	return nil, 0
}
