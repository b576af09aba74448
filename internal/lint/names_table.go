package lint

import "strings"

// alphabets are scripts with letters that look like those of another one. Scripts such as
// Han can be next to Latin in a name and fool nobody (UTS #39, section 5.2).
const alphabets = "Latin Cyrillic Greek Armenian Cherokee Coptic Georgian Lisu"

// asciiLookAlikes replaces ASCII characters by letters that they pass for.
var asciiLookAlikes = strings.NewReplacer("rn", "m", "vv", "w", "1", "l", "|", "l", "0", "o")

// insideNames replaces the separators that may also be part of a name by as many spaces.
var insideNames = strings.NewReplacer("__", "  ", "--", "  ")

// Bytes that words and plain texts are made of.
var (
	smallBytes   = newByteSet("abcdefghijklmnopqrstuvwxyz")
	nameBytes    = newByteSet("_-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
	wordBytes    = newByteSet("._-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
	betweenNames = newByteSet(" \t\n\r\"'`()[]{}<>,;=")
	plainBytes   = newByteSet("\t\n !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~")
)
