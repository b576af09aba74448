package main

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"time"

	"pinproof/internal/atomicfile"
	"pinproof/internal/fail"
	"pinproof/internal/lockfile"
	"pinproof/internal/pin"
	"pinproof/internal/text"
)

// now returns the time of an approval in RFC 3339 and UTC, or that of SOURCE_DATE_EPOCH
// if it is set (reproducible-builds.org).
func now() (string, error) {
	t := time.Now()
	if epoch := os.Getenv("SOURCE_DATE_EPOCH"); epoch != "" {
		seconds, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil || seconds < 0 || seconds > 253402300799 {
			return "", fail.New("SOURCE_DATE_EPOCH %s: not a number of seconds", text.Name(epoch))
		}
		t = time.Unix(seconds, 0)
	}
	return t.UTC().Format(time.RFC3339), nil
}

// sign records the approver with each pin of next that is new or has a new digest. An approval
// of what another policy left out is none of what is stored from now on.
func sign(next, old *pin.Set, approver string) error {
	for _, p := range lockfile.FalseApprovals(next, approvalHash) {
		p.Approval = nil
	}
	if approver == "" {
		return nil
	}
	at, err := now()
	if err != nil {
		return err
	}
	for i := range next.Pins {
		p := &next.Pins[i]
		if before := old.Find(p.Key); before == nil || before.Digest != p.Digest || before.Approval != nil && p.Approval == nil {
			p.Approval = &pin.Approval{By: approver, At: at, Hash: approvalHash(next.Server, p)}
		}
	}
	return nil
}

// write replaces the pins of servers in the lockfile. It reads the lockfile again under
// its lock. Pins of other servers that were added meanwhile are kept. If the pins that
// were reviewed have changed, nothing is written.
func (a *app) write(w *workspace, req *request, next []pin.Set, drop []string, announce func()) error {
	return atomicfile.Replace(w.lockPath, a.lockPatience, func() ([]byte, error) {
		l, data, err := readLockfile(w.lockPath)
		if err != nil {
			return nil, err
		}
		touched := lockfile.Lockfile{Servers: next}
		for _, server := range append(touched.Labels(), drop...) {
			if !sameSet(w.lock.Find(server), l.Find(server)) {
				return nil, fail.New("%s changed while it was reviewed: nothing was written", text.Printable(w.lockPath)).
					Hint("review again: %s", req.To("diff"))
			}
		}
		for _, s := range next {
			l.Put(s)
		}
		for _, server := range drop {
			l.Drop(server)
		}
		written, err := lockfile.Marshal(l)
		if err != nil || bytes.Equal(written, data) {
			return nil, err
		}
		// What a later run will read must be what was meant.
		again, err := lockfile.Read(w.lockPath, written, formOf)
		if err != nil {
			return nil, fail.New("the new lockfile can't be read back; nothing was written: %s", fail.From(err).Text)
		}
		if !slices.EqualFunc(again.Servers, l.Servers, func(x, y pin.Set) bool { return sameSet(&x, &y) }) {
			return nil, fail.New("the new lockfile doesn't say what was meant; nothing was written")
		}
		return written, nil
	}, func() error {
		announce()
		if err := a.out.Flush(); err != nil {
			return fail.Path("standard output", err)
		}
		return nil
	})
}

// sameSet compares two pinsets as the lockfile records them, definitions by their digests.
func sameSet(a, b *pin.Set) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Server == b.Server && a.Policy.Equal(b.Policy) && slices.Equal(a.Accepted, b.Accepted) && slices.EqualFunc(a.Pins, b.Pins, func(x, y pin.Pin) bool {
		sameApproval := (x.Approval == nil) == (y.Approval == nil) && (x.Approval == nil || *x.Approval == *y.Approval)
		return x.Key == y.Key && x.Digest == y.Digest && x.Sanitized == y.Sanitized && slices.Equal(x.Accepted, y.Accepted) && sameApproval
	})
}
