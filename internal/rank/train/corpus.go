package main

import (
	"fmt"
	"slices"
	"strings"
)

// A Text is one of the texts that the model learns from.
type Text struct {
	Author string
	Poison bool

	// What kind of text its author wrote. It reveals the label, so no feature is derived from it.
	Style string

	Lang string // a language tag, "mul" for several

	// Where in a definition it belongs: description, parameter, output, ….
	Place string

	Text string
}

// readCorpus reads corpus/AUTHOR.txt. A line "= KIND STYLE LANG PLACE", with tabs between the four, describes the lines
// below it. Each of these lines is one text, in which \n is the end of a line and \\ a backslash.
func readCorpus() (texts []Text, err error) {
	files, err := corpus.ReadDir("corpus")
	if err != nil {
		return nil, err
	}
	unescaped := strings.NewReplacer(`\\`, `\`, `\n`, "\n")
	for _, file := range files {
		data, err := corpus.ReadFile("corpus/" + file.Name())
		if err != nil {
			return nil, err
		}
		about := Text{Author: strings.TrimSuffix(file.Name(), ".txt")}
		for line := range strings.Lines(string(data)) {
			line = strings.TrimSuffix(line, "\n")
			heading, isHeading := strings.CutPrefix(line, "= ")
			if !isHeading {
				text := about
				text.Text = unescaped.Replace(line)
				texts = append(texts, text)
				continue
			}
			parts := strings.Split(heading, "\t")
			if len(parts) != 4 || !slices.Contains([]string{"poison", "honest"}, parts[0]) {
				return nil, fmt.Errorf("corpus/%s: not a heading: %q", file.Name(), line)
			}
			about.Poison = parts[0] == "poison"
			about.Style = parts[1]
			about.Lang = parts[2]
			about.Place = parts[3]
		}
	}
	return texts, nil
}
