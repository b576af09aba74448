package main

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"time"
)

// now returns the time of an approval in RFC 3339 and UTC, or that of SOURCE_DATE_EPOCH
// if it is set (reproducible-builds.org).
func now() (string, error) {
	t := time.Now()
	if epoch := os.Getenv("SOURCE_DATE_EPOCH"); epoch != "" {
		seconds, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil || seconds < 0 || seconds > 253402300799 {
			return "", fail("SOURCE_DATE_EPOCH %s: not a number of seconds", quotedName(epoch))
		}
		t = time.Unix(seconds, 0)
	}
	return t.UTC().Format(time.RFC3339), nil
}

// sign records the approver with each pin of next that is new or has a new digest.
func sign(next, old *pinset, approver string) error {
	if approver == "" {
		return nil
	}
	at, err := now()
	if err != nil {
		return err
	}
	for i := range next.pins {
		p := &next.pins[i]
		if before := old.find(p.entryKey); before == nil || before.digest != p.digest {
			p.approval = &approval{by: approver, at: at, hash: approvalHash(next.server, p)}
		}
	}
	return nil
}

// write replaces the pins of servers in the lockfile. It reads the lockfile again under
// its lock. Pins of other servers that were added meanwhile are kept. If the pins that
// were reviewed have changed, nothing is written.
func (a *app) write(w *workspace, req *request, next []pinset, drop []string, announce func()) error {
	return replaceFile(w.lockPath, a.lockPatience, func() ([]byte, error) {
		l, data, err := readLockfile(w.lockPath)
		if err != nil {
			return nil, err
		}
		touched := lockfile{servers: next}
		for _, server := range append(touched.labels(), drop...) {
			if !sameSet(w.lock.find(server), l.find(server)) {
				return nil, fail("%s changed while it was reviewed: nothing was written", printable(w.lockPath)).
					hint("review again: %s", req.to("diff"))
			}
		}
		for _, s := range next {
			l.put(s)
		}
		for _, server := range drop {
			l.drop(server)
		}
		written, err := marshalLockfile(l)
		if err != nil || bytes.Equal(written, data) {
			return nil, err
		}
		// What a later run will read must be what was meant.
		again, err := parseLockfile(w.lockPath, written, formOf)
		if err != nil {
			return nil, fail("the new lockfile can't be read back; nothing was written: %s", toldOf(err).text)
		}
		if !slices.EqualFunc(again.servers, l.servers, func(x, y pinset) bool { return sameSet(&x, &y) }) {
			return nil, fail("the new lockfile doesn't say what was meant; nothing was written")
		}
		return written, nil
	}, func() error {
		announce()
		if err := a.out.Flush(); err != nil {
			return pathError("standard output", err)
		}
		return nil
	})
}

// sameSet compares two pinsets as the lockfile records them, definitions by their digests.
func sameSet(a, b *pinset) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.server == b.server && a.policy.equal(b.policy) && slices.Equal(a.accepted, b.accepted) && slices.EqualFunc(a.pins, b.pins, func(x, y pin) bool {
		sameApproval := (x.approval == nil) == (y.approval == nil) && (x.approval == nil || *x.approval == *y.approval)
		return x.entryKey == y.entryKey && x.digest == y.digest && x.sanitized == y.sanitized && slices.Equal(x.accepted, y.accepted) && sameApproval
	})
}
