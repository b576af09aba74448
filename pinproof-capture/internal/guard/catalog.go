package guard

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"pinproof/internal/jsontree"
	"pinproof/internal/lockfile"
	"pinproof/internal/modeltext"
	"pinproof/internal/pin"
	"pinproof/internal/skill"
)

// serverPins has the pins of one server. pinproof validates them with each verdict.
type serverPins struct {
	entries map[pin.Key]entryPin
	pin.Policy
	values []pin.Substitution // the values that the placeholders in the pins stand for
	skills skills

	// The denied resources by their keys (skill.URIKey), and patterns for the keys of the URIs of denied templates.
	denied          map[string]bool
	deniedTemplates []skill.URIPattern

	// Patterns for the keys of the URIs of the other templates, by the names of the templates.
	templates map[string]skill.URIPattern
}

// entryPin is the pin of one entry.
type entryPin struct {
	Digest   string
	Approval string
	Denied   bool // a person has denied it to agents
}

// readApproved reads a server's entry in a lockfile.
func readApproved(server jsontree.Value, values []pin.Substitution) serverPins {
	a := serverPins{entries: map[pin.Key]entryPin{}, values: values, skills: readSkills(server, values), denied: map[string]bool{}, templates: map[string]skill.URIPattern{}}
	// Ignore the error of an invalid policy, because pinproof rejects such a policy with each verdict.
	a.Policy, _ = lockfile.ParsePolicy(server.Get("policy"))
	for entryType := range pin.EntryTypeCount {
		pins := server.Get(memberOf(entryType))
		members := pins.Members()
		if entryType == pin.Instructions {
			members = []jsontree.Member{{Value: pins}}
		}
		for _, m := range members {
			p := entryPin{m.Get("digest").Text, m.Get("approval").Get("hash").Text, m.Get("denied").Kind == 't'}
			a.entries[pin.Key{Type: entryType, Name: m.Name}] = p
			if p.Denied && (entryType == pin.Resources || entryType == pin.Templates) {
				a.deny(a.templateKey(m.Name))
			} else if entryType == pin.Templates {
				a.templates[m.Name] = skill.NewURIPattern(a.templateKey(m.Name), mark)
			}
		}
	}
	return a
}

// expression matches an expression in a URI template (RFC 6570).
var expression = regexp.MustCompile(`\{[^{}]*\}`)

// mark replaces each expression of a template before skill.URIKey makes the key, because skill.URIKey leaves mark
// unchanged.
const mark = "0expression0"

// templateKey returns the key of a pinned resource or template, with marks for expressions.
func (a *serverPins) templateKey(name string) string {
	return skill.URIKey(expression.ReplaceAllLiteralString(a.plain(name), mark))
}

// deny records a denied resource or template by its key. Keys without an expression are looked up in a map, so there
// may be any number of them.
func (a *serverPins) deny(key string) {
	if strings.Contains(key, mark) {
		a.deniedTemplates = append(a.deniedTemplates, skill.NewURIPattern(key, mark))
	} else {
		a.denied[key] = true
		a.denied[key+"/"] = true
	}
}

// isDenied reports whether a person has denied an entry to agents, however its URI is spelled.
func (a *serverPins) isDenied(key pin.Key) bool {
	if a.entries[key].Denied {
		return true
	}
	if key.Type != pin.Resources && key.Type != pin.Templates {
		return false
	}
	uri := skill.URIKey(a.plain(key.Name))
	return a.denied[uri] || slices.ContainsFunc(a.deniedTemplates, func(p skill.URIPattern) bool { return p.Matches(uri) })
}

// key returns the pinned key of an entry, in which placeholders replace values. A received name that already contains a
// placeholder matches no pin.
func (a *serverPins) key(entryType pin.EntryType, name string) pin.Key {
	v, err := pin.InsertPlaceholders(jsontree.String(name), a.values)
	if err != nil {
		return pin.Key{Type: entryType}
	}
	return pin.Key{Type: entryType, Name: v.Text}
}

// plain returns a name with its placeholders replaced by values.
func (a *serverPins) plain(name string) string {
	return pin.FillPlaceholders(name, a.values)
}

// typeOf returns the entry type t with of(t) == word.
func typeOf(word string, of func(pin.EntryType) string) (entryType pin.EntryType, ok bool) {
	for entryType := range pin.EntryTypeCount {
		if word != "" && of(entryType) == word {
			return entryType, true
		}
	}
	return 0, false
}

func memberOf(entryType pin.EntryType) string { return pin.EntryTypeInfo[entryType].Member }

func methodOf(entryType pin.EntryType) string { return pin.EntryTypeInfo[entryType].Method }

// useOf returns the method that uses an entry by its name, such as tools/call.
func useOf(entryType pin.EntryType) string { return pin.EntryTypeInfo[entryType].Uses }

// changedOf returns the list_changed notification of a list. Skills have none of their own, because they are
// resources.
func changedOf(entryType pin.EntryType) string {
	return cmp.Or(pin.EntryTypeInfo[entryType].Changed, "notifications/resources/list_changed")
}

// A reason explains why a request is refused. A model may read the explanation, so it contains nothing from the server.
type reason struct {
	said string // the explanation for a person

	// The message to a model consists of before, words such as "tool of server s", and after.
	before, after modeltext.Text
}

