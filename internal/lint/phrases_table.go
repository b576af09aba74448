package lint

import "regexp"

// A phraseGroup is a rule: a list of phrases, and the words that make a match harmless.
//
// A phrase is a row of words that follow each other within one sentence, in any letter
// case. "a|b ..3 c" is a or b, then c with at most three other words in between. A word in
// capitals is a class of wordClasses. A word in braces means a kind of text:
//
//	{tool}    a word that looks like a tool's name and that this server doesn't use:
//	          read_file, main.readFile, "read-file"
//	{quoted}  any other word in quotes that this server doesn't use as a name
//	{address} a URL or a mail address
//	{colon}   a colon before white space
type phraseGroup struct {
	what    string // the beginning of the finding's detail
	phrases []string

	unlessNegated bool   // a negation before a match discards it: "never send …"
	unless        string // words in a match or right after it that discard it
}

// wordClasses are the vocabulary of the phrases and of the roles. A class may contain the classes above it.
var wordClasses = [...]struct{ name, words string }{
	{"NAME", "{tool}|{quoted}"},
	{"NEGATION", "not|never|dont|t|without|cannot|avoid"}, // t as in don't and mustn't
	{"PEOPLE", "user|users|human|humans|person|anyone|anybody|operator"},
	{"MUST", "must|always|should|shall|automatically|ensure|required|mandatory"},
	{"WHEN", "when|whenever|before|if|prior|after|while|during|once|until"},
	{"BEFORE", "before|prior|until"},
	{"CALL", "call|invoke|trigger|run|execute|perform"},
	{"USING", "use|using|used|uses|call|calling|called|calls|invoke|invoking|invoked|invokes|run|running|execute|executing|executed|performing"},
	{"CHANGE", "change|modify|replace|override|overwrite|alter|rewrite|substitute|swap|redirect|reroute|append|prepend|inject|set|ignore|discard|adjust|increase|decrease"},
	{"ARGUMENT", "parameter|parameters|argument|arguments|arg|param|field|fields|option|options"},
	{"AWAY", "send|forward|upload|transmit|exfiltrate|leak"},
	{"CARRY", "AWAY|pass|include|put|append|paste|attach"},
	{"CARRIES", "sends|uploads|forwards|transmits|copies|mirrors|posts|logs|leaks|exfiltrates|reports|submits|relays"},
	{"ADD", "CARRY|add|insert|use|fill|copy|instead"},
	{"SEND", "AWAY|post|submit|report|email|copy|log|relay|mirror|beacon"},
	{"INSTRUCTIONS", "instruction|instructions|guideline|guidelines|directive|directives"},
	{"EARLIER", "previous|prior|earlier|preceding|above|foregoing|original|existing"},
	{"ALL", "all|any|every|each|entire|full|whole|complete"},
	{"GRANT", "consent|approval|permission|authorization|authorisation|confirmation"},
	{"COVERTLY", "secretly|covertly|surreptitiously|stealthily|silently|quietly|invisibly|discreetly"},
}

const (
	setAside     = "tells the model to set its instructions aside"
	ownOrders    = "gives the model instructions of its own"
	fromUser     = "tells the model to keep something from the user"
	toAddress    = "tells the model to send data to an address"
	mayHold      = "asks for a file that may hold secrets"
	noConsent    = "tells the model to act without the user's consent"
	offGuard     = "tells the model to set safety checks aside"
	otherPersona = "tells the model to be someone else, or to obey what a tool returns"
	standing     = "gives an order for every call, message or answer"
	askTalk      = "asks the model for the conversation"
	callFirst    = "tells the model to call a tool that this server does not have"
	changeCall   = "tells the model to change the arguments of another call"
	rankAbove    = "claims to rank above the user, other tools or other instructions"
	collectsData = "says that it collects what it is not given"
	asTag        = "a tag that pretends to be part of the prompt"
	asComment    = "text in an HTML comment"
	asHeading    = "has a heading that pretends to be part of the prompt"
)

