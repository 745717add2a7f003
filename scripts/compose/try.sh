#!/usr/bin/env bash
# Runs docker-compose.yml and docker-compose.production.yml for real, from a copy of the checkout that was made under the umask
# 077, and types there what docs/start/install.md and the pages of docs/operate print for Compose, each block once. Needs
# what engine.sh needs:
#
#   scripts/compose/try.sh
#
# Where the machine lets no engine run it says so and ends with 0. The service does not listen beyond this machine.
set -euo pipefail
exec </dev/null
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.."
checkout=$PWD
status=0
engine=$(scripts/compose/engine.sh) || status=$?
if ((status == 3)); then echo 'compose: NOT TRIED, since no Docker Engine can be started here: see above'; exit 0; fi
((status == 0)) || exit "$status"
export DOCKER_HOST=unix://$engine/socket DOCKER_CONFIG=$engine/config DOCKER_BUILDKIT=0 PATH=$engine/bin:$PATH
work=$engine/work
began=$SECONDS
say() { printf '%3d s  %s\n' $((SECONDS - began)) "$*"; }
die() { say "$*" >&2; exit 1; }
remove() {
  docker rm --force --volumes company >/dev/null 2>&1 || true
  (cd -- "$work" && COMPOSE_FILE=docker-compose.yml:docker-compose.production.yml docker compose --profile '*' down --volumes --timeout 5) \
    >/dev/null 2>&1 || true
  rm -rf -- "$work"
}
finish() {
  local code=$?
  if ((code != 0)); then (cd -- "$work" && docker compose ps --all && docker compose logs --tail 15) || true; fi
  cd -- "$checkout"
  remove
  "$checkout/scripts/compose/engine.sh" --stop
  exit "$code"
}
mkdir -p -- "$work"
remove
trap finish EXIT
trap 'exit 143' TERM INT
(umask 077 && mkdir -- "$work" && git ls-files -z --cached --others --exclude-standard | tar --create --null --files-from=- --ignore-failed-read |
  tar --extract --directory="$work")
cd -- "$work"
chmod -R go= .
architecture=$(docker version --format '{{.Server.Arch}}')
# The folder of a built site is the operator's own.
mkdir site && echo '<h1>Opening hours</h1><p>From Tuesday to Saturday, 9 to 18.' >site/hours.html
chmod -R u=rwX,go=rX site && chmod go=x .

# block FILE TEXT N: the Nth block of code after the line that begins with TEXT.
block() {
  awk -v text="$2" -v n="$3" 'index($0, text) == 1 { found = 1 } /^```/ { if (inside) { inside = 0; if (seen == n) exit } else if (found) { inside = 1; seen++ }; next }
    inside && seen == n' "$checkout/$1"
}
# type FILE TEXT N: types it, as a reader does.
type() {
  local text
  text=$(block "$@")
  [[ -n $text ]] || die "$1 has no block $3 after '$2'"
  if ! bash -euo pipefail -c "${text//amd64/$architecture}" >"$engine/said" 2>&1; then tail -n 30 "$engine/said"; die "$1 ($2, $3) fails: $text"; fi
  say "$1: $2 ($3)"
}
# answers PORT…: one of them does, as a proxy that knows all of them would find.
answers() {
  local port
  for port; do if curl --silent --fail --max-time 5 "http://127.0.0.1:$port/readyz" >/dev/null; then return; fi; done
  return 1
}
ready() {
  for _ in {1..240}; do if answers "$@"; then return; fi; sleep .25; done
  die "no port of $* becomes ready"
}

commit=$(git -C "$checkout" rev-parse HEAD)
"$checkout/scripts/image.sh" . "$commit" . --network host >"$engine/said" 2>&1 || { tail -n 30 "$engine/said"; die 'the image cannot be built'; }
say "the image is built of files that only their owner reads: $(docker image inspect --format '{{.Size}}' pathmend:1.0.0) bytes, $(
  docker image inspect --format '{{.Size}}' "$(sed -n 's/^FROM \([^ ]*\).*/\1/p' Dockerfile | head -n 1)") of them its base"

