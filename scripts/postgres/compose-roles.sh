#!/usr/bin/env bash
# The image of PostgreSQL runs this once, as its superuser, when it has made an empty data folder: db/roles.sql, with the
# passwords of docker-compose.yml or the files that NAME_FILE names, and a server that has nothing else to see.
set -euo pipefail
for name in OWNER_PASSWORD API_PASSWORD ANALYST_PASSWORD; do
  file=${name}_FILE
  if [[ -n ${!file:-} ]]; then export "$name=$(<"${!file}")"; fi
done
psql=(psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --username="$POSTGRES_USER" --dbname="$POSTGRES_DB")
"${psql[@]}" --output=/dev/null --set=owner=pathmend --set=owner_password="$OWNER_PASSWORD" \
  --set=api=pathmend_api --set=api_password="$API_PASSWORD" --file=/roles.sql
"${psql[@]}" --command='revoke connect on database postgres, template1 from public'
# Its name is in deploy/grafana/provisioning/datasources.
"${psql[@]}" --set=password="$ANALYST_PASSWORD" <<'SQL'
create role pathmend_grafana login password :'password';
grant pathmend_analyst to pathmend_grafana;
SQL
