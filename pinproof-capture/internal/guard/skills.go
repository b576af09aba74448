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

// The requests that read a skill's entry, its files or its folders.
const (
	readResource  = "resources/read"
	readDirectory = "resources/directory/read"
	getSkill      = "skills/get"
)

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

// askSkill returns why a request that a client makes is refused, or "".
func (r *relay) askSkill(method string, params jsontree.Value) (why string) {
	if method != readResource && method != readDirectory && method != getSkill || !r.guardsSkills() {
		return ""
	}
	uri := params.Get("uri")
	for _, m := range params.Members() {
		// A server that folds letter case would read another file.
		if m.Name != "uri" && text.EqualFold(m.Name, "uri") {
			return fileNotListed
		}
	}
	s := &r.catalog.skills
	switch method {
	case readResource:
		_, why = s.file(uri.Text)
		if why == skillNotApproved {
			s.refuse(uri.Text)
		}
	case readDirectory:
		why = s.directory(uri.Text)
	case getSkill:
		if _, approved := s.approved[uri.Text]; approved {
			return ""
		}
		if isWithin(uri.Text, s.denied) {
			return skillDenied
		}
		// What the server says about it is judged when it arrives.
		s.refuse(uri.Text)
	}
	return why
}

// guardsSkills reports whether the server's skills are pinned. If the lockfile can't be read, the
// one that was read last still counts.
func (r *relay) guardsSkills() bool {
	r.judge.readPins()
	return r.catalog.policy.Pins(pin.Skills)
}

// answerSkill returns why the answer to a request is refused, or "", and the part of it that a person can
// review, as a part of a capture. Whatever was asked, no result may bring a skill's file with other bytes.
func (r *relay) answerSkill(line []byte, m jsontree.Value, asked request) (why string, part []byte) {
	result := m.Get("result")
	if result.Kind == 0 || !r.guardsSkills() {
		return "", nil
	}
	switch asked.method {
	case readResource:
		if files, _ := r.catalog.skills.file(asked.uri); files != nil {
			return r.answerFile(result, asked.uri, files), nil
		}
	case readDirectory:
		return r.answerDirectory(result, asked.uri), nil
	case getSkill:
		return r.answerGet(line, result, asked.uri)
	}
	return r.answerContents(result), nil
}

// answerContents judges the files of skills that any result brings.
func (r *relay) answerContents(result jsontree.Value) (why string) {
	for _, item := range result.Get("contents").Items() {
		uri := item.Get("uri")
		files, why := r.catalog.skills.file(jsontree.TextOf(&uri))
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
func (r *relay) answerFile(result jsontree.Value, uri string, files []*skill.File) (why string) {
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

// isOneOf reports whether an item of contents has the bytes of a pinned file, in the one reading that
// all clients have: text as UTF-8, or a blob in base64 as RFC 4648 spells it, with its padding and
// without blanks.
func isOneOf(item jsontree.Value, files []*skill.File) bool {
	for _, m := range item.Members() {
		for _, name := range itemMembers {
			if m.Name != name && text.EqualFold(strings.ReplaceAll(m.Name, "_", ""), strings.ReplaceAll(name, "_", "")) {
				return false
			}
		}
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
func (r *relay) answerDirectory(result jsontree.Value, uri string) (why string) {
	s := &r.catalog.skills
	inside := false
	for folder := range s.folders {
		inside = inside || skill.Within(uri, folder)
	}
	for _, m := range result.Members() {
		for _, item := range m.Items() {
			of := item.Get("uri")
			if of.Kind != '"' {
				if inside && item.Kind != 0 {
					return folderDiffers // nothing says what it is
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

// answerGet judges one entry as it would be judged in a list of its own. That list is what a person can review.
func (r *relay) answerGet(line []byte, result jsontree.Value, uri string) (why string, part []byte) {
	entry := result.Get("skill")
	of := entry.Get("uri")
	if of.Kind != '"' || of.Text != uri {
		if _, why := r.catalog.skills.file(jsontree.TextOf(&of)); why == skillDenied {
			return skillDenied, nil
		}
		r.catalog.skills.refuse(jsontree.TextOf(&of))
		return skillDiffers, nil
	}
	listed := slices.Concat([]byte(`{"jsonrpc":"2.0","id":1,"result":{"skills":[`), line[entry.At:entry.End], []byte("]}}\n"))
	v, err := r.judge.part(listed)
	key := r.catalog.key(pin.Skills, uri)
	approved := err == nil && v.matches && v.matched[key].Digest != ""
	r.catalog.skills.learn(entry, approved)
	if approved {
		return "", nil
	}
	return skillDiffers, listed
}

// refuseSkill tells a person what a client doesn't get, and keeps the part of it that can be
// reviewed. It returns what the client is told.
func (r *relay) refuseSkill(method, uri, why string, part []byte) modeltext.Text {
	r.say("blocked: %s of %s: %s", method, text.Name(uri), why)
	r.log.Info("block", "entry", pin.EntryRef(pin.Resources, uri), "reason", why)
	words := modeltext.Say("pinproof: blocked: this was not read: ")
	switch why {
	case skillNotApproved:
		words = words.Say(skillNotApproved)
	case fileNotListed:
		words = words.Say(fileNotListed)
	case fileDiffers:
		words = words.Say(fileDiffers)
	case skillNotSeen:
		words = words.Say(skillNotSeen)
	case skillDenied:
		return words.Say(skillDenied).Say(". Go on without it.")
	case skillDiffers:
		words = words.Say(skillDiffers)
	case folderDiffers:
		words = words.Say(folderDiffers)
	}
	if part == nil {
		return words.Say(". A person has to review it first.")
	}
	return words.Say(". ").With(r.told(r.judge.keep(part), refused{data: part, isPart: true}))
}
