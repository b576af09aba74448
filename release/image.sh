#!/bin/sh
# An image in the OCI layout, as one tar file: the gate alone, static, without a shell, under a number that is no user's. It holds
# no pinproof-capture, for it could start no server there.
# shellcheck source=release/project.sh
. "$(dirname "$0")/project.sh"

layout=$stage/image
blobs=$layout/blobs/sha256
mkdir -p "$blobs"
blob() { # FILE: moves it among the blobs; prints its digest and size for a descriptor
	digest=$(sum "$1")
	printf '"digest": "sha256:%s", "size": %s' "$digest" "$(size "$1")"
	mv "$1" "$blobs/$digest"
}
manifests=
for platform in $platforms; do
	[ "${platform%/*}" = linux ] || continue
	mkdir -p "$stage/root"
	cp "$stage/$(folder "$platform")/pinproof" "$stage/$(folder "$platform")/LICENSE" "$stage/$(folder "$platform")/LICENSES.txt" "$stage/root/"
	pack "$stage/layer.tar" "$stage/root"
	pack "$stage/layer.tar.gz" "$stage/root"
	cat >"$stage/config.json" <<-JSON
		{
		  "architecture": "${platform#*/}", "os": "linux",
		  "config": {
		    "User": "65532:65532", "Entrypoint": ["/pinproof"], "WorkingDir": "/work",
		    "Labels": {
		      "org.opencontainers.image.title": "pinproof", "org.opencontainers.image.description": "$summary",
		      "org.opencontainers.image.version": "$version", "org.opencontainers.image.licenses": "$licence",
		      "org.opencontainers.image.source": "$homepage"
		    }
		  },
		  "rootfs": {"type": "layers", "diff_ids": ["sha256:$(sum "$stage/layer.tar")"]}
		}
	JSON
	cat >"$stage/manifest.json" <<-JSON
		{
		  "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
		  "config": {"mediaType": "application/vnd.oci.image.config.v1+json", $(blob "$stage/config.json")},
		  "layers": [{"mediaType": "application/vnd.oci.image.layer.v1.tar+gzip", $(blob "$stage/layer.tar.gz")}]
		}
	JSON
	manifests="$manifests${manifests:+, }{\"mediaType\": \"application/vnd.oci.image.manifest.v1+json\", $(blob "$stage/manifest.json"),
  \"platform\": {\"architecture\": \"${platform#*/}\", \"os\": \"linux\"}}"
done
[ -n "$manifests" ] || exit 0
index() { # MANIFESTS
	printf '{"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [%s]}\n' "$1"
}
# The layout's own index names one image: the index of the platforms.
index "$manifests" >"$stage/index.json"
whole=$(blob "$stage/index.json")
index "{\"mediaType\": \"application/vnd.oci.image.index.v1+json\", $whole, \"annotations\": {\"org.opencontainers.image.ref.name\": \"$version\"}}" \
	>"$layout/index.json"
echo '{"imageLayoutVersion": "1.0.0"}' >"$layout/oci-layout"
pack "$dist/pinproof_image.tar" "$layout"
