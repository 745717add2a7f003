#!/usr/bin/env bash
# Fetches Hugo, Jekyll, MkDocs and Sphinx, as Debian packages them, with their plugins for redirects and sitemaps, and
# Eleventy from npm, into a folder of their own; nothing is installed. Prints a folder of programs for the front of PATH:
#
#   PATH=$(scripts/generators/fetch.sh [--docusaurus] [DIR]):$PATH npm test -- test/integration/sources/generators.test.ts
#
# --docusaurus  Docusaurus, too: 273 MB
# DIR           else $PATHMEND_GENERATORS_DIR, else under /var/tmp. For Debian 12 or later, as root, with npm; a folder that
#               is whole is used again.
set -euo pipefail
exec 3>&1 1>&2 </dev/null
umask 022

docusaurus=no
if [[ ${1:-} == --docusaurus ]]; then docusaurus=yes && shift; fi
dir=$(realpath -m -- "${1:-${PATHMEND_GENERATORS_DIR:-/var/tmp/pathmend-generators}}")
packages=(hugo jekyll ruby-jekyll-redirect-from ruby-jekyll-sitemap mkdocs mkdocs-redirects python3-sphinx python3-sphinx-reredirects python3-myst-parser)
eleventy=(@11ty/eleventy@3.1.8)
docusaurus_packages=({core,preset-classic,plugin-client-redirects}@3.10.2)
say() { printf 'generators: %s\n' "$*"; }
die() { say "$*"; exit 1; }

wanted="${packages[*]} ${eleventy[*]}"
is_complete() {
  [[ -f $dir/complete && $(<"$dir/complete") == "$wanted" && ($docusaurus == no || -x $dir/bin/docusaurus) ]]
}

# from_npm PROGRAM PACKAGE…: with exactly these versions, and without their scripts.
from_npm() {
  local name=$1
  shift
  rm -rf -- "$dir/npm/$name"
  mkdir -p -- "$dir/npm/$name"
  npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$dir/npm/$name" "$@" >/dev/null
  ln -sfn -- "../npm/$name/node_modules/.bin/$name" "$dir/bin/$name"
}

if ! is_complete; then
  [[ $EUID -eq 0 ]] || die 'must run as root (apt-get locks its folders)'
  command -v apt-get >/dev/null || die 'needs apt-get'
  if [[ -d $dir ]]; then
    [[ -O $dir ]] || die "$dir is not owned by root; remove it or choose another folder"
    [[ -f $dir/.pathmend-generators || -z $(ls -A -- "$dir") ]] || die "$dir holds something else; choose another folder"
  fi
  mkdir -p -- "$dir"
  exec 9<"$dir"
  flock -w 600 9 || die "another run has held $dir for 10 minutes"
  if ! is_complete; then
    touch -- "$dir/.pathmend-generators"
    rm -rf -- "$dir/complete" "$dir/debs" "$dir/root" "$dir/bin"
    mkdir -p -- "$dir/debs/partial" "$dir/root" "$dir/bin"
    fetch() {
      apt-get install -y --no-install-recommends --download-only --reinstall -o Dir::Cache::archives="$dir/debs" "${packages[@]}"
    }
    fetch >/dev/null || { apt-get update -qq && fetch >/dev/null; }
    for deb in "$dir"/debs/*.deb; do dpkg-deb -x "$deb" "$dir/root"; done
    rm -rf -- "$dir/debs"
    libraries=$(find "$dir/root/usr/lib" -maxdepth 1 -type d -name '*-linux-gnu*' | head -n 1)

    # program NAME LINE: one that runs LINE with the fetched libraries.
    program() {
      printf '#!/bin/sh\nexport LD_LIBRARY_PATH=%q\n%s "$@"\n' "$libraries" "$2" >"$dir/bin/$1"
      chmod 755 -- "$dir/bin/$1"
    }
    program hugo "exec $dir/root/usr/bin/hugo"

    # The machine's own Python or Ruby, where it has one: then only what it lacks was fetched.
    if [[ -x $dir/root/usr/bin/python3 ]]; then python="PYTHONHOME=$dir/root/usr exec $dir/root/usr/bin/python3"; else python='exec /usr/bin/python3'; fi
    python="export PYTHONPATH=$dir/root/usr/lib/python3/dist-packages; $python"
    program mkdocs "$python -m mkdocs"
    program sphinx-build "$python -m sphinx"

    ruby=$(find "$dir/root/usr/bin" -name 'ruby[0-9]*' -type f | head -n 1)
    paths() { find "$@" -printf '%p:' 2>/dev/null | sed 's/:$//'; }
    load=$(paths "$dir/root/usr/lib/ruby" "$libraries/ruby" -maxdepth 2 \( -name vendor_ruby -o -name '[0-9]*.[0-9]*' \))
    gems=$(paths "$dir/root/usr/share/rubygems-integration" "$libraries/rubygems-integration" "$dir/root/var/lib/gems" "$dir/root/usr/lib/ruby/gems" -mindepth 1 -maxdepth 1)
    program jekyll "export RUBYLIB=$load GEM_PATH=$gems:/usr/share/rubygems-integration/all; exec ${ruby:-/usr/bin/ruby} $dir/root/usr/bin/jekyll"
    # What Debian names by the path where it installs it: a library, styles, templates, themes.
    find "$dir/root" -path '*/sassc/native.rb' -exec sed -i "s|ffi_lib \"/usr/lib/|ffi_lib \"$dir/root/usr/lib/|" {} +
    python_packages=$dir/root/usr/lib/python3/dist-packages
    sed -i "s|'/usr/share/|'$dir/root/usr/share/|" "$python_packages"/{docutils,sphinx,mkdocs}/__init__.py
    sed -i "s|\"/usr/share/|\"$dir/root/usr/share/|" "$python_packages/mkdocs/__init__.py"
    for name in hugo jekyll mkdocs sphinx-build; do
      "$dir/bin/$name" $([[ $name == hugo ]] && echo version || echo --version) >/dev/null || die "$name does not start"
    done
    from_npm eleventy "${eleventy[@]}"
    if [[ $docusaurus == yes ]]; then from_npm docusaurus "${docusaurus_packages[@]/#/@docusaurus/}" react@19 react-dom@19; fi
    printf '%s\n' "$wanted" >"$dir/complete"
  fi
fi
printf '%s\n' "$dir/bin" >&3
