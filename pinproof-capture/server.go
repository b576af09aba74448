package main

import (
	"net/http"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pinproof/internal/fail"
	"pinproof/internal/jsontree"
	"pinproof/internal/shell"
	"pinproof/internal/text"
	"pinproof/internal/workspace"
	"pinproof/pinproof-capture/internal/client"
	"pinproof/pinproof-capture/internal/guard"
	"pinproof/pinproof-capture/internal/mcp"
)

var (
	revision = regexp.MustCompile(`^20\d\d-\d\d-\d\d$`)
	host     = regexp.MustCompile(`^([A-Za-z0-9-]+\.)+[A-Za-z]{2,}(:\d+)?/`)
)

// patience is the default number of seconds to wait for a server. Clients wait as long for a server that they start.
const patience = 30

// asking adds flags to a command that set the returned options. timeout is the default of --timeout, in seconds.
func asking(c *cobra.Command, timeout int) *mcp.CaptureOptions {
	o := &mcp.CaptureOptions{}
	set := c.Flags()
	claims := set.String("capabilities", "{}", "claim your client's capabilities: `JSON` such as {\"roots\":{}}")
	set.StringVar(&o.Client, "client", "", "ask as this client: `NAME[/VERSION]`, because servers list by it (default: the one whose file it is, else "+mcp.DefaultClient+")")
	set.StringVar(&o.Protocol, "protocol", "", "ask only in this `REVISION` of the protocol, such as "+mcp.LastInitialize)
	seconds := set.Int("timeout", timeout, "wait this many `SECONDS` for a server")
	set.DurationVar(&o.Settle, "settle", 0, "after the last answer, wait this `TIME` for more (default 300ms, or 2s for a server that says when its lists change)")
	c.PreRunE = func(c *cobra.Command, _ []string) error {
		var err error
		o.Capabilities, err = jsontree.NewReader([]byte(*claims)).ReadSingle()
		o.Timeout = time.Duration(*seconds) * time.Second
		if err != nil || o.Capabilities.Kind != '{' {
			return usage(c, `--capabilities takes a JSON object, such as {"roots":{}}`)
		}
		if set.Changed("protocol") && !revision.MatchString(o.Protocol) {
			return usage(c, "%s isn't a revision of the protocol such as %s", text.QuoteName(o.Protocol), mcp.LastInitialize)
		}
		if text.Printable(o.Client) != o.Client || strings.HasPrefix(o.Client, "/") {
			return usage(c, "--client takes NAME or NAME/VERSION")
		}
		if *seconds < 1 || *seconds > 3600 {
			return usage(c, "--timeout takes 1 to 3600 seconds")
		}
		return nil
	}
	return o
}

// serving makes c a command whose arguments are a file name or server ID, then a server: a command after "--", or a
// URL. If pins isn't nil, serving adds flags that set its fields. No flag contains the value of a header, because every
// user of the machine could read it in the process list.
func (a *app) serving(c *cobra.Command, pins *guard.PinSource, run func(name string, server mcp.Server) error) *cobra.Command {
	if pins != nil {
		c.Flags().StringVar(&pins.Lockfile, "lock", "", "use the lockfile `FILE` instead of looking for one")
		c.Flags().StringArrayVar(&pins.Substitutes, "substitute", nil, "the value of a name in the pins: `NAME=VALUE` (repeatable)")
	}
	headers := c.Flags().StringArray("header-env", nil, "send a header with the value of a variable: `NAME=VARIABLE` (repeatable)")
	sse := c.Flags().Bool("sse", false, "use the old transport HTTP+SSE instead of Streamable HTTP")
	c.RunE = func(c *cobra.Command, args []string) error {
		isAddress := c.ArgsLenAtDash() < 0 && len(args) == 2
		if c.Name() != "save" && len(args) > 0 && workspace.CaptureFileName(args[0]) == "" {
			return usage(c, "the server ID %s can't name a file: it needs 1 to 100 printable ASCII characters", text.QuoteName(args[0]))
		}
		if c.ArgsLenAtDash() == 1 && len(args) > 1 {
			if *headers != nil || *sse {
				return usage(c, "--header-env and --sse need a URL")
			}
			argv := args[1:]
			if err := client.CheckNPMFlags(argv, append([]string{client.SelfName}, a.args[:len(a.args)-len(argv)]...)...); err != nil {
				return err
			}
			return run(args[0], mcp.Server{Argv: argv})
		}
		if isAddress && host.MatchString(args[1]) {
			return fail.New("an address begins with https://").Hint("%s", shell.QuoteAll([]string{client.SelfName, c.Name(), args[0], "https://" + args[1]}))
		}
		if !isAddress || !strings.Contains(args[1], "://") {
			return usage(c, "it takes %s, then -- and a command, or a URL: https://HOST/PATH", strings.Fields(c.Use)[1])
		}
		s := mcp.Server{URL: args[1], SSE: *sse, Headers: http.Header{}}
		for _, header := range *headers {
			name, variable, ok := strings.Cut(header, "=")
			value := os.Getenv(variable)
			if !ok || !mcp.HeaderName.MatchString(name) {
				return usage(c, "--header-env takes NAME=VARIABLE")
			}
			if value == "" {
				return usage(c, "--header-env: the variable %s is not set", text.QuoteName(variable))
			}
			s.Headers.Add(name, value)
		}
		return run(args[0], s)
	}
	return c
}