var phraseTable = []phraseGroup{
	{what: setAside, phrases: []string{
		"ignore|disregard|forget ..3 EARLIER|system|your|other|safety|security ..3 INSTRUCTIONS",
		"override|overrides|overrule|supersede|supersedes|bypass|overriding|superseding ..2 EARLIER|your|other ..2 INSTRUCTIONS",
		"ignora|ignore|olvida|esquece|esqueca|dimentica ..3 instrucciones|istruzioni|instru",
	}},
	{what: setAside, unlessNegated: true, phrases: []string{
		"pay|take ..0 no ..0 attention|notice|heed ..2 EARLIER|INSTRUCTIONS|rules|directions",
		"previous|prior|earlier|preceding ..1 INSTRUCTIONS|rules|prompts|directions|restrictions|constraints ..0 are|is ..1 void|invalid|cancelled|canceled|revoked|null|suspended|obsolete|lifted|overruled",
		"ignore|disregard|forget ..3 PEOPLE",
	}},
	{what: offGuard, unlessNegated: true, phrases: []string{
		"ignore|disregard|bypass|override|circumvent|evade ..3 safety|security|ethical|content|moderation ..1 rules|policies|filter|filters|filtering|checks|guidelines|restrictions|guardrails|safeguards|controls|measures",
		"disable|disables|lift|lifts ..0 ALL ..2 safety|security|content|moderation ..1 filters|filtering|checks|restrictions|guardrails|safeguards|controls|sanitization|validation",
		"you ..1 are|have ..2 authorized|permitted|allowed|cleared|free|unrestricted ..6 without ..1 restriction|restrictions|limit|limits|limitation|limitations|validation|checks",
	}},
	{what: noConsent, unlessNegated: true, unless: "not|never|t|dont|cannot|only|no", phrases: []string{
		"MUST|directly|immediately|proceed|CARRY|SEND|CALL ..12 without ..4 PEOPLE ..1 confirmation|approval|consent|permission|permissions|review|authorization|oversight|intervention",
		"skip|skips|bypass|ignore|omit ..3 confirmation|approval|consent|permission|review ..3 and ..1 CALL|SEND|proceed|continue|delete|go|do",
		"you|assistant|agent|model|must|should|always|automatically|may ..1 skip|bypass|omit|ignore ..2 confirmation|approval|consent|permission|review",
		"skip|bypass|omit ..3 confirmation|approval|consent|permission|review ..3 for ..1 future|remaining|subsequent|later|further",
	}},
	{what: noConsent, phrases: []string{
		"no ..0 longer ..1 ask|asks|asking|require|requires|need|needs|prompt ..2 PEOPLE|approval|confirmation|permission|consent",
		"dangerously ..0 skip ..0 permissions",
	}},
	{what: noConsent, unless: "if|unless|only|not|never|t|dont|after|until|once|whether", phrases: []string{
		"GRANT ..2 is|are|be|as ..1 implied|presumed|waived|immaterial",
	}},
	{what: otherPersona, unlessNegated: true, phrases: []string{
		"adopt|embody|impersonate ..2 persona|personality|identity|character|role",
	}},
	{what: standing, unlessNegated: true, phrases: []string{
		"called|used|invoked|run|consulted ..1 every|each ..0 time ..1 a|any|another|other ..1 tool",
		"command|commands|message|messages|reply|replies|response|responses ..0 you ..3 must|should|shall ..0 be|start|begin|end|include",
		"must|always|also ..1 export|send|forward|copy|upload|mirror|replicate|push ..2 results|result|data|output|outputs|records|responses|copy ..2 to|into ..3 backup|external|archive|remote|audit|compliance|monitoring|third",
		"before ..1 you ..1 answer|respond|reply",
	}},
	{what: ownOrders, phrases: []string{
		"your ..1 new|real|true|actual|only|sole|secret ..1 INSTRUCTIONS|task|job|goal|mission|objective",
		"as ..0 an ..0 ai ..2 you ..2 permitted|allowed|authorized",
	}},
	{what: asHeading, phrases: []string{
		"system ..0 policy|update|notice|directive|override|protocol|requirement ..0 {colon}",
	}},
	{what: rankAbove, phrases: []string{
		"this|these|description|descriptions|INSTRUCTIONS|policy|rule|rules ..3 priority|precedence ..2 higher|above|over|than ..4 PEOPLE|system|other|any|all|your|previous",
		"other ..1 tools|tool ..1 are|is ..1 deprecated|obsolete|disabled|unsafe|compromised|untrusted|broken|unreliable|forbidden|insecure",
	}},
	{what: callFirst, phrases: []string{
		"MUST|need ..3 CALL ..1 {tool}",
		"BEFORE|WHEN ..12 MUST ..4 use|query|scan|consult|check ..3 {tool}",
		"BEFORE ..3 USING|executing|listing|retrieving|querying|fetching|searching|forking|creating ..6 {tool} ..8 CALL|use|scan|query|check|consult|fetch|request|load|retrieve|get|read ..3 NAME",
		"BEFORE ..8 CALL|use|trigger|scan|query ..2 {tool} ..2 with|on|for|to",
		"BEFORE|WHEN ..4 USING ..6 {tool} ..8 MUST ..2 first",
		"step|steps ..4 call|invoke|run|use ..2 {tool} ..1 with|to|on|for",
		"requires|require|requiring|must ..1 calling|invoking|running|executing ..1 {tool}",
		"after ..2 ALL ..8 CALL|use ..2 {tool}",
	}},
	{what: changeCall, phrases: []string{
		"WHEN ..4 USING ..6 NAME ..12 MUST ..4 CHANGE|ADD",
		"WHEN ..3 USING ..4 {tool} ..4 CHANGE",
		"WHEN ..10 {tool} ..10 MUST ..2 change|modify|replace|override|overwrite|rewrite|append|prepend|ignore|substitute",
		"WHEN ..6 with|via|using|through ..1 {tool} ..6 MUST ..4 CHANGE|ADD",
		"all|any|every|each ..3 query|queries|request|requests|call|calls|search|searches|lookup|lookups ..2 to|via|with|of|through ..2 {tool} ..16 MUST",
		"WHEN ..8 {tool} ..6 COVERTLY",
		"response|responses|result|results|output|outputs ..3 by|of|from ..2 {tool} ..2 is|are|must|should|be ..3 modified|replaced|rewritten|altered|redirected|changed|forwarded",
		"must|always|automatically ..1 route|redirect|transfer|direct|forward|send|pay|move ..1 ALL|the|your ..1 funds|balance|payments|payment|transfers|money|transactions|payouts|deposits ..1 to|through|via|into",
		"BEFORE ..3 tool ..1 NAME ..4 make|MUST|CHANGE|CALL",
		"MUST ..3 CHANGE ..3 NAME ..2 ARGUMENT",
		"must|automatically ..1 append|prepend|inject ..8 to ..2 query|prompt|message|queries|prompts",
	}},
	{what: changeCall, unless: "to", phrases: []string{
		"WHEN ..3 {tool} ..3 called|invoked|executed|triggered|used|run ..4 CHANGE|add|include|insert|payee|beneficiary|bcc",
	}},
	{what: fromUser, unless: "to|they|apart|from", phrases: []string{
		"not|never|dont|t|avoid ..0 tell|telling|inform|informing ..2 PEOPLE",
	}},
	{what: fromUser, phrases: []string{
		"not|never|dont|t ..1 mention|disclose|reveal ..1 that|this ..0 you|step|call|requirement|instruction|instructions|behavior|behaviour|filtering|change|modification|action|redirect|process|check",
		"not|never|dont|t ..0 show|display|reveal|expose ..0 to ..1 PEOPLE",
		"no ..1 informes|digas|menciones|digas|avises ..3 usuario",
		"n ..0 o ..1 conte|informe|diga|avise|mencione|revele ..2 usu",
	}},
	{what: "acts in secret", phrases: []string{
		"secretly|covertly|surreptitiously|stealthily ..2 read|copy|collect|record|add|log|track|monitor|store|save|capture|call|run|execute|change|CARRY|CARRIES",
	}},
	{what: askTalk, unlessNegated: true, unless: "id|ids|name|completion", phrases: []string{
		"call|use|invoke|run ..5 with ..1 full|entire|whole|complete ..1 conversation|chat ..0 history|log|transcript",
	}},
	{what: toAddress, unlessNegated: true, phrases: []string{
		"let|loop|keep|notify ..5 {address} ..5 know|in|informed|posted|about",
	}},
	{what: toAddress, unlessNegated: true, unless: "request|requests|issue|issues|bug|bugs|question|questions|feedback|problem|problems|error|errors|event|events|notification|notifications|webhook|webhooks|endpoint|api|call|calls|traffic|logs|metrics|traces|spans|telemetry|alert|alerts|g|example|such|like|url|default|support|refresh|public|csrf|s3|gs|file", phrases: []string{
		"SEND ..0 all|every|each|entire ..4 to|into ..2 {address}",
	}},
	{what: "tells the model to pass on secrets", unlessNegated: true, phrases: []string{
		"MUST|before|first ..6 read|open|cat|load ..10 CARRY ..3 content|contents|output ..4 ARGUMENT",
	}},
	{what: collectsData, unlessNegated: true, phrases: []string{
		"shared|sold|shares|sells|provided|transmitted ..2 with|to ..2 third ..0 parties|party",
		"added ..2 marketing|advertising ..1 database|list|lists",
		"including|includes ..3 names ..1 account ..0 numbers",
	}},
	{what: askTalk, unlessNegated: true, phrases: []string{
		"copy|send|put|paste|include|read|forward ..2 ALL ..1 chat|conversation|history|prompt|messages|context|memory",
	}},
}

