package diff

import (
	"maps"
	"slices"
	"strings"

	"pinproof/internal/effort"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/skill"
	"pinproof/internal/text"
)

// noteDenied marks the new and changed entries that resemble a denied pin of any server, even if the denied entry is no
// longer listed. Both definitions are compared under the policy of the denied pin. They resemble each other if they are
// equal apart from the name, as similar as those of a renamed entry, share most words, or share a file. An entry that
// is as close to its own pin, or to the pin that it was renamed from, isn't marked, unless it gains a file or most words
// of the denied one: tools of one server are often similar.
func noteDenied(budget *effort.Budget, sides []pin.Comparison, drifts []pin.Drift) {
	type likeable struct {
		pin.DeniedPin
		said *candidate
	}
	denied := map[pin.EntryType][]likeable{}
	for _, p := range pin.DeniedPins(sides) {
		if p.Definition != nil {
			denied[p.Type] = append(denied[p.Type], likeable{p, describeWhole(p.Key, p.ReviewTree())})
		}
	}
	for i := range drifts {
		d := &drifts[i]
		if d.IsDenied() && d.Kind == pin.DriftChanged {
			d.UnlikeDenied = isUnlike(budget, sides, d)
		}
		if len(denied[d.Type]) == 0 || d.Captured == nil || d.IsDenied() || d.LooksDenied() {
			continue
		}
		s := &shaped{budget: budget, side: pin.FindComparison(sides, d.Server), entry: d.Captured}
		nearest := -1.0
		own := &candidate{}
		if former := PreviousPin(s.side, d); former != nil && former.Denied {
			d.LikeDenied = s.side.Ref(former.Key)
			continue
		} else if former != nil && former.Definition != nil {
			own = describeWhole(former.Key, former.ReviewTree())
			if now := s.under(s.side.Locked.Policy, own); now != nil {
				nearest = nearness(own, now)
			}
		}
		for _, p := range denied[d.Type] {
			now := s.under(p.Policy, p.said)
			if now == nil {
				d.MayBeDenied = true
				break
			}
			isOwn := p.Server == d.Server
			n := nearness(p.said, now)
			gains := func(file string) bool { return now.files[file] && !own.files[file] }
			hasFile := slices.ContainsFunc(slices.Collect(maps.Keys(p.said.files)), gains)
			hasWords := share(p.said.said, now.said) >= leastShare && share(p.said.said, own.said) < leastShare
			if n <= nearest && !hasFile && !hasWords || !resembles(p.said, now, isOwn) {
				continue
			}
			if len(now.said)+len(now.parameters) > 0 {
				d.LikeDenied = p.Ref()
				nearest = max(nearest, n)
			} else if isOwn {
				d.MayBeDenied = true
			}
		}
	}
}

// isUnlike reports whether a denied entry changed so much that it doesn't look like its pin, or couldn't be compared.
func isUnlike(budget *effort.Budget, sides []pin.Comparison, d *pin.Drift) bool {
	if d.Locked.Definition == nil {
		return true
	}
	s := &shaped{budget: budget, side: pin.FindComparison(sides, d.Server), entry: d.Captured}
	old := describeWhole(d.Key, d.Locked.ReviewTree())
	now := s.under(s.side.Locked.Policy, old)
	return now == nil || share(old.said, now.said) < leastShare || common(old.files, now.files) < len(old.files)
}

// nearness returns how similar two definitions are, apart from the names. An equal description or file adds more than
// common words, and an equal definition adds most.
func nearness(old, now *candidate) float64 {
	near := closeness(old, now) + share(old.said, now.said)
	if old.keys[0] == now.keys[0] {
		near += 2 * maxLikeness
	} else if old.keys[2] == now.keys[2] && now.keys[2] != "" {
		near += maxLikeness
	}
	return near + maxLikeness*float64(common(old.files, now.files))
}

// leastShare is the fraction of a denied entry's words that another entry must have to count as repeating it.
const leastShare = 0.75

