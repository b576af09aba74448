package mcp

import (
	"encoding/base64"
	"regexp"
	"strings"

	"pinproof/internal/jsontree"
)

// HeaderName matches the names of header fields (RFC 9110, section 5.6.2).
var HeaderName = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// plainValue matches what a header can have as it is.
var plainValue = regexp.MustCompile(`^[!-~]([ -~]*[!-~])?$`)

// named are the parameters that Mcp-Name repeats, by method.
var named = map[string]string{"tools/call": "name", "prompts/get": "name", "resources/read": "uri",
	"tasks/get": "taskId", "tasks/update": "taskId", "tasks/cancel": "taskId"}

// repeated returns the headers, as names and values, that repeat parts of a message since 2026-07-28
// (Streamable HTTP). For a call, these include the arguments for which the tool's input schema names a header.
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
	if method == "tools/call" && inputOf != nil {
		of(inputOf(params.Get("name").Text), params.Get("arguments"))
	}
	return headers
}
