#!/bin/sh
# Saves what a stdio MCP server answers to tools/list, all pages of it, byte for byte:
#     sh capture.sh OUT.jsonl -- COMMAND [ARG]...
# Exit 0: OUT is written. Exit 2: it is as it was, and standard error says why. PINPROOF_TIMEOUT: seconds, 30 if unset.
out=$1 tmp='' server='' why='' ended=0 id=1 limit=${PINPROOF_TIMEOUT:-30}
fail() { printf 'error: %s\nhint: %s\n' "${why:-$1}" "$2" >&2; exit 2; }
ask() { printf '{"jsonrpc":"2.0",%s}\n' "$@" >&3 & } # in the background: the server may never read it
stop() { # a second to leave by itself; then its process group is told to leave, and a second later made to
	for signal in ${server:+0 0 0 0 0 TERM 0 0 0 0 0 KILL}; do
		kill "-$signal" "-$server" || kill "-$signal" "$server" || break
		sleep 0.2 || sleep 1
	done
}
trap 'trap "" HUP INT TERM; exec 3>&-; stop 2>/dev/null; rm -rf "$tmp"' EXIT
trap 'why=interrupted' HUP INT TERM # noted, and obeyed in the loop, so that nothing just started is forgotten
if [ $# -lt 3 ] || [ "$2" != -- ] || ! shift 2; then fail "wrong usage" "sh capture.sh OUT.jsonl -- COMMAND [ARG]..."; fi
case $out in /*) ;; *) out=./$out ;; esac
[ -f "$out" ] || [ ! -e "$out" ] || fail "$out is no file" "name one to write, such as server.jsonl"
{ tmp=$(trap '' HUP INT TERM; mktemp -d "${out%/*}/.capture.XXXXXX") && mkfifo "$tmp/in"; } ||
	fail "can't write in ${out%/*}/" "name another folder"

exec 4<>"$tmp/in" && exec 3>"$tmp/in" && exec 4<"$tmp/in" # <> never waits; the two ends would, for each other
if command -v setsid >/dev/null; then set -- setsid "$@"; else set -m; fi 2>/dev/null # makes it a process group
exec "$@" <&4 >"$tmp/raw" 3>&- 4<&- & server=$! start=$(date +%s)
set +m && exec 4<&-
ask '"id":"pinproof-1","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"pinproof","version":"1"}}'
while sleep 0.1 2>/dev/null || sleep 1; do
	kill -0 "$server" 2>/dev/null || ended=1
	head -c 67108865 "$tmp/raw" >"$tmp/all" || fail "can't write in ${out%/*}/" "is the disk full?"
	[ "$(wc -c <"$tmp/all")" -le 67108864 ] || fail "the server wrote more than 64 MiB" "pinproof reads no more"
	lines=$(($(wc -l <"$tmp/all") + ended)) # one without its newline counts only if nothing can follow
	answer=$(LC_ALL=C awk -v lines="$lines" -v id="\"id\"[ \t]*:[ \t]*\"pinproof-$id\"" '
	NR <= lines && /^[^!-z]*[{]/ && $0 ~ id && /"(result|error)"[ \t]*:/ {
		sub(/"tools"[ \t]*:[ \t]*\[(.*[}])?[ \t]*\]/, "") # a cursor in there would be some tool talking
		print match($0, /"nextCursor"[ \t]*:[ \t]*"([^"\\]|\\.)+"/) ? "next" substr($0, RSTART + 12, RLENGTH - 12) : $0; exit
	}' "$tmp/all")
	case $answer in
	next*) id=$((id + 1)) && ask "\"id\":\"pinproof-$id\",\"method\":\"tools/list\",\"params\":{\"cursor\"${answer#next}}" ;;
	*'"result"'*) [ $id = 1 ] || break
		id=2 && ask '"method":"notifications/initialized"' '"id":"pinproof-2","method":"tools/list"' ;;
	?*) fail "it answered with an error: $(printf %.300s "$answer" | LC_ALL=C tr -cd ' -~')" "are its arguments complete?" ;;
	esac
	[ $ended = 0 ] || { wait "$server"; fail "the server ended with code $? before it answered" "it may have said why above"; }
	{ [ -z "$why" ] && [ $(($(date +%s) - start)) -lt "$limit" ]; } || fail "no answer in $limit s" "PINPROOF_TIMEOUT=120 waits longer"
done
{ head -n "$lines" "$tmp/all" >"$tmp/got" && mv -f "$tmp/got" "$out"; } || fail "can't write $out" "is the disk full?"
