#!/usr/bin/env bash
# PgBouncer for tests, as Debian packages it for the server that start.sh made; nothing is installed. Prints the program:
#
#   scripts/postgres/pgbouncer.sh [DIR]
#
# DIR  the chroot that start.sh made; else $PATHMEND_PG_DIR, else under /var/tmp. For root; what was fetched is used again.
# The program runs with the chroot's libraries, but sees this machine's files.
set -euo pipefail
exec 3>&1 1>&2 </dev/null

# shellcheck source-path=SCRIPTDIR source=lib.sh disable=SC1091
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
open_dir "${1:-}" || die 'there is no chroot; run scripts/postgres/start.sh'
packages=(pgbouncer libcares2 libevent-2.1-7t64)
root=$DIR/pgbouncer
program=$root/pgbouncer

if [[ ! -x $program ]]; then
  rm -rf -- "$root"
  mkdir -p -- "$root/debs"
  # As root of the chroot: apt locks its folders. The lists are those that it was made with.
  fetch() { chroot "$DIR" sh -c "cd /pgbouncer/debs && apt-get download -o APT::Sandbox::User=root ${packages[*]}"; }
  fetch || { chroot "$DIR" apt-get update -qq && fetch; }
  for deb in "$root"/debs/*.deb; do dpkg-deb -x "$deb" "$root/root"; done
  rm -rf -- "$root/debs"
  loader=$(find "$DIR"/lib*/ "$DIR"/usr/lib*/ -maxdepth 2 -name 'ld-linux-*.so.*' | head -n 1)
  libraries=$(find "$root/root/usr/lib" "$DIR/usr/lib" -maxdepth 1 -type d -name '*-linux-gnu*' | paste -sd :)
  printf '#!/bin/sh\nexec %q --argv0 pgbouncer --library-path %q %q "$@"\n' \
    "$loader" "$libraries" "$root/root/usr/sbin/pgbouncer" >"$program.new"
  chmod 755 -- "$program.new"
  mv -- "$program.new" "$program"
fi
printf '%s\n' "$program" >&3
