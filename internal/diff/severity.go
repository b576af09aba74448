package diff

import (
	"pinproof/internal/label"
	"pinproof/internal/pin"
)

// SeverityOf returns the severity of a drift with these changes. If the two sides can't be compared, or a name is
// repeated, it's breaking, to be safe.
func SeverityOf(d *pin.Drift, changes []Change) (worst label.Severity) {
	if d.Kind == pin.DriftAdded || d.Type == pin.Instructions {
		return label.Behaviour
	}
	if d.Kind == pin.DriftRemoved || d.Kind == pin.DriftDuplicate || len(changes) == 0 {
		return label.Breaking
	}
	for _, c := range changes {
		worst = max(worst, c.Severity)
	}
	return worst
}
