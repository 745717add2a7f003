#!/usr/bin/env bash
# Fetches systemd-analyze as Debian packages it, for a machine that has no systemd (a container); nothing is installed. Prints a
# folder for the end of PATH:
#
#   PATH=$PATH:$(scripts/servers/systemd.sh [DIR]) npm test -- test/integration/deploy/systemd.test.ts
#
# DIR  else $PATHMEND_SYSTEMD_DIR, else under /var/tmp. For Debian 12 or later, as root; what was fetched is used again.
set -euo pipefail
exec 3>&1 1>&2 </dev/null
umask 022
dir=$(realpath -m -- "${1:-${PATHMEND_SYSTEMD_DIR:-/var/tmp/pathmend-systemd}}")
if [[ ! -x $dir/bin/systemd-analyze ]]; then
  [[ $EUID -eq 0 ]] || { echo 'systemd: must run as root (apt-get locks its folders)'; exit 1; }
  mkdir -p -- "$dir/debs/partial" "$dir/bin"
  fetch() {
    apt-get install -y --no-install-recommends --download-only --reinstall -o Dir::Cache::archives="$dir/debs" systemd
  }
  fetch || { apt-get update -qq && fetch; }
  for deb in "$dir"/debs/*.deb; do dpkg-deb -x "$deb" "$dir/root"; done
  rm -rf -- "$dir/debs"
  libraries=$(find "$dir/root" -type d \( -name '*-linux-gnu*' -o -name systemd \) -path '*/lib/*' | paste -sd :)
  program=$(find "$dir/root" -name systemd-analyze -type f -perm -100 | head -n 1)
  printf '#!/bin/sh\nLD_LIBRARY_PATH=%q exec %q "$@"\n' "$libraries" "$program" >"$dir/bin/systemd-analyze.new"
  chmod 755 -- "$dir/bin/systemd-analyze.new"
  mv -- "$dir/bin/systemd-analyze.new" "$dir/bin/systemd-analyze"
fi
printf '%s\n' "$dir/bin" >&3
