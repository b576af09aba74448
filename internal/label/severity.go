package label

import "slices"

// A Severity is what a change means to those who call a tool and read its results.
type Severity int

const (
	NoEffect  Severity = iota // the meaning stays the same
	Behaviour                 // the model reads or does something else

	// A call that worked may fail now, or a program that reads its result may.
	Breaking
)

var severityWords = []string{"none", "behaviour", "breaking"}

func (s Severity) String() string { return severityWords[s] }

// ParseSeverity returns the severity that a word names, and -1 for any other text.
func ParseSeverity(word string) Severity { return Severity(slices.Index(severityWords, word)) }

// SemverBump returns the kind of release that a change of the severity requires: patch, minor or major.
func (s Severity) SemverBump() string { return [...]string{"patch", "minor", "major"}[s] }
