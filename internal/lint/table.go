package lint

import "pinproof/internal/pin"

// A findingRule is one kind of finding.
type findingRule struct {
	ID      string
	Warning bool // the level; false for a note
	Text    string
}

// Rules lists every id with its level and what it fires on, in the order
// in which findings are listed. hidden-text also has notes, and catch-all-input warnings.
var Rules = [...]findingRule{
	{"hidden-text", true, "characters that no reader sees"},
	{"terminal-escape", true, "escape and control characters that a terminal obeys"},
	{"bidi-control", true, "characters that change the direction of text"},
	{"look-alike-name", true, "a tool name that looks like another one, or mixes alphabets"},
	{"same-name", false, "a tool or skill of another server has this name"},
	{"instruction-like", true, "text that commands the model instead of describing the tool"},
	{"secret-path", true, "text that asks for private keys, credentials or an agent's configuration"},
	{"encoded-text", true, "base64 or hexadecimal digits that decode to prose"},
	{"dynamic-skill", true, "a skill whose files nothing binds"},
	{"unread-file", true, "a file of a skill that a reviewer can't read here"},
	{"names-other-tool", true, "text that tells the model to use another server's tool"},
	{"case-variant", true, "a keyword of a schema in another letter case"},
	{"new-address", false, "an address or a path new in an upgrade"},
	{"skill-script", false, "a skill's script, or a command in it for the model to run"},
	{"takes-code", false, "a parameter for code, a command or a query that is run"},
	{"catch-all-input", false, "a parameter without a type (one for the prompt: a warning)"},
	{"remote-ref", true, "a $ref or $dynamicRef that leaves the document"},
	{"padding", true, "runs of white space that push text out of sight"},
	{"oversize", true, "a description, a definition or a capture far larger than any known"},
	{"hint-contradiction", true, "a hint that is neither true nor false"},
}

// Limits of the findings. Among some thousand tools of real servers, the largest description has 7 kB, the largest
// definition 13 kB, the largest list 0.8 MB.
const (
	maxDescription = 64 << 10  // bytes; of any text but a title
	maxTitle       = 1 << 10   // bytes; of a title and of a member's name
	maxDefinition  = 256 << 10 // bytes, as received
	maxList        = 2 << 20   // bytes, definitions only

	// The maximum number of bytes of definitions, of all servers, that a run reads. A warning names what isn't read.
	maxRead = 4 << 20

	// The listed findings of one ID and level in one entry. The others are only counted.
	maxAlike = pin.MaxFindingsPerRule

	maxNaming = 250 // for names-other-tool; no real text names so many tools

	// The listed findings in all entries of a run. For an entry after these, only the approved warnings and the first
	// open one are listed.
	maxFindings = 20_000

	// The maximum length of a pointer, in bytes: a hostile tool could make one as long as its definition.
	maxPointer = 1024

	// The minimum length, in bytes, of a name in which orders are looked for. No shorter one contains an order.
	shortName = 12

	// The number of bytes or code points that a detail quotes on both sides of a match.
	beside = 24

	// The number of bytes that a detail quotes from the beginning of a match's last word.
	afterOrder = 60
)