// leastAlike is the lowest similarity at which two descriptions count as the same.
const leastAlike = 0.8

// resembles reports whether an entry may be a renamed version of another one, or has most of its words, anywhere in the
// definition. Between two servers, an equal name alone doesn't count.
func resembles(old, now *candidate, isOwn bool) bool {
	for key := range keyCount {
		isName := key == 1
		if old.keys[key] == now.keys[key] && now.keys[key] != "" && (isOwn || !isName) {
			return true
		}
	}
	return likeness(old, now) >= leastLikeness || alike(old.description, now.description) >= leastAlike || share(old.said, now.said) >= leastShare || common(old.files, now.files) > 0
}

// share returns the fraction of the words of the old text that the new one has, too, from 0 to 1.
func share(old, now set) float64 {
	return float64(common(old, now)) / float64(max(1, len(old)))
}

// describeWhole is like describe, but the candidate also has the words of all strings in the definition, and the files.
func describeWhole(key pin.Key, definition jsontree.Value) *candidate {
	c := describe(key, definition)
	c.said = set{}
	addSaid(c.said, nameless(key.Type, definition))
	c.files = set{}
	for _, file := range definition.Get(pin.FilesMember).Members() {
		text := file.Text
		if file.Name == skill.MainFile {
			text = text[len(skill.LenientFrontmatter(text)):]
		}
		isWhole := file.Name == skill.MainFile || skill.IsExecutable(file.Name, text)
		if text = strings.Join(strings.Fields(text), ""); len(text) >= leastFile && isWhole {
			c.files[text] = true
		}
	}
	return c
}

// leastFile is the least size, in bytes, of a file that identifies a skill.
const leastFile = 20

// textless lists keywords whose value, if it is a list or a short string, contains no text to compare. A parameter may
// have the same name; then its value is an object, which is compared.
var textless = []string{"type", "format", "$schema", "$ref", "mimeType", "required"}

// addSaid adds the words of a value's strings, with look-alike letters unified. Because some scripts have no spaces,
// every three adjacent letters of a non-ASCII word count as a word.
func addSaid(said set, v jsontree.Value) {
	for word := range wordSet(text.FoldLookalikes(v.Text)) {
		letters := []rune(word)
		if len(letters) == len(word) || len(letters) <= 3 {
			said[word] = true
			continue
		}
		for i := range letters[2:] {
			said[string(letters[i:i+3])] = true
		}
	}
	for _, part := range v.Parts {
		isKeyword := slices.Contains(textless, part.Name) && part.Kind != '{' && len(part.Text) <= text.MaxName
		if v.Kind != '{' || !isKeyword {
			addSaid(said, part.Value)
		}
	}
}

// A shaped holds a new or changed entry, and its candidate under the last policy that was asked for.
type shaped struct {
	budget *effort.Budget
	side   *pin.Comparison
	entry  *pin.Pin
	policy pin.Policy
	said   *candidate
}

// under returns the candidate of the entry as a policy would pin the entry, for a comparison with other; or nil if the
// budget is too small for the comparison.
func (s *shaped) under(policy pin.Policy, other *candidate) *candidate {
	if s.said == nil || !s.policy.Equal(policy) {
		size := len(s.entry.Received) + len(s.entry.Definition)
		for _, file := range s.entry.Files.Parts {
			size += len(file.Text)
		}
		if !s.budget.Spend(size) {
			return nil
		}
		s.said = describeWhole(s.entry.Key, s.entry.AddFileTexts(s.side.CapturedDefinition(policy, s.entry)))
		s.policy = policy
	}
	if !s.budget.Spend(other.work()) {
		return nil
	}
	return s.said
}

// PreviousPin returns the pin of a drifted entry of a server or, if the entry was renamed, the pin of its old name; or
// nil.
func PreviousPin(side *pin.Comparison, d *pin.Drift) *pin.Pin {
	if d.RenamedFrom == "" {
		return d.Locked
	}
	return side.Locked.Find(pin.Key{Type: d.Type, Name: d.RenamedFrom})
}
