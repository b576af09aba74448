#!/bin/sh
# Runs the steps of action.yml as GitHub's runner does, and lets actionlint read the workflows of docs/ci.md and docs/authors.md. Needs go, bash, curl,
# node, git, jq, shellcheck.
# shellcheck disable=SC2016 # the single quotes hold titles of Markdown
# shellcheck source=ci/lib.sh
. "$(dirname "$0")/lib.sh"

# step-1 installs, step-2 verifies, step-3 shows what a pull request approves
awk -v work="$work" '
/^      run: [|]$/ { out = work "/step-" (++n); next }
out != "" && !/^        / && NF { out = "" }
out != "" { print substr($0, 9) >out }' "$repo/action.yml"
is "three steps" test -s "$work/step-1" -a -s "$work/step-2" -a -s "$work/step-3" -a ! -e "$work/step-4"
is "shellcheck reads them" shellcheck -s bash "$work/step-1" "$work/step-2" "$work/step-3"
is "no expression inside a script" test -z "$(cat "$work"/step-? | grep -F '${{')"

is "it downloads from the repository of the project" grep -qx \
	"    default: https://github.com/$(sed -n 's/^repository=\([^ ]*\).*/\1/p' "$repo/release/project.sh")/releases/download" "$repo/action.yml"

mkdir -p "$work/temp dir" "$work/job/.github/workflows"
export RUNNER_TEMP="$work/temp dir" GITHUB_PATH="$work/path" GITHUB_OUTPUT="$work/output" GITHUB_STEP_SUMMARY="$work/summary" \
	GITHUB_ENV="$work/env" ACTION="$repo"
cd "$work/job"
install() { # NAME=VALUE...: the first step, with these inputs
	: >"$GITHUB_PATH"
	code=0
	env VERSION= CHECKSUM= RELEASES="file://$work/releases" SOURCE=false RUNNER_OS=Linux RUNNER_ARCH=X64 "$@" \
		bash --noprofile --norc -e -o pipefail "$work/step-1" >"$work/log" 2>&1 || code=$?
}
bin=$RUNNER_TEMP/pinproof/bin
install SOURCE=true GOFLAGS=-mod=vendor GOOS=plan9
is "build from source, in a job with Go settings of its own" test "$code" = 0

# A release made of what was built.
mkdir -p "$work/releases/v1.2.3" "$work/built"
mv "$bin"/* "$work/built/"
tar -czf "$work/releases/v1.2.3/pinproof_linux_amd64.tar.gz" -C "$work/built" .
(cd "$work/releases/v1.2.3" && sha256sum -- *.tar.gz >SHA256SUMS)
checksum=$(sha256sum "$work/releases/v1.2.3/SHA256SUMS" | cut -d ' ' -f 1)
refused() { # WHAT: 2, an annotation, and no program
	is "$1: exit $code" test "$code" = 2
	is "$1: an annotation" grep -q '^::error title=pinproof::' "$work/log"
	is "$1: no program" test ! -s "$GITHUB_PATH" -a ! -e "$bin/pinproof" -a ! -e "$bin/pinproof-capture"
}
install VERSION=v1.2.3
refused "a version without a checksum"
install
refused "neither a version nor the source"
install VERSION=v1.2.3 CHECKSUM="$checksum" SOURCE=true
refused "a version and the source"
for version in 1.2.3 latest v1.2.3/../v1.2.3 "v1.2.3 " v1.2.3-beta; do
	install VERSION="$version" CHECKSUM="$checksum"
	refused "$version for a version"
done
install VERSION=v1.2.4 CHECKSUM="$checksum"
refused "a release that isn't there"
install VERSION=v1.2.3 CHECKSUM="$checksum" RUNNER_ARCH=ARM
refused "a platform without a release"
install VERSION=v1.2.3 CHECKSUM="$(echo "$checksum" | tr 0-9a-f 1-9a-f0)"
refused "another checksum"
cp -R "$work/releases" "$work/releases of another"
tar -cf - -C "$work/built" pinproof | gzip >"$work/releases of another/v1.2.3/pinproof_linux_amd64.tar.gz"
install VERSION=v1.2.3 CHECKSUM="$checksum" RELEASES="file://$work/releases%20of%20another"
refused "another archive"
: >"$work/releases of another/v1.2.3/SHA256SUMS"
install VERSION=v1.2.3 CHECKSUM="$(sha256sum </dev/null | cut -d ' ' -f 1)" RELEASES="file://$work/releases%20of%20another"
refused "sums that don't name the archive"
install VERSION=v1.2.3 CHECKSUM="$checksum"
is "a release: exit $code" test "$code" = 0
PATH=$(tail -n 1 "$work/path"):$PATH
is "pinproof is on the path" test "$(command -v pinproof)" = "$bin/pinproof"
is "pinproof-capture is on the path" test "$(command -v pinproof-capture)" = "$bin/pinproof-capture"

cat >server.sh <<'SH'
# A stdio server; it speaks to the runner, too.
echo "::error title=forged::by the server" >&2
echo "##[error]by the server" >&2
echo "FORGED=yes" >>"${GITHUB_ENV:-forged}"
while read -r line; do
	id=$(printf '%s\n' "$line" | sed -n 's/.*"id":\([0-9]*\),.*/\1/p')
	case $line in
	*'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{}}\n' "$id" ;;
	*'"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"%s","inputSchema":{"type":"object"}}]}}\n' "$id" "$1" ;;
	esac
