#!/bin/sh
# Saves what a stdio MCP server answers to tools/list, all pages of it, byte for byte:
#     sh capture.sh OUT.jsonl -- COMMAND [ARG]...
# Exit 0: OUT is written. Exit 2: it is as it was, and standard error says why. PINPROOF_TIMEOUT: seconds, 30 if unset.
out=$1 tmp='' server='' caught='' ended=0 id=1 limit=${PINPROOF_TIMEOUT:-30} max=67108864 # 64 MiB is all pinproof reads
fail() {
	[ -z "$caught" ] || set -- "interrupted" "nothing was saved"
	printf 'error: %s\nhint: %s\n' "$1" "$2" >&2
	exit 2
}
ask() { printf '{"jsonrpc":"2.0",%s}\n' "$@" >&3 & } # in the background: the server may never read it
stop() { # it has a second to leave by itself; then its process group is told to, and a second later made to
	for signal in ${server:+0 0 0 0 0 TERM 0 0 0 0 0 KILL}; do
		kill "-$signal" "-$server" || kill "-$signal" "$server" || break
		sleep 0.2 || sleep 1
	done
}
trap 'trap "" HUP INT TERM; exec 3>&-; stop 2>/dev/null; rm -rf "$tmp"' EXIT
trap 'caught=yes' HUP INT TERM # seen by the loop, so that it never falls between starting a thing and knowing its name
if [ $# -lt 3 ] || [ "$2" != -- ] || ! shift 2; then fail "wrong usage" "sh capture.sh OUT.jsonl -- COMMAND [ARG]..."; fi
case $out in /*) ;; *) out=./$out ;; esac
[ -f "$out" ] || [ ! -e "$out" ] || fail "$out is no file" "name one to write, such as server.jsonl"
{ tmp=$(mktemp -d "${out%/*}/.capture.XXXXXX") && mkfifo "$tmp/in"; } || fail "can't write in ${out%/*}/" "name another folder"

exec 4<>"$tmp/in" 3>"$tmp/in" 4<"$tmp/in" # both ends, neither waiting for a partner
if command -v setsid >/dev/null; then set -- setsid "$@"; else set -m; fi 2>/dev/null # makes it a process group
exec "$@" <&4 >"$tmp/raw" 3>&- 4<&- & server=$! start=$(date +%s)
set +m && exec 4<&-
ask '"id":"pinproof-1","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"pinproof","version":"1"}}'
while sleep 0.1 2>/dev/null || sleep 1; do
	kill -0 "$server" 2>/dev/null || ended=1 # then its last line counts even without a newline
	head -c $((max + 1)) "$tmp/raw" >"$tmp/all" && head -n $(($(wc -l <"$tmp/all") + ended)) "$tmp/all" >"$tmp/got"
	...
done
