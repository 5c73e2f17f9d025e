#!/bin/bash
# A PostgreSQL server of a test's own, in a folder of its own, on a Unix socket only.
#   serve.sh [SETTING=VALUE ...]
# Says "ok FOLDER" once the folder is there, then reads commands from standard input and answers each with a line: "ok", or
# "failed WHY".
#   start | crash (kill -9 of the postmaster) | stop (immediate: as after a power cut) | set SETTING=VALUE (from the next start)
# At the end of its input, however that comes about, the server is stopped and the folder removed.
set -u
# Short: a socket's path has 107 characters at most.
folder=$(mktemp -d /tmp/pg-XXXXXX) || { echo "failed no folder in /tmp"; exit 3; }
data=$folder/data
log=$folder/log
# Standard output carries answers only.
exec 3>&1 1>>"$log" 2>&1

bin=$(ls -d /usr/lib/postgresql/*/bin /usr/local/pgsql/bin 2>/dev/null | sort -V | tail -n 1)
[ -n "$bin" ] || bin=$(pg_config --bindir 2>/dev/null)
[ -x "$bin/initdb" ] || { echo "failed PostgreSQL is not installed: run scripts/bootstrap" >&3; exit 3; }

# The server refuses to run as root.
as=()
if [ "$(id -u)" = 0 ]; then
  chown nobody "$folder"
  as=(setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups)
fi
cd "$folder" || exit 3
export HOME=$folder LC_ALL=C

pid() { head -n 1 "$data/postmaster.pid" 2>/dev/null; }

start() {
  # Right after a crash the old server's children may hold its memory for a moment: try again until they are gone.
  for _ in $(seq 100); do
    "${as[@]}" "$bin/pg_ctl" -D "$data" -l "$folder/server.log" -w -t 60 start </dev/null 3>&- && return 0
    sleep 0.1
  done
  return 1
}

crash() {
  local postmaster
  postmaster=$(pid)
  [ -n "$postmaster" ] || return 1
  kill -9 "$postmaster"
  while kill -0 "$postmaster" 2>/dev/null; do sleep 0.02; done
}

stop() { "${as[@]}" "$bin/pg_ctl" -D "$data" -m immediate -w -t 30 stop 3>&-; }

finish() {
  stop
  cd /
  rm -rf "$folder"
}
trap finish EXIT
trap '' INT TERM PIPE HUP

"${as[@]}" "$bin/initdb" -D "$data" -U postgres -A trust -E UTF8 --locale=C --no-sync ||
  { echo "failed initdb, see $log" >&3; exit 3; }
{
  echo "listen_addresses = ''"
  echo "unix_socket_directories = '$folder'"
  echo "max_connections = 60"
  echo "shared_buffers = 128MB"
  for setting in "$@"; do echo "${setting%%=*} = '${setting#*=}'"; done
} >>"$data/postgresql.conf"
echo "ok $folder" >&3

while read -r command argument; do
  case $command in
    start | crash | stop) "$command" && echo ok >&3 || echo "failed $command, see $log" >&3 ;;
    set) echo "${argument%%=*} = '${argument#*=}'" >>"$data/postgresql.conf" && echo ok >&3 ;;
    *) echo "failed unknown command $command" >&3 ;;
  esac
done
