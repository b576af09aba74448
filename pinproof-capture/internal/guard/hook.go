package guard

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"

	"pinproof/internal/modeltext"
	"pinproof/internal/workspace"
	"pinproof/pinproof-capture/internal/mcp"
)

// A Hooked server is one that an agent's hook checks.
type Hooked struct {
	Pins
	Server mcp.Server
	Asked  mcp.Options
	// Entries that a person has denied to agents don't block the server.
	AllowsDenied bool
}

// blocked returns a refusal for a reason, with the command for a person: it saves what the server
// says, or shows why the server says nothing. The words leave out the server's own command or
// address, which may hold a secret, and in which a shell could read something else.
func (h *Hooked) blocked(why modeltext.Text) error {
	return wordsBlocked.With(why).Say("\nDo not use this server's tools. A person goes on with: pinproof-capture save ").Word(workspace.FileName(h.ServerID)).
		Say(" -- COMMAND (or its URL)")
}

// Unusable is the refusal of a hook whose command line can't be used.
var Unusable = modeltext.Say("pinproof: blocked: the command line of this hook can't be used as it is\n" +
	"Do not use this server's tools. To see why, a person runs this at a terminal: pinproof-capture hook ID -- npx --no -- NAME [ARG]...")

// Hook captures the server and has pinproof compare the capture with the pins. The server is started
// in the lockfile's folder: agents run hooks wherever they happen to be. If the answer is no, the capture is
// kept, so that a person can look at it. The error is a modeltext.Text.
func (h Hooked) Hook(ctx context.Context) error {
	lock, err := h.find()
	if err != nil {
		return h.blocked(say("there is no lockfile for this project"))
	}
	servers, _ := ReadServers(lock) // what can't be read is for pinproof to refuse
	if servers.Kind == '{' && !servers.Has(h.ServerID) {
		return h.blocked(say("the lockfile has no server ").Argument(h.ServerID).
			Say(", but ").Count(len(servers.Members()), "other server"))
	}
	if _, err := FindPinproof(); err != nil {
		return h.blocked(say("pinproof is neither beside pinproof-capture nor on the path"))
	}
	h.Server.Dir = filepath.Dir(lock)
	data, _, err := h.Server.Capture(ctx, h.Asked)
	if err != nil {
		return h.blocked(say("the tools of server ").Argument(h.ServerID).Say(" could not be listed"))
	}
	place := keptPlace(lock, h.ServerID)
	file := place + shortDigest(data) + keptEnding
	if place == "" || keep(kept{file, data}) != nil {
		return h.blocked(say("the capture can't be written"))
	}
	var words bytes.Buffer
	flags := []string{"--", file, lock}
	if h.AllowsDenied {
		flags = slices.Insert(flags, 0, "--allow=denied")
	}
	limited, cancel := context.WithTimeout(context.Background(), verifyTimeout)
	defer cancel()
	code, err := h.verify(limited, "--hook", nil, nil, &words, flags...)
	if err == nil && code == 0 { // nothing else is a yes
		os.Remove(file)
		return nil
	}
	if said, ok := modeltext.FromHook(words.Bytes()); ok {
		return said
	}
	return h.blocked(say("pinproof gave no answer"))
}
