#!/usr/bin/env bash
# Stops the cluster that build.sh started, and the plain server beside it. Stopping what does not run is no error.
#
#   scripts/citus/stop.sh [--clean] [DIR]
#
# --clean also removes the databases of all of them; Citus need not be built again.
set -euo pipefail
exec </dev/null

here=$(dirname -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=../postgres/lib.sh disable=SC1091
. "$here/../postgres/lib.sh"
# shellcheck source-path=SCRIPTDIR source=nodes.sh disable=SC1091
. "$here/nodes.sh"
clean=()
if [[ ${1:-} == --clean ]]; then clean=(--clean); shift; fi
where=$(citus_dir "${1:-}")
open_dir "$where" || exit 0
for name in "${NAMES[@]}"; do
  if node_running "$name"; then
    in_chroot pg_ctl -D "$NODES/$name" -m fast -w -t 30 stop >&2 ||
      in_chroot pg_ctl -D "$NODES/$name" -m immediate -w -t 10 stop >&2 || true
  fi
done
end_leftovers "$NODES"
if ((${#clean[@]} > 0)); then rm -rf -- "$DIR$NODES"; fi
exec 9<&-
exec "$here/../postgres/stop.sh" "${clean[@]}" "$where"