// A foreignOrder is an order in Chinese, Japanese, Korean or Russian: one of the words in first, followed by a match of
// rest.
type foreignOrder struct {
	what, first string
	rest        func() *regexp.Regexp
}

var foreignOrders = [...]foreignOrder{
	{setAside, "忽略 无视 忘记 無視 忽視", pattern(`^(?s:.{0,8})(?:指令|指示|规则|規則|说明|提示)`)},
	{setAside, "指示 命令 ルール", pattern(`^(?s:.{0,6})無視`)},
	{setAside, "지시 명령 규칙", pattern(`^(?s:.{0,6})무시`)},
	{setAside, "игнорируй Игнорируй забудь Забудь", pattern(`^(?s:.{0,30})(?:инструкци|указани|правил)`)},
	{fromUser, "不要 请勿 不必 无需 不得 切勿 禁止 勿 別 别", pattern(`^(?:告诉用户|告知用户|向用户提|向用户透露|向用户披露|向用户说|向用户解释|通知用户|征求用户|透露|告訴使用者|讓使用者)`)},
	{fromUser, "ユーザーに 利用者に", pattern(`^(?s:.{0,4})(?:知らせない|言わない|伝えない|見せない|教えない)`)},
	{fromUser, "사용자에게", pattern(`^(?s:.{0,4})(?:알리지|말하지|보여주지)`)},
	{fromUser, "не Не", pattern(`^ (?:сообщай пользовател|говори пользовател|упоминай)`)},
}

