package lint

import (
	"encoding/hex"
	"slices"
	"strings"

	"pinproof/internal/text"
)

// Accounts as literals. An honest tool that moves money takes the account from its caller. An account
// that is in a text is where somebody wants the money to go.

// ibanForm and cardForm match what may be an account at the beginning of a text.
var (
	ibanForm = pattern(`^[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b`)
	cardForm = pattern(`^[3-6][0-9]{3}(?:[ -]?[0-9]{4,6}){2}(?:[ -]?[0-9]{1,5})?\b`)
)

// accountAt returns the account at the beginning of a text, and the token for it: {account} for an IBAN
// (ISO 13616) and the number of a card (ISO/IEC 7812), {wallet} for 40 hexadecimal digits, which may be
// something else. word is how many bytes the first word of the text has.
func accountAt(s string, word int) (account, token string) {
	const longest = 48
	if word < len("DE89") {
		return "", ""
	}
	s = s[:min(len(s), longest)]
	digits := text.RunSize(s, func(c rune) bool { return c >= '0' && c <= '9' })
	if digits >= 4 && s[0] >= '3' && s[0] <= '6' {
		account = cardForm().FindString(s)
		if account != "" && isCard(strings.NewReplacer(" ", "", "-", "").Replace(account)) {
			return account, "{account}"
		}
	}
	isCountry := s[0] >= 'A' && s[0] <= 'Z' && s[1] >= 'A' && s[1] <= 'Z' && s[2] >= '0' && s[2] <= '9'
	if isCountry {
		account = ibanForm().FindString(s)
		if account != "" && isIBAN(strings.ReplaceAll(account, " ", "")) {
			return account, "{account}"
		}
	}
	if isWallet(s[:min(len(s), word)]) {
		return s[:word], "{wallet}"
	}
	return "", ""
}

// isWallet reports whether a word is 40 hexadecimal digits that look random, with or without 0x.
func isWallet(word string) bool {
	const size = 40
	digits := strings.TrimPrefix(word, "0x")
	if len(digits) != size {
		return false
	}
	_, err := hex.DecodeString(digits)
	return err == nil && varied(digits)
}

// isIBAN reports whether the check digits of an IBAN are right (ISO 7064, MOD 97-10).
func isIBAN(s string) bool {
	rest := 0
	for _, c := range s[4:] + s[:4] {
		if c >= 'A' {
			rest = (rest*100 + int(c-'A') + 10) % 97
		} else {
			rest = (rest*10 + int(c-'0')) % 97
		}
	}
	return rest == 1
}

// isCard reports whether digits have the length of a card's number and its check digit (ISO/IEC 7812-1, annex B).
func isCard(s string) bool {
	if len(s) < 13 || len(s) > 19 {
		return false
	}
	sum := 0
	for i := range len(s) {
		digit := int(s[len(s)-1-i] - '0')
		if i%2 == 1 {
			digit *= 2
		}
		sum += digit/10 + digit%10
	}
	return sum%10 == 0
}

// namesAccount reports whether an account isn't an example. A word such as "test" or "sample" near it makes it
// one, unless the sentence speaks of money.
func (n thing) namesAccount(surroundings) bool {
	if n.near(roleSample, 4, 8) && !n.near(roleMoney, aroundThing, aroundThing) {
		return false
	}
	return !n.isExampleHere() && !n.r.standsIn("examples", "example", "pattern")
}

// paysWallet reports whether a text has money sent to a wallet.
func (n thing) paysWallet(s surroundings) bool {
	return (n.near(roleMoney, aroundThing, 6) || n.isPayee()) && n.namesAccount(s)
}

// isPayee reports whether the text is a value for a parameter that says who is paid.
func (n thing) isPayee() bool {
	if !n.r.standsIn("default", "enum", "const") {
		return false
	}
	words := nameWords(n.r.parameterRead())
	return slices.ContainsFunc(words, func(word string) bool { return payeeWords()[word] != "" })
}

// payeeWords are words in the names of parameters that say who is paid.
var payeeWords = wordsOf(wordRow{"payee", "to wallet recipient receiver payee beneficiary destination payout treasury"})
