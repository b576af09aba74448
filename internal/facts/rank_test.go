package facts

import (
	"testing"

	"pinproof/internal/lint"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
)

// TestWhyFirst: each entry with its class and the reason for it.
func TestWhyFirst(t *testing.T) {
	const stays = `{"name":"stays","annotations":{"readOnlyHint":false}}`
	for what, test := range map[string]struct {
		old, new string
		class    Class
		why      Reason
	}{
		"runs code, new":    {`{"name":"a"}`, `{"name":"a"},{"name":"x","inputSchema":{"type":"object","properties":{"function":{"type":"string"}}}}`, ClassCode, Reason{CauseCode, "/inputSchema/properties/function", "function"}},
		"runs code, now":    {`{"name":"x"}`, `{"name":"x","inputSchema":{"type":"object","properties":{"script":{"type":"string"}}}}`, ClassCode, Reason{CauseCode, "/inputSchema/properties/script", "script"}},
		"destroys, new":     {`{"name":"a"}`, `{"name":"a"},{"name":"x","annotations":{"destructiveHint":true}}`, ClassDestructive, Reason{CauseDestroys, "/annotations/destructiveHint", ""}},
		"destroys, now":     {`{"name":"x","annotations":{"destructiveHint":false}}`, `{"name":"x","annotations":{"destructiveHint":true}}`, ClassDestructive, Reason{CauseDestroys, "/annotations/destructiveHint", ""}},
		"a guard went":      {`{"name":"x","description":"Reads. Asks the user before it deletes."}`, `{"name":"x","description":"Reads."}`, ClassUnguarded, Reason{CauseUnguards, "/description", "Asks the user before it deletes."}},
		"a guard moved":     {`{"name":"x","description":"Reads. Asks the user before it deletes."}`, `{"name":"x","description":"Reads.","more":"Asks the user before it deletes."}`, ClassChanged, Reason{}},
		"no guard":          {`{"name":"x","description":"Reads. If not specified, all of it."}`, `{"name":"x","description":"Reads."}`, ClassChanged, Reason{}},
		"hints":             {`{"name":"x","annotations":{"readOnlyHint":false}}`, `{"name":"x","annotations":{"readOnlyHint":true}}`, ClassUnguarded, Reason{CauseHint, "/annotations/readOnlyHint", ""}},
		"writes, new":       {`{"name":"a"}`, `{"name":"a"},{"name":"delete_x"}`, ClassWriting, Reason{Cause: CauseWrites}},
		"a text of its own": {`{"name":"x","description":"Reads."}`, `{"name":"x","description":"Reads. It is slow."}`, ClassOwnText, Reason{}},
		"a shared text":     {`{"name":"x","description":"Reads."},{"name":"y","description":"Finds."}`, `{"name":"x","description":"Reads. It is slow."},{"name":"y","description":"Finds. It is slow."}`, ClassChanged, Reason{}},
	} {
		first := ranked(t, "["+test.old+","+stays+"]", "["+test.new+","+stays+"]")
		if first.Class != test.class || first.Why != test.why {
			t.Errorf("%s: %d %+v, want %d %+v", what, first.Class, first.Why, test.class, test.why)
		}
	}
}

// TestHintsAtOnce: where all tools of a server got their hints at once, these rank one alone whose name says otherwise.
func TestHintsAtOnce(t *testing.T) {
	hinted := `","annotations":{"readOnlyHint":true}}`
	first := ranked(t, `[{"name":"list"},{"name":"show"}]`, `[{"name":"list`+hinted+`,{"name":"show`+hinted+`]`)
	if first.Class != ClassChanged {
		t.Errorf("%d %+v", first.Class, first.Why)
	}
	first = ranked(t, `[{"name":"list"},{"name":"delete_all"}]`, `[{"name":"list`+hinted+`,{"name":"delete_all`+hinted+`]`)
	if first.Name != "delete_all" || first.Class != ClassUnguarded || first.Why.Cause != CauseHint {
		t.Errorf("%s %d %+v", first.Name, first.Class, first.Why)
	}
}

// ranked is the entry of an upgrade that is read first.
func ranked(t *testing.T, old, new string) *Entry {
	t.Helper()
	sides := []pin.Comparison{{Server: "s", Known: true, Present: true, Locked: pintest.PinsOf(t, old, pin.Policy{}), Captured: pintest.PinsOf(t, new, pin.Policy{})}}
	drifts := pintest.Drifts(sides)
	entries := Of(sides, drifts, lint.Read(sides, drifts, nil, true), Bounds{}).Entries
	first := entries[0]
	for _, e := range entries {
		if e.Before(first) < 0 {
			first = e
		}
	}
	return first
}
