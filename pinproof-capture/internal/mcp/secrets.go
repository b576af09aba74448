package mcp

import (
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"pinproof/internal/fail"
	"pinproof/internal/text"
)

// Concealed takes the place of what may be a secret in a message.
const Concealed = "***"

// WithoutSecrets is an address for a person: without a password, the query and the fragment. It need not
// be a valid one, for a configuration may have references to variables in it.
func WithoutSecrets(address string) string {
	at := strings.IndexAny(address, "?#")
	if at >= 0 {
		address = address[:at+1] + Concealed
	}
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		return address
	}
	host, path, hasPath := strings.Cut(rest, "/")
	if at := strings.LastIndex(host, "@"); at >= 0 {
		host = Concealed + host[at:]
	}
	if hasPath {
		path = "/" + path
	}
	return scheme + "://" + host + path
}

// secrets are what a message about a server must not have, as it may be there: the values of headers,
// and those in the query, the password and the fragment of the address. Of a value of several words,
// such as "Bearer abc", each word counts, but for a name of how the client says who it is.
func (s Server) secrets() (list []string) {
	add := func(value string) {
		words := strings.FieldsFunc(value, func(c rune) bool { return strings.ContainsRune(" ,;=\"'", c) })
		for _, word := range append(words, value) {
			if word == "" || scheme.MatchString(word) {
				continue
			}
			list = append(list, word, url.QueryEscape(word), url.PathEscape(word), text.Printable(word))
		}
	}
	for _, values := range s.Headers {
		for _, value := range values {
			add(value)
		}
	}
	u, err := url.Parse(s.URL)
	if err != nil {
		return list
	}
	for _, values := range u.Query() {
		for _, value := range values {
			add(value)
		}
	}
	if u.RawQuery != "" {
		add(u.RawQuery)
	}
	if u.Fragment != "" {
		add(u.Fragment)
	}
	if password, ok := u.User.Password(); ok {
		add(password)
	}
	return list
}

// scheme matches the names of schemes of authentication.
var scheme = regexp.MustCompile(`(?i)^(bearer|basic|digest|token|apikey)$`)

// shortSecret is the length below which a value counts only as a word of its own: as a part of words it
// would be everywhere.
const shortSecret = 6

// conceal takes what may be a secret out of a message. The message may quote the server, and servers
// repeat what they were asked with.
func (s Server) conceal(message string) string {
	secrets := s.secrets()
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) }) // a part of one leaves nothing of it
	for _, secret := range secrets {
		pattern := regexp.QuoteMeta(secret)
		if len(secret) < shortSecret {
			pattern = `(^|[^A-Za-z0-9])` + pattern + `($|[^A-Za-z0-9])`
			message = regexp.MustCompile(pattern).ReplaceAllString(message, "${1}"+Concealed+"${2}")
			continue
		}
		message = regexp.MustCompile("(?i)"+pattern).ReplaceAllString(message, Concealed)
	}
	return message
}

// concealed is an error with what may be a secret taken out.
func (s Server) concealed(err error) error {
	told, ok := errors.AsType[*fail.Error](err)
	if !ok || s.URL == "" {
		return err
	}
	said := s.conceal(told.Text)
	if said == told.Text {
		return err
	}
	without := *told
	without.Text = said
	return &without
}
