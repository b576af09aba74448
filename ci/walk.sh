#!/bin/sh
# The whole ways of docs/hooks.md and docs/upgrade.md, line by line as they stand there, in an empty folder, with the packages of this release for npm and
# a session of the official TypeScript client at each stage. Needs pinproof-capture on the path, go, node, npm, git.
# shellcheck source=ci/lib.sh
. "$(dirname "$0")/lib.sh"
page=$repo/docs/hooks.md server=filesystem
sh "$repo/release/release.sh" v0.0.0-rc.1 "$work/dist" "$(go env GOHOSTOS)/$(go env GOHOSTARCH)" >/dev/null
mkdir "$work/bin" "$work/home" "$work/project"

# npm gets this release where the page says pinproof.
cat >"$work/bin/npm" <<SH
#!/bin/sh
for word; do
	shift
	if [ "\$word" = pinproof ]; then set -- "\$@" "$work"/dist/npm-*.tgz; else set -- "\$@" "\$word"; fi
done
exec "$(command -v npm)" "\$@" --silent --no-audit --no-fund
SH
chmod +x "$work/bin/npm"
export PATH="$work/bin:$PATH" HOME="$work/home"
unset XDG_CACHE_HOME CLAUDE_PROJECT_DIR GEMINI_PROJECT_DIR
kept=$HOME/.cache/pinproof/refused

# The page's configuration is that behind the guard, so unwrap gives the one to begin with.
block() { awk -v kind="$1" '/^```/ { inside = $0 == "```" kind; next } inside' "$page"; } # KIND: the page's blocks of it
block json >"$work/guarded.json"
block sh >"$work/lines"
file=$(sed -n 's/.*diff .*refused\/\(.*[.]jsonl\) .*/\1/p' "$work/lines")
cd "$work/project"
git init -q
cp "$work/guarded.json" .mcp.json
pinproof-capture unwrap .mcp.json --yes >"$work/log"
is "the guard is taken away" grep -q '"args": \["--no", "--", "mcp-server-filesystem", "."\]' .mcp.json

