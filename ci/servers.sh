#!/bin/sh
# The whole way with two releases of a published server: capture, lock, verify,
# verify the other release, diff, relock, verify. Needs pinproof on the path, npm.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir shared passed
failed=0

want() { # CODE WHAT COMMAND...: runs a command and holds its exit code
	code=$1 what=$2
	shift 2
	got=0
	"$@" >out 2>&1 || got=$?
	if [ "$got" = "$code" ]; then
		echo "ok: $what: exit $got"
		: >"passed/$(echo "$what" | tr ' /' '__')"
	else
		echo "FAILED: $what: exit $got, not $code"
		cat out
		failed=$((failed + 1))
	fi
}

for release in 2026.1.14 2026.7.4; do
	mkdir "$release"
	(cd "$release" && npm install --silent --no-audit --no-fund --no-save "@modelcontextprotocol/server-filesystem@$release")
	want 0 "capture of $release" sh "$here/capture.sh" "$release.jsonl" -- \
		node "$release/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js" "$work/shared"
done
want 0 "lock" pinproof lock 2026.1.14.jsonl --server filesystem
want 0 "verify of the same release" pinproof verify 2026.1.14.jsonl
grep -q '^OK: 0 drift' out
want 1 "verify of the other release" pinproof verify 2026.7.4.jsonl
grep -q '^BLOCK \[CHANGED\] tool=move_file$' out
want 1 "diff" pinproof diff 2026.7.4.jsonl
cat out
want 0 "relock" pinproof relock 2026.7.4.jsonl --accept-all
want 0 "verify after relock" pinproof verify 2026.7.4.jsonl
want 1 "verify of the first release after relock" pinproof verify 2026.1.14.jsonl
echo "$(find passed -type f | wc -l) passed, $failed failed"
[ "$failed" = 0 ]
