package lockfile_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"pinproof/internal/jsontest"
	"pinproof/internal/jsontree"
	"pinproof/internal/lockfile"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
	"pinproof/internal/report/reporttest"
)

// TestLockfilesFitTheSchema validates lockfiles of all kinds.
func TestLockfilesFitTheSchema(t *testing.T) {
	schema := reporttest.CompileSchema(t, pintest.FromRoot("docs/lockfile.schema.json"))
	for name, s := range reporttest.Scenes {
		lock, _ := s.Lockfile(t)
		for i := range lock.Servers {
			for j := range lock.Servers[i].Pins {
				lock.Servers[i].Pins[j].AcceptedWarnings = []pin.AcceptedWarning{{ID: "a-1", Digest: lock.Servers[i].Pins[j].Digest}, {ID: "b", Place: jsontree.ExtendPointer("/~0/", name+"\"%é\u200b ~/#"), Digest: lock.Servers[i].Pins[j].Digest}}
				if j%2 == 0 {
					lock.Servers[i].Pins[j].Approval = &pin.Approval{By: "someone", At: "2026-01-02T03:04:05Z", Hash: lock.Servers[i].Pins[j].Digest, Digest: lock.Servers[i].Pins[j].Digest}
				}
			}
		}
		text, err := lockfile.Marshal(lock)
		if err != nil {
			t.Fatal(name, err)
		}
		if _, err := read(string(text)); err != nil {
			t.Fatal(name, err)
		}
		reporttest.ValidateJSON(t, schema, string(text))
	}
}

// TestSchemaRefusesWhatTheReaderRefuses: the reader and the schema both refuse the lockfiles in testdata/refused.txt,
// and both take lockfiles without a mistake.
func TestSchemaRefusesWhatTheReaderRefuses(t *testing.T) {
	schema := reporttest.CompileSchema(t, pintest.FromRoot("docs/lockfile.schema.json"))
	const hash = "sha256:65fb4710c03bd0916615858be11197c36702700ae8938d6578ecf373a15550de"
	parts := map[string]string{
		"HASH":       hash,
		"DIGEST":     `"digest":"` + hash + `"`,
		"CAPITALS":   `"DIGEST":"` + strings.ToUpper(hash) + `"`,
		"DEFINITION": `"definition":{"description":"x","name":"a"}`,
		"TEXT":       `"digest":"sha256:2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"`, // of the text x
		"ZEROS":      jsontree.DigestPrefix + strings.Repeat("0", 64),
		"LONG":       strings.Repeat("a", 1025),
		"POINTERS":   `"/_meta"`,
	}
	for i := range 32 {
		parts["POINTERS"] += fmt.Sprintf(`,"/_meta/%02d"`, i)
	}
	around := map[string]string{"file": "%s", "server": `{"lockfileVersion":1,"servers":{"s":%s}}`, "tool": `{"lockfileVersion":1,"servers":{"s":{"tools":{"a":%s}}}}`}
	written := func(line string) string {
		kind, inside, _ := strings.Cut(line, " ")
		return fmt.Sprintf(around[kind], os.Expand(inside, func(part string) string { return parts[part] }))
	}
	for _, line := range []string{
		`file {"lockfileVersion":1,"servers":{}}`,
		`tool {$DIGEST,$DEFINITION}`,
		`server {"policy":{"hashOnly":true},"tools":{"a":{$DIGEST}}}`,
		`server {"instructions":{$TEXT,"text":"x"},"tools":{},"prompts":{"a":{$DIGEST,$DEFINITION}}}`,
		`server {"policy":{"hashOnly":true,"resources":true,"substitute":["ROOT"],"toolsOnly":true},"instructions":{$TEXT},"tools":{},` +
			`"resourceTemplates":{"a":{$DIGEST}},"resources":{"a":{$DIGEST}}}`,
	} {
		good := laidOut(t, written(line))
		if _, err := read(good); err != nil {
			t.Errorf("%v: %s", err, good)
		}
		reporttest.ValidateJSON(t, schema, good)
	}
	for _, line := range jsontest.ReadLines(t, "testdata/refused.txt") {
		bad := written(line)
		if _, err := read(bad); err == nil {
			t.Errorf("the reader takes %s", bad)
		}
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(bad))
		if err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if schema.Validate(v) == nil {
			t.Errorf("the schema takes %s", bad)
		}
	}
}

// TestRealLockfilesFitTheSchema validates the lockfile of each capture.
func TestRealLockfilesFitTheSchema(t *testing.T) {
	schema := reporttest.CompileSchema(t, pintest.FromRoot("docs/lockfile.schema.json"))
	pintest.SomeUpgrades(t, func(_, new string) {
		var lock lockfile.Lockfile
		lock.Put(pintest.ReadPins(t, new, "s"))
		reporttest.ValidateJSON(t, schema, pintest.MustMarshal(t, lock))
	})
}

func FuzzLockfileSchema(f *testing.F) {
	schema := reporttest.CompileSchema(f, pintest.FromRoot("docs/lockfile.schema.json"))
	reporttest.AddHostile(f)
	f.Fuzz(func(t *testing.T, name, text, key, path string, shape uint16) {
		lock, taken := reporttest.HostileScene(name, text, key, path, shape).Lockfile(t)
		if !taken {
			t.Skip()
		}
		reporttest.ValidateJSON(t, schema, pintest.MustMarshal(t, lock))
	})
}
