#!/usr/bin/env bash
# Fetches Docker Compose as Debian sid packages it, which needs no Docker to read and check a file; nothing is installed.
# Prints a folder for the front of PATH, which has `docker-compose`:
#
#   PATH=$(scripts/servers/compose.sh [DIR]):$PATH npm test -- test/end-to-end/deploy/compose.test.ts
#
# DIR  else $PATHMEND_COMPOSE_DIR, else under /var/tmp. For Debian, as root; a folder that is whole is used again.
set -euo pipefail
exec 3>&1 1>&2 </dev/null
umask 022
here=$(dirname -- "$(realpath -- "${BASH_SOURCE[0]}")")
dir=$(realpath -m -- "${1:-${PATHMEND_COMPOSE_DIR:-/var/tmp/pathmend-compose}}")
say() { printf 'compose: %s\n' "$*"; }
die() { say "$*"; exit 1; }
# shellcheck source-path=SCRIPTDIR source=sid.sh disable=SC1091
. "$here/sid.sh"

if [[ ! -x $dir/bin/docker-compose ]]; then
  [[ $EUID -eq 0 ]] || die 'must run as root (apt-get writes its lists)'
  [[ ! -d $dir || -O $dir ]] || die "$dir is not owned by root; remove it or choose another folder"
  fetch_from_sid "$dir/root" docker-compose
  mkdir -p -- "$dir/bin"
  mv -- "$dir/root/usr/libexec/docker/cli-plugins/docker-compose" "$dir/bin/docker-compose"
  rm -rf -- "$dir/root"
fi
printf '%s\n' "$dir/bin" >&3
