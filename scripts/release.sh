#!/usr/bin/env bash
# Makes all files of a release of the commit that is checked out (docs/start/install.md):
#
#   scripts/release.sh [--key KEY] FOLDER [OPTION…]
#
#   pathmend-VERSION-linux.tar.gz                the offline bundle, which npm installs, too
#   pathmend_VERSION_all.deb                     its files as a package for Debian
#   pathmend-VERSION-image-ARCHITECTURE.tar.gz   the image for one processor type; left out where no Docker Engine answers
#   pathmend-VERSION-sbom.json                   the packages inside, as CycloneDX
#   SHA256SUMS, SHA256SUMS.sig                   checksums of these, and with --key their signature
#
# KEY     the releaser's private key for `ssh-keygen -Y sign`
# OPTION  of `docker build`, such as `--platform linux/arm64`
# Needs what bundle.sh needs. The image's bytes differ from build to build, those of the other files do not.
set -euo pipefail
exec </dev/null
umask 022
usage() { echo 'usage: scripts/release.sh [--key KEY] FOLDER [OPTION…]' >&2; exit 2; }

key=''
if [[ ${1:-} == --key ]]; then
  [[ $# -gt 2 && -r $2 ]] || usage
  key=$(realpath -- "$2")
  shift 2
fi
[[ $# -gt 0 && $1 != -* ]] || usage
mkdir -p -- "$1"
out=$(realpath -- "$1")
shift
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

made=$(scripts/bundle.sh "$out")
mapfile -t files <<<"$made"
bundle=${files[0]}
sbom=${bundle%-linux.tar.gz}-sbom.json
tar --extract --file "$bundle" --to-stdout "$(basename -- "$bundle" -linux.tar.gz)/sbom.json" >"$sbom"
files+=("$sbom")

if docker version >/dev/null 2>&1; then
  context=$(mktemp -d)
  trap 'rm -rf -- "$context"' EXIT
  git archive HEAD | tar --extract --directory="$context"
  commit=$(git rev-parse HEAD)
  image=$(scripts/image.sh "$context" "$commit" "$out" "$@")
  files+=("$image")
else
  echo 'release: no Docker Engine answers here, so the image is left out' >&2
fi

cd -- "$out"
# Images of other processor types are of runs before.
version=${bundle##*/pathmend-}
version=${version%-linux.tar.gz}
for image in pathmend-"$version"-image-*.tar.gz; do
  if [[ -f $image && " ${files[*]##*/} " != *" $image "* ]]; then files+=("$out/$image"); fi
done
sha256sum -- "${files[@]##*/}" >SHA256SUMS
rm -f -- SHA256SUMS.sig
[[ -z $key ]] || ssh-keygen -q -Y sign -n pathmend -f "$key" SHA256SUMS >&2
printf '%s\n' "${files[@]}" "$out"/SHA256SUMS*
