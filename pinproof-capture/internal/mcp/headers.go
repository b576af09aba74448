package mcp

import (
	"encoding/base64"
	"regexp"
	"strings"

	"pinproof/internal/jsontree"
)

// HeaderName matches the names of header fields (RFC 9110, section 5.6.2).
var HeaderName = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// plainValue matches values that a header can contain without encoding.
var plainValue = regexp.MustCompile(`^[!-~]([ -~]*[!-~])?$`)

// named maps a method to the parameter that the Mcp-Name header repeats.
var named = map[string]string{"tools/call": "name", "prompts/get": "name", "resources/read": "uri",
	"tasks/get": "taskId", "tasks/update": "taskId", "tasks/cancel": "taskId"}

// repeated returns the headers, as alternating names and values, that repeat parts of a message (Streamable HTTP,
// from revision 2026-07-28 on). For tools/call, these include the arguments whose schema has x-mcp-header.
func repeated(method string, params jsontree.Value, inputOf func(tool string) jsontree.Value) []string {
	headers := []string{"Mcp-Method", method}
	add := func(name string, v jsontree.Value) {
		value, known := map[byte]string{'"': v.Text, '0': v.Text, 't': "true", 'f': "false"}[v.Kind]
		if !plainValue.MatchString(value) || strings.HasPrefix(value, "=?") {
			value = "=?base64?" + base64.StdEncoding.EncodeToString([]byte(value)) + "?="
		}
		if known {
			headers = append(headers, name, value)
		}
	}
	add("Mcp-Name", params.Get(named[method]))
	var of func(input, arguments jsontree.Value)
	of = func(input, arguments jsontree.Value) {
		for _, p := range input.Get("properties").Members() {
			v := arguments.Get(p.Name)
			if name := p.Get("x-mcp-header"); name.Kind == '"' && HeaderName.MatchString(name.Text) {
				add("Mcp-Param-"+name.Text, v)
			}
			of(p.Value, v)
		}
	}
	if method == "tools/call" {
		of(inputOf(params.Get("name").Text), params.Get("arguments"))
	}
	return headers
}
