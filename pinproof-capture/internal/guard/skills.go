package guard

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"pinproof/internal/jsontree"
	"pinproof/internal/modeltext"
	"pinproof/internal/pin"
	"pinproof/internal/skill"
	"pinproof/internal/text"
)

// A skill's files reach a model through resources/read. pinproof judges lists; the files are judged
// here, by the digests and sizes in the pinned entry of the skill. A file passes only with exactly
// the pinned bytes, and nothing in a skill's folder passes that the skill's entry doesn't list.
// What is in no skill's folder passes as if no guard were there.

// Why a client doesn't get what it asked for. A model may read these words, so nothing of the
// server's is in them.
const (
	skillNotApproved = "it belongs to a skill that is not approved"
	fileNotListed    = "no such file stands in the approved entry of its skill, or not in this spelling"
	fileDiffers      = "its bytes are not those of the file that was approved"
	skillNotSeen     = "the files of its skill are known once the server has listed it"
	skillDenied      = "a person has denied its skill to agents"
	skillDiffers     = "it is not the skill that was approved"
	folderDiffers    = "the folder has files that do not stand in the approved entry of its skill"
	contentsUnclear  = "clients could read the answer in different ways"
)

// skills are what the guard knows about the skills of one server.
type skills struct {
	// By URI; nil if the lockfile stores no definition and the session hasn't shown it yet.
	approved map[string]*skill.Skill

	// The URIs of the approved skills, by the keys of their folders.
	folders map[string]string

	// The keys of the folders of skills that a person has denied to agents.
	denied map[string]bool

	// The keys of the folders of all other skills that the session has shown.
	refused map[string]bool
}

// readSkills reads the pinned skills of a server's entry in a lockfile. A skill that a person has
// denied doesn't count as approved.
func readSkills(server jsontree.Value, values []pin.Substitute) skills {
	s := skills{approved: map[string]*skill.Skill{}, folders: map[string]string{}, denied: map[string]bool{}, refused: map[string]bool{}}
	for _, m := range server.Get(pin.EntryTypeInfo[pin.Skills].Member).Members() {
		uri := pin.FillPlaceholders(jsontree.Text(m.Name), values).Text
		if m.Get("denied").Kind == 't' {
			s.denied[skill.FolderOf(uri)] = true
			continue
		}
		entry, problem := skill.Read(pin.FillPlaceholders(m.Get("definition"), values))
		if problem != nil || entry.URI != uri {
			entry = nil
		}
		s.approve(uri, entry)
	}
	return s
}

func (s *skills) approve(uri string, entry *skill.Skill) {
	s.approved[uri] = entry
	s.folders[skill.FolderOf(uri)] = uri
}

func (s *skills) refuse(uri string) {
	if skill.IsMain(uri) {
		s.refused[skill.FolderOf(uri)] = true
	}
}

// learn notes whether an entry of a list, or a single entry, was approved.
func (s *skills) learn(entry jsontree.Value, isApproved bool) {
	uri := entry.Get("uri")
	if !isApproved {
		s.refuse(jsontree.TextOf(&uri))
		return
	}
	if known, pinned := s.approved[uri.Text]; pinned && known == nil {
		if read, problem := skill.Read(entry); problem == nil {
			s.approve(uri.Text, read)
		}
	}
}

// file returns the files that approved skills list under a URI, or why the URI may not be read. It returns neither
// if the URI has nothing to do with a skill. A skill inside another's folder can have a file that both list.
func (s *skills) file(uri string) (files []*skill.File, why string) {
	within := false
	unseen := false
	for _, entry := range s.approved {
		if entry != nil {
			if f := entry.File(uri); f != nil {
				files = append(files, f)
			}
		}
	}
	if files != nil {
		return files, ""
	}
	if isWithin(uri, s.denied) {
		return nil, skillDenied
	}
	for folder, of := range s.folders {
		if skill.Within(uri, folder) {
			within = true
			unseen = unseen || s.approved[of] == nil
		}
	}
	if within && unseen {
		return nil, skillNotSeen
	}
	if within {
		return nil, fileNotListed
	}
	if isWithin(uri, s.refused) || skill.IsMain(uri) {
		return nil, skillNotApproved
	}
	return nil, ""
}

// hasFolderOf reports whether a URI is in the folder of an approved skill.
func (s *skills) hasFolderOf(uri string) bool {
	for folder := range s.folders {
		if skill.Within(uri, folder) {
			return true
		}
	}
	return false
}

// isWithin reports whether a URI is in one of the folders with these keys.
func isWithin(uri string, folders map[string]bool) bool {
	for folder := range folders {
		if skill.Within(uri, folder) {
			return true
		}
	}
	return false
}

// directory returns why a folder may not be read, "" if it may. Its files are judged when they come.
func (s *skills) directory(uri string) (why string) {
	if isWithin(uri, s.denied) {
		return skillDenied
	}
	if isWithin(uri, s.refused) || skill.IsMain(uri) {
		return skillNotApproved
	}
	return ""
}

