package report

import (
	"pinproof/internal/pin"
	"pinproof/internal/text"
)

// records lists what a reader of the lockfile has to look at beside the definitions: in a review,
// approvals that hold for a part of their definition.
func (r *Report) records() (list []Record) {
	for i := range r.Comparisons {
		p := &r.Comparisons[i]
		for _, partly := range r.partlyBound(p) {
			said := r.recordOf(p, partly, "approval", partly.Approval.Said()+": it doesn't cover the whole definition")
			said.Fails = true
			list = append(list, said)
		}
	}
	return list
}

// partlyBound lists the pins of a server whose approval fails a review.
func (r *Report) partlyBound(p *pin.Comparison) []*pin.Pin {
	if !r.Review {
		return nil
	}
	return p.Locked.PartlyBound()
}

// recordOf says something of a pin.
func (r *Report) recordOf(p *pin.Comparison, of *pin.Pin, what, detail string) Record {
	ref := pin.Ref{Server: p.Server, Key: of.Key}
	return Record{Server: p.Server, List: pin.EntryTypeInfo[of.Type].Member, Name: of.Name, What: what, Detail: detail,
		Names: r.ref(ref), Ref: r.field(ref), Line: r.pinLine(ref)}
}

// recordText counts the approvals that hold for a part of their definition, or is "".
func (r *Report) recordText() string {
	n := 0
	for i := range r.Comparisons {
		n += len(r.partlyBound(&r.Comparisons[i]))
	}
	if n == 0 {
		return ""
	}
	return text.Count(n, "approval") + " partly bound"
}
