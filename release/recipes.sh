#!/bin/sh
# What other installers need: a Homebrew formula, and the lines for mise and aqua, with the checksums of the archives.
# shellcheck source=release/project.sh
. "$(dirname "$0")/project.sh"
releases=$homepage/releases/download/v$version
archive() { for file in "$dist/pinproof_$(folder "$1").tar.gz" "$dist/pinproof_$(folder "$1").zip"; do [ ! -f "$file" ] || basename "$file"; done; }

brew() { # OS/ARCH BREW-ARCH
	[ -n "$(archive "$1")" ] || return 0
	cat <<-RUBY
		    on_$2 do
		      url "$releases/$(archive "$1")"
		      sha256 "$(sum "$dist/$(archive "$1")")"
		    end
	RUBY
}
cat >"$dist/pinproof.rb" <<RUBY
class Pinproof < Formula
  desc "$summary"
  homepage "$homepage"
  version "$version"
  license "$licence"

  on_macos do
$(brew darwin/amd64 intel)
$(brew darwin/arm64 arm)
  end

  on_linux do
$(brew linux/amd64 intel)
$(brew linux/arm64 arm)
  end

  def install
    bin.install "pinproof", "pinproof-capture"
    bash_completion.install "completions/pinproof.bash" => "pinproof"
    zsh_completion.install "completions/_pinproof"
    fish_completion.install "completions/pinproof.fish"
  end

  test do
    assert_match "pinproof", shell_output("#{bin}/pinproof --version")
  end
end
RUBY

{
	printf '[tools."http:pinproof"]\nversion = "%s"\n\n[tools."http:pinproof".platforms]\n' "$version"
	for platform in $platforms; do
		case $platform in
		darwin/amd64) name=macos-x64 ;;
		darwin/*) name=macos-${platform#*/} ;;
		*/amd64) name=${platform%/*}-x64 ;;
		*) name=$(echo "$platform" | tr / -) ;;
		esac
		printf '%s = { url = "%s", checksum = "sha256:%s" }\n' "$name" "$releases/$(archive "$platform")" "$(sum "$dist/$(archive "$platform")")"
	done
} >"$dist/mise.toml"

cat >"$dist/aqua.yaml" <<YAML
checksum:
  enabled: true
  require_checksum: true
registries:
  - name: local
    type: local
    path: aqua-registry.yaml
packages:
  - name: $repository@v$version
    registry: local
YAML
cat >"$dist/aqua-registry.yaml" <<YAML
packages:
  - type: github_release
    repo_owner: ${repository%/*}
    repo_name: ${repository#*/}
    description: $summary
    asset: pinproof_{{.OS}}_{{.Arch}}.tar.gz
    overrides:
      - goos: windows
        asset: pinproof_{{.OS}}_{{.Arch}}.zip
    files:
      - name: pinproof
      - name: pinproof-capture
    checksum:
      type: github_release
      asset: SHA256SUMS
      algorithm: sha256
YAML
{
	printf '{\n  "checksums": ['
	comma=
	for platform in $platforms; do
		printf '%s\n    {\n      "id": "github_release/github.com/%s/v%s/%s",\n      "checksum": "%s",\n      "algorithm": "sha256"\n    }' \
			"$comma" "$repository" "$version" "$(archive "$platform")" "$(sum "$dist/$(archive "$platform")" | tr a-f A-F)"
		comma=,
	done
	printf '\n  ]\n}\n'
} >"$dist/aqua-checksums.json"
