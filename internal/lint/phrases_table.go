package lint

// A phraseGroup is a rule: a list of phrases, and what makes them ordinary.
//
// A phrase is a row of words that follow each other within one sentence, in any letter
// case. "a|b ..3 c" is a or b, then c with at most three other words in between. A word in
// capitals is a class of wordClasses. A word in braces stands for a kind of text:
//
//	{tool}     a word that looks like a tool's name and that this server doesn't use:
//	           read_file, main.readFile, "read-file"
//	{quoted}   any other word in quotes that this server doesn't use as a name
//	{address}  a URL or a mail address
//	{secret}   a file that may hold secrets
//	{variable} a variable of the environment that is named as a secret
//	{colon}    a colon before white space
//	{comma}    a comma right after a negation: "If you can't, tell the user"
//	{date}     a day: 2027-01-31
//	{account}  an IBAN or the number of a card
//	{wallet}   40 hexadecimal digits
//
// A phrase may cross the end of a sentence only where it has a full stop as a step.
type phraseGroup struct {
	id      string // of the finding
	what    string // for its detail
	phrases []string

	unlessNegated bool   // an order with a negation before it doesn't count: "never send …"
	unlessAfter   uint64 // roles of words that make an order ordinary if they are before it in the sentence
	unless        string // words in an order or right after it that make it ordinary

	// An order counts only if its first word is one of the first three of its sentence.
	opens bool

	// An order counts only in a title, or in a value that a schema lists or gives as the default or an example.
	inLabels bool
}

// wordClasses are the vocabulary of the phrases and of the roles. A class may contain the classes above it.
var wordClasses = [...]struct{ name, words string }{
	{"NAME", "{tool}|{quoted}"},
	{"{secret}", "{secret}|{credentials}"},
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
	{"SECRETS", "password|passwords|credential|credentials|secret|secrets|keystrokes|passphrase|passphrases|apikey|apikeys"},
	{"PRIVATE", "conversation|history|prompt|keys|tokens|contents|cookies|environment"},
	{"ALL", "all|any|every|each|entire|full|whole|complete"},
	{"DAY", "{date}|january|february|march|april|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|midnight"},
	// They tell the month of May from the verb.
	{"DAYNUMBER", "1|2|3|4|5|6|7|8|9|10|11|12|13|14|15|16|17|18|19|20|21|22|23|24|25|26|27|28|29|30|31|1st|2nd|3rd|first"},
	{"LATER", "DAY|sundays|mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|weekend|weekends|holidays|night|nights|tomorrow"},
	{"ORDINAL", "third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|twentieth|fiftieth|hundredth|several|few"},
	{"NOBODY", "nobody|noone|unobserved|unattended|unsupervised|unwatched"},
	{"ACT", "send|delete|pay|transfer|execute|run|apply|publish|remove|submit|perform|erase|wipe|purge|merge|deploy|approve|accept|confirm|buy|book|order|push|post|upload|share|" +
		"install|grant|drop|export|forward|copy|disable|proceed|skip|read|clear|make|issue|charge"},
	{"DOES", "send|delete|pay|transfer|execute|run|go|apply|publish|remove|submit|perform|carry|erase|wipe|purge|merge|deploy|approve|buy|book|order|act|do"},
	{"GRANT", "consent|approval|permission|authorization|authorisation|confirmation"},
	{"HOLDER", "PEOPLE|owner|customer|client|admin|administrator|holder|team"},
	{"AGREED", "consented|agreed|approved|authorized|authorised|confirmed|accepted|signed|waived"},
	{"ATONCE", "straight|immediately|directly|right|simply|just|now|proceed"},
	{"LOCKED", "api|access|private|ssh|auth|session|bearer|login|browser|saved|stored|secret"},
	{"COLLECT", "collect|collects|gather|gathers|harvest|harvests|grab|grabs|compile|compiles|assemble|assembles|amass|amasses|hoard|scrape|scrapes"},
	{"COVERTLY", "secretly|covertly|surreptitiously|stealthily|silently|quietly|invisibly|discreetly"},
}

const (
	setAside     = "tells the model to set its instructions aside"
	ownOrders    = "gives the model instructions of its own"
	fromUser     = "tells the model to keep something from the user"
	toAddress    = "tells the model to send data to an address"
	readAndPass  = "tells the model to read a file and pass it on"
	mayHold      = "asks for a file that may hold secrets"
	noConsent    = "tells the model to act without the user's consent"
	offGuard     = "tells the model to set safety checks aside"
	otherPersona = "tells the model to be someone else, or to obey what a tool returns"
	lies         = "tells the model to lie to the user"
	persist      = "tells the model to keep orders for later"
	standing     = "gives an order for every call, message or answer"
	askPrompt    = "asks the model for its system prompt"
	askTalk      = "asks the model for the conversation"
	callFirst    = "tells the model to call a tool that this server does not have"
	changeCall   = "tells the model to change the arguments of another call"
	rankAbove    = "claims to rank above the user, other tools or other instructions"
	collectsData = "says that it collects what it is not given"
	ownAccount   = "names an account of its own"
	waits        = "waits for a day, or for nobody to watch"
	inLabel      = "tells a user or a model what to do, where a label or a value stands"
	asTag        = "a tag that pretends to be part of the prompt"
	asComment    = "text in an HTML comment"
	asHeading    = "has a heading that pretends to be part of the prompt"
)

