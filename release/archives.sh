#!/bin/sh
# An archive a platform, and beside it the SBOMs for those who look for them there.
# shellcheck source=release/project.sh
. "$(dirname "$0")/project.sh"

for platform in $platforms; do
	name=$(folder "$platform")
	case $platform in
	windows/*) pack "$dist/pinproof_$name.zip" "$stage/$name" ;;
	*) pack "$dist/pinproof_$name.tar.gz" "$stage/$name" ;;
	esac
	for program in $programs; do cp "$stage/$name/sbom/$program.cdx.json" "$dist/${program}_$name.cdx.json"; done
done
