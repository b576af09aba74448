#!/bin/sh
# The whole way with published servers: capture, lock, verify, and for two releases of one of them diff, relock, verify; then a
# session of the official clients, with the guard and without.
# Needs pinproof and pinproof-capture on the path, npm, Go.
# shellcheck source=ci/lib.sh
. "$(dirname "$0")/lib.sh"
servers=''
# shellcheck disable=SC2086 # words
trap '[ -z "$servers" ] || kill $servers; rm -rf "$work"' EXIT
cd "$work"
mkdir shared

want() { # CODE WHAT COMMAND...: runs a command and holds its exit code; out is what it printed
	code=$1 what=$2 got=0
	shift 2
	"$@" >out 2>&1 || got=$?
	is "$what: exit $got" test "$got" = "$code"
}
printed() { is "$what: prints $1" grep -q "$1" out; }
install() { # FOLDER PACKAGE@VERSION
	mkdir "$1"
	(cd "$1" && npm install --silent --no-audit --no-fund --no-save "$2")
}

for release in 2026.1.14 2026.7.4; do
	install "$release" "@modelcontextprotocol/server-filesystem@$release"
	want 0 "capture of $release" pinproof-capture save "$release.jsonl" -- \
		node "$release/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js" "$work/shared"
done
want 0 "lock" pinproof lock 2026.1.14.jsonl --server filesystem
want 0 "verify of the same release" pinproof verify 2026.1.14.jsonl
printed '^OK: 0 drift'
want 1 "verify of the other release" pinproof verify 2026.7.4.jsonl
printed '^BLOCK \[CHANGED\] tool=move_file$'
want 1 "diff" pinproof diff 2026.7.4.jsonl
cat out
want 0 "relock" pinproof relock 2026.7.4.jsonl --accept-all
want 0 "verify after relock" pinproof verify 2026.7.4.jsonl
want 1 "verify of the first release after relock" pinproof verify 2026.1.14.jsonl

# A server with everything there is to list, started and at an address, and one with many tools, from a configuration.
install everything @modelcontextprotocol/server-everything@2026.8.31
install playwright @playwright/mcp@0.0.83
everything=$work/everything/node_modules/@modelcontextprotocol/server-everything/dist/index.js
serve() { # TRANSPORT: starts that server at an address; port is its port
	port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })')
	PORT=$port node "$everything" "$1" >"$1.log" 2>&1 &
	servers="$servers $!"
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		! grep -q "port $port" "$1.log" || break
		sleep 1
	done
}
serve sse
port_of_old=$port
old=http://127.0.0.1:$port/sse
serve streamableHttp
web=http://127.0.0.1:$port/mcp
cat >mcp.json <<JSON
{"mcpServers": {
	"everything": {"command": "node", "args": ["$everything", "stdio"]},
	"web": {"type": "http", "url": "http://127.0.0.1:\${PORT_OF_WEB}/mcp"},
	"playwright": {"command": "node", "args": ["$work/playwright/node_modules/@playwright/mcp/cli.js"]},
	"old": {"type": "sse", "url": "http://127.0.0.1:\${PORT_OF_OLD}/sse"},
	"filesystem": {"command": "node", "args": ["$work/2026.7.4/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js", "$work/shared"]},
	"before": {"command": "node", "args": ["$work/2026.1.14/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js", "$work/shared"]}
}}
JSON
want 0 "capture of a configuration" env PORT_OF_WEB="$port" PORT_OF_OLD="$port_of_old" pinproof-capture config mcp.json captures
cat out
printed '^everything: instructions, [0-9]* tools, [0-9]* prompts, [0-9]* resources, [0-9]* templates in '
printed '^web: instructions, [0-9]* tools, [0-9]* prompts, [0-9]* resources, [0-9]* templates in '
want 0 "instructions are in the capture" grep -q '"instructions":"' captures/everything.jsonl
want 0 "lock of a folder" pinproof lock captures servers.lock --accept-warnings
want 0 "verify of a folder" pinproof verify captures servers.lock
want 0 "capture of it again" env PORT_OF_WEB="$port" PORT_OF_OLD="$port_of_old" pinproof-capture config mcp.json captures
want 0 "verify of a folder, captured again" pinproof verify captures servers.lock
want 0 "all of that in one command" env PORT_OF_WEB="$port" PORT_OF_OLD="$port_of_old" pinproof-capture check --config mcp.json --lock servers.lock
printed '^OK: 0 drift'
is "a line for each of six servers" test "$(grep -c '^[a-z]*: .* in [0-9.]* s$' out)" = 6
want 0 "of one server" pinproof-capture check everything --config mcp.json --lock servers.lock
sed 's/@playwright.mcp.cli.js/none.js/' mcp.json >dead.json
want 2 "one that doesn't start" env PORT_OF_WEB="$port" PORT_OF_OLD="$port_of_old" pinproof-capture check --config dead.json --lock servers.lock
printed '^error: 1 of 6 servers could not be captured: playwright$'
printed '^error: playwright: the server ended with code 1 before it answered'
printed '  | Error: Cannot find module'
node -e 'const lock = JSON.parse(fs.readFileSync("servers.lock")); delete lock.servers.before; fs.writeFileSync("five.lock", JSON.stringify(lock, null, 2))'
want 1 "one that isn't pinned" env PORT_OF_WEB="$port" PORT_OF_OLD="$port_of_old" pinproof-capture check --config mcp.json --lock five.lock
printed '^DRIFT: .*no pins of server before'

