package main

import (
	"strings"
	"sync"
)

// A text taken apart, in one pass: its words for the orders, what may be the
// name of a tool or a server, pseudo-tags, files of secrets.

// Classes of bytes.
const (
	byteLetter  = 1 << iota
	byteCapital // a letter, too
	byteDigit
	byteJoint // _ and -
	byteDot   // . between two of these
	byteSense // what read looks at outside words

	inWord = byteLetter | byteDigit | byteJoint
)

var byteClasses = sync.OnceValue(func() *[256]uint8 {
	t := &[256]uint8{'_': byteJoint, '-': byteJoint, '.': byteDot | byteSense}
	for c := range t {
		switch {
		case c >= 'a' && c <= 'z':
			t[c] = byteLetter
		case c >= 'A' && c <= 'Z':
			t[c] = byteLetter | byteCapital
		case c >= '0' && c <= '9':
			t[c] = byteDigit
		case strings.IndexByte("!?\n@/~$<[", byte(c)) >= 0:
			t[c] = byteSense
		}
	}
	return t
})

// A reading is what one text holds. It is used again for the next one.
type reading struct {
	words    []orderWord
	names    []textRange // words with _ - . a digit or a capital inside: names of tools, perhaps
	labels   []textRange // words beside "server", "tool" or "MCP"
	tag      textRange   // the first pseudo-tag, if to is not 0
	secret   string      // what the first of secretFiles in it is, or ""
	secretAt int

	g    *grammar
	s    string
	tags tagReader
}

type textRange struct{ from, to int }

// read takes a text apart into words, in one pass. Words of names are runs of
// [A-Za-z0-9_.-] that don't end in a dot; words of orders are the letters and
// digits in them.
func (t *reading) read(s string) {
	*t = reading{words: t.words[:0], names: t.names[:0], labels: t.labels[:0], g: orderGrammar(), s: s}
	class := byteClasses()
	word := func(i int) bool { return i < len(s) && class[s[i]]&inWord != 0 }
	var last textRange
	afterMCP := false
	for i := 0; i < len(s); {
		seen := class[s[i]]
		if seen&inWord == 0 && !(seen&byteDot != 0 && word(i+1)) {
			if seen&byteSense != 0 {
				t.sense(i)
			}
			i++
			continue
		}
		from, inside := i, uint8(0)
		for i++; word(i) || i < len(s) && s[i] == '.' && word(i+1); i++ {
			inside |= class[s[i]]
		}
		if inside&^byteLetter != 0 || seen&(byteDigit|byteJoint|byteDot) != 0 {
			t.names = append(t.names, textRange{from, i})
		}
		if (seen|inside)&(byteJoint|byteDot) != 0 {
			last, afterMCP = textRange{from, i}, false
			i = t.jointed(from, i)
			continue
		}
		code := t.g.code(s[from:i])
		t.add(code, from)
		if afterMCP {
			t.labels = append(t.labels, textRange{from, i})
			afterMCP = false
		}
		if t.g.labelled.has(code) {
			t.labels = append(t.labels, last)
			afterMCP = i-from == len("MCP")
		}
		last = textRange{from, i}
	}
}

func (t *reading) add(code uint16, from int) { t.words = append(t.words, orderWord{code, int32(from)}) }

// sense reads one byte outside words.
func (t *reading) sense(i int) {
	s := t.s
	next := byte(0)
	if i+1 < len(s) {
		next = s[i+1]
	}
	switch s[i] {
	case '.':
		if next <= ' ' && !strings.HasSuffix(s[:i], "e.g") && !strings.HasSuffix(s[:i], "i.e") {
			t.add(codeStop, i)
		}
	case '!', '?':
		t.add(codeStop, i)
	case '\n':
		if next == '\n' {
			t.add(codeStop, i)
		}
	case '<', '[':
		if n := t.tags.read(s[i:]); n > 0 && t.tag.to == 0 {
			t.tag = textRange{i, i + n}
		}
	case '@':
		if i > 0 && isAlnum(s[i-1]) && isAlnum(next) {
			t.add(t.g.code(anAt), i)
		}
	case '~':
		if next == '/' {
			t.add(t.g.code(aPath), i)
		}
	case '$':
		if strings.HasPrefix(s[i:], "$HOME") || strings.HasPrefix(s[i:], "${HOME") {
			t.add(t.g.code(aPath), i)
		}
	case '/':
		if i > 0 && strings.IndexByte(" \t\n\"'`(=:,[", s[i-1]) < 0 {
			return // inside a word or a tag
		}
		for _, root := range []string{"/home/", "/root/", "/Users/", "/etc/", "/var/", "/tmp/", "/opt/", "/usr/", "/mnt/", "/proc/", "/private/", "/Library/"} {
			if strings.HasPrefix(s[i:], root) { // other paths are those of addresses, or examples
				t.add(t.g.code(aPath), i)
			}
		}
		for _, file := range []string{"/etc/shadow", "/proc/self/environ"} {
			if n := len(file); len(s)-i >= n && strings.EqualFold(s[i:i+n], file) && (len(s)-i == n || !isAlnum(s[i+n])) {
				t.found(secretFiles[file], i)
			}
		}
	}
}

// jointed reads a word with _ - or . in it, and returns where to read on: behind it,
// or behind the file in the folder that it names.
func (t *reading) jointed(from, to int) int {
	if what, end := t.file(from, to); end > 0 {
		t.found(what, from)
		return end
	}
	for at := from; at < to; at++ {
		start := at
		for at < to && isAlnum(t.s[at]) {
			at++
		}
		if at > start {
			t.add(t.g.code(t.s[start:at]), start)
		}
	}
	return to
}

