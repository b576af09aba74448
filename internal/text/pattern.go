package text

import (
	"regexp"
	"sync"
)

// LazyRegexp compiles a regular expression when it is first needed.
func LazyRegexp(s string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(s) })
}
