#!/usr/bin/env bash
# A PostgreSQL that fails over by itself, for tests, all of it of Debian's packages: three servers under Patroni with
# synchronous replication, etcd, which says who is the primary, and HAProxy, whose one address leads to it. For root on
# Debian 12 or later. The one line on stdout is the url by way of HAProxy; all else goes to stderr.
#
#   scripts/lab/patroni/start.sh [DIR]
#
# DIR  a chroot of its own, made like that of scripts/postgres/start.sh; else $PATHMEND_PATRONI_DIR, else under /var/tmp
# $PATHMEND_PATRONI_TTL  seconds after which a primary that says nothing is replaced; 20, the least that Patroni takes
# Of etcd there is one process: three on one machine would fall together anyway. In production it takes three, on machines
# of their own. What runs already is left alone, and what was killed starts again, so a second call brings a node back.
# All listen on loopback, on free ports, which $DIR/tmp/patroni/ports names. See stop.sh for a clean slate.
set -euo pipefail
exec 3>&1 1>&2 </dev/null

here=$(dirname -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=../../postgres/lib.sh disable=SC1091
. "$here/../../postgres/lib.sh"
# shellcheck source-path=SCRIPTDIR source=../../postgres/build.sh disable=SC1091
. "$here/../../postgres/build.sh"
# shellcheck source-path=SCRIPTDIR source=lib.sh disable=SC1091
. "$here/lib.sh"
where=$(patroni_dir "${1:-}")
open_dir "$where" create
unshare --mount true 2>/dev/null || die 'needs the right to make a mount namespace, for a /proc in the chroot'

install_packages() {
  local packages=(patroni python3-etcd etcd-server haproxy)
  say "installing ${packages[*]} in $DIR"
  INSIDE=root in_cluster apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null ||
    { INSIDE=root in_cluster apt-get update -qq && INSIDE=root in_cluster apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null; }
}

# Nine ports that nobody listens on, below the range that outgoing connections draw from. They are kept: etcd and the
# servers know each other by them.
choose_ports() {
  local name port taken=' '
  for name in etcd etcd_peer haproxy "${NODES[@]}" "${NODES[@]/%/_rest}"; do
    while port=$((20000 + RANDOM % 12000)); [[ $taken == *" $port "* ]] || (: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
    taken+="$port "
    echo "$name=$port"
  done
}

port() { sed -n "s/^$1=//p" "$DIR$CLUSTER/ports"; }

# write FILE: stdin, as a file of the cluster.
write() { cat >"$DIR$CLUSTER/$1"; }

# $PATHMEND_PATRONI_TTL counts when the cluster is made; later it stands in etcd. Only a standby that has all that was acknowledged
# becomes the primary. Were less lag allowed (1 MB by default), what it lacks and nobody was told would keep it from that.
node_settings() {
  local name=$1
  write "$name.yml" <<YAML
scope: pathmend
name: $name
restapi: { listen: '127.0.0.1:$(port "${name}_rest")', connect_address: '127.0.0.1:$(port "${name}_rest")' }
etcd3: { host: '127.0.0.1:$(port etcd)' }
bootstrap:
  dcs:
    ttl: ${PATHMEND_PATRONI_TTL:-20}
    loop_wait: 2
    retry_timeout: 5
    synchronous_mode: true
    maximum_lag_on_failover: 1073741824
    postgresql:
      use_pg_rewind: true
      parameters: { max_connections: 100, shared_buffers: 64MB, dynamic_shared_memory_type: sysv, unix_socket_directories: '' }
  initdb: [encoding: UTF8, locale: C.UTF-8, auth: trust, data-checksums]
postgresql:
  listen: 127.0.0.1:$(port "$name")
  connect_address: 127.0.0.1:$(port "$name")
  data_dir: $CLUSTER/$name
  bin_dir: /usr/lib/postgresql/$PG_VERSION/bin
  pgpass: $CLUSTER/$name.pgpass
  authentication: { superuser: { username: postgres }, replication: { username: replicator } }
  pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust']
YAML
}

# Only the node whose Patroni says that it is the primary gets connections. When it no longer says so, those that it has are
# closed: what hangs would otherwise keep them.
haproxy_settings() {
  local name
  write haproxy.cfg <<CFG
global
  maxconn 500
defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 1s
listen primary
  bind 127.0.0.1:$(port haproxy)
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
$(for name in "${NODES[@]}"; do echo "  server $name 127.0.0.1:$(port "$name") check port $(port "${name}_rest")"; done)
CFG
}

# launch NAME COMMAND…: in the background, unless it runs. It has neither the lock nor the pipes of whoever called this script.
launch() {
  local name=$1
  shift
  if alive "$name"; then return; fi
  # shellcheck disable=SC2016 # expanded by the inner shell
  in_cluster setsid sh -c 'cd "$1" && echo "$$" >"$2.pid" && shift 2 && exec "$@"' _ "$CLUSTER" "$name" "$@" \
    >>"$DIR$CLUSTER/$name.log" 2>&1 3>&- 9>&- &
}

# wait_for SECONDS WHAT COMMAND…: until the command succeeds.
wait_for() {
  local end=$((SECONDS + $1)) what=$2
  shift 2
  until "$@"; do
    ((SECONDS < end)) || { tail -n 15 "$DIR$CLUSTER"/*.log || true; die "$what; the logs are in $DIR$CLUSTER"; }
    sleep 0.2
  done
}

# answers PORT PATH: with 200. Without curl, which need not be there.
answers() {
  local line
  { exec 4<>"/dev/tcp/127.0.0.1/$1"; } 2>/dev/null || return 1
  printf 'GET %s HTTP/1.0\r\n\r\n' "$2" >&4
  read -r -t 2 line <&4 || line=''
  exec 4>&-
  [[ $line == *' 200 '* ]]
}

node_follows() { answers "$(port "$1_rest")" /sync || answers "$(port "$1_rest")" /primary || answers "$(port "$1_rest")" /async; }
has_standby() { local name; for name in "${NODES[@]}"; do if answers "$(port "${name}_rest")" /sync; then return; fi; done; return 1; }
accepts() { in_chroot pg_isready -q -h 127.0.0.1 -p "$(port haproxy)"; }

[[ $(marker_state) == "complete $PG_VERSION" ]] || build
[[ -x $DIR/usr/bin/patroni && -x $DIR/usr/bin/etcd && -x $DIR/usr/sbin/haproxy ]] || install_packages
in_chroot mkdir -p "$CLUSTER"
[[ -f $DIR$CLUSTER/ports ]] || choose_ports | write ports
etcd=127.0.0.1:$(port etcd) peer=127.0.0.1:$(port etcd_peer)
launch etcd etcd --name etcd --data-dir "$CLUSTER/etcd" --log-level warn \
  --listen-client-urls "http://$etcd" --advertise-client-urls "http://$etcd" \
  --listen-peer-urls "http://$peer" --initial-advertise-peer-urls "http://$peer" --initial-cluster "etcd=http://$peer"
wait_for 30 'etcd does not start' answers "$(port etcd)" /health
for name in "${NODES[@]}"; do
  node_settings "$name"
  launch "$name" patroni "$CLUSTER/$name.yml"
done
haproxy_settings
launch haproxy haproxy -W -db -f "$CLUSTER/haproxy.cfg"
for name in "${NODES[@]}"; do wait_for 120 "$name does not follow" node_follows "$name"; done
wait_for 60 'no standby is synchronous' has_standby
wait_for 30 'HAProxy finds no primary' accepts
printf 'postgres://postgres@127.0.0.1:%s/postgres\n' "$(port haproxy)" >&3
