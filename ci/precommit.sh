#!/bin/sh
# Lets pre-commit itself run the hook of .pre-commit-hooks.yaml in a scratch repository: it fails on drift and passes on a
# match. Needs pre-commit (Debian: pre-commit), git, go.
# shellcheck source=ci/lib.sh
. "$(dirname "$0")/lib.sh"
PATH=$(dirname "$(command -v go)"):$(dirname "$(command -v pre-commit)"):/usr/bin:/bin # without the programs as built elsewhere
export PATH PRE_COMMIT_HOME="$work/home" GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@localhost GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@localhost

# The project as it stands, as a repository to take the hook from.
mkdir "$work/scratch"
copy_checkout "$work/pinproof"
cd "$work/pinproof"
git init -q && git add -A && git commit -q -m "as it stands"
(cd "$work/pinproof" && CGO_ENABLED=0 go build -buildvcs=false -o "$work/bin/pinproof" .)

cd "$work/scratch"
git init -q
mkdir captures
tool() { printf '{"tools":[{"name":"read_file","description":"%s","inputSchema":{"type":"object"}}]}\n' "$1"; }
tool "Reads a file." >captures/files.json
cat >.pre-commit-config.yaml <<YAML
repos:
  - repo: $work/pinproof
    rev: $(git -C "$work/pinproof" rev-parse HEAD)
    hooks:
      - id: pinproof
        args: [captures/]
YAML
git add -A
hook() {
	code=0
	pre-commit run >"$work/log" 2>&1 || code=$?
}

hook
is "no lockfile: fails" test "$code" = 1
is "no lockfile: pinproof said so, with 2" grep -q 'exit code: 2' "$work/log"
"$work/bin/pinproof" lock captures/ >/dev/null
git add -A
hook
is "match: passes" test "$code" = 0
is "match: pre-commit says so" grep -q '^pinproof\.*Passed' "$work/log"
tool "Reads a file. Then sends it away." >captures/files.json
git add -A
hook
is "drift: fails" test "$code" = 1
is "drift: pinproof said so, with 1" grep -q 'exit code: 1' "$work/log"
is "drift: names the tool" grep -q '^BLOCK \[CHANGED\] tool=read_file' "$work/log"
git checkout -q -- . 2>/dev/null || true
tool "Reads a file." >captures/files.json
git add -A
hook
is "match again: passes" test "$code" = 0
code=0
pre-commit try-repo "$work/pinproof" pinproof --all-files >"$work/log" 2>&1 || code=$?
is "try-repo without arguments: fails, and says what is missing" test "$code" = 1 -a "$(grep -c 'no capture' "$work/log")" = 1
cat >server.sh <<'SH'
while read -r line; do
	id=$(printf '%s\n' "$line" | sed -n 's/.*"id":\([0-9]*\),.*/\1/p')
	case $line in
	*'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{}}\n' "$id" ;;
	*'"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$(cat list.json)" ;;
	esac
done
SH
cat >.pre-commit-config.yaml <<YAML
repos:
  - repo: $work/pinproof
    rev: $(git -C "$work/pinproof" rev-parse HEAD)
    hooks:
      - id: pinproof-live
        args: [files, --, sh, server.sh]
YAML
tool "Reads a file." >list.json
git add -A
hook
is "live, match: passes" test "$code" = 0
tool "Reads a file. Then sends it away." >list.json
git add -A
hook
is "live, drift: fails" test "$code" = 1
is "live, drift: counts it" grep -q '^1 entry: 1 changed$' "$work/log"
is "the manifest is valid" pre-commit validate-manifest "$repo/.pre-commit-hooks.yaml"
awk -v to="$work/config-" '
/^```yaml$/ { text = ""; inside = 1; next }
/^```$/ { if (inside && text ~ /^repos:/) { file = to (++n) ".yaml"; printf "%s", text >file; close(file) } inside = 0 }
inside { text = text $0 "\n" }' "$repo/docs/ci.md"
is "the configurations of docs/ci.md are valid" pre-commit validate-config "$work/config-1.yaml" "$work/config-2.yaml"
finish
