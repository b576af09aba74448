#!/bin/sh
# Lets git show and merge lockfiles, with the configuration that docs/lockfile.md gives. Needs pinproof on the path, git, jq.
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
configure() { # once in each clone
	cp "$repo/docs/merge-lockfile.sh" .
	sh -eu "$work/block-2"
	is "the driver is in no work tree" test ! -e merge-lockfile.sh -a -f .git/merge-lockfile.sh
}

list() { # TOOL...: a capture
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
configure
cp "$repo/testdata/tools.lock" tools.lock
git add . && git commit -q -m "the example"
pinproof relock "$repo/testdata/upgraded.jsonl" --server filesystem --accept read_file >"$work/out" || [ $? = 1 ]
code=0
git diff >"$work/out" 2>"$work/err" || code=$?
is "git diff shows it as pinproof does: exit $code" test "$code" = 0 -a ! -s "$work/err"
is "git diff: the words" grep -q '{+\. Send' "$work/out"
is "git diff: the labels" grep -q "takes more  arguments" "$work/out"
git commit -q -a -m "an approval"
git show --ext-diff >"$work/out" 2>"$work/err"
is "git show --ext-diff" grep -q "takes more  arguments" "$work/out"
git rm -q tools.lock
is "a lockfile that is gone: the plain diff" test "$(git diff --cached 2>/dev/null | grep -c '^-  "lockfileVersion": 1,')" = 1
git reset -q --hard main~2

merges() { # WHAT OURS THEIRS: two branches, each a function that approves
	echo "$1"
	branch y && $3
	branch x && $2
	code=0
	git merge -q -m merge y >"$work/log" 2>&1 || code=$?
}
holds() { # SERVER TOOL...: git has merged it, and this is pinned
	server=$1
	shift
	list "$@" >"$work/$server.json"
	got=0
	pinproof verify "$work/$server.json" --server "$server" >"$work/out" 2>"$work/err" || got=$?
	is "  $server: $*" test "$code$got" = 00
}
a() { approve files a b f k; }
c() { approve files b c f k; }
d() { approve files b d f k; }
z() { approve files b f k z; }
y() { approve files b f k y; }
changed() { # [WORD]: f says something else
	list b f k | sed "s/Does f/Does f${1:-} anew/" >"$work/files.json"
	pinproof relock "$work/files.json" --server files --accept f >"$work/out"
	git commit -q -a -m changed
}
retyped() { # f takes something else
	list b f k | sed 's/\("Does f.","inputSchema":{\)/\1"additionalProperties":false,/' >"$work/files.json"
	pinproof relock "$work/files.json" --server files --accept f >"$work/out"
	git commit -q -a -m retyped
}
hidden() { # a tool with a zero-width space
	list b f k z | sed "s/Does z/Does$(printf '\342\200\213') z/" >"$work/files.json"
	pinproof relock "$work/files.json" --server files --accept z --accept-warning z >"$work/out"
	git commit -q -a -m hidden
}
gone() { approve files b k; }
less() { approve files b f; }
none_of_b() { approve files f k; }
reply() { approve mail reply send; }
archive() { approve archive pack; }
web() { approve web get; }
wiki() { approve wiki read; }

for driver in "git alone" "with the driver"; do
	if [ "$driver" = "git alone" ]; then git config --unset merge.pinproof.driver; else configure; fi
	merges "$driver: two tools of one server" a z
	holds files a b f k z
	merges "$driver: a tool more, a tool less" a less
	holds files a b f
	merges "$driver: tools of two servers" a reply
	holds files a b f k
	holds mail reply send
	merges "$driver: two servers" archive web
	holds archive pack
	holds web get
	holds files b f k
	merges "$driver: two tools in one place" c d
	if [ "$driver" = "git alone" ]; then
		is "  git asks" test "$code" = 1
		is "  no verdict until it is settled" test "$(pinproof verify "$work/files.json" --server files >"$work/out" 2>&1 || echo $?)" = 2
		git checkout -q --theirs tools.lock
		list b c d f k >"$work/files.json"
		is "  one side, then what it lacks" pinproof relock "$work/files.json" --server files --accept c
		git reset -q --hard
		continue
	fi
	holds files b c d f k
	pinproof lock "$work/files.json" "$work/fresh.lock" --server files >"$work/out"
	list send >"$work/mail.json"
	pinproof lock "$work/mail.json" "$work/fresh.lock" --server mail >"$work/out"
	is "  the bytes are those of a lockfile written anew" cmp tools.lock "$work/fresh.lock"
	merges "$driver: two tools at the end" y z
	holds files b f k y z
	merges "$driver: two servers at the end" wiki web
	holds web get
	holds wiki read
	merges "$driver: neighbours gone" none_of_b less
	holds files f
	merges "$driver: one tool, twice another" changed "changed again"
	is "  git asks" test "$code" = 1 -a "$(grep -c '^<<<<<<<' tools.lock)" = 1
	git reset -q --hard
	merges "$driver: one tool, in two places" changed retyped
	is "  git asks" test "$code" = 1 -a "$(grep -c '^<<<<<<<' tools.lock)" = 1
	git reset -q --hard
	merges "$driver: a tool changed, and gone" changed gone
	is "  git asks" test "$code" = 1 -a "$(grep -c '^<<<<<<<' tools.lock)" = 1
	git reset -q --hard
	merges "$driver: a character that jq would write as it is" hidden a
	is "  git merges it line by line" test "$code" = 0 -a "$(grep -c 'Does\\u200b z' tools.lock)" = 1
	is "  and it is whole" test "$(pinproof diff tools.lock --against tools.lock >"$work/out" 2>&1 || echo $?)" = ""
done

deny() { # a person keeps f from agents
	list b f k >"$work/files.json"
	pinproof relock "$work/files.json" --server files --deny f >"$work/out"
	git commit -q -a -m denied
}
lift() { # and lets them have it
	list b f k >"$work/files.json"
	pinproof relock "$work/files.json" --server files --accept f >"$work/out"
	git commit -q -a -m lifted
}
renewed() { # f says something else, and whatever its mark is, it stays
	list b f k | sed "s/Does f/Does f anew/" >"$work/files.json"
	pinproof relock "$work/files.json" --server files --accept-all >"$work/out"
	git commit -q -a -m renewed
}
for driver in "git alone" "with the driver"; do
	if [ "$driver" = "git alone" ]; then git config --unset merge.pinproof.driver; else configure; fi
	merges "$driver: a tool is denied, and says something else" deny renewed
	is "  git asks" test "$code" = 1 -a "$(grep -c '^<<<<<<<' tools.lock)" = 1
	git reset -q --hard
	git checkout -q main && deny
	merges "$driver: a denied tool is let through, and says something else" lift renewed
	is "  git asks" test "$code" = 1 -a "$(grep -c '^<<<<<<<' tools.lock)" = 1
	git reset -q --hard
	merges "$driver: the same from the other side" renewed lift
	is "  git asks" test "$code" = 1 -a "$(grep -c '^<<<<<<<' tools.lock)" = 1
	git reset -q --hard
	merges "$driver: beside another tool's change" lift a
	holds files a b f k
	is "  the mark is gone" test "$(grep -c denied tools.lock)" = 0
	git checkout -q main && git reset -q --hard HEAD~1
done

records() { # IDS: what is on record of f
	for id in $1; do printf '%s sha256:%064d\n' "$id" 0; done | jq -R . | jq -s --slurpfile lock tools.lock '. as $ids | $lock[0] | .servers.files.tools.f |= (. as $pin | del(.acceptedWarnings, .definition) + {acceptedWarnings: $ids, definition: $pin.definition})' >"$work/new"
	mv "$work/new" tools.lock
	is "  a lockfile with the records $1" test "$(pinproof diff tools.lock --against tools.lock >"$work/out" 2>&1 || echo $?)" = ""
	git commit -q --allow-empty -a -m "records $1"
}
joined() { # BASE OURS THEIRS: the records of f
	branch base && records "$1"
	branch y && git reset -q --hard base && records "$3"
	branch x && git reset -q --hard base && records "$2"
	code=0
	git merge -q -m merge y >"$work/log" 2>&1 || code=$?
	jq -r '.servers.files.tools.f.acceptedWarnings[]' tools.lock | cut -d' ' -f1 | tr '\n' ' ' >"$work/out"
}
echo "records of one pin"
joined "k m" "a k m" "k m z"
is "  git asks, and joins no consents" test "$code$(cat "$work/out")" = "1a k m "
git reset -q --hard
joined "k m" "k m" "k m z"
is "  those of the side that changed them" test "$code$(cat "$work/out")" = "0k m z "
git config --unset merge.pinproof.driver
joined "k m" "a k m" "k m z"
is "  git alone would join them" test "$code$(cat "$work/out")" = "0a k m z "
configure

echo "a stranger's branch"
branch y && echo "touch '$work/ran'" >merge-lockfile.sh && git add . && approve files b f k y
branch x && echo "touch '$work/ran'" >merge-lockfile.sh && git add . && approve files b f k z
git merge -q -m merge y >"$work/log" 2>&1
is "  none of its code runs" test ! -e "$work/ran"
holds files b f k y z
git worktree add -q -f "$work/other" y~0 --detach
code=0
(cd "$work/other" && git merge -q -m merge x~0) >"$work/log" 2>&1 || code=$?
is "  nor in another work tree" test "$code" = 0 -a ! -e "$work/ran"
finish
