#!/usr/bin/env bash
# Fetches the web servers that exported redirects are tried in (nginx, Apache, Caddy, HAProxy), and WordPress with PHP and
# MariaDB, and Prometheus' promtool, as Debian packages them, into a folder of their own; nothing is installed. Prints a folder of programs for the
# front of PATH:
#
#   PATH=$(scripts/servers/fetch.sh [DIR]):$PATH npm test -- test/integration/redirect-rules
#
# DIR  else $PATHMEND_SERVERS_DIR, else under /var/tmp. For Debian 12 or later, as root; a folder that is whole is used again.
set -euo pipefail
exec 3>&1 1>&2 </dev/null
umask 022

dir=$(realpath -m -- "${1:-${PATHMEND_SERVERS_DIR:-/var/tmp/pathmend-servers}}")
packages=(nginx-light apache2-bin caddy haproxy php-cli php-mysql php-curl mariadb-server-core)
# Without what it depends on: a server of its own, PHP for it, pictures; scripts for its console.
alone=(wordpress prometheus)
say() { printf 'servers: %s\n' "$*"; }
die() { say "$*"; exit 1; }

wanted="${packages[*]} ${alone[*]}"
is_complete() { [[ -f $dir/complete && $(<"$dir/complete") == "$wanted" ]]; }

if ! is_complete; then
  [[ $EUID -eq 0 ]] || die 'must run as root (apt-get locks its folders)'
  command -v apt-get >/dev/null || die 'needs apt-get'
  if [[ -d $dir ]]; then
    [[ -O $dir ]] || die "$dir is not owned by root; remove it or choose another folder"
    [[ -f $dir/.pathmend-servers || -z $(ls -A -- "$dir") ]] || die "$dir holds something else; choose another folder"
  fi
  mkdir -p -- "$dir"
  exec 9<"$dir"
  flock -w 600 9 || die "another run has held $dir for 10 minutes"
  if ! is_complete; then
    touch -- "$dir/.pathmend-servers"
    rm -rf -- "$dir/complete" "$dir/debs" "$dir/root" "$dir/bin"
    mkdir -p -- "$dir/debs/partial" "$dir/root" "$dir/bin"
    # The whole list of packages that the machine lacks, for a machine whose own state is not to be touched.
    fetch() {
      apt-get install -y --no-install-recommends --download-only --reinstall -o Dir::Cache::archives="$dir/debs" "${packages[@]}" &&
        (cd -- "$dir/debs" && apt-get download -o APT::Sandbox::User=root "${alone[@]}")
    }
    fetch >/dev/null || { apt-get update -qq && fetch >/dev/null; }
    for deb in "$dir"/debs/*.deb; do dpkg-deb -x "$deb" "$dir/root"; done
    rm -rf -- "$dir/debs"
    libraries=$(find "$dir/root/usr/lib" -maxdepth 1 -type d -name '*-linux-gnu*' | head -n 1)
    for name in nginx apache2 caddy haproxy mariadbd promtool; do
      program=$(find "$dir/root/usr/sbin" "$dir/root/usr/bin" -name "$name" -type f 2>/dev/null | head -n 1)
      [[ -n $program ]] || die "$name is not among the packages"
      printf '#!/bin/sh\nLD_LIBRARY_PATH=%q exec %q "$@"\n' "$libraries" "$program" >"$dir/bin/$name"
      chmod 755 -- "$dir/bin/$name"
    done
    php=$(find "$dir/root/usr/bin" -name 'php[0-9]*' -type f | head -n 1)
    extensions=$(find "$dir/root/usr/lib/php" -name mysqli.so -printf '%h\n' | head -n 1)
    [[ -n $php && -n $extensions ]] || die 'php is not among the packages'
    printf '#!/bin/sh\nLD_LIBRARY_PATH=%q exec %q -n -d extension_dir=%q -d extension=mysqlnd -d extension=mysqli -d extension=curl "$@"\n' \
      "$libraries" "$php" "$extensions" >"$dir/bin/php"
    chmod 755 -- "$dir/bin/php"
    # Where a test's apache2 finds its modules, mariadbd its messages, and a test WordPress.
    printf '%s\n' "$dir/root/usr/lib/apache2/modules" >"$dir/bin/apache2-modules"
    printf '%s\n' "$dir/root/usr/share/mysql" >"$dir/bin/mariadbd-share"
    printf '%s\n' "$dir/root/usr/share/wordpress" >"$dir/bin/wordpress"
    printf '%s\n' "$wanted" >"$dir/complete"
  fi
fi
printf '%s\n' "$dir/bin" >&3
