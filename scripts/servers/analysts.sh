#!/usr/bin/env bash
# Fetches dbt, pandas and DuckDB, which read the schema `analytics` in a test, into a virtual environment of Python; nothing else is
# installed. Prints its folder of programs:
#
#   scripts/servers/analysts.sh [DIR] && npm test -- test/integration/analytics/examples.test.ts
#
# DIR  else $PATHMEND_ANALYSTS_DIR, else under /var/tmp; a folder that is whole is used again.
set -euo pipefail
exec 3>&1 1>&2 </dev/null
dir=$(realpath -m -- "${1:-${PATHMEND_ANALYSTS_DIR:-/var/tmp/pathmend-analysts}}")
# From 1.12 on, dbt-core downloads a program from elsewhere when it is installed.
packages=('dbt-core==1.11.16' 'dbt-postgres==1.11.0' 'pandas==3.1.1' 'sqlalchemy==2.1.9' 'psycopg[binary]==3.3.9' 'duckdb==1.5.5'
  'duckdb-extension-postgres-scanner==1.5.5')

if [[ ! -f $dir/complete || $(<"$dir/complete") != "${packages[*]}" ]]; then
  rm -f -- "$dir/complete"
  python3 -m venv --clear "$dir"
  "$dir/bin/pip" install --quiet --disable-pip-version-check "${packages[@]}"
  printf '%s\n' "${packages[*]}" >"$dir/complete"
fi
printf '%s\n' "$dir/bin" >&3