done
SH
pinproof-capture save a.jsonl -- sh server.sh read_file >/dev/null
pinproof lock a.jsonl --server files >/dev/null
rm -f forged

step() { # NAME=VALUE...: the second step, with these inputs
	: >"$GITHUB_OUTPUT"
	echo "what was there" >"$GITHUB_STEP_SUMMARY"
	rm -f "$GITHUB_ENV" forged
	code=0
	env PATH="$stood$PATH" COMMAND= CONFIG= CAPTURE= LOCKFILE= SERVER= SUBSTITUTE= ALLOW= SARIF= TIMEOUT=10 "$@" \
		bash --noprofile --norc -e -o pipefail "$work/step-2" >"$work/log" 2>&1 || code=$?
}
review=$RUNNER_TEMP/pinproof/review
output() { grep -qx "$1" "$GITHUB_OUTPUT"; }

step COMMAND="sh 'server.sh' read_file"
is "match: 0" test "$code" = 0
is "match: outputs" output "exit-code=0"
is "match: the verified list is there" test -s "$(sed -n 's/^capture=//p' "$GITHUB_OUTPUT")"
is "match: nothing of the server's reaches the runner's files" test ! -e "$GITHUB_ENV"
is "match: the summary keeps what was there" grep -qx "what was there" "$GITHUB_STEP_SUMMARY"
step COMMAND="sh server.sh exfiltrate" SARIF="a report.sarif" SERVER=files
is "drift: 1" test "$code" = 1
is "drift: outputs" output "exit-code=1"
is "drift: annotations on the lockfile" grep -q '^::error .*file=tools.lock' "$work/log"
is "drift: a summary" test "$(wc -l <"$GITHUB_STEP_SUMMARY")" -gt 1
is "drift: SARIF" node -e 'if (!JSON.parse(require("fs").readFileSync("a report.sarif")).runs[0].results.length) throw 1'
step CAPTURE=a.jsonl
is "a saved list: 0" test "$code" = 0
step CAPTURE=a.jsonl SERVER=other
is "a server without pins: 2" test "$code" = 2
mkdir -p repository/.git repository/below
cp tools.lock repository
cp a.jsonl repository/below
cd repository/below
step CAPTURE=a.jsonl
is "the nearest lockfile above: 0" test "$code" = 0
cd "$OLDPWD"
step CAPTURE=a.jsonl LOCKFILE="no such.lock"
is "no lockfile: 2" test "$code" = 2
step CAPTURE=--help
is "a path that looks like a flag: 2" test "$code" = 2
cat >mcp.json <<'JSON'
{"mcpServers": {"files": {"command": "sh", "args": ["server.sh", "read_file"]}}}
JSON
step CONFIG=mcp.json
is "a configuration: 0" test "$code" = 0
is "a configuration: the verified folder is there" test -s "$(sed -n 's/^capture=//p' "$GITHUB_OUTPUT")/files.jsonl"
sed -i.bak 's/read_file/exfiltrate/' mcp.json
step CONFIG=mcp.json
is "a configuration, drift: 1" test "$code" = 1
step CAPTURE=a.jsonl ALLOW=changed
is "what can't be allowed: 2" test "$code" = 2
step COMMAND="sh server.sh exfiltrate" SERVER=files ALLOW="added
removed"
is "what is allowed: 0" test "$code" = 0
is "the review is there, whole and for a comment" test -s "$review/review.md" -a -s "$review/review.html"

