# shellcheck shell=bash disable=SC2034 # DIR is that of ../../postgres/lib.sh; what is set here is for the scripts
# Shared by start.sh and stop.sh; sourced after ../../postgres/lib.sh, never run.

CLUSTER=/tmp/patroni # as seen from inside the chroot: for each process a folder or file, a log, a pid
NODES=(node1 node2 node3)

patroni_dir() { realpath -m -- "${1:-${PATHMEND_PATRONI_DIR:-/var/tmp/pathmend-patroni-$PG_VERSION}}"; }

# Runs a command in the chroot with a /proc, which Patroni looks processes up in. It is mounted for that command and its
# children alone, so nothing is left behind on this machine. As the chroot's postgres user; INSIDE=root for packages.
in_cluster() (
  user=(--userspec=postgres:postgres)
  [[ ${INSIDE:-} != root ]] || user=()
  bin=/usr/lib/postgresql/$PG_VERSION/bin
  for fd in /proc/self/fd/*; do
    [[ ${fd##*/} -le 2 ]] || eval "exec ${fd##*/}>&-"
  done
  # shellcheck disable=SC2016 # expanded by the inner shell
  exec env -i PATH="$bin:/usr/sbin:/usr/bin:/sbin:/bin" HOME=/tmp LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    unshare --mount --propagation private sh -c 'mount -t proc proc "$1/proc" && shift && exec chroot "$@"' \
    _ "$DIR" "${user[@]}" "$DIR" "$@" </dev/null
)

# alive NAME: the process that start.sh started by this name still runs. A number that is a stranger's now has another root.
alive() {
  local pid
  pid=$(cat -- "$DIR$CLUSTER/$1.pid" 2>/dev/null) || return 1
  [[ $pid =~ ^[0-9]+$ && $'\n'$(chroot_pids)$'\n' == *$'\n'"$pid"$'\n'* ]]
}
