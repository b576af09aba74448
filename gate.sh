#!/bin/sh
# What an agent's hook runs: does an MCP server still list the tools that were approved?
#     sh .mcp/gate.sh SERVER COMMAND [ARG]...
# Lies beside capture.sh in a folder of the project that holds tools.lock. It starts COMMAND, saves what it lists as
# SERVER.jsonl in that folder, and holds it against the pins of SERVER. Exit 0, without a word: they match. Exit 2
# otherwise, with words that are safe for a model: agents take any other code for yes. docs/hooks.md tells where to put it.
no() {
	printf 'pinproof: blocked: %s\nDo not use this server'"'"'s tools. A person sees the reason with: %s\n' "$1" "$2" >&2
	exit 2
}
exec 3<&0 </dev/null
cat <&3 >/dev/null 2>&1 & # takes the agent's event: one left unread can count as a failed hook, and that as yes
exec 3<&-
[ $# -ge 2 ] || no "wrong usage of gate.sh" "sh gate.sh SERVER COMMAND [ARG]..."
{ here=$(cd "$(dirname "$0")" && pwd) && cd "$here/.."; } || no "no way to the folder of gate.sh" "sh gate.sh"
server=$1 file=${here##*/}/$1.jsonl
shift
# What the server prints is for a person, never for the model. The wait must end before the agent's own: a hook that is
# cut off lets the call pass.
PINPROOF_TIMEOUT=${PINPROOF_TIMEOUT:-20} sh "$here/capture.sh" "$file" -- "$@" >/dev/null 2>&1 ||
	no "the tools of server $server could not be listed" "sh ${here##*/}/capture.sh $file -- COMMAND"
pinproof verify --hook --server "$server" "$file" || exit 2
