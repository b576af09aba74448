package lockfile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"pinproof/internal/jsontree"
	"pinproof/internal/lockfile"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
	"pinproof/internal/report/reporttest"
)

// TestLockfilesFitTheSchema validates lockfiles of all kinds.
func TestLockfilesFitTheSchema(t *testing.T) {
	schema := reporttest.Schema(t, pintest.Path("docs/lockfile.schema.json"))
	for name, s := range reporttest.Scenes {
		lock, _ := s.Lockfile(t)
		for i := range lock.Servers {
			for j := range lock.Servers[i].Pins {
				lock.Servers[i].Pins[j].Accepted = []pin.Record{{ID: "a-1", Digest: lock.Servers[i].Pins[j].Digest}, {ID: "b", Place: jsontree.Pointer("/~0/", name+"\"%é\u200b ~/#"), Digest: lock.Servers[i].Pins[j].Digest}}
				if j%2 == 0 {
					lock.Servers[i].Pins[j].Approval = &pin.Approval{By: "someone", At: "2026-01-02T03:04:05Z", Hash: lock.Servers[i].Pins[j].Digest, Digest: lock.Servers[i].Pins[j].Digest}
				}
			}
		}
		text, err := lockfile.Marshal(lock)
		if err != nil {
			t.Fatal(name, err)
		}
		if _, err := lockfile.Read("tools.lock", text, pintest.Form); err != nil {
			t.Fatal(name, err)
		}
		reporttest.Validate(t, schema, text)
	}
}

