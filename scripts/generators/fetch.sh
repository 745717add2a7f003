#!/usr/bin/env bash
# Fetches Hugo, Jekyll, MkDocs and Sphinx, as Debian packages them, with their plugins for redirects and sitemaps, and
# Eleventy from npm, into a folder of their own; nothing is installed. Prints a folder of programs for the front of PATH:
#
#   PATH=$(scripts/generators/fetch.sh [--docusaurus] [DIR]):$PATH npm test -- test/end-to-end/sources/generators.test.ts
#
# --docusaurus  Docusaurus, too: 273 MB
# DIR           else $PATHMEND_GENERATORS_DIR, else under /var/tmp. For Debian 12 or later, as root, with npm; a folder that
#               is whole is used again.
set -euo pipefail
exec 3>&1 1>&2 </dev/null
umask 022

docusaurus=no
if [[ ${1:-} == --docusaurus ]]; then docusaurus=yes && shift; fi
name=generators
dir=$(realpath -m -- "${1:-${PATHMEND_GENERATORS_DIR:-/var/tmp/pathmend-generators}}")
packages=(hugo jekyll ruby-jekyll-redirect-from ruby-jekyll-sitemap mkdocs mkdocs-redirects python3-sphinx python3-sphinx-reredirects python3-myst-parser)
alone=()
# shellcheck source-path=SCRIPTDIR source=../debian.sh disable=SC1091
. "$(dirname -- "${BASH_SOURCE[0]}")/../debian.sh"

# from_npm PROGRAM PACKAGE…: with exactly these versions, and without their scripts; what is there is used again.
from_npm() {
  local one=$1 wanted=${*:2}
  if [[ -x $dir/bin/$one && -f $dir/npm/$one.wanted && $(<"$dir/npm/$one.wanted") == "$wanted" ]]; then return; fi
  shift
  rm -rf -- "$dir/npm/$one"
  mkdir -p -- "$dir/npm/$one"
  npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$dir/npm/$one" "$@" >/dev/null
  ln -sfn -- "../npm/$one/node_modules/.bin/$one" "$dir/bin/$one"
  printf '%s\n' "$wanted" >"$dir/npm/$one.wanted"
}

make_folder() {
  local libraries found python python_packages ruby load gems one
  libraries=$(libraries)
  found="export LD_LIBRARY_PATH=$libraries;"
  program hugo "$found exec $dir/root/usr/bin/hugo"

  # The machine's own Python or Ruby, where it has one: then only what it lacks was fetched.
  if [[ -x $dir/root/usr/bin/python3 ]]; then python="PYTHONHOME=$dir/root/usr exec $dir/root/usr/bin/python3"; else python='exec /usr/bin/python3'; fi
  python="$found export PYTHONPATH=$dir/root/usr/lib/python3/dist-packages; $python"
  program mkdocs "$python -m mkdocs"
  program sphinx-build "$python -m sphinx"

  ruby=$(find "$dir/root/usr/bin" -name 'ruby[0-9]*' -type f | head -n 1)
  paths() { find "$@" -printf '%p:' 2>/dev/null | sed 's/:$//'; }
  load=$(paths "$dir/root/usr/lib/ruby" "$libraries/ruby" -maxdepth 2 \( -name vendor_ruby -o -name '[0-9]*.[0-9]*' \))
  gems=$(paths "$dir/root/usr/share/rubygems-integration" "$libraries/rubygems-integration" "$dir/root/var/lib/gems" "$dir/root/usr/lib/ruby/gems" -mindepth 1 -maxdepth 1)
  program jekyll "$found export RUBYLIB=$load GEM_PATH=$gems:/usr/share/rubygems-integration/all; exec ${ruby:-/usr/bin/ruby} $dir/root/usr/bin/jekyll"
  # What Debian names by the path where it installs it: a library, styles, templates, themes.
  find "$dir/root" -path '*/sassc/native.rb' -exec sed -i "s|ffi_lib \"/usr/lib/|ffi_lib \"$dir/root/usr/lib/|" {} +
  python_packages=$dir/root/usr/lib/python3/dist-packages
  sed -i "s|'/usr/share/|'$dir/root/usr/share/|" "$python_packages"/{docutils,sphinx,mkdocs}/__init__.py
  sed -i "s|\"/usr/share/|\"$dir/root/usr/share/|" "$python_packages/mkdocs/__init__.py"
  for one in hugo jekyll mkdocs sphinx-build; do
    "$dir/bin/$one" "$([[ $one == hugo ]] && echo version || echo --version)" >/dev/null || die "$one does not start"
  done
}

fetch_once
from_npm eleventy @11ty/eleventy@3.1.8
if [[ $docusaurus == yes ]]; then from_npm docusaurus @docusaurus/{core,preset-classic,plugin-client-redirects}@3.10.2 react@19 react-dom@19; fi
printf '%s\n' "$dir/bin" >&3
