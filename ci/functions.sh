#!/bin/sh
# How many functions of the program a run enters: sh ci/functions.sh
# A match explains nothing, and what flags accept by name is neither compared nor shown.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
GOWORK=off go build -cover -coverpkg=./... -o "$work/pinproof" .
cd "$work"
mkdir new
cat >old.json <<'END'
{"tools":[{"name":"read_file","description":"Reads a file.","inputSchema":{"type":"object","properties":{"path":{"type":"string"}}}},{"name":"list_dir","description":"Lists a folder.","inputSchema":{"type":"object"}},{"name":"stat","description":"Returns the size.","inputSchema":{"type":"object"}}]}
END
sed 's/Reads a file/Reads one file/' old.json >changed.json
cp old.json new/one.json
sed 's/read_file/write_file/; s/list_dir/make_dir/; s/"stat"/"touch"/; s/Reads/Writes/' old.json >new/two.json
mkdir ignored
GOCOVERDIR=ignored ./pinproof lock old.json tools.lock --server s --yes >lock.txt

failed=
entered() { # BOUND ARGUMENT...: what a run of pinproof enters, at most BOUND functions
	bound=$1
	shift
	rm -rf covered
	mkdir covered
	GOCOVERDIR=covered ./pinproof "$@" >out.txt
	n=$(go tool covdata func -i covered | grep '^pinproof/' | grep -vc '[[:space:]]0\.0%$')
	echo "$n functions, at most $bound: pinproof $*"
	[ "$n" -le "$bound" ] || failed=yes
}
entered 230 verify old.json tools.lock --server s
entered 430 relock changed.json tools.lock --server s --accept read_file
entered 430 lock new new.lock --yes
[ -z "$failed" ]
