// Command train learns the weights of internal/rank from the texts next to it and writes them:
//
//	go run ./internal/rank/train internal/rank/weights.bin
//
// The same texts give the same bytes on every machine. The command isn't part of pinproof.
package main

import (
	"embed"
	"fmt"
	"os"
)

//go:embed corpus
var corpus embed.FS

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./internal/rank/train FILE")
		os.Exit(2)
	}
	texts, err := readCorpus()
	if err == nil {
		err = os.WriteFile(os.Args[1], quantized(learn(texts)), 0o666)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
}
