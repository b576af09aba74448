package pin

import (
	"testing"
)

func TestParseEntry(t *testing.T) {
	for arg, want := range map[string]Key{
		"a": {Tools, "a"}, "prompt=a": {Prompts, "a"}, "template=x://{y}": {Templates, "x://{y}"}, "resource=x://y": {Resources, "x://y"},
		"instructions": {Instructions, ""}, "tool=instructions": {Tools, "instructions"}, "tool=prompt=a": {Tools, "prompt=a"},
		"prompt=": {Tools, "prompt="}, "Prompt=a": {Tools, "Prompt=a"},
	} {
		if got := ParseEntry(arg); got != want {
			t.Errorf("%s: %v", arg, got)
		}
	}
}
