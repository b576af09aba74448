package pin

import (
	"slices"

	"pinproof/internal/jsontree"
)

// CopyFileTexts copies file texts from the lockfile's skills to the same skills of a capture that lacks them, if both
// entries have the same digest for the file. Of several entries with one name, only the first one gets them, so that
// a capture can't multiply them. The lockfile's texts were checked against their digests when it was read.
func CopyFileTexts(captured, locked *Set) {
	for i := range captured.Pins {
		p := &captured.Pins[i]
		was := locked.Find(p.Key)
		isCopy := i > 0 && captured.Pins[i-1].Key == p.Key
		if p.Type != Skills || isCopy || was == nil || len(was.Files.Parts) == 0 {
			continue
		}
		before := digestsOf(was)
		now := digestsOf(p)
		files := slices.Clone(p.Files.Parts)
		for _, f := range was.Files.Parts {
			if now[f.Name] == before[f.Name] && now[f.Name] != "" && !p.Files.Has(f.Name) {
				files = append(files, f)
			}
		}
		p.Files = jsontree.Object(files...)
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
