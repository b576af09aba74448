package lint

import "strings"

// alphabets lists scripts with letters that look like those of another of these scripts. A script such as Han next to
// Latin in a name misleads nobody (UTS #39, section 5.2).
const alphabets = "Latin Cyrillic Greek Armenian Cherokee Coptic Georgian Lisu"

// asciiLookAlikes replaces ASCII characters by letters that they pass for.
var asciiLookAlikes = strings.NewReplacer("rn", "m", "vv", "w", "1", "l", "|", "l", "0", "o")

// insideNames replaces double separators, which may also be part of a name, by as many spaces.
var insideNames = strings.NewReplacer("__", "  ", "--", "  ")

// The bytes that words, names and plain texts consist of, and those between names.
var (
	smallBytes   = newByteSet("abcdefghijklmnopqrstuvwxyz")
	nameBytes    = newByteSet("_-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
	wordBytes    = newByteSet("._-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
	betweenNames = newByteSet(" \t\n\r\"'`()[]{}<>,;=")
	plainBytes   = newByteSet("\t\n !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~")
)