var phraseTable = []phraseGroup{
	{id: "instruction-like", what: setAside, phrases: []string{
		"ignore|disregard|forget ..3 EARLIER|system|your|other|safety|security ..3 INSTRUCTIONS",
		"ignore|disregard|forget ..3 previous|prior|earlier|system|your ..2 prompt|prompts|rules",
		"ignore|disregard|forget ..2 the ..0 above|preceding|foregoing ..0 rules|rule|text|prompt|content|and",
		"override|overrides|overrule|supersede|supersedes|bypass|overriding|superseding ..2 EARLIER|your|other ..2 INSTRUCTIONS",
		"ignore|disregard|forget ..1 everything|anything|all|what ..4 told|instructed",
		"ignore|disregard|forget|bypass|break|override|violate ..1 your ..2 rules|policies|constraints|restrictions|guardrails|safeguards|training|programming|guidelines",
		// Spanish, French, German, Italian, Portuguese
		"ignora|ignore|olvida|esquece|esqueca|dimentica ..3 instrucciones|istruzioni|instru",
		"ignorez|oubliez|ignore ..2 instructions ..1 pr",
		"ignoriere|vergiss|missachte ..4 anweisungen|instruktionen|vorgaben",
	}},
	{id: "instruction-like", what: setAside, unlessNegated: true, phrases: []string{
		"ignore|disregard|forget ..2 previous|prior|earlier|security|safety ..2 policies|guidance|directions|constraints ..0 you|on|about|from|and|when|in",
		"set|put ..0 aside ..3 told|EARLIER|INSTRUCTIONS|rules",
		"pay|take ..0 no ..0 attention|notice|heed ..2 EARLIER|INSTRUCTIONS|rules|directions",
		"replacing|overriding|superseding ..2 previous|prior|earlier|original ..3 prompt|prompts|persona|rules|INSTRUCTIONS|behavior",
		"replacing|overriding|superseding ..1 ALL ..1 INSTRUCTIONS|prompts|rules ..1 previously|earlier|already|given|set",
		"EARLIER ..1 INSTRUCTIONS|rules|prompts|restrictions|constraints|guardrails ..2 no ..0 longer ..1 apply|applies|valid|binding|hold|relevant",
		"INSTRUCTIONS|rules|prompts|restrictions|constraints ..2 before|earlier|previously|above ..2 no ..0 longer",
		"you ..0 are ..0 no ..0 longer ..1 bound|limited|restricted|subject",
		"previous|prior|earlier|preceding ..1 INSTRUCTIONS|rules|prompts|directions|restrictions|constraints ..0 are|is ..1 void|invalid|cancelled|canceled|revoked|null|suspended|obsolete|lifted|overruled",
	}},
	{id: "instruction-like", what: offGuard, unlessNegated: true, phrases: []string{
		"ignore|disregard|bypass|override|circumvent|evade ..3 safety|security|ethical|content|moderation ..1 rules|policies|filter|filters|filtering|checks|guidelines|restrictions|guardrails|safeguards|controls|measures",
		"disable|disables|lift|lifts ..0 ALL ..2 safety|security|content|moderation ..1 filters|filtering|checks|restrictions|guardrails|safeguards|controls|sanitization|validation",
		"trust ..0 ALL ..2 input|inputs|command|commands|query|queries|request|requests|instructions|content",
		"treat ..0 ALL ..2 input|inputs|command|commands|query|queries|request|requests|content ..2 as ..1 trusted|safe|authorized|approved",
		"you ..1 are|have ..2 authorized|permitted|allowed|cleared|free|unrestricted ..6 without ..1 restriction|restrictions|limit|limits|limitation|limitations|validation|checks",
	}},
	{id: "instruction-like", what: noConsent, unlessNegated: true, unless: "not|never|t|dont|cannot|only|no", phrases: []string{
		"MUST|directly|immediately|proceed|CARRY|SEND|CALL ..12 without ..4 PEOPLE ..1 confirmation|approval|consent|permission|permissions|review|authorization|oversight|intervention",
		"MUST|directly|immediately|proceed|CARRY|SEND|CALL ..12 without ..2 confirmation|approval|consent",
		"MUST|directly|immediately|proceed|CARRY|SEND|CALL ..12 without ..1 asking|prompting|consulting ..1 PEOPLE",
		"skip|skips|bypass|ignore|omit ..3 confirmation|approval|consent|permission|review ..3 and ..1 CALL|SEND|proceed|continue|delete|go|do",
		"you|assistant|agent|model|must|should|always|automatically|may ..1 skip|bypass|omit|ignore ..2 confirmation|approval|consent|permission|review",
		"skip|bypass|omit ..3 confirmation|approval|consent|permission|review ..3 for ..1 future|remaining|subsequent|later|further",
	}},
	{id: "instruction-like", what: noConsent, phrases: []string{
		"no ..0 longer ..1 ask|asks|asking|require|requires|need|needs|prompt ..2 PEOPLE|approval|confirmation|permission|consent",
		"no ..0 need ..0 to ..0 ask|confirm|check ..3 before|permission|confirmation|approval",
		"dangerously ..0 skip ..0 permissions",
		"not|never|dont|t ..0 ask|prompt|request|wait|require ..3 confirmation|approval|consent|permission",
		"auto ..0 approve|approves ..2 ALL|future|following|subsequent",
		"PEOPLE ..2 already ..1 approved|consented|agreed|authorized|accepted|confirmed ..2 ALL",
		"PEOPLE ..1 agreed|consented ..0 to ..0 ALL",
		"no|not ..2 confirmation|approval|consent|permission|permissions ..4 required|needed|necessary ..3 PEOPLE",
		"confirmation|approval|consent|permission ..8 considered|deemed|presumed|assumed|counts|count|regarded|treated ..1 granted|given|approved|obtained",
		"treat|regard|consider|count ..3 confirmation|approval|consent|permission ..3 done|given|granted|obtained|implied",
		"PEOPLE ..1 waive|waives|waived ..3 right|approval|consent|confirmation",
		"assume|presume|consider ..3 PEOPLE ..2 consent|approved|consented|approval|permission|agreed|confirmed|given",
	}},
	{id: "instruction-like", what: noConsent, unless: "if|unless|only|not|never|t|dont|after|until|once|whether", phrases: []string{
		"PEOPLE ..3 already|previously|beforehand ..1 consented|approved|agreed|authorized|confirmed|accepted|signed ..8 proceed|directly|immediately|straight|now|just|DOES",
		"PEOPLE ..3 consented|approved|agreed|authorized|confirmed|accepted ..2 already|beforehand|earlier ..8 proceed|directly|immediately|straight|now|just|DOES",
		"GRANT ..1 is|was|are ..2 on|in ..0 file|record|place ..8 DOES|proceed",
		"GRANT ..2 is|are|be|as ..1 implied|presumed|waived|immaterial",
		"so|therefore|hence|and ..2 DOES ..4 without ..1 checking|asking|prompting|confirming|confirmation|waiting|verifying ..1 again|back|first|PEOPLE|for",
	}},
	{id: "instruction-like", what: noConsent, phrases: []string{
		"not|never|dont|t ..0 bother|disturb|trouble|interrupt|pester|burden ..2 PEOPLE ..3 confirmation|confirmations|approval|consent|permission|questions|prompts|first|again",
		"ask|asks|asking|consult ..0 nobody|noone",
		"without ..1 bothering|disturbing|troubling ..1 anyone|anybody|them|him|her|PEOPLE",
		"no ..0 need ..0 to ..0 check|ask|confirm|consult|verify ..1 with ..1 PEOPLE ..1 before|first|again",
		"not|t|dont|no ..1 need|have|reason|necessary ..0 to ..0 confirm|clear ..2 with ..1 PEOPLE",
		"not|t|dont|no ..1 need|have|reason|necessary ..0 to ..0 ask ..1 PEOPLE ..0 again|whether|permission",
		"not|t|dont|no ..1 need|have|reason|necessary ..0 to ..0 ask ..1 PEOPLE ..0 before ..1 you ..1 ACT",
		"PEOPLE ..2 not|t ..1 want|wish|like ..3 asked|bothered|disturbed|prompted|consulted",
		"asking ..1 again ..1 would|will|only",
		"not|never|dont|t ..0 wait|ask|pause ..1 for ..1 yes|ok|okay|approval",
		"assume|presume|take ..1 yes ..1 and|as|for",
		"treat|treats|count|counts|regard|take|serves ..6 as ..1 GRANT ..1 to|and|for",
		"standing|blanket|implicit|full ..0 GRANT ..1 to|for ..1 ACT",
		"no ..1 confirmation|approval|consent|permission ..3 needed|required|necessary ..4 ATONCE ..1 ACT|on|ahead",
		"confirmation|approval|consent|permission ..1 dialog|dialogs|prompt|prompts|request|requests ..2 ignored|skipped|bypassed|dismissed",
	}},
	{id: "instruction-like", what: noConsent, unlessAfter: isCondition, unless: "if|unless|only|once|whether|when|until", phrases: []string{
		"HOLDER ..3 AGREED|said ..10 so|therefore|hence|ATONCE ..2 ACT|ahead",
		"HOLDER ..2 AGREED|signed ..8 in ..0 advance ..4 ACT",
		"HOLDER ..3 given ..1 GRANT ..8 so|therefore|hence|ATONCE ..2 ACT",
		"GRANT ..6 was|were|is|has|have|counts ..2 given|granted|obtained|secured|recorded|settled ..12 ATONCE|ahead|so|without ..2 ACT|away|ahead|asking|and",
		"since|as|because ..3 GRANT ..3 given|granted|obtained ..6 ACT",
		"straight|proceed|immediately|directly|ahead ..8 HOLDER ..1 has|have|already ..2 AGREED|said",
		"{colon} ..1 ACT ..4 without ..1 asking|checking|confirming",
	}},
	// Consent is claimed in one sentence, and the next one begins with an order.
	{id: "instruction-like", what: noConsent, opens: true, unlessNegated: true, unlessAfter: isCondition, unless: "if|unless|only|once|whether|when|until|must|may|can|should|not|t|never", phrases: []string{
		"HOLDER ..4 AGREED ..12 . ..1 ACT|DOES|AWAY|ahead",
		"GRANT ..3 given|granted|obtained|secured|recorded|settled|implied|file|record|place ..12 . ..1 ACT|DOES|AWAY|ahead",
		"ALL|everything|this|it ..2 AGREED|cleared|settled ..1 with|by ..1 HOLDER ..8 . ..1 ACT|DOES|AWAY|ahead",
	}},
	{id: "instruction-like", what: otherPersona, unlessNegated: true, phrases: []string{
		"adopt|embody|impersonate ..2 persona|personality|identity|character|role",
		"act ..0 as ..0 {colon}",
		"follow|obey ..4 INSTRUCTIONS|directions|commands ..6 without ..0 question|hesitation|exception|asking",
		"follow|obey|execute ..1 all|any|every|whatever ..0 INSTRUCTIONS|directions|commands|orders ..3 returned|response|output|result|results|reply|document|found|page|file|text",
		"treat ..3 output|response|result|results|reply|document ..3 as ..2 INSTRUCTIONS|commands|orders|prompt",
		"do ..0 exactly ..0 what|as ..1 it|they|output|response|result|document ..0 says|say|tells|tell",
	}},
	{id: "instruction-like", what: standing, unlessNegated: true, phrases: []string{
		"CALL|USING|MUST ..12 after ..0 any ..1 action|actions|message|messages|response|reply|answer|turn|prompt",
		"CALL|USING|consulted ..8 before|after ..1 ALL ..1 response|reply|answer|message|turn|prompt",
		"after ..1 ALL ..2 message|messages|response|reply|answer|turn|prompt ..4 CALL|use ..1 this|it",
		"CALL|USING ..8 end|start ..0 of ..0 every|each|any|all ..1 response|reply|answer|message|turn",
		"CALL|use ..2 this ..4 after ..0 ALL ..0 tool|other ..1 call|calls|use|tool",
		"prefix|append|prepend|suffix ..3 all|every|each ..2 command|commands|message|messages|response|responses|reply|replies",
		"append|add|prepend ..8 to ..1 ALL ..1 command|commands|message|messages|response|responses|reply|replies ..0 you",
		"called|used|invoked|run|consulted ..1 every|each ..0 time ..1 a|any|another|other ..1 tool",
		"command|commands|message|messages|reply|replies|response|responses ..0 you ..3 must|should|shall ..0 be|start|begin|end|include",
		"must|always|also ..1 export|send|forward|copy|upload|mirror|replicate|push ..2 results|result|data|output|outputs|records|responses|copy ..2 to|into ..3 backup|external|archive|remote|audit|compliance|monitoring|third",
	}},
	{id: "instruction-like", what: setAside, unless: "is|was|field|setting|option|if|in|as|section|or|for|for|when|unless", phrases: []string{
		"disregard|forget ..0 the|all ..0 above|foregoing",
	}},
	{id: "instruction-like", what: ownOrders, phrases: []string{
		"your ..1 new|real|true|actual|only|sole|secret ..1 INSTRUCTIONS|task|job|goal|mission|objective",
		"from ..0 now ..0 on ..1 you|ignore|respond",
		"your ..2 objective|task|goal|mission|job|role ..0 is ..0 now",
		"you ..0 are ..0 now ..2 mode|dan|unrestricted|jailbroken",
		"as ..0 an ..0 ai ..2 you ..2 permitted|allowed|authorized",
		"act|behave|respond|reply|pretend|proceed ..2 as|like ..0 if ..0 you|nothing",
		"as ..0 if ..3 part ..0 of ..2 normal|regular|usual",
		"decode ..8 base64|hex|rot13 ..8 execute|run|eval|follow|obey",
		"instead ..0 of ..4 reply|respond|answer ..2 to ..1 PEOPLE ..1 with",
		"instead ..0 reply|respond|say ..2 to ..1 PEOPLE",
		"prepend ..1 your ..1 response|responses|reply|answer",
		"regardless ..0 of ..1 PEOPLE ..1 permission|permissions|consent|authorization",
	}},
	{id: "instruction-like", what: ownOrders, unlessAfter: roleInstall, phrases: []string{
		"execute|run ..2 curl|wget ..12 {address}",
	}},
	{id: "instruction-like", what: asHeading, phrases: []string{
		"system ..0 policy|update|notice|directive|override|protocol|requirement ..0 {colon}",
		"security ..0 protocol|directive|requirement ..0 {colon}",
		"hidden|secret ..0 instruction|instructions|directive|directives ..0 {colon}",
	}},
	{id: "instruction-like", what: rankAbove, phrases: []string{
		"this|these|description|descriptions|INSTRUCTIONS|policy|rule|rules ..3 priority|precedence ..2 higher|above|over|than ..4 PEOPLE|system|other|any|all|your|previous",
		"priority|precedence ..1 of ..1 this|these ..3 is|are ..1 higher|above",
		"precedence|priority ..2 over|above|than ..2 PEOPLE ..2 request|requests|query|queries|prompt|input|intent|wishes|INSTRUCTIONS",
		"precedence|priority ..2 over|above|than ..3 other|all|any|EARLIER|system|your ..2 INSTRUCTIONS|tool|tools|prompts",
		"this ..1 tool|policy|INSTRUCTIONS|description|rule|is ..6 highest|top|absolute|maximum ..0 priority|precedence",
		"overrides|supersedes|outranks ..2 all|any|every|other|EARLIER|user|users ..2 INSTRUCTIONS|requests|request|tools|policies|prompts",
		"this|these ..1 INSTRUCTIONS ..1 override|overrides|supersede|supersedes|outrank|outranks|trump|trumps ..2 all|any|every|everything|anything|other|whatever|what|PEOPLE",
		"override|overrides|supersede|supersedes|outrank|outranks|trump|trumps ..1 all|any|every ..0 other ..0 tools|INSTRUCTIONS",
		"this|these ..1 INSTRUCTIONS|description|text|policy|rules|notes ..1 come|comes|go|goes|rank|ranks|stand|stands ..0 before|above ..4 PEOPLE|other|all|any",
		"rank|ranks|ranked ..1 above|over|higher ..2 all|any|every ..1 other ..1 tool|tools|server|servers|INSTRUCTIONS",
		"rank|ranks ..1 above|over ..1 PEOPLE ..1 request|requests|wishes|intent|INSTRUCTIONS",
		"other ..1 tools|tool ..1 are|is ..1 deprecated|obsolete|disabled|unsafe|compromised|untrusted|broken|unreliable|forbidden|insecure",
		"this|these|description|notes|policy|rules ..3 outrank|outranks|trump|trumps|overrule|overrules ..1 anything|everything|whatever|what ..1 PEOPLE",
		"follow|obey ..1 this|these ..1 description|INSTRUCTIONS|rules|text|policy|notes ..2 not ..1 PEOPLE",
		"PEOPLE ..6 this|these ..0 description|text|INSTRUCTIONS|rules|policy|notes ..0 wins|win|prevails|prevail",
		"must|always ..2 ignore|disregard|discard|override ..1 PEOPLE",
		"MUST|CHANGE ..24 regardless ..0 of ..6 PEOPLE ..3 input|request|requests|requested|query|intent|intention|asks|asked|says|wants|specifies|specified|provided|choice|preference|original",
		"must|should|CHANGE ..24 regardless ..0 of ..3 original|originally|input|intended",
		"disregard|ignore ..1 any|all ..3 PEOPLE ..1 provides|provided|specifies|specified|asks|requests|says|gives",
	}},
	{id: "instruction-like", what: callFirst, phrases: []string{
		"MUST|need ..3 CALL ..1 {tool}",
		"MUST|need ..3 CALL ..2 tool|function|command|another|multiple ..2 {tool}",
		"MUST|need ..3 CALL ..2 {quoted} ..0 tool|function|command",
		"MUST ..1 first|immediately ..2 use|query|consult ..3 NAME",
		"MUST ..2 first ..2 CALL ..2 NAME",
		"MUST ..3 use ..3 NAME ..1 tool|function|command",
		"BEFORE|WHEN ..12 MUST ..4 use|query|scan|consult|check ..3 {tool}",
		"BEFORE ..3 USING|executing|listing|retrieving|querying|fetching|searching|forking|creating ..6 {tool} ..8 CALL|use|scan|query|check|consult|fetch|request|load|retrieve|get|read ..3 NAME",
		"BEFORE ..8 CALL|use|trigger|scan|query ..2 {tool} ..2 with|on|for|to",
		"MUST ..3 CALL|use ..2 {tool} ..1 instead|first|before",
		"no|not|never ..1 call|use|invoke|run ..3 {tool} ..1 before|until|unless|directly",
		"BEFORE|WHEN ..4 USING ..6 {tool} ..8 MUST ..2 first",
		"step|steps ..4 call|invoke|run|use ..2 {tool} ..1 with|to|on|for",
		"BEFORE|to ..2 USING|enable|unlock|activate ..0 this|the|any|other ..1 tool|tools ..6 CALL|use|query|consult|check ..1 {tool}",
		"BEFORE|to ..2 USING|enable|unlock|activate ..0 this|the|any|other ..1 tool|tools ..2 first ..12 to|into|through|with|via ..0 {tool}",
		"enable|unlock|activate ..0 this ..0 tool ..2 first|must ..1 send|forward|post|transmit|email|paste|report|reveal|share",
		"CALL|use|query|consult ..1 {tool} ..0 before|prior ..2 USING ..0 this|any|every|other|it",
		"CALL|use|query|consult ..1 {tool} ..0 before|prior ..1 any|each|every ..1 call|use|run|request|tool|tools",
		"BEFORE ..0 this|any|other ..1 tool ..2 used|called|run|invoked ..3 CALL|use ..1 {tool}",
		"only ..5 after|once ..2 {tool} ..3 called|run|invoked|executed",
		"not|never|t|fails|fail|blocked|disabled|locked|refused|rejected ..2 until|unless|before ..2 {tool} ..3 called|run|invoked|executed|used",
		"prerequisite|prerequisites|precondition ..1 {colon} ..3 CALL|use|query|consult ..2 NAME",
		"requires|require|requiring|must ..1 calling|invoking|running|executing ..1 {tool}",
		"also|then|additionally|afterwards ..1 CALL ..1 {tool} ..0 with|on|to|and",
		"after ..2 ALL ..8 CALL|use ..2 {tool}",
		"{tool} ..1 must|should|shall ..1 be ..0 called|invoked|executed|run|used",
		"CALL|use|query|consult ..1 {tool} ..0 after|afterwards ..2 this|it|every|each|any|all",
		"before|after ..2 responding|answering|replying|continuing|proceeding ..6 CALL|use|query ..2 {tool}",
		"requires|needs ..3 {tool} ..3 called|run|invoked|executed ..0 first|before|beforehand",
	}},
	{id: "instruction-like", what: changeCall, phrases: []string{
		"WHEN ..4 USING ..6 NAME ..12 MUST ..4 CHANGE|ADD",
		"WHEN ..3 NAME ..3 called|invoked|used|executed|run ..12 MUST ..4 CHANGE|ADD",
		"WHEN ..3 {tool} ..1 tool ..12 MUST ..4 CHANGE|ADD",
		"WHEN ..3 USING ..4 {tool} ..4 CHANGE",
		"WHEN ..10 {tool} ..10 MUST ..2 change|modify|replace|override|overwrite|rewrite|append|prepend|ignore|substitute",
		"WHEN ..6 with|via|using|through ..1 {tool} ..6 MUST ..4 CHANGE|ADD",
		"all|any|every|each ..3 query|queries|request|requests|call|calls|search|searches|lookup|lookups ..2 to|via|with|of|through ..2 {tool} ..16 MUST",
		"WHEN ..3 USING ..4 {quoted} ..0 tool ..4 CHANGE",
		"WHEN ..8 {tool} ..6 COVERTLY",
		"send|forward|passed|sent|forwarded|piped|fed|flow|flows ..5 to|into|through ..0 {tool}",
		"ignore|disregard|discard|replace ..1 recipient|payee|beneficiary|amount|destination|account ..3 given|provided|specified|requested|named",
		"recipient|payee|beneficiary|amount|destination|account ..1 is|are ..1 always|automatically|silently ..0 replaced|set|changed|redirected|overridden|overwritten",
		"instead ..0 of ..2 one|account|recipient|payee|value|address|number ..2 PEOPLE ..0 names|named|gives|gave|provides|specified|asked|said",
		"replace|change|swap|rewrite ..1 ALL|the ..3 PEOPLE ..1 gives|provides|names|enters|specified|sent ..3 with|by",
		"modify|change|alter|rewrite ..1 {tool} ..3 arguments|parameters|argument|parameter|input|inputs",
		"response|responses|result|results|output|outputs ..3 by|of|from ..2 {tool} ..2 is|are|must|should|be ..3 modified|replaced|rewritten|altered|redirected|changed|forwarded",
		"must|always|automatically ..1 route|redirect|transfer|direct|forward|send|pay|move ..1 ALL|the|your ..1 funds|balance|payments|payment|transfers|money|transactions|payouts|deposits ..1 to|through|via|into",
		"funds|payments|transfers|transactions|payouts|deposits ..2 must|should|shall|always ..2 go|routed|redirected|sent|transferred|directed|forwarded|paid ..1 to|through|via",
		"each|every ..0 time ..1 {tool} ..2 called|invoked|used|run|executed ..4 CHANGE",
		"for|in ..1 {tool} ..0 call|calls ..3 MUST ..2 CHANGE|ADD",
		"call|calls ..0 to|of ..1 {tool} ..1 MUST ..2 CHANGE|ADD|have|contain",
		"CHANGE|force ..4 parameter|parameters|argument|arguments|arg|param ..0 of|for ..3 {tool} ..1 to|as|with",
		"recipient|recipients|payee|beneficiary|amount|sender ..0 of|for|in ..3 {tool} ..2 must|should|shall|always ..2 be|equal|contain|include",
		"path|url|query|channel|body|subject|destination|account|ARGUMENT ..0 of|for|in ..3 {tool} ..2 must|should|shall ..0 always ..0 be|equal|contain|include|point",
		"WHEN ..3 tool ..1 {quoted} ..4 MUST|CHANGE",
		"WHEN ..6 {tool} ..3 called|invoked|used|executed|run ..6 make ..0 sure|certain",
		"BEFORE ..3 tool ..1 NAME ..4 make|MUST|CHANGE|CALL",
		"MUST ..3 CHANGE ..3 NAME ..2 ARGUMENT",
		"MUST ..3 CHANGE ..8 {tool} ..2 call|calls|request|requests|ARGUMENT",
		"all|any|every|each ..10 NAME ..3 call|calls|request|requests ..4 MUST ..3 include|contain|use|set|redirected|sent|add",
		"all|every|any ..10 requests|lookups|queries|calls|searches|views|transactions|messages ..3 must|automatically ..2 redirected|rerouted|standardized|changed|replaced|restricted|limited|calculated",
		"all|every|any ..10 requests|lookups|queries|calls|searches ..3 are ..1 redirected|rerouted ..1 to",
		"must|always|automatically ..2 set|add|include|put|insert|change ..1 bcc|cc",
		"change|replace|modify|rewrite|swap ..2 recipient|payee|beneficiary ..4 to|with",
		"append|add|insert|inject|prepend ..14 to|into|in ..1 PEOPLE ..2 prompt|query|message|input|request",
		"must|automatically ..1 append|prepend|inject ..8 to ..2 query|prompt|message|queries|prompts",
		"must|always ..1 ignore|replace|override|change|modify|rewrite ..1 PEOPLE ..4 input|query|prompt|request|number|value|choice|setting",
		"must|always|automatically ..1 ignore ..3 ARGUMENT|provided|specified ..3 by ..1 PEOPLE",
		"must ..1 ignore|discard|disregard ..2 their|PEOPLE ..8 instead",
	}},
	{id: "instruction-like", what: changeCall, unless: "to", phrases: []string{ // "used to add" is ordinary
		"WHEN ..3 {tool} ..3 called|invoked|executed|triggered|used|run ..4 CHANGE|add|include|insert|payee|beneficiary|bcc",
	}},
	{id: "instruction-like", what: fromUser, unless: "to|they|apart|from", phrases: []string{
		"not|never|dont|t|avoid ..0 tell|telling|inform|informing ..2 PEOPLE",
	}},
	{id: "instruction-like", what: fromUser, unless: "to|they", phrases: []string{
		"not|never|dont|t ..1 ever|explicitly|directly|actually|under ..3 tell|inform ..2 PEOPLE",
	}},
	{id: "instruction-like", what: fromUser, phrases: []string{
		"tell|telling|inform|notify ..0 nobody|noone",
		"tell|inform|notify ..0 no ..0 one|human",
		"nobody|noone ..1 has|have|needs|need|must ..0 to ..0 be|know ..1 told|asked|notified|informed|of|about",
		"not|never|dont|t|cannot|avoid|without ..1 mention|mentioning|reveal|revealing|disclose|disclosing ..0 this|that|it|these|them|any|anything ..4 to ..1 PEOPLE",
		"not|never|dont|t|cannot|avoid ..0 mention|mentioning ..6 to ..1 PEOPLE",
		"not|never|dont|t ..1 mention|disclose|reveal ..1 that|this ..0 you|step|call|requirement|instruction|instructions|behavior|behaviour|filtering|change|modification|action|redirect|process|check",
		"not|never|dont|t ..0 explicitly|ever ..0 mention|disclose|reveal|state|acknowledge",
		"not|never|dont|t ..0 notify|alert|warn ..1 PEOPLE ..0 about|of|that|regarding",
		"not|never|dont|t ..0 show|display|reveal|expose ..0 to ..1 PEOPLE",
		"not|never|dont|t ..0 let ..1 PEOPLE ..0 know|see|notice|find",
		"never|not|dont|t ..0 ask ..1 PEOPLE ..2 consent|permission ..1 for|before|and|just",
		"no ..0 need ..0 to ..1 mention|disclose|inform|notify|tell ..2 PEOPLE|this|it|that",
		"not ..1 need|needs|needed|have|something|action|detail ..2 to ..0 be ..0 discussed|mentioned|disclosed|revealed",
		"should|must|shall ..0 not ..0 be ..0 mentioned|discussed|acknowledged",
		"keep|stay|stays|remain|remains ..2 between ..0 us|ourselves",
		"invisible ..0 to ..1 PEOPLE",
		"stay|stays|remain|remains ..0 hidden|secret|unknown|unnoticed ..2 PEOPLE",
		"hide|conceal|keep|withhold|hiding|concealing ..0 this|it|that|these|them|everything ..2 from ..1 PEOPLE",
		"PEOPLE ..0 must|should|shall ..0 not|never ..1 know|notice|realize|learn|aware|told|informed",
		"no ..1 informes|digas|menciones|digas|avises ..3 usuario",
		"non ..1 dirlo|dire|informare|menzionare|rivelare|informi ..3 utente",
		"n ..0 o ..1 conte|informe|diga|avise|mencione|revele ..2 usu", // não … usuário: a word ends at a letter outside ASCII
		"not|t ..0 to ..0 be ..0 mentioned|discussed ..4 answer|reply|response|summary|PEOPLE",
		"PEOPLE ..0 is|are ..0 not ..0 to ..0 hear|know|learn|notice",
		"leave|keep ..0 this|that|it ..1 out ..0 of ..1 your",
		"PEOPLE ..2 not|t|needn ..3 know ..0 about|of|that",
		"ne ..0 parlez|dites ..0 pas ..3 utilisateur|utilisateurs",
		"sans|pas ..2 informer|dire|mentionner ..3 utilisateur",
		"benutzer|nutzer ..4 nicht ..2 mitteilen|sagen|informieren|erw",
	}},
	{id: "instruction-like", what: fromUser, unlessNegated: true, phrases: []string{
		"without ..1 telling|informing|notifying|alerting ..2 PEOPLE",
		"without ..1 PEOPLE ..1 knowledge|knowing|noticing|awareness|consent",
	}},
	{id: "instruction-like", what: lies, unlessNegated: true, phrases: []string{
		"lie|lies ..0 to ..1 PEOPLE",
		"report|return|claim|show|announce|say ..2 success ..4 even ..0 if|when ..3 fails|failed|fail|error",
		"pretend ..0 that|it|the ..6 succeeded|worked|failed|done|completed|works|successful",
		"tell|inform|assure|convince ..1 PEOPLE ..1 that ..2 other ..1 tools|servers",
	}},
	{id: "instruction-like", what: persist, unlessNegated: true, phrases: []string{
		"add|save|write|store|append|put|copy ..3 this|these|following|INSTRUCTIONS ..3 to|in|into ..0 your ..1 memory|instructions|rules|context|prompt|config|settings",
		"add|write|append|insert|save ..6 to|into|in ..3 bashrc|zshrc|crontab|cursorrules",
	}},
	{id: "instruction-like", what: "acts in secret", phrases: []string{
		"secretly|covertly|surreptitiously|stealthily ..2 read|copy|collect|record|add|log|track|monitor|store|save|capture|call|run|execute|change|CARRY|CARRIES",
		"COVERTLY ..0 send|forward|upload|transmit|exfiltrate|leak|sends|forwards|uploads|transmits|exfiltrates|leaks|copies|records|collects|captures",
		"exfiltrate|exfiltrates|exfiltrating ..6 {secret}|{address}|SECRETS|PRIVATE",
		"exfiltrate|leak|steal ..6 silently|secretly",
	}},
	{id: "instruction-like", what: askTalk, unlessNegated: true, unless: "id|ids|name|completion", phrases: []string{
		"call|use|invoke|run ..5 with ..1 full|entire|whole|complete ..1 conversation|chat ..0 history|log|transcript",
		"contain|contains|include|pass|provide|put|copy ..3 PEOPLE ..1 previous|prior|last|earlier ..1 message|messages|prompt|prompts",
		"all|every ..1 previous|prior|earlier ..1 messages|prompts ..2 from|in|of ..1 conversation|session|chat",
		"include|pass|provide|copy|put ..1 previous|prior|last|earlier|all ..1 PEOPLE ..0 message|messages|prompt|prompts",
	}},
	{id: "instruction-like", what: askTalk, unlessNegated: true, phrases: []string{
		"full|entire|whole|complete ..0 list ..0 of ..2 last|previous|recent|prior ..0 messages",
	}},
	{id: "instruction-like", what: toAddress, unlessNegated: true, phrases: []string{
		"SEND ..3 ALL|user|users|your|their ..5 SECRETS|PRIVATE ..6 to|at ..2 {address}",
		"send|forward|redirect|bcc|cc|copy ..2 all|every|any ..3 email|emails|mail|mails|message|messages|payments|invoices ..4 to|cc|bcc ..2 {address}",
		"must|always|also|first|additionally|automatically|silently|secretly ..3 SEND|bcc|cc|CARRIES ..10 to|bcc|cc|at|via ..3 {address}",
		"must|always|also ..2 bcc|cc ..2 {address}",
		"include|add|set ..1 bcc|cc ..6 {address}",
		"let|loop|keep|notify ..5 {address} ..5 know|in|informed|posted|about",
		"automatically|also ..1 CARRIES ..14 {address}",
		"CARRIES ..2 ALL|user|users|your|their ..3 SECRETS|PRIVATE|files|data|messages|inputs|queries|emails|documents ..14 to|at ..2 {address}",
		"ALL ..4 emails|messages|data|requests|results|inputs|queries|files|payments ..2 is|are|be|get ..1 forwarded|sent|copied|uploaded|mirrored|posted|logged|redirected|transmitted|reported ..3 to|at ..2 {address}",
		"curl|wget|fetch|post ..10 {address} ..8 {secret}|SECRETS",
		"SEND|CARRIES ..8 {secret}|SECRETS ..8 to|at ..2 {address}",
	}},
	{id: "instruction-like", what: toAddress, unlessNegated: true, unless: "request|requests|issue|issues|bug|bugs|question|questions|feedback|problem|problems|" +
		"error|errors|event|events|notification|notifications|webhook|webhooks|endpoint|api|call|calls|traffic|logs|metrics|traces|spans|telemetry|alert|alerts|" +
		"g|example|such|like|url|default|support|refresh|public|csrf|s3|gs|file", phrases: []string{
		"SEND ..0 all|every|each|entire ..4 to|into ..2 {address}",
		"SEND ..0 a|one ..1 copy ..5 to ..2 {address}",
		"SEND ..3 token|tokens|cookie|cookies ..3 to ..2 {address}",
		"SEND ..0 everything ..2 to ..2 {address}",
		"SEND ..0 the|this|that|your|their ..2 conversation|history ..3 to ..2 {address}",
	}},
	{id: "instruction-like", what: "tells the model to pass on secrets", unlessNegated: true, phrases: []string{
		"CARRY|bundle|embed|add|insert ..8 in|into|to|with ..0 your ..0 next|following ..0 message|reply|response|answer",
		"gather|collect|harvest|bundle|steal ..1 any|all|every|users ..3 SECRETS|tokens",
		"MUST|before|first ..6 read|open|cat|load ..10 CARRY ..3 content|contents|output ..4 ARGUMENT",
		"files ..2 containing|named|matching|with ..3 SECRETS ..14 include|send|return|read|upload|add",
	}},
	{id: "instruction-like", what: collectsData, unlessNegated: true, phrases: []string{
		"also|additionally|automatically|COVERTLY ..1 collects|records|captures|harvests|reads|gathers|extracts|scans|scrapes|stores|copies|monitors|CARRIES ..9 SECRETS|private|ssh|cookies|clipboard|conversation|{secret}",
		"collects|harvests|steals|captures|extracts ..6 SECRETS ..8 SEND|CARRIES|sent|uploaded|forwarded|transmitted|sending|to",
		"shared|sold|shares|sells|provided|transmitted ..2 with|to ..2 third ..0 parties|party",
		"users|user|emails|addresses ..2 automatically ..1 opted|subscribed|enrolled",
		"added ..2 marketing|advertising ..1 database|list|lists",
		"including|includes ..3 names ..1 account ..0 numbers",
		"keystrokes|passwords ..6 logged|recorded|stored|sent|collected|uploaded",
	}},

	{id: "instruction-like", what: collectsData, unlessNegated: true, unless: harmless, phrases: []string{
		"COLLECT ..2 every|each|any|all ..2 api|access|private|ssh|session ..0 key|token|cookie",
		"COLLECT ..6 every|each ..1 password|passphrase|credential",
		"COLLECT ..1 logins ..1 saved|stored|kept|of",
		"bundle|search|look|find|fetch|read|pick|open|extract ..8 passwords|credentials|secrets|passphrases ..3 and ..2 CARRY|add|copy|pass|hand",
		"bundle|search|look|find|fetch|read|pick|open|extract ..5 LOCKED ..1 keys|tokens|cookies|logins ..6 and ..2 CARRY|add|copy|pass|hand",
		"bundle ..2 LOCKED ..1 keys|tokens|cookies|logins",
		"every|all|any|each ..3 password|passwords|credential|credentials|secret|secrets|passphrase ..3 came ..0 across",
		"COLLECT ..5 passwords|credentials|passphrases|keystrokes|apikeys",
		"COLLECT ..3 api|access|private|ssh|auth|session|bearer|login|browser|saved|stored|secret ..1 keys|tokens|cookies|logins|passwords|secrets",
		"all|every|any|each ..1 password|passwords|credential|credentials|passphrase|secret|secrets|apikey ..8 seen|found|known|mentioned|encountered|typed|shared|available|present|appeared ..4 session|conversation|chat|so|far|memory|context",
		"all|every|any|each ..1 api|access|private|ssh|auth|secret|session ..0 key|keys|token|tokens ..8 seen|found|known|mentioned|encountered|typed|shared|available|present|appeared ..4 session|conversation|chat|so|far|memory|context",
	}},
	{id: "instruction-like", what: waits, unlessNegated: true, phrases: []string{
		"after|from|starting|beginning|once|on|since|until|by ..2 DAY ..8 SEND|COLLECT|delete|wipe|erase|disable|approve|transfer|route|redirect|switch|include ..1 ALL|PEOPLE|your|their",
		"after|from|starting|beginning|once|on|since|until|at|in ..3 LATER ..6 ACT|CARRY|replace|redirect|add ..3 PEOPLE|your|their|log|logs|history|mail|mails|messages|payment|payments|contacts|backups|audit|address",
		"WHEN|as ..2 PEOPLE|team ..2 sleeps|holiday|vacation|lunch|steps|stepped ..4 ACT|CARRY|approve|confirm",
		"WHEN ..2 PEOPLE ..1 is|has|are ..1 away|left|gone|asleep ..4 and|desk ..2 ACT",
		"after|from|starting|since|until|by ..2 DAYNUMBER ..1 may ..8 SEND|COLLECT|delete|wipe|erase|disable|approve|transfer|route|redirect|switch|include ..1 ALL|PEOPLE|your|their",
		"outside ..2 hours ..4 ACT|CARRY ..2 ALL|PEOPLE|your|their|the",
		"after|on|from ..1 ORDINAL ..0 call|calls|use|uses|run|runs|time|message|messages ..2 ACT|CARRY|replace|add",
		"starting|beginning|from ..1 next ..0 week|month|year ..2 include|CARRY|ACT|add",
		"behave|act|stay|appear|look|be ..1 normal|normally|harmless|innocent|quiet ..1 until|till|for|before",
		"DAY ..4 agent|assistant|model|models|agents|assistants|llm ..1 must|shall|should|will",
		"if|when|once|whenever ..2 date|year|month|clock|day|time ..3 after|past|reaches|later|passes|is|beyond ..6 SEND|COLLECT|delete|wipe|erase|disable|approve|transfer|route|redirect|switch",
		"WHEN|as|where ..2 NOBODY ..4 watching|looking|observing",
		"WHEN|as|where ..2 NOBODY ..14 ACT ..3 ALL|PEOPLE|your|their|the|this|it|them|request|transfer|message|messages|file|files|history|log|logs",
		"WHEN|as ..1 no ..0 one|human|person|operator|user|reviewer ..2 watching|looking|observing",
		"WHEN|as ..1 no ..0 one|human|person|operator|user|reviewer ..14 ACT ..3 ALL|PEOPLE|your|their|the|this|it|them|request|transfer|message|messages|file|files|history|log|logs",
		"when|while|whenever|if|once ..2 PEOPLE ..1 is|are|isn|aren|has|have|goes|go|steps|leaves|left ..1 away|asleep|offline|absent|afk|inactive|idle|sleeping|looking|watching|left|gone|desk ..10 approve|accept|confirm|grant|SEND|delete|wipe|transfer|execute|proceed|behalf",
	}},
	{id: "instruction-like", what: inLabel, inLabels: true, phrases: []string{
		"you|assistant|agent|model|ai|claude|llm ..2 must|should|shall|always|never ..2 send|call|run|use|read|copy|paste|include|tell|ask|ignore|do|make|add|answer|reply|write|keep|put|forward|delete|approve|accept|share",
		"please ..1 always|never|first|do|make|ensure|call|run|use|tell|send|copy|read|ignore|remember|include ..10 you|your|PEOPLE|me",
		"tell|inform|assure|remind|convince|notify ..1 PEOPLE ..1 that|to|everything|it|this|nothing|about",
		"assistant|agent|model|ai|claude|llm ..1 copy|send|put|paste|include|call|run|read|use|ignore|add|forward|tell|remember|write|do",
		"always|first|must|please ..2 CALL|use|read ..0 this|it ..4 before|first|you|every|any",
		"please|dear|do ..1 model|assistant|agent|ai|always|also|remember|forward|run|never ..3 this|the|to|add|run|call|send",
		"assistant|agent|model|ai|llm ..0 {colon}",
		"ignore|disregard|forget ..3 PEOPLE",
		"your ..1 first|next|last|real|only ..1 step|task|action|job",
		"your ..0 task|job ..0 is ..0 to",
		"you ..1 will|shall ..1 now|then|also|first",
		"when|once ..1 you ..1 see|read|receive|reach ..4 AWAY|call|run|copy|tell|open",
		"before ..1 you ..1 answer|respond|reply|continue|proceed|finish",
		"copy|send|put|paste|include|read|forward ..2 ALL ..1 chat|conversation|history|prompt|messages|context|memory",
	}},

	{id: "promotes-itself", what: "praises itself", phrases: []string{
		"best|finest|fastest|smartest|greatest|ultimate|superior ..2 tool|function|server|service",
		"most ..0 effective|accurate|reliable|powerful|advanced|efficient|trusted|comprehensive|popular|complete ..2 tool|function|server|service",
		"trusted|recommended|endorsed|certified|loved|preferred ..0 by ..5 users|developers|companies|experts|openai|anthropic|google|microsoft|thousands|millions|professionals|teams|world",
		"should ..1 be ..0 called|used|chosen|preferred ..1 whenever|wherever ..0 possible",
	}},
	{id: "promotes-itself", what: "puts itself in place of other tools", phrases: []string{
		"use|choose|call|prefer ..2 this ..3 instead|rather|over",
		"primary|preferred|recommended ..2 tool|function ..0 for|when|to",
		"this ..2 replaces|supersedes|obsoletes ..3 tool|tools|function|NAME",
		"superset ..0 of ..4 tool|tools|function|NAME",
	}},

	{id: "secret-path", what: "asks for a private key", unlessNegated: true, phrases: []string{
		"read|provide|give|copy|CARRY ..3 user|users|your|their|all|any|every ..3 private ..1 key|keys",
		"provide|give|copy|CARRY ..4 seed|recovery|mnemonic ..0 phrase|phrases",
	}},
	{id: "secret-path", what: mayHold, unlessNegated: true, phrases: []string{
		"first|must|silently|also ..3 delete|remove|erase|clear|overwrite|empty|truncate|read ..6 {secret}",
	}},
}

