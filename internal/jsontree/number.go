package jsontree

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"github.com/gowebpki/jcs"
)

// maxScientific is the maximum length of a number with an exponent; a double with all its digits and an exponent has at
// most 774 characters. Go's strconv misreads longer numbers: it reads an exponent beyond 10,000 as about 10,000, and
// may forget that digits follow the 800th. So Go reads "0." followed by 100,000 zeros and "1e100001" as 0, and other
// parsers read it as 1.
const maxScientific = 800

// readNumber returns a number as RFC 8785 writes it (section 3.2.2.3), or nil if it doesn't fit into a double;
// whether parsers agree about it; and whether it is so close to zero that Go takes microseconds to read it.
//
// Parsers disagree about integers that a double can't represent: to some, 9007199254740993 is
// 9007199254740992. Written with a fraction or an exponent, it is still the same integer, and decimal
// types read it as such: 9007199254740993.0 isn't exact either. But programs print rounded doubles in
// these forms: 1e23 isn't a double, and means the double next to it. So a number is exact
//   - if it is below 2^53, or isn't an integer,
//   - if its digits are all digits of the double,
//   - if it has a fraction or an exponent, and its digits are those of the double rounded to
//     as many digits, or the fewest digits that read back as the double.
func readNumber(literal []byte) (text []byte, exact, tiny bool) {
	isInteger := !bytes.ContainsAny(literal, ".eE")
	if digits := bytes.TrimPrefix(literal, []byte("-")); len(digits) <= 15 && isInteger && string(literal) != "-0" {
		return literal, true, false // up to 15 digits are exact
	}
	f, err := strconv.ParseFloat(string(literal), 64)
	if err != nil {
		return nil, false, false
	}
	canonical, err := jcs.NumberToJSON(f)
	if err != nil {
		return nil, false, false
	}
	text = []byte(canonical)
	digits, exponent := significant(string(literal))
	if math.Abs(f) < 1<<53 || exponent < 0 {
		return text, true, f != 0 && math.Abs(f) < minNormal
	}
	format := byte('f')
	precision := 0
	if !isInteger {
		if shortest, _ := significant(canonical); digits == shortest {
			return text, true, false
		}
		format = 'e'
		precision = min(len(digits), 309) - 1 // a double of 2^53 or more is an integer of at most 309 digits
	}
	rounded, _ := significant(strconv.FormatFloat(f, format, precision, 64))
	return text, digits == rounded, false
}

// minNormal is the smallest double that has all its bits of precision. Go reads a smaller one digit by digit.
const minNormal = 0x1p-1022

// significant returns the digits of a number without zeros at either end, and the power of ten
// of the last digit.
func significant(number string) (digits string, exponent int) {
	mantissa, power, _ := strings.Cut(strings.ToLower(number), "e")
	exponent, _ = strconv.Atoi(power)
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(mantissa, "-"), ".")
	all := whole + fraction
	digits = strings.TrimRight(all, "0")
	return strings.TrimLeft(digits, "0"), exponent - len(fraction) + len(all) - len(digits)
}