docker image rm --force pathmend:1.0.0 pathmend:1.0.1 pathmend:latest >/dev/null
type docs/start/install.md '## With Docker, without a registry' 2
[[ $(docker run --rm pathmend:1.0.0 --version) == "1.0.0 (commit ${commit:0:12})" ]] || die 'the image that was loaded does not name its commit'
for tag in latest 1.0.1; do docker tag pathmend:1.0.0 "pathmend:$tag"; done

export PATHMEND_PORT=18080 PATHMEND_COMMIT=$commit
echo '{"url": "https://www.example.com/guides/flat-tyre", "content": "Mend a flat tyre: patch the inner tube."}' >pages.jsonl
type docs/start/install.md '## With Docker Compose' 1
key=$(grep -o 'pm_live_[A-Za-z0-9_]*' "$engine/said" | tail -n 1 || true)
[[ -n $key ]] || { cat "$engine/said"; die 'install.md: no key was made'; }
curl --silent --fail "http://127.0.0.1:18080/v1/suggest" -H "Authorization: Bearer $key" -d '{"path": "/help/flat-tyre.html"}' | grep flat-tyre >/dev/null ||
  die 'the page that was imported is not suggested'
for _ in 1 2; do type docs/operate/database.md '**With Docker Compose**' 1; done
# shellcheck disable=SC2016 # in the container
if docker compose exec -T db sh -c 'PGPASSWORD=pathmend psql --host="$(hostname -i)" --username=postgres --command="select 1"' >/dev/null 2>&1; then
  die 'the superuser gets in over the network with the password that was the default'
fi
docker compose exec -T db psql --username=postgres --dbname=pathmend --command='select 1' >/dev/null
docker compose exec -T worker node dist/cli.js project update --project mysite --source /site --base https://www.example.com >/dev/null
synced() { docker compose exec -T db psql --username=postgres --dbname=pathmend --tuples-only --command="select outcome from pathmend.sync_runs" | grep 'done' >/dev/null; }
for _ in {1..240}; do if synced; then break; fi; sleep .5; done
synced || { docker compose logs worker; die 'the worker syncs nothing'; }
# Without its role, the database is not healthy, and says what to do.
docker compose exec -T db psql --quiet --username=postgres --command='alter role pathmend_grafana rename to other'
(docker compose up --detach --wait --no-deps db 2>&1; docker inspect pathmend-db-1 --format '{{json .State.Health.Log}}') >"$engine/said" &
for _ in {1..120}; do if docker inspect pathmend-db-1 --format '{{json .State.Health.Log}}' | grep 'docker compose up roles' >/dev/null; then break; fi; sleep .5; done
docker inspect pathmend-db-1 --format '{{json .State.Health.Log}}' | grep 'docker compose up roles' >/dev/null || die 'the health of the database does not ask for its roles'
wait
docker compose --profile '*' down --volumes >/dev/null 2>&1
docker compose up --detach >/dev/null 2>&1
at=$SECONDS
docker compose stop >/dev/null 2>&1
say "stop right after up takes $((SECONDS - at)) s"
for name in api worker db; do
  code=$(docker inspect "pathmend-$name-1" --format '{{.State.ExitCode}}')
  [[ $code == 0 ]] || die "$name ends with $code: 137 is a SIGTERM that was not heard"
done
docker compose down --volumes >/dev/null 2>&1

unset PATHMEND_PORT
ports=(18080 18081)
export COMPOSE_FILE=docker-compose.yml:docker-compose.production.yml
printf 'PATHMEND_PORT=18080-18081\nPATHMEND_VERSION=1.0.0\nEVENT_IP_MODE=drop\n' >.env
type docs/operate/deploy.md '## Compose in production' 1
ready "${ports[@]}"
for name in api worker; do
  docker compose exec -T "$name" node dist/cli.js config --json | grep -A 2 '"EVENT_IP_MODE"' | grep drop >/dev/null || die "EVENT_IP_MODE of .env does not reach $name"
