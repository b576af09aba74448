package lint

import (
	"slices"
	"strings"

	"pinproof/internal/jsontree"
)

// Parameters and members of results that a reviewer looks for, because of what they are for.

// PlaceForSecret reports whether a parameter, or a member of a result, is for a secret: its name, its description or
// its default says so, and it takes a text.
func PlaceForSecret(name string, schema jsontree.Value) bool {
	if !takesText(schema) {
		return false
	}
	names := nameWords(name)
	described := plainWords(schema.Get("description").Text)
	return namesSecret(names) || len(described) <= fewWords && namesSecret(described) || slices.ContainsFunc(strings.FieldsFunc(schema.Get("default").Text, isSlash), isSecretFile)
}

// PlaceToWrite reports whether a parameter is for a file or a folder that is written, by its name.
func PlaceToWrite(name string, schema jsontree.Value) bool {
	words := nameWords(name)
	kinds := map[string]bool{}
	for _, word := range words {
		kinds[writeWords()[word]] = true
	}
	isFile := slices.Equal(words, []string{"filename"}) || slices.Equal(words, []string{"file", "name"})
	return takesText(schema) && (isFile || kinds["written"] && kinds["place"])
}

// fewWords is how many words a description has that is no more than the name of a thing.
const fewWords = 8

func isSlash(r rune) bool { return r == '/' || r == '\\' }

func isSecretFile(name string) bool { return secretFiles()[strings.ToLower(name)] != "" }

// plainWords returns the words of the beginning of a text, in small letters and without the marks around them.
func plainWords(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s[:min(len(s), maxMention)]), func(r rune) bool { return strings.ContainsRune(" \t\n.,:;!?()\"'`_-", r) })
}

// namesSecret reports whether words name a secret: by itself, or two of them together.
func namesSecret(words []string) bool {
	for i, word := range words {
		kind := secretWords()[word]
		if kind == "secret" || kind == "key" && i > 0 && secretWords()[words[i-1]] == "of a key" {
			return true
		}
	}
	return false
}

// isWhole reports whether a description is no more than the name of all of something that no tool has to be told: the
// user's private keys, the environment, the conversation. "The private key" alone is what a tool that logs in asks for.
func isWhole(description string) bool {
	words := plainWords(description)
	if len(words) > fewWords {
		return false
	}
	has := map[string]bool{}
	for _, word := range words {
		kind := wholeWords()[word]
		if kind == "" {
			return false
		}
		has[kind] = true
	}
	return has["all"] && (has["thing"] || has["private"] && has["key"] || has["system"] && has["prompt"])
}
