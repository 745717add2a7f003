#!/usr/bin/env bash
# Fetches the web servers that exported redirects are tried in (nginx, Apache, Caddy, HAProxy), and WordPress with PHP and
# MariaDB, and Prometheus' promtool, as Debian packages them, into a folder of their own; nothing is installed. Prints a folder of programs for the
# front of PATH:
#
#   PATH=$(scripts/servers/fetch.sh [DIR]):$PATH npm test -- test/integration/rule-formats
#
# DIR  else $PATHMEND_SERVERS_DIR, else under /var/tmp. For Debian 12 or later, as root; a folder that is whole is used again.
set -euo pipefail
exec 3>&1 1>&2 </dev/null
umask 022

name=servers
dir=$(realpath -m -- "${1:-${PATHMEND_SERVERS_DIR:-/var/tmp/pathmend-servers}}")
packages=(nginx-light apache2-bin caddy haproxy php-cli php-mysql php-curl php-xml mariadb-server-core)
# Without what it depends on: a server of its own, PHP for it, pictures; scripts for its console.
alone=(wordpress prometheus)
# shellcheck source-path=SCRIPTDIR source=../debian.sh disable=SC1091
. "$(dirname -- "${BASH_SOURCE[0]}")/../debian.sh"

make_folder() {
  local libraries one found php extensions
  libraries=$(libraries)
  for one in nginx apache2 caddy haproxy mariadbd promtool; do
    found=$(find "$dir/root/usr/sbin" "$dir/root/usr/bin" -name "$one" -type f 2>/dev/null | head -n 1)
    [[ -n $found ]] || die "$one is not among the packages"
    program "$one" 'LD_LIBRARY_PATH=%q exec %q' "$libraries" "$found"
  done
  php=$(find "$dir/root/usr/bin" -name 'php[0-9]*' -type f | head -n 1)
  extensions=$(find "$dir/root/usr/lib/php" -name mysqli.so -printf '%h\n' | head -n 1)
  [[ -n $php && -n $extensions ]] || die 'php is not among the packages'
  # SimpleXML writes WordPress's sitemap.
  program php 'LD_LIBRARY_PATH=%q exec %q -n -d extension_dir=%q -d extension=mysqlnd -d extension=mysqli -d extension=curl -d %s' \
    "$libraries" "$php" "$extensions" extension=simplexml
  # Where a test's apache2 finds its modules, mariadbd its messages, and a test WordPress.
  printf '%s\n' "$dir/root/usr/lib/apache2/modules" >"$dir/bin/apache2-modules"
  printf '%s\n' "$dir/root/usr/share/mysql" >"$dir/bin/mariadbd-share"
  printf '%s\n' "$dir/root/usr/share/wordpress" >"$dir/bin/wordpress"
}

fetch_once
printf '%s\n' "$dir/bin" >&3
