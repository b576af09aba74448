package main

import (
	"bytes"
	"math"
	"os"
	"testing"

	"pinproof/internal/jsontest"
)

// TestWeights: the weights in the program are the ones that are learned from the texts.
func TestWeights(t *testing.T) {
	jsontest.SkipShort(t, "it learns all weights anew")
	texts, err := readCorpus()
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile("../weights.bin")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(file, quantized(learn(texts))) {
		t.Error("weights.bin isn't what the texts give: go run ./internal/rank/train internal/rank/weights.bin")
	}
}

// TestCorpus: each text has all that a Text needs, and there is enough poison by each of the three
// authors who saw nothing of each other's texts.
func TestCorpus(t *testing.T) {
	texts, err := readCorpus()
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, text := range texts {
		if text.Text == "" || text.Lang == "" || text.Place == "" || text.Style == "" {
			t.Errorf("%+v", text)
		}
		if text.Poison {
			count[text.Author]++
		}
	}
	if len(texts) < 6111 || count["a"] < 900 || count["b"] < 500 || count["c"] < 900 {
		t.Errorf("%d texts, poison %v", len(texts), count)
	}
}

// TestLogistic compares the logistic function with the library's.
func TestLogistic(t *testing.T) {
	for x := -12.0; x <= 12; x += 0.25 {
		want := 1 / (1 + math.Exp(-x))
		if got := logistic(x); math.Abs(got-want) > 0.002 {
			t.Errorf("%v of %v, not %v", got, x, want)
		}
	}
}
