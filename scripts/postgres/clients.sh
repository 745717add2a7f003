#!/usr/bin/env bash
# PostgreSQL's client programs of the server's own version (psql, pg_dump, pg_restore, createdb, …) for tests that type
# what the documents say, where the machine has none or older ones. Prints a folder for the front of PATH:
#
#   PATH=$(scripts/postgres/clients.sh [DIR]):$PATH
#
# DIR  the chroot that start.sh made; else $PATHMEND_PG_DIR, else under /var/tmp
# The programs are the chroot's, run with its own libraries but seeing this machine's files and sockets.
set -euo pipefail
dir=$(realpath -m -- "${1:-${PATHMEND_PG_DIR:-/var/tmp/pathmend-postgres-${PATHMEND_PG_VERSION:-18}}}")
[[ -d $dir/usr/lib/postgresql ]] || { echo "postgres: no server in $dir; run scripts/postgres/start.sh" >&2; exit 1; }
programs=$(cd -- "$dir"/usr/lib/postgresql/*/bin && pwd)
loader=$(find "$dir"/lib*/ "$dir"/usr/lib*/ -maxdepth 2 -name 'ld-linux-*.so.*' | head -n 1)
libraries=$(find "$dir"/usr/lib -maxdepth 1 -type d -name '*-linux-gnu*' | head -n 1)
shims=$dir/clients
mkdir -p -- "$shims"
for name in psql pg_dump pg_dumpall pg_restore pg_basebackup pg_isready createdb dropdb createuser dropuser; do
  [[ -x $programs/$name ]] || continue
  made=$(mktemp -- "$shims/.new.XXXXXX")
  printf '#!/bin/sh\nexec %q --argv0 %q --library-path %q %q "$@"\n' \
    "$loader" "$programs/$name" "$libraries" "$programs/$name" >"$made"
  chmod 755 -- "$made"
  mv -f -- "$made" "$shims/$name"
done
printf '%s\n' "$shims"
