#!/bin/sh
# Builds a snapshot of the release and installs it as a stranger would: in empty folders, offline, with no go on the path. Each way
# has to give the verdicts of the README's example. What is for another platform is held against its format. Needs linux, root, go,
# node, npm, python3 with venv, dpkg, rpm, skopeo, unzip.
# shellcheck source=ci/lib.sh
. "$(dirname "$0")/lib.sh"
dist=$work/dist
sh "$repo/release/release.sh" v0.0.0-rc.1 "$dist" >/dev/null
arch=$(go env GOHOSTARCH)
cpu=$(node -p process.arch)
python=$(python3 -c 'import sys; print(sys.executable)')

mkdir "$work/path" "$work/home"
for tool in sh env node npm npx dpkg rpm tar gzip unzip chroot rm cp cat mkdir ls sed; do ln -s "$(command -v $tool)" "$work/path/"; done
ln -s "$python" "$work/path/python3"
# dpkg wants the folders of the system's own tools, so they come last, if go isn't there.
PATH=$work/path:/usr/sbin:/usr/bin:/sbin:/bin
HOME=$work/home
export PATH HOME npm_config_offline=true npm_config_audit=false npm_config_fund=false npm_config_update_notifier=false \
	PIP_NO_INDEX=1 PIP_DISABLE_PIP_VERSION_CHECK=1
is "a stranger's machine: no go, no pinproof" test -z "$(command -v go gofmt pinproof pinproof-capture)"

quietly() { "$@" >"$work/log" 2>&1; }
place() { # NAME: an empty folder with the README's example
	rm -rf "${work:?}/$1"
	mkdir -p "$work/$1"
	cd "$work/$1"
	cp "$repo/testdata/filesystem.jsonl" "$repo/testdata/upgraded.jsonl" "$repo/testdata/tools.lock" .
	head -c 300 filesystem.jsonl >broken.jsonl
}
verdict() { # FILE CODE WHAT COMMAND...
	file=$1 want=$2 what=$3 got=0
	shift 3
	"$@" verify "$file" tools.lock >"$work/out" 2>"$work/err" || got=$?
	is "$what, $file: exit $got" test "$got" = "$want"
}
verdicts() { # WHAT COMMAND...: COMMAND is pinproof
	verdict filesystem.jsonl 0 "$@"
	verdict upgraded.jsonl 1 "$@"
	verdict broken.jsonl 2 "$@"
}
captures() { # WHAT COMMAND...: COMMAND is pinproof-capture
	what=$1
	shift
	cat >server.sh <<-'SH'
		while read -r line; do
			id=$(printf '%s\n' "$line" | sed -n 's/.*"id":\([0-9]*\),.*/\1/p')
			case $line in
			*'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{}}\n' "$id" ;;
			*'"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"read_file","inputSchema":{"type":"object"}}]}}\n' "$id" ;;
			esac
		done
	SH
	rm -f live.jsonl
	"$@" save live.jsonl -- sh server.sh >"$work/out" 2>"$work/err" || true
	is "$what: pinproof-capture captures" test -s live.jsonl
	got=0
	"$@" save live.jsonl -- sh -c 'exit 1' >"$work/out" 2>"$work/err" || got=$?
	is "$what: pinproof-capture of a dead server: exit $got" test "$got" = 2
}

echo "the archive"
place archive
tar -xzf "$dist/pinproof_linux_$arch.tar.gz"
verdicts archive ./pinproof
captures archive ./pinproof-capture
is "archive: licences, completions, SBOMs" test -s LICENSE -a -s LICENSES.txt -a -s completions/_pinproof -a -s sbom/pinproof-capture.cdx.json
# shellcheck disable=SC2016 # JavaScript
is "archive: the licences of all modules that are linked" test -z "$(
	for program in pinproof pinproof-capture; do node -e '
	const text = require("fs").readFileSync("LICENSES.txt", "utf8");
	for (const c of JSON.parse(require("fs").readFileSync(process.argv[1])).components)
		if (!["std", "pinproof"].includes(c.name) && !text.includes(`==== ${c.name}@${c.version}\n`)) console.log(c.name);' "sbom/$program.cdx.json"; done
)"
is "archive: bash reads its completion" bash -n completions/pinproof.bash

