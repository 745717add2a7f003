#!/usr/bin/env bash
# Installs the engines that only the comparison of scripts/lab/bench/peers.ts needs, outside of the repository.
#
#   scripts/lab/bench/peers/fetch.sh [DIR]
#
# DIR  else $PATHMEND_PEERS, else a folder under /var/tmp. The comparison reads $PATHMEND_PEERS.
# $PATHMEND_NODE_HEADERS  where include/node of this Node.js is; else the folder that Node.js is installed in
set -euo pipefail

DIR=${1:-${PATHMEND_PEERS:-/var/tmp/pathmend-peers}}
HEADERS=${PATHMEND_NODE_HEADERS:-$(node -p 'path.resolve(process.execPath, "../..")')}

mkdir -p "$DIR"
cd "$DIR"
[[ -f package.json ]] || echo '{"private": true}' >package.json
npm install --no-audit --no-fund --ignore-scripts \
  better-sqlite3@12.11.1 sqlite-vec@0.1.9 @lancedb/lancedb@0.37.1 apache-arrow@18.1.0
# No script of a package runs at its installation, so the one that is needed is run here.
cd node_modules/better-sqlite3
[[ -f build/Release/better_sqlite3.node ]] || npx --yes node-gyp rebuild --release --nodedir="$HEADERS"