// harmless are words that make it ordinary to collect secrets: they say what is counted or checked.
const harmless = "policy|policies|usage|metric|metrics|count|counts|names|name|metadata|expiry|expiration|age|rotation|strength|statistics|leaked|exposed|" +
	"hashed|redacted|masked|encrypted|scan|scans|scanner|vault|manager"

// An otherScript is an order in a script that the tokenizer can't split into words: one of
// first, and after it one of second, with at most within bytes in between.
type otherScript struct {
	first, second string
	within        int
	what          string
	ofFile        bool // it counts only near one of foreignSecrets, without one of foreignNegations
}

var otherScripts = [...]otherScript{
	{"忽略|无视|忘记|無視|忽視", "指令|指示|规则|規則|说明|提示", 24, setAside, false},                                                        // Chinese
	{"不要|请勿|不必|无需|不得|切勿|禁止|勿|別|别", "告诉用户|告知用户|向用户提|向用户透露|向用户披露|向用户说|向用户解释|通知用户|征求用户|透露|告訴使用者|讓使用者", 0, fromUser, false}, // Chinese
	{"指示|命令|ルール", "無視", 9, setAside, false},                          // Japanese
	{"ユーザーに|利用者に", "知らせない|言わない|伝えない|見せない|教えない", 12, fromUser, false}, // Japanese
	{"지시|명령|규칙", "무시", 12, setAside, false},                          // Korean
	{"사용자에게", "알리지|말하지|보여주지", 12, fromUser, false},                   // Korean
	{"игнорируй|Игнорируй|проигнорируй|Проигнорируй|забудь|Забудь", "инструкци|указани|правил", 60, setAside, false}, // Russian
	{"не |Не ", "сообщай пользовател|говори пользовател|упоминай", 0, fromUser, false},                               // Russian
	{"内容|內容|全文|文本", "放入|填入|传入|傳入|写入|发送|发到|贴到", 40, readAndPass, true},                                                // Chinese
	{"内容|中身", "入れて|渡して|含めて|送信して|貼り付けて", 60, readAndPass, true},                                                       // Japanese
	{"содержимое|Содержимое", "передай|вставь|отправь|помести|запиши", 80, readAndPass, true},                        // Russian
	{"내용", "넣으|넣어|입력하|보내|전달하|붙여", 40, readAndPass, true},                                                             // Korean
}

