# shellcheck shell=bash
# Shared by start.sh and stop.sh; sourced, never run.

umask 022 # the chroot's own users must be able to read it

PG_VERSION=${PATHMEND_PG_VERSION:-18}
DATA=/tmp/pgdata # as seen from inside the chroot

say() { printf 'postgres: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

# Settles DIR, and takes a lock on the folder itself: two test runs starting
# at once must not build into, or start from, the same folder.
open_dir() {
  DIR=$(realpath -m -- "${1:-${PATHMEND_PG_DIR:-/var/tmp/pathmend-postgres-$PG_VERSION}}")
  MARKER=$DIR/.pathmend-postgres # "building 18", then "complete 18"
  [[ $DIR != *[[:space:]]* ]] || die "no blanks allowed in the folder's name: $DIR"
  [[ $EUID -eq 0 ]] || die 'must run as root (it makes and enters a chroot)'
  if [[ -d $DIR ]]; then
    # The folder is emptied when half made, so it must be one of ours; and the
    # default lies where any user may create folders, so it must be root's.
    [[ -O $DIR ]] || die "$DIR is not owned by root; remove it or choose another folder"
    [[ -f $MARKER || -z $(ls -A -- "$DIR") ]] || die "$DIR holds something else; choose another folder"
  elif [[ ${2:-} == create ]]; then
    mkdir -p -- "$DIR"
  else
    return 1
  fi
  exec 9<"$DIR"
  flock -w 900 9 || die "another start or stop has held $DIR for 15 minutes"
}

marker_state() { cat -- "$MARKER" 2>/dev/null || true; }

# Runs a command inside the chroot as its postgres user. The environment is
# emptied (PG* variables and locales of the host do not belong there), and all
# but the standard files are closed: the server would hold the lock and the
# caller's pipes open, and whoever waits for the end of one would hang.
in_chroot() (
  bin=/usr/lib/postgresql/$(cut -d' ' -f2 "$MARKER")/bin
  for fd in /proc/self/fd/*; do
    [[ ${fd##*/} -le 2 ]] || eval "exec ${fd##*/}>&-"
  done
  exec env -i PATH="$bin:/usr/sbin:/usr/bin:/sbin:/bin" HOME=/tmp LC_ALL=C.UTF-8 \
    chroot --userspec=postgres:postgres "$DIR" "$@" </dev/null
)

# The ids of the processes whose root folder is DIR; with folders, as seen from
# inside, only of those that work in one or have it as an argument: each process
# of a server works in its data folder. They are looked for as the chroot's
# postgres user, who may read its own processes' links even in a container that
# denies root that right over other users.
chroot_pids() {
  local ids
  ids=$(awk -F: '$1 == "postgres" { print $3, $4 }' "$DIR/etc/passwd" 2>/dev/null || true)
  [[ -n $ids ]] || return 0
  # shellcheck disable=SC2016 # expanded by the inner shell
  setpriv --reuid "${ids% *}" --regid "${ids#* }" --clear-groups bash -c '
    dir=$1
    shift
    is_of() {
      local cwd folder
      cwd=$(readlink "$1/cwd" 2>/dev/null)
      for folder in "${@:2}"; do
        [[ $cwd/ != "$dir$folder"/* ]] || return 0
        ! tr "\0" "\n" 2>/dev/null <"$1/cmdline" | grep -qxF -- "$folder" || return 0
      done
      return 1
    }
    for p in /proc/[0-9]*; do
      [[ -O $p && $(readlink "$p/root" 2>/dev/null) == "$dir" ]] || continue
      if (($# == 0)) || is_of "$p" "$@"; then echo "${p#/proc/}"; fi
    done' _ "$DIR" "$@" </dev/null 3>&- 9<&-
}

# Succeeds, and sets PORT, if the postmaster named in the pid file is alive and
# is ours: after a crash its number may belong to an unrelated process.
running() {
  local file=$DIR$DATA/postmaster.pid pid
  [[ -f $file ]] || return 1
  pid=$(sed -n 1p "$file") PORT=$(sed -n 4p "$file")
  [[ -n $pid && -n $PORT && $'\n'$(chroot_pids)$'\n' == *$'\n'"$pid"$'\n'* ]]
}

# Ends what a killed postmaster left behind: its backends notice on their own
# unless busy, and a new server refuses to start while one is still attached.
# With the postmaster gone nothing is lost by force: the log is replayed anyway.
# Of the folders named alone: other servers live in the chroot, such as those
# that tests start, and are nobody's leftovers.
end_leftovers() {
  local pids try
  for try in {1..40}; do
    pids=$(chroot_pids "$@")
    [[ -n $pids ]] || return 0
    # shellcheck disable=SC2086 # one word per process
    [[ $try -lt 10 ]] || kill -KILL $pids 2>/dev/null || true
    sleep 0.1
  done
  die "processes under $DIR do not end: ${pids//$'\n'/ }"
}

# The server needs no mounts. Only a build killed on a machine that forbids
# mount namespaces can leave one; deepest first.
unmount_all() {
  local mount
  while read -r mount; do
    umount -- "$mount" || die "cannot unmount $mount"
  done < <(awk -v d="$DIR/" 'index($2, d) == 1 { print $2 }' /proc/mounts | sort -r)
}
