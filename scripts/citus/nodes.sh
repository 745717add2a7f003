# shellcheck shell=bash disable=SC2034 # DIR is lib.sh's; what is set here is for the scripts
# Shared by build.sh, node.sh and stop.sh; sourced after ../postgres/lib.sh, never run.

NODES=/tmp/citus # as seen from inside the chroot: a data folder, a log and a port for each node
NAMES=(coordinator worker1 worker2)

citus_dir() { realpath -m -- "${1:-${PATHMEND_CITUS_DIR:-/var/tmp/pathmend-citus-$PG_VERSION}}"; }

free_port() { # below the range that outgoing connections draw from
  local port
  while port=$((20000 + RANDOM % 12000)); (: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
  echo "$port"
}

# Succeeds, and sets PORT, if the node's postmaster is alive and of this chroot.
node_running() {
  local file=$DIR$NODES/$1/postmaster.pid pid
  [[ -f $file ]] || return 1
  pid=$(sed -n 1p "$file") PORT=$(sed -n 4p "$file")
  [[ -n $pid && -n $PORT && $'\n'$(chroot_pids)$'\n' == *$'\n'"$pid"$'\n'* ]] || { rm -f -- "$file"; return 1; }
}

# Sets PORT.
start_node() {
  local name=$1 tries=5 options
  if ! in_chroot test -d "$NODES/$name"; then
    in_chroot mkdir -p "$NODES"
    in_chroot rm -rf "$NODES/$name.new"
    in_chroot initdb -D "$NODES/$name.new" -U postgres --auth=trust --encoding=UTF8 --locale=C.UTF-8
    in_chroot mv "$NODES/$name.new" "$NODES/$name"
  fi
  # A port is kept: the coordinator knows its workers by theirs.
  PORT=$(cat -- "$DIR$NODES/$name.port" 2>/dev/null || true)
  while ((tries-- > 0)); do
    [[ -n $PORT ]] || PORT=$(free_port)
    # As start.sh: no mounts, trust on loopback, durable. Two-phase commits need a number of prepared transactions.
    options="-p $PORT -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c dynamic_shared_memory_type=sysv"
    options+=' -c shared_preload_libraries=citus -c wal_level=logical -c max_prepared_transactions=400'
    options+=' -c shared_buffers=128MB -c max_connections=300 -c citus.local_hostname=127.0.0.1'
    # A move copies each of a group's tables by a subscription of its own; each database has a daemon of Citus.
    options+=' -c max_worker_processes=64 -c max_logical_replication_workers=32 -c max_sync_workers_per_subscription=1'
    options+=' -c max_replication_slots=32 -c max_wal_senders=32 -c citus.enable_statistics_collection=off'
    options+=" ${PATHMEND_PG_OPTIONS:-}"
    in_chroot sh -c ": >$NODES/$name.log"
    if in_chroot pg_ctl -D "$NODES/$name" -l "$NODES/$name.log" -o "$options" -w -t 60 start; then
      echo "$PORT" >"$DIR$NODES/$name.port"
      return
    fi
    tail -n 20 "$DIR$NODES/$name.log" || true
    [[ ! -f $DIR$NODES/$name.port ]] || break
    PORT=''
  done
  die "the node $name does not start; its log is $DIR$NODES/$name.log"
}