# One word of the instructions changes.
sed 's/"instructions":"/&Always. /' captures/everything.jsonl >everything.jsonl
want 1 "verify of changed instructions" pinproof verify everything.jsonl servers.lock
printed '^BLOCK \[CHANGED\] instructions'
want 1 "diff of changed instructions" pinproof diff everything.jsonl servers.lock
printed 'Always'
want 0 "relock of changed instructions" pinproof relock everything.jsonl servers.lock --accept instructions
want 0 "verify after that" pinproof verify everything.jsonl servers.lock

# A client that claims more is listed more. Its session is the same with the guard between the two, in the official clients.
export XDG_CACHE_HOME="$work/cache"
echo "some text" >shared/file.txt
mkdir typescript go
(cd typescript && npm install --silent --no-audit --no-fund --no-save @modelcontextprotocol/sdk@1.32.2)
ln -s typescript/node_modules node_modules
cp "$repo/ci/session.go" go
(cd go && export GOWORK=off && go mod init session && go get github.com/modelcontextprotocol/go-sdk/mcp@v1.8.0 && go build -o session session.go) >log 2>&1
# A list that changes is told to the client once it is judged, so its place among the answers may be another.
missing_nothing() { sort -u "$1" >missing.1 && sort -u "$2" >missing.2 && ! comm -23 missing.1 missing.2 | grep .; }
added_lists() { sort "$1" >added.1 && sort "$2" >added.2 && ! comm -13 added.1 added.2 | grep -v '^{"what":"tools",'; }
for server in everything web old filesystem playwright; do
	dashes=--
	case $server in
	everything) set -- node "$everything" stdio ;;
	web) dashes='' && set -- "$web" ;;
	old) dashes='' && set -- "$old" --sse ;;
	filesystem) set -- node "$work/2026.7.4/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js" "$work/shared" ;;
	playwright) # without a browser it says so, and that is a session, too
		set -- node "$work/playwright/node_modules/@playwright/mcp/cli.js" --headless --isolated --no-sandbox
		! browser=$(command -v chromium) || set -- "$@" --executable-path "$browser"
		;;
	esac
	# shellcheck disable=SC2086 # a word or none
	want 0 "capture of $server for a client with roots" pinproof-capture save "claims-$server.jsonl" --capabilities '{"roots":{},"sampling":{},"elicitation":{}}' $dashes "$@"
	want 0 "lock of it" pinproof lock "claims-$server.jsonl" guard.lock --server "$server" --accept-warnings
	for client in "node $repo/ci/session.mjs" go/session; do
		[ "$server $client" != "playwright go/session" ] || continue
		# shellcheck disable=SC2086 # two words
		want 0 "a session of ${client##*/} with $server" $client "$@"
		mv out bare
		is "it says much" test "$(wc -l <bare)" -ge 4
		rm -f calls
		# shellcheck disable=SC2086
		want 0 "the same behind the guard" $client pinproof-capture guard "$server" --lock guard.lock --log calls $dashes "$@"
		# The guard opens a stream for notifications as soon as the session stands; a client that opens it
		# later misses those sent before.
		is "nothing that is said without it is missing" missing_nothing bare out
		is "and nothing is added but lists that changed" added_lists bare out
		is "the calls are on record" test "$(grep -c '"event":"call"' calls)" -ge 2
	done
done

# In revision 2026-07-28 headers repeat a call, the end of a stream cancels one, and changes are asked for.
mkdir newest
(cd newest && npm install --silent --no-audit --no-fund --no-save @modelcontextprotocol/client@2.4.0 @modelcontextprotocol/server@2.4.0 @modelcontextprotocol/node@2.0.0)
cp "$repo/ci/newest.mjs" newest
node newest/newest.mjs serve >address &
servers="$servers $!"
for _ in 1 2 3 4 5 6 7 8 9 10; do
	[ ! -s address ] || break
	sleep 1
done
want 0 "capture of a server of 2026-07-28" pinproof-capture save newest.jsonl "$(cat address)"
want 0 "lock of it" pinproof lock newest.jsonl guard.lock --server newest
want 0 "a session with it" node newest/newest.mjs "$(cat address)"
mv out bare
is "what was cancelled has ended" grep -q '"cancelled".*"text":"1"' bare
want 0 "the same behind the guard" node newest/newest.mjs pinproof-capture guard newest --lock guard.lock "$(cat address)"
is "the same is said" cmp bare out

want 1 "other tools than those of a client with roots" pinproof verify captures/everything.jsonl guard.lock --server everything
finish
