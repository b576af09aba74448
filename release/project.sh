# shellcheck shell=sh disable=SC2034 # what is set here is for the scripts
# What a release says of the project, in one place. Each script of this folder begins with: . "$(dirname "$0")/project.sh"
# release/release.sh starts it in the root of the checkout, and exports:
#     version     without the v: 1.2.3 or 1.2.3-rc.1
#     platforms   those to build, as OS/ARCH
#     dist        where the artifacts go
#     stage       a folder OS_ARCH for each platform: what every artifact of it holds
set -eu
version=${version:-} platforms=${platforms:-} dist=${dist:-} stage=${stage:-}
repository=OWNER/pinproof # whose releases they are; release.yml refuses to publish from elsewhere
homepage=https://github.com/$repository
summary="A lockfile for MCP tool definitions"
description="It pins everything an MCP server tells a model, and its exit code says whether that is still what you approved."
licence=MIT
maintainer="The pinproof authors <OWNER@users.noreply.github.com>"
programs="pinproof pinproof-capture"
every_platform="darwin/amd64 darwin/arm64 linux/amd64 linux/arm64 windows/amd64"
epoch=315532800 # 1980-01-01, the first day a zip knows: the time of every file
# What could change the bytes: another toolchain, settings of the machine, the folder, the state of git.
GOTOOLCHAIN=go$(sed -n 's/^go //p' go.mod)
export GOTOOLCHAIN GOENV=off GOFLAGS='' GOWORK=off GOEXPERIMENT='' GOFIPS140=off CGO_ENABLED=0 GOAMD64=v1 GOARM64=v8.0 LC_ALL=C
unset GOOS GOARCH

folder() { echo "$1" | tr / _; }                            # OS/ARCH -> the name of its folder and its files
exe() { case $1 in windows/*) echo .exe ;; esac; }          # OS/ARCH -> the ending of its programs
source_of() { [ "$1" = pinproof ] && echo . || echo "$1"; } # PROGRAM -> the folder it is built in
sums() { if command -v sha256sum >/dev/null; then sha256sum "$@"; else shasum -a 256 "$@"; fi; }
sum() { sums "$1" | cut -d ' ' -f 1; }
size() { wc -c <"$1" | tr -d ' '; }
# pack OUT FOLDER: an archive of all that is in FOLDER
pack() { go run release/archive.go "$1" "$2"; }
