#!/usr/bin/env bash
# Makes the offline bundle of the commit that is checked out: the built service with its production packages for Linux on
# x64 and arm64, model, migrations, documents, units, compose files, manifests and SBOM, in one archive, which npm installs,
# too; and a package for Debian of the same files. An operator needs Node.js, PostgreSQL and nothing from a network
# (docs/start/install.md).
#
#   scripts/bundle.sh FOLDER
#
# Writes FOLDER/pathmend-VERSION-linux.tar.gz and FOLDER/pathmend_VERSION_all.deb. Two runs on one commit give the same bytes.
# Needs git, dpkg-deb, npm with a registry or a full cache, and `npm ci` done. npm holds each package to its hash in the lockfile.
set -euo pipefail
exec </dev/null
umask 022
die() { echo "bundle: $*" >&2; exit 1; }

[[ $# -eq 1 && $1 != -* ]] || { echo 'usage: scripts/bundle.sh FOLDER' >&2; exit 2; }
mkdir -p -- "$1"
out=$(realpath -- "$1")
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
root=$PWD
[[ -d $root/node_modules/esbuild ]] || die 'run npm ci first: the build needs the compiler'
commit=$(git rev-parse HEAD)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
[[ -z $(git status --porcelain --untracked-files=no) ]] || echo 'bundle: changes that are not committed are not in it' >&2

work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
version=$(git show HEAD:package.json | node -p 'JSON.parse(fs.readFileSync(0)).version')
name=pathmend-$version
tree=$work/$name
mkdir -- "$tree"
git archive HEAD | tar --extract --directory="$tree"
cd -- "$tree"

ln -s -- "$root/node_modules" node_modules
PATHMEND_COMMIT=$commit node scripts/build.js src
rm -- node_modules
npm ci --omit=dev --ignore-scripts --no-audit --no-fund --prefer-offline --loglevel=error >&2

# The same as in the Dockerfile.
sh scripts/slim.sh node_modules linux
find dist -type f -name '*.map' -delete
# A second package with machine code would come for this machine's processor alone.
native=$(find node_modules -name '*.node' | LC_ALL=C sort | xargs)
runtime=node_modules/onnxruntime-node/bin/napi-v6/linux
[[ $native == "$runtime/arm64/onnxruntime_binding.node $runtime/x64/onnxruntime_binding.node" ]] ||
  die "machine code that is not for both processors: $native"

# npm dates it and numbers it at random.
# shellcheck disable=SC2016 # JavaScript
npm run --silent sbom -- --package-lock-only | node -e '
  const sbom = JSON.parse(fs.readFileSync(0));
  const [commit, time] = process.argv.slice(1);
  sbom.serialNumber = `urn:uuid:${commit.slice(0, 8)}-${commit.slice(8, 12)}-5${commit.slice(13, 16)}-8${commit.slice(17, 20)}-${commit.slice(20, 32)}`;
  sbom.metadata.timestamp = new Date(time * 1000).toISOString();
  console.log(JSON.stringify(sbom, null, 2));' "$commit" "$SOURCE_DATE_EPOCH" >sbom.json
node scripts/bundled-packages.js

# What only developers need.
rm -rf -- .ci .github .dockerignore .editorconfig .gitignore .mocharc.json .npmrc .prettier* eslint.config.js tsconfig*.json \
  src test clients/js/test docs/evidence/benchmarks package-lock.json
find scripts -type f ! -path scripts/postgres/compose-roles.sh -delete
find . -depth -type d -empty -delete
find . -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
find . -type f ! -name SHA256SUMS -print0 | LC_ALL=C sort --zero-terminated | xargs --null sha256sum >"$work/SHA256SUMS"
mv -- "$work/SHA256SUMS" .

archive=$out/$name-linux.tar.gz
tar --create --sort=name --format=gnu --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode='u=rwX,go=rX' \
  --directory="$work" "$name" | gzip --no-name >"$archive.new"
mv -- "$archive.new" "$archive"
printf '%s\n' "$archive"

package=$work/deb
mkdir -p -- "$package/DEBIAN" "$package/opt" "$package/usr/lib/systemd/system"
cp --archive -- "$tree" "$package/opt/pathmend"
cp --recursive -- "$tree/deploy/systemd/." "$package/usr/lib/systemd/system"
cat >"$package/DEBIAN/control" <<CONTROL
Package: pathmend
Version: $version
Architecture: all
Maintainer: pathmend
Recommends: nodejs (>= 20.19), postgresql-client
Section: web
Priority: optional
Description: recovers visitors who hit a missing page
 It connects to its PostgreSQL only. /opt/pathmend/docs/start/install.md says what comes next.
CONTROL
# Node.js may come from elsewhere than Debian, so it is looked for in place of depended on. The units make their own users.
cat >"$package/DEBIAN/postinst" <<'SCRIPT'
#!/bin/sh
set -e
[ "$1" = configure ] || exit 0
install -d -m 755 /etc/pathmend
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
if ! node -e 'const [a, b] = process.versions.node.split("."); process.exit(+a > 20 || (+a === 20 && +b >= 19) ? 0 : 1)' 2>/dev/null; then
  echo 'pathmend: there is no node of 20.19 or later in /usr/local/bin or /usr/bin, where the units look for it.' >&2
  echo 'pathmend: /opt/pathmend/docs/start/install.md says what to set if it lies elsewhere.' >&2
fi
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
  # An upgrade; what does not run stays as it is.
  [ -z "$2" ] || systemctl try-restart pathmend-api.service pathmend-worker.service
fi
SCRIPT
cat >"$package/DEBIAN/prerm" <<'SCRIPT'
#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
  systemctl disable --now pathmend-api.service pathmend-worker.service pathmend-backup.timer
  systemctl stop 'pathmend-*'
fi
SCRIPT
cat >"$package/DEBIAN/postrm" <<'SCRIPT'
#!/bin/sh
set -e
if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
# Settings and passwords; data below /var/lib stays.
if [ "$1" = purge ]; then rm -rf /etc/pathmend; fi
SCRIPT
find "$package" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
chmod -R u=rwX,go=rX -- "$package"
chmod 755 -- "$package"/DEBIAN/{postinst,prerm,postrm}
debian=$out/pathmend_${version}_all.deb
dpkg-deb --build --root-owner-group -Zgzip -z6 "$package" "$debian" >/dev/null
printf '%s\n' "$debian"
