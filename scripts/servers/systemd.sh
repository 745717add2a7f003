#!/usr/bin/env bash
# Fetches systemd-analyze as Debian packages it, for a machine that has no systemd (a container); nothing is installed. Prints a
# folder for the end of PATH:
#
#   PATH=$PATH:$(scripts/servers/systemd.sh [DIR]) npm test -- test/end-to-end/deploy/systemd.test.ts
#
# DIR  else $PATHMEND_SYSTEMD_DIR, else under /var/tmp. For Debian 12 or later, as root; a folder that is whole is used again.
set -euo pipefail
exec 3>&1 1>&2 </dev/null
umask 022
name=systemd
dir=$(realpath -m -- "${1:-${PATHMEND_SYSTEMD_DIR:-/var/tmp/pathmend-systemd-analyze}}")
packages=(systemd)
alone=()
# shellcheck source-path=SCRIPTDIR source=../debian.sh disable=SC1091
. "$(dirname -- "${BASH_SOURCE[0]}")/../debian.sh"

make_folder() {
  local libraries analyze
  libraries=$(find "$dir/root" -type d \( -name '*-linux-gnu*' -o -name systemd \) -path '*/lib/*' | paste -sd :)
  analyze=$(find "$dir/root" -name systemd-analyze -type f -perm -100 | head -n 1)
  [[ -n $analyze ]] || die 'systemd-analyze is not among the packages'
  program systemd-analyze 'LD_LIBRARY_PATH=%q exec %q' "$libraries" "$analyze"
}

fetch_once
printf '%s\n' "$dir/bin" >&3
