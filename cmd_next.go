package main

import (
	"slices"

	"github.com/spf13/pflag"
)

// carried has the flags that shape what is compared or pinned, with the commands that
// take them. Flags about how a run answers, or what it accepts, are not carried over.
var carried = []struct{ flags, verbs []string }{
	{[]string{"substitute"}, []string{"lock", "verify", "diff", "relock"}},
	{[]string{"from"}, []string{"diff", "relock"}},
	{[]string{"allow-empty", "approved-by", "descriptions", "empty-cursor-ends", "hash-only", "ignore", "require-clean", "resources", "round-integers", "tools-only"},
		[]string{"lock", "relock"}},
}

// carriedBy returns the words to carry over into the next command to type: for each
// command, those of the flags that were set and that it takes.
func carriedBy(set *pflag.FlagSet) map[string][]string {
	words := map[string][]string{}
	set.Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, to := range carried {
			if !slices.Contains(to.flags, f.Name) {
				continue
			}
			for _, v := range values {
				word := "--" + f.Name
				switch {
				case f.Value.Type() != "bool":
					word += " " + shellQuote(v)
				case v != "true":
					word += "=" + v
				}
				for _, verb := range to.verbs {
					words[verb] = append(words[verb], word)
				}
			}
		}
	})
	return words
}
