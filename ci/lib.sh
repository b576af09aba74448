# shellcheck shell=sh
# What the scripts of this folder share; each begins with: . "$(dirname "$0")/lib.sh"
set -eu
repo=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT # a module cache is read-only
passed=0 failed=0
export stood='' # what begins the path of the commands that may fail

is() { # WHAT TEST...: counts whether the test holds; shows what was printed if not
	what=$1
	shift
	if "$@"; then
		passed=$((passed + 1))
		echo "ok: $what"
		return
	fi
	failed=$((failed + 1))
	echo "FAILED: $what"
	for printed in log out err; do
		[ ! -e "$work/$printed" ] || sed "s/^/    $printed: /" "$work/$printed"
	done
}
copy_checkout() { # FOLDER: the checkout as it stands, with what isn't committed yet
	mkdir -p "$1"
	(cd "$repo" && git ls-files -co --exclude-standard | while read -r path; do [ ! -f "$path" ] || printf '%s\n' "$path"; done) >"$work/list"
	tar -cf - -C "$repo" -T "$work/list" | tar -xf - -C "$1"
}
may_fail() { # FOLDER COMMAND...: stands for commands. The one that is the FAIL_AT-th to start ends with 2 at once; STARTED is a folder for it
	stands=$1
	mkdir -p "$stands"
	shift
	cat >"$stands/stand-in" <<SH
#!/bin/sh
PATH=\${PATH#*:} # for what it starts, too
n=1 # those of a pipeline start at once
until mkdir "\$STARTED/\$n" 2>"\$STARTED/taken"; do n=\$((n + 1)); done
echo "\${0##*/} \$*" >"\$STARTED/\$n/line"
[ "\$n" != "\$FAIL_AT" ] || exit 2
exec "\${0##*/}" "\$@"
SH
	chmod +x "$stands/stand-in"
	for name; do
		ln -s stand-in "$stands/$name"
	done
}
each_failing() { # WHAT HOLDS FUNCTION...: runs the function once for each of its commands, with that one failing; HOLDS is a function
	of=$1 holds=$2 code=0 at=0
	shift 2
	stood=$stands:
	while
		rm -rf "$STARTED"
		mkdir "$STARTED"
		export FAIL_AT="$at"
		"$@"
		[ -e "$STARTED/$((at + 1))" ] || [ -e "$STARTED/$at" ]
	do
		failing=none
		[ "$at" = 0 ] || failing=$(head -n 1 "$STARTED/$at/line" | cut -c 1-60)
		is "$of, without $failing: exit $code" "$holds"
		at=$((at + 1))
	done
	is "$of: $((at - 1)) commands failed" test "$at" -gt 3
	stood=
}
finish() { # says the sum, and leaves with 1 if a test failed or there was none
	echo "$passed passed, $failed failed"
	[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
}
