#!/bin/sh
# One backup of a server's database, and the oldest away; timers and docs/operate/backup.md call it while pathmend serves.
# With --restore, it restores the dump on its standard input into an empty database.
#
#   DATABASE_URL=postgres://pathmend@db.internal/pathmend PGPASSWORD_FILE=… BACKUP_FOLDER=… deploy/backup.sh
#   DATABASE_URL=postgres://pathmend@db.internal/pathmend PGPASSWORD_FILE=… deploy/backup.sh --restore <DUMP
#
# BACKUP_KEEP  how many stay (14)
# A backup gets its name, pathmend-YYYYMMDDTHHMMSSZ.dump (UTC), when it is whole. Its path is printed.
set -eu
umask 077
: "${DATABASE_URL:?}"
if [ -n "${PGPASSWORD_FILE:-}" ]; then
  PGPASSWORD=$(cat -- "$PGPASSWORD_FILE")
  export PGPASSWORD
fi
# Parameters that the driver of pathmend takes, and libpq does not: no-verify encrypts and verifies nothing, and without
# sslrootcert the certificate must come from a CA that this machine trusts.
url=$(printf '%s\n' "$DATABASE_URL" | sed -e 's/\([?&]sslmode=\)no-verify/\1require/' \
  -e 's/\([?&]\)uselibpqcompat=[^&]*&\{0,1\}/\1/' -e 's/[?&]$//')
case $url in
  *sslrootcert=*) ;;
  *sslmode=verify-full*) url="$url&sslrootcert=system" ;;
esac
if [ "${1:-}" = --restore ]; then exec pg_restore --dbname="$url" --no-owner --exit-on-error; fi
: "${BACKUP_FOLDER:?}"
keep=${BACKUP_KEEP:-14}
case $keep in '' | *[!0-9]* | 0) echo "BACKUP_KEEP is '$keep', and must be a number from 1" >&2; exit 2 ;; esac
cd -- "$BACKUP_FOLDER"
name=pathmend-$(date -u +%Y%m%dT%H%M%SZ).dump
# What a run left that was killed; only one runs at a time.
rm -f -- pathmend-*.dump.unfinished
pg_dump --dbname="$url" --format=custom --schema=pathmend --schema=analytics --schema=pgboss --file="$name.unfinished"
# Read whole, to the last row: the list of contents is at the head, and is there in a dump that was cut off.
pg_restore --file=/dev/null "$name.unfinished"
sync "$name.unfinished"
mv -- "$name.unfinished" "$name"
# The newest first, by name. Nothing is removed before a new one is whole.
set -- pathmend-*.dump
while [ $# -gt "$keep" ]; do
  rm -- "$1"
  shift
done
echo "$BACKUP_FOLDER/$name"
