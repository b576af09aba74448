#!/bin/sh
# Opens pages that pinproof wrote in Chromium: sh ci/check_html.sh PAGE...
# Fails if the browser builds an element that the page doesn't consist of, or says
# anything on its console: the policy of the page reports there what it stops.
set -eu
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
	echo "no chromium: pages not opened"
	exit 0
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for page in "$@"; do
	case $page in
	/*) ;;
	*) page=$PWD/$page ;;
	esac
	"$chromium" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
		--disable-component-update --disable-sync --user-data-dir="$work/profile" --enable-logging=stderr \
		--dump-dom "file://$page" >"$work/dom" 2>"$work/log"
	if ! grep -q '<h1>' "$work/dom" || ! grep -q ' – pinproof</title>' "$work/dom"; then
		echo "$page: no page of pinproof"
		exit 1
	fi
	if grep -oiE '<(script|img|iframe|object|embed|svg|math|form|base|link|template)[ >/]' "$work/dom"; then
		echo "$page: foreign elements"
		exit 1
	fi
	if grep CONSOLE "$work/log"; then
		echo "$page: the browser complains"
		exit 1
	fi
done
echo "$# pages opened"
