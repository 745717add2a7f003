#!/bin/sh
# Starts Grafana (its command comes as arguments) with what its data source reads (provisioning/datasources): the place of
# the database as DATABASE_URL says it, and the password of its login, of ANALYST_PASSWORD or a file.
set -eu
if [ -n "${ANALYST_PASSWORD_FILE:-}" ]; then ANALYST_PASSWORD=$(cat -- "$ANALYST_PASSWORD_FILE"); fi
rest=${DATABASE_URL#*://}
query='' PATHMEND_SSLMODE='' PATHMEND_CA=''
case $rest in *'?'*) query=${rest#*'?'} rest=${rest%%'?'*} ;; esac
rest=${rest##*@}
PATHMEND_HOST=${rest%%/*}
PATHMEND_DATABASE=${rest#*/}
case $rest in */?*) ;; *) PATHMEND_DATABASE=pathmend ;; esac
parameter() { printf '%s\n' "$query" | tr '&' '\n' | sed -n "s/^$1=//p" | tail -n 1; }
PATHMEND_CA=$(parameter sslrootcert)
# As the service takes it (docs/operate/deploy.md): all that encrypt verify, but no-verify.
case $(parameter sslmode),$PATHMEND_CA in
  ,|disable,*) PATHMEND_SSLMODE=disable ;;
  no-verify,*) PATHMEND_SSLMODE=require ;;
  *) PATHMEND_SSLMODE=verify-full ;;
esac
export ANALYST_PASSWORD PATHMEND_HOST PATHMEND_DATABASE PATHMEND_SSLMODE PATHMEND_CA
exec "$@"
