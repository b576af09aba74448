#!/bin/sh
# Smokes of the Windows programs under wine (8.0). Not a part of .ci/run: wine and what it needs are large packages.
# Needs wine, go, and mingw-w64's gcc (x86_64-w64-mingw32-gcc) for a library that programs of Go 1.26 load and wine 8 lacks.
# shellcheck source=ci/lib.sh
. "$(dirname "$0")/../lib.sh"
repo=$(cd "$(dirname "$0")/../.." && pwd)
export WINEPREFIX="$work/wine" WINEDEBUG=-all GOOS=windows GOARCH=amd64 CGO_ENABLED=0
mkdir "$work/bin" "$work/project dir" "$work/server"
wineboot --init >/dev/null 2>&1
cat >"$work/stub.c" <<'C'
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T length) { return SystemFunction036(data, (ULONG)length); }
C
x86_64-w64-mingw32-gcc -shared -o "$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll" "$work/stub.c" -ladvapi32
(cd "$repo" && go build -trimpath -o "$work/bin/" . ./pinproof-capture)

# A server that leaves a child behind, which keeps its standard output.
cat >"$work/server/go.mod" <<'MOD'
module server

go 1.26
MOD
cat >"$work/server/main.go" <<'GO'
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

func main() {
	if os.Args[1] == "sleep" {
		time.Sleep(time.Hour)
	}
	if os.Args[1] == "leaves" {
		child := exec.Command(os.Args[0], "sleep")
		child.Stdout = os.Stdout
		child.Start()
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		json.Unmarshal(in.Bytes(), &m)
		result := `{"tools":[{"name":"t","description":` + string(must(json.Marshal(strings.Join(os.Args[1:], "|")))) + `,"inputSchema":{"type":"object"}}]}`
		if m.Method == "initialize" {
			result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`
		}
		if m.ID != nil {
			fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n", m.ID, result)
		}
	}
}

func must(data []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return data
}
GO
(cd "$work/server" && GOWORK=off go build -o "$work/bin/server.exe" .)
# shellcheck disable=SC2016 # a variable of cmd
printf '@"%%~dp0server.exe" %%*\r\n' >"$work/bin/batch.cmd"
cd "$work/project dir"
windows() { # CODE WHAT PROGRAM...: a program under wine
	code=$1 what=$2 got=0
	shift 2
	timeout 60 wine "$@" >"$work/out" 2>&1 || got=$?
	is "$what: exit $got" test "$got" = "$code"
}
capture=$work/bin/pinproof-capture.exe
windows 0 "a child that keeps the standard output doesn't hold the capture" "$capture" save a.jsonl -- "$work/bin/server.exe" leaves
sleep 1
is "no child escapes the job" test -z "$(pgrep -f 'server.exe sleep' || true)"
windows 0 "words of a batch file are passed whole" "$capture" save b.jsonl -- "$work/bin/batch.cmd" 'a&b' 'c d'
is "as they are" grep -q 'a\\u0026b|c d' b.jsonl
windows 2 "what cmd would fill in is refused" "$capture" save c.jsonl -- "$work/bin/batch.cmd" '%PATH%'
windows 0 "lock" "$work/bin/pinproof.exe" lock a.jsonl --server files
windows 0 "verify" "$work/bin/pinproof.exe" verify a.jsonl
printf '\357\273\277' | cat - tools.lock >marked.lock
windows 0 "a lockfile with a byte order mark" "$work/bin/pinproof.exe" verify a.jsonl marked.lock

# As clients on Windows start a server, with the programs where npm puts them.
cat >.mcp.json <<'JSON'
{
  "mcpServers": {
    "files": {"command": "cmd", "args": ["/c", "npx", "--no", "--", "mcp-server-files"]}
  }
}
JSON
cp .mcp.json before.json
mkdir -p node_modules/pinproof/bin node_modules/.bin
cp "$work/bin/pinproof.exe" "$work/bin/pinproof-capture.exe" node_modules/pinproof/bin/
cp "$work/bin/batch.cmd" node_modules/.bin/pinproof-capture.cmd
installed=node_modules/pinproof/bin/pinproof-capture.exe
windows 0 "wrap" "$installed" wrap .mcp.json --yes
is "what clients on Windows start" grep -q '"files": {"command": "cmd", "args": \["/c","npx","--no","--","pinproof-capture","guard","files","--","cmd","/c", "npx", "--no", "--", "mcp-server-files"\]}' .mcp.json
windows 0 "wrap knows it again" "$installed" wrap .mcp.json --yes
windows 0 "unwrap" "$installed" unwrap .mcp.json --yes
is "as before" cmp before.json .mcp.json

# The refusal names a command that cmd runs as it stands, from another folder.
said() { # the sessions of a client that asks for the list
	printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}' '{"jsonrpc":"2.0","id":2,"method":"tools/list"}'
	sleep 5
}
code=0
said | timeout 60 wine "$capture" guard files -- "$work/bin/server.exe" otherwise >"$work/out" 2>"$work/err" || code=$?
is "the guard refuses: exit $code" test "$code" = 2
is "the client is told" grep -q '"id":2,"error":{"code":-32090,"message":"pinproof: blocked: the tools of server files ' "$work/out"
sed -n 's/^review:  //p' "$work/err" | tr -d '\r' | sed 's/relock/diff/' >"$work/line"
is "a path below AppData" grep -q 'AppData.Local.pinproof.refused' "$work/line"
{ printf '@set PATH=%%PATH%%;%s\r\n@cd /d C:\\\r\n@' "$(winepath -w "$work/bin" 2>/dev/null)" && cat "$work/line" && printf '\r\n@exit /b %%ERRORLEVEL%%\r\n'; } >"$work/paste.cmd"
windows 1 "its command, pasted into cmd" cmd /c "$(winepath -w "$work/paste.cmd" 2>/dev/null)"
is "shows the change" grep -q 'CHANGED t' "$work/out"

# A reader that holds the file open: the writer tries again, and then says that nothing was written.
cat >"$work/holds.c" <<'C'
#include <windows.h>
#include <stdlib.h>
int main(int n, char **args) {
	HANDLE h = CreateFileA(args[1], GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, 0, NULL);
	Sleep(atoi(args[2]));
	return h == INVALID_HANDLE_VALUE;
}
C
x86_64-w64-mingw32-gcc -o "$work/bin/holds.exe" "$work/holds.c"
windows 0 "another list" "$capture" save other.jsonl -- "$work/bin/server.exe" otherwise
cp tools.lock kept.lock
wine "$work/bin/holds.exe" tools.lock 20000 &
sleep 3
windows 2 "a file that is held open" "$work/bin/pinproof.exe" relock other.jsonl --server files --accept-all
is "says that nothing was written, and not that it was" test "$(grep -c PINNED "$work/out")$(grep -c 'nothing was written' "$work/out")" = 01
is "and nothing was" cmp tools.lock kept.lock
wait
wine "$work/bin/holds.exe" tools.lock 1500 &
sleep 1
windows 0 "a file that is held for a moment" "$work/bin/pinproof.exe" relock other.jsonl --server files --accept-all
wait
wineserver -k # which has files of the prefix open
wineserver -w
finish
