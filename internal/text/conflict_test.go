package text

import "testing"

func TestConflictMarker(t *testing.T) {
	for data, want := range map[string]int{
		"":                                  -1,
		"{}":                                -1,
		"<<<<<<< HEAD":                      0,
		"<<<<<<<HEAD":                       -1,
		"a <<<<<<< b\n<<<<<<< c":            12,
		"a\r>>>>>>> b":                      2,
		"{\"x\":\"\\n<<<<<<< y\"}":          -1,
		"<<<<<<<< eight\n":                  -1,
		"{\n=======\n}":                     -1,
		"x >>>>>>> y\n>>>>>>> z":            12,
		"\n\n<<<<<<< a\n=======\n>>>>>>> b": 2,
	} {
		if got := ConflictMarker([]byte(data)); got != want {
			t.Errorf("%q: %d, want %d", data, got, want)
		}
	}
}
