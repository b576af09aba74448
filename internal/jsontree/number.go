package jsontree

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"github.com/gowebpki/jcs"
)

// maxScientific is the most characters of a number with an exponent; of a double, all digits and
// the exponent are 774. Go's strconv misreads longer ones: it takes an exponent beyond 10,000 for
// about that, and may forget that digits follow the 800th. So "0.", 100,000 zeros and "1e100001"
// are 0 to Go, and 1 to others.
const maxScientific = 800

// readNumber returns a number as RFC 8785 writes it (section 3.2.2.3), whether parsers agree
// about it, and whether it fits into a double.
//
// They disagree about integers that a double can't hold: 9007199254740993 is 9007199254740992
// to some. With a fraction or an exponent it is the same integer, and decimal types read it
// so: 9007199254740993.0 isn't exact either. But programs print doubles like that, rounded:
// 1e23 isn't a double, and means the one next to it. So a number is exact
//   - below 2^53, and where it isn't an integer,
//   - if its digits are those of the double to the last,
//   - if it has a fraction or an exponent, and its digits are those of the double rounded to
//     as many, or the fewest that read back as it.
func readNumber(literal []byte) (text []byte, exact, ok bool) {
	if digits := bytes.TrimPrefix(literal, []byte("-")); len(digits) <= 15 && !bytes.ContainsAny(digits, ".eE") && string(literal) != "-0" {
		return literal, true, true // up to 15 digits are exact
	}
	f, err := strconv.ParseFloat(string(literal), 64)
	if err != nil {
		return nil, false, false
	}
	canonical, err := jcs.NumberToJSON(f)
	if err != nil {
		return nil, false, false
	}
	digits, exponent := significant(string(literal))
	if text = []byte(canonical); math.Abs(f) < 1<<53 || exponent < 0 {
		return text, true, true
	}
	held := strconv.FormatFloat(f, 'f', 0, 64)
	shortest := ""
	if bytes.ContainsAny(literal, ".eE") {
		held = strconv.FormatFloat(f, 'e', min(len(digits), 309)-1, 64) // no double has more digits
		shortest, _ = significant(strconv.FormatFloat(f, 'e', -1, 64))
	}
	rounded, _ := significant(held)
	return text, digits == rounded || digits == shortest, true
}

// significant returns the digits of a number without zeros at either end, and the power of ten
// that the last one counts.
func significant(number string) (digits string, exponent int) {
	mantissa, power, _ := strings.Cut(strings.ToLower(number), "e")
	exponent, _ = strconv.Atoi(power)
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(mantissa, "-"), ".")
	all := whole + fraction
	digits = strings.TrimRight(all, "0")
	return strings.TrimLeft(digits, "0"), exponent - len(fraction) + len(all) - len(digits)
}
