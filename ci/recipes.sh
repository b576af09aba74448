#!/bin/sh
# Runs each recipe of the documentation with stand-ins for all commands in it: once as it is, and once for every command with that one
# failing. A recipe that then ends with 0 would let a job pass that has judged nothing. Needs node, bash.
# shellcheck source=ci/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$repo"
mkdir "$work/bin" "$work/recipes"

# The command that is FAIL_AT in the order in which they are started ends with 2. A diff may end with 1, which some recipes want.
cat >"$work/bin/stand-in" <<'SH2'
#!/bin/sh
echo "${0##*/} $*" | tr '\n' ' ' >>"$STARTED"
echo >>"$STARTED"
case "${0##*/}" in
mktemp) echo "$ROOM" ;;
git) [ "$1" != ls-tree ] || echo tools.lock ;;
node) echo '{}' ;;
esac
[ "$(($(wc -l <"$STARTED")))" != "$FAIL_AT" ] || exit 2
[ "${0##*/} $*" != "$DRIFTS" ] || exit 1
SH2
chmod +x "$work/bin/stand-in"
for name in cp curl docker find git go mktemp mv node npm npx pinproof pinproof-capture sha256sum tar; do
	ln -s stand-in "$work/bin/$name"
done
node ci/recipes.mjs "$work/recipes" README.md docs/*.md
export STARTED="$work/started"

try() { # FAIL_AT: the recipe, in an empty folder
	rm -rf "$work/room"
	mkdir "$work/room"
	: >"$STARTED"
	code=0
	# shellcheck disable=SC2086 # a shell with its flags
	(cd "$work/room" && env PATH="$work/bin:$PATH" HOME="$work/room" ROOM="$work/room" FAIL_AT="$1" DRIFTS="$drifts" PINPROOF_RELEASE=https://example.com \
		PINPROOF_TOKEN=secret CI_MERGE_REQUEST_DIFF_BASE_SHA=base CI_API_V4_URL=https://example.com CI_PROJECT_ID=1 CI_MERGE_REQUEST_IID=2 \
		$shell "$recipe") >"$work/out" 2>"$work/err" </dev/null || code=$?
}

for recipe in "$work"/recipes/*.sh; do
	shell=$(sed -n '1s/^# //p' "$recipe")
	where=$(sed -n '2s/^# //p' "$recipe")
	# shellcheck disable=SC2016 # what the recipe says
	drifts=$(grep -q -F '[ "$code" = 1 ]' "$recipe" && sed -n 's/ || code=.*//; s/^pinproof verify/&/p' "$recipe" | tail -n 1) || drifts=''
	try 0
	n=$(($(wc -l <"$STARTED")))
	is "$where: exit $code, $n commands" test "$code" = 0 -a "$n" -gt 0
	for at in $(seq "$n"); do
		try "$at"
		is "$where, without $(sed -n "${at}p" "$STARTED" | cut -c 1-70): exit $code" test "$code" != 0
	done
done
finish
