#!/usr/bin/env bash
# Stops what start.sh started. Stopping what does not run is no error.
#
#   scripts/lab/patroni/stop.sh [--clean] [DIR]
#
# --clean also removes the databases, etcd's data and the ports. To be rid of the chroot too, remove DIR afterwards.
set -euo pipefail
exec </dev/null

here=$(dirname -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=../../postgres/lib.sh disable=SC1091
. "$here/../../postgres/lib.sh"
# shellcheck source-path=SCRIPTDIR source=lib.sh disable=SC1091
. "$here/lib.sh"
clean=no
if [[ ${1:-} == --clean ]]; then clean=yes; shift; fi
where=$(patroni_dir "${1:-}")
open_dir "$where" || exit 0

# ended NAME…: tells them to end, and waits; what hangs is ended by end_leftovers. A Patroni stops its server in order.
ended() {
  local name try
  for name in "$@"; do
    if alive "$name"; then kill -TERM "$(<"$DIR$CLUSTER/$name.pid")" 2>/dev/null || true; fi
  done
  for name in "$@"; do
    for try in {1..150}; do
      if ! alive "$name"; then break; fi
      sleep 0.1
    done
  done
  : "$try"
}

# The clients' way first, the standbys before the primary would make it wait for them: all three at once.
ended haproxy
ended "${NODES[@]}"
ended etcd
end_leftovers "$CLUSTER"
unmount_all
if [[ $clean == yes ]]; then rm -rf -- "$DIR$CLUSTER"; fi
