#!/usr/bin/env bash
# The entrypoint of the stand-in for PostgreSQL's official image (engine.sh), after that image's documentation: POSTGRES_USER,
# POSTGRES_PASSWORD and POSTGRES_DB, or the files that NAME_FILE names; the first server serves its socket alone; whoever is in
# the container logs in without a password. Scripts in /docker-entrypoint-initdb.d are not run, since nothing here has any.
set -euo pipefail
[[ ${1:-} == postgres ]] || exec "$@"
if [[ $EUID -eq 0 ]]; then
  install -d -m 700 -o postgres "$PGDATA"
  install -d -m 3777 -o postgres /run/postgresql
  exec setpriv --reuid=postgres --regid=postgres --init-groups "$0" "$@"
fi
for name in POSTGRES_USER POSTGRES_PASSWORD POSTGRES_DB; do
  file=${name}_FILE
  if [[ -n ${!file:-} ]]; then export "$name=$(<"${!file}")"; fi
done
export POSTGRES_USER=${POSTGRES_USER:-postgres}
export POSTGRES_DB=${POSTGRES_DB:-$POSTGRES_USER}
if [[ ! -s $PGDATA/PG_VERSION ]]; then
  [[ -n ${POSTGRES_PASSWORD:-} ]] || { echo 'Error: Database is uninitialized and superuser password is not specified.' >&2; exit 1; }
  initdb --username="$POSTGRES_USER" --pwfile=<(printf '%s\n' "$POSTGRES_PASSWORD")
  printf '\nhost all all all scram-sha-256\n' >>"$PGDATA/pg_hba.conf"
  pg_ctl start --pgdata="$PGDATA" --wait --options="-c listen_addresses='' -p 5432"
  if [[ $POSTGRES_DB != postgres ]]; then
    psql --no-psqlrc --set=ON_ERROR_STOP=1 --username="$POSTGRES_USER" --dbname=postgres --set=db="$POSTGRES_DB" <<<'create database :"db"'
  fi
  pg_ctl stop --pgdata="$PGDATA" --mode=fast --wait
fi
exec "$@"
