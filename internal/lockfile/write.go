package lockfile

import (
	"bufio"
	"bytes"
	"unicode/utf8"

	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/text"
)

// Marshal returns the bytes of a lockfile. The same pins give the same bytes. It refuses a pin
// whose canonical form two other implementations of RFC 8785 don't confirm.
func Marshal(l Lockfile) ([]byte, error) {
	for i := range l.Servers {
		if err := confirm(&l.Servers[i]); err != nil {
			return nil, err
		}
	}
	size := 0
	// This pass only finds the size: a growing buffer would take half as much memory again.
	w := &lockWriter{emit: func(text []byte) bool {
		size += len(text)
		return size <= jsontree.MaxLockfileBytes
	}}
	w.lockfile(l)
	if size > jsontree.MaxLockfileBytes {
		return nil, fail.New("the lockfile would be larger than 256 MiB").Hint("keep it smaller: pinproof lock --hash-only")
	}
	out := make([]byte, 0, size)
	w = &lockWriter{emit: func(text []byte) bool {
		out = append(out, text...)
		return true
	}}
	w.lockfile(l)
	return out, nil
}

// confirm holds the definitions of a server's pins against what was received or, where that
// isn't known or the policy changes it, against themselves.
func confirm(s *pin.Set) error {
	for _, p := range s.Pins {
		received := p.Received
		if received == nil || s.Policy.Shapes() || len(s.Policy.Substitute) > 0 {
			received = p.Definition
		}
		if p.Definition == nil {
			// A hash-only pin of a lockfile was confirmed when it was made.
			continue
		}
		if err := jsontree.Confirm(received, p.Definition); err != nil {
			return fail.New("server %s: %s: %s; nothing was written", text.Name(s.Server), pin.EntryRef(p.Type, p.Name), err).
				Hint("that is a bug in pinproof: please report it, with the capture")
		}
	}
	return nil
}

// lockWriter writes JSON indented by two spaces, with hidden characters escaped.
type lockWriter struct {
	// Takes what was written, and says whether to go on.
	emit func(text []byte) bool

	file  *bufio.Reader // what the text is held against, or nil
	out   []byte        // not yet emitted
	depth int
	line  int // of what is written next, from 0

	// The object that was opened last has no member yet.
	empty bool
}

// flush emits what was written.
func (w *lockWriter) flush() bool {
	w.out = escapeHidden(w.out)
	goOn := w.emit(w.out)
	w.out = w.out[:0]
	return goOn
}

// lockfile writes l.
func (w *lockWriter) lockfile(l Lockfile) {
	w.open(nil)
	w.member("lockfileVersion", "1")
	w.member("servers", "")
	w.open(nil)
	for i := range l.Servers {
		s := &l.Servers[i]
		w.member(s.Server, "")
		w.open(&s.Line)
		w.about(&s.About)
		if !s.Policy.IsDefault() {
			w.member("policy", "")
			w.json(jsontree.Append(nil, s.Policy.Value()))
		}
		w.accepted(&s.Accepted)
		for _, entryType := range pin.LockOrder {
			pins := s.Of(entryType)
			if entryType != pin.Tools && len(pins) == 0 {
				continue
			}
			w.member(pin.EntryTypeInfo[entryType].Member, "")
			if entryType != pin.Instructions {
				w.open(nil)
			}
			for j := range pins {
				if entryType != pin.Instructions {
					w.member(pins[j].Name, "")
				}
				if w.pin(&pins[j], s.Policy.HashOnly); !w.flush() {
					return
				}
			}
			if entryType != pin.Instructions {
				w.close()
			}
		}
		w.close()
	}
	w.close()
	w.close()
	w.out = append(w.out, '\n')
	w.flush()
}

// about writes what a server calls itself.
func (w *lockWriter) about(a *pin.About) {
	if value, ok := w.recorded("about"); ok {
		*a = pin.AboutIn(value).Recorded()
	}
	if *a == (pin.About{}) {
		return
	}
	w.member("about", "")
	w.open(nil)
	if a.Name != "" {
		w.text("name", a.Name)
	}
	if a.Version != "" {
		w.text("version", a.Version)
	}
	w.close()
}

