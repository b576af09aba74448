package guard

import (
	"bytes"
	"context"
	"os"
	"path/filepath"

	"pinproof/internal/modeltext"
	"pinproof/internal/workspace"
	"pinproof/pinproof-capture/internal/mcp"
)

// A HookedServer is a server for an agent's hook to check.
type HookedServer struct {
	PinSource
	Server         mcp.Server
	CaptureOptions mcp.CaptureOptions
	// Entries that a person has denied to agents don't block the server.
	AllowsDenied bool
}

// blocked returns a refusal with a command for a person, which saves a capture or shows why there is none. It leaves
// out the server's command line and URL, because they may contain a secret or characters special to a shell.
func (h *HookedServer) blocked(why modeltext.Text) error {
	return wordsBlocked.AddText(why).AddWords("\nDo not use this server's tools. A person goes on with: pinproof-capture save ").AddQuoted(workspace.CaptureFileName(h.ServerID)).
		AddWords(" -- COMMAND (or its URL)")
}

// UnusableHookText is the refusal of a hook whose command line can't be used.
var UnusableHookText = modeltext.New("pinproof: blocked: the command line of this hook can't be used as it is\n" +
	"Do not use this server's tools. To see why, a person runs this at a terminal: pinproof-capture hook ID -- npx --no -- NAME [ARG]...")

// Check captures the server and has pinproof compare the capture with the pins. It starts the server in the lockfile's
// folder, because agents run hooks in varying folders. If the server isn't approved, Check keeps the capture, so that a
// person can review it. The error is a modeltext.Text.
func (h HookedServer) Check(ctx context.Context) error {
	lock, err := h.find()
	if err != nil {
		return h.blocked(say("there is no lockfile for this project"))
	}
	servers, _ := ReadServers(lock) // pinproof will reject an unreadable lockfile
	if servers.Kind == '{' && !servers.Has(h.ServerID) {
		return h.blocked(say("the lockfile has no server ").AddArgument(h.ServerID))
	}
	if _, err := FindPinproof(); err != nil {
		return h.blocked(say("pinproof is neither beside pinproof-capture nor on the path"))
	}
	h.Server.Dir = filepath.Dir(lock)
	data, _, err := h.Server.Capture(ctx, h.CaptureOptions)
	if err != nil {
		return h.blocked(say("the tools of server ").AddArgument(h.ServerID).AddWords(" could not be listed"))
	}
	place := keptPlace(lock, h.ServerID)
	file := place + shortDigest(data) + keptEnding
	if place == "" || keep(keptFile{file, data}) != nil {
		return h.blocked(say("the capture can't be written"))
	}
	var words bytes.Buffer
	flags := []string{"--allow=denied", "--", file, lock}
	if !h.AllowsDenied {
		flags = flags[1:]
	}
	limited, cancel := context.WithTimeout(context.Background(), verifyTimeout)
	defer cancel()
	code, _ := h.verify(limited, "--hook", nil, nil, &words, flags...)
	// Only exit code 0 approves the server. If pinproof can't be run, the code is 2.
	if code == 0 {
		os.Remove(file)
		return nil
	}
	if said, ok := modeltext.ParseHookOutput(words.Bytes()); ok {
		return said
	}
	return h.blocked(say("pinproof gave no answer"))
}
