package mcp

import (
	"strings"
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
