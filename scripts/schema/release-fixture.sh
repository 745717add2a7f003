#!/usr/bin/env bash
# Writes what this release leaves in a database, for test/faults/upgrade.test.ts of later ones: it indexes a few pages, is
# searched and clicked, and its schemas are dumped as SQL. Run it when a release is tagged, and commit what it writes.
#
#   npm run build && DATABASE_URL=postgres://… scripts/schema/release-fixture.sh      writes test/fixtures/releases/VERSION.sql
#
# $PG_DUMP  the pg_dump of that server's version, if it is not the one in PATH
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.."
VERSION=$(node -p 'require("./package.json").version')
OUT=test/fixtures/releases/$VERSION.sql
WORK=$(mktemp -d) NAME=pathmend_release_$$
export PORT=0 HOST=127.0.0.1 LOG_LEVEL=error

in_database() { # the statement's one value; nothing but node is needed
  node --input-type=module -e "
    import pg from 'pg';
    const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
    await client.connect();
    const { rows } = await client.query(process.argv[1]);
    await client.end();
    console.log(Object.values(rows[0] ?? {})[0] ?? '');" "$1"
}
run() { node dist/cli.js "$@"; }

cleanup() {
  [[ -z ${SERVER:-} ]] || kill "$SERVER" 2>/dev/null || true
  rm -rf -- "$WORK"
  DATABASE_URL=$ADMIN in_database "drop database if exists $NAME with (force)"
}
ADMIN=$DATABASE_URL
in_database "create database $NAME"
trap cleanup EXIT
DATABASE_URL=$(node -p "const u = new URL(process.argv[1]); u.pathname = '/$NAME'; u.href" "$ADMIN")
export DATABASE_URL

run migrate >&2
run project create --name earlier --plan scale --json >&2
KEY=$(run key create --project earlier --mode live --json | node -p 'JSON.parse(fs.readFileSync(0)).key')
exec 3< <(exec node dist/cli.js serve --json)
SERVER=$!
read -r READY <&3
URL=$(node -p 'JSON.parse(process.argv[1]).url' "$READY")
post() { curl -sS --fail-with-body "$URL$1" -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d "$2"; }

page() { post /v1/pages/upsert "{\"url\": \"https://earlier.example$1\", \"title\": \"$2\", \"content\": \"$3\", \"metadata\": {\"section\": \"$4\"}}" >&2; }
page /guide/descaling-a-kettle 'Descaling a kettle' 'Fill the kettle with water and citric acid, boil it, wait for an hour and rinse it twice.' guide
page /guide/sharpening-knives 'Sharpening knives' 'Draw the blade over the whetstone at an angle of fifteen degrees until a burr can be felt.' guide
page /shop/copper-pan 'Copper pan' 'A pan of copper lined with tin, for sauces; it answers to the flame at once.' shop
until [[ $(in_database "select count(*) from pathmend.pages where status = 'INDEXED'") == 3 ]]; do sleep 1; done
printf '%s\n' '/old/kettle-chalk /guide/descaling-a-kettle' '/old/wok /guide/seasoning-a-wok' >"$WORK/redirects.txt"
run redirects import --project earlier "$WORK/redirects.txt" >&2
SEARCH=$(post /v1/suggest '{"path": "/guides/descale-kettle.html"}' | node -p 'JSON.parse(fs.readFileSync(0)).search_id')
post /v1/events "{\"search_id\": \"$SEARCH\", \"clicked_url\": \"/guide/descaling-a-kettle\", \"clicked_rank\": 1, \"raw_path\": \"/guides/descale-kettle.html\"}"
post /v1/events '{"raw_path": "/nobody/knows"}'
until [[ $(in_database 'select (select count(*) from pathmend.clicks) + (select count(*) from pathmend.not_founds) + (select count(*) from pathmend.searches)') == 3 ]]; do sleep 1; done
kill "$SERVER"
wait "$SERVER" 2>/dev/null || true

mkdir -p -- "$(dirname -- "$OUT")"
{
  echo "-- What pathmend $VERSION left in its database: scripts/schema/release-fixture.sh."
  echo "-- key: $KEY"
  ${PG_DUMP:-pg_dump} --inserts --no-owner --schema=pathmend --schema=analytics --schema=pgboss "$DATABASE_URL" |
    grep -Ev '^(--|\\|SET |SELECT pg_catalog.set_config)'
} >"$OUT"
echo "$OUT: $(wc -c <"$OUT") bytes" >&2
