package diff

import (
	"pinproof/internal/inclusion"
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

// judge sets the severity of the changes in a schema of a tool to that of their combined effect. An effect that isn't
// proven to be safe is breaking.
func (l *labeller) judge(member string, places []*place) {
	s := l.sides[member]
	narrow := s.roots[0]
	wide := s.roots[1]
	if narrow == nil || wide == nil {
		return
	}
	if member == "outputSchema" {
		narrow, wide = wide, narrow
	}
	isBreaking := false
	var values []*place
	var others []*place
	for _, p := range places {
		if p.side != s {
			continue
		}
		isBreaking = isBreaking || p.Severity == label.Breaking
		if p.Label.AffectsValues() || p.Severity == label.Breaking {
			values = append(values, p)
		} else if p.Label == label.OtherMember || p.Label == label.ArgumentSentAsHeader {
			others = append(others, p)
		}
	}
	if len(values)+len(others) == 0 {
		return // no change affects values
	}
	if !s.isRefused && l.budget.Spend(sizeOf(narrow)+sizeOf(wide)) && inclusion.ProvesSubset(l.budget, narrow, wide) {
		for _, p := range values {
			// The proof assumes that every keyword applies, so it can't clear a change of $schema.
			if p.Severity == label.Breaking && p.Label.BreaksOnlyByValues() && p.Pointer != "/"+member+"/$schema" {
				p.Severity = label.Behaviour
			}
		}
		return
	}
	if isBreaking {
		return
	}
	if values == nil {
		values = others
	}
	for _, p := range values {
		p.Severity = label.Breaking
		// A minor label would hide the change.
		if p.Label.Minor() {
			p.Label = label.Unclear
		}
	}
}
