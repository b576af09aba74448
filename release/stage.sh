#!/bin/sh
# What every artifact holds beside the programs: the licence and those of the modules linked, completions, an SBOM of each program.
# shellcheck source=release/project.sh
. "$(dirname "$0")/project.sh"

for platform in $platforms; do
	to=$stage/$(folder "$platform")
	mkdir -p "$to/completions" "$to/sbom"
	for program in $programs; do
		go tool -C release/sbom cyclonedx-gomod bin -json -noserial -std -version "v$version" \
			-output "$to/sbom/$program.cdx.json" "$to/$program$(exe "$platform")"
		# Without when it was made, and the digest of the tool as it was built here. Our own module has a name, not a folder.
		sed -e '1,/"component": {/{/"timestamp":/d;/"hashes": \[/,/^        \],/d;}' \
			-e "s|pkg:golang/[.][.]/*@(devel)|pkg:golang/pinproof@v$version|" \
			-e 's|"name": "[.][.]/*"|"name": "pinproof"|' -e "s|\"version\": \"(devel)\"|\"version\": \"v$version\"|" \
			"$to/sbom/$program.cdx.json" >"$stage/sbom"
		mv "$stage/sbom" "$to/sbom/$program.cdx.json"
	done
	cp LICENSE "$to/"
	# Its links, for a reader who has no checkout.
	sed "s|](\([^):#]*[.]md\)|]($homepage/blob/v$version/\1|g; s|](\([^):]*[.]svg\))|]($homepage/raw/v$version/\1)|" README.md >"$to/README.md"
done

# Their licences want to be handed on. The module pinproof is ours.
for platform in $every_platform; do
	for program in $programs; do
		GOOS=${platform%/*} GOARCH=${platform#*/} go list -C "$(source_of "$program")" -deps \
			-f '{{with .Module}}{{if not .Main}}{{.Path}}@{{.Version}} {{.Dir}}{{end}}{{end}}' .
	done
done >"$stage/linked"
{
	echo "What is linked into the programs, and its licences."
	{
		echo "Go $(go env GOROOT)"
		grep -v '^pinproof[@/]' "$stage/linked" | sort -u
	} | while read -r module where; do
		printf '\n==== %s\n' "$module"
		found=
		for text in "$where"/LICENSE* "$where"/COPYING* "$where"/NOTICE* "$where"/PATENTS*; do
			[ -f "$text" ] || continue
			found=yes
			echo
			cat "$text"
		done
		[ -n "$found" ] || { echo "no licence in $module" >&2 && exit 1; }
	done
} >"$stage/LICENSES.txt"

# The same for every platform, so those of this one.
go build -trimpath -buildvcs=false -o "$stage/pinproof" .
for shell in bash:pinproof.bash zsh:_pinproof fish:pinproof.fish powershell:pinproof.ps1; do
	"$stage/pinproof" completion "${shell%:*}" >"$stage/${shell#*:}"
done
for platform in $platforms; do
	to=$stage/$(folder "$platform")
	cp "$stage/LICENSES.txt" "$to/"
	cp "$stage/pinproof.bash" "$stage/_pinproof" "$stage/pinproof.fish" "$stage/pinproof.ps1" "$to/completions/"
done
