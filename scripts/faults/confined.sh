#!/usr/bin/env bash
# Runs the service as the image runs it, without Docker: as a user that is nobody, without capabilities, with nothing
# that it may write but a data folder and /tmp, from which nothing can be run. Needs root, to make that, and a build
# (`npm run build:tools`):
#
#   scripts/faults/confined.sh
#
# DATABASE_URL names a server for it (roles api and worker); unset: the embedded database. Prints a line of figures.
set -euo pipefail
exec </dev/null
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.."

if [[ ${1:-} != inside ]]; then
  exec unshare --mount --propagation private bash scripts/faults/confined.sh inside
fi

repository=$PWD
node=$(command -v node)
mount -t tmpfs -o mode=755 confined /mnt
mkdir /mnt/app /mnt/data
mount --rbind -- "$repository" /mnt/app
# What is mounted on what: each place is made read-only by itself, a bind being a mount of its own.
mapfile -t places < <(awk '{ print $5 }' /proc/self/mountinfo)
for place in "${places[@]}"; do
  place=$(printf '%b' "$place")
  [[ $place == /proc* || $place == /sys* ]] || mount -o remount,bind,ro -- "$place" 2>/dev/null || true
done
mount -t tmpfs -o mode=1777,noexec,nosuid,nodev,size=64m confined-tmp /tmp
mount -t tmpfs -o mode=700,uid=1000,gid=1000,nosuid,nodev,size=1g confined-data /mnt/data
cd /mnt/app
exec setpriv --reuid=1000 --regid=1000 --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all \
  env -i PATH="$PATH" HOME=/nonexistent TMPDIR=/tmp DATA_DIR=/mnt/data DATABASE_URL="${DATABASE_URL:-}" \
  "$node" .build/scripts/faults/confined.js
