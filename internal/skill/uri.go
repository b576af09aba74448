package skill

import (
	"encoding/hex"
	"slices"
	"strings"

	"pinproof/internal/text"
)

// Servers and clients resolve URIs in their own ways: some decode percent escapes, resolve dots, ignore case, a query
// or an extra slash, or take a backslash for a slash. To them, two URIs may name one file. So the URIs of a skill's
// files must be plain, and any other URI that could mean one of these files is treated as if it did.

// MaxURI is the maximum size, in bytes, of the URI of a skill or of a file, and of a URI in an answer of a server. The key
// of a URI takes many times its memory.
const MaxURI = 64 << 10

// IsPlainURI reports whether a URI isn't too long and can be read in only one way: a lower-case scheme, no query and no
// fragment, no empty, dot or dot-dot segment, no backslash, no space or control character, no hidden character, and
// percent escapes only of what has to be escaped (RFC 3986, section 6.2.2).
func IsPlainURI(uri string) bool {
	_, rest, _ := strings.Cut(uri, ":")
	if len(uri) > MaxURI || !plainCharacters().MatchString(uri) || text.Printable(rest) != rest {
		return false
	}
	rest = strings.TrimPrefix(rest, "//")
	for i, segment := range strings.Split(rest, "/") {
		if segment == "" && i > 0 {
			return false
		}
		if decoded := unescape(segment); decoded != strings.Trim(decoded, " ") || decoded != strings.TrimRight(decoded, ".") {
			// A segment of dots changes the path, and some systems drop dots and spaces at the end of a name.
			return false
		}
	}
	return true
}

// plainCharacters matches a scheme and what follows it, without query, fragment, backslash and whitespace. Each percent
// escape has upper-case digits and encodes a byte that needs it: no unreserved character, and no slash, backslash,
// control or percent sign.
var plainCharacters = text.LazyRegexp(`^[a-z0-9+.-]+:(?:[^?#\\ \t\r\n%]|%(?:2[0-46-9A-C]|3[A-F]|40|5[BDE]|60|7[B-D]|[89A-F][0-9A-F]))*$`)

// percentEscape matches any percent escape.
var percentEscape = text.LazyRegexp(`%[0-9A-Fa-f]{2}`)

// unescape decodes the percent escapes of s, once.
func unescape(s string) string {
	return percentEscape().ReplaceAllStringFunc(s, func(escape string) string {
		decoded, _ := hex.DecodeString(escape[1:])
		return string(decoded)
	})
}

// maxDecodings is how often nested percent escapes are decoded. A URI with more levels keeps escapes that no
// plain URI has (IsPlainURI).
const maxDecodings = 8

// asBrowsers replaces characters that browsers read as other characters, or ignore.
var asBrowsers = strings.NewReplacer(`\`, "/", "\t", "", "\r", "", "\n", "")

// URIKey returns the same key for all spellings of a URI that some server or client treats as the same. It decodes
// escapes, drops query and fragment, resolves dots, merges slashes, drops hidden characters, and folds to lower
// case. URIs with different keys are different files to all servers and clients.
func URIKey(uri string) string {
	for range maxDecodings {
		decoded := unescape(uri)
		if decoded == uri {
			break
		}
		uri = decoded
	}
	uri = text.Sanitize(uri)
	if end := strings.IndexAny(uri, "?#"); end >= 0 {
		uri = uri[:end]
	}
	uri = strings.Trim(uri, " \t\r\n")
	uri = asBrowsers.Replace(uri)
	scheme, rest, hasScheme := strings.Cut(uri, ":")
	if !hasScheme {
		rest = scheme
		scheme = ""
	}
	folder := strings.HasSuffix(rest, "/") || strings.HasSuffix(rest, "/.") || strings.HasSuffix(rest, "/..")
	var segments []string
	for segment := range strings.SplitSeq(rest, "/") {
		segment = strings.Trim(segment, " ")
		if segment == ".." {
			segments = segments[:max(len(segments)-1, 0)]
		} else if segment = strings.TrimRight(segment, ". "); segment != "" {
			segments = append(segments, segment)
		}
	}
	key := text.FoldASCII(scheme + ":" + strings.Join(segments, "/"))
	key = strings.ToLower(key)
	if folder {
		key += "/"
	}
	return key
}

// IsMainFile reports whether a URI, in any spelling, is that of a SKILL.md.
func IsMainFile(uri string) bool {
	return strings.HasSuffix(URIKey(uri), "/"+strings.ToLower(MainFile))
}

// FolderOf returns the folder of a URI for which IsMainFile is true, as a key with a slash at its end.
func FolderOf(uri string) string {
	return strings.TrimSuffix(URIKey(uri), strings.ToLower(MainFile))
}

// A URIPattern matches the keys (URIKey) of all URIs that a server could take for a URI or a URI template: it has the
// literal texts of the key, between which the template's expressions match any text.
type URIPattern []string

// NewURIPattern returns the pattern of a key in which a mark replaces each expression.
func NewURIPattern(key, mark string) URIPattern {
	literals := strings.Split(key, mark)
	last := len(literals) - 1
	if last == 0 {
		return literals
	}
	isEmpty := func(s string) bool { return s == "" } // between two expressions
	return slices.Concat(literals[:1], slices.DeleteFunc(literals[1:last:last], isEmpty), []string{literals[last]})
}

// Matches reports whether the pattern matches a key, also with a slash at its end.
func (p URIPattern) Matches(key string) bool {
	return p.matchesWhole(key) || strings.HasSuffix(key, "/") && p.matchesWhole(key[:len(key)-1])
}

func (p URIPattern) matchesWhole(key string) bool {
	last := len(p) - 1
	if last == 0 {
		return key == p[0]
	}
	rest, begins := strings.CutPrefix(key, p[0])
	rest, ends := strings.CutSuffix(rest, p[last])
	if !begins || !ends {
		return false
	}
	for _, literal := range p[1:last] {
		_, after, found := strings.Cut(rest, literal)
		if !found {
			return false
		}
		rest = after
	}
	return true
}