// TestSchemaRefusesWhatTheReaderRefuses: the reader and the schema both refuse mistakes of all kinds, and both take
// lockfiles without a mistake.
func TestSchemaRefusesWhatTheReaderRefuses(t *testing.T) {
	schema := reporttest.Schema(t, pintest.Path("docs/lockfile.schema.json"))
	const d = `"digest":"sha256:65fb4710c03bd0916615858be11197c36702700ae8938d6578ecf373a15550de"`
	const def = `"definition":{"description":"x","name":"a"}`
	const text = `"digest":"sha256:2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"` // of the text x
	zeros := pin.DigestPrefix + strings.Repeat("0", 64)
	tooMany := `"/_meta"`
	for i := range 32 {
		tooMany += fmt.Sprintf(`,"/_meta/%02d"`, i)
	}
	whole := func(server string) string { return `{"lockfileVersion":1,"servers":{"s":` + server + `}}` }
	tool := func(pin string) string { return whole(`{"tools":{"a":` + pin + `}}`) }
	for _, good := range []string{
		`{"lockfileVersion":1,"servers":{}}`,
		tool(`{` + d + `,` + def + `}`),
		whole(`{"policy":{"hashOnly":true},"tools":{"a":{` + d + `}}}`),
		whole(`{"instructions":{` + text + `,"text":"x"},"tools":{},"prompts":{"a":{` + d + `,` + def + `}}}`),
		whole(`{"policy":{"hashOnly":true,"resources":true,"substitute":["ROOT"],"toolsOnly":true},"instructions":{` + text + `},"tools":{},` +
			`"resourceTemplates":{"a":{` + d + `}},"resources":{"a":{` + d + `}}}`),
	} {
		if _, err := lockfile.Read("tools.lock", []byte(good), pintest.Form); err != nil {
			t.Errorf("%v: %s", err, good)
		}
		reporttest.Validate(t, schema, []byte(good))
	}
	for _, bad := range []string{
		`{}`, `[]`, `{"lockfileVersion":1}`, `{"lockfileVersion":2,"servers":{}}`, `{"lockfileVersion":"1","servers":{}}`,
		`{"lockfileVersion":1,"servers":{},"x":1}`, `{"lockfileVersion":1,"servers":[]}`,
		`{"lockfileVersion":1,"servers":{"":{"tools":{}}}}`, `{"lockfileVersion":1,"servers":{"` + strings.Repeat("s", 1025) + `":{"tools":{}}}}`,
		whole(`{}`), whole(`[]`), whole(`{"tools":[]}`), whole(`{"tools":{},"x":1}`), whole(`{"tools":{},"policy":{}}`),
		whole(`{"tools":{},"policy":{"hashOnly":false}}`), whole(`{"tools":{},"policy":{"descriptions":"preserve"}}`),
		whole(`{"tools":{},"policy":{"descriptions":"truncate=0"}}`), whole(`{"tools":{},"policy":{"descriptions":"truncate=01"}}`),
		whole(`{"tools":{},"policy":{"ignore":[]}}`), whole(`{"tools":{},"policy":{"ignore":"/icons"}}`),
		whole(`{"tools":{},"policy":{"ignore":["/name"]}}`), whole(`{"tools":{},"policy":{"ignore":["/icons/0"]}}`),
		whole(`{"tools":{},"policy":{"ignore":["/_meta~"]}}`), whole(`{"tools":{},"policy":{"ignore":["/_meta/a~2"]}}`),
		whole(`{"tools":{},"policy":{"ignore":["/_meta/` + strings.Repeat("a", 250) + `"]}}`), whole(`{"tools":{},"policy":{"ignore":[` + tooMany + `]}}`),
		whole(`{"tools":{},"policy":{"ignore":["/icons","/icons"]}}`), whole(`{"tools":{},"policy":{"x":true}}`),
		whole(`{"tools":{"":{` + d + `,` + def + `}}}`),
		tool(`[]`), tool(`{}`), tool(`{` + d + `}`), tool(`{` + def + `}`), tool(`{` + d + `,` + def + `,"x":1}`),
		tool(`{` + d + `,"definition":[]}`), tool(`{` + d + `,"definition":{}}`),
		tool(`{"digest":"sha256:00",` + def + `}`), tool(`{` + strings.ToUpper(d) + `,` + def + `}`),
		tool(`{` + d + `,"sanitizedDigest":1,` + def + `}`), tool(`{` + d + `,"approval":{},` + def + `}`),
		tool(`{` + d + `,"approval":{"by":"","at":"2026-01-02T03:04:05Z","hash":"sha256:65fb4710c03bd0916615858be11197c36702700ae8938d6578ecf373a15550de",` + d + `},` + def + `}`),
		tool(`{` + d + `,"approval":{"by":"x","at":"yesterday","hash":"sha256:65fb4710c03bd0916615858be11197c36702700ae8938d6578ecf373a15550de",` + d + `},` + def + `}`),
		tool(`{` + d + `,"approval":{"by":"x","at":"2026-01-02T03:04:05Z","hash":"x",` + d + `},` + def + `}`),
		tool(`{` + d + `,"approval":{"by":5,"at":"2026-01-02T03:04:05Z","hash":"sha256:65fb4710c03bd0916615858be11197c36702700ae8938d6578ecf373a15550de",` + d + `},` + def + `}`),
		tool(`{` + d + `,"approval":{"by":"x","at":"2026-01-02T03:04:05Z","hash":"sha256:65fb4710c03bd0916615858be11197c36702700ae8938d6578ecf373a15550de"},` + def + `}`),
		whole(`{"tools":{},"prompts":{}}`), whole(`{"tools":{},"resources":{}}`), whole(`{"tools":{},"resourceTemplates":{}}`), whole(`{"tools":{},"skills":{}}`),
		whole(`{"policy":{"hashOnly":true},"tools":{"a":{` + d + `,` + def + `}}}`),
		whole(`{"tools":{},"instructions":{` + text + `}}`), whole(`{"tools":{},"instructions":{` + text + `,"text":["x"]}}`),
		whole(`{"tools":{},"instructions":{` + text + `,"text":"x","definition":{}}}`), whole(`{"tools":{},"instructions":"x"}`),
		whole(`{"policy":{"hashOnly":true},"tools":{},"instructions":{` + text + `,"text":"x"}}`),
		whole(`{"tools":{},"prompts":[]}`), whole(`{"tools":{},"prompts":{"a":{` + d + `}}}`), whole(`{"tools":{},"prompts":{"":{` + d + `,` + def + `}}}`),
		whole(`{"tools":{},"resources":{"a":{` + d + `,` + def + `}}}`), whole(`{"tools":{},"resourceTemplates":{"a":{` + d + `,` + def + `}}}`),
		whole(`{"tools":{},"policy":{"resources":false}}`), whole(`{"tools":{},"policy":{"toolsOnly":"true"}}`),
		tool(`{` + d + `,"acceptedWarnings":[],` + def + `}`), tool(`{` + d + `,"acceptedWarnings":["hidden-text"],` + def + `}`),
		tool(`{` + d + `,"acceptedWarnings":["hidden-text a ` + zeros + `"],` + def + `}`), tool(`{` + d + `,"acceptedWarnings":["hidden-text /a  ` + zeros + `"],` + def + `}`),
		tool(`{` + d + `,"acceptedWarnings":["hidden-text /é ` + zeros + `"],` + def + `}`), tool(`{` + d + `,"acceptedWarnings":["hidden-text /a~2 ` + zeros + `"],` + def + `}`),
		whole(`{"tools":{},"acceptedWarnings":["oversize"]}`), whole(`{"tools":{},"acceptedWarnings":["oversize ` + zeros + `","oversize ` + zeros + `"]}`),
		whole(`{"tools":{},"policy":{"substitute":[]}}`), whole(`{"tools":{},"policy":{"substitute":["root"]}}`),
	} {
		if _, err := lockfile.Read("tools.lock", []byte(bad), pintest.Form); err == nil {
			t.Errorf("the reader takes %s", bad)
		}
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(bad))
		if err != nil {
			t.Fatal(err)
		}
		if schema.Validate(v) == nil {
			t.Errorf("the schema takes %s", bad)
		}
	}
}

// TestRealLockfilesFitTheSchema validates the lockfile of each capture.
func TestRealLockfilesFitTheSchema(t *testing.T) {
	schema := reporttest.Schema(t, pintest.Path("docs/lockfile.schema.json"))
	pintest.SomeUpgrades(t, func(_, new string) {
		var lock lockfile.Lockfile
		lock.Put(pintest.RealPins(t, new, "s"))
		reporttest.Validate(t, schema, []byte(pintest.MustMarshal(t, lock)))
	})
}

func FuzzLockfileSchema(f *testing.F) {
	schema := reporttest.Schema(f, pintest.Path("docs/lockfile.schema.json"))
	reporttest.AddHostile(f)
	f.Fuzz(func(t *testing.T, name, text, key, path string, shape uint16) {
		lock, taken := reporttest.HostileScene(name, text, key, path, shape).Lockfile(t)
		if !taken {
			t.Skip()
		}
		reporttest.Validate(t, schema, []byte(pintest.MustMarshal(t, lock)))
	})
}
