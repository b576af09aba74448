package lockfile

import (
	"bufio"
	"bytes"
	"io"
	"slices"
	"unicode/utf8"

	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/text"
)

// Marshal returns the bytes of a lockfile. The same pins give the same bytes.
func Marshal(l Lockfile) ([]byte, error) {
	size, w := 0, &lockWriter{}
	w.lockfile(l, func() bool { // a pass for the size alone: growing the buffer costs more
		size += len(w.out)
		w.out = w.out[:0]
		return size <= jsontree.MaxLockfileBytes
	})
	if size > jsontree.MaxLockfileBytes {
		return nil, fail.New("the lockfile would be larger than 256 MiB").Hint("keep it smaller: pinproof lock --hash-only")
	}
	w = &lockWriter{out: make([]byte, 0, size)}
	w.lockfile(l, func() bool { return true })
	return w.out, nil
}

// IsWritten reports whether a file has exactly the bytes that Marshal writes for
// l. It also sets the lines of l's pins. Neither text is ever in memory whole.
func (l Lockfile) IsWritten(file *bufio.Reader) (same bool) {
	w := &lockWriter{places: true}
	var read []byte
	w.lockfile(l, func() bool {
		read = slices.Grow(read[:0], len(w.out))[:len(w.out)]
		_, err := io.ReadFull(file, read)
		same = err == nil && bytes.Equal(read, w.out)
		w.out = w.out[:0]
		return same
	})
	_, err := file.ReadByte()
	return same && err == io.EOF
}

// lockWriter writes JSON indented by two spaces, with hidden characters escaped.
type lockWriter struct {
	out    []byte
	depth  int
	indent []byte // as many blanks as were needed so far
	opened bool   // the last character written is an opening bracket
	line   int    // of what is written next, from 0
	places bool   // set the lines of servers and pins
}

// lockfile writes l. After each pin, and at the end, it asks whether to go on.
func (w *lockWriter) lockfile(l Lockfile, goOn func() bool) {
	w.json([]byte(`{"lockfileVersion":1,"servers":{`))
	for i := range l.Servers {
		s := &l.Servers[i]
		w.member(s.Server)
		w.begin(&s.Line)
		if !s.Policy.IsDefault() {
			w.member("policy")
			w.json(jsontree.Append(nil, s.Policy.Value()))
		}
		w.accepted(s.Accepted)
		for _, list := range pin.LockOrder {
			pins := s.Of(list)
			if list != pin.Tools && len(pins) == 0 {
				continue
			}
			w.member(pin.ListInfo[list].Member)
			if list != pin.Instructions {
				w.json([]byte("{"))
			}
			for j := range pins {
				if list != pin.Instructions {
					w.member(pins[j].Name)
				}
				if w.pin(&pins[j], s.Policy.HashOnly); !goOn() {
					return
				}
			}
			if list != pin.Instructions {
				w.json([]byte("}"))
			}
		}
		w.json([]byte("}"))
	}
	w.json([]byte("}}"))
	w.out = append(w.out, '\n')
	goOn()
}

func (w *lockWriter) pin(p *pin.Pin, hashOnly bool) {
	w.begin(&p.Line)
	w.textMember("digest", p.Digest)
	if p.Sanitized != p.Digest {
		w.textMember("sanitizedDigest", p.Sanitized)
	}
	w.accepted(p.Accepted)
	if a := p.Approval; a != nil {
		w.member("approval")
		w.json([]byte("{"))
		w.textMember("by", a.By)
		w.textMember("at", a.At)
		w.textMember("hash", a.Hash)
		w.json([]byte("}"))
	}
	if !hashOnly {
		w.member(storedMember(p.List))
		w.json(p.Definition)
	}
	w.json([]byte("}"))
}

// accepted writes the record of accepted warnings, on one line: it is what a reviewer of the
// file must not miss.
func (w *lockWriter) accepted(ids []string) {
	if len(ids) == 0 {
		return
	}
	w.member("acceptedWarnings")
	for i, id := range ids {
		w.out = append(w.out, [...]string{"[", ", "}[min(i, 1)]...)
		w.out = jsontree.AppendString(w.out, id)
	}
	w.out = append(w.out, ']')
}

// storedMember names the member of a pin that holds its definition.
func storedMember(list pin.List) string {
	if list == pin.Instructions {
		return "text"
	}
	return "definition"
}

// begin opens the object of a server or a pin.
func (w *lockWriter) begin(line *int) {
	if w.places {
		*line = w.line + 1
	}
	w.json([]byte("{"))
}

func (w *lockWriter) member(name string) {
	if !w.opened {
		w.json([]byte(","))
	}
	w.json(append(jsontree.AppendString(nil, name), ':'))
}

func (w *lockWriter) textMember(name, s string) {
	w.member(name)
	w.json(jsontree.AppendString(nil, s))
}

// json lays out JSON that has no blanks, or a part of it that ends between two tokens.
func (w *lockWriter) json(part []byte) {
	for i := 0; i < len(part); i++ {
		c := part[i]
		closing := c == '}' || c == ']'
		if closing {
			w.depth--
		}
		if closing != w.opened { // an empty container stays on its line
			w.newline()
		}
		w.opened = c == '{' || c == '['
		switch c {
		case '{', '[':
			w.depth++
			w.out = append(w.out, c)
		case ',':
			w.out = append(w.out, c)
			w.newline()
		case ':':
			w.out = append(w.out, ": "...)
		case '"':
			from := i
			for escape := true; escape; {
				i += 1 + bytes.IndexByte(part[i+1:], '"')
				behind := bytes.TrimRight(part[from:i], `\`)
				escape = (i-from-len(behind))%2 == 1
			}
			w.quoted(part[from : i+1])
		default:
			w.out = append(w.out, c)
		}
	}
}

func (w *lockWriter) newline() {
	w.line++
	for len(w.indent) < 2*w.depth {
		w.indent = append(w.indent, "  "...)
	}
	w.out = append(append(w.out, '\n'), w.indent[:2*w.depth]...)
}

// quoted writes a JSON string with its hidden characters escaped.
func (w *lockWriter) quoted(s []byte) {
	for {
		at := text.IndexBeyondASCII(s, escaped)
		w.out = append(w.out, s[:at]...)
		if at == len(s) {
			return
		}
		r, size := utf8.DecodeRune(s[at:])
		w.out = jsontree.AppendUnicodeEscape(w.out, r)
		s = s[at+size:]
	}
}
