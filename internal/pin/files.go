package pin

import (
	"slices"

	"pinproof/internal/jsontree"
)

// SortFiles sorts the texts of a skill's files by URI, as HasFile needs them.
func (p *Pin) SortFiles() {
	slices.SortFunc(p.Files, func(a, b File) int { return jsontree.CompareUTF16(a.URI, b.URI) })
}

// HasFile reports whether the text of a skill's file is known.
func (p *Pin) HasFile(uri string) bool {
	_, ok := slices.BinarySearchFunc(p.Files, uri, func(f File, uri string) int { return jsontree.CompareUTF16(f.URI, uri) })
	return ok
}

// SupplyFiles copies texts of files from the lockfile's skills to those of a capture that hasn't read them, if
// both entries have the same digest for the file. The lockfile's texts were checked against their digests when
// it was read.
func SupplyFiles(captured, locked *Set) {
	for i := range captured.Pins {
		p := &captured.Pins[i]
		if p.Type != Skills {
			continue
		}
		was := locked.Find(p.Key)
		if was == nil || len(was.Files) == 0 {
			continue
		}
		before := digestsOf(was)
		now := digestsOf(p)
		var missing []File
		for _, f := range was.Files {
			if now[f.URI] == before[f.URI] && now[f.URI] != "" && !p.HasFile(f.URI) {
				missing = append(missing, f)
			}
		}
		p.Files = append(p.Files, missing...)
		p.SortFiles()
	}
}

// digestsOf returns the digests of a skill's files, by their URIs.
func digestsOf(p *Pin) map[string]string {
	digests := map[string]string{}
	for _, item := range p.Tree().Get("resources").Items() {
		digests[item.Get("uri").Text] = item.Get("digest").Text
	}
	return digests
}