echo "a part of a configuration"
cat >mcp.json <<'JSON'
{"mcpServers": {"files": {"command": "sh", "args": ["server.sh", "read_file"]}, "dead`@one%0A::error::": {"command": "false"},
	"mail": {"command": "sh", "args": ["server.sh", "send"]}}}
JSON
step CONFIG=mcp.json LOCKFILE=two.lock
is "some are not captured: 2" test "$code" = 2
is "some are not captured: annotations name them" grep -q '^::error title=pinproof::not captured: dead' "$work/log"
is "some are not captured: in the annotation nothing is an escape" test "$(grep '^::error title=pinproof::not captured: dead' "$work/log" | grep -c '%0A')" = 0
is "some are not captured: the summary names them" grep -q '^| dead' "$GITHUB_STEP_SUMMARY"
for label in files mail; do cp "$RUNNER_TEMP/pinproof/captures/$label.jsonl" .; done
mkdir both && mv files.jsonl mail.jsonl both/
pinproof lock both two.lock >/dev/null
step CONFIG=mcp.json LOCKFILE=two.lock
is "the others match: 2 all the same" test "$code" = 2
is "the others match: nothing is said against them" test "$(grep -c 'file=two.lock' "$work/log")" = 0
sed -i.bak 's/"send"/"send_all"/' mcp.json
step CONFIG=mcp.json LOCKFILE=two.lock
is "another drifts: 2" test "$code" = 2
is "another drifts: an annotation on the lockfile" grep -q 'file=two.lock.*send_all' "$work/log"
is "another drifts: the summary shows it" grep -q send_all "$GITHUB_STEP_SUMMARY"

echo "several configurations"
mkdir web api
echo '{"mcpServers": {"files": {"command": "sh", "args": ["../server.sh", "read_file"]}}}' >web/.mcp.json
echo '{"mcpServers": {"mail": {"command": "sh", "args": ["../server.sh", "send"]}}}' >api/.mcp.json
step CONFIG="web/.mcp.json
api/.mcp.json
" LOCKFILE=two.lock
is "both match one lockfile: 0" test "$code" = 0
sed -i.bak 's/"send"/"send_all"/' api/.mcp.json
step CONFIG="web/.mcp.json
api/.mcp.json" LOCKFILE=two.lock
is "the second drifts: 1" test "$code" = 1
step CONFIG=web/.mcp.json LOCKFILE=two.lock ALLOW=missing
is "one by itself: 0" test "$code" = 0
step CONFIG=web/.mcp.json LOCKFILE=two.lock
is "one by itself, the other not allowed to be missing: 2" test "$code" = 2
cp web/.mcp.json api/.mcp.json
step CONFIG="web/.mcp.json
api/.mcp.json" LOCKFILE=two.lock
is "a server in both: 2" test "$code" = 2
is "a server in both: named" grep -q '^::error title=pinproof::not captured: files.jsonl: two' "$work/log"
step COMMAND="sh server.sh read_file; exit 1" TIMEOUT=x
is "a timeout that is none: 2" test "$code" = 2
step COMMAND="sh server.sh read_file </dev/null; exit 1"
is "what the server prints is no command" test "$code" = 2 -a "$(grep -c 'by the server' "$work/log")" = 2
is "what the server prints stands behind a gutter" test "$(grep 'by the server' "$work/log" | grep -c -v '^  | ')" = 0
is "what the server prints has no bracket for a command" test "$(grep -c -F '##[' "$work/log")" = 0
step COMMAND=false
is "a dead server: 2" test "$code" = 2
is "a dead server: an annotation" grep -q '^::error title=pinproof::' "$work/log"
is "a dead server: outputs" output "exit-code=2"
step
is "none of the three: 2" test "$code" = 2
step COMMAND="sh server.sh read_file" CAPTURE=a.jsonl
is "two of them: 2" test "$code" = 2
step CAPTURE='$(touch injected)"; touch injected; "' SERVER='`touch injected`'
is "inputs are never code" test "$code" = 2 -a ! -e injected

