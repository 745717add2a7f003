# shellcheck shell=bash
# For scripts that fetch a package of Debian sid on any Debian, without installing it. To be sourced; needs root, for apt.
# shellcheck source-path=SCRIPTDIR source=../postgres/build.sh disable=SC1091
. "$(dirname -- "${BASH_SOURCE[0]}")/../postgres/build.sh"

# fetch_from_sid FOLDER PACKAGE: unpacks it there, alone.
fetch_from_sid() {
  local folder=$1 package=$2 mirror own
  NET=$(mktemp -d)
  trap 'rm -rf -- "$NET"' EXIT
  if [[ -z $(apt-get indextargets 'Created-By: Packages') ]]; then apt-get update; fi
  mirror=$(find_mirror) || die 'none of the addresses apt uses here carries Debian sid over http(s)'
  # Lists of its own; signatures are checked with this machine's keys of Debian.
  mkdir -p -- "$NET/lists/partial" "$NET/cache/archives/partial" "$folder"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror sid main" >"$NET/sources.list"
  own=(-o "Dir::Etc::SourceList=$NET/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$NET/lists"
    -o "Dir::Cache=$NET/cache" -o Acquire::Languages=none -o APT::Sandbox::User=root)
  apt-get "${own[@]}" update -qq
  (cd -- "$NET" && apt-get "${own[@]}" download "$package/sid" && dpkg-deb -x "$package"_*.deb root)
  cp --archive -- "$NET/root/." "$folder"
}
