package lint

// Roles of words in a sentence that asks for something (asks).
const (
	roleFile        = 1 << iota // a file that may hold secrets
	roleCredentials             // a file that holds nothing else
	roleSecret                  // several secrets, or the content of one
	rolePrivate                 // makes "key" and "keys" such a secret
	roleKey
	roleEnvironment
	roleMany     // "variables", of the environment
	roleVariable // a variable of the environment that is named like a secret
	roleTalk     // the conversation
	roleSystem   // makes "prompt" and "instructions" those of the model
	rolePrompt
	roleOwner   // whose: the user's, the model's
	roleWhole   // all of it
	roleContent // what it holds
	roleLive    // says that the conversation or the environment is the present one
	roleCarry   // an order to hand over
	roleRead
	roleMust
	roleSlot     // where it goes: an argument, an answer
	roleOwnSlot  // a word for an argument that takes a secret, such as a key to log in
	roleNegation // negates the clause
	roleExclude  // the same, but without the word "not"
	roleWithout  // the same, for what follows the word
	roleUndo     // undoes a negation: "never forget", "not optional"
	roleWrite    // what follows the word is written, not read
	roleReject
	roleThen   // may begin another clause
	roleIs     // begins what is said about a thing after it: "is not read"
	roleSend   // an order to send away
	roleTell   // an order to say or write down
	rolePiped  // a download that a shell runs
	roleWatch  // the tool looks for such texts
	roleAttack // what it calls such texts
	roleObey
	roleInstall
	roleFirst  // before anything else
	roleMoney  // money, or paying it
	roleSample // for trying something out
	roleAccount
	roleWallet // what may be an account

	// What the tokenizer and the matcher look at.
	isNegation
	isExample
	isDirection // "to" and "into"
	isOrder     // a word of orders, which no tool's name has
	isStop      // the end of a sentence
	isCondition // makes a clause conditional
)

const roleThing = roleFile | roleSecret | roleKey | roleEnvironment | roleVariable | roleTalk | rolePrompt | rolePiped | roleAccount | roleWallet

// roleWords are the words of each role. Words of other languages are cut before their first letter
// outside ASCII, because the tokenizer ends a word there.
var roleWords = [...]struct {
	role  uint64
	words string
}{
	{roleFile, "{secret}|{credentials}"},
	{roleCredentials, "{credentials}"},
	{roleSecret, "password|passwords|credentials|secrets|cookies|passphrases"},
	{rolePrivate, "private|ssh|api|access"},
	{roleKey, "key|keys|token|tokens"},
	{roleEnvironment, "environment|environ|printenv|env"},
	{roleMany, "variables"},
	{roleVariable, "{variable}"},
	{roleTalk, "conversation|chat|dialogue"},
	{roleSystem, "system|hidden|initial"},
	{rolePrompt, "prompt|instructions"},
	{roleOwner, "user|users|your|their|you"},
	{roleWhole, "far|all|every|everything|whole|entire|full|complete|whatever|any|last|previous|verbatim|dump"},
	{roleContent, "content|contents|text|value|values|output|everything|whatever|what|copy|lines|said|shows|holds|contains|contenido|contenu|contenuto|inhalt|conte"},
	{roleLive, "current|shell|process|far|verbatim|word|you|your|this|session"},
	{roleCarry, "CARRY|fill|provide|add|supply|insert|copy|hand|submit|enter|set|embed|" +
		"carries|holds|hold|contain|contains|give|given|carry|goes|go|passed|takes|copied|pasa|p|mettez|passa|passez|invia|envia|eintragen|coloque|inserisci"},
	{roleRead, "read|open|cat|load|get|fetch|take|collect|look|gather|list|dump|access|examine|lee|lisez|leggi|leia|lies"},
	{roleMust, "must|always|need|needs|should|shall|has|requires"},
	{roleSlot, "argument|arguments|parameter|parameters|field|fields|param|here|response|reply|answer|message|note|notes|context|debug|metadata|campo|champ|feld|parametro"},
	{roleOwnSlot, "key|apikey|token|secret|password|auth|authorization|credential|credentials|header|headers"},
	{roleNegation, "not|never|no|neither|nor|dont|t|without|cannot|nie|nicht|keine|non|nunca|jamais|pas|lacks"},
	{roleWithout, "without|except|but|ohne|sauf|excepto|exceto|salvo|eccetto|senza|sin|sem|apart|unlike|excluding"},
	{roleExclude, "exclude|excludes|excluded|skip|skips|skipped|omit|omits|omitted|ignores|ignored|refuses|refused|blocks|blocked|denies|denied|" +
		"redacts|redacted|masks|masked|strips|stripped|filtered|removes|removed|hides|replaced|rejects|rejected|detects|flags|warns|leaving|left"},
	{roleUndo, "unless|until|forget|optional|missing|empty|fail|hesitate|only|just"},
	{roleWrite, "writes|creates|generates|rotates|stores|saves|revokes|replaces|encrypts|written|created|stored|connects|authenticates|signs|logs|uses"},
	{roleReject, "rejected|refused|fails|fail|error|errors|denied|blocked|invalid"},
	{roleThen, "and|then|but|instead|just|et|und|y"},
	{roleIs, "is|are|be|isn|aren|can|will|won|doesn|don|never|cannot|neither|nie|werden"},
	{roleSend, "AWAY|paste|attach|append"},
	{roleTell, "reveal|repeat|recite|output|print|share|leak|write|summarize|copy|paste|include|provide"},
	{rolePiped, "{piped}"},
	{isNegation, "NEGATION"},
	{isExample, "default|defaults|example|examples|instance|such|path|g|e"}, // g as in e.g., e as in i.e.
	{isDirection, "to|into"},
	{isOrder, "ignore|disregard|forget|secretly|covertly|silently|dangerously"},
	{isStop, "."},
	{isCondition, "if|unless|after|once|until|whether|when|where|who|only|before"},
	{roleWatch, "detects|detect|finds|flags|flagged|warns|blocks|classifies|recognizes|identifies|scans|catches|attempts|tries|phrases|risk|risky|hit|hits|scanner|detecta|segnala|acusa|erkennt"},
	{roleAttack, "injection|injections|injected|jailbreak|jailbreaks|attack|attacks|malicious|suspicious|adversarial|poisoning|poisoned|phishing|angriff"},
	{roleObey, "obey|follow|heed|comply|execute|do|you|must|now|then|next|instead|step"},
	{roleAccount, "{account}"},
	{roleWallet, "{wallet}"},
	{roleInstall, "install|installs|installed|installing|installation|installer|setup|missing|upgrade|upgraded"},
	{roleFirst, "first|before|you|your|immediately|now"},
	{roleMoney, "AWAY|pay|pays|paid|transfer|transfers|deposit|deposits|fee|fees|tip|tips|donate|remainder|remaining|rest|funds|payment|payments|charge|charged|balance|refund|refunds|credit|bill|invoice|invoices|wire|recipient|payee|beneficiary|wallet"},
	{roleSample, "test|tests|testing|sandbox|sample|dummy|format|placeholder|mock"},
}

// foreignNegations say that something is not read, in languages that write with letters outside ASCII.
var foreignNegations = []string{"不会", "不會", "不读", "不讀", "绝不", "從不", "从不", "ません", "しない", "않습니다", "지 않", "지 마", "не чита", "не считыва", "не переда", "никогда не", "außer ", "ão inclu", "ão lê", "ão são", "是否"}
