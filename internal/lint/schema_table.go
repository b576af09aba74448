package lint

import (
	"strings"
	"sync"

	"pinproof/internal/schema"
)

// A wordRow gives some words their class.
type wordRow struct{ is, words string }

// parameterWords are words in the name of a parameter that asks for the content of a
// secret (asksForSecret).
var parameterWords = wordsOf(
	wordRow{"key", "ssh rsa passwd shadow private wallet"},
	wordRow{"secret", "password passwords credentials secret secrets env cookies history"},
	wordRow{"content", "content contents data text output dump"},
	wordRow{"source", "from of reading inside"},
)

// promptNames lists names of parameters for the prompt or the conversation, in lower case and without separators except
// a leading underscore.
var promptNames = wordsOf(wordRow{"prompt", "sidenote sidenotes sidechannel _sidenote _sidenotes _sidechannel " +
	"_systemprompt _systemmessage _systeminstructions _conversationhistory _fullconversation _chainofthought"})

// codeNames lists names of parameters for code to run, without separators. A name of the class query counts only next
// to the name of a query language.
var codeNames = wordsOf(
	wordRow{"code", "code script command cmd sql expression expressions function functions functionbody pagefunction javascript pythoncode jscode codesnippet sourcecode sqlquery sqlstatement sqlcommand " +
		"shellcommand bashcommand commandline cypherquery graphqlquery"},
	wordRow{"query", "query statement"},
)

// queryLanguages matches the names of query languages.
var queryLanguages = pattern(`(?i)\b(?:sql|cypher|graphql|promql|logql|kql|sparql|soql|xquery|jsonata|gremlin)\b`)

// schemaKeywords has the keywords of JSON Schema 2020-12 and draft-07, and the one that MCP adds.
var schemaKeywords = byFolded("$schema $id $ref $anchor $dynamicRef $dynamicAnchor $recursiveRef $recursiveAnchor $vocabulary $comment $defs definitions " +
	"allOf anyOf oneOf not if then else dependentSchemas dependencies prefixItems items additionalItems contains " +
	"properties patternProperties additionalProperties propertyNames unevaluatedItems unevaluatedProperties " +
	"type enum const multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern " +
	"maxItems minItems uniqueItems maxContains minContains maxProperties minProperties required dependentRequired " +
	"title description default deprecated readOnly writeOnly examples format contentEncoding contentMediaType contentSchema " + schema.HeaderKeyword)

// byFolded maps each name, and its lower-case form, to the name.
func byFolded(names string) func() map[string]string {
	return sync.OnceValue(func() map[string]string {
		m := map[string]string{}
		for name := range strings.FieldsSeq(names) {
			m[name], m[strings.ToLower(name)] = name, name
		}
		return m
	})
}

// Members and keywords whose values aren't prose.
var (
	symbolMembers  = []string{"name", "uri", "uriTemplate", "mimeType"}
	symbolKeywords = []string{"required", "dependentRequired", "type", "format", "pattern", "$schema", "$id", "$anchor", "$dynamicAnchor", "$ref", "$dynamicRef"}
	valueKeywords  = []string{"enum", "const"}
)