var (
	say = modeltext.New

	denied      = &reason{"denied", say("a person has denied this "), say(" to agents. Go on without it.")}
	notPinned   = &reason{"not approved", say("no such "), say(" is approved in tools.lock. A person has to approve it first.")}
	notApproved = &reason{"not approved", say("this "), say(" is not what was approved in tools.lock. A person has to review it first.")}
	notListed   = &reason{"not listed, or not since the list changed", say("the list with this "), say(" did not come. Try again later.")}
	gone        = &reason{"no longer listed", say("this "), say(" is no longer listed.")}
	unclear     = &reason{"a server could read it in another way", say("the name of this "), say(" can be read in more than one way.")}
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

// A target holds the entries that a request acts on, and the lists that must be judged before the request.
type target struct {
	keys  []pin.Key // as in the pins, with placeholders
	lists []pin.EntryType

	// The name or URI of an entry isn't a string.
	isUnclear bool
}

// targetOf returns the entries that a request acts on, and the lists that must be judged first.
func (c *core) targetOf(method string, params jsontree.Value) (t target) {
	add := func(entryType pin.EntryType, named jsontree.Value) {
		t.isUnclear = t.isUnclear || named.Kind != '"'
		key := c.pins.key(entryType, named.Text)
		t.keys = append(t.keys, key)
		for _, list := range pin.RequestOrder {
			if c.decides(list, key, named.Text) && !slices.Contains(t.lists, list) {
				t.lists = append(t.lists, list)
			}
		}
	}
	ref := params.Get("ref")
	switch entryType, uses := typeOf(method, useOf); {
	case uses:
		add(entryType, params.Get("name"))
	case method == getSkill:
		add(pin.Skills, params.Get("uri"))
	case method == readResource || method == readDirectory || method == subscribe:
		add(pin.Resources, params.Get("uri"))
	case method == complete && ref.Get("type").Text == "ref/prompt":
		add(pin.Prompts, ref.Get("name"))
	case method == complete:
		add(pin.Templates, ref.Get("uri"))
	case method == listen:
		for _, uri := range params.Get("notifications").Get("resourceSubscriptions").Items() {
			add(pin.Resources, uri.Value)
		}
	}
	return t
}

// decides reports whether a list must be judged before a request may act on an entry. For a resource, this may be the
// list of templates or skills, too, because the resource may belong to one of them.
func (c *core) decides(list pin.EntryType, key pin.Key, uri string) bool {
	policy := c.pins.Policy
	isRead := key.Type == pin.Resources
	if list == pin.Skills {
		return policy.CoversType(list) && (key.Type == list || isRead && (c.pins.skills.isApproved(uri) || c.claims(list)))
	}
	isTemplate := isRead && list == pin.Templates && policy.Resources && c.claims(list)
	return policy.CoversType(list) && policy.CoversEntry(key) && (key.Type == list || isTemplate)
}

// forbids returns why a request is refused regardless of what the server lists, or nil.
func (c *core) forbids(t target) *reason {
	for _, key := range t.keys {
		_, isApproved := c.pins.entries[key]
		if c.pins.isDenied(key) {
			return denied
		}
		if useOf(key.Type) != "" && !isApproved && c.pins.CoversType(key.Type) && c.OnDrift != ModeWarn {
			return notPinned
		}
	}
	return nil
}

// allows returns the pin of the entry that a request acts on, or the reason to refuse the request.
func (c *core) allows(t target, method string, params jsontree.Value) (under entryPin, why *reason) {
	if t.keys == nil {
		return under, nil
	}
	for _, m := range params.Members() {
		// A server that ignores case could act on a different entry.
		for _, name := range []string{"name", "uri", "ref", "notifications"} {
			if m.Name != name && strings.EqualFold(m.Name, name) {
				return under, unclear
			}
		}
	}
	if t.isUnclear {
		return under, unclear
	}
	for _, key := range t.keys {
		if under, why = c.allowsEntry(key); why != nil {
			return entryPin{}, why
		}
	}
	return under, c.askSkill(method, params)
}

func (c *core) allowsEntry(key pin.Key) (under entryPin, why *reason) {
	l := &c.lists[key.Type]
	as, isListed := l.entries[key.Name]
	under, isApproved := c.pins.entries[key]
	isRead := key.Type == pin.Resources
	uri := c.pins.plain(key.Name)
	switch {
	// A skill's files are judged by askSkill and, when they arrive, by judgeAnswer.
	case !c.pins.CoversEntry(key), isRead && c.guardsSkills() && c.pins.skills.isApproved(uri):
		return under, nil
	case !isApproved && !isRead:
		return under, notPinned
	case l.drifted[key].kind != "":
		return under, notApproved
	case isListed && isApproved && as.Digest == under.Digest:
		return as, nil
	// A resource without a pin may be read if it fits an approved template, or if it is the page of an app: a page that
	// the server doesn't list can't be pinned.
	case isRead && !isApproved && (!c.pins.Resources || c.fitsTemplate(uri)):
		return under, nil
	case l.done == 0 || l.entries == nil:
		return under, notListed
	case !isApproved:
		return under, notPinned
	}
	return under, gone
}

// fitsTemplate reports whether a URI matches a template that the client may use.
func (c *core) fitsTemplate(uri string) bool {
	key := skill.URIKey(uri)
	for name := range c.lists[pin.Templates].entries {
		if m := c.pins.templates[name]; m != nil && m.Matches(key) {
			return true
		}
	}
	return false
}
