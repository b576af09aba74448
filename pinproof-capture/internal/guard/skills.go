package guard

import (
	"hash/maphash"
	"slices"
	"strings"

	"pinproof/internal/capture"
	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/skill"
)

// A skill's files reach a model through resources/read. pinproof judges only lists, so the files are judged here, by
// the digests and sizes in the pinned entry of the skill. A file passes only if its bytes are the pinned ones, and
// nothing in a skill's folder passes unless the skill's entry lists it. These checks don't apply outside of skill
// folders.

var (
	skillNotApproved = &reason{"it belongs to a skill that is not approved", say("this "), say(" belongs to a skill that is not approved. A person has to review it first.")}
	fileNotListed    = &reason{"no such file is in the approved entry of its skill, or not in this spelling", say("this "), say(" is not in the approved entry of its skill, or not in this spelling. A person has to review it first.")}
	fileDiffers      = &reason{"its bytes are not those of the file that was approved", say("the bytes of this "), say(" are not those of the file that was approved. A person has to review it first.")}
	skillNotSeen     = &reason{"the files of its skill are known once the server has listed it", say("the skill of this "), say(" has to be listed first.")}
	skillDenied      = &reason{"a person has denied its skill to agents", say("a person has denied the skill of this "), say(" to agents. Go on without it.")}
	folderNotRead    = &reason{"what is in a folder isn't pinned", say("what is in the folder of this "), say(" is not approved. Read the files that the entry of a skill lists.")}
	contentsUnclear  = &reason{"clients could read the answer in different ways", say("clients could read the answer for this "), say(" in different ways.")}
)

// skills maps the hash of a skill folder's key to what the guard knows about the skill. A server can't provoke equal
// hashes, because the seed is secret.
type skills map[uint64]known

var seed = maphash.MakeSeed()

// known is what the guard knows about a skill.
type known struct {
	// Why nothing in the folder, except its listed files, may be read.
	why *reason
	// The skill with its files, once the session has listed the skill as pinned; nil before.
	*skill.Skill
}

// readSkills reads the pinned skills of a server's entry in a lockfile.
func readSkills(server jsontree.Value, values []pin.Substitution) skills {
	s := skills{}
	for _, m := range server.Get(memberOf(pin.Skills)).Members() {
		folder := folderOf(pin.FillPlaceholders(m.Name, values))
		if m.Get("denied").Kind == 't' {
			s[folder] = known{why: skillDenied}
		} else if s[folder].why == nil {
			s[folder] = known{why: skillNotSeen}
		}
	}
	return s
}

// folderOf returns the hash of the folder of a SKILL.md.
func folderOf(uri string) uint64 {
	return maphash.String(seed, strings.TrimSuffix(skill.FolderOf(uri), "/"))
}

// refuse records that the server has shown a skill that isn't approved.
func (s skills) refuse(uri string) {
	folder := folderOf(uri)
	if s[folder].why == nil && skill.IsMainFile(uri) {
		s[folder] = known{why: skillNotApproved}
	}
}

// around lists the skills whose folders contain a URI, in any spelling. It looks up each folder of the URI's path, so
// its time doesn't depend on the number of skills.
func (s skills) around(uri string) (list []known) {
	var path maphash.Hash
	path.SetSeed(seed)
	for step := range strings.SplitSeq(strings.TrimSuffix(skill.URIKey(uri), "/"), "/") {
		path.WriteString(step)
		if k, isKnown := s[path.Sum64()]; isKnown {
			list = append(list, k)
		}
		path.WriteByte('/')
	}
	return list
}

// first returns the first of the given reasons that applies to one of the skills, or nil.
func first(around []known, reasons ...*reason) *reason {
	for _, why := range reasons {
		if slices.ContainsFunc(around, func(k known) bool { return k.why == why }) {
			return why
		}
	}
	return nil
}

// isApproved reports whether a URI is in the folder of an approved skill.
func (s skills) isApproved(uri string) bool {
	return first(s.around(uri), skillNotSeen, fileNotListed) != nil
}

// file returns the files that approved skills list under a URI, or why the URI may not be read, or neither if no
// skill's folder contains the URI. There may be several files, because a skill's folder can be inside another's.
func (s skills) file(uri string) (files []*skill.File, why *reason) {
	around := s.around(uri)
	for _, k := range around {
		if k.Skill == nil {
			continue
		}
		if f := k.File(uri); f != nil {
			files = append(files, f)
		}
	}
	if files != nil {
		return files, nil
	}
	if why = first(around, skillDenied, skillNotSeen, fileNotListed, skillNotApproved); why == nil && skill.IsMainFile(uri) {
		why = skillNotApproved
	}
	return nil, why
}