done
docker compose exec -T api node dist/cli.js project create --name mysite >/dev/null
echo '/old-tyre /guides/flat-tyre' >redirects.txt
echo '192.0.2.7 - - [26/Nov/2026:12:00:00 +0000] "GET /missing HTTP/1.1" 404 0 "-" "Mozilla/5.0"' >access.log
type docs/operate/deploy.md '## Compose in production' 3
for _ in {1..240}; do if compgen -G 'backups/*.dump' >/dev/null; then break; fi; sleep .25; done
docker compose exec -T db pg_dump --username=pathmend --dbname=pathmend --format=custom --schema=pathmend --schema=analytics --schema=pgboss >kept.dump
DUMP=kept.dump type docs/operate/backup.md '### Restore with Compose' 1
compgen -G 'backups/*.dump' >/dev/null || die 'no backup was made at the start'
ready "${ports[@]}"
docker compose exec -T api node dist/cli.js pages list --project mysite --json | grep flat-tyre >/dev/null || die 'the restore lost the page'
sed -i 's/^PATHMEND_VERSION=.*/PATHMEND_VERSION=1.0.1/' .env
(while [[ -d $work && ! -f $work/upgraded ]]; do
  answers "${ports[@]}" || echo unanswered >>gaps
  sleep .1
done) &
type docs/operate/upgrade.md '## With Compose, without downtime' 1
touch upgraded
wait
[[ ! -f gaps ]] || die "the upgrade left $(wc -l <gaps) requests unanswered"
docker compose ps --format '{{.Image}}' api | grep 1.0.1 >/dev/null || die 'the upgrade upgraded nothing'
docker compose stop backup >/dev/null 2>&1
code=$(docker inspect pathmend-backup-1 --format '{{.State.ExitCode}}')
[[ $code == 0 ]] || die "the backup ends with $code"
block docs/operate/deploy.md '## Compose in production' 4 | sed 's/8080-8081/18080-18081/' >>.env
for _ in 1 2; do type docs/operate/deploy.md '## Compose in production' 5; done
[[ $(docker compose ps --quiet api | wc -l) == 2 ]] || die 'there are no two apis'
say "memory, at rest: $(docker stats --no-stream --format '{{.Name}} {{.MemUsage}}' | tr '\n' ';')"
say "disk: $(docker compose exec -T db du -sm /var/lib/postgresql | cut -f1) MB for the database"
[[ -z $(docker volume ls --quiet --filter dangling=true | grep -E '^[0-9a-f]{64}$' || true) ]] || die 'volumes without a name are left'

# A server of the company: everything uses it, the backup too.
docker run --detach --name company --network pathmend_default --env POSTGRES_PASSWORD=secret --env POSTGRES_DB=shop \
  --volume "$PWD/db/roles.sql:/roles.sql:ro" --tmpfs /var/lib/postgresql "$(sed -n 's/^ *image: \(pgvector[^ ]*\)$/\1/p' docker-compose.yml | head -n 1)" >/dev/null
for _ in {1..120}; do if docker exec company psql --host=127.0.0.1 --username=postgres --dbname=shop --command='select 1' >/dev/null 2>&1; then break; fi; sleep .5; done
docker exec --user root company psql --quiet --username=postgres --dbname=shop --set=ON_ERROR_STOP=1 --output=/dev/null --set=owner=pathmend \
  --set="owner_password=$(<secrets/owner_password)" --set=api=pathmend_api --set="api_password=$(<secrets/api_password)" --file=/roles.sql
echo 'DATABASE_URL=postgres://company:5432/shop' >>.env
docker compose up --detach >"$engine/said" 2>&1 || { cat "$engine/said"; die 'it does not start with a server of the company'; }
ready "${ports[@]}"
docker compose exec -T api node dist/cli.js project create --name of-the-company >/dev/null
dump=$(docker compose exec -T backup /backup.sh)
docker compose exec -T backup pg_restore --data-only --table=projects --file=- "$dump" | grep of-the-company >/dev/null ||
  die 'the backup is of another database'
docker rm --force --volumes company >/dev/null
say 'both compose files run'
