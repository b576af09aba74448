package pin

// A Gate has the functions of the root package: canon.go there decides what is hashed, and verify.go what drift
// is, what fails a run, and what the exit code is. The packages that read files and print reports get it as a
// value.
type Gate struct {
	HashDefinition HashFunc
	SetDigest      func(s *Set) string // "" if a name is repeated
	ApprovalHash   func(server string, p *Pin) string

	// Compare returns the drift of several servers. It refuses a hash-only pin whose sanitized
	// digest isn't that of its definition, because only the capture can show that.
	Compare func(sides []Comparison) ([]Drift, error)

	// Judge returns the verdict on a comparison and its drift.
	Judge func(sides []Comparison, drifts []Drift, also Faults, allow Leniency) Verdict

	// ExitCode returns the exit code of a run. The verdict is nil if nothing was judged.
	ExitCode func(v *Verdict, err error) int
}

// Faults fail a run even if every entry matches.
type Faults struct {
	// The number of warnings about text that no pin covers and, in a review, of unapproved warnings about matching
	// entries.
	WarningCount int

	// Set for verify --part and --hook without --allow denied. The caller doesn't know which entries are denied, so a
	// denied entry fails the run even if it matches its pin.
	FailsOnDenied bool

	// Set for diff --max-tokens if the tools need more tokens than the flag allows.
	OverBudget bool
}

// A Leniency determines which drift and which faults are reported without failing the run.
type Leniency struct {
	Kinds map[DriftKind]bool // --allow

	// --allow missing: pinned servers without a capture don't fail the run, either.
	Missing bool

	// --warn: unapproved warnings don't fail the run, either.
	Warnings bool

	// diff --fail-on SEVERITY: the drift that is known to be below SEVERITY; nil without the flag.
	BelowFailOn RefSet
}

// A Verdict is the decision about a comparison. Only verify.go makes one.
type Verdict struct {
	// Every entry matches its pin, and nothing else is wrong.
	Matches bool

	Failed       bool   // an entry or a server fails the run
	FailingDrift RefSet // the drifts that fail the run

	// The servers with drift, and those that differ as a whole.
	DifferingServers map[string]bool

	// The denied entries that match their pins, in the order of the sides. With --part, if denied entries fail the run,
	// it includes the denied entries that the capture lacks.
	Denied []Ref

	// The servers that can't be judged, sorted.
	UnjudgedServers []string

	ExitCode int
}
