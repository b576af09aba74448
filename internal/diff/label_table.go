package diff

import "pinproof/internal/label"

// toolHints are the annotations that the approval logic of clients reads (MCP 2025-03-26).
// Each has its default (absent), the value that makes a client ask less, whether it is about what the
// tool writes, and the label for a change to the value that makes a client ask less. A hint about what
// a tool writes means nothing for a tool that only reads.
var toolHints = map[string]struct {
	absent, asksLess bool
	writes           bool
	safer            label.Label
}{
	"readOnlyHint":    {false, true, false, label.TowardsSafe},
	"destructiveHint": {true, false, true, label.TowardsSafe},
	"idempotentHint":  {false, true, true, label.LessCare},
	"openWorldHint":   {true, false, false, label.LessCare},
}

// taskSupport is whether a tool takes calls as tasks, by the JSON text of execution or of its member
// taskSupport. A tool without it takes no such call: forbidden (MCP 2025-11-25).
var taskSupport = map[string]string{
	`{}`:          "forbidden",
	`"forbidden"`: "forbidden", `{"taskSupport":"forbidden"}`: "forbidden",
	`"optional"`: "optional", `{"taskSupport":"optional"}`: "optional",
	`"required"`: "required", `{"taskSupport":"required"}`: "required",
}