echo "each command failing: drift, and what can't be captured, are never 0"
may_fail "$work/stands" cat cp curl dirname basename git head jq mkdir mv pinproof pinproof-capture rm sed tr wc
export STARTED="$work/started"
is_no() { [ "$code" != 0 ]; }
echo '{"mcpServers": {"files": {"command": "sh", "args": ["../server.sh", "read_file"]}}}' >web/.mcp.json
echo '{"mcpServers": {"mail": {"command": "sh", "args": ["../server.sh", "send"]}}}' >api/.mcp.json
step COMMAND="sh server.sh read_file" SERVER=files LOCKFILE=two.lock
is "a match before: 0" test "$code" = 0
each_failing "a dead server" is_no step COMMAND=false SERVER=files LOCKFILE=two.lock
each_failing "drift" is_no step COMMAND="sh server.sh exfiltrate" SERVER=files LOCKFILE=two.lock
sed -i.bak 's/"send"/"send_all"/' api/.mcp.json
each_failing "the second of two drifts, and one may be missing" is_no step CONFIG="web/.mcp.json
api/.mcp.json" LOCKFILE=two.lock ALLOW=missing

echo "a pull request"
mkdir request
cd request
git init -q
commit() { git add -A && git -c user.name=a -c user.email=a@example.com commit -q -m "$1"; }
pinproof-capture save files.jsonl -- sh ../server.sh read_file >/dev/null
echo "*.jsonl" >.gitignore
commit none
pinproof lock files.jsonl >/dev/null
commit one
pinproof-capture save files.jsonl -- sh ../server.sh exfiltrate >/dev/null
pinproof relock files.jsonl --server files --accept-all >/dev/null
commit two
node "$repo/ci/github.mjs" "$work" &
api=$!
trap 'kill "$api"; chmod -R u+w "$work"; rm -rf "$work"' EXIT
for _ in 1 2 3 4 5 6 7 8 9 10; do
	[ ! -e "$work/port" ] || break
	sleep 1
