#!/usr/bin/env bash
# Fetches the web servers that exported redirects are tried in (nginx, Apache, Caddy, HAProxy), as Debian packages them,
# into a folder of their own; nothing is installed. Prints a folder of programs for the front of PATH:
#
#   PATH=$(scripts/servers/fetch.sh [DIR]):$PATH npm test -- test/integration/redirect-rules
#
# DIR  else $PATHMEND_SERVERS_DIR, else under /var/tmp. For Debian 12 or later, as root; a folder that is whole is used again.
set -euo pipefail
exec 3>&1 1>&2 </dev/null
umask 022

dir=$(realpath -m -- "${1:-${PATHMEND_SERVERS_DIR:-/var/tmp/pathmend-servers}}")
packages=(nginx-light apache2-bin caddy haproxy)
say() { printf 'servers: %s\n' "$*"; }
die() { say "$*"; exit 1; }

if [[ ! -f $dir/complete ]]; then
  [[ $EUID -eq 0 ]] || die 'must run as root (apt-get locks its folders)'
  command -v apt-get >/dev/null || die 'needs apt-get'
  if [[ -d $dir ]]; then
    [[ -O $dir ]] || die "$dir is not owned by root; remove it or choose another folder"
    [[ -f $dir/.pathmend-servers || -z $(ls -A -- "$dir") ]] || die "$dir holds something else; choose another folder"
  fi
  mkdir -p -- "$dir"
  exec 9<"$dir"
  flock -w 600 9 || die "another run has held $dir for 10 minutes"
  if [[ ! -f $dir/complete ]]; then
    touch -- "$dir/.pathmend-servers"
    rm -rf -- "$dir/debs" "$dir/root" "$dir/bin"
    mkdir -p -- "$dir/debs/partial" "$dir/root" "$dir/bin"
    # The whole list of packages that the machine lacks, for a machine whose own state is not to be touched.
    fetch() {
      apt-get install -y --no-install-recommends --download-only --reinstall -o Dir::Cache::archives="$dir/debs" "${packages[@]}"
    }
    fetch >/dev/null || { apt-get update -qq && fetch >/dev/null; }
    for deb in "$dir"/debs/*.deb; do dpkg-deb -x "$deb" "$dir/root"; done
    rm -rf -- "$dir/debs"
    libraries=$(find "$dir/root/usr/lib" -maxdepth 1 -type d -name '*-linux-gnu*' | head -n 1)
    for name in nginx apache2 caddy haproxy; do
      program=$(find "$dir/root/usr/sbin" "$dir/root/usr/bin" -name "$name" -type f 2>/dev/null | head -n 1)
      [[ -n $program ]] || die "$name is not among the packages"
      printf '#!/bin/sh\nLD_LIBRARY_PATH=%q exec %q "$@"\n' "$libraries" "$program" >"$dir/bin/$name"
      chmod 755 -- "$dir/bin/$name"
    done
    # Where a test's apache2 finds its modules.
    printf '%s\n' "$dir/root/usr/lib/apache2/modules" >"$dir/bin/apache2-modules"
    touch -- "$dir/complete"
  fi
fi
printf '%s\n' "$dir/bin" >&3
