package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pinproof/internal/capture"
	"pinproof/internal/diff"
	"pinproof/internal/effort"
	"pinproof/internal/lockfile"
	"pinproof/internal/pin"
	"pinproof/internal/pintest"
	"pinproof/internal/workspace"
)

// madeUpCapture is a response with n tools of about size bytes each, shaped like
// those of real servers: a description of some sentences, an input schema with
// described parameters, annotations. The same n and size give the same bytes.
func madeUpCapture(n, size int) []byte {
	random := rand.New(rand.NewPCG(42, uint64(n)))
	words := strings.Fields("the a file folder path of to and list returns reads writes given optional maximum number items name only when " +
		"matching pattern search result text encoding default true directory content line new existing each all with for query issue")
	var b strings.Builder
	sentence := func(n int) {
		for i := range n {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(words[random.IntN(len(words))])
		}
	}
	b.WriteString(`{"jsonrpc":"2.0","id":1,"result":{"tools":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		begin := b.Len()
		fmt.Fprintf(&b, `{"name":"%s_%s_%d","title":"`, words[random.IntN(len(words))], words[random.IntN(len(words))], i)
		sentence(3)
		b.WriteString(`","description":"`)
		sentence(8 + random.IntN(10))
		b.WriteString(`.\n\nArgs:\n`)
		sentence(size / 40)
		b.WriteString(`.","inputSchema":{"type":"object","properties":{`)
		p := 0
		for ; p == 0 || b.Len()-begin < size-160; p++ {
			if p > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `"%s_%d":{"type":"%s","description":"`, words[random.IntN(len(words))], p, []string{"string", "integer", "boolean"}[random.IntN(3)])
			sentence(4 + random.IntN(8))
			fmt.Fprintf(&b, `","minimum":%d}`, random.IntN(100))
		}
		fmt.Fprintf(&b, `},"required":["a"],"additionalProperties":false,"$schema":"http://json-schema.org/draft-07/schema#"},`+
			`"annotations":{"readOnlyHint":%v,"openWorldHint":false}}`, i%2 == 0)
	}
	b.WriteString("]}}\n")
	return []byte(b.String())
}

var benchSizes = []struct {
	name  string
	tools int
	size  int // of a tool in bytes, about
}{
	{"14tools_13kB", 14, 930},
	{"49tools_140kB", 49, 2_850},
	{"551tools_800kB", 551, 1_450},
	{"20000tools_20MB", 20_000, 1_000},
}

// benchEach runs do for a capture of each size.
func benchEach(b *testing.B, do func(b *testing.B, data []byte)) {
	for _, s := range benchSizes {
		b.Run(s.name, func(b *testing.B) {
			data := madeUpCapture(s.tools, s.size)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			do(b, data)
		})
	}
}

func benchRead(b *testing.B, data []byte) capture.Capture {
	m, err := capture.Read("m.json", data, formOf, pin.Policy{})
	if err != nil {
		b.Fatal(err)
	}
	return m
}

func benchPins(b *testing.B, m capture.Capture) pin.Set {
	set, err := capture.Pins(m, "s", pin.Policy{}, nil, formOf)
	if err != nil {
		b.Fatal(err)
	}
	return set
}

// BenchmarkRead measures the strict reading of a capture.
func BenchmarkRead(b *testing.B) {
	benchEach(b, func(b *testing.B, data []byte) {
		for b.Loop() {
			benchRead(b, data)
		}
	})
}

// BenchmarkPin measures how long it takes to make the pins of a capture that was read before.
func BenchmarkPin(b *testing.B) {
	benchEach(b, func(b *testing.B, data []byte) {
		m := benchRead(b, data)
		for b.Loop() {
			benchPins(b, m)
		}
	})
}

// BenchmarkVerify measures all of verify between the files and the verdict: it parses both,
// checks the lockfile against itself, and compares the two.
func BenchmarkVerify(b *testing.B) {
	benchEach(b, func(b *testing.B, data []byte) {
		lock := []byte(pintest.MustMarshal(b, lockfile.Lockfile{Servers: []pin.Set{benchPins(b, benchRead(b, data))}}))
		for b.Loop() {
			found := benchPins(b, benchRead(b, data))
			l, err := lockfile.Read("tools.lock", lock, formOf)
			if err != nil {
				b.Fatal(err)
			}
			if drifts, matched := compare(l.Servers[0], found); len(drifts) > 0 || matched != len(found.Pins) {
				b.Fatalf("%d drifts", len(drifts))
			}
		}
	})
}

// BenchmarkMatch measures the usual case of verify: the capture is read, and the lockfile has
// exactly the bytes that lock would write.
func BenchmarkMatch(b *testing.B) {
	benchEach(b, func(b *testing.B, data []byte) {
		req := &workspace.Request{LockPath: filepath.Join(b.TempDir(), "tools.lock"), NeedsPins: true}
		req.Capture = filepath.Join(b.TempDir(), "s.json")
		lock := pintest.MustMarshal(b, lockfile.Lockfile{Servers: []pin.Set{benchPins(b, benchRead(b, data))}})
		if err := errors.Join(os.WriteFile(req.LockPath, []byte(lock), 0o600), os.WriteFile(req.Capture, data, 0o600)); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			w, err := workspace.Load(gate(), req, nil)
			if err != nil || !judge(w.Comparisons, w.Drifts, pin.Faults{}, pin.Leniency{}).Matches {
				b.Fatal("no match")
			}
		}
	})
}

// BenchmarkLock measures the writing of a lockfile.
func BenchmarkLock(b *testing.B) {
	benchEach(b, func(b *testing.B, data []byte) {
		l := lockfile.Lockfile{Servers: []pin.Set{benchPins(b, benchRead(b, data))}}
		for b.Loop() {
			pintest.MustMarshal(b, l)
		}
	})
}

// BenchmarkCompare measures the comparison and the list of changes, with every tenth tool changed.
func BenchmarkCompare(b *testing.B) {
	benchEach(b, func(b *testing.B, data []byte) {
		pinned := benchPins(b, benchRead(b, data))
		found := benchPins(b, benchRead(b, []byte(strings.ReplaceAll(string(data), `0","title":"`, `0","title":"new `))))
		for b.Loop() {
			for _, d := range driftOf(b, []pin.Comparison{{Locked: pinned, Captured: found}}) {
				diff.Definitions(effort.New(), d.Type, d.Locked.Tree(), d.Captured.Tree())
			}
		}
	})
}

// TestMadeUpCaptures: the captures have the sizes that the benchmarks are named after,
// and each verifies against its own lockfile.
func TestMadeUpCaptures(t *testing.T) {
	for i, want := range []int{13_000, 140_000, 800_000} {
		s := benchSizes[i]
		data := madeUpCapture(s.tools, s.size)
		if len(data) < want*85/100 || len(data) > want*115/100 {
			t.Errorf("%s has %d bytes", s.name, len(data))
		}
		found := canonPins(t, string(data), pin.Policy{})
		l := pintest.MustParse(t, pintest.MustMarshal(t, lockfile.Lockfile{Servers: []pin.Set{found}}))
		if drifts, matched := compare(l.Servers[0], found); len(drifts) > 0 || matched != s.tools || string(madeUpCapture(s.tools, s.size)) != string(data) {
			t.Errorf("%s: %d drifts, %d match", s.name, len(drifts), matched)
		}
	}
}
