package approval

import (
	"slices"

	"pinproof/internal/pin"
)

// Would reports whether something would be written if these flags were given now. A command that
// would write nothing is never suggested.
func Would(c *Case, said Said) bool {
	said.Silent = true
	out := Decide(c, &said)
	return out.Reason == nil && len(out.Sets) > 0
}

// Alone returns the drifts that --accept would accept one by one, without a flag about warnings. Would
// returns the same for each name, but Alone works it out for all of them at once.
func Alone(c *Case) map[pin.Ref]bool {
	d := begin(c, &Said{})
	policyChanged := slices.ContainsFunc(c.Sides, func(p pin.Comparison) bool { return p.PolicyDiffers() })
	if policyChanged || d.hasUncovered() || d.isWholeWarned() {
		return nil
	}
	unclean := map[pin.Ref]bool{}
	for i := range c.Warnings {
		w := &c.Warnings[i]
		asked, kept := d.forbids(w)
		if kept {
			return nil
		}
		if asked {
			unclean[w.Of] = true
		}
	}
	alone := map[pin.Ref]bool{}
	for i := range c.Drifts {
		drift := &c.Drifts[i]
		ref := drift.Ref()
		if drift.Kind != pin.Duplicate && !d.warned[ref] && !unclean[ref] && !d.isNamed(drift, consent{}) {
			alone[ref] = true
		}
	}
	return alone
}
