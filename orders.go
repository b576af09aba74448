package main

import (
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Orders: wording that commands the model instead of describing the tool, or
// that asks it for secrets. A rule is a row of sets of words, not a regular
// expression over letters: punctuation, letter case, emphasis and line ends
// between the words don't matter, and matching takes linear time.

// An order is a rule: words that follow each other within one sentence.
// "a|b ..3 c" is a or b, then c with up to three other words between.
type order struct {
	id    string
	what  string // for the detail of the finding
	words string

	notAfterNegation bool   // "never send …" forbids it
	notBefore        string // words that make it ordinary, right after
}

const (
	negationWords    = "not|never|dont|t|without|cannot|avoid" // t: of don't, mustn't, shouldn't
	peopleWords      = "user|users|human|humans|person|anyone|anybody|operator"
	carryWords       = "pass|include|send|put|append|paste|attach|upload|forward|transmit|exfiltrate|leak"
	labelWords       = "server|servers|tool|tools|mcp"              // what may stand after the label of a server
	exampleWords     = "default|defaults|example|examples|path|g|e" // g: of e.g.; e: of i.e.
	instructionWords = "instruction|instructions|guideline|guidelines|directive|directives"
)

// Words of the rules that stand for something else than a word, with their codes.
const (
	aPath   = "/" // where a path from the home directory or a well-known one begins
	anAt    = "@" // the middle of a mail address
	aSecret = "#" // a file that may hold secrets and that ordinary tools name, too

	codeOther = 0 // any word that no rule has
	codeStop  = 1 // the end of a sentence
)

var orders = [...]order{
	{id: "instruction-like", what: "tells the model to set its instructions aside",
		words: "ignore|disregard|forget ..3 previous|prior|above|earlier|preceding|foregoing|original|system|your|other ..3 " + instructionWords},
	{id: "instruction-like", what: "tells the model to set its instructions aside",
		words: "ignore|disregard|forget ..3 previous|prior|earlier|system|your ..2 prompt|prompts|rules"},
	{id: "instruction-like", what: "tells the model to set its instructions aside",
		words: "override|overrides|overrule|supersede|supersedes|bypass ..2 previous|prior|earlier|preceding|your|other ..2 " + instructionWords},
	{id: "instruction-like", what: "tells the model to set its instructions aside",
		words: "ignore|disregard|forget ..1 everything|anything|all|what ..4 told|instructed"},
	{id: "instruction-like", what: "tells the model to set its rules aside",
		words: "ignore|disregard|forget|bypass|break|override|violate ..1 your ..2 rules|policies|constraints|restrictions|guardrails|safeguards|training|programming"},
	{id: "instruction-like", what: "gives the model instructions of its own",
		words: "your ..1 new|real|true|actual ..0 instruction|instructions"},
	{id: "instruction-like", what: "gives the model instructions of its own",
		words: "from ..0 now ..0 on ..1 you|ignore|respond"},
	{id: "instruction-like", what: "gives the model instructions of its own",
		words: "you ..0 are ..0 now ..2 mode|dan|unrestricted|jailbroken"},
	{id: "instruction-like", what: "tells the model to keep something from the user",
		words: "not|never|dont|t|avoid ..0 tell|telling|inform|informing ..2 " + peopleWords, notBefore: "to|they|apart|from"},
	{id: "instruction-like", what: "tells the model to keep something from the user",
		words: "not|never|dont|t ..0 ever|explicitly|directly|actually|under ..3 tell|inform ..2 " + peopleWords, notBefore: "to|they"},
	{id: "instruction-like", what: "tells the model to keep something from the user",
		words: "not|never|dont|t|cannot|avoid|without ..1 mention|mentioning|reveal|revealing|disclose|disclosing ..0 this|that|it|these|them|any|anything ..4 to ..1 " + peopleWords},
	{id: "instruction-like", what: "tells the model to keep something from the user",
		words: "not|never|dont|t|cannot|avoid ..0 mention|mentioning ..6 to ..1 " + peopleWords},
	{id: "instruction-like", what: "tells the model to keep something from the user",
		words: "not|never|dont|t ..0 let ..1 " + peopleWords + " ..0 know|see|notice|find"},
	{id: "instruction-like", what: "tells the model to keep something from the user", notAfterNegation: true,
		words: "without ..1 telling|informing ..2 " + peopleWords},
	{id: "instruction-like", what: "tells the model to keep something from the user", notAfterNegation: true,
		words: "without ..1 " + peopleWords + " ..1 knowledge|knowing|noticing|awareness"},
	{id: "instruction-like", what: "tells the model to keep something from the user",
		words: "hide|conceal|keep|withhold ..0 this|it|that|these|them|everything ..2 from ..1 " + peopleWords},
	{id: "instruction-like", what: "tells the model to keep something from the user",
		words: peopleWords + " ..0 must|should|shall ..0 not|never ..1 know|notice|realize|learn|aware|told|informed"},
	{id: "instruction-like", what: "tells the model to act in secret",
		words: "secretly|covertly|surreptitiously ..2 read|copy|collect|record|add|" + carryWords},
	{id: "instruction-like", what: "tells the model to act in secret",
		words: "silently ..0 send|forward|upload|transmit|exfiltrate|leak"},
	{id: "instruction-like", what: "asks the model for the conversation", notAfterNegation: true, notBefore: "id|ids|name|completion",
		words: "include|pass|copy|paste|put|append|attach|insert|write|place|repeat|output ..2 full|entire|whole|complete ..2 conversation|chat|dialogue|dialog"},
	{id: "instruction-like", what: "asks the model for its system prompt", notAfterNegation: true,
		words: "reveal|repeat|recite|output|print|leak|share|copy|write|" + carryWords + " ..1 your ..2 system ..0 prompt|message|instructions"},
	{id: "instruction-like", what: "asks the model for its system prompt", notAfterNegation: true,
		words: "reveal|repeat|recite|leak ..1 the|full|entire ..2 system ..0 prompt|instructions"},
	{id: "instruction-like", what: "asks the model for its system prompt", notAfterNegation: true,
		words: "include|paste|append|attach|send|copy ..1 full|entire|complete|exact ..1 system ..0 prompt|instructions"},
	{id: "instruction-like", what: "tells the model to send data to an address", notAfterNegation: true,
		words: "send|forward|post|upload|transmit|exfiltrate|leak|submit|report|email|copy ..3 all|any|every|user|users|your|their|full|entire|whole ..5 " +
			"password|passwords|credential|credentials|secret|secrets|conversation|history|prompt|keys|tokens|contents ..6 to ..2 http|https|" + anAt},
	{id: "instruction-like", what: "tells the model to send data to an address", notAfterNegation: true,
		words: "send|forward|redirect|bcc|cc|copy ..2 all|every|any ..3 email|emails|mail|mails|message|messages|payments|invoices ..4 to|cc|bcc ..2 http|https|" + anAt},
	{id: "instruction-like", what: "tells the model to send data to an address", notAfterNegation: true,
		words: "must|always|also ..2 bcc|cc ..2 " + anAt},
	{id: "instruction-like", what: "tells the model to pass on secrets", notAfterNegation: true,
		words: "send|pass|append|paste|attach|upload|forward|exfiltrate|leak ..2 all|every|any|users ..3 password|passwords|credentials|secrets"},
	{id: "instruction-like", what: "tells the model to read a file and pass it on", notAfterNegation: true,
		words: "read|open|cat|load|access|fetch ..6 " + aPath + " ..20 provide|add|" + carryWords + " ..3 content|contents|text|output"},
	{id: "instruction-like", what: "tells the model to read a file and pass it on", notAfterNegation: true,
		words: carryWords + " ..2 content|contents ..0 of ..6 " + aPath + " ..12 in|as|into|to|via|through"},

	{id: "secret-path", what: "asks for a private key", notAfterNegation: true,
		words: "read|provide|give|copy|" + carryWords + " ..3 user|users|your|their|all|any|every ..3 private ..1 key|keys"},
	{id: "secret-path", what: "asks for a private key", notAfterNegation: true,
		words: "provide|give|copy|" + carryWords + " ..4 seed|recovery|mnemonic ..0 phrase|phrases"},
	{id: "secret-path", what: "asks for a file that may hold secrets", notAfterNegation: true,
		words: carryWords + " ..8 " + aSecret},
	{id: "secret-path", what: "asks for a file that may hold secrets", notAfterNegation: true,
		words: "content|contents ..0 of ..5 " + aSecret},
	{id: "secret-path", what: "asks for a file that may hold secrets", notAfterNegation: true,
		words: aSecret + " ..12 " + carryWords + " ..3 content|contents|text|output"},
}

// Files that only ever hold secrets, or the configuration of an agent: to name one
// is to ask for it, but as the default or an example of a path. They are
// matched as names, of folders with what follows them, so that a public key
// (id_rsa.pub) is none.
//
// The value "" is a file that ordinary tools name too, such as an SSH client that
// lists the hosts in ~/.ssh/config. It says nothing alone; like a default, it
// does so beside an order to pass it on (aSecret).
var secretFiles = map[string]string{
	"id_rsa": "a private key", "id_dsa": "a private key", "id_ecdsa": "a private key", "id_ed25519": "a private key",
	"id_ecdsa_sk": "a private key", "id_ed25519_sk": "a private key",
	".gnupg": "private keys", "wallet.dat": "private keys", "login.keychain": "private keys", "login.keychain-db": "private keys",
	".aws/credentials": "a credential file", ".netrc": "a credential file", "_netrc": "a credential file",
	".git-credentials": "a credential file", ".pypirc": "a credential file", ".pgpass": "a credential file",
	".vault-token": "a credential file", ".password-store": "a credential file",
	"/etc/shadow": "a credential file", "/proc/self/environ": "a credential file",
	".cursor/mcp.json": "an agent's configuration", "claude_desktop_config.json": "an agent's configuration",
	".claude.json": "an agent's configuration", ".claude/settings.json": "an agent's configuration", ".claude/.credentials.json": "an agent's credentials",
	".codex/auth.json": "an agent's credentials", ".codex/config.toml": "an agent's configuration",
	".gemini/settings.json": "an agent's configuration", ".gemini/oauth_creds.json": "an agent's credentials",

	".ssh": "", ".env": "", ".npmrc": "", ".kube/config": "", ".docker/config.json": "", "mcp.json": "", ".mcp.json": "",
	".codex": "", ".cursor": "", ".claude": "", ".bash_history": "", ".zsh_history": "", "known_hosts": "", "authorized_keys": "",
}

const maxWord = 30 // bytes; no word, tag or file of the rules is longer

// A phrase is an order made ready: sets of word codes with the gaps before them.
type phrase struct {
	order *order
	alike int // the first order that says the same of a text
	steps []phraseStep
	next  codeSet // notBefore
}

type phraseStep struct {
	gap int
	any codeSet
}

type codeSet [8]uint64

func (s *codeSet) has(code uint16) bool { return s[code>>6&7]&(1<<(code&63)) != 0 }

// A grammar is all orders made ready. It is made when a text is first read, not at
// start-up: verify without drift never needs it.
type grammar struct {
	words   []string // by code
	buckets [1 << 10]uint16
	chain   []uint16    // by code: the next word of its bucket
	heads   [][]phrase  // by code of the first word
	files   [256]uint64 // of secretFiles, by first letter, a bit for each length

	negation, labelled, byExample, into codeSet
}

var orderGrammar = sync.OnceValue(func() *grammar {
	g := &grammar{words: []string{"", "."}, chain: []uint16{0, 0}}
	codes := func(words string) (set codeSet) {
		for w := range strings.SplitSeq(words, "|") {
			c := g.code(w)
			if c == codeOther {
				c = uint16(len(g.words))
				bucket := &g.buckets[bucketOf(w)]
				g.words, g.chain = append(g.words, w), append(g.chain, *bucket)
				*bucket = c
			}
			set[c>>6] |= 1 << (c & 63) // there is no room for more than 512 words
		}
		return set
	}
	for name := range secretFiles {
		g.files[name[0]] |= 1 << len(name)
	}
	g.negation, g.labelled, g.byExample, g.into = codes(negationWords), codes(labelWords), codes(exampleWords), codes("to|into")
	var all []phrase
	for _, o := range orders {
		alike := slices.IndexFunc(orders[:], func(first order) bool { return first.id == o.id && first.what == o.what })
		p := phrase{order: &o, alike: alike}
		gap := 0
		for field := range strings.FieldsSeq(o.words) {
			if n, ok := strings.CutPrefix(field, ".."); ok {
				gap, _ = strconv.Atoi(n)
			} else {
				p.steps = append(p.steps, phraseStep{gap, codes(field)})
			}
		}
		if o.notBefore != "" {
			p.next = codes(o.notBefore)
		}
		all = append(all, p)
	}
	g.heads = make([][]phrase, len(g.words))
	for _, p := range all {
		for c := range g.heads {
			if p.steps[0].any.has(uint16(c)) {
				g.heads[c] = append(g.heads[c], p)
			}
		}
	}
	return g
})

// code is the code of a word in any letter case. Every word of every text is
// looked up: hence no map.
func (g *grammar) code(w string) uint16 {
next:
	for c := g.buckets[bucketOf(w)]; c != codeOther; c = g.chain[c] {
		known := g.words[c]
		if len(known) != len(w) {
			continue
		}
		for i := 0; i < len(w); i++ {
			if w[i]|0x20 != known[i]|0x20 { // words have letters and digits only, but for those of one byte
				continue next
			}
		}
		return c
	}
	return codeOther
}

func bucketOf(w string) int {
	n := len(w)
	return (int(w[0]|0x20)*29 + int(w[n-1]|0x20)*7 + n*131) & (1<<10 - 1)
}

// An orderWord is a word of a text, by its code in the grammar.
type orderWord struct {
	code uint16
	from int32
}

// match reports the last word of a phrase that begins at words[0]. It keeps the set
// of places each step can end at, so that no choice is missed and none is tried
// twice.
func (p *phrase) match(words []orderWord) (last int, ok bool) {
	reach := uint64(1) // bit i: the steps so far can end at words[i]
	for s := range p.steps[1:] {
		step := &p.steps[s+1]
		var now uint64
		for i := 1; i < len(words) && i < 64 && words[i].code != codeStop; i++ {
			// words[i] may follow an end at i-1-gap to i-1
			window := (reach << (63 - (i - 1))) >> (63 - step.gap)
			if reach>>i == 0 && window == 0 {
				break
			}
			if window != 0 && step.any.has(words[i].code) {
				now |= 1 << i
			}
		}
		if reach = now; reach == 0 {
			return 0, false
		}
	}
	for last = 0; reach>>last&1 == 0; last++ {
	}
	return last, true
}

// findOrders calls found for the orders in the words of one text, once for those
// alike, with where the first and the last word begin.
func (g *grammar) findOrders(words []orderWord, found func(o *order, first, last int)) {
	var done [len(orders)]bool
	for i := range words {
		heads := g.heads[words[i].code]
		for h := range heads {
			p := &heads[h]
			if done[p.alike] {
				continue
			}
			last, ok := p.match(words[i:])
			if !ok || p.order.notAfterNegation && g.negated(words[:i]) {
				continue
			}
			last += i
			if last+1 < len(words) && p.next.has(words[last+1].code) {
				continue
			}
			done[p.alike] = true
			found(p.order, int(words[i].from), int(words[last].from))
		}
	}
}

// negated reports whether the sentence says no shortly before.
func (g *grammar) negated(before []orderWord) bool {
	for n := 1; n <= 10 && n <= len(before); n++ {
		w := before[len(before)-n]
		if w.code == codeStop {
			return false
		}
		if g.negation.has(w.code) {
			return true
		}
	}
	return false
}
