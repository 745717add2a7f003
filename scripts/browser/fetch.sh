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

dir=$(realpath -m -- "${1:-${PATHMEND_BROWSER_DIR:-/var/tmp/pathmend-browser}}")
packages=(chromium fonts-dejavu-core)
say() { printf 'browser: %s\n' "$*"; }
die() { say "$*"; exit 1; }

if [[ ! -f $dir/complete ]]; then
  [[ $EUID -eq 0 ]] || die 'must run as root (apt-get locks its folders)'
  command -v apt-get >/dev/null || die 'needs apt-get'
  if [[ -d $dir ]]; then
    [[ -O $dir ]] || die "$dir is not owned by root; remove it or choose another folder"
    [[ -f $dir/.pathmend-browser || -z $(ls -A -- "$dir") ]] || die "$dir holds something else; choose another folder"
  fi
  mkdir -p -- "$dir"
  exec 9<"$dir"
  flock -w 600 9 || die "another run has held $dir for 10 minutes"
  if [[ ! -f $dir/complete ]]; then
    touch -- "$dir/.pathmend-browser"
    rm -rf -- "$dir/debs" "$dir/root" "$dir/bin"
    mkdir -p -- "$dir/debs/partial" "$dir/root" "$dir/bin"
    fetch() {
      apt-get install -y --no-install-recommends --download-only --reinstall -o Dir::Cache::archives="$dir/debs" "${packages[@]}"
    }
    fetch >/dev/null || { apt-get update -qq && fetch >/dev/null; }
    for deb in "$dir"/debs/*.deb; do dpkg-deb -x "$deb" "$dir/root"; done
    rm -rf -- "$dir/debs"
    program=$dir/root/usr/lib/chromium/chromium
    [[ -x $program ]] || die 'chromium is not among the packages'
    # Some packages of Debian 12 still put theirs into /lib.
    mkdir -p -- "$dir/root/lib"
    libraries=$(find "$dir/root/usr/lib" "$dir/root/lib" -maxdepth 2 -type d \( -name '*-linux-gnu*' -o -name pulseaudio \) | paste -sd:)
    # The fonts of this folder alone, so that pages look alike everywhere.
    printf '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>%s</dir><cachedir>%s</cachedir></fontconfig>\n' \
      "$dir/root/usr/share/fonts" "$dir/font-cache" >"$dir/fonts.conf"
    printf '#!/bin/sh\nFONTCONFIG_FILE=%q LD_LIBRARY_PATH=%q exec %q "$@"\n' "$dir/fonts.conf" "$libraries" "$program" >"$dir/bin/chromium"
    chmod 755 -- "$dir/bin/chromium"
    touch -- "$dir/complete"
  fi
fi
printf '%s\n' "$dir/bin/chromium" >&3