session() { # CODE WHAT: a session with the server, as .mcp.json starts it
	code=0
	# shellcheck disable=SC2046 # words
	SERVER_STDERR=inherit timeout 60 node "$repo/ci/session.mjs" $(node -p '
		const { command, args } = JSON.parse(fs.readFileSync(".mcp.json")).mcpServers[process.argv[1]];
		[command, ...args].join(" ")' "$server") >"$work/out" 2>"$work/err" || code=$?
	is "a session $2: exit $code" test "$code" = "$1"
}
says() { # the page shows what the client and a person are told, but for the folders and the digests in the path of the file
	sed "s|$kept/[0-9a-f]*/$server-[0-9a-f]*.jsonl|/home/me/.cache/pinproof/refused/$file|g; s|$PWD|/home/me/app|g
		s/^.*\(pinproof: blocked: \)/\1/" "$work/err" | grep -E '^(pinproof: blocked|review): ' | sort >"$work/said"
	block '' | grep -Fxf "$work/said" | sort >"$work/log"
	is "three lines are said" test "$(wc -l <"$work/said")" = 3
	is "the page shows them" cmp "$work/said" "$work/log"
}

while read -r line; do
	code=0
	sh -u -c "$line" >"$work/out" 2>"$work/err" </dev/null || code=$?
	case $line in
	*'pinproof diff '*)
		is "$line: exit $code" test "$code" = 1
		is "the change is shown" grep -q 'CHANGED move_file' "$work/out"
		;;
	*) is "$line: exit $code" test "$code" = 0 ;;
	esac
	case $line in
	*' wrap '*)
		is "the page has what wrap writes" cmp .mcp.json "$work/guarded.json"
		session 0 "behind the guard"
		;;
	*server-filesystem@2026.7.4*)
		session 1 "that is refused"
		is "no tool reaches the client" test "$(grep -c move_file "$work/out")" = 0
		says
		mkdir -p "$kept/${file%/*}"
		mv "$kept"/*/filesystem-*.jsonl "$kept/$file"
		;;
	*' relock '*) session 0 "after the approval" ;;
	esac
done <"$work/lines"
is "8 lines" test "$(wc -l <"$work/lines")" = 8

# The same as the page says for today: the programs on the path, and the server alone from npm.
mkdir "$work/today" "$work/path"
tar xzf "$work"/dist/pinproof_*"$(go env GOHOSTOS)_$(go env GOHOSTARCH)".tar.gz -C "$work/path"
PATH=$(dirname "$(find "$work/path" -name pinproof-capture -type f)"):$PATH
cd "$work/today"
git init -q
sed 's/"--no","--","pinproof-capture","guard","filesystem","--","npx",//' "$work/guarded.json" >.mcp.json
session_of_today() { # CODE WHAT
	session "$1" "$2, with the programs on the path"
	review=$(sed -n 's/^review:  //p' "$work/err")
}
sed 's/npx --no -- \(pinproof\)/\1/; s/ pinproof @/ @/; /^pinproof diff/d; /^pinproof relock/d; /^git/d' "$work/lines" >"$work/lines-today"
while read -r line; do
	code=0
	sh -u -c "$line" >"$work/out" 2>"$work/err" </dev/null || code=$?
	is "$line: exit $code" test "$code" = 0
	case $line in
	*' wrap '*) session_of_today 0 "behind the guard" ;;
	esac
done <"$work/lines-today"
session_of_today 1 "that is refused"
is "the command is $review" test "${review#pinproof relock /}" != "$review"
is "it approves what it names" sh -c "cd / && $review --accept move_file"
session_of_today 0 "after the approval"

# An upgrade of all that a model reads, with one review.
page=$repo/docs/upgrade.md server=everything
mkdir "$work/upgrade"
cd "$work/upgrade"
git init -q
block json >.mcp.json
block '' | grep -E '^(npm|npx|git) ' >"$work/lines"
file=$(sed -n 's/.*diff .*refused\/\(.*[.]jsonl\) .*/\1/p' "$work/lines")
export CLAIMS_NOTHING=yes
while read -r line; do
	code=0
	sh -u -c "$line" >"$work/out" 2>"$work/err" </dev/null || code=$?
	wanted=0
	case $line in *'pinproof diff '*) wanted=1 ;; esac
	is "$line: exit $code" test "$code" = "$wanted"
	case $line in
	*' wrap '*) session 0 "behind the guard" ;;
	*server-everything@2026.8.31*)
		session 1 "that is refused"
		is "nothing of the upgrade reaches the client" test ! -s "$work/out"
		sed "s|$kept/[0-9a-f]*/$server-[0-9a-f]*.jsonl|/home/me/.cache/pinproof/refused/$file|g; s|$PWD|/home/me/app|g; s/^.*\(pinproof: blocked: the \)/\1/" "$work/err" |
			grep -F 'pinproof: blocked: the instructions' | sort -u >"$work/said"
		is "the page shows what the client is told" grep -qFxf "$work/said" "$page"
		is "one refusal is kept" test "$(find "$kept" -name 'everything-*.jsonl' | wc -l)" = 1
		mkdir -p "$kept/${file%/*}"
		mv "$kept"/*/everything-*.jsonl "$kept/$file"
		;;
	*' relock '*)
		is "all of it is approved at once" grep -qx 'PINNED 20 entries; DROPPED 14 pins -> tools.lock' "$work/out"
		is "one tool is denied" grep -q '^DENIED tool=get-env, ' "$work/out"
		export CALLS_UNLISTED=get-env
		session 0 "after the one review"
		is "no list has it" test "$(grep -c '"name":"get-env"' "$work/out")" = 0
		is "a call of it is answered by the guard" grep -q '"a call of get-env".*a person has denied this tool of server everything to agents' "$work/out"
		for new in '"what":"tools".*get-sum' '"what":"prompts".*args-prompt' '"what":"templates".*demo:' '"what":"get-sum".* 3'; do
			is "it has the new ones: $new" grep -q "$new" "$work/out"
		done
		;;
	esac
done <"$work/lines"
is "8 lines of the upgrade" test "$(wc -l <"$work/lines")" = 8
finish
