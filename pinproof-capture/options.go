package main

import (
	"errors"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"pinproof/internal/fail"
	"pinproof/internal/text"
)

// options is the command line.
type options struct {
	headers, headerEnv, substitutes []string
	capabilities                    []string
	sse                             bool
	once, logOptional, logDigests   bool
	addGuard, removeGuard, yes      bool
	config, guard, hook, lock, save string
	onDrift, log                    string
	protocol                        string
	seconds                         int
	help, version                   bool
	args, command                   []string // before and after "--"
	dashed                          bool
	modes                           []string // config, guard, hook: those given

	maxAge  time.Duration // of a match that a hook takes for its own
	settle  time.Duration // after the last answer
	timeout time.Duration // what seconds come to
}

// maxAge is the oldest match that a hook can take: one that a person remembers.
const maxAge = time.Hour

// defaultSettle is longer than a server takes that answers twice. Tests shorten it.
var defaultSettle = 300 * time.Millisecond

func parse(args []string) (*options, *pflag.FlagSet, error) {
	o := &options{}
	set := pflag.NewFlagSet("pinproof-capture", pflag.ContinueOnError)
	set.SortFlags = false
	set.Usage = func() {}
	set.StringArrayVar(&o.headers, "header", nil, "send the header `'K: V'` to URL; repeatable")
	set.StringArrayVar(&o.headerEnv, "header-env", nil, "send a header with the value of a variable: `NAME=VARIABLE`; repeatable")
	set.BoolVar(&o.sse, "sse", false, "URL speaks the old transport HTTP+SSE rather than Streamable HTTP")
	set.StringVar(&o.config, "config", "", "capture every server of this configuration `FILE`")
	set.BoolVar(&o.addGuard, "add-guard", false, "with --config: put the guard before the servers there, and change nothing else in FILE")
	set.BoolVar(&o.removeGuard, "remove-guard", false, "with --config: take the guard away again")
	set.BoolVar(&o.yes, "yes", false, "with --add-guard and --remove-guard: write FILE without asking")
	set.StringVar(&o.guard, "guard", "", "stand before COMMAND and check all it says against the pins of `LABEL`")
	set.StringVar(&o.hook, "hook", "", "check COMMAND against the pins of `LABEL`: exit 0 or 2")
	set.StringVar(&o.onDrift, "on-drift", driftEnds, "with --guard: what becomes of what isn't approved: end the session, subset (the client gets the rest) or warn")
	set.StringVar(&o.log, "log", "", "with --guard: append calls, drifts and blocks to `FILE`, one JSON object a line")
	set.BoolVar(&o.logDigests, "log-digests", false, "with --log: the digests of arguments in place of these")
	set.BoolVar(&o.logOptional, "log-optional", false, "with --log: go on if it can't be written")
	set.BoolVar(&o.once, "once", false, "with --guard: check COMMAND once, then become it, and see nothing of the session")
	set.StringVar(&o.lock, "lock", "", "with --guard or --hook: use the lockfile `FILE` instead of looking for one")
	set.StringVar(&o.save, "save", "", "with --guard or --hook: keep the capture in `DIR`, relative to the folder of tools.lock")
	set.StringArrayVar(&o.substitutes, "substitute", nil, "with --guard or --hook: the value of a name in the pins, as pinproof takes it: `NAME=VALUE`; repeatable")
	set.DurationVar(&o.maxAge, "max-age", 0, "with --hook: don't start the server if it matched not longer ago, such as 60s")
	set.StringVar(&o.protocol, "protocol", lastInitialize, "begin with this `REVISION` of the protocol; from "+firstDiscover+" on with server/discover")
	set.StringSliceVar(&o.capabilities, "capability", nil, "claim these capabilities, as your client does: `NAMES` such as roots,sampling,elicitation.url")
	set.IntVar(&o.seconds, "timeout", 0, "wait so many `SECONDS` for a server (PINPROOF_TIMEOUT, else 30, with --hook 20)")
	set.DurationVar(&o.settle, "settle", defaultSettle, "wait so long for what the server says after its last answer")
	set.BoolVarP(&o.help, "help", "h", false, "show this help")
	set.BoolVar(&o.version, "version", false, "show the version")
	err := set.Parse(args)
	o.args = set.Args()
	if at := set.ArgsLenAtDash(); at >= 0 {
		o.args, o.command, o.dashed = set.Args()[:at], set.Args()[at:], true
	}
	for _, mode := range []string{"config", "guard", "hook"} {
		if set.Changed(mode) {
			o.modes = append(o.modes, mode)
		}
	}
	if o.is("hook") { // its 0 is a yes: a server's -h before a forgotten "--" is none
		o.help, o.version = false, false
	}
	return o, set, err
}

func (o *options) is(mode string) bool { return slices.Contains(o.modes, mode) }

// label is the one that --guard and --hook name.
func (o *options) label() string { return o.guard + o.hook }

