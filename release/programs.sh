#!/bin/sh
# The programs themselves, linked statically.
# shellcheck source=release/project.sh
. "$(dirname "$0")/project.sh"

for platform in $platforms; do
	for program in $programs; do
		GOOS=${platform%/*} GOARCH=${platform#*/} go build -C "$(source_of "$program")" -trimpath -buildvcs=false \
			-ldflags "-s -w -buildid= -X main.release=v$version -X main.home=$homepage" -o "$stage/$(folder "$platform")/$program$(exe "$platform")" .
	done
done