func (w *lockWriter) pin(p *pin.Pin, hashOnly bool) {
	w.open(&p.Line)
	w.text("digest", p.Digest)
	// The mark comes right after the digest, so that git's own merge has a conflict if one side
	// removes the mark and the other changes the digest.
	if p.Denied {
		w.member("denied", "true")
	}
	if p.Sanitized != p.Digest {
		w.text("sanitizedDigest", p.Sanitized)
	}
	w.accepted(&p.Accepted)
	if value, ok := w.recorded("approval"); ok {
		p.Approval = approvalIn(value)
		// The parser refuses an approval of another definition. Without the approval, the text
		// differs from the file, so that the file is parsed.
		if a := p.Approval; a != nil && a.Digest != "" && a.Digest != p.Digest {
			p.Approval = nil
		}
	}
	if a := p.Approval; a != nil {
		w.member("approval", "")
		w.open(nil)
		w.text("by", a.By)
		w.text("at", a.At)
		w.text("hash", a.Hash)
		if a.Digest != "" {
			w.text("digest", a.Digest)
		}
		w.close()
	}
	if !hashOnly {
		w.member(storedMember(p.Type), "")
		w.json(p.Definition)
		w.files(p.Files)
	}
	w.close()
}

// files writes the texts of a skill's files.
func (w *lockWriter) files(files []pin.File) {
	if len(files) == 0 {
		return
	}
	w.member("files", "")
	w.open(nil)
	for _, f := range files {
		w.text(f.URI, f.Text)
	}
	w.close()
}

// accepted writes the record of accepted warnings, one on each line: a reviewer of the file
// must not miss them.
func (w *lockWriter) accepted(records *[]pin.Record) {
	if value, ok := w.recorded("acceptedWarnings"); ok {
		*records, _ = recordsIn(value)
	}
	if len(*records) == 0 {
		return
	}
	var lines []string
	for _, record := range *records {
		lines = append(lines, record.String())
	}
	w.member("acceptedWarnings", "")
	w.json(jsontree.Append(nil, jsontree.Texts(lines)))
}

// storedMember names the member of a pin that holds its definition.
func storedMember(entryType pin.EntryType) string {
	if entryType == pin.Instructions {
		return "text"
	}
	return "definition"
}

// open begins an object. If the text is held against a file, it sets the object's line there.
func (w *lockWriter) open(line *int) {
	if w.file != nil && line != nil {
		*line = w.line + 1
	}
	w.out = append(w.out, '{')
	w.depth++
	w.empty = true
}

// close ends an object. An empty one stays on its line.
func (w *lockWriter) close() {
	w.depth--
	if !w.empty {
		w.newline()
	}
	w.out = append(w.out, '}')
	w.empty = false
}

// member begins a member, and writes value as it is.
func (w *lockWriter) member(name, value string) {
	if !w.empty {
		w.out = append(w.out, ',')
	}
	w.empty = false
	w.newline()
	w.out = jsontree.AppendString(w.out, name)
	w.out = append(append(w.out, ": "...), value...)
}

func (w *lockWriter) text(name, s string) {
	w.member(name, "")
	w.out = jsontree.AppendString(w.out, s)
}

// json lays out a value.
func (w *lockWriter) json(value []byte) {
	from := len(w.out)
	w.out = jsontree.AppendIndented(w.out, value, w.depth)
	w.line += bytes.Count(w.out[from:], []byte("\n"))
}

func (w *lockWriter) newline() {
	w.line++
	w.out = append(w.out, '\n')
	for range w.depth {
		w.out = append(w.out, "  "...)
	}
}

// escapeHidden replaces hidden characters by JSON escapes. All of them are in strings.
func escapeHidden(part []byte) []byte {
	at := text.IndexBeyondASCII(part, escaped)
	if at == len(part) {
		return part
	}
	var out []byte
	for {
		out = append(out, part[:at]...)
		if at == len(part) {
			return out
		}
		r, size := utf8.DecodeRune(part[at:])
		out = jsontree.AppendUnicodeEscape(out, r)
		part = part[at+size:]
		at = text.IndexBeyondASCII(part, escaped)
	}
}