// check holds the rules of the command line; nothing has been read or started yet.
func (o *options) check() error {
	switch gated := o.is("guard") || o.is("hook"); {
	case len(o.modes) > 1:
		return errors.New("--config, --guard and --hook exclude each other")
	case !gated && (o.lock != "" || o.save != ""):
		return errors.New("--lock and --save belong to --guard and --hook")
	case gated && fileName(o.label()) == "":
		return fail.New("the label %s can't name a file: 1 to 100 printable ASCII characters can", text.Name(o.label()))
	case !o.is("guard") && (o.once || o.log != "" || o.onDrift != driftEnds):
		return errors.New("--once, --on-drift and --log belong to --guard")
	case o.onDrift != driftEnds && o.onDrift != driftSubset && o.onDrift != driftWarns:
		return fail.New("--on-drift %s: one of end, subset, warn", text.Printable(o.onDrift))
	case o.once && (o.log != "" || o.onDrift != driftEnds):
		return errors.New("--once sees nothing of the session: --on-drift and --log don't go with it")
	case o.log == "" && (o.logDigests || o.logOptional):
		return errors.New("--log-digests and --log-optional go with --log FILE")
	case o.save != "" && o.is("guard") && !o.once:
		return errors.New("--save goes with --hook, or with --guard and --once")
	case !gated && len(o.substitutes) > 0:
		return errors.New("--substitute belongs to --guard and --hook")
	case (o.addGuard || o.removeGuard || o.yes) && (!o.is("config") || o.addGuard == o.removeGuard || o.dashed):
		return errors.New("--config FILE takes --add-guard or --remove-guard, perhaps with --yes and the labels of servers")
	case o.addGuard || o.removeGuard:
	case o.is("config") && (len(o.args) == 0 || o.dashed):
		return errors.New("--config takes a folder, and the labels of servers if not all are meant")
	case o.is("guard") && (len(o.args) != 0 || len(o.command) == 0):
		return errors.New("--guard LABEL takes -- and a command")
	case o.is("hook") && !o.asks(0):
		return errors.New("--hook LABEL takes -- and a command, or a URL")
	case len(o.modes) == 0 && !o.asks(1):
		return errors.New("it takes a file to write and a server: -- and a command, or a URL")
	case (len(o.headers)+len(o.headerEnv) > 0 || o.sse) && (o.dashed || o.is("config")):
		return errors.New("--header, --header-env and --sse go with a URL")
	case o.is("guard") && !o.once && len(o.capabilities) > 0:
		return errors.New("--capability is for captures: the guard passes on what the client claims")
	case slices.ContainsFunc(o.capabilities, func(name string) bool { return !capabilityName.MatchString(name) }):
		return errors.New("--capability takes names such as roots,sampling,elicitation.url")
	case !regexp.MustCompile(`^20\d\d-\d\d-\d\d$`).MatchString(o.protocol):
		return fail.New("%s is no revision of the protocol: %s is one", text.Name(o.protocol), lastInitialize)
	}
	if data := os.Getenv("PINPROOF_TIMEOUT"); data != "" && o.seconds == 0 {
		n, err := strconv.Atoi(data)
		if err != nil || n < 1 {
			return errors.New("PINPROOF_TIMEOUT is no number of seconds")
		}
		o.seconds = n
	}
	switch {
	case o.maxAge != 0 && !o.is("hook"):
		return errors.New("--max-age belongs to --hook")
	case o.maxAge < 0 || o.maxAge > maxAge:
		return errors.New("--max-age takes 0s to 1h")
	case o.settle < 0 || o.settle > time.Minute:
		return errors.New("--settle takes 0s to 1m")
	case o.seconds < 0 || o.seconds > 3600:
		return errors.New("--timeout takes 1 to 3600 seconds")
	case o.seconds > 0:
		o.timeout = time.Duration(o.seconds) * time.Second
	case o.is("hook"):
		o.timeout = hookTimeout
	default:
		o.timeout = defaultTimeout
	}
	return nil
}

// asks reports whether there is one server, a command or an address, behind n
// arguments.
func (o *options) asks(n int) bool {
	if o.dashed {
		return len(o.args) == n && len(o.command) > 0
	}
	return len(o.args) == n+1 && strings.Contains(o.args[n], "://")
}

// source is the server of the command line.
func (o *options) source() (source, error) {
	if o.dashed {
		return source{argv: o.command}, nil
	}
	s := source{url: o.args[len(o.args)-1], headers: http.Header{}, sse: o.sse}
	for _, header := range o.headers {
		name, value, ok := strings.Cut(header, ":")
		if !ok || !headerName.MatchString(name) {
			return s, fail.New("--header takes 'NAME: VALUE'")
		}
		s.headers.Add(name, strings.TrimSpace(value))
	}
	for _, header := range o.headerEnv {
		name, variable, ok := strings.Cut(header, "=")
		value := os.Getenv(variable)
		switch {
		case !ok || !headerName.MatchString(name):
			return s, fail.New("--header-env takes NAME=VARIABLE")
		case value == "":
			return s, fail.New("--header-env: the variable %s is not set", text.Printable(variable))
		}
		s.headers.Add(name, value)
	}
	return s, nil
}

// remedy names the server of the command line for a person, without what may be
// secret: the user's command as COMMAND, an address without its query, and as URL if a
// shell could read something else in it.
func (o *options) remedy() string {
	if o.dashed {
		return "-- COMMAND"
	}
	words := "URL"
	if u, err := url.Parse(o.args[len(o.args)-1]); err == nil {
		if plain := u.Scheme + "://" + u.Host + u.EscapedPath(); plainAddress.MatchString(plain) {
			words = plain
		}
	}
	if o.sse {
		words += " --sse"
	}
	if len(o.headers)+len(o.headerEnv) > 0 {
		words += " --header-env NAME=VARIABLE"
	}
	return words
}

var capabilityName = regexp.MustCompile(`^[A-Za-z]+(\.[A-Za-z]+)*$`)

var plainAddress = regexp.MustCompile(`^https?://[A-Za-z0-9.:-]+(/[A-Za-z0-9._~/-]*)?$`)

// headerName is a field name (RFC 9110, section 5.6.2).
var headerName = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")
