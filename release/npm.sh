#!/bin/sh
# The packages for npm: pinproof, whose two commands start the programs, and one package a platform with the programs
# themselves. npm installs the one whose os and cpu fit. No package has a script that runs at install, and none fetches anything.
# shellcheck source=release/project.sh
. "$(dirname "$0")/project.sh"

package() { # NAME DESCRIPTION FIELDS: package.json on standard output
	cat <<-JSON
		{
		  "name": "$1",
		  "version": "$version",
		  "description": "$2",
		  "license": "$licence",
		  "homepage": "$homepage",
		  "repository": {
		    "type": "git",
		    "url": "git+$homepage.git"
		  },
		$3
		}
	JSON
}

optional=
for platform in $platforms; do
	# as Node's process.platform and process.arch call them
	case $platform in
	windows/*) os=win32 ;;
	*) os=${platform%/*} ;;
	esac
	case $platform in
	*/amd64) cpu=x64 ;;
	*) cpu=${platform#*/} ;;
	esac
	from=$stage/$(folder "$platform")
	to=$stage/npm/$os-$cpu/package
	mkdir -p "$to/bin"
	for program in $programs; do cp "$from/$program$(exe "$platform")" "$to/bin/"; done
	cp -R "$from/LICENSE" "$from/LICENSES.txt" "$from/sbom" "$to/"
	# preferUnplugged: a program can't be started out of the archive that Yarn keeps a package in.
	package "@pinproof/$os-$cpu" "The programs of pinproof for $os on $cpu" \
		"$(printf '  "os": ["%s"],\n  "cpu": ["%s"],\n  "preferUnplugged": true' "$os" "$cpu")" >"$to/package.json"
	echo "Install the package pinproof. This is a part of it." >"$to/README.md"
	pack "$dist/npm-$os-$cpu-$version.tgz" "$stage/npm/$os-$cpu"
	optional="$optional${optional:+,
}    \"@pinproof/$os-$cpu\": \"$version\""
done

to=$stage/npm/pinproof/package
mkdir -p "$to/bin"
cp LICENSE "$from/README.md" "$to/"
for program in $programs; do
	sed "s/PROGRAM/$program/" release/launch.js >"$to/bin/$program.js"
	chmod 755 "$to/bin/$program.js"
done
package pinproof "$summary" "$(printf '  "bin": {\n    "pinproof": "bin/pinproof.js",\n    "pinproof-capture": "bin/pinproof-capture.js"\n  },
  "engines": {\n    "node": ">=18"\n  },\n  "optionalDependencies": {\n%s\n  }' "$optional")" >"$to/package.json"
pack "$dist/npm-pinproof-$version.tgz" "$stage/npm/pinproof"
