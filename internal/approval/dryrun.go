package approval

import "pinproof/internal/pin"

// Would reports whether something would be written if these flags were given now. A command that
// would write nothing is never suggested.
func Would(c *Case, said Said) bool {
	said.Silent = true
	return len(Decide(c, &said).Sets) > 0
}

// Alone returns the drifts that --accept would accept one by one, without a flag about warnings. Would
// returns the same for each name, but Alone works it out for all of them at once.
func Alone(c *Case) map[pin.Ref]bool {
	d := begin(c, &Said{})
	if d.policyChanged || d.isWholeWarned() {
		return nil
	}
	alone := map[pin.Ref]bool{}
	for i := range c.Drifts {
		drift := &c.Drifts[i]
		alone[drift.Ref()] = drift.Kind != pin.Duplicate && !d.warned[drift.Ref()] && !d.isNamed(drift)
	}
	for i := range c.Warnings {
		w := &c.Warnings[i]
		asked, kept := d.forbids(w)
		if kept || w.Where == Unpinned {
			return nil
		}
		if asked {
			alone[w.Of] = false
		}
	}
	return alone
}
