#!/bin/sh
# Five smokes of the Windows programs under wine. Not a part of .ci/run: wine and what it needs are 800 MB of packages.
# Needs wine, go, and for programs of Go 1.26 a bcryptprimitives.dll in wine, such as a stub built with mingw-w64:
#     STUB=bcryptprimitives.dll sh ci/windows.sh
# shellcheck source=ci/lib.sh
. "$(dirname "$0")/lib.sh"
export WINEPREFIX="$work/wine" WINEDEBUG=-all GOOS=windows GOARCH=amd64 CGO_ENABLED=0
mkdir "$work/bin" "$work/project dir" "$work/server"
wineboot --init >/dev/null 2>&1
[ -z "${STUB:-}" ] || cp "$STUB" "$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll"
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
is "as they are" grep -q 'a&b|c d' b.jsonl
windows 2 "what cmd would fill in is refused" "$capture" save c.jsonl -- "$work/bin/batch.cmd" '%PATH%'
windows 0 "lock, and a hint for both shells" "$work/bin/pinproof.exe" lock a.jsonl
finish
