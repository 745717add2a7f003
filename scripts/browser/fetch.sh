#!/usr/bin/env bash
# Fetches the browser that the console is tried in: Chromium with the libraries that it needs, as Debian packages them,
# into a folder of their own; nothing is installed. Prints the program:
#
#   scripts/browser/fetch.sh [DIR]
#
# DIR  else $PATHMEND_BROWSER_DIR, else under /var/tmp. For Debian 12 or later, as root; a folder that is whole is used again.
set -euo pipefail
exec 3>&1 1>&2 </dev/null
umask 022

name=browser
dir=$(realpath -m -- "${1:-${PATHMEND_BROWSER_DIR:-/var/tmp/pathmend-browser}}")
packages=(chromium fonts-dejavu-core)
alone=()
# shellcheck source-path=SCRIPTDIR source=../debian.sh disable=SC1091
. "$(dirname -- "${BASH_SOURCE[0]}")/../debian.sh"

make_folder() {
  local chromium=$dir/root/usr/lib/chromium/chromium libraries
  [[ -x $chromium ]] || die 'chromium is not among the packages'
  # Some packages of Debian 12 still put theirs into /lib.
  mkdir -p -- "$dir/root/lib"
  libraries=$(find "$dir/root/usr/lib" "$dir/root/lib" -maxdepth 2 -type d \( -name '*-linux-gnu*' -o -name pulseaudio \) | paste -sd:)
  # The fonts of this folder alone, so that pages look alike everywhere.
  printf '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>%s</dir><cachedir>%s</cachedir></fontconfig>\n' \
    "$dir/root/usr/share/fonts" "$dir/font-cache" >"$dir/fonts.conf"
  program chromium 'FONTCONFIG_FILE=%q LD_LIBRARY_PATH=%q exec %q' "$dir/fonts.conf" "$libraries" "$chromium"
}

fetch_once
printf '%s\n' "$dir/bin/chromium" >&3
