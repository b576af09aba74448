package diff

import "pinproof/internal/label"

// toolHints lists the annotations that determine whether a client asks for confirmation (MCP 2025-03-26): the value that
// makes a client ask less often, which is never the default; whether the hint concerns writing; and the label of a change
// to that value.
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