// askSkill returns why a request of a client that may read a skill is refused, or "".
func (c *core) askSkill(method string, params jsontree.Value) (why string) {
	if method != readResource && method != readDirectory && method != getSkill || !c.guardsSkills() {
		return ""
	}
	uri := params.Get("uri").Text
	s := &c.pins.skills
	switch method {
	case readResource:
		if _, why = s.file(uri); why == skillNotApproved {
			s.refuse(uri)
		}
	case readDirectory:
		why = s.directory(uri)
	case getSkill:
		if _, approved := s.approved[uri]; approved {
			return ""
		}
		if isWithin(uri, s.denied) {
			return skillDenied
		}
		// What the server sends about it is judged when it arrives.
		s.refuse(uri)
	}
	return why
}

// learnSkills notes which skills of a list were approved.
func (c *core) learnSkills(entryType pin.EntryType, l *list) {
	for _, result := range l.pages {
		for _, item := range result.Get(pin.EntryTypeInfo[pin.Skills].Member).Items() {
			_, isEqual := l.entries[c.pins.key(pin.Skills, item.Get("uri").Text).Name]
			if entryType == pin.Skills {
				c.pins.skills.learn(item.Value, isEqual)
			}
		}
	}
}

// guardsSkills reports whether the server's skills are pinned. If the lockfile can't be read, the
// one that was read last still counts.
func (c *core) guardsSkills() bool { return c.pins.policy.Pins(pin.Skills) }

// judgeAnswer replaces an answer by a refusal if it has the file of a skill with other bytes than the pinned ones, an unapproved skill,
// or a denied resource. Whatever was requested, no result may have these.
func (c *core) judgeAnswer(line []byte, m jsontree.Value, asked request, pass *[]byte) (o out) {
	result := m.Get("result")
	if result.Kind == 0 {
		return o
	}
	why := c.answerContents(result, asked.method)
	switch {
	case why != "" || !c.guardsSkills():
	case asked.method == readResource:
		if files, _ := c.pins.skills.file(asked.uri); files != nil {
			why = c.answerFile(result, asked.uri, files)
		}
	case asked.method == readDirectory:
		why = c.answerDirectory(result, asked.uri)
	case asked.method == getSkill:
		entry := result.Get("skill")
		if of := entry.Get("uri"); of.Kind == '"' && of.Text == asked.uri {
			return c.judgeSkill(line, entry, asked, pass)
		} else if _, why = c.pins.skills.file(jsontree.TextOf(&of)); why != skillDenied {
			c.pins.skills.refuse(jsontree.TextOf(&of))
			why = skillDiffers
		}
	}
	if why != "" {
		words := c.refuseSkill(&o, "the answer to "+asked.method, asked.uri, why, nil)
		if c.onDrift != Warns || why == skillDenied || why == denied {
			*pass = asked.refuse(words).toClient
		}
	}
	return o
}

// judgeSkill has a single skill judged as a list of its own. That list is what a person can review.
func (c *core) judgeSkill(line []byte, entry jsontree.Value, asked request, pass *[]byte) (o out) {
	listed := response(1, slices.Concat([]byte(`{"skills":[`), line[entry.At:entry.End], []byte("]}")))
	*pass = nil
	o.judge = []judgement{{listed, func(v *verdict, err error) (o out) {
		if c.refused != nil {
			return o
		}
		_, isEqual := v.equal(c.pins.key(pin.Skills, asked.uri))
		c.pins.skills.learn(entry, isEqual)
		if o.toClient = line; !isEqual {
			words := c.refuseSkill(&o, "the answer to "+asked.method, asked.uri, skillDiffers, listed)
			if c.onDrift != Warns {
				o.toClient = asked.refuse(words).toClient
			}
		}
		return o
	}}}
	return o
}

// answerContents judges the files of skills, and the denied resources, that a result has. Where either is pinned, a client has to read
// the result as it is read here.
func (c *core) answerContents(result jsontree.Value, method string) (why string) {
	contents := result.Get("contents")
	isPinned := len(c.pins.denied) > 0 || c.guardsSkills() && len(c.pins.skills.approved)+len(c.pins.skills.denied) > 0
	if method == readResource && isPinned && contents.Kind != '[' && result.Get("resultType").Text != "input_required" {
		return contentsUnclear
	}
	for _, item := range contents.Items() {
		uri := item.Get("uri")
		if method == readResource && isPinned && (uri.Kind != '"' || !isPlainItem(item.Value)) {
			return contentsUnclear
		}
		if c.pins.isDenied(c.pins.key(pin.Resources, jsontree.TextOf(&uri))) {
			return denied
		}
		if !c.guardsSkills() {
			continue
		}
		files, why := c.pins.skills.file(jsontree.TextOf(&uri))
		if why != "" {
			return why
		}
		if files != nil && !isOneOf(item.Value, files) {
			return fileDiffers
		}
	}
	return ""
}

