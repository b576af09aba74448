package report

import (
	"pinproof/internal/pin"
	"pinproof/internal/text"
)

// records lists what a reader of the lockfile has to look at besides the definitions: denied entries that fail the run; and what
// two lockfiles record differently.
func (r *Report) records() (list []Record) {
	denied := map[string][]pin.Ref{}
	for _, ref := range r.Denied {
		if r.RefusesDenied {
			denied[ref.Server] = append(denied[ref.Server], ref)
		}
	}
	for i := range r.Comparisons {
		p := &r.Comparisons[i]
		for _, ref := range denied[p.Server] {
			detail := "it matches its pin, and only a guard keeps it from agents"
			if p.Captured.Find(ref.Key) == nil {
				detail = "only a guard keeps it from agents"
			}
			said := r.recordOf(p, &pin.Pin{Key: ref.Key}, "denied", detail)
			said.Fails = true
			list = append(list, said)
		}
		for _, c := range p.RecordChanges() {
			if c.What == "policy" && p.PolicyDiffers() {
				// It is printed as a problem of the server.
				continue
			}
			said := r.recordOf(p, &pin.Pin{Key: c.Key}, c.What, changeText(&c))
			if c.Key == (pin.Key{}) {
				said.List = ""
				said.Names = "server " + text.Name(p.Server)
			}
			said.Fails = c.Counts()
			list = append(list, said)
		}
	}
	return list
}

// lockfiles reports whether two lockfiles are compared.
func (r *Report) lockfiles() bool {
	return len(r.Comparisons) > 0 && r.Comparisons[0].Lockfiles
}

// changeText returns what a lockfile records now, and what it recorded before.
func changeText(c *pin.RecordChange) string {
	if c.Old == "" && c.What == "warning" {
		return "now accepted: " + c.New
	}
	if c.New == "" && c.What == "warning" {
		return "no longer accepted: " + c.Old
	}
	if c.Old == "" {
		return "now " + c.New
	}
	if c.New == "" {
		return "no longer " + c.Old
	}
	return c.Old + " -> " + c.New
}

// recordOf makes a Record about a pin.
func (r *Report) recordOf(p *pin.Comparison, of *pin.Pin, what, detail string) Record {
	ref := p.Ref(of.Key)
	return Record{Server: p.Server, List: pin.EntryTypeInfo[of.Type].Member, Name: of.Name, What: what, Detail: detail,
		Names: r.ref(ref), Ref: r.field(ref), Line: r.pinLine(ref)}
}

// recordText counts the records that fail a run, or is "".
func (r *Report) recordText() string {
	n := 0
	for i := range r.Comparisons {
		p := &r.Comparisons[i]
		for _, c := range p.RecordChanges() {
			if c.Counts() && !(c.What == "policy" && p.PolicyDiffers()) {
				n++
			}
		}
	}
	if n == 0 {
		return ""
	}
	return text.Count(n, "record") + " changed"
}
