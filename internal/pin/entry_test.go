package pin

import (
	"testing"

	"pinproof/internal/jsontree"
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

// TestTreesAreSorted: the search for a member relies on sorted members, so a tree is sorted even
// if the server wrote its members in another order.
func TestTreesAreSorted(t *testing.T) {
	p := Pin{Received: []byte(`{"b":[{"d":1,"c":"x"}],"a":2}`), HashedDefinition: HashedDefinition{Definition: []byte(`{"a":2,"b":[{"c":"x","d":1}]}`)}}
	if got, want := p.AsReceived(), p.Tree(); !jsontree.Equal(got, want) || jsontree.Lookup(&got, "a") == nil {
		t.Errorf("as received: %+v, want %+v", got, want)
	}
}
