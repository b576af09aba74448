#!/bin/sh
# A server with a skill and the page of an app, built with the official TypeScript package, captured, locked, and changed in each place: a
# change is drift and reaches no client through the guard.
# Needs pinproof and pinproof-capture on the path, npm.
# shellcheck source=ci/lib.sh
. "$(dirname "$0")/lib.sh"
export XDG_CACHE_HOME="$work/cache"
cd "$work"
npm install --silent --no-audit --no-fund --no-save @modelcontextprotocol/sdk@1.32.2
play=$repo/ci/skills.mjs

want() { # CODE WHAT COMMAND...: runs a command and holds its exit code; out is what it printed
	code=$1 what=$2 got=0
	shift 2
	timeout 60 "$@" >out 2>&1 </dev/null || got=$?
	is "$what: exit $got" test "$got" = "$code"
}
same_but_refused() { # what stands in the guarded session and not in the other, is a refusal of the guard's
	! diff bare out | grep '^>' | grep -v '"error":-32090'
}

want 0 "capture" pinproof-capture save acme.jsonl -- node "$play" serve
want 0 "lock" pinproof lock acme.jsonl
is "it pins a skill and a page" grep -q '^PINNED 1 tool, 1 resource, 1 skill ' out
want 0 "verify" pinproof verify acme.jsonl
want 0 "a session" node "$play" session node "$play" serve
mv out bare
want 0 "the same behind the guard" node "$play" session pinproof-capture guard acme -- node "$play" serve
is "a client gets all but odd spellings and what nobody has approved" same_but_refused
is "of the skill it gets the list, the entry and both files" test "$(grep -c -e '^{"what":"skills/list ","value":{"skills' -e '"value":{"skill":' -e '/SKILL.md","value":{"contents' -e '/a.py","value":{"contents' out)" = 4

while read -r change expected; do
	want 0 "capture with another $change" pinproof-capture save "$change.jsonl" -- node "$play" serve "$change"
	want "$expected" "verify of it" pinproof verify "$change.jsonl" --server acme
	for mode in end subset; do
		want 0 "a session behind the guard ($mode)" node "$play" session pinproof-capture guard acme --on-drift "$mode" -- node "$play" serve "$change"
		is "nothing that nobody approved reaches the client" test "$(grep -c UNAPPROVED out)" = 0
	done
done <<CHANGES
frontmatter 1
body 1
script 1
more 1
less 1
digest 2
size 2
dynamic 1
second 1
partial 1
page 1
unlisted 0
notes 0
CHANGES
finish