// file looks a word up in secretFiles, together with what stands in that folder. It
// returns where the name ends, 0 if there is none.
func (t *reading) file(from, to int) (what string, end int) {
	s := t.s
	if to-from > maxWord || s[from] != '.' && t.g.files[s[from]|0x20]&(1<<(to-from)) == 0 && s[from] != '_' {
		return "", 0
	}
	name := strings.ToLower(s[from:to])
	if name[0] == '.' && to < len(s) && (s[to] == '/' || s[to] == '\\') {
		end := to + 1
		for end < len(s) && end-to < maxWord && (isAlnum(s[end]) || strings.IndexByte("_-.", s[end]) >= 0) {
			end++
		}
		inside := strings.TrimRight(s[to+1:end], ".-")
		if what, ok := secretFiles[name+"/"+strings.ToLower(inside)]; ok {
			return what, to + 1 + len(inside)
		}
	}
	if what, ok := secretFiles[name]; ok {
		return what, to
	}
	return "", 0
}

// found takes down a file of secretFiles. As a default or an example it is one
// that ordinary tools name; one that a tool writes to is none.
func (t *reading) found(what string, at int) {
	const near = 6 // words
	to := false
	for n, words := 1, t.words; n <= near && len(words) > 0; n++ {
		code := words[len(words)-1].code
		words = words[:len(words)-1]
		if code == codeStop {
			break
		}
		if t.g.byExample.has(code) {
			what = ""
		}
		if code == t.g.code(aPath) {
			n--
		} else if n == 1 {
			to = t.g.into.has(code)
		}
	}
	switch {
	case what != "" && t.secret == "":
		t.secret, t.secretAt = what, at
	case !to:
		t.add(t.g.code(aSecret), at)
	}
}

// Pseudo-tags: what pretends to be a part of the model's own prompt. A tag in
// angle brackets is also how people write placeholders and examples of XML, so
// most names count only in some spellings.
const (
	tagAlways = 1 + iota // in any spelling
	tagUpper             // in capitals, or with both ends: <system> alone is a placeholder
	tagPair              // with both ends
	tagBreak             // an end without a beginning: it pretends to close what the text stands in
)

var pseudoTags = map[string]int{
	"important": tagAlways, "important_instructions": tagAlways, "system-reminder": tagAlways, "system_reminder": tagAlways,
	"system-prompt": tagAlways, "system_prompt": tagAlways, "system_message": tagAlways, "system-message": tagAlways,
	"system_instructions": tagAlways, "hidden_instructions": tagAlways, "secret_instructions": tagAlways,
	"system": tagUpper, "instructions": tagUpper, "instruction": tagUpper, "assistant": tagUpper, "critical": tagUpper,
	"override": tagUpper, "sys": tagUpper,
	"secret": tagPair, "hidden": tagPair, "admin": tagPair, "developer": tagPair,
	"tool": tagBreak, "tools": tagBreak, "tool_description": tagBreak, "description": tagBreak, "function": tagBreak,
	"functions": tagBreak, "function_calls": tagBreak, "tool_call": tagBreak, "tool_result": tagBreak, "tool_response": tagBreak,
	"user": tagBreak, "human": tagBreak, "context": tagBreak, "prompt": tagBreak,
}

// A tagReader looks for pseudo-tags in one text, from its start to its end.
type tagReader struct{ opened map[string]bool }

// read returns the size of the pseudo-tag at the start of rest, or 0.
func (t *tagReader) read(rest string) int {
	for _, mark := range []string{"[INST]", "[/INST]", "<<SYS>>", "<</SYS>>"} {
		if len(rest) >= len(mark) && strings.EqualFold(rest[:len(mark)], mark) {
			return len(mark)
		}
	}
	if rest[0] != '<' || len(rest) < 4 {
		return 0
	}
	if rest[1] == '|' { // <|im_start|>: a token of a chat template
		n := tagName(rest[2:])
		if n > 1 && strings.HasPrefix(rest[2+n:], "|>") {
			return n + 4
		}
		return 0
	}
	at := 1
	if rest[1] == '/' {
		at = 2
	}
	n := tagName(rest[at:])
	if n == 0 || n > maxWord {
		return 0
	}
	size := 0 // with attributes, to the end of the tag
	for i := at + n; i < len(rest) && i < at+n+100 && rest[i] != '<'; i++ {
		if rest[i] == '>' {
			size = i + 1
			break
		}
	}
	if size == 0 || strings.IndexByte(" \t\n\r/>", rest[at+n]) < 0 {
		return 0
	}
	name := strings.ToLower(rest[at : at+n])
	kind := pseudoTags[name]
	if kind == 0 {
		return 0
	}
	upper := rest[at:at+n] == strings.ToUpper(name)
	lower := rest[at:at+n] == name
	if at == 1 {
		if t.opened == nil {
			t.opened = map[string]bool{}
		}
		t.opened[name] = true
		if kind == tagAlways || kind == tagUpper && upper {
			return size
		}
		return 0
	}
	opened := t.opened[name]
	if kind == tagAlways || kind == tagUpper && (upper || lower) || kind == tagPair && opened || kind == tagBreak && !opened {
		return size
	}
	return 0
}

// tagName is the size of the name of a tag at the start of s.
func tagName(s string) int {
	for i := 0; i < len(s); i++ {
		if !isAlnum(s[i]) && s[i] != '_' && s[i] != '-' {
			return i
		}
	}
	return len(s)
}
