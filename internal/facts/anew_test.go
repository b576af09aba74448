package facts

import "testing"

func TestSameButIDs(t *testing.T) {
	for _, tt := range []struct {
		old, new string
		want     bool
	}{
		{"Started 2026-11-26T10:00:01.5Z.", "Started 2026-11-27T09:21:44Z.", true},
		{"at 10:03", "at 09:21", true},
		{"id 3fa9c1e2", "id 77b0c1ff", true},
		{"id 550e8400-e29b-41d4-a716-446655440000", "id 6ba7b810-9dad-11d1-80b4-00c04fd430c8", true},
		{"port 8080", "port 49152", true},
		{"up to 10 rows", "up to 50 rows", false}, // a limit
		{"v1.2", "v1.3", false},
		{"at 10:03, read", "at 09:21, write", false},
		{"deadbeef", "cafebabe", false}, // words may look so
		{"", "8080", false},
	} {
		if got := sameButIDs(tt.old, tt.new); got != tt.want {
			t.Errorf("%q and %q: %v, want %v", tt.old, tt.new, got, tt.want)
		}
	}
}
