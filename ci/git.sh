#!/bin/sh
# Lets git show and merge lockfiles, with the configuration that docs/lockfile.md gives. Needs pinproof on the path, git.
# shellcheck source=ci/lib.sh
. "$(dirname "$0")/lib.sh"
export GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@localhost GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@localhost GIT_CONFIG_GLOBAL="$work/config" GIT_PAGER=cat
mkdir "$work/repository"
cd "$work/repository"
git init -q -b main
# The two blocks of "In git": a line of .gitattributes, a command.
awk -v work="$work" '/^## / { inside = ($0 == "## In git") } inside && /^```/ { n += 1; next } inside && n % 2 { print >(work "/block-" (n + 1) / 2) }' \
	"$repo/docs/lockfile.md"
is "docs/lockfile.md has two blocks" test -s "$work/block-1" -a -s "$work/block-2" -a ! -e "$work/block-3"
cp "$work/block-1" .gitattributes
sh -eu "$work/block-2"

list() { # TOOL...: a manifest
	printf '{"tools":['
	comma=
	for tool; do
		printf '%s{"name":"%s","description":"Does %s.","inputSchema":{"type":"object"}}' "$comma" "$tool" "$tool"
		comma=,
	done
	echo ']}'
}
branch() { # NAME: from main
	git checkout -q -B "$1" main
}
approve() { # SERVER TOOL...: what a person relocks, and commits
	server=$1
	shift
	list "$@" >"$work/$server.json"
	if grep -q "^    \"$server\"" tools.lock 2>/dev/null; then
		pinproof relock "$work/$server.json" --server "$server" --accept-all >"$work/out"
	else
		pinproof lock "$work/$server.json" --server "$server" >"$work/out"
	fi
	git add . && git commit -q -m "$server $*"
}
approve files b f k
approve mail send

echo "diff"
cp "$repo/testdata/tools.lock" tools.lock
git add . && git commit -q -m "the example"
pinproof relock "$repo/testdata/upgraded.jsonl" --server filesystem --accept read_file >"$work/out" || [ $? = 1 ]
code=0
git diff >"$work/out" 2>"$work/err" || code=$?
is "git diff shows it as pinproof does: exit $code" test "$code" = 0 -a ! -s "$work/err"
is "git diff: the words" grep -q '{+\. Send a copy to' "$work/out"
is "git diff: the labels" grep -q 'constraint-loosened' "$work/out"
git commit -q -a -m "an approval"
git show --ext-diff >"$work/out" 2>"$work/err"
is "git show --ext-diff" grep -q 'constraint-loosened' "$work/out"
git rm -q tools.lock
is "a lockfile that is gone: the plain diff" test "$(git diff --cached 2>/dev/null | grep -c '^-  "lockfileVersion": 1,')" = 1
git reset -q --hard main~2

echo "merge"
merges() { # WHAT: y into x
	branch y && "$2"
	branch x && "$3"
	code=0
	git merge -q -m merge y >"$work/log" 2>&1 || code=$?
	is "$1: git merges it" test "$code" = 0
}
holds() { # SERVER TOOL...: what the merged lockfile pins
	server=$1
	shift
	list "$@" >"$work/$server.json"
	code=0
	pinproof verify "$work/$server.json" --server "$server" >"$work/out" 2>"$work/err" || code=$?
	is "  $server: $*" test "$code" = 0
}
a() { approve files a b f k; }
z() { approve files b f k z; }
merges "two tools of one server" a z
holds files a b f k z
less() { approve files b f; }
merges "a tool more, a tool less" a less
holds files a b f
reply() { approve mail reply send; }
merges "tools of two servers" a reply
holds files a b f k
holds mail reply send
archive() { approve archive pack; }
web() { approve web get; }
merges "two servers" archive web
holds archive pack
holds web get
holds files b f k
c() { approve files b c f k; }
d() { approve files b d f k; }
branch y && c
branch x && d
is "two tools in one place: git asks" test "$(git merge -m merge y >"$work/log" 2>&1 || echo $?)" = 1
is "two tools in one place: no verdict until it is settled" test "$(pinproof verify "$work/files.json" --server files >"$work/out" 2>&1 || echo $?)" = 2
git checkout -q --theirs tools.lock
list b c d f k >"$work/files.json"
is "two tools in one place: one side, then what it lacks" pinproof relock "$work/files.json" --server files --accept d
holds files b c d f k
finish
