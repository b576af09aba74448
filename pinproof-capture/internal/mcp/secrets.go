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

// WithoutSecrets returns an address to show to a person: without a user's name and password, the query and the
// fragment. It needn't be a valid address, because a configuration may have references to variables in it.
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

// secrets returns what a message about a server must not have, in the spellings that may be there: the
// values of headers, and the query, the password and the fragment of the address. In a value of several
// words, such as "Bearer abc", each word counts, except the name of a scheme of authentication.
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

// shortSecret is the length below which a value counts only as a whole word: inside of other words
// it would be everywhere.
const shortSecret = 6

// conceal takes what may be a secret out of a message. The message may quote the server, and
// servers repeat what was sent to them.
func (s Server) conceal(message string) string {
	secrets := s.secrets()
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) }) // longest first: it may contain a shorter one
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

// concealed returns an error with what may be a secret taken out.
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