echo "npm"
place npm
npm install --silent "$dist/npm-pinproof-0.0.0-rc.1.tgz" "$dist/npm-linux-$cpu-0.0.0-rc.1.tgz" >"$work/log" 2>&1 || true
verdicts npm npx --no -- pinproof
captures npm npx --no -- pinproof-capture
is "npm: one platform" test "$(ls node_modules/@pinproof)" = "linux-$cpu"
is "npm: no script runs at install" test "$(cat node_modules/pinproof/package.json node_modules/@pinproof/*/package.json | grep -c '"scripts"')" = 0
got=0
node_modules/.bin/pinproof verify - tools.lock <upgraded.jsonl >"$work/out" 2>"$work/err" || got=$?
is "npm: standard input reaches it" test "$got" = 1 -a -s "$work/out"
echo "npm: the launcher, with a stand-in for the program"
program=node_modules/@pinproof/linux-$cpu/bin/pinproof
mv "$program" pinproof
# shellcheck disable=SC2016 # a literal dollar
standin() { # CODE WHAT SCRIPT: the launcher's exit code, for this program
	{ echo '#!/bin/sh' && echo "$3"; } >"$program"
	chmod 755 "$program"
	got=0
	node_modules/.bin/pinproof 'a "b" $c' '' >"$work/out" 2>"$work/err" || got=$?
	is "npm: $2: exit $got" test "$got" = "$1"
}
# shellcheck disable=SC2016 # for the stand-in
{
	standin 7 "its code" 'exit 7'
	standin 137 "killed" 'kill -KILL $$'
	standin 143 "terminated" 'kill -TERM $$'
	standin 0 "its arguments" '[ $# = 2 ] && [ "$1" = "a \"b\" \$c" ] && [ -z "$2" ]'
	standin 5 "a signal for the launcher is the program's" 'trap "exit 5" TERM; kill -TERM $PPID; sleep 10 & wait'
}
chmod 644 "$program"
got=0
node_modules/.bin/pinproof verify filesystem.jsonl >"$work/out" 2>"$work/err" || got=$?
is "npm: a program that doesn't start: exit $got" test "$got" = 2
mv pinproof "$program"
rm -r node_modules/@pinproof
got=0
node_modules/.bin/pinproof verify filesystem.jsonl >"$work/out" 2>"$work/err" || got=$?
is "npm: no package for the platform: exit $got" test "$got" = 2 -a "$(grep -c "@pinproof/linux-$cpu is not installed" "$work/err")" = 1

echo "PyPI"
place pypi
python3 -m venv venv
venv/bin/pip install --quiet --find-links "$dist" --pre pinproof >"$work/log" 2>&1 || true
verdicts pip venv/bin/pinproof
captures pip venv/bin/pinproof-capture
is "pip: the script is the program itself" cmp venv/bin/pinproof "$work/archive/pinproof"
is "pip: it lists the package" quietly venv/bin/pip show --files pinproof
is "pip: uninstalls it" venv/bin/pip uninstall --quiet --yes pinproof
is "pip: nothing is left" test ! -e venv/bin/pinproof

echo "dpkg"
place dpkg
mkdir -p root/var/lib/dpkg/info root/var/lib/dpkg/updates
touch root/var/lib/dpkg/status
dpkg --root=root --force-script-chrootless -i "$dist/pinproof_$arch.deb" >"$work/log" 2>&1 || true
verdicts dpkg root/usr/bin/pinproof
captures dpkg root/usr/bin/pinproof-capture
is "dpkg: its version sorts before the release" dpkg --compare-versions "$(dpkg-deb -f "$dist/pinproof_$arch.deb" Version)" lt 0.0.0
is "dpkg: completions" test -s root/usr/share/bash-completion/completions/pinproof

echo "rpm"
place rpm
is "rpm: its digests are right" quietly rpm -K --nosignature "$dist/pinproof_$arch.rpm"
mkdir root
rpm --root "$PWD/root" --initdb >"$work/log" 2>&1 || true
rpm --root "$PWD/root" --force-debian -i "$dist/pinproof_$arch.rpm" >"$work/log" 2>&1 || true
verdicts rpm root/usr/bin/pinproof

echo "the image"
place image
skopeo copy --quiet --override-os linux --override-arch "$arch" "oci-archive:$dist/pinproof_image.tar" dir:image >"$work/log" 2>&1 || true
is "image: skopeo takes it" test -s image/manifest.json
skopeo inspect --override-os linux --override-arch "$arch" --config "oci-archive:$dist/pinproof_image.tar" >config.json
is "image: a user without rights, and the gate for a command" node -e '
	const { config, architecture } = JSON.parse(require("fs").readFileSync("config.json"));
	if (config.User !== "65532:65532" || config.Entrypoint.join() !== "/pinproof" || architecture !== process.argv[1]) throw 1' "$arch"
mkdir root
for layer in $(node -p 'JSON.parse(require("fs").readFileSync("image/manifest.json")).layers.map((l) => l.digest.slice(7)).join("\n")'); do
	tar -xzf "image/$layer" -C root
