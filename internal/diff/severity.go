package diff

import (
	"pinproof/internal/label"
	"pinproof/internal/pin"
)

// SeverityOf returns the severity of a drift with these changes. Where the two sides can't be compared,
// or nobody knows which of two entries is called, it's breaking: nobody can promise that nothing breaks.
func SeverityOf(d *pin.Drift, changes []Change) (worst label.Severity) {
	if d.Kind == pin.Added || d.Type == pin.Instructions {
		return label.Behaviour
	}
	if d.Kind == pin.Removed || d.Kind == pin.Duplicate || len(changes) == 0 {
		return label.Breaking
	}
	for _, c := range changes {
		worst = max(worst, c.Severity)
	}
	return worst
}
