#!/usr/bin/env bash
# Stops the server that start.sh started, and removes what it left behind.
# Stopping what does not run is no error.
#
#   scripts/postgres/stop.sh [--clean] [DIR]
#
# --clean also removes the databases, so that the next start makes new ones.
# To be rid of the chroot too, remove DIR afterwards.
set -euo pipefail
exec </dev/null

# shellcheck source-path=SCRIPTDIR source=lib.sh disable=SC1091
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
clean=no
if [[ ${1:-} == --clean ]]; then clean=yes; shift; fi
open_dir "${1:-}" || exit 0

if running; then
  # Fast rolls open transactions back and ends sessions; immediate does not
  # even write a checkpoint, and the next start then replays the log.
  in_chroot pg_ctl -D "$DATA" -m fast -w -t 30 stop >&2 ||
    in_chroot pg_ctl -D "$DATA" -m immediate -w -t 10 stop >&2 || true
fi
end_leftovers "$DATA" "$DATA.new"
unmount_all
if [[ $clean == yes ]]; then rm -rf -- "$DIR$DATA" "$DIR$DATA.new" "$DIR$DATA.log"; fi
