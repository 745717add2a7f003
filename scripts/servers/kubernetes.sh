#!/usr/bin/env bash
# Fetches what manifests for Kubernetes are checked with: kubectl as Debian sid packages it (that of Debian 12 knows no components),
# and the types and validators that are made from Kubernetes' own schemas (the npm package kubernetes-models; kubeconform is
# neither in Debian nor in npm). Nothing is installed. Prints a folder for the end of PATH, which has `kubectl`:
#
#   PATH=$PATH:$(scripts/servers/kubernetes.sh [DIR]) npm test -- test/end-to-end/deploy/kubernetes.test.ts
#
# DIR  else $PATHMEND_KUBERNETES_DIR, else under /var/tmp. For Debian, as root; what was fetched is used again.
set -euo pipefail
exec 3>&1 1>&2 </dev/null
umask 022
here=$(dirname -- "$(realpath -- "${BASH_SOURCE[0]}")")
dir=$(realpath -m -- "${1:-${PATHMEND_KUBERNETES_DIR:-/var/tmp/pathmend-kubernetes}}")
version=5.1.0
say() { printf 'kubernetes: %s\n' "$*"; }
die() { say "$*"; exit 1; }
# shellcheck source-path=SCRIPTDIR source=sid.sh disable=SC1091
. "$here/sid.sh"

if [[ ! -f $dir/complete || $(<"$dir/complete") != "$version" ]]; then
  mkdir -p -- "$dir"
  npm install --prefix "$dir" --no-save --ignore-scripts --no-audit --no-fund --loglevel=error "kubernetes-models@$version"
  echo "$version" >"$dir/complete"
fi
if [[ ! -x $dir/bin/kubectl ]]; then
  [[ $EUID -eq 0 ]] || die 'must run as root (apt-get writes its lists)'
  fetch_from_sid "$dir/root" kubectl
  mkdir -p -- "$dir/bin"
  mv -- "$dir/root/usr/bin/kubectl" "$dir/bin/kubectl"
  rm -rf -- "$dir/root"
fi
printf '%s\n' "$dir/bin" >&3
