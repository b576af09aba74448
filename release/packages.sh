#!/bin/sh
# Packages for Debian's and Red Hat's families, by nfpm.
# shellcheck source=release/project.sh
. "$(dirname "$0")/project.sh"
nfpm=github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.45.2

GOBIN=$stage go install "$nfpm"
for platform in $platforms; do
	[ "${platform%/*}" = linux ] || continue
	from=$stage/$(folder "$platform")
	for format in deb rpm; do
		zsh=/usr/share/zsh/site-functions
		[ "$format" = rpm ] || zsh=/usr/share/zsh/vendor-completions
		cat >"$stage/nfpm.yaml" <<-YAML
			name: pinproof
			arch: ${platform#*/}
			platform: linux
			version: v$version
			version_schema: semver
			maintainer: $maintainer
			description: |
			  $summary
			  $description
			homepage: $homepage
			license: $licence
			section: utils
			mtime: "1980-01-01T00:00:00Z"
			rpm:
			  buildhost: localhost
			contents:
			  - {src: "$from/pinproof", dst: /usr/bin/pinproof, file_info: {mode: 0755}}
			  - {src: "$from/pinproof-capture", dst: /usr/bin/pinproof-capture, file_info: {mode: 0755}}
			  - {src: "$from/LICENSE", dst: /usr/share/doc/pinproof/copyright, file_info: {mode: 0644}}
			  - {src: "$from/LICENSES.txt", dst: /usr/share/doc/pinproof/LICENSES.txt, file_info: {mode: 0644}}
			  - {src: "$from/sbom/pinproof.cdx.json", dst: /usr/share/doc/pinproof/sbom/pinproof.cdx.json, file_info: {mode: 0644}}
			  - {src: "$from/sbom/pinproof-capture.cdx.json", dst: /usr/share/doc/pinproof/sbom/pinproof-capture.cdx.json, file_info: {mode: 0644}}
			  - {src: "$from/completions/pinproof.bash", dst: /usr/share/bash-completion/completions/pinproof, file_info: {mode: 0644}}
			  - {src: "$from/completions/_pinproof", dst: $zsh/_pinproof, file_info: {mode: 0644}}
			  - {src: "$from/completions/pinproof.fish", dst: /usr/share/fish/vendor_completions.d/pinproof.fish, file_info: {mode: 0644}}
		YAML
		SOURCE_DATE_EPOCH=$epoch "$stage/nfpm" package --config "$stage/nfpm.yaml" --packager "$format" \
			--target "$dist/pinproof_${platform#*/}.$format" >/dev/null
	done
done
