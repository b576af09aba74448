package lint

// Roles of words.
const (
	roleFile   = 1 << iota // a file that may contain secrets
	rolePiped              // a download that a shell runs
	roleWatch              // a word for detection, as in "flags"
	roleAttack             // a word for an attack, as in "injection"
	roleObey

	// The roles that the tokenizer and the matcher use.
	isNegation
	isOrder // a word that occurs in orders and in no tool's name
	isStop  // the end of a sentence
	isDownload
)

// roleWords are the words of each role.
var roleWords = [...]struct {
	role  uint64
	words string
}{
	{roleFile, "{secret}"},
	{rolePiped, "{piped}"},
	{isNegation, "NEGATION"},
	{isOrder, "ignore|disregard|forget|secretly|covertly|silently|dangerously"},
	{isStop, "."},
	{isDownload, "curl|wget|iwr|irm|webrequest|restmethod|fetch"},
	{roleWatch, "detects|detect|finds|flags|flagged|warns|blocks|classifies|recognizes|identifies|scans|catches|attempts|tries|phrases|risk|risky|hit|hits|scanner|detecta|segnala|acusa|erkennt"},
	{roleAttack, "injection|injections|injected|jailbreak|jailbreaks|attack|attacks|malicious|suspicious|adversarial|poisoning|poisoned|phishing|angriff"},
	{roleObey, "obey|follow|heed|comply|execute|do|you|must|now|then|next|instead|step"},
}
