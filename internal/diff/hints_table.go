package diff

import "pinproof/internal/label"

// toolHints are the annotations by which clients decide whether to ask (MCP 2025-03-26): the value with which a client
// asks less, which is never the default; whether the hint is about writing; and the label of a change to that value.
// A hint about writing means nothing for a tool that only reads.
var toolHints = map[string]struct {
	asksLess byte
	writes   bool
	safer    label.Label
}{
	"readOnlyHint":    {'t', false, label.HintHarmless},
	"destructiveHint": {'f', true, label.HintHarmless},
	"idempotentHint":  {'t', true, label.HintSafer},
	"openWorldHint":   {'f', false, label.HintSafer},
}
