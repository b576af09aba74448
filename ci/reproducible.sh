#!/bin/sh
# Builds the release of this platform twice, the second time in another folder and under other settings, and the programs once more
# without any cache: the bytes must be the same. Needs go.
# shellcheck source=ci/lib.sh
. "$(dirname "$0")/lib.sh"
platform=$(go env GOHOSTOS)/$(go env GOHOSTARCH)
name=$(echo "$platform" | tr / _)
copy="$work/another place/copy"
copy_checkout "$copy"

sh "$repo/release/release.sh" v0.0.0-rc.1 "$work/first" "$platform" >/dev/null
(
	umask 077
	cd /
	TZ=Asia/Tokyo LANG=tr_TR.UTF-8 GOFLAGS=-race GOAMD64=v3 GOOS=plan9 sh "$copy/release/release.sh" v0.0.0-rc.1 "$work/second" "$platform" >/dev/null
)
cd "$work/first"
is "the same artifacts" test "$(ls)" = "$(ls ../second)"
is "the sums name them all" test "$(wc -l <SHA256SUMS)" = $(($(find . -type f | wc -l) - 1))
is "their sums are right" sha256sum --quiet -c SHA256SUMS
for artifact in *; do is "$artifact: the same bytes" cmp "$artifact" "../second/$artifact"; done

# The cache knows no folder, so without one the compiler runs in the other.
cd "$copy"
GOCACHE=$work/cache GOFLAGS=-race GOAMD64=v3 GOOS=plan9 version=0.0.0-rc.1 platforms=$platform stage=$work/third sh release/programs.sh
mkdir "$work/unpacked"
tar -xzf "$work/first/pinproof_$name.tar.gz" -C "$work/unpacked"
cd "$work/unpacked"
for program in pinproof pinproof-capture; do
	is "$program: the same bytes without a cache" cmp "$program" "$work/third/$name/$program"
	is "$program: no path of this machine in it" test "$(grep -c -a -F -e "$repo/" -e "$work/" -e "$(go env GOROOT)/" "$program")" = 0
	is "$program: it says its version" test "$("./$program" --version | grep -c -F v0.0.0-rc.1)" = 1
done
finish