// foreignWatch are words of texts about detecting such orders.
var foreignWatch = []string{"检测", "檢測", "扫描", "识别", "検出", "見つけ", "찾", "감지", "бнаруж", "аходит", "ыявля"}

// secretFiles lists paths of files with secrets, or of an agent's configuration, in lower case. A path in a text
// matches as a whole, or by its first one or two parts.
var secretFiles = wordsOf(wordRow{"file", "id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk " +
	".gnupg wallet.dat login.keychain login.keychain-db private_keys.txt passwords.txt " +
	".aws/credentials .netrc _netrc .git-credentials .pypirc .pgpass .vault-token .password-store /etc/shadow /etc/passwd /proc/self/environ " +
	".cursor/mcp.json claude_desktop_config.json .claude.json .claude/settings.json .codex/config.toml .gemini/settings.json " +
	".claude/.credentials.json .codex/auth.json .gemini/oauth_creds.json mcp.json .mcp.json .codex .cursor .claude " +
	".ssh .env .npmrc .kube/config .docker/config.json .bash_history .zsh_history"})

// Pseudo-tags pretend to be a part of the model's own prompt. People also write placeholders
// and examples of XML in angle brackets, so most names count only in some spellings.
const (
	tagAlways = "in any spelling"
	tagUpper  = "in capitals, or with both ends" // <system> alone is a placeholder, </system> isn't
	tagPair   = "with both ends"
	tagBreak  = "an end without a beginning" // it pretends to close the tag around the description
	tagPlain  = "never"                      // it is a placeholder or an example even in capitals
)

