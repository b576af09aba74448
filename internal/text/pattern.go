package text

import (
	"regexp"
	"sync"
)

// Pattern compiles a regular expression when it is first needed.
func Pattern(s string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(s) })
}
