package client

import (
	"path/filepath"
	"strings"
)

// A kind is a client, identified by its configuration file.
type kind struct {
	// The end of the path of the client's configuration file.
	file string

	// The client's name in clientInfo, from a public index of clients (npm mcp-client-capabilities 0.0.14) of
	// November 2026.
	name string

	// The member of a server's entry that switches the server off, "" if the client ignores any such member.
	switches string
}

// kinds lists the supported clients. Claude Code, Gemini CLI and GitHub's Copilot CLI ignore the members disabled and
// enabled, according to their issues (claude-code 50826, gemini-cli 6352, copilot-cli 3582). Codex
// (mcp_servers.<id>.enabled), Cline, Roo Code, Kilo Code, Windsurf and Amazon Q (disabled) support one of them,
// according to their documentation.
var kinds = []kind{
	{".mcp.json", "claude-code", ""},
	{".claude.json", "claude-code", ""},
	{".cursor/mcp.json", "cursor-vscode", ""},
	{".vscode/mcp.json", "Visual Studio Code", ""},
	{".codex/config.toml", "codex-mcp-client", "enabled"},
	{".gemini/settings.json", "gemini-cli-mcp-client", ""},
	{"claude_desktop_config.json", "claude-ai", ""},
	{".codeium/windsurf/mcp_config.json", "windsurf-client", "disabled"},
	{"zed/settings.json", "Zed", ""},
	{"opencode.json", "opencode", ""},
	{".roo/mcp.json", "Roo-Code", "disabled"},
	{"cline_mcp_settings.json", "Cline", "disabled"},
	{".kilocode/mcp.json", "Kilo-Code", "disabled"},
	{".amazonq/mcp.json", "Q-DEV-CLI", "disabled"},
	{".copilot/mcp-config.json", "github-copilot-developer", ""},
	{"crush.json", "crush", ""},
}

// kindOf returns the client that reads the file at an absolute path.
func kindOf(path string) kind {
	for _, k := range kinds {
		if strings.HasSuffix(filepath.ToSlash(path), "/"+k.file) {
			return k
		}
	}
	return kind{}
}