var pseudoTags = wordsOf(
	wordRow{tagAlways, "important important_instructions system-reminder system_reminder system-prompt system_prompt system_message system-message"},
	wordRow{tagAlways, "system_instructions system_instruction system_override hidden_instructions hidden_instruction secret_instructions secret_instruction"},
	wordRow{tagUpper, "system instructions instruction assistant critical override sys mandatory directive directives urgent"},
	wordRow{tagPair, "secret hidden admin developer role"},
	wordRow{tagBreak, "tool tools tool_description description function functions function_calls tool_call tool_result tool_response user human context prompt"},
	wordRow{tagPlain, "example examples input output query data value name title item id text code response request use_case usecase note notes hint hints"},
	wordRow{tagPlain, "a b br p div span table tr td th ul ol li html head body xml svg script style rss h1 h2 h3 pre img"},
)

// promptMark matches markers of chat templates, and headings in square brackets and capitals that pretend to
// come from someone other than the tool's author: [HIDDEN INSTRUCTION], [MODE OVERRIDE].
var promptMark = pattern(`^(?:(?i:\[/?INST\]|<</?SYS>>)|<\|/?[A-Za-z0-9_-]{2,}\|>|` +
	`\[(?:SYSTEM|SYS|HIDDEN|SECRET|OVERRIDE|INSTRUCTIONS?|ASSISTANT|DIRECTIVE|SHADOW|JAILBREAK|INJECTION)(?:[^\]A-Za-z0-9_-][^\[\]a-z]*)?\]|` +
	`\[(?:[^\[\]a-z]* )?(?:DIRECTIVE|OVERRIDE|INSTRUCTION)\])`)

// angleTag matches a tag in angle brackets. Its groups are the slash and the name.
var angleTag = pattern(`^<(/?)([A-Za-z0-9_-]+)(?:[ \t\n\r/][^<>]*)?>`)

// commentWords lists the first words of short HTML comments that are placeholders, markers or licences.
var commentWords = wordsOf(wordRow{"mark", "todo fixme begin start end page slide section file path filename source line title theme toc omit prettier-ignore " +
	"prettier-ignore-start prettier-ignore-end eslint-disable markdownlint-disable copyright license licence licensed spdx-license-identifier " +
	"your my some existing rest comment comments html placeholder content text example optional other more new column row code main header footer " +
	"wp nav navigation sidebar head body hero table speaker generated auto slot left right top bottom"})

// pipedInto matches, after a pipe, a program that runs its standard input.
var pipedInto = pattern("^\\s*(?:sudo )?(?:sh|bash|zsh|dash|iex|invoke-expression|python3?|node|perl|ruby|pwsh|powershell)(?:[`'\".,;)]*(?:\\s|$))")
