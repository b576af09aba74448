package sarif

import "testing"

func TestFileURI(t *testing.T) {
	for path, want := range map[string]string{
		"tools.lock": "tools.lock", "dir/a b%#?:.lock": "dir/a%20b%25%23%3F%3A.lock", "é": "%C3%A9", "../x": "../x",
		"/abs/x": "file:///abs/x", "a:b": "a%3Ab", "": "", "\xff\n": "%FF%0A",
	} {
		if got := fileURI(path); got != want {
			t.Errorf("%q is %q, want %q", path, got, want)
		}
	}
}