// answerFile judges the answer to a read of a skill's file: one item, of that URI, with its bytes.
func (c *core) answerFile(result jsontree.Value, uri string, files []*skill.File) (why string) {
	items := result.Get("contents").Items()
	if len(items) != 1 {
		return fileDiffers
	}
	of := items[0].Get("uri")
	if of.Kind != '"' || of.Text != uri || !isOneOf(items[0].Value, files) {
		return fileDiffers
	}
	return ""
}

// itemMembers are the members that a client reads in an item of contents.
var itemMembers = []string{"uri", "text", "blob", "mimeType", "_meta"}

// isPlainItem reports whether every client reads an item in the same way: no member has a name that only some take for a specified one.
func isPlainItem(item jsontree.Value) bool {
	return item.Kind == '{' && !slices.ContainsFunc(item.Members(), func(m jsontree.Member) bool { return !slices.Contains(itemMembers, m.Name) })
}

// isOneOf reports whether an item of contents has the bytes of a pinned file, in the one reading that
// all clients have: text as UTF-8, or a blob in base64 as RFC 4648 spells it, with its padding and
// without spaces.
func isOneOf(item jsontree.Value, files []*skill.File) bool {
	if !isPlainItem(item) {
		return false
	}
	plain := item.Get("text")
	blob := item.Get("blob")
	var body []byte
	switch {
	case plain.Kind == '"' && blob.Kind == 0:
		body = []byte(plain.Text)
	case blob.Kind == '"' && plain.Kind == 0 && !strings.ContainsAny(blob.Text, "\r\n"):
		decoded, err := base64.StdEncoding.Strict().DecodeString(blob.Text)
		if err != nil {
			return false
		}
		body = decoded
	default:
		return false
	}
	digest := fmt.Sprintf("%s%x", pin.DigestPrefix, sha256.Sum256(body))
	for _, f := range files {
		if f.Digest == digest && f.Size == int64(len(body)) {
			return true
		}
	}
	return false
}

// answerDirectory judges what a folder lists. Inside a skill's folder, that may be nothing but the
// files of the skill's entry and the folders on the way to them.
func (c *core) answerDirectory(result jsontree.Value, uri string) (why string) {
	s := &c.pins.skills
	inside := false
	for folder := range s.folders {
		inside = inside || skill.Within(uri, folder)
	}
	for _, m := range result.Members() {
		for _, item := range m.Items() {
			of := item.Get("uri")
			if of.Kind != '"' {
				if inside && item.Kind != 0 {
					return folderDiffers // no entry lists what it is
				}
				continue
			}
			files, why := s.file(of.Text)
			if why == skillDenied {
				return skillDenied
			}
			if files == nil && why != "" && !s.isFolder(of.Text) || why == "" && files == nil && inside {
				return folderDiffers
			}
		}
	}
	return ""
}

// isFolder reports whether a URI is that of an approved skill's folder, or of a folder inside it
// that leads to a file.
func (s *skills) isFolder(uri string) bool {
	prefix := strings.TrimSuffix(uri, "/") + "/"
	for _, entry := range s.approved {
		if entry == nil {
			continue
		}
		for _, f := range entry.Files {
			if strings.HasPrefix(f.URI, prefix) && len(prefix) >= len(entry.Folder) {
				return true
			}
		}
	}
	return false
}

// skillWords tells a client why it doesn't get something.
var skillWords = map[string]modeltext.Text{
	skillNotApproved: modeltext.Say(skillNotApproved),
	fileNotListed:    modeltext.Say(fileNotListed),
	fileDiffers:      modeltext.Say(fileDiffers),
	skillNotSeen:     modeltext.Say(skillNotSeen),
	skillDenied:      modeltext.Say(skillDenied),
	skillDiffers:     modeltext.Say(skillDiffers),
	folderDiffers:    modeltext.Say(folderDiffers),
	contentsUnclear:  modeltext.Say(contentsUnclear),
}

// refuseSkill tells a person what a client doesn't get, and keeps the part of it that can be
// reviewed. It returns what the client is told.
func (c *core) refuseSkill(o *out, method, uri, why string, part []byte) modeltext.Text {
	o.tell("blocked: %s of %s: %s", method, text.Name(uri), why)
	o.log("block", "entry", pin.EntryRef(pin.Resources, uri), "reason", why)
	words := modeltext.Say("pinproof: blocked: this was not read: ")
	switch {
	case why == denied:
		return words.Say("a person has denied this resource to agents. Go on without it.")
	case why == skillDenied:
		return words.Say(skillDenied).Say(". Go on without it.")
	case part == nil:
		return words.With(skillWords[why]).Say(". A person has to review it first.")
	}
	return words.With(skillWords[why]).Say(". ").With(c.toReview(o, part, true))
}
