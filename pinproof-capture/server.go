package main

import (
	"errors"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pinproof/internal/fail"
	"pinproof/internal/shell"
	"pinproof/internal/text"
	"pinproof/pinproof-capture/internal/client"
	"pinproof/pinproof-capture/internal/mcp"
)

// An ask holds the flags that say how a server is asked.
type ask struct {
	mcp.Options
	seconds int
}

// defaultSettle is longer than a server takes that answers twice. Tests shorten it.
var defaultSettle = 300 * time.Millisecond

// asking gives a command the flags that say how a server is asked.
func asking(c *cobra.Command, timeout time.Duration) *ask {
	a := &ask{}
	set := c.Flags()
	set.SortFlags = false
	set.StringSliceVar(&a.Capabilities, "capability", nil, "claim these capabilities, as your client does: `NAMES` such as roots,sampling,elicitation.url")
	set.StringVar(&a.Protocol, "protocol", mcp.LastInitialize, "begin with this `REVISION` of the protocol; from "+mcp.FirstDiscover+" on with server/discover")
	set.IntVar(&a.seconds, "timeout", int(timeout.Seconds()), "wait so many `SECONDS` for a server; PINPROOF_TIMEOUT is the same")
	set.DurationVar(&a.Settle, "settle", defaultSettle, "wait so long for what the server says after its last answer")
	c.PreRunE = func(c *cobra.Command, _ []string) error { return a.check(c) }
	return a
}

var capabilityName = regexp.MustCompile(`^[A-Za-z]+(\.[A-Za-z]+)*$`)

// check checks the flags.
func (a *ask) check(c *cobra.Command) error {
	if data := os.Getenv("PINPROOF_TIMEOUT"); data != "" && !c.Flags().Changed("timeout") {
		n, err := strconv.Atoi(data)
		if err != nil || n < 1 {
			return usage(c, "PINPROOF_TIMEOUT is no number of seconds")
		}
		a.seconds = n
	}
	a.Timeout = time.Duration(a.seconds) * time.Second
	switch {
	case slices.ContainsFunc(a.Capabilities, func(name string) bool { return !capabilityName.MatchString(name) }):
		return usage(c, "--capability takes names such as roots,sampling,elicitation.url")
	case !regexp.MustCompile(`^20\d\d-\d\d-\d\d$`).MatchString(a.Protocol):
		return usage(c, "%s is no revision of the protocol: %s is one", text.Name(a.Protocol), mcp.LastInitialize)
	case a.Settle < 0 || a.Settle > time.Minute:
		return usage(c, "--settle takes 0s to 1m")
	case a.seconds < 1 || a.seconds > 3600:
		return usage(c, "--timeout takes 1 to 3600 seconds")
	}
	return nil
}

// An address holds the flags that go with a URL.
type address struct {
	headerEnv []string
	sse       bool
}

// addressed gives a command the flags that go with a URL. No flag takes a header itself: every
// user of the machine could read it in the list of processes.
func addressed(c *cobra.Command) *address {
	w := &address{}
	set := c.Flags()
	set.StringArrayVar(&w.headerEnv, "header-env", nil, "send a header with the value of a variable: `NAME=VARIABLE`; repeatable")
	set.BoolVar(&w.sse, "sse", false, "URL speaks the old transport HTTP+SSE rather than Streamable HTTP")
	return w
}

// headerName is a field name (RFC 9110, section 5.6.2).
var headerName = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

func (w *address) server(c *cobra.Command, address string) (mcp.Server, error) {
	s := mcp.Server{URL: address, Headers: http.Header{}, SSE: w.sse}
	for _, header := range w.headerEnv {
		name, variable, ok := strings.Cut(header, "=")
		value := os.Getenv(variable)
		switch {
		case !ok || !headerName.MatchString(name):
			return s, usage(c, "--header-env takes NAME=VARIABLE")
		case value == "":
			return s, usage(c, "--header-env: the variable %s is not set", text.Name(variable))
		}
		s.Headers.Add(name, value)
	}
	return s, nil
}

// remedy names a server for a person in text of our own alone: a command or an address may hold a
// secret, and a shell could read something else in it.
func (w *address) remedy(s mcp.Server) string {
	words := "URL"
	if s.URL == "" {
		words = "-- COMMAND"
	}
	if w.sse {
		words += " --sse"
	}
	if len(s.Headers) > 0 {
		words += " --header-env NAME=VARIABLE"
	}
	return words
}

// server is the server of a command line, behind one argument: a command behind "--" or an address.
func (a *app) server(c *cobra.Command, args []string, web *address) (mcp.Server, error) {
	dash := c.ArgsLenAtDash()
	switch {
	case c.Name() != "save" && len(args) > 0 && mcp.FileName(args[0]) == "":
		return mcp.Server{}, usage(c, "the label %s can't name a file: 1 to 100 printable ASCII characters can", text.Name(args[0]))
	case dash == 1 && len(args) > 1:
		if len(web.headerEnv) > 0 || web.sse {
			return mcp.Server{}, usage(c, "--header-env and --sse go with a URL")
		}
		s := mcp.Server{Argv: args[1:]}
		err := client.CheckLaunch(s.Argv, append([]string{c.Root().Name()}, a.args[:len(a.args)-len(s.Argv)]...)...)
		if f, ok := errors.AsType[*fail.Error](err); ok && c.Name() == "hook" {
			f.Hints = []string{"pinproof-capture hook LABEL -- npx --no -- NAME [ARG]..."} // a model reads it
		}
		a.noteFloating(err == nil && client.Floats(s.Argv))
		return s, err
	case dash < 0 && len(args) == 2 && strings.Contains(args[1], "://"):
		return web.server(c, args[1])
	}
	if err := a.missingDashes(c); err != nil {
		return mcp.Server{}, err
	}
	return mcp.Server{}, usage(c, "it takes %s, then -- and a command, or a URL", strings.Fields(c.Use)[1])
}

// missingDashes says where the "--" has to stand that a command line lacks before the server's
// command, or is nil if that isn't what is amiss.
func (a *app) missingDashes(c *cobra.Command) error {
	args := c.Flags().Args() // as far as they were read
	if c.Name() != "save" && c.Name() != "guard" && c.Name() != "hook" || len(args) < 2 || strings.Contains(args[1], "://") {
		return nil
	}
	at := 0
	for _, word := range []string{c.Name(), args[0]} {
		at += slices.Index(a.args[at:], word) + 1
	}
	at += slices.Index(a.args[at:], args[1])
	if slices.Contains(a.args[:at], "--") {
		return nil
	}
	words := slices.Concat([]string{c.Root().Name()}, a.args[:at], []string{"--"}, a.args[at:])
	for i := range words {
		words[i] = shell.Quote(words[i])
	}
	if c.Name() == "hook" {
		words = strings.Fields("pinproof-capture hook LABEL -- COMMAND [ARG]...") // a model reads it
	}
	return fail.New("-- is missing before the server's command").Hint("%s", strings.Join(words, " "))
}
