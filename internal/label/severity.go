package label

import "slices"

// A Severity says what a change means to those who call a tool and read its results.
type Severity int

const (
	None      Severity = iota // form alone
	Behaviour                 // the model reads or does something else

	// A call that worked may fail, or a reading of its result.
	Breaking
)

var severityWords = []string{"none", "behaviour", "breaking"}

func (s Severity) String() string { return severityWords[s] }

// SeverityNamed returns the severity with a word, and -1 for any other text.
func SeverityNamed(word string) Severity { return Severity(slices.Index(severityWords, word)) }

// Bump is what a release has to be whose worst drift has the severity.
func (s Severity) Bump() string { return [...]string{"patch", "minor", "major"}[s] }
