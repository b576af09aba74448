package mcp

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// maxMissing bounds the variables that a hint names: what a server says is not ours.
const maxMissing = 5

// missingVariables returns the variables of the environment that a server seems to lack by what it
// said, in its order. A name is plain: capitals, digits and underlines, and nothing that a
// shell could read in another way.
func missingVariables(said []string, isSet func(name string) bool) (names []string) {
	asks := slices.ContainsFunc(said, lacks.MatchString)
	add := func(line string, pattern *regexp.Regexp) {
		for _, m := range pattern.FindAllStringSubmatch(line, -1) {
			if name := m[1]; !slices.Contains(names, name) && !notVariable.MatchString(name) && !isSet(name) && len(names) < maxMissing {
				names = append(names, name)
			}
		}
	}
	for _, line := range said {
		switch {
		case lacks.MatchString(line):
			add(line, variableName)
			add(line, namedVariable)
			add(line, variableNamed)
		case asks: // lists of names, one a line
			add(line, nameAlone)
		}
	}
	return names
}

var (
	// lacks matches a line that says that something is missing.
	lacks = regexp.MustCompile(`(?i)\b(missing|required?|requires|needs?|must be|unset|undefined|unbound|empty|KeyError|NotPresent|set|provided?|found|` +
		`export|define|specify|supply|pass|configured?|could not resolve)\b`)
	variableName  = regexp.MustCompile(`\b([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:[^A-Za-z0-9_./\\-]|\.\W|\.?$)`)
	namedVariable = regexp.MustCompile("(?i:\\b(?:environment|env) ?(?:variables?|vars?)?)[\\s:=\"'`$({]*\\b([A-Z][A-Z0-9_]{2,63})\\b")
	variableNamed = regexp.MustCompile("\\b([A-Z][A-Z0-9_]{2,63})[\"'`)}]* (?i:environment|env(?:ironment)? ?var)")
	nameAlone     = regexp.MustCompile(`^[^A-Za-z0-9]*([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)[^A-Za-z0-9_]*$`)
	notVariable   = regexp.MustCompile(`^(ERR|NODE_MODULE|GLIBC|GLIBCXX|CXXABI)_|_NOT_FOUND$|^.{65}`)
)

// listensAt is where a server seems to listen, by what it said, or "": one that opens a port
// doesn't speak on standard output.
func listensAt(said []string) string {
	for _, line := range said {
		if m := listens.FindStringSubmatch(line); m != nil {
			return "http://localhost:" + m[1] + m[3] + m[2]
		}
	}
	return ""
}

var listens = regexp.MustCompile(`(?i)https?://(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]):(\d{2,5})((?:/[a-z0-9_-]+)*)|\b(?:port|listening on)[ :=]+(\d{2,5})\b`)

// missingHint says what to type.
func missingHint(names []string, config bool) string {
	hint := "it seems to miss " + strings.Join(names, ", ") + ": export " + strings.Join(names, "=VALUE ") + "=VALUE"
	if config {
		hint = fmt.Sprintf("%s, or put that into the env of its entry", hint)
	}
	return hint
}
