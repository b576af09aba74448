#!/bin/sh
# Runs the shell snippets of Markdown files, in a copy of the checkout, block by block, and reads their JSON:
#     sh ci/snippets.sh README.md docs/ci.md
# A block fenced as "sh" is run and has to leave with 0; one without a language is for the reader alone. Needs pinproof on the
# path, node.
# shellcheck source=ci/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$repo"

for file; do
	rm -rf "$work/copy" "$work"/*.sh "$work"/*.json
	copy_checkout "$work/copy"
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
			(cd "$work/copy" && GOBIN=$work/installed sh -eu "$work/run") >"$work/out" 2>&1 </dev/null || code=$? ;;
		esac
		is "$file:$line (${block##*.}): exit $code" test "$code" = 0
	done
done
finish
