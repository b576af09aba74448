#!/bin/sh
# Saves what a stdio MCP server answers to tools/list, all pages of it, byte for byte, for pinproof to read:
#	sh capture.sh OUT.jsonl -- COMMAND [ARG]...
# Exit 0: OUT holds what COMMAND wrote up to its answer. Exit 2: OUT is as it was. COMMAND is stopped either way.
# PINPROOF_TIMEOUT: how many seconds the whole answer may take, 30 if unset.
out=$1 tmp='' server='' ended=0 id=1 limit=${PINPROOF_TIMEOUT:-30}
fail() { # ERROR HINT
	[ -z "$tmp" ] || { echo >"$tmp/probe"; } 2>/dev/null || set -- "$1" "${out%/*}/ can't be written to; is the disk full?"
	printf 'error: %s\nhint: %s\n' "$1" "$2" >&2
	exit 2
}
pause() { sleep 0.1 2>/dev/null || sleep 1; }
stop() { # end its input; after a second tell it and its children to leave; after another make them
	trap '' HUP INT TERM
	exec 3>&-
	for signal in ${server:+0 0 0 0 0 0 0 0 0 0 TERM 0 0 0 0 0 0 0 0 0 0 KILL}; do
		kill "-$signal" "-$server" || kill "-$signal" "$server" || break
		pause
	done
	rm -rf "$tmp"
}
ask() { printf '{"jsonrpc":"2.0",%s}\n' "$@" >&3 & } # in the background, for a server may never read

trap 'stop 2>/dev/null' EXIT
trap 'fail "interrupted" "nothing was saved"' HUP INT TERM
[ $# -ge 3 ] && [ "$2" = -- ] || fail "OUT, -- and COMMAND are needed" "sh capture.sh OUT.jsonl -- COMMAND [ARG]..."
shift 2
case $out in /*) ;; *) out=./$out ;; esac
[ -f "$out" ] || [ ! -e "$out" ] || fail "$out is not a file" "give the name of a file to write"
tmp=$(mktemp -d "${out%/*}/.capture.XXXXXX") && mkfifo "$tmp/in" || fail "can't write in ${out%/*}/" "choose another folder for OUT"

set -m 2>/dev/null # a process group for the server, so that its children are found
exec "$@" <"$tmp/in" >"$tmp/raw" & server=$! start=$(date +%s)
set +m
exec 3>"$tmp/in"
ask '"id":"pinproof-1","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"pinproof","version":"1"}}'
while :; do
	kill -0 "$server" 2>/dev/null || ended=1 # its last line counts then, even unfinished
	[ "$(wc -c <"$tmp/raw")" -le 67108864 ] || fail "the server wrote more than 64 MiB" "pinproof reads no more than that"
	head -n $(($(wc -l <"$tmp/raw") + ended)) "$tmp/raw" >"$tmp/got" || fail "can't write in ${out%/*}/" "is the disk full?"
	answer=$(LC_ALL=C awk -v id="\"id\"[ \t]*:[ \t]*\"pinproof-$id\"" '$0 ~ id && /"(result|error)"[ \t]*:/ {
		if (!/"result"[ \t]*:/) { gsub(/[^ -~]/, "?"); print substr($0, 1, 300); exit }
		sub(/"tools"[ \t]*:[ \t]*\[(.*[}])?[ \t]*\]/, "") # what the tools say is no cursor; an empty one is left to pinproof
		print match($0, /"nextCursor"[ \t]*:[ \t]*"([^"\\]|\\.)+"/) ? "result" substr($0, RSTART + 12, RLENGTH - 12) : "result"
		exit
	}' "$tmp/got")
	case $id-$answer in
	1-result*) id=2 && ask '"method":"notifications/initialized"' '"id":"pinproof-2","method":"tools/list"' ;;
	*-result) break ;;
	*-result*) id=$((id + 1)) && ask "\"id\":\"pinproof-$id\",\"method\":\"tools/list\",\"params\":{\"cursor\"${answer#result}}" ;;
	*-?*) fail "the server answered with an error: $answer" "..." ;;
	*-)
		[ "$ended" = 0 ] || { wait "$server"; fail "the server ended with code $? before it answered" "what it says for itself stands above"; }
		[ $(($(date +%s) - start)) -lt "$limit" ] || fail "no answer in $limit s" "PINPROOF_TIMEOUT=120 waits longer"
		pause
		;;
	esac
done
mv -f "$tmp/got" "$out" || fail "can't write $out" "..."
