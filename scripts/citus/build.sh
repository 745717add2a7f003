#!/usr/bin/env bash
# A Citus cluster for tests: a coordinator and two workers on loopback, of the PostgreSQL that scripts/postgres/start.sh
# makes, with Citus built from its source. For root on Debian 12 or later. The one line on stdout is the coordinator's url;
# all else goes to stderr.
#
#   TEST_CITUS_URL=$(scripts/citus/build.sh SOURCE_FOLDER [DIR])
#
# SOURCE_FOLDER  Citus's source, such as a checkout; it is copied and left as it is. Nothing of it is fetched here
# DIR            the chroot; else $PATHMEND_CITUS_DIR, else under /var/tmp. A plain server runs in it beside the cluster
# What was built is used again until DIR/usr/src/citus is removed; what Citus is built with comes from the chroot's own apt.
# The databases live through a stop and another start; see stop.sh for a clean slate.
set -euo pipefail
exec 3>&1 1>&2 </dev/null

here=$(dirname -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=../postgres/lib.sh disable=SC1091
. "$here/../postgres/lib.sh"
# shellcheck source-path=SCRIPTDIR source=nodes.sh disable=SC1091
. "$here/nodes.sh"

source=${1:?usage: scripts/citus/build.sh SOURCE_FOLDER [DIR]}
[[ -f $source/configure && -d $source/src/backend/distributed ]] || die "$source is no source of Citus"
where=$(citus_dir "${2:-}")
"$here/../postgres/start.sh" "$where"
open_dir "$where"
BUILT=$DIR/usr/src/citus/.pathmend-built

build_citus() {
  local packages=(gcc make libc6-dev "postgresql-server-dev-$PG_VERSION" libkrb5-dev libssl-dev libicu-dev liblz4-dev libzstd-dev)
  say "building Citus (a minute or two)"
  in_root() { chroot "$DIR" env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@" 9>&-; }
  in_root apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null ||
    { in_root apt-get update -qq && in_root apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null; }
  rm -rf -- "$DIR/usr/src/citus"
  mkdir -p -- "$DIR/usr/src/citus"
  tar -C "$source" --exclude=.git -cf - . | tar -C "$DIR/usr/src/citus" --no-same-owner -xf -
  # Installed by one process: with more, make may ask for a decoder's install before its folder is there.
  in_root sh -ec "cd /usr/src/citus && ./configure --quiet PG_CONFIG=/usr/lib/postgresql/$PG_VERSION/bin/pg_config &&
    make -s -j$(nproc) with_llvm=no && make -s with_llvm=no install-all" >"$DIR/usr/src/citus.log" 2>&1 9>&- ||
    { tail -n 20 "$DIR/usr/src/citus.log"; die "Citus was not built; all of it is in $DIR/usr/src/citus.log"; }
  touch -- "$BUILT"
}

on_node() { in_chroot psql -X -q -t -A -v ON_ERROR_STOP=1 -h 127.0.0.1 -p "$1" -U postgres -d postgres -c "$2"; }

[[ -f $BUILT ]] || build_citus
ports=()
for name in "${NAMES[@]}"; do
  node_running "$name" || start_node "$name"
  ports+=("$PORT")
done
for port in "${ports[@]}"; do on_node "$port" 'create extension if not exists citus'; done
on_node "${ports[0]}" "select citus_set_coordinator_host('127.0.0.1', ${ports[0]})" >/dev/null
for port in "${ports[@]:1}"; do
  on_node "${ports[0]}" "select citus_add_node('127.0.0.1', $port)
    where not exists (select from pg_dist_node where nodeport = $port)" >/dev/null
done
say "$(on_node "${ports[0]}" 'select citus_version()')"
printf 'postgres://postgres@127.0.0.1:%s/postgres\n' "${ports[0]}" >&3
