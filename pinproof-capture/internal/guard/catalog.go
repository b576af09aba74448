package guard

import (
	"regexp"
	"slices"
	"strings"

	"pinproof/internal/jsontree"
	"pinproof/internal/pin"
	"pinproof/internal/skill"
)

// approved is what the lockfile has of one server. pinproof has checked it.
type approved struct {
	entries map[pin.Key]pinned
	policy  pin.Policy
	values  []pin.Substitute // what the names in the pins mean
	skills  skills

	// The denied resources and templates, matched by skill.Key.
	denied []*regexp.Regexp
}

// pinned is what the lockfile has of one entry.
type pinned struct {
	Digest   string
	Approval string
	Denied   bool // a person has denied it to agents
}

// readApproved reads a server's entry in a lockfile.
func readApproved(server jsontree.Value, values []pin.Substitute) approved {
	a := approved{entries: map[pin.Key]pinned{}, values: values, skills: readSkills(server, values)}
	policy := server.Get("policy")
	for _, s := range pin.Switches {
		*s.Of(&a.policy) = policy.Get(s.Member).Kind == 't'
	}
	a.policy.Descriptions = policy.Get("descriptions").Text
	for _, pointer := range policy.Get("ignore").Items() {
		a.policy.Ignore = append(a.policy.Ignore, pointer.Text)
	}
	for entryType := range pin.EntryTypes {
		pins := server.Get(pin.EntryTypeInfo[entryType].Member)
		members := pins.Members()
		if entryType == pin.Instructions {
			members = []jsontree.Member{{Value: pins}}
		}
		for _, m := range members {
			p := pinned{m.Get("digest").Text, m.Get("approval").Get("hash").Text, m.Get("denied").Kind == 't'}
			a.entries[pin.Key{Type: entryType, Name: m.Name}] = p
			if p.Denied && (entryType == pin.Resources || entryType == pin.Templates) {
				a.denied = append(a.denied, matcher(pin.FillPlaceholders(jsontree.Text(m.Name), values).Text))
			}
		}
	}
	return a
}

// expression matches what is filled in of a template (RFC 6570).
var expression = regexp.MustCompile(`\{[^{}]*\}`)

// matcher returns what matches the keys of all URIs that some server takes for a URI or for one of a template. An expression may
// expand to anything.
func matcher(template string) *regexp.Regexp {
	const mark = "0expression0" // skill.Key keeps it
	key := skill.Key(expression.ReplaceAllLiteralString(template, mark))
	return regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(key), mark, ".*") + "/?$")
}

// isDenied reports whether a person has denied an entry to agents, in whatever spelling its URI is.
func (a *approved) isDenied(key pin.Key) bool {
	if a.entries[key].Denied {
		return true
	}
	if key.Type != pin.Resources && key.Type != pin.Templates {
		return false
	}
	uri := skill.Key(pin.FillPlaceholders(jsontree.Text(key.Name), a.values).Text)
	return slices.ContainsFunc(a.denied, func(m *regexp.Regexp) bool { return m.MatchString(uri) })
}

// key returns the key of an entry in the pins, where placeholders may replace values. No pin has
// a name that spells a placeholder itself.
func (a *approved) key(entryType pin.EntryType, name string) pin.Key {
	v, err := pin.PutPlaceholders(jsontree.Text(name), a.values)
	if err != nil {
		return pin.Key{Type: entryType}
	}
	return pin.Key{Type: entryType, Name: v.Text}
}

// typeOf returns the list that a row of EntryTypeInfo has this word for.
func typeOf(word string, of func(pin.EntryType) string) (entryType pin.EntryType, ok bool) {
	for entryType := range pin.Instructions {
		if word != "" && of(entryType) == word {
			return entryType, true
		}
	}
	return 0, false
}

// changedBy reports whether a notification is about a changed list. Skills are resources, and have no notification of their own.
func changedBy(entryType pin.EntryType, method string) bool {
	isResource := entryType == pin.Templates || entryType == pin.Resources || entryType == pin.Skills
	return method == pin.EntryTypeInfo[entryType].Changed || isResource && method == "notifications/resources/list_changed"
}

// Why a call doesn't reach the server.
const (
	notApproved = "not approved"
	notListed   = "not listed, or not since the list changed"
	gone        = "no longer listed"
	denied      = "denied"
	unclear     = "a server could read it in another way"
)

// The requests that act on an entry, besides those in EntryTypeInfo.
const (
	readResource  = "resources/read"
	readDirectory = "resources/directory/read"
	getSkill      = "skills/get"
	subscribe     = "resources/subscribe"
	complete      = "completion/complete"
	listen        = "subscriptions/listen" // since 2026-07-28
)

// A target is what a request acts on.
type target struct {
	key   pin.Key   // as it is pinned
	more  []pin.Key // further ones
	lists []pin.EntryType
	acts  bool

	// What names the entry isn't a string.
	isUnclear bool
}

