package report

import (
	"pinproof/internal/lint"
	"pinproof/internal/pin"
	"pinproof/internal/text"
)

// records lists what a reader of the lockfile has to check besides the definitions: denied entries that fail the run,
// or the differences of two lockfiles in other records.
func (r *Report) records() (list []Record) {
	for _, ref := range r.Denied {
		if !r.RefusesDenied {
			break
		}
		detail := "only a guard keeps it from agents"
		if pin.FindComparison(r.Comparisons, ref.Server).Captured.Find(ref.Key) != nil {
			detail = "it matches its pin, and " + detail
		}
		list = append(list, r.record(ref, "denied", detail, true))
	}
	for _, p := range r.Comparisons {
		for _, c := range p.MetadataChanges() {
			if c.Field == "policy" && p.PolicyDiffers() {
				// It is printed as a problem of the server.
				continue
			}
			said := r.record(p.Ref(c.Key), c.Field, changeText(&c), c.IsDifference())
			if c.IsWholeServer() {
				said.List = ""
				said.EntryName = "server " + text.QuoteName(p.Server)
			}
			list = append(list, said)
		}
	}
	return list
}

// record makes a Record about an entry.
func (r *Report) record(of pin.Ref, what, detail string, fails bool) Record {
	return Record{Server: of.Server, List: pin.EntryTypeInfo[of.Type].Member, Name: of.Name, What: what, Detail: detail, FailsRun: fails,
		EntryName: r.ref(of), Ref: r.field(of), Line: r.pinLine(of)}
}

// lockfiles reports whether two lockfiles are compared.
func (r *Report) lockfiles() bool {
	return len(r.Comparisons) > 0 && r.Comparisons[0].BothLockfiles
}

// changeText returns what a lockfile records now, and what it recorded before.
func changeText(c *pin.MetadataChange) string {
	of := " "
	if c.Field == "warning" {
		of = " accepted: "
	}
	switch {
	case c.Old == "":
		return "now" + of + c.New
	case c.New == "":
		return "no longer" + of + c.Old
	}
	return c.Old + " -> " + c.New
}

// recordText returns how many records of two lockfiles fail the run, in words, or "" if none does.
func (r *Report) recordText() string {
	if !r.lockfiles() {
		return ""
	}
	n := 0
	for _, s := range r.records() {
		n += lint.BoolToInt(s.FailsRun)
	}
	if n == 0 {
		return ""
	}
	return text.FormatCount(n, "record") + " changed"
}
