package jsontree

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"pinproof/internal/jsontest"
)

// checkExact checks whether parsers agree about a number.
func checkExact(t *testing.T, literal string, want bool) {
	t.Helper()
	if text, exact, _ := readNumber([]byte(literal)); text == nil || exact != want {
		t.Errorf("%.40s, of %d characters: %q, exact %v, want %v", literal, len(literal), text, exact, want)
	}
}

// TestExactNumbers checks the numbers in testdata/numbers.txt.
func TestExactNumbers(t *testing.T) {
	for _, row := range jsontest.ReadRows(t, "testdata/numbers.txt", 2) {
		checkExact(t, row[0], row[1] == "true")
	}
}

// TestExactNumbersByValue checks readNumber, which compares digits, against the values of math/big.
func TestExactNumbersByValue(t *testing.T) {
	m := rand.New(rand.NewPCG(1, 2))
	value := func(s string) *big.Rat {
		v, ok := new(big.Rat).SetString(s)
		if !ok {
			t.Fatal(s)
		}
		return v
	}
	refused, rounds := 0, jsontest.RoundCount(10_000, 40_000)
	for range rounds {
		digits := strconv.FormatUint(m.Uint64()>>m.IntN(12), 10)
		switch m.IntN(3) {
		case 0:
			digits += strconv.FormatUint(m.Uint64(), 10)
		case 1:
			f := math.Ldexp(float64(m.IntN(1<<20)+1), 33+m.IntN(60)) // near the limits of a double
			v, _ := new(big.Float).SetFloat64(f).Int(nil)
			digits = v.Add(v, big.NewInt(int64(m.IntN(3)-1))).String()
		}
		literal := digits
		if at := m.IntN(len(digits)) + 1; m.IntN(2) == 0 {
			literal = digits[:at] + "." + (digits + "0")[at:]
		}
		if m.IntN(2) == 0 {
			literal += "e" + strconv.Itoa(m.IntN(40)-10)
		}
		f, _ := strconv.ParseFloat(literal, 64)
		written, held := value(literal), new(big.Rat).SetFloat64(f)
		want := !written.IsInt() || written.Cmp(held) == 0
		for precision := -1; precision < 50 && !want && strings.ContainsAny(literal, ".e"); precision++ {
			want = value(strconv.FormatFloat(f, 'e', precision, 64)).Cmp(written) == 0
		}
		if !want {
			refused++
		}
		checkExact(t, literal, want)
	}
	if refused < rounds/8 {
		t.Errorf("only %d are refused", refused)
	}
}

// TestPrintedDoubles checks that a double is accepted in the forms in which programs print it.
func TestPrintedDoubles(t *testing.T) {
	m := rand.New(rand.NewPCG(3, 4))
	list := []float64{1e21, 1e22, 1e23, 1<<53 + 2, math.MaxFloat64, math.SmallestNonzeroFloat64, math.MaxUint64, 5e22, 2e23}
	for e := range 1023 {
		list = append(list, math.Ldexp(1, e), math.Nextafter(math.Ldexp(1, e), 0))
	}
	for range jsontest.RoundCount(1_000, 20_000) {
		list = append(list, math.Float64frombits(m.Uint64()), float64(m.Uint64()), math.Pow(10, float64(m.IntN(308)))*float64(m.IntN(1000)))
	}
	for _, f := range list {
		if math.IsNaN(f) || math.IsInf(f, 0) {
			continue
		}
		for _, how := range []struct {
			format    byte
			precision int
		}{{'g', -1}, {'g', 17}, {'e', -1}, {'e', 16}, {'e', 17}, {'e', 20}, {'f', 1}, {'f', 6}, {'f', 17}, {'f', 0}} {
			literal := strconv.FormatFloat(f, how.format, how.precision, 64)
			checkExact(t, literal, true)
		}
		// Written as an integer, it is accepted only with the digits that it really has.
		literal := strconv.FormatFloat(f, 'f', -1, 64)
		want := strings.Contains(literal, ".") || literal == strconv.FormatFloat(f, 'f', 0, 64)
		checkExact(t, literal, want)
	}
}
