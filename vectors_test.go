package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pinproof/internal/capture"
	"pinproof/internal/jsontest"
	"pinproof/internal/jsontree"
	"pinproof/internal/lockfile"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
)

// The vectors in ownVectors are ours; another implementation (ci/vectors.mjs) made their
// expected values. The vectors in outsideVectors, beside the checkout, are published by
// others. They are tested, too, where that folder exists.
const (
	ownVectors     = "testdata/vectors"
	outsideVectors = "../shared/vectors"
)

func vector(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// outsideFiles returns the files in outsideVectors that match a pattern, or none if there is no such folder.
func outsideFiles(t *testing.T, pattern string) []string {
	t.Helper()
	if _, err := os.Stat(outsideVectors); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	files, err := filepath.Glob(filepath.Join(outsideVectors, pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no %s among the vectors: %v", pattern, err)
	}
	return files
}

// A jsonVector is a text and what the reader has to do with it: "y" is accepted, "n" refused;
// where the standard leaves the choice, "+" is accepted and "-" refused by us.
type jsonVector struct {
	name, kind string
	text       []byte
}

// escapedByte is how grammar.txt writes bytes outside printable ASCII.
var escapedByte = regexp.MustCompile(`\\x[0-9a-f]{2}`)

func jsonVectors(t *testing.T, kinds string) (list []jsonVector) {
	t.Helper()
	for line := range strings.Lines(string(vector(t, ownVectors+"/grammar.txt"))) {
		kind, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if kind != "#" {
			raw := escapedByte.ReplaceAllFunc([]byte(text), func(b []byte) []byte {
				n, _ := strconv.ParseUint(string(b[2:]), 16, 8)
				return []byte{byte(n)}
			})
			list = append(list, jsonVector{text, kind, raw})
		}
	}
	// The names of these files don't tell what our reader does. It refuses repeated keys, on which
	// parsers disagree. It accepts underflow, which is 0, and 10^20, which a double holds exactly.
	ours := map[string]string{
		"y_object_duplicated_key.json": "-", "y_object_duplicated_key_and_value.json": "-", "i_number_double_huge_neg_exp.json": "+",
		"i_number_real_underflow.json": "+", "i_number_too_big_pos_int.json": "+",
	}
	for _, path := range outsideFiles(t, "json-parsing/[yni]_*.json") {
		name := filepath.Base(path)
		kind := name[:1]
		if ours[name] != "" {
			kind = ours[name]
		} else if kind == "i" {
			kind = "-"
		}
		list = append(list, jsonVector{name, kind, vector(t, path)})
	}
	list = slices.DeleteFunc(list, func(v jsonVector) bool { return !strings.Contains(kinds, v.kind) })
	if len(list) < 60 {
		t.Fatalf("only %d vectors", len(list))
	}
	return list
}

// inDefinition returns a list of one tool that has the bytes of a parsing test as the value of a member.
func inDefinition(data []byte) []byte {
	return slices.Concat([]byte(`{"tools":[{"name":"t","x":`), data, []byte(`}]}`))
}

// TestVectorsToAccept: what is accepted is locked, and verifies against the lockfile.
func TestVectorsToAccept(t *testing.T) {
	for _, v := range jsonVectors(t, "y+") {
		t.Run(v.name, func(t *testing.T) {
			pins := canonPins(t, string(inDefinition(v.text)), pin.Policy{})
			if len(pins.Pins) != 1 || pins.Pins[0].Name != "t" {
				t.Fatalf("pins %+v", pins.Pins)
			}
			want := jsontest.Canonical(t, pins.Pins[0].Received)
			if got := string(pins.Pins[0].Definition); got != want {
				t.Errorf("canonical form %s, want %s", got, want)
			}
			l := pintest.MustParse(t, pintest.MustMarshal(t, lockfile.Lockfile{Servers: []pin.Set{pins}}))
			if drifts, matched := compare(l.Servers[0], pins); len(drifts) > 0 || matched != 1 {
				t.Errorf("not what was locked: %s", pintest.DriftLines(drifts))
			}
		})
	}
}

// TestVectorsToRefuse: each is refused in a capture, and in a definition that a lockfile stores.
func TestVectorsToRefuse(t *testing.T) {
	for _, v := range jsonVectors(t, "n-") {
		t.Run(v.name, func(t *testing.T) {
			_, err := capture.Read("m.json", inDefinition(v.text), formOf, pin.Policy{})
			if err == nil {
				t.Fatal("accepted")
			}
			jsontest.CheckVisible(t, err.Error())
			stored := strings.Replace(jsontest.LockfileText, `"extra": {}`, `"extra": `+string(v.text), 1)
			if _, err := lockfile.Read("tools.lock", []byte(stored), formOf); err == nil {
				t.Error("accepted in a lockfile")
			}
		})
	}
}

// TestVectorsOfCanonicalForm: pairs of a text and its RFC 8785 form, byte for byte.
func TestVectorsOfCanonicalForm(t *testing.T) {
	type pair struct{ About, Input, Canonical string }
	var pairs []pair
	if err := json.Unmarshal(vector(t, ownVectors+"/canonical.json"), &pairs); err != nil || len(pairs) < 15 {
		t.Fatalf("%d pairs, %v", len(pairs), err)
	}
	for _, path := range outsideFiles(t, "rfc8785/input/*.json") {
		name := filepath.Base(path)
		pairs = append(pairs, pair{name, string(vector(t, path)), string(vector(t, filepath.Join(outsideVectors, "rfc8785/output", name)))})
	}
	for _, p := range pairs {
		t.Run(p.About, func(t *testing.T) {
			v, err := jsontree.NewReader([]byte(p.Input)).Only()
			if err != nil {
				t.Fatal(err)
			}
			if got := jsontree.Append(nil, v); !bytes.Equal(got, []byte(p.Canonical)) {
				t.Errorf("got  %s\nwant %s", got, p.Canonical)
			}
			// The same as a member of a definition, from a capture to a lockfile and back.
			pins := canonPins(t, string(inDefinition([]byte(p.Input))), pin.Policy{})
			l := pintest.MustParse(t, pintest.MustMarshal(t, lockfile.Lockfile{Servers: []pin.Set{pins}}))
			if got, want := string(l.Servers[0].Pins[0].Definition), `{"name":"t","x":`+p.Canonical+`}`; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// TestDigests: the digests of definitions, of sets and of instructions are the expected ones.
func TestDigests(t *testing.T) {
	t.Run("ours", func(t *testing.T) { digestsHold(t, ownVectors+"/digests.json") })
	for _, path := range outsideFiles(t, "tool-definition-hash-v1.json") {
		t.Run("published", func(t *testing.T) { digestsHold(t, path) })
	}
}

func digestsHold(t *testing.T, path string) {
	var vectors struct {
		Definitions []struct{ About, Input, Digest string }
		Sets        []struct {
			About, List string
			Pages       []string
			SetDigest   string
		}
		Instructions []struct{ Text, Digest string }
	}
	if err := json.Unmarshal(vector(t, path), &vectors); err != nil {
		t.Fatal(err)
	}
	if len(vectors.Definitions) < 8 || len(vectors.Sets) < 4 || len(vectors.Instructions) < 2 {
		t.Fatalf("too few vectors: %+v", vectors)
	}
	for _, d := range vectors.Definitions {
		r := jsontree.NewReader([]byte(d.Input))
		v, err := r.Only()
		if refused := strings.Contains(d.About, "pinproof refuses it"); refused != (err != nil || r.Rounded != nil) {
			t.Errorf("%s: refused: %v; %v", d.About, !refused, err)
		}
		if err != nil {
			continue
		}
		var p pin.Pin
		if p.Form = formOf(pin.Tools, jsontree.Append(nil, v)); p.Digest != d.Digest {
			t.Errorf("%s: %s, want %s", d.About, p.Digest, d.Digest)
		}
	}
	lists := map[string]pin.EntryType{"tools": pin.Tools, "prompts": pin.Prompts, "resourceTemplates": pin.Templates}
	for _, s := range vectors.Sets {
		member := s.List
		if member == "" { // the published vectors name the list only in their title
			member = "tools"
			if s.About == "prompts" {
				member = "prompts"
			}
		}
		text := ""
		for i, page := range s.Pages {
			cursor := ""
			if i < len(s.Pages)-1 {
				cursor = `,"nextCursor":"x"`
			}
			text += `{"jsonrpc":"2.0","id":1,"result":{"` + member + `":` + page + cursor + "}}\n"
		}
		if member != "tools" {
			text += `{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}`
		}
		set := canonPins(t, text, pin.Policy{})
		if got := listDigest(&set, lists[member]); got != s.SetDigest {
			t.Errorf("%s: %s, want %s", s.About, got, s.SetDigest)
		}
	}
	for _, i := range vectors.Instructions {
		text, err := json.Marshal(i.Text)
		if err != nil {
			t.Fatal(err)
		}
		set := canonPins(t, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","instructions":`+string(text)+`}}
			{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}`, pin.Policy{})
		if p := set.Find(pin.Key{Type: pin.Instructions}); p == nil || p.Digest != i.Digest {
			t.Errorf("%q: %+v, want %s", i.Text, p, i.Digest)
		}
	}
}
