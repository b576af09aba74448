//go:build ignore

// This program runs a session of the official Go client: lists, calls, progress, sampling, elicitation, roots. It
// prints what the client receives, one JSON value on each line, without times and random ids. ci/servers.sh builds it
// in a separate module, because no module here needs a client.
//
//	session COMMAND [ARG]...
//	session URL [--sse]
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

var passing = regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.-]+Z|\d+:\d\d:\d\d [AP]M|[0-9a-f]{8}-[0-9a-f-]{27}`)

var printing sync.Mutex // notifications arrive while results are printed

func tell(what string, value any) {
	line, err := json.Marshal(map[string]any{"what": what, "value": value})
	if err != nil {
		log.Fatal(err)
	}
	printing.Lock()
	defer printing.Unlock()
	fmt.Println(passing.ReplaceAllString(string(line), "*"))
}

// saysRoot reports whether the last line of a result is the client's root.
func saysRoot(result *mcp.CallToolResult) bool {
	if result == nil || len(result.Content) == 0 {
		return false
	}
	said, ok := result.Content[0].(*mcp.TextContent)
	return ok && strings.HasSuffix(said.Text, "\n/tmp")
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	client := mcp.NewClient(&mcp.Implementation{Name: "session", Version: "1"}, &mcp.ClientOptions{
		CreateMessageHandler: func(_ context.Context, r *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			tell("sampling", r.Params)
			return &mcp.CreateMessageResult{Model: "m", Role: "assistant", Content: &mcp.TextContent{Text: "sampled"}}, nil
		},
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			tell("elicitation", r.Params)
			return &mcp.ElicitResult{Action: "decline"}, nil
		},
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			if r.Params.Progress < r.Params.Total { // the last notification may arrive after the result
				tell("progress", r.Params)
			}
		},
	})
	client.AddRoots(&mcp.Root{URI: "file:///tmp", Name: "tmp"})
	var transport mcp.Transport = &mcp.CommandTransport{Command: exec.Command(os.Args[1], os.Args[2:]...)}
	switch last := os.Args[len(os.Args)-1]; {
	case strings.Contains(os.Args[1], "://") && last == "--sse":
		transport = &mcp.SSEClientTransport{Endpoint: os.Args[1]}
	case strings.Contains(os.Args[1], "://"):
		transport = &mcp.StreamableClientTransport{Endpoint: os.Args[1]}
	}
	session, err := client.Connect(ctx, transport, nil)
	if err != nil {
		log.Fatal(err)
	}
	tell("server", session.InitializeResult())
	var tools []string
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			log.Fatal(err)
		}
		tell("tool", tool)
		tools = append(tools, tool.Name)
	}
	if offers := session.InitializeResult().Capabilities; offers.Prompts != nil {
		prompts, err := session.ListPrompts(ctx, nil)
		tell("prompts", []any{prompts, err})
		prompt, err := session.GetPrompt(ctx, &mcp.GetPromptParams{Name: "simple-prompt"})
		tell("prompt", []any{prompt, err})
	}
	for _, c := range []struct {
		name  string
		input map[string]any
	}{
		{"echo", map[string]any{"message": "a \u2028 \U0001f600"}},
		{"get-sum", map[string]any{"a": 1, "b": 2}},
		{"trigger-long-running-operation", map[string]any{"duration": 1, "steps": 4}},
		{"trigger-sampling-request", map[string]any{"prompt": "x", "maxTokens": 10}},
		{"trigger-elicitation-request", map[string]any{}},
		{"get-roots-list", map[string]any{}},
		{"list_allowed_directories", map[string]any{}},
		{"read_text_file", map[string]any{"path": "shared/file.txt"}},
	} {
		if !slices.Contains(tools, c.name) {
			continue
		}
		params := &mcp.CallToolParams{Name: c.name, Arguments: c.input}
		params.SetProgressToken(c.name)
		result, err := session.CallTool(ctx, params)
		// list_allowed_directories depends on the roots, which its server requests in the background.
		for n := 0; c.name == "list_allowed_directories" && n < 100 && !saysRoot(result); n++ {
			time.Sleep(100 * time.Millisecond)
			result, err = session.CallTool(ctx, params)
		}
		tell(c.name, []any{result, fmt.Sprint(err)})
	}
	if err := session.Close(); err != nil {
		log.Fatal(err)
	}
}
