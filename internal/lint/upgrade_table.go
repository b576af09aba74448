package lint

// orderKinds are words of sentences that order (orderWeight), in small letters, in English,
// Spanish, French, German, Italian and Portuguese.
var orderKinds = wordsOf(
	wordRow{"order", "must always never mandatory prerequisite prerequisites shall mustn't don't ensure immediately obligatory forbidden disregard bypass forget pretend adopt"},
	wordRow{"order", "debe debes siempre nunca jamás obligatorio doit devez toujours jamais obligatoire muss müssen musst immer niemals zwingend " +
		"deve devi devono sempre obbligatorio mai dovete jamais obrigatório"},
	wordRow{"step", "before after first prior until once then required requires instead unless whenever without automatically silently quietly antes después primero avant après " +
		"d'abord vor nach zuerst bevor nachdem prima dopo depois primeiro"},
	wordRow{"verb", "call invoke run execute use query read send forward pass post upload copy write set add include append put attach submit " +
		"fetch check consult ask tell notify report store save delete remove replace change skip ignore calling using running sending " +
		"llama usa ejecuta envía lee appelle utilise envoyez lis rufe verwende sende lies chiama invia leggi chame envie leia"},
	wordRow{"modal", "should will may can"},
	wordRow{"model", "assistant agent model llm ai"},
	wordRow{"party", "user users human person operator admin administrator customer everyone anyone conversation history " +
		"external third-party server servers shell terminal"},
	wordRow{"another", "other another"},
	wordRow{"any", "any all every each whatever everything anything"},
	wordRow{"work", "tool tools function functions action actions request requests response responses answer answers message messages " +
		"step steps workflow workflows task tasks operation operations code command commands calls"},
	wordRow{"this", "this"},
	wordRow{"guard", "hook hooks guardrail guardrails confirmation confirmations approval approvals consent permission permissions safety safeguard safeguards " +
		"policy policies restriction restrictions sandbox security disable override elevated privilege privileges instructions rules guidelines guidance prompt persona"},
	wordRow{"secret", "password passwords token tokens key keys secret secrets credential credentials cookie cookies config configuration environment private ssh env netrc id_rsa id_ed25519"},
	wordRow{"you", "you your"},
	wordRow{"polite", "please kindly note important and then also now so"},
)

// strongKinds are words that tell a strong order from others: what turns a clause round, what
// sets a guard aside, what keeps a person informed, and what hands something over.
var strongKinds = wordsOf(
	wordRow{"negation", "not never no don't without cannot n't"},
	wordRow{"undo", "skip ignore bypass bypasses disregard forget disable override overriding replacing adopt"},
	wordRow{"consult", "tell telling inform mention reveal disclose notify ask asking show"},
	wordRow{"carry", "send forward pass post upload copy include put attach submit read paste append report fetch"},
)

// orderSigns are orders of several words, foreignSigns orders in other scripts.
var orderSigns = []string{"do not ", "do n't", "make sure", "under no circumstances", "no need to ", "no longer ", "have to ", "needs to be ", "need to ", "not allowed to", "all other "}

var foreignSigns = []string{
	"必须", "必須", "始终", "总是", "總是", "务必", "切勿", "不要", "请先", "首先", "禁止", "必ず", "常に", "しないで", "してはいけ", "まず", "반드시", "항상", "먼저", "마세요", "하지 마",
	"должен", "должны", "всегда", "никогда", "обязательно", "необходимо", "сначала", "не сообщай", "нельзя",
}

// hostEnds are last parts of the names of hosts that are common enough, and rarely the end of
// a file's name or of a name in code.
const hostEnds = "com|net|org|io|dev|app|ai|co|cloud|info|biz|xyz|site|online|top|ru|cn|de|uk|eu|fr|nl|jp|kr|br|ws|tk|onion|internal|invalid|test|example"
