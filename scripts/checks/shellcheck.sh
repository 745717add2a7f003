#!/usr/bin/env bash
# Fetches shellcheck of Debian without installing it, and prints on stdout the folder of it. Everything else goes to stderr.
#
#   PATH=$PATH:$(scripts/checks/shellcheck.sh [DIR])
#
# DIR  else $PATHMEND_SHELLCHECK_DIR, else under /var/tmp. For Debian 12 or later, as root; a folder that is whole is used again.
set -euo pipefail
exec 3>&1 1>&2 </dev/null
umask 022
name=shellcheck
dir=$(realpath -m -- "${1:-${PATHMEND_SHELLCHECK_DIR:-/var/tmp/pathmend-shellcheck}}")
packages=(shellcheck)
alone=()
# shellcheck source-path=SCRIPTDIR source=../debian.sh disable=SC1091
. "$(dirname -- "${BASH_SOURCE[0]}")/../debian.sh"

make_folder() {
  [[ -x $dir/root/usr/bin/shellcheck ]] || die 'shellcheck is not among the packages'
  program shellcheck 'exec %q' "$dir/root/usr/bin/shellcheck"
}

fetch_once
printf '%s\n' "$dir/bin" >&3
