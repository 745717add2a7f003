#!/usr/bin/env bash
# Gives the tests a real PostgreSQL with pgvector where no Docker engine runs:
# a small Debian chroot, and in it a server on loopback. For root on Debian 12
# or later. The one line on stdout is the url; all else goes to stderr.
#
#   TEST_DATABASE_URL=$(scripts/postgres/start.sh [DIR [PORT]])
#
# DIR   where the chroot is kept; else $PATHMEND_PG_DIR, else under /var/tmp
# PORT  else $PGPORT, else a free one. A server already running keeps its own.
# $PATHMEND_PG_OPTIONS  more for the server, such as '-c shared_buffers=4GB' for large benchmarks
# $PATHMEND_PG_STANDBY_OF  url of a running server: where there are no databases yet, a copy of its, which follows it
# $PATHMEND_PG_KEYRING  archive keyring, if the machine's own lacks sid's key
# The databases live through stop and start; see stop.sh for a clean slate.
set -euo pipefail
exec 3>&1 1>&2 </dev/null

# shellcheck source-path=SCRIPTDIR source=lib.sh disable=SC1091
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=build.sh disable=SC1091
. "$(dirname -- "${BASH_SOURCE[0]}")/build.sh"
open_dir "${1:-}" create
WANTED=${2:-${PGPORT:-}}
[[ -z $WANTED || $WANTED =~ ^[0-9]+$ ]] || die "not a port: $WANTED"

free_port() { # below the range that outgoing connections draw from
  local port
  while port=$((20000 + RANDOM % 12000)); (: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
  echo "$port"
}

serve() {
  local options tries=1
  if [[ ! -d $DIR$DATA ]]; then # made aside, so that it is there whole or not at all
    in_chroot rm -rf "$DATA.new"
    if [[ -n ${PATHMEND_PG_STANDBY_OF:-} ]]; then
      in_chroot pg_basebackup -D "$DATA.new" -d "$PATHMEND_PG_STANDBY_OF" --write-recovery-conf --checkpoint=fast
    else
      in_chroot initdb -D "$DATA.new" -U postgres --auth=trust --encoding=UTF8 --locale=C.UTF-8
    fi
    in_chroot mv "$DATA.new" "$DATA"
  fi
  [[ -n $WANTED ]] || tries=5 # a port found free may be taken a moment later
  while ((tries-- > 0)); do
    PORT=${WANTED:-$(free_port)}
    # Trust is safe as far as loopback is. No socket, and System V shared memory
    # in place of /dev/shm, so the chroot needs no mounts. Durability stays on:
    # the tests must meet the behaviour of a real server.
    options="-p $PORT -c listen_addresses=127.0.0.1 -c unix_socket_directories=''"
    options+=' -c dynamic_shared_memory_type=sysv -c shared_buffers=256MB -c max_connections=200'
    options+=' -c fsync=on -c synchronous_commit=on -c full_page_writes=on'
    options+=" ${PATHMEND_PG_OPTIONS:-}"
    in_chroot sh -c ": >$DATA.log"
    if in_chroot pg_ctl -D "$DATA" -l "$DATA.log" -o "$options" -w -t 60 start; then return; fi
    tail -n 20 "$DIR$DATA.log" || true
  done
  die "the server does not start; its log is $DIR$DATA.log"
}

verify() {
  # A standby takes no writes, and has what its primary has.
  [[ ! -f $DIR$DATA/standby.signal ]] || return 0
  in_chroot psql -X -q -v ON_ERROR_STOP=1 -h 127.0.0.1 -p "$PORT" -U postgres -d postgres -c "
    begin; -- rolled back: the tests create what they need
    create extension if not exists vector;
    create extension if not exists pg_trgm;
    create extension if not exists btree_gin;
    create extension if not exists fuzzystrmatch;
    rollback;
    do \$\$ declare v text := (select default_version from pg_available_extensions where name = 'vector');
    begin
      if string_to_array(v, '.')::int[] < '{0,8,6}' then raise 'pgvector % is older than 0.8.6', v; end if;
      raise notice 'PostgreSQL %, pgvector %', current_setting('server_version'), v;
    end \$\$"
}

[[ $(marker_state) == "complete $PG_VERSION" ]] || build
if running; then
  for _ in {1..60}; do # it may still be replaying its log
    if in_chroot pg_isready -q -h 127.0.0.1 -p "$PORT"; then ready=yes; break; fi
    sleep 0.5
  done
  [[ ${ready:-} == yes ]] || die "the server on port $PORT runs but does not answer"
  [[ -z $WANTED || $WANTED == "$PORT" ]] || say "already running, on port $PORT instead of $WANTED"
else
  end_leftovers "$DATA" "$DATA.new"
  # Nothing runs, but the number in a crashed server's pid file may still be
  # taken: by its own zombie where the first process reaps slowly or never, or
  # by a stranger of the same user. Either would keep a new one from starting.
  rm -f -- "$DIR$DATA/postmaster.pid"
  serve
  verify || { in_chroot pg_ctl -D "$DATA" -m immediate stop || true; die 'the server lacks what the tests need'; }
fi
printf 'postgres://postgres@127.0.0.1:%s/postgres\n' "$PORT" >&3
