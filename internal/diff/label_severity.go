package diff

import (
	"slices"

	"pinproof/internal/pin"
)

// A Severity says what a change means to those who call a tool and read its results.
type Severity int

const (
	None      Severity = iota // form alone
	Behaviour                 // the model reads or does something else
	Breaking                  // a call that worked may fail, or a reading of its result
)

var severityWords = []string{"none", "behaviour", "breaking"}

func (s Severity) String() string { return severityWords[s] }

// SeverityNamed returns the severity with a word, and -1 for any other text.
func SeverityNamed(word string) Severity { return Severity(slices.Index(severityWords, word)) }

// SeverityOf is the severity of a drift with these changes. Who can't compare the two sides,
// or doesn't know which of two entries is called, can't promise that nothing breaks.
func SeverityOf(d *pin.Drift, changes []Change) (worst Severity) {
	switch {
	case d.Kind == pin.Added || d.Type == pin.Instructions:
		return Behaviour
	case d.Kind == pin.Removed || d.Kind == pin.Duplicate || len(changes) == 0:
		return Breaking
	}
	for _, c := range changes {
		worst = max(worst, c.Severity)
	}
	return worst
}

// Bump is what a release has to be whose gravest drift has the severity.
func (s Severity) Bump() string { return [...]string{"patch", "minor", "major"}[s] }
