package cli

import (
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/mattn/go-isatty"
	"golang.org/x/term"

	"pinproof/internal/approval"
	"pinproof/internal/fail"
	"pinproof/internal/report/plain"
)

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(interface{ Fd() uintptr })
	return ok && (isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd()))
}

// style returns the layout of text on standard output: with colour on a terminal, and as wide as the terminal.
// It ignores COLUMNS, because shells rarely export it and an exported value doesn't follow the window's size.
func (a *app) style() plain.Style {
	style := plain.Style{ShowsApproveCommands: isTerminal(a.stdout)}
	if os.Getenv("NO_COLOR") == "" { // no-color.org
		force := os.Getenv("CLICOLOR_FORCE")
		style.Colored = force != "" && force != "0" || os.Getenv("TERM") != "dumb" && style.ShowsApproveCommands
	}
	if f, ok := a.stdout.(*os.File); ok {
		style.Width, _, _ = term.GetSize(int(f.Fd())) // 0 if there is an error
	}
	return style
}

// interruptible runs ask until it returns or an interrupt comes. After an interrupt, it prints that
// nothing was written, and has the signal end the process as it would by default.
func (a *approver) interruptible(ask func() (*approval.Answers, error)) (*approval.Answers, error) {
	// ignored is true if the process was started with interrupts ignored, like the background commands of a script.
	ignored := signal.Ignored(os.Interrupt)
	signals := make(chan os.Signal, 1)
	asked := make(chan error, 1)
	signal.Notify(signals, os.Interrupt)
	var answers *approval.Answers
	go func() {
		var err error
		answers, err = ask()
		asked <- err
	}()
	select {
	case err := <-asked:
		signal.Stop(signals)
		if len(signals) == 0 {
			return answers, err
		}
	case <-signals:
		signal.Stop(signals)
	}
	fmt.Fprintf(a.stderr, "\nerror: interrupted; nothing was written\nhint: to go on: %s\n", a.ForVerb(a.Verb))
	self, err := os.FindProcess(os.Getpid())
	if err == nil && !ignored && self.Signal(os.Interrupt) == nil {
		time.Sleep(time.Second) // the signal ends the process meanwhile
	}
	return nil, fail.ErrInterrupted
}
