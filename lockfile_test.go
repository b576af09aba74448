package main

import (
	"reflect"
	"testing"

	"pinproof/internal/capture"
	"pinproof/internal/jsontest"
	"pinproof/internal/lockfile"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
)

// TestMangledLockfile: every edit of one byte of a lockfile gives drift or an error, names
// another server, or leaves the value of the pins the same.
func TestMangledLockfile(t *testing.T) {
	t.Parallel()
	jsontest.SkipShort(t, "it edits each byte of a lockfile")
	for _, pol := range []pin.Policy{{}, {Descriptions: "truncate=2"}, {HashOnly: true, Descriptions: "strip"}} {
		found := pintest.PinsOf(t, jsontest.MangledCapture, pol)
		text := pintest.MustMarshal(t, lockfile.Lockfile{Servers: []pin.Set{found}})
		pins := jsontest.Decoded(t, []byte(text)).(map[string]any)["servers"].(map[string]any)["s"].(map[string]any)["tools"]
		count := map[string]int{}
		jsontest.Mangled(text, func(edited string) {
			l, err := lockfile.Read("tools.lock", []byte(edited), pintest.Form)
			if err != nil {
				count["error"]++
				return
			}
			set := l.Find("s")
			if set == nil {
				count["another server"]++
				return
			}
			m, err := capture.Read("m.json", []byte(jsontest.MangledCapture), pintest.Form, set.Policy)
			if err != nil {
				t.Fatal(err)
			}
			now, err := capture.Pins(m, "s", set.Policy, nil, pintest.Form)
			if err != nil {
				t.Fatal(err)
			}
			drifts, err := compareAll([]pin.Comparison{{Server: "s", Locked: *set, Captured: now}})
			switch {
			case err != nil:
				count["error"]++
				return
			case len(drifts) > 0:
				count["drift"]++
				return
			}
			servers := jsontest.Decoded(t, []byte(edited)).(map[string]any)["servers"].(map[string]any)
			if got := servers["s"].(map[string]any)["tools"]; !reflect.DeepEqual(got, pins) {
				t.Fatalf("matches, and is not the same:\n%s", edited)
			}
			count["the same value"]++
		})
		if count["error"] == 0 || count["another server"] == 0 || count["the same value"] == 0 || pol.HashOnly && count["drift"] == 0 {
			t.Errorf("%+v: %v", pol, count)
		}
		t.Logf("%+v: %v", pol, count)
	}
}
