#!/bin/sh
# Runs the shell snippets of Markdown files, in a copy of the checkout, block by block, and reads their JSON:
#     sh ci/snippets.sh README.md docs/ci.md
# A block fenced as "sh" is run and has to leave with 0; one without a language is for the reader alone. Needs pinproof on the
# path, node.
set -eu
repo=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
cd "$repo"

for file; do
	rm -rf "$work/copy" "$work"/*.sh "$work"/*.json
	mkdir "$work/copy"
	git ls-files -co --exclude-standard | while read -r path; do
		[ ! -f "$path" ] || printf '%s\n' "$path"
	done >"$work/list"
	tar -cf - -T "$work/list" | tar -xf - -C "$work/copy"
	# LINE.sh and LINE.json, named after the line of the fence
	awk -v work="$work" '
	/^```/ && out != "" { close(out); out = ""; next }
	/^```(sh|json)$/ { out = sprintf("%s/%05d.%s", work, NR, substr($0, 4)); printf "" >out; next }
	/^```/ { inside = !inside }
	out != "" && !inside { print >out }' "$file"
	for block in "$work"/[0-9]*; do
		[ -f "$block" ] || continue
		line=$(basename "$block" | sed 's/^0*//; s/\..*//')
		code=0
		case $block in
		*.json) node -e 'JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"))' "$block" >"$work/out" 2>&1 || code=$? ;;
		*)
			# The tests run on their own; here they would run twice.
			grep -v '^go test ' "$block" >"$work/run" || true
			(cd "$work/copy" && sh -eu "$work/run") >"$work/out" 2>&1 </dev/null || code=$? ;;
		esac
		if [ "$code" = 0 ]; then
			passed=$((passed + 1))
			echo "ok: $file:$line (${block##*.})"
		else
			failed=$((failed + 1))
			echo "FAILED: $file:$line (${block##*.}): exit $code"
			cat "$work/out"
		fi
	done
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
