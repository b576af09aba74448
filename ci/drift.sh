#!/bin/sh
# Runs the step of .github/workflows/drift.yml that writes, against a stand-in of GitHub's API, and lets actionlint read the
# workflows. Needs pinproof on the path, go, bash, curl, jq, node, shellcheck.
# shellcheck disable=SC2016 # the single quotes hold JavaScript
# shellcheck source=ci/lib.sh
. "$(dirname "$0")/lib.sh"
api=''
trap '[ -z "$api" ] || kill "$api"; rm -rf "$work"' EXIT

is "actionlint reads the workflows" go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12 -no-color "$repo"/.github/workflows/*.yml
awk -v work="$work" '
/Open or update the pull request/ { out = work "/step" }
/Say that nothing is left/ { out = work "/settled" }
out != "" && /^        run: [|]$/ { inside = 1; next }
inside && !/^          / && NF { inside = 0; out = "" }
inside { print substr($0, 11) >out }' "$repo/.github/workflows/drift.yml"
is "no expression inside a script" test -s "$work/step" -a -s "$work/settled" -a -z "$(
	awk '/^ *run: [|]$/ { inside = 1; indent = index($0, "run"); next } inside && match($0, /[^ ]/) && RSTART <= indent { inside = 0 } inside' \
		"$repo"/.github/workflows/*.yml | grep -F '${{'
)"

mkdir "$work/job"
cd "$work/job"
node "$repo/ci/github.mjs" "$work" &
api=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do
	[ ! -e "$work/port" ] || break
	sleep 1
done
GITHUB_API_URL=http://127.0.0.1:$(cat "$work/port")
export GITHUB_API_URL GITHUB_REPOSITORY=owner/repository GITHUB_REPOSITORY_OWNER=owner GITHUB_SHA=the-base \
	GITHUB_REF_NAME='release/1#2' GITHUB_RUN_ID=4711 GITHUB_SERVER_URL=https://github.com
step() { # NAME=VALUE...: the step, with these values; what it asked is in requests
	run step "$@"
}
run() { # SCRIPT NAME=VALUE...
	script=$1
	shift
	: >"$work/requests"
	code=0
	env PATH="$stood$PATH" TOKEN=secret-token REVIEW="$work/review.md" LOCKFILE=tools.lock CAPTURE=captures SERVER= PULL_REQUEST= HEAD= PARTIAL=false "$@" \
		bash --noprofile --norc -e -o pipefail "$work/$script" >"$work/log" 2>&1 || code=$?
}
asked() { # METHOD PATH TEST: one request of these, for which the JavaScript TEST holds
	node -e '
	const [file, method, path, test] = process.argv.slice(1);
	const found = require("fs").readFileSync(file, "utf8").trim().split("\n").map((l) => JSON.parse(l)).filter((r) => r.method === method && r.path === path);
	if (found.length !== 1 || !new Function("body", "length", `return ${test}`)(found[0].body, found[0].length)) {
		console.log(JSON.stringify(found));
		process.exit(1);
	}' "$work/requests" "$1" "$2" "${3:-true}"
}
count() { grep -c "\"method\":\"$1\"" "$work/requests"; }

pinproof diff "$repo/testdata/upgraded.jsonl" "$repo/testdata/tools.lock" --report markdown="$work/review.md" >/dev/null || [ $? = 1 ]
run settled
is "nothing is left, and none is open: nothing is written" test "$code" = 0 -a "$(count POST)$(count PATCH)" = 00
run settled PULL_REQUEST=7
is "nothing is left, and nothing was said: nothing is written" test "$code" = 0 -a "$(count POST)$(count PATCH)" = 00
review=$(node -p 'JSON.stringify(require("fs").readFileSync(process.argv[1], "utf8"))' "$work/review.md")
step
is "none is open: exit $code" test "$code" = 0
is "none is open: a commit that changes nothing" asked POST git/commits 'body.tree === "the-tree" && body.parents.join() === "the-base"'
is "none is open: a branch" asked POST git/refs 'body.ref === "refs/heads/pinproof/release/1#2" && body.sha.startsWith("commit-")'
is "none is open: a pull request with the review" asked POST pulls \
	"body.base === 'release/1#2' && body.head === 'pinproof/release/1#2' && body.body.endsWith($review)"
is "it says how to approve" asked POST pulls 'body.body.includes("\npinproof relock captures tools.lock \n")'
is "the token is nowhere to be seen" test "$(cat "$work/log" ./* | grep -c secret-token)" = 0
step PARTIAL=true SERVER='a "b"; c'
is "one is open: it is updated, and nothing else is written" test "$code" = 0 -a "$(count POST)" = 0 -a "$(count PATCH)" = 1
is "one is open: its text says what is missing" asked PATCH pulls/12 'body.body.includes("Some servers could not be captured")'
is "one is open: the command is quoted" asked PATCH pulls/12 'body.body.includes(`--server a\\ \\"b\\"\\;\\ c `)'
run settled
is "one is open, and nothing is left: it says so" asked PATCH pulls/12 'body.body.includes("Nothing is left to approve") && !body.body.includes("relock") && !body.title'
curl -sf -X POST -H 'Authorization: Bearer secret-token' "$GITHUB_API_URL/repos/owner/repository/close" >"$work/log"
step
is "it was closed and its branch is left: exit $code" test "$code" = 0
is "it was closed and its branch is left: the branch begins anew" asked PATCH 'git/refs/heads/pinproof/release/1%232' 'body.force && body.sha.startsWith("commit-")'
is "it was closed and its branch is left: another pull request" asked POST pulls

step PULL_REQUEST=7 HEAD=bot/upgrade
is "a bot's pull request: a comment" asked POST issues/7/comments "body.body.endsWith($review)"
is "a bot's pull request: no branch, no pull request" test "$(count POST)$(count PATCH)" = 10
is "a bot's pull request: it is approved there" asked POST issues/7/comments 'body.body.includes("\ngit switch bot/upgrade \n")'
step PULL_REQUEST=7 HEAD=bot/upgrade
is "again: the comment is updated, and nobody else's" test "$code" = 0 -a "$(count POST)" = 0 -a "$(count PATCH)" = 1 -a "$(grep -c 'comments/1"' "$work/requests")" = 0
run settled PULL_REQUEST=7
is "nothing is left there: the comment says so" test "$code" = 0 -a "$(count POST)" = 0 -a "$(count PATCH)" = 1
is "nothing is left there: in words" grep -q '"method":"PATCH".*Nothing is left to approve' "$work/requests"
step PULL_REQUEST=7 HEAD=bot/upgrade
is "and again the review" grep -q '"method":"PATCH".*Read the review below' "$work/requests"
step TOKEN=wrong
is "the API refuses: it fails" test "$code" != 0 -a "$(count POST)$(count PATCH)" = 00
step REVIEW="$work/none"
is "no review: it fails and writes nothing" test "$code" != 0 -a "$(wc -l <"$work/requests")" = 0

echo "a hostile server, with more than fits"
node -e '
const texts = ["@octocat see #1", "[a link](https://evil.example)", "![an image](https://evil.example/x.png)", "<img src=https://evil.example>", "https://evil.example",
	"```\n@octocat\n```", "~~~\n# heading", "`@octocat`", "::error::forged", "##[error]forged", "$(touch injected)", "`touch injected`", "\"; touch injected; \"",
	"</details><script>", "$$\\href{https://evil.example}{x}$$", ":+1: GH-1 owner/repository#1"];
const tools = [];
for (let i = 0; i < 4000; i++) tools.push({ name: i < texts.length ? texts[i] : `tool_${i}`, description: texts[i % texts.length].repeat(1 + (i % 7)) + i, inputSchema: { type: "object" } });
require("fs").writeFileSync(process.argv[1], JSON.stringify({ tools }));' "$work/hostile.json"
echo '{"tools":[]}' >"$work/empty.json"
rm -f tools.lock
pinproof lock "$work/empty.json" --server s --allow-empty >/dev/null
pinproof diff "$work/hostile.json" --server s --report markdown="$work/review.md" >/dev/null || [ $? = 1 ]
step
is "it fits" asked PATCH pulls/14 'length > 30000 && length <= 65536'
cat >"$work/inert.mjs" <<'JS'
// What is left of the text without fenced blocks and code spans is ours: plain words, our one link, our one comment.
import { readFileSync } from "node:fs";
const { body } = readFileSync(process.argv[2], "utf8").trim().split("\n").map((l) => JSON.parse(l)).find((r) => r.method === "PATCH").body;
let fence = false;
const rest = body.split("\n").filter((line) => {
  const mark = /^```/.test(line);
  if (mark) fence = !fence;
  if (fence && !mark && !/^([-+!@ |:]|pinproof |gh |git )/.test(line)) throw new Error("a line without a gutter: " + line);
  return !fence && !mark;
}).join("\n").replace(/`[^`\n]*`/g, "").replace("<!-- pinproof -->", "").replace("(https://github.com/owner/repository/actions/runs/4711)", "");
if (fence) throw new Error("a fence is open at the end");
if (/[@<>$]|https?:|\]\(|evil|octocat|:[a-z0-9+]+:|GH-\d|\w#\d/.test(rest)) throw new Error(rest.match(/.*([@<>$]|https?:|\]\(|evil|octocat|:[a-z0-9+]+:|GH-\d|\w#\d).*/)[0]);
JS
is "no mention, link, image, HTML, formula or reference" node "$work/inert.mjs" "$work/requests"
is "no command" test "$(grep -c -e '^ *::' -e '##\[' "$work/log")" = 0 -a ! -e injected

echo "each command failing: either it is said, or the step fails"
may_fail "$work/stands" cat curl jq
export STARTED="$work/started"
is_reviewed() { [ "$code" != 0 ] || grep -q '"method":"\(POST\|PATCH\)".*Read the review below.*tool_' "$work/requests"; }
is_settled() { [ "$code" != 0 ] || grep -q '"method":"PATCH".*Nothing is left to approve' "$work/requests"; }
closed() { # the step, where no pull request is open
	curl -sf -X POST -H 'Authorization: Bearer secret-token' "$GITHUB_API_URL/repos/owner/repository/close" >"$work/log"
	step "$@"
}
each_failing "a comment" is_reviewed step PULL_REQUEST=7 HEAD=bot/upgrade
each_failing "nothing is left in a comment" is_settled run settled PULL_REQUEST=7
each_failing "another pull request" is_reviewed closed
each_failing "the same pull request" is_reviewed step
each_failing "nothing is left in a pull request" is_settled run settled
finish
