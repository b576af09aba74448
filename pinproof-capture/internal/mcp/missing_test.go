package mcp

import (
	"slices"
	"strings"
	"testing"
)

// TestMissingVariables holds what published servers, and libraries that read the environment,
// say when a variable is missing.
func TestMissingVariables(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"Error: BRAVE_API_KEY environment variable is required":                                                           "BRAVE_API_KEY",
		"EVERART_API_KEY environment variable is not set":                                                                 "EVERART_API_KEY",
		"Please set SLACK_BOT_TOKEN and SLACK_TEAM_ID environment variables":                                              "SLACK_BOT_TOKEN SLACK_TEAM_ID",
		"A Brave API key is required via --brave-api-key, BRAVE_API_KEY, or BRAVE_API_KEY_FILE. You can":                  "BRAVE_API_KEY BRAVE_API_KEY_FILE",
		"Error: No access token was provided.\nRun `x auth` first, or pass `--access-token` / `S_ACCESS_TOKEN`.":          "S_ACCESS_TOKEN",
		"API key not provided. Either pass it as --api-key=$KEY or set the STRIPE_SECRET_KEY environment variable.":       "STRIPE_SECRET_KEY",
		"Please provide a token (PAT) with the --access-token flag or set the SUPABASE_ACCESS_TOKEN environment variable": "SUPABASE_ACCESS_TOKEN",
		"error: API_KEY is not set":                                                                 "API_KEY",
		"Missing required environment variable: TOKEN":                                              "TOKEN",
		"Missing env var \"TOKEN\"":                                                                 "TOKEN",
		"TOKEN environment variable is required":                                                    "TOKEN",
		"API_KEY must be set":                                                                       "API_KEY",
		"the API_KEY must be provided in the environment, it isn't set":                             "API_KEY",
		"$API_KEY is unset":                                                                         "API_KEY",
		"process.env.API_KEY is undefined":                                                          "API_KEY",
		"KeyError: 'API_KEY'":                                                                       "API_KEY",
		"sh: 1: API_KEY: parameter not set":                                                         "API_KEY",
		"run.sh: line 2: API_KEY: unbound variable":                                                 "API_KEY",
		"required key API_KEY missing value":                                                        "API_KEY",
		"env: required environment variable \"API_KEY\" is not set":                                 "API_KEY",
		"Error: API_KEY: environment variable not found":                                            "API_KEY",
		"called `Result::unwrap()` on an `Err` value: API_KEY NotPresent":                           "API_KEY",
		"Could not resolve placeholder 'API_KEY' in value":                                          "API_KEY",
		"Invalid environment variables: { API_KEY: [ 'Required' ] }":                                "API_KEY",
		"Missing environment variables:\n  - API_KEY\n  - API_URL\n":                                "API_KEY API_URL",
		"[\n  {\n    \"path\": [\n      \"API_KEY\"\n    ],\n    \"message\": \"Required\"\n  }\n]": "API_KEY",
		"1 validation error for Settings\nAPI_KEY\n  Field required [type=missing]":                 "API_KEY",
		"missing: A_1 A_2 A_3 A_4 A_5 A_6":                                                          "A_1 A_2 A_3 A_4 A_5",
		"":                                                                                          "",
		"SET_ALREADY must be set, not missing":                                                      "",
		"Usage telemetry enabled. Disable: FRAMELINK_TELEMETRY=off or DO_NOT_TRACK=1":               "",
		"Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'x', required from y":                    "",
		"NODE_MODULE_VERSION 115. This version of Node.js requires NODE_MODULE_VERSION 127.":        "",
		"/lib/libc.so.6: version `GLIBC_2.34' not found (required by node)":                         "",
		"ERROR: the database is required":                                                           "",
		"missing file /opt/A_B/C_D.json":                                                            "",
		"missing a_b; set A_B$(reboot) or A_B;reboot":                                               "A_B",
		"missing variable X_Y<U+202E>Z_Z":                                                           "X_Y Z_Z",
		"missing X_" + strings.Repeat("Y", 100):                                                     "",
		"Error: failed to read FOO_BAR from disk":                                                   "",
	} {
		got := missingVariables(strings.Split(said, "\n"), func(name string) bool { return name == "SET_ALREADY" })
		if !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s\ngives %q, want %q", said, got, want)
		}
	}
}

// TestListensAt: how programs say where they listen.
func TestListensAt(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"Server running on http://localhost:8000/mcp":            "http://localhost:8000/mcp",
		"INFO: Uvicorn running on http://0.0.0.0:8000 (Press x)": "http://localhost:8000",
		"Listening on port 3000":                                 "http://localhost:3000",
		"MCP server listening on 3000":                           "http://localhost:3000",
		"http://[::]:8080/sse ready":                             "http://localhost:8080/sse",
		"see https://example.com:8000/docs":                      "",
		"port of the old code: none":                             "",
		"":                                                       "",
	} {
		if got := listensAt(strings.Split(said, "\n")); got != want {
			t.Errorf("%s: %q, want %q", said, got, want)
		}
	}
}
