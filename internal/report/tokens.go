package report

import (
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/text"
)

// A SizeChange is how much text of all servers a language model reads, as pinned and as captured.
type SizeChange struct {
	Before int `json:"before"`
	After  int `json:"after"`
}

// sizeOf sums up the sizes of the pins on both sides, or returns nil if a size isn't known. It ignores servers without
// a capture.
func sizeOf(sides []pin.Comparison, of func(s *pin.Set) (size int, known bool)) *SizeChange {
	sum := &SizeChange{}
	for _, p := range sides {
		before, isPinned := of(&p.Locked)
		after, isFound := of(&p.Captured)
		if p.LacksCapture() {
			continue
		}
		if !isPinned || !isFound {
			return nil
		}
		sum.Before += before
		sum.After += after
	}
	return sum
}

// bytesOf counts the bytes of definitions.
func bytesOf(s *pin.Set) (size int, known bool) {
	for _, p := range s.Pins {
		if p.Definition == nil {
			return 0, false
		}
		size += len(p.Definition)
	}
	return size, true
}

// TokenChangeText describes how the number of tokens changed, or returns "" if it is unchanged or unknown.
func (s *SizeChange) TokenChangeText() string {
	if s == nil || s.Before == s.After {
		return ""
	}
	return "context: about " + text.FormatSigned(rounded(s.After-s.Before)) + " tokens (" + text.FormatNumber(rounded(s.After)) + " now)"
}

// rounded rounds an estimate to three digits: more would claim to be exact.
func rounded(n int) int {
	if n < 0 {
		return -rounded(-n)
	}
	unit := 1
	for n/unit >= 1000 {
		unit *= 10
	}
	return (n + unit/2) / unit * unit
}

// EstimateTokens estimates how many tokens the tools of a set take: their names, descriptions and input schemas, which
// clients pass to the model. For real lists and the encoding o200k, a token has 4.2 to 4.8 bytes, so an estimate with
// 4.5 is within 8 %. A client that searches for tools passes fewer of them. The number isn't known if a definition
// wasn't stored.
func EstimateTokens(s *pin.Set) (tokens int, known bool) {
	size := 0
	isAsReceived := !s.Policy.ChangesDefinitions() && len(s.Policy.Substitute) == 0
	for _, p := range s.Pins {
		if p.Type != pin.Tools {
			continue
		}
		if p.Received == nil && p.Definition == nil {
			return 0, false
		}
		tool := p.Tree()
		if tool.Kind == 0 || p.Received != nil && !isAsReceived {
			tool = p.AsReceived()
		}
		size += len(p.Name) + len(tool.StringIn("description"))
		if tool.Has("inputSchema") {
			size += len(jsontree.Append(nil, tool.Get("inputSchema")))
		}
	}
	return (2*size + 4) / 9, true
}

// TokenLimitMessage returns a message if the tools of all captures together exceed the limit most, or "". known is
// false if their number isn't known.
func TokenLimitMessage(sides []pin.Comparison, most int) (said string, known bool) {
	all := 0
	for _, p := range sides {
		n, known := EstimateTokens(&p.Captured)
		if !known {
			return "", false
		}
		all += n
	}
	if all <= most {
		return "", true
	}
	return "about " + text.FormatNumber(all) + " tokens for the model, over " + text.FormatNumber(most) + " (--max-tokens)", true
}