done
is "image: the gate and the licences alone" test "$(echo root/*)" = "root/LICENSE root/LICENSES.txt root/pinproof"
cp ./*.jsonl tools.lock root/
chmod 755 . root "$work"
verdicts "image, as 65532 in a root of its own" chroot --userspec=65532:65532 root /pinproof
for other in amd64 arm64; do
	is "image: for $other" quietly skopeo inspect --override-os linux --override-arch "$other" "oci-archive:$dist/pinproof_image.tar"
done

echo "other platforms"
magic() { # FILE: the bytes that say for which system and processor a program is
	case $(od -An -tx1 -N4 "$1" | tr -d ' ') in
	7f454c46) echo "linux $(od -An -tx1 -j18 -N2 "$1" | tr -d ' ')" ;;
	cffaedfe) echo "darwin $(od -An -tx1 -j4 -N4 "$1" | tr -d ' ')" ;;
	4d5a*) echo windows ;;
	esac
}
for each in "linux_amd64 linux-x64 linux 3e00" "linux_arm64 linux-arm64 linux b700" "darwin_amd64 darwin-x64 darwin 07000001" \
	"darwin_arm64 darwin-arm64 darwin 0c000001" "windows_amd64 win32-x64 windows"; do
	# shellcheck disable=SC2086 # words
	set -- $each
	name=$1 npm=$2
	shift 2
	place other
	exe=
	if [ "$1" = windows ]; then
		exe=.exe
		unzip -q "$dist/pinproof_$name.zip"
	else
		tar -xzf "$dist/pinproof_$name.tar.gz"
	fi
	is "$name: programs for it" test "$(magic pinproof$exe) $(magic pinproof-capture$exe)" = "$* $*"
	tar -xzf "$dist/npm-$npm-0.0.0-rc.1.tgz"
	is "$name: npm has them, too" cmp "package/bin/pinproof$exe" pinproof$exe
	is "$name: npm installs them there alone" test "$(node -p 'const { os, cpu } = require("./package/package.json"); os + "-" + cpu')" = "$npm"
	if [ "$npm" != "linux-$cpu" ]; then
		got=0
		npm install --silent --no-save "$dist/npm-$npm-0.0.0-rc.1.tgz" >"$work/log" 2>&1 || got=$?
		is "$name: npm refuses them here" test "$got" != 0
	fi
done
for tag in manylinux2014_aarch64 musllinux_1_1_x86_64 macosx_12_0_x86_64 macosx_14_0_arm64 win_amd64; do
	is "pip takes the wheel for $tag" "$work/pypi/venv/bin/pip" download --quiet --find-links "$dist" --pre --no-deps --only-binary=:all: \
		--platform "$tag" --dest "$work/other" pinproof
done
for wheel in "$dist"/*.whl; do
	is "$(basename "$wheel"): its record is right" python3 - "$wheel" <<-'PY'
		import base64, csv, hashlib, sys, zipfile
		wheel = zipfile.ZipFile(sys.argv[1])
		[record] = [n for n in wheel.namelist() if n.endswith(".dist-info/RECORD")]
		rows = list(csv.reader(wheel.read(record).decode().splitlines()))
		assert sorted(r[0] for r in rows) == sorted(wheel.namelist())
		for name, digest, size in rows:
		    data = wheel.read(name)
		    is_own = name == record and not digest and not size
		    assert is_own or digest == "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=") and int(size) == len(data), name
		assert all(wheel.getinfo(n).external_attr >> 16 & 0o100 for n in wheel.namelist() if ".data/scripts/" in n)
	PY
done

echo "recipes and sums"
cd "$dist"
is "the sums are right" sha256sum --quiet -c SHA256SUMS
for recipe in pinproof.rb mise.toml aqua-checksums.json; do
	tr A-F a-f <$recipe | grep -Eo '[0-9a-f]{64}' | sort >"$work/named"
	[ "$recipe" != pinproof.rb ] || grep -v zip SHA256SUMS >"$work/sums" # Homebrew knows no Windows
	[ "$recipe" = pinproof.rb ] || cp SHA256SUMS "$work/sums"
	is "$recipe: the sums of the archives" test "$(cat "$work/named")" = "$(sed -n 's/  pinproof_[a-z0-9]*_[a-z0-9]*[.]\(tar[.]gz\|zip\)$//p' "$work/sums" | sort)"
done
is "mise.toml is TOML" python3 -c 'import sys
try:
    import tomllib
except ImportError:
    sys.exit()
tomllib.load(open("mise.toml", "rb"))'
is "aqua-checksums.json is JSON" node -e 'JSON.parse(require("fs").readFileSync("aqua-checksums.json"))'
for sbom in *.cdx.json; do
	is "$sbom: CycloneDX, without a time" node -e '
	const bom = JSON.parse(require("fs").readFileSync(process.argv[1]));
	if (bom.bomFormat !== "CycloneDX" || bom.metadata.component.version !== "v0.0.0-rc.1" || bom.metadata.timestamp || !bom.components.length || /devel|[.][.][/]/.test(JSON.stringify(bom))) throw 1' "$sbom"
done
finish
