#!/bin/sh
# A wheel a platform: the programs are its scripts, and no Python stands between.
# shellcheck source=release/project.sh
. "$(dirname "$0")/project.sh"

python=$(echo "$version" | sed 's/-rc[.]/rc/') # PEP 440
for platform in $platforms; do
	case $platform in # static, so any C library will do; macOS 12 is the oldest that Go 1.26 runs on
	linux/amd64) tag=manylinux2014_x86_64.musllinux_1_1_x86_64 ;;
	linux/arm64) tag=manylinux2014_aarch64.musllinux_1_1_aarch64 ;;
	darwin/amd64) tag=macosx_12_0_x86_64 ;;
	darwin/arm64) tag=macosx_12_0_arm64 ;;
	windows/amd64) tag=win_amd64 ;;
	*) echo "no wheel's tag for $platform" >&2 && exit 1 ;;
	esac
	from=$stage/$(folder "$platform")
	to=$stage/wheels/$(folder "$platform")
	info=$to/pinproof-$python.dist-info
	mkdir -p "$to/pinproof-$python.data/scripts" "$info/licenses"
	for program in $programs; do cp "$from/$program$(exe "$platform")" "$to/pinproof-$python.data/scripts/"; done
	cp "$from/LICENSE" "$from/LICENSES.txt" "$info/licenses/"
	cp -R "$from/sbom" "$info/sboms" # PEP 770
	cat >"$info/METADATA" <<-TEXT
		Metadata-Version: 2.4
		Name: pinproof
		Version: $python
		Summary: $summary
		Project-URL: Homepage, $homepage
		License-Expression: $licence
		License-File: LICENSE
		License-File: LICENSES.txt
		Requires-Python: >=3.8
		Description-Content-Type: text/markdown

	TEXT
	cat "$from/README.md" >>"$info/METADATA"
	{
		printf 'Wheel-Version: 1.0\nGenerator: pinproof (%s)\nRoot-Is-Purelib: false\n' "$version"
		echo "$tag" | tr . '\n' | sed 's/^/Tag: py3-none-/'
	} >"$info/WHEEL"
	pack "$dist/pinproof-$python-py3-none-$tag.whl" "$to"
done