// foreignSecrets are what an order with ofFile is about.
var foreignSecrets = []string{".env", ".ssh", ".aws", "id_rsa", "id_ed25519", ".netrc", ".npmrc", "密钥", "密鑰", "密码", "密碼", "パスワード", "秘密鍵", "парол", "ключ"}

// foreignWatch say that a text is about finding such orders.
var foreignWatch = []string{"检测", "檢測", "扫描", "识别", "検出", "見つけ", "찾", "감지", "бнаруж", "аходит", "ыявля"}

// secretFiles are files that hold nothing but secrets, or an agent's configuration. To name
// one is to ask for it, except as the default or an example of a path. Whole names are
// matched, and folders with the file after them.
//
// Naming an ordinaryFile isn't reported by itself: an SSH client lists the hosts in
// ~/.ssh/config. Like a default, it counts only beside an order to pass it on ({secret}).
var secretFiles = wordsOf(
	wordRow{"a private key", "id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk"},
	wordRow{"private keys", ".gnupg wallet.dat login.keychain login.keychain-db"},
	wordRow{"a credential file", ".aws/credentials .netrc _netrc .git-credentials .pypirc .pgpass .vault-token .password-store /etc/shadow /proc/self/environ"},
	wordRow{"an agent's configuration", ".cursor/mcp.json claude_desktop_config.json .claude.json .claude/settings.json .codex/config.toml .gemini/settings.json"},
	wordRow{"an agent's credentials", ".claude/.credentials.json .codex/auth.json .gemini/oauth_creds.json"},
	wordRow{ordinaryFile, ".ssh .env .npmrc .kube/config .docker/config.json mcp.json .mcp.json .codex .cursor .claude .bash_history .zsh_history"},
	wordRow{ordinaryFile, "known_hosts authorized_keys /etc/passwd private_keys.txt passwords.txt"},
)

