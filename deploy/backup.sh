#!/bin/sh
# One backup of a server's database, and the oldest away; timers and docs/operate/backup.md call it while pathmend serves.
#
#   DATABASE_URL=postgres://pathmend@db.internal/pathmend PGPASSWORD_FILE=… BACKUP_FOLDER=… deploy/backup.sh
#
# BACKUP_KEEP  how many stay (14)
# A backup gets its name, pathmend-YYYYMMDDTHHMMSSZ.dump (UTC), when it is whole. Its path is printed.
set -eu
umask 077
: "${DATABASE_URL:?}" "${BACKUP_FOLDER:?}"
keep=${BACKUP_KEEP:-14}
case $keep in '' | *[!0-9]* | 0) echo "BACKUP_KEEP is '$keep', and must be a number from 1" >&2; exit 2 ;; esac
if [ -n "${PGPASSWORD_FILE:-}" ]; then
  PGPASSWORD=$(cat -- "$PGPASSWORD_FILE")
  export PGPASSWORD
fi
cd -- "$BACKUP_FOLDER"
name=pathmend-$(date -u +%Y%m%dT%H%M%SZ).dump
# What a run left that was killed; only one runs at a time.
rm -f -- pathmend-*.dump.unfinished
pg_dump --dbname="$DATABASE_URL" --format=custom --schema=pathmend --schema=analytics --schema=pgboss --file="$name.unfinished"
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