// askSkill returns why a client's request that may read a skill is refused, or nil. Reading a folder is always refused,
// because no pin covers the list of its files.
func (c *core) askSkill(method string, params jsontree.Value) (why *reason) {
	uri := params.Get("uri").Text
	if c.guardsSkills() && method == readDirectory {
		return folderNotRead
	}
	if c.guardsSkills() && method == readResource {
		if _, why = c.pins.skills.file(uri); why == skillNotApproved {
			c.pins.skills.refuse(uri)
		}
	}
	return why
}

// learnSkills notes which skills of a list are approved, and their files.
func (c *core) learnSkills(l *list) {
	s := c.pins.skills
	for folder, k := range s {
		if k.Skill != nil {
			s[folder] = known{why: skillNotSeen}
		}
	}
	for _, page := range l.pages {
		for _, item := range page.Get(memberOf(pin.Skills)).Items() {
			uri := item.StringIn("uri")
			folder := folderOf(uri)
			_, isEqual := l.entries[c.pins.key(pin.Skills, uri).Name]
			if read, problem := skill.Parse(item.Value); isEqual && problem == nil && s[folder].why != skillDenied {
				s[folder] = known{fileNotListed, read}
			} else {
				s.refuse(uri)
			}
		}
	}
}

// guardsSkills reports whether the server's skills are pinned. If the lockfile can't be read, its last readable
// version applies.
func (c *core) guardsSkills() bool { return c.pins.CoversType(pin.Skills) }

// judgeAnswer returns the response for the client: the server's, or a refusal if the result contains a skill's file
// with other bytes than the pinned ones, an unapproved skill, or a denied resource. It checks every result, whatever
// was requested.
func (c *core) judgeAnswer(line []byte, result jsontree.Value, asked request) []byte {
	if result.Kind == 0 {
		return line
	}
	why := c.answerContents(result, asked)
	// Only in mode warn does a response to skills/get come from the server.
	if why == nil && c.guardsSkills() && asked.method == getSkill {
		_, why = c.pins.skills.file(result.Get("skill").StringIn("uri"))
	}
	if why == nil {
		return line
	}
	words := c.refuseEntry("the answer to "+asked.method, pin.Key{Type: pin.Resources, Name: asked.uri}, why)
	if c.OnDrift == ModeWarn && why != skillDenied && why != denied {
		return line
	}
	return refusal(asked.id(), words)
}

// answerContents checks a result for files of skills and for denied resources. If the server has any of these in its
// pins, the result must be one that all clients parse alike. The response to a read of a skill's file must be one
// item with the same URI and the pinned bytes.
func (c *core) answerContents(result jsontree.Value, asked request) (why *reason) {
	contents := result.Get("contents")
	isRead := asked.method == readResource
	isPinned := isRead && (len(c.pins.denied)+len(c.pins.deniedTemplates) > 0 || c.guardsSkills() && len(c.pins.skills) > 0)
	if isPinned && contents.Kind != '[' && result.Get("resultType").Text != "input_required" {
		return contentsUnclear
	}
	wanted, _ := c.pins.skills.file(asked.uri)
	isFile := isRead && c.guardsSkills() && wanted != nil
	if isFile && len(contents.Items()) != 1 {
		return fileDiffers
	}
	for _, item := range contents.Items() {
		uri := item.Get("uri")
		if isPinned && (uri.Kind != '"' || !isPlainItem(item.Value)) || len(uri.Text) > skill.MaxURI {
			return contentsUnclear
		}
		if isFile && uri.Text != asked.uri {
			return fileDiffers
		}
		if c.pins.isDenied(c.pins.key(pin.Resources, item.StringIn("uri"))) {
			return denied
		}
		if !c.guardsSkills() {
			continue
		}
		files, why := c.pins.skills.file(item.StringIn("uri"))
		if why != nil {
			return why
		}
		if files != nil && !isOneOf(item.Value, files) {
			return fileDiffers
		}
	}
	return nil
}

// itemMembers are the specified members of an item of contents.
var itemMembers = []string{"uri", "text", "blob", "mimeType", "_meta"}

// isPlainItem reports whether all clients read an item alike: every member is a specified one, in its exact spelling.
func isPlainItem(item jsontree.Value) bool {
	return item.Kind == '{' && !slices.ContainsFunc(item.Members(), func(m jsontree.Member) bool { return !slices.Contains(itemMembers, m.Name) })
}

// isOneOf reports whether an item of contents has the bytes of a pinned file.
func isOneOf(item jsontree.Value, files []*skill.File) bool {
	body, err := capture.DecodeContent(item)
	digest := jsontree.Digest([]byte(body))
	is := func(f *skill.File) bool { return f.Digest == digest && f.Size == int64(len(body)) }
	return err == nil && isPlainItem(item) && slices.ContainsFunc(files, is)
}
