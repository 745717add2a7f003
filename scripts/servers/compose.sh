#!/usr/bin/env bash
# Fetches Docker Compose as Debian sid packages it, which needs no Docker to read and check a file; nothing is installed.
# Prints a folder for the front of PATH, which has `docker-compose`:
#
#   PATH=$(scripts/servers/compose.sh [DIR]):$PATH npm test -- test/integration/operations/deployment.test.ts
#
# DIR  else $PATHMEND_COMPOSE_DIR, else under /var/tmp. For Debian, as root; a folder that is whole is used again.
set -euo pipefail
exec 3>&1 1>&2 </dev/null
umask 022
here=$(dirname -- "$(realpath -- "${BASH_SOURCE[0]}")")
dir=$(realpath -m -- "${1:-${PATHMEND_COMPOSE_DIR:-/var/tmp/pathmend-compose}}")
say() { printf 'compose: %s\n' "$*"; }
die() { say "$*"; exit 1; }
# shellcheck source-path=SCRIPTDIR source=../postgres/build.sh disable=SC1091
. "$here/../postgres/build.sh"

if [[ ! -x $dir/bin/docker-compose ]]; then
  [[ $EUID -eq 0 ]] || die 'must run as root (apt-get writes its lists)'
  [[ ! -d $dir || -O $dir ]] || die "$dir is not owned by root; remove it or choose another folder"
  NET=$(mktemp -d)
  trap 'rm -rf -- "$NET"' EXIT
  if [[ -z $(apt-get indextargets 'Created-By: Packages') ]]; then apt-get update; fi
  mirror=$(find_mirror) || die 'none of the addresses apt uses here carries Debian sid over http(s)'
  # Lists of its own; signatures are checked with this machine's keys of Debian.
  mkdir -p -- "$NET/lists/partial" "$NET/cache/archives/partial" "$dir/bin"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror sid main" >"$NET/sources.list"
  own=(-o "Dir::Etc::SourceList=$NET/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$NET/lists"
    -o "Dir::Cache=$NET/cache" -o Acquire::Languages=none -o APT::Sandbox::User=root)
  apt-get "${own[@]}" update -qq
  (cd -- "$NET" && apt-get "${own[@]}" download docker-compose && dpkg-deb -x docker-compose_*.deb root)
  mv -- "$NET/root/usr/libexec/docker/cli-plugins/docker-compose" "$dir/bin/docker-compose"
fi
printf '%s\n' "$dir/bin" >&3
