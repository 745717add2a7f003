#!/usr/bin/env bash
# Starts a Docker Engine where there is none and no registry of images: Debian sid's packages in a mount namespace of their own,
# and stand-ins for the images that Dockerfile and compose files name. Node's is its binary from npm on a Debian, PostgreSQL's the
# server that scripts/postgres/start.sh makes, with image.sh in place of the official image's entrypoint. What this makes is kept
# in a folder and used again. Prints the folder, which has `socket` and `bin` (docker, docker-compose); ends with the engine running:
#
#   engine=$(scripts/compose/engine.sh [DIR]) && DOCKER_HOST=unix://$engine/socket PATH=$engine/bin:$PATH docker compose ps
#   scripts/compose/engine.sh --stop [DIR]
#
# DIR  else $PATHMEND_ENGINE_DIR, else under /var/tmp. For Debian, as root who may mount, where that server has been made;
# code 3 says that this machine does not let him.
# The engine sees the checkout, DIR and nothing else of this machine. It makes no rules of iptables: containers reach each other
# and this machine, which reaches them; a build that needs a network is run with `--network host`.
set -euo pipefail
exec 3>&1 1>&2 </dev/null
umask 022
here=$(dirname -- "$(realpath -- "${BASH_SOURCE[0]}")")
root=$(realpath -- "$here/../..")
stop=no
if [[ ${1:-} == --stop ]]; then stop=yes; shift; fi
dir=$(realpath -m -- "${1:-${PATHMEND_ENGINE_DIR:-/var/tmp/pathmend-engine}}")
say() { printf 'engine: %s\n' "$*"; }
die() { say "$*"; exit 1; }
# shellcheck source-path=SCRIPTDIR source=../postgres/build.sh disable=SC1091
. "$here/../postgres/build.sh"

