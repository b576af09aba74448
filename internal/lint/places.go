package lint

import (
	"slices"
	"strings"

	"pinproof/internal/jsontree"
	"pinproof/internal/schema"
)

// This file finds parameters and members of results whose purpose deserves a reviewer's attention.

// A SensitiveProperty is a parameter, or a member of a result, that is for a secret or for the path of a file to write.
type SensitiveProperty struct {
	Name     string
	IsSecret bool
}

// AddedSensitiveProperty returns the first sensitive place that a definition has and the approved one (before) lacks, the
// JSON Pointer to its schema, and whether there is such a place. A place that only moved isn't new. In a result, only
// places for secrets count.
func AddedSensitiveProperty(before, now *jsontree.Value) (first SensitiveProperty, pointer string, is bool) {
	known := map[SensitiveProperty]bool{}
	eachPlace(before, func(p SensitiveProperty, _ []jsontree.Step) { known[p] = true })
	eachPlace(now, func(p SensitiveProperty, path []jsontree.Step) {
		if !is && !known[p] {
			first, pointer, is = p, pointerOf(path), true
		}
	})
	return first, pointer, is
}

// eachPlace calls f for each sensitive place in a definition.
func eachPlace(definition *jsontree.Value, f func(p SensitiveProperty, path []jsontree.Step)) {
	eachValue(definition, func(v *jsontree.Value, of schema.Position, _ int, path []jsontree.Step) {
		if of != schema.AtProperties {
			return
		}
		name := path[len(path)-1].Name
		isSecret := isForSecret(name, *v)
		if isSecret || path[0].Name == "inputSchema" && isToWrite(name, *v) {
			f(SensitiveProperty{name, isSecret}, path)
		}
	})
}

// isForSecret reports whether a parameter, or a member of a result, is for a secret: it accepts a string, and
// its name or its short description names a secret, or its default is the path of a file with secrets.
func isForSecret(name string, v jsontree.Value) bool {
	if !takesText(v) {
		return false
	}
	names := nameWords(name)
	described := plainWords(v.Get("description").Text)
	return namesSecret(names) || len(described) <= fewWords && namesSecret(described) || slices.ContainsFunc(strings.FieldsFunc(v.Get("default").Text, isSlash), isSecretFile)
}

// isToWrite reports whether a parameter, judged by its name, is for the path of a file or folder to write.
func isToWrite(name string, v jsontree.Value) bool {
	kinds := kindsOf(nameWords(name), writeWords())
	return takesText(v) && (withoutSeparators(name) == "filename" || kinds["written"] > 0 && kinds["place"] > 0)
}

// fewWords is the maximum number of words in a description that only names a thing.
const fewWords = 8

func isSlash(r rune) bool { return r == '/' || r == '\\' }

func isSecretFile(name string) bool { return secretFiles()[strings.ToLower(name)] != "" }

// plainWords returns the words of the beginning of a text, in lower case and without the punctuation around
// them.
func plainWords(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s[:min(len(s), maxMention)]), func(r rune) bool { return strings.ContainsRune(" \t\n.,:;!?()\"'`_-", r) })
}

// namesSecret reports whether words name a secret: one word by itself, or two successive words.
func namesSecret(words []string) bool {
	for i, word := range words {
		kind := secretWords()[word]
		if kind == "secret" || kind == "key" && i > 0 && secretWords()[words[i-1]] == "of a key" {
			return true
		}
	}
	return false
}

// isWhole reports whether a description only names the whole of something that no tool needs: all of the user's private
// keys, the environment, the conversation. "The private key" doesn't count, because a tool that logs in asks for it.
func isWhole(description string) bool {
	words := plainWords(description)
	has := kindsOf(words, wholeWords())
	isPrivate := has["thing"] > 0 || has["private"]*has["key"] > 0 || has["system"]*has["prompt"] > 0
	return len(words) <= fewWords && has[""] == 0 && has["all"] > 0 && isPrivate
}

// kindsOf counts words by their class. A word that isn't in the table has the class "".
func kindsOf(words []string, classes map[string]string) map[string]int {
	kinds := map[string]int{}
	for _, word := range words {
		kinds[classes[word]]++
	}
	return kinds
}
