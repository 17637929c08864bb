#!/bin/sh
# Installs benchd from this archive, for one user or as a systemd service of the machine.
set -eu

usage() {
  cat <<'HELP'
usage: install.sh [--user | --system] [--prefix DIR] [--remove]

  --user     for you alone, below ~/.local (default)
  --system   for all users of this machine, below /usr/local, with its services; as root
  --prefix   below DIR instead; with --user only
  --remove   take away what was installed; sessions that were measured stay
HELP
}
fail() {
  printf 'error: %s\n' "$1" >&2
  [ $# -lt 2 ] || printf 'hint: %s\n' "$2" >&2
  exit 2
}

mode=user
action=install
prefix=
while [ $# -gt 0 ]; do
  case $1 in
    --user) mode=user ;;
    --system) mode=system ;;
    --remove) action=remove ;;
    --prefix)
      [ $# -gt 1 ] || fail "--prefix: missing folder" "install.sh --prefix ~/benchd"
      prefix=$2
      shift
      ;;
    -h | --help)
      usage
      exit 0
      ;;
    *) fail "unknown option '$1'" "install.sh --help" ;;
  esac
  shift
done
source=$(cd "$(dirname "$0")" && pwd)
[ -x "$source/bin/benchctl" ] || fail "$source: bin/benchctl is missing" "unpack the whole archive"
if [ $mode = system ]; then
  [ -z "$prefix" ] || fail "--prefix: the services need /usr/local" "omit --prefix, or use --user"
  [ "$(id -u)" -eq 0 ] || fail "--system: only root can install services" "sudo $0 --system"
  [ -d /run/systemd/system ] || fail "--system: systemd is not running" "install.sh --user"
  if command -v dpkg-query >/dev/null && dpkg-query -W -f='${db:Status-Status}' benchd 2>/dev/null |
    grep -qx installed; then
    fail "--system: the Debian package benchd is installed" "sudo apt remove benchd benchctl"
  fi
  prefix=/usr/local
fi
prefix=${prefix:-$HOME/.local}
units='benchd.socket benchd-runner.socket benchd.service benchd-runner.service'

# Files for a machine rather than a user: services, their users and their folders.
is_part() {
  case $1 in
    install.sh | README.md | LICENSE | changelog.md) return 1 ;;
    lib/* | etc/*) [ $mode = system ] ;;
    *) return 0 ;;
  esac
}

# The files of the archive, one per line.
files() { (cd "$source" && find . -type f -o -type l) | sed 's|^\./||' | sort; }

if [ $action = remove ]; then
  if [ $mode = system ]; then
    # The runner restores the machine's settings when it stops.
    # shellcheck disable=SC2086
    systemctl disable --now $units >/dev/null 2>&1 || true
  fi
  files | while read -r file; do
    if is_part "$file"; then rm -f "$prefix/$file"; fi
  done
  [ $mode != system ] || systemctl daemon-reload
  echo "removed from $prefix"
  exit 0
fi

files | while read -r file; do
  is_part "$file" || continue
  mkdir -p "$prefix/$(dirname "$file")"
  # Replace files instead of overwriting them, so that running programs keep theirs.
  cp -pP "$source/$file" "$prefix/$file.new"
  mv -f "$prefix/$file.new" "$prefix/$file"
done

if [ $mode = system ]; then
  systemd-sysusers "$prefix/lib/sysusers.d/benchd.conf"
  systemd-tmpfiles --create "$prefix/lib/tmpfiles.d/benchd.conf" || true
  systemctl daemon-reload
  systemctl enable --now benchd-runner.socket benchd.socket
  systemctl enable benchd.service
  # The previous daemon ends its run first; the session resumes from its stored blocks.
  systemctl restart benchd-runner.service benchd.service
  echo "installed below $prefix; to let a user submit: usermod -aG benchd USER"
else
  echo "installed below $prefix"
  case :$PATH: in
    *:"$prefix/bin":*) ;;
    *) echo "add it to your PATH: export PATH=\"$prefix/bin:\$PATH\"" ;;
  esac
  echo "try it: benchctl compare 'sleep 0.01' 'sleep 0.012'"
fi