node_image=$(sed -n 's/^FROM \([^ ]*\).*/\1/p' "$root/Dockerfile" | head -n 1)
db_image=$(sed -n 's/^ *image: \(pgvector[^ ]*\)$/\1/p' "$root/docker-compose.yml" | head -n 1)
node_version=${node_image#*:} node_version=${node_version%%-*}

end_engine() {
  local id=''
  [[ ! -f $dir/engine.pid ]] || id=$(<"$dir/engine.pid")
  [[ -n $id && -d /proc/$id && $(tr '\0' ' ' <"/proc/$id/cmdline") == *dockerd*"$dir"* ]] || return 0
  kill "$id"
  for _ in {1..150}; do [[ -d /proc/$id ]] || break; sleep .2; done
  if [[ -d /proc/$id ]]; then kill -9 "$id"; fi
  rm -f -- "$dir/engine.pid"
}
if [[ $stop == yes ]]; then end_engine; exit 0; fi

[[ $EUID -eq 0 ]] || { say 'must run as root'; exit 3; }
server=${PATHMEND_PG_DIR:-/var/tmp/pathmend-postgres-18}
[[ -d $server/usr/lib/postgresql/18 ]] || { say "there is no PostgreSQL 18 in $server: scripts/postgres/start.sh makes one"; exit 3; }
# shellcheck disable=SC2016 # expanded by the inner shell
may_mount='d=$(mktemp -d) && mount --bind "$d" "$d" && cd "$d" && mkdir old && pivot_root . old'
if ! unshare --mount --propagation private bash -c "$may_mount" || ! { grep -qw overlay /proc/filesystems || modprobe overlay; }; then
  say 'this machine lets nobody mount, so no engine can run on it'
  exit 3
fi

mkdir -p -- "$dir"
[[ -O $dir ]] || die "$dir is not owned by root; remove it or choose another folder"
exec 9<"$dir"
flock -w 900 9 || die "another run has held $dir for 15 minutes"
[[ -f $dir/.pathmend-engine || -z $(ls -A -- "$dir") ]] || die "$dir holds something else; choose another folder"
touch -- "$dir/.pathmend-engine"

make_engine() {
  local mirror
  rm -rf -- "${dir:?}/root" "${dir:?}/bin"
  NET=$(mktemp -d)
  export DEBIAN_FRONTEND=noninteractive
  if [[ -z $(apt-get indextargets 'Created-By: Packages') ]]; then apt-get update; fi
  if ! dpkg -s debootstrap >/dev/null 2>&1; then apt-get install -y --no-install-recommends debootstrap gpgv debian-archive-keyring; fi
  mirror=$(find_mirror) || die 'none of the addresses apt uses here carries Debian sid over http(s)'
  (
    export_apt_network "$mirror"
    unshare --mount debootstrap --variant=minbase --force-check-gpg --include=docker.io,docker-cli,docker-compose,iptables,ca-certificates \
      sid "$dir/root" "$mirror" >"$dir/debootstrap.log" 2>&1
  ) || { tail -n 20 "$dir/debootstrap.log"; die 'debootstrap failed'; }
  rm -rf -- "$NET" "$dir"/root/var/cache/apt/archives/*.deb
  mkdir -p -- "$dir/bin" "$dir/config/cli-plugins"
  cp -- "$dir/root/usr/bin/docker" "$dir/bin/"
  cp -- "$dir/root/usr/libexec/docker/cli-plugins/docker-compose" "$dir/config/cli-plugins/"
  touch -- "$dir/root/complete"
}
[[ -f $dir/root/complete ]] || make_engine

export DOCKER_HOST=unix://$dir/socket DOCKER_CONFIG=$dir/config
docker() { "$dir/bin/docker" "$@"; }
if ! docker version >/dev/null 2>&1; then
  # shellcheck disable=SC2016 # expanded by the inner shell
  setsid unshare --mount --propagation private bash -c '
    set -euo pipefail
    dir=$1 checkout=$2 root=$1/root
    mount --bind "$root" "$root"
    for place in proc sys dev; do mount --rbind "/$place" "$root/$place"; done
    mount -t tmpfs run "$root/run"
    mount -t tmpfs tmp "$root/tmp"
    for place in "$checkout" "$dir"; do mkdir -p "$root$place"; mount --bind "$place" "$root$place"; done
    cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
    if [[ -f /etc/ssl/certs/ca-certificates.crt ]]; then cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"; fi
    mkdir -p "$root/old"
    cd "$root"
    pivot_root . old
    export PATH=/usr/sbin:/usr/bin:/sbin:/bin
    exec chroot . sh -c "umount -l /old && exec dockerd --data-root $dir/data --exec-root /run/docker --pidfile /run/docker.pid \
      --host unix://$dir/socket --storage-driver overlay2 --exec-opt native.cgroupdriver=cgroupfs --iptables=false --ip6tables=false --bridge=none"
  ' engine "$dir" "$root" >"$dir/engine.log" 2>&1 3>&- 9>&- &
  echo "$!" >"$dir/engine.pid"
  for _ in {1..120}; do if docker version >/dev/null 2>&1; then break; fi; sleep .25; done
  docker version >/dev/null || { tail -n 20 "$dir/engine.log"; die 'the engine does not start'; }
fi

# Bytes of a folder as they are in an image.
layer() { tar --create --directory="$1" --exclude='./proc/*' --exclude='./sys/*' --exclude='./dev/*' --exclude='./tmp/*' "${@:2}" .; }
path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
if ! docker image inspect "$node_image" >/dev/null 2>&1; then
  work=$(mktemp -d -p "$dir")
  (cd -- "$work" && echo '{}' >package.json && npm_config_ignore_scripts=false npm install --silent --no-audit --no-fund "node@$node_version" npm@11)
  mkdir -p -- "$work"/image/usr/local/{bin,etc,lib/node_modules} "$work/image/etc/ssl/certs"
  layer "$dir/root" --exclude='./usr/*bin/*docker*' --exclude='./usr/*bin/*containerd*' --exclude=./usr/sbin/runc \
    --exclude=./usr/libexec/docker --exclude="./$dir" | tar --extract --directory="$work/image"
  install -- "$work/node_modules/node/bin/node" "$work/image/usr/local/bin/"
  cp --archive -- "$work/node_modules/npm" "$work/image/usr/local/lib/node_modules/"
  for program in npm npx; do ln -s "../lib/node_modules/npm/bin/$program-cli.js" "$work/image/usr/local/bin/$program"; done
  chroot "$work/image" useradd --uid 1000 --create-home node
  # What npm needs here to reach its registry.
  if [[ -f /etc/ssl/certs/ca-certificates.crt ]]; then
    cp -L /etc/ssl/certs/ca-certificates.crt "$work/image/etc/ssl/certs/"
    echo 'cafile=/etc/ssl/certs/ca-certificates.crt' >"$work/image/usr/local/etc/npmrc"
  fi
  echo "registry=$(npm config get registry)" >>"$work/image/usr/local/etc/npmrc"
  layer "$work/image" | docker import --change "ENV PATH=$path" --change 'CMD ["node"]' - "$node_image"
  rm -rf -- "$work"
fi
entrypoint=$(sha256sum "$here/image.sh")
if ! docker image inspect "$db_image" >/dev/null 2>&1 || [[ ! -f $dir/entrypoint || $(<"$dir/entrypoint") != "${entrypoint%% *}" ]]; then
  work=$(mktemp -d -p "$dir")
  mkdir -- "$work/image"
  layer "$server" --exclude=./clients | tar --extract --directory="$work/image"
  # The numbers that the official image gives.
  group=$(chroot "$work/image" getent group 999 | cut -d: -f1 || true)
  [[ -z $group ]] || chroot "$work/image" groupmod --gid 899 "$group"
  chroot "$work/image" groupmod --gid 999 postgres
  chroot "$work/image" usermod --uid 999 postgres
  install -d -o 999 -g 999 -m 1777 "$work/image/var/lib/postgresql"
  install -d -o 999 -g 999 -m 3777 "$work/image/run/postgresql"
  install -m 755 -- "$here/image.sh" "$work/image/usr/local/bin/docker-entrypoint.sh"
  sed -i "s/^#\?listen_addresses *=.*/listen_addresses = '*'/" "$work/image/usr/share/postgresql/18/postgresql.conf.sample"
  layer "$work/image" | docker import --change "ENV PATH=$path:/usr/lib/postgresql/18/bin LANG=C.UTF-8 PG_MAJOR=18 PGDATA=/var/lib/postgresql/18/docker" \
    --change 'ENTRYPOINT ["docker-entrypoint.sh"]' --change 'CMD ["postgres"]' --change 'STOPSIGNAL SIGINT' --change 'VOLUME /var/lib/postgresql' - "$db_image"
  echo "${entrypoint%% *}" >"$dir/entrypoint"
  rm -rf -- "$work"
fi
printf '%s\n' "$dir" >&3
