package diff

import (
	"pinproof/internal/label"
	"pinproof/internal/pin"
)

// SeverityOf is the severity of a drift with these changes. Who can't compare the two sides,
// or doesn't know which of two entries is called, can't promise that nothing breaks.
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
