# shellcheck shell=bash disable=SC2034 # DIR is lib.sh's; what is set here is for the scripts
# Shared by build.sh and stop.sh; sourced after ../postgres/lib.sh, never run.

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
