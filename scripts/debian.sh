# shellcheck shell=bash disable=SC2154 # the script sets name, dir, packages and alone
# For scripts that fetch packages of Debian 12 or later into a folder of their own, without installing them. To be sourced, with
# stdin at /dev/null. The script sets
#
#   name         its word in messages
#   dir          the folder, which is made; one that holds something else is left alone
#   packages     with all that they depend on and the machine lacks
#   alone        without what they depend on; may be empty
#   make_folder  a function that makes programs in $dir/bin of what is unpacked in $dir/root
#
# and calls fetch_once.

say() { printf '%s: %s\n' "$name" "$*"; }
die() { say "$*"; exit 1; }

# A folder that is whole is used again; one of other packages is made anew.
is_whole() { [[ -f $dir/complete && $(<"$dir/complete") == "${packages[*]} ${alone[*]}" ]]; }

fetch_once() {
  if is_whole; then return; fi
  [[ $EUID -eq 0 ]] || die 'must run as root (apt-get locks its folders)'
  command -v apt-get >/dev/null || die 'needs apt-get'
  if [[ -d $dir ]]; then
    [[ -O $dir ]] || die "$dir is not owned by root; remove it or choose another folder"
    [[ -f $dir/.pathmend-$name || -z $(ls -A -- "$dir") ]] || die "$dir holds something else; choose another folder"
  fi
  mkdir -p -- "$dir"
  exec 9<"$dir"
  flock -w 600 9 || die "another run has held $dir for 10 minutes"
  if is_whole; then return; fi
  touch -- "$dir/.pathmend-$name"
  rm -rf -- "${dir:?}"/{complete,debs,root,bin}
  mkdir -p -- "$dir/debs/partial" "$dir/root" "$dir/bin"
  download >/dev/null || { apt-get update -qq && download >/dev/null; }
  for deb in "$dir"/debs/*.deb; do dpkg-deb -x "$deb" "$dir/root"; done
  rm -rf -- "$dir/debs"
  make_folder
  printf '%s\n' "${packages[*]} ${alone[*]}" >"$dir/complete"
}

# The whole list of packages that the machine lacks, for a machine whose own state is not to be touched.
download() {
  apt-get install -y --no-install-recommends --download-only --reinstall -o Dir::Cache::archives="$dir/debs" "${packages[@]}" || return
  if ((${#alone[@]} > 0)); then (cd -- "$dir/debs" && apt-get download -o APT::Sandbox::User=root "${alone[@]}"); fi
}

# The folder of the fetched libraries.
libraries() { find "$dir/root/usr/lib" -maxdepth 1 -type d -name '*-linux-gnu*' | head -n 1; }

# program NAME LINE [VALUE…]: one that runs LINE with its arguments; each %q in LINE stands for a value.
program() {
  # shellcheck disable=SC2059 # the line is a format
  printf "#!/bin/sh\n$2 \"\$@\"\n" "${@:3}" >"$dir/bin/$1"
  chmod 755 -- "$dir/bin/$1"
}
