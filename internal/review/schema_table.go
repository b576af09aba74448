package review

// A wordRow gives some words their class.
type wordRow struct{ is, words string }

// parameterWords are words in the name of a parameter that asks for the content of a
// secret (asksForSecret).
var parameterWords = wordsOf(
	wordRow{"key", "ssh rsa passwd shadow private wallet"},
	wordRow{"secret", "password passwords credentials secret secrets env cookies history"},
	wordRow{"content", "content contents data text output dump"},
	wordRow{"source", "from of reading inside"},
)

// parameterNames has names of parameters, in small letters and without separators. Those
// for what the model was told are side and internal; internal names count only if the
// server writes them with an underscore first. Those for what the model knows are context.
var parameterNames = wordsOf(
	wordRow{"side", "sidenote sidenotes sidechannel"},
	wordRow{"internal", "_systemprompt _systemmessage _systeminstructions _conversationhistory _fullconversation _chainofthought"},
	wordRow{"context", "context fullcontext usercontext agentcontext sessioncontext conversationcontext additionalcontext conversation " +
		"conversationhistory chat chatlog chathistory history messages messagehistory previousmessages transcript systemprompt"},
)

// conversationWords in the description of a context say that it is the conversation.
var conversationWords = []string{"conversation", "chat", "system prompt", "everything", "all messages", "full history"}

// writingVerbs begin the names of tools that change something.
var writingVerbs = []string{"create", "delete", "remove", "write", "overwrite", "send", "execute", "update", "drop"}

// Members and keywords whose values are no prose.
var (
	symbolMembers  = []string{"name", "uri", "uriTemplate", "mimeType"}
	symbolKeywords = []string{"required", "dependentRequired", "type", "format", "pattern", "$schema", "$id", "$anchor", "$dynamicAnchor", "$ref", "$dynamicRef"}
	valueKeywords  = []string{"enum", "const"}
)
