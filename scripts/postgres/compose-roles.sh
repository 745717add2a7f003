#!/usr/bin/env bash
# Database roles for docker-compose.yml: its service `roles` runs this at every `up`, in the network of the database, where the
# superuser needs no password. It waits for the server, and runs db/roles.sql with the passwords of the environment, or of the
# files that NAME_FILE names. Run again, it sets the passwords anew, and gives rights that a release needs besides.
set -euo pipefail
trap 'exit 143' TERM INT
roles=${ROLES_SQL:-/roles.sql}
for name in OWNER_PASSWORD API_PASSWORD ANALYST_PASSWORD; do
  file=${name}_FILE
  if [[ -n ${!file:-} ]]; then export "$name=$(<"${!file}")"; fi
  if [[ -z ${!name:-} ]]; then echo "roles: $name is not set: see .env.example" >&2; exit 1; fi
done
for ((tries = 240; tries > 0; tries--)); do
  if pg_isready --quiet --username="$POSTGRES_USER" --dbname="$POSTGRES_DB"; then break; fi
  sleep .5 &
  wait "$!"
done
psql=(psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --username="$POSTGRES_USER" --dbname="$POSTGRES_DB")
"${psql[@]}" --output=/dev/null --set=owner=pathmend --set=owner_password="$OWNER_PASSWORD" \
  --set=api=pathmend_api --set=api_password="$API_PASSWORD" --file="$roles"
"${psql[@]}" --command='revoke connect on database postgres, template1 from public'
# Whoever has a shell on the machine reaches the server at its container's address. Without a password, the superuser gets in
# from inside the container alone.
"${psql[@]}" --set=superuser="$POSTGRES_USER" <<<'alter role :"superuser" password null'
# Its name is in deploy/grafana/provisioning/datasources. The last: the health of the database is asked by it.
"${psql[@]}" --set=password="$ANALYST_PASSWORD" <<'SQL'
select case when to_regrole('pathmend_grafana') is null then 'create' else 'alter' end as verb \gset
:verb role pathmend_grafana login password :'password';
grant pathmend_analyst to pathmend_grafana;
SQL
echo 'roles: the database has its roles, with the passwords that are set now'
