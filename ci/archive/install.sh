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
# With an exported CDPATH, cd would print the folder.
source=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
# The mode and the name of each file, one per line.
[ -f "$source/manifest" ] || fail "$source: manifest is missing" "unpack the whole archive"

debian_package() {
  command -v dpkg-query >/dev/null && dpkg-query -W -f='${db:Status-Status}' benchd 2>/dev/null |
    grep -qx installed
}
if [ $mode = system ]; then
  [ -z "$prefix" ] || fail "--prefix: the services need /usr/local" "omit --prefix, or use --user"
  [ "$(id -u)" -eq 0 ] || fail "--system: only root can install services" "sudo $0 --system"
  [ -d /run/systemd/system ] || fail "--system: systemd is not running" "install.sh --user"
  if [ $action = install ] && debian_package; then
    fail "--system: the Debian package benchd is installed" "sudo apt remove benchd benchctl"
  fi
  prefix=/usr/local
  # Root's umask may hide new folders from users.
  umask 022
fi
prefix=${prefix:-$HOME/.local}
[ $action = remove ] || mkdir -p "$prefix"
[ ! -d "$prefix" ] || prefix=$(CDPATH='' cd -- "$prefix" && pwd -P)
# Of the installed version, which may have had other files.
installed=$prefix/share/benchd/manifest
services='benchd.service benchd-runner.service'
units="benchd.socket benchd-runner.socket $services"

# Files for a machine rather than a user: services, their users and their folders.
is_part() {
  case $1 in
    lib/*) [ $mode = system ] ;;
    *) return 0 ;;
  esac
}

# Removes the listed files that are installed. Folders stay, because others may use them.
remove_files() {
  while read -r _ file; do
    if is_part "$file"; then rm -f "$prefix/$file"; fi
  done
}

if [ $action = remove ]; then
  [ -f "$installed" ] || fail "$prefix: benchd is not installed there from an archive"
  # The Debian package has services of the same names, which must keep running.
  if [ $mode = system ] && ! debian_package; then
    # The runner restores the machine's settings when it stops. A unit that is missing is no reason
    # to let the others run.
    # shellcheck disable=SC2086
    systemctl stop $units bench.slice >/dev/null 2>&1 || true
    for unit in $units; do systemctl disable "$unit" >/dev/null 2>&1 || true; done
  fi
  remove_files <"$installed"
  rm -f "$installed"
  if [ $mode = system ]; then
    systemctl daemon-reload
    # shellcheck disable=SC2086
    if debian_package; then systemctl try-restart $services; fi
  fi
  echo "removed from $prefix"
  exit 0
fi

if [ "$source" = "$prefix" ]; then
  fail "$source: the archive was unpacked where it would be installed" "unpack it into a folder of its own"
fi
while read -r file_mode file; do
  is_part "$file" || continue
  mkdir -p "$prefix/$(dirname "$file")"
  # Files are replaced instead of overwritten, so that running programs keep theirs. They belong to
  # who installs them, whoever unpacked the archive.
  rm -f "$prefix/$file.new"
  cp -P "$source/$file" "$prefix/$file.new"
  chmod "$file_mode" "$prefix/$file.new"
  mv -f "$prefix/$file.new" "$prefix/$file"
done <"$source/manifest"
if [ -f "$installed" ]; then
  # Files that this version no longer has.
  awk '{ name = $0; sub(/^[^ ]* /, "", name) }
       FNR == NR { kept[name]; next }
       !(name in kept)' "$source/manifest" "$installed" | remove_files
fi
mkdir -p "$prefix/share/benchd"
cp "$source/manifest" "$installed.new"
chmod 644 "$installed.new"
mv -f "$installed.new" "$installed"

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
