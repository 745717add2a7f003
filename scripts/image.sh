#!/usr/bin/env bash
# Builds the image of a folder and saves it in FOLDER/pathmend-VERSION-image-ARCHITECTURE.tar.gz:
#
#   scripts/image.sh CONTEXT COMMIT FOLDER [OPTION…]
#
# CONTEXT  the checkout, or a copy of it
# COMMIT   what `pathmend --version` names in the image
# OPTION   of `docker build`
set -euo pipefail
[[ $# -ge 3 ]] || { echo 'usage: scripts/image.sh CONTEXT COMMIT FOLDER [OPTION…]' >&2; exit 2; }
context=$1 commit=$2 out=$3
shift 3
version=$(node -p 'JSON.parse(fs.readFileSync(process.argv[1])).version' "$context/package.json")
docker build --build-arg "PATHMEND_COMMIT=$commit" --tag "pathmend:$version" "$@" "$context" >&2
archive=$out/pathmend-$version-image-$(docker image inspect --format '{{.Architecture}}' "pathmend:$version").tar.gz
docker save "pathmend:$version" | gzip --no-name >"$archive.new"
mv -- "$archive.new" "$archive"
printf '%s\n' "$archive"