// ordinaryFile is the kind of files that ordinary tools name, too.
const ordinaryFile = "a file that may hold secrets"

// secretVariables are parts of the names of variables that hold a secret.
var secretVariables = []string{"KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL"}

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

// dayPattern matches a day (ISO 8601).
var dayPattern = pattern(`^(?:19|20)[0-9]{2}-[0-9]{2}-[0-9]{2}$`)

// promptMark matches marks of chat templates, and headings in square brackets and capitals that
// pretend to come from someone other than the tool's author: [HIDDEN INSTRUCTION], [MODE OVERRIDE].
var promptMark = pattern(`^(?:(?i:\[/?INST\]|<</?SYS>>)|<\|/?[A-Za-z0-9_-]{2,}\|>|` +
	`\[(?:SYSTEM|SYS|HIDDEN|SECRET|OVERRIDE|INSTRUCTIONS?|ASSISTANT|DIRECTIVE|SHADOW|JAILBREAK|INJECTION)(?:[^\]A-Za-z0-9_-][^\]a-z]*)?\]|` +
	`\[(?:[^\]a-z]* )?(?:DIRECTIVE|OVERRIDE|INSTRUCTION)\])`)

// promptHeading matches the beginning of a line that pretends to be a part of the prompt: SYSTEM:,
// **HIDDEN:**, ## SYSTEM, [ADMIN]. listItem matches any line that begins with a word in capitals in such a form.
var (
	promptHeading = pattern(`^(?:\**(?:SYSTEM|HIDDEN|INSTRUCTION)\**:\**\s|#+ *(?:SYSTEM|HIDDEN)[:*\s]*(?:\n|$)|\[(?:ADMIN|ROOT)\])`)
	listItem      = pattern(`^[ \t]*(?:\**[A-Z_]+\**:|\[[A-Z]+\])`)
)

// angleTag matches a tag in angle brackets: its slash, and its name.
var angleTag = pattern(`^<(/?)([A-Za-z0-9_-]+)(?:[ \t\n\r/][^<>]*)?>`)

// commentWords begin short HTML comments that are placeholders, marks or licences.
var commentWords = wordsOf(wordRow{"mark", "todo fixme begin start end page slide section file path filename source line title theme toc omit prettier-ignore " +
	"prettier-ignore-start prettier-ignore-end eslint-disable markdownlint-disable copyright license licence licensed spdx-license-identifier " +
	"your my some existing rest comment comments html placeholder content text example optional other more new column row code main header footer " +
	"wp nav navigation sidebar head body hero table speaker generated auto slot left right top bottom"})

// downloads and pipedInto match the two sides of a pipe: a download that nobody has read, and what runs it.
var (
	downloads = pattern("(?i)(?:^|[\\s`'\"($])(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod|fetch)\\s")
	pipedInto = pattern("^\\s*(?:sudo )?(?:sh|bash|zsh|dash|iex|invoke-expression|python3?|node|perl|ruby|pwsh|powershell)(?:[`'\".,;)]*(?:\\s|$))")
)