// targetOf returns what a request acts on, and the lists that have to be judged before.
func (c *core) targetOf(method string, params jsontree.Value) (t target) {
	entryType, uses := typeOf(method, func(t pin.EntryType) string { return pin.EntryTypeInfo[t].Uses })
	named := params.Get("name")
	switch ref := params.Get("ref"); {
	case uses:
	case method == getSkill:
		entryType, named = pin.Skills, params.Get("uri")
	case method == readResource || method == readDirectory || method == subscribe:
		entryType, named = pin.Resources, params.Get("uri")
	case method == complete && ref.Get("type").Text == "ref/prompt":
		entryType, named = pin.Prompts, ref.Get("name")
	case method == complete:
		entryType, named = pin.Templates, ref.Get("uri")
	case method == listen:
		for _, uri := range params.Get("notifications").Get("resourceSubscriptions").Items() {
			t.more = append(t.more, c.pins.key(pin.Resources, uri.Text))
		}
		if entryType = pin.Resources; t.more == nil {
			return t
		}
		named = jsontree.Text(t.more[0].Name)
	default:
		return t
	}
	t.acts = true
	t.isUnclear = named.Kind != '"'
	t.key = c.pins.key(entryType, named.Text)
	of := []pin.EntryType{entryType}
	if entryType == pin.Resources {
		of = []pin.EntryType{pin.Resources, pin.Templates, pin.Skills}
	}
	for _, entryType := range of {
		isPart := entryType == t.key.Type || pinsSkill(entryType, c.pins.skills, named.Text) || c.claims(entryType)
		isUnread := entryType == pin.Templates && t.key.Type == pin.Resources && !c.pins.policy.Resources // nothing is looked up there
		if isPart && !isUnread && c.pins.policy.Pins(entryType) && (entryType == pin.Skills || c.pins.policy.PinsEntry(t.key)) {
			t.lists = append(t.lists, entryType)
		}
	}
	return t
}

func pinsSkill(entryType pin.EntryType, s skills, uri string) bool {
	return entryType == pin.Skills && s.hasFolderOf(uri)
}

// forbids returns why a request is refused whatever the server lists, or "".
func (c *core) forbids(t target) (why string) {
	for _, key := range append(t.more, t.key) {
		_, isApproved := c.pins.entries[key]
		switch isCalled := pin.EntryTypeInfo[key.Type].Uses != ""; {
		case !t.acts:
		case c.pins.isDenied(key):
			return denied
		case isCalled && !isApproved && c.pins.policy.Pins(key.Type) && c.onDrift != Warns:
			return notApproved
		}
	}
	return ""
}

// allows returns the pin of the entry that a request acts on, or why it may not.
func (c *core) allows(t target, method string, params jsontree.Value) (under pinned, why string) {
	if !t.acts {
		return under, ""
	}
	for _, m := range params.Members() {
		// A server that folds letter case would act on another entry.
		for _, name := range []string{"name", "uri", "ref", "notifications"} {
			if m.Name != name && strings.EqualFold(m.Name, name) {
				return under, unclear
			}
		}
	}
	if t.isUnclear {
		return under, unclear
	}
	for _, key := range append(t.more, t.key) {
		if under, why = c.allowsEntry(key, method); why != "" {
			return pinned{}, why
		}
	}
	return under, c.askSkill(method, params)
}

func (c *core) allowsEntry(key pin.Key, method string) (under pinned, why string) {
	l := &c.lists[key.Type]
	as, isListed := l.entries[key.Name]
	under, isApproved := c.pins.entries[key]
	isRead := key.Type == pin.Resources
	uri := pin.FillPlaceholders(jsontree.Text(key.Name), c.pins.values).Text
	switch {
	// Lists of skills may be partial. What a server says of a skill, and its files, is judged when it comes.
	case !c.pins.policy.PinsEntry(key), key.Type == pin.Skills, isRead && c.guardsSkills() && c.pins.skills.hasFolderOf(uri):
		return under, ""
	case !isApproved && !isRead, l.drifted[key] != "":
		return under, notApproved
	case isListed && isApproved && as.Digest == under.Digest:
		return as, ""
	case isRead && !isApproved && (!c.pins.policy.Resources || c.fitsTemplate(uri)): // a page that isn't listed has no pin
		return under, ""
	case l.done == 0 || l.entries == nil:
		return under, notListed
	case !isApproved:
		return under, notApproved
	}
	return under, gone
}

// fitsTemplate reports whether a URI is one of a template that the client may use.
func (c *core) fitsTemplate(uri string) bool {
	for name := range c.lists[pin.Templates].entries {
		if matcher(pin.FillPlaceholders(jsontree.Text(name), c.pins.values).Text).MatchString(skill.Key(uri)) {
			return true
		}
	}
	return false
}
