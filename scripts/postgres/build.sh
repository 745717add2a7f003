# shellcheck shell=bash
# Makes the chroot for start.sh, which sources this after lib.sh. The mirror is
# the one this machine's apt is set up for; none is named here.

apt_conf() { local v=''; eval "$(apt-config shell v "$1")"; printf '%s' "$v"; }

# The first address, of those this machine's apt uses, that also carries sid.
# apt itself is asked, so .list and .sources files, proxies and logins all work.
find_mirror() {
  local uri probe
  probe=$NET/InRelease
  while read -r uri; do
    # Cloud images name a file that lists mirrors instead of a mirror.
    [[ $uri != mirror+file:* ]] || uri=$(awk '!/^#/ && NF { print $1; exit }' "${uri#mirror+file:}" || true)
    [[ $uri =~ ^https?:// ]] || continue
    if /usr/lib/apt/apt-helper download-file "${uri%/}/dists/sid/InRelease" "$probe" >/dev/null 2>&1; then
      printf '%s' "${uri%/}"
      return
    fi
  done < <({ # the distribution's own first; the rest in case a mirror renames it
    apt-get indextargets --format "\$(REPO_URI)" 'Created-By: Packages' 'Origin: Debian' 'Label: Debian'
    apt-get indextargets --format "\$(REPO_URI)" 'Created-By: Packages'
  } | awk '!seen[$0]++')
  return 1
}

# debootstrap fetches with wget and reads nothing of apt's configuration, so
# what apt needs to reach the mirror is handed over in wget's terms.
export_apt_network() {
  local mirror=$1 scheme=${1%%:*} host proxy ca auth
  host=${mirror#*://} host=${host%%/*} host=${host#*@} host=${host%%:*}
  proxy=$(apt_conf "Acquire::$scheme::Proxy::$host")
  [[ -n $proxy ]] || proxy=$(apt_conf "Acquire::$scheme::Proxy")
  [[ -n $proxy ]] || proxy=$(/usr/lib/apt/apt-helper auto-detect-proxy "$mirror" 2>/dev/null |
    sed -n "s/^Using proxy '\([^']*\)'.*/\1/p" || true)
  case $proxy in
    DIRECT) unset http_proxy https_proxy ;;
    ?*) export http_proxy=$proxy https_proxy=$proxy ;;
  esac
  ca=$(apt_conf "Acquire::https::CAInfo")
  [[ -z $ca ]] || { echo "ca_certificate = $ca" >"$NET/wgetrc"; export WGETRC=$NET/wgetrc; }
  for auth in /etc/apt/auth.conf /etc/apt/auth.conf.d/*.conf; do
    [[ -f $auth ]] || continue
    # apt allows a scheme, port and path after "machine"; netrc a bare host.
    sed -E 's#(machine[[:space:]]+)([a-z+]+://)?([^/:[:space:]]+)[^[:space:]]*#\1\3#' "$auth" >>"$NET/.netrc"
    export HOME=$NET
  done
}

build() {
  local mirror own_mounts=() tools=(debootstrap gpgv debian-archive-keyring)
  say "building $DIR (some minutes)"
  end_leftovers "$DATA" "$DATA.new"
  [[ -z $(chroot_pids) ]] || die "other servers run under $DIR, which would be emptied; stop them first"
  unmount_all
  echo "building $PG_VERSION" >"$MARKER" # first, or a half emptied folder is nobody's
  find "$DIR" -xdev -mindepth 1 ! -path "$MARKER" -delete
  NET=$(mktemp -d) # mode 700: it may hold a login
  trap 'rm -rf -- "$NET"' EXIT
  export DEBIAN_FRONTEND=noninteractive
  if [[ -z $(apt-get indextargets 'Created-By: Packages') ]]; then apt-get update; fi
  if ! dpkg -s "${tools[@]}" >/dev/null 2>&1; then
    # A second try after an update: lists that are present may still be stale.
    apt-get install -y --no-install-recommends "${tools[@]}" ||
      { apt-get update && apt-get install -y --no-install-recommends "${tools[@]}"; }
  fi
  mirror=$(find_mirror) || die 'none of the addresses apt uses here carries Debian sid over http(s)'
  export_apt_network "$mirror"
  # Installing the package must neither start a server nor make a cluster.
  mkdir -p "$DIR/usr/sbin" "$DIR/etc/postgresql-common/createcluster.d"
  printf '#!/bin/sh\nexit 101\n' >"$DIR/usr/sbin/policy-rc.d"
  chmod 755 "$DIR/usr/sbin/policy-rc.d"
  echo 'create_main_cluster = false' >"$DIR/etc/postgresql-common/createcluster.d/pathmend.conf"
  # In a mount namespace of its own, even a killed build leaves no mounts.
  if unshare --mount true 2>/dev/null; then own_mounts=(unshare --mount); fi
  # --force-check-gpg: without it a missing keyring would skip the check. The
  # lock stays open here: if this script is killed, debootstrap may outlive it.
  "${own_mounts[@]}" debootstrap --variant=minbase --force-check-gpg \
    ${PATHMEND_PG_KEYRING:+--keyring="$PATHMEND_PG_KEYRING"} \
    --include="postgresql-$PG_VERSION,postgresql-$PG_VERSION-pgvector" sid "$DIR" "$mirror" 3>&- ||
    { tail -n 20 "$DIR/debootstrap/debootstrap.log" || true; die 'debootstrap failed'; }
  rm -rf -- "$DIR"/var/cache/apt/archives/*.deb "$NET"
  echo "complete $PG_VERSION" >"$MARKER"
}
