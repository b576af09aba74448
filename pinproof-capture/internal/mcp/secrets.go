package mcp

import "regexp"

// secret matches what may be a secret in an address: a user's name and password, the query and the fragment.
var secret = regexp.MustCompile(`(?s)(://)[^/?#]*(@)|([?#]).*`)

// RedactURL returns an address to show to a person, with *** in place of what may be a secret. It needn't be a
// valid address, because a configuration may have references to variables in it.
func RedactURL(address string) string {
	return secret.ReplaceAllString(address, "${1}${3}***$2")
}