done
GITHUB_API_URL=http://127.0.0.1:$(cat "$work/port")
export GITHUB_API_URL GITHUB_REPOSITORY=owner/repository
approves() { # BASE [NAME=VALUE]...: the third step, of a pull request onto that commit
	base=$1
	shift
	: >"$GITHUB_STEP_SUMMARY"
	: >"$GITHUB_OUTPUT"
	: >"$work/requests"
	code=0
	env PATH="$stood$PATH" BASE="$base" LOCKFILE=tools.lock TOKEN= PULL_REQUEST=7 ASKED= "$@" bash --noprofile --norc -e -o pipefail "$work/step-3" >"$work/log" 2>&1 || code=$?
}
approves "$(git rev-parse HEAD)"
is "nothing approved: nothing said" test "$code" = 0 -a ! -s "$GITHUB_STEP_SUMMARY"
approves "$(git rev-parse HEAD~1)"
is "what is approved: 0" test "$code" = 0
is "what is approved: the title counts it" grep -qx '## This approves 1 added, 1 removed of server `files`' "$GITHUB_STEP_SUMMARY"
is "what is approved: the review" grep -q exfiltrate "$GITHUB_STEP_SUMMARY"
is "what is approved: no path of the machine" test "$(grep -c -F -e "$work" -e "$RUNNER_TEMP" "$GITHUB_STEP_SUMMARY")" = 0
is "what is approved: without a token nobody is asked" test ! -s "$work/requests"
is "what is approved: no accepting command" test "$(grep -c -e '--accept' "$GITHUB_STEP_SUMMARY")" = 0
approves "$(git rev-parse HEAD~2)"
is "the first lockfile: the title counts it" grep -qx '## This approves 1 added of server `files`' "$GITHUB_STEP_SUMMARY"
is_shown() { [ "$code" != 0 ] || grep -q '^## This approves 1 added, 1 removed of server `files`$' "$GITHUB_STEP_SUMMARY" || grep -q '^::warning ' "$work/log"; }
each_failing "what is approved" is_shown approves "$(git rev-parse HEAD~1)"
approves 0000000000000000000000000000000000000000
is "a base that isn't here: a warning" test "$code" = 0 -a "$(grep -c '^::warning title=pinproof::' "$work/log")" = 1
asks() { # what was asked of GitHub, beside the comments that are there
	sed -n 's/.*"method":"\([A-Z]*\)","path":"\([^"]*\)".*/\1 \2/p' "$work/requests" | grep -v '^GET' | tr '\n' ';'
}
first=$(git rev-parse HEAD~1)
approves "$(git rev-parse HEAD)" TOKEN=secret-token
is "a comment: none where nothing is approved" test "$code" = 0 -a -z "$(asks)"
approves "$first" TOKEN=secret-token
is "a comment: one" test "$code" = 0 -a "$(asks)" = "POST issues/7/comments;"
is_told() { [ "$code" != 0 ] || grep -q '^::warning ' "$work/log" || grep -q '"method":"PATCH".*This approves 1 added, 1 removed' "$work/requests"; }
is "a comment: the title" grep -q '"body":"<!-- pinproof approves -->\\n### This approves 1 added, 1 removed of server `files`\\n\\n' "$work/requests"
is "a comment: the review, in a fence, without an accepting command or a path" test "$(grep -c 'exfiltrate.*```diff' "$work/requests")$(grep -c -F -e --accept -e "$work" "$work/requests")" = 10
is "a comment: the job's output" output "exit-code=0"
is "a comment: the token is nowhere to be seen" test "$(cat "$work/log" "$GITHUB_STEP_SUMMARY" | grep -c secret-token)" = 0
each_failing "a comment" is_told approves "$first" TOKEN=secret-token
pinproof lock files.jsonl --server 'a`b @c' --ignore /_meta >/dev/null
pinproof relock files.jsonl --server files --ignore /_meta --approved-by somebody --accept-all >/dev/null
approves "$first" TOKEN=secret-token
said=$(asks)
is "a comment: kept up to date ($said)" test "$code" = 0 -a "${said#PATCH issues/comments/}" != "$said"
is "a comment: unusual server IDs stay out, policies are in" grep -qx '## This approves 1 added, another policy of a server with an unusual ID; 1 added, 1 removed, another policy of server `files`' "$GITHUB_STEP_SUMMARY"
git checkout -q "$first" -- tools.lock
approves "$first" TOKEN=secret-token
is "a comment: it says that nothing is approved any more" grep -q '"method":"PATCH".*### This approves nothing any more' "$work/requests"
approves "$first" TOKEN=wrong
is "a comment that can't be written: a warning" test "$code" = 0 -a "$(grep -c '^::warning title=pinproof::the comment' "$work/log")" = 1
approves "$first" TOKEN=secret-token ASKED=npx
is "a comment beside a server: 2" test "$code" = 2 -a ! -s "$work/requests"
git checkout -q HEAD -- tools.lock
echo broken >tools.lock
approves "$(git rev-parse HEAD~1)"
is "a broken lockfile: 2" test "$code" = 2
is "a broken lockfile: the title says that it can't be shown" grep -q '^## What this approves can not be shown' "$GITHUB_STEP_SUMMARY"
cd ..

echo "workflows of the documentation"
awk -v to=".github/workflows/" '
/^```yaml$/ { text = ""; inside = 1; next }
/^```$/ { if (inside && text ~ /\njobs:\n/) { file = to (++n) ".yml"; printf "%s", text >file; close(file) } inside = 0 }
inside { text = text $0 "\n" }' "$repo/docs/ci.md" "$repo/docs/authors.md"
cp "$repo/action.yml" action.yml
cp "$repo/.github/workflows/drift.yml" .github/workflows/
git init -q
# So that actionlint holds them against action.yml and drift.yml.
sed -i.bak 's|OWNER/pinproof@v[0-9.]*|./|; s|OWNER/pinproof/\(.*\)@v[0-9.]*|./\1|' .github/workflows/*.yml
is "five workflows" test -e .github/workflows/5.yml -a ! -e .github/workflows/6.yml
is "three use the action, and so does drift.yml" test "$(cat .github/workflows/*.yml | grep -c 'uses: \./$')" = 5
is "one calls drift.yml" test "$(cat .github/workflows/*.yml | grep -c 'uses: \./\.github/workflows/drift\.yml$')" = 1
is "actionlint reads them" go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12 -no-color .github/workflows/*.yml
finish
