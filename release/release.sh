#!/bin/sh
# Builds the release, the same bytes on every machine, and publishes nothing. Needs go.
#     sh release/release.sh VERSION [FOLDER [OS/ARCH]...]        VERSION: v1.2.3 or v1.2.3-rc.1, FOLDER: dist
# Each kind of artifact has a script in release/; release/project.sh says what they say of the project.
set -eu
cd "$(dirname "$0")/.."
# shellcheck source=release/project.sh
. release/project.sh
if ! echo "${1:-}" | grep -Eqx 'v[0-9]+[.][0-9]+[.][0-9]+(-rc[.][0-9]+)?'; then
	echo "usage: sh release/release.sh vX.Y.Z [FOLDER [OS/ARCH]...]" >&2
	exit 2
fi
version=${1#v}
dist=${2:-dist} platforms=$every_platform
if [ $# -gt 2 ]; then
	shift 2
	platforms=$*
fi
rm -rf "$dist"
mkdir -p "$dist"
dist=$(cd "$dist" && pwd)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
export version platforms dist stage
for part in programs stage archives npm wheels packages image recipes; do sh "release/$part.sh"; done
cd "$dist"
sums -- * >"$stage/SHA256SUMS"
mv "$stage/SHA256SUMS" SHA256SUMS
cat SHA256SUMS
