#!/usr/bin/env bash
# Stops one node of the cluster that build.sh started, at once, as a machine without power does; or starts it again.
#
#   scripts/citus/node.sh stop|start NODE [DIR]
#
# NODE  coordinator, worker1 or worker2; or its port
set -euo pipefail
exec 3>&1 1>&2 </dev/null

here=$(dirname -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=../postgres/lib.sh disable=SC1091
. "$here/../postgres/lib.sh"
# shellcheck source-path=SCRIPTDIR source=nodes.sh disable=SC1091
. "$here/nodes.sh"
usage="usage: $0 stop|start NODE [DIR]"
[[ ${1:-} =~ ^(stop|start)$ ]] || die "$usage"
open_dir "$(citus_dir "${3:-}")" || die 'there is no cluster: scripts/citus/build.sh makes one'
name=''
for one in "${NAMES[@]}"; do
  if [[ ${2:-} == "$one" || ${2:-} == "$(cat -- "$DIR$NODES/$one.port" 2>/dev/null)" ]]; then name=$one; fi
done
[[ -n $name ]] || die "$usage"
if [[ $1 == start ]]; then
  node_running "$name" || start_node "$name"
else
  in_chroot pg_ctl -D "$NODES/$name" -m immediate -w -t 30 stop
fi
