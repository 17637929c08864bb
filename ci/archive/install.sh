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
# A word as the user would type it, in quotes if it needs them.
quoted() {
  case $1 in
    *[!A-Za-z0-9_./-]*) printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")" ;;
    *) printf '%s' "$1" ;;
  esac
}

# Installed files are readable for all, whatever the umask.
umask 022
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
# For hints.
case $0 in
  */*) self=$(quoted "$0") ;;
  *) self=./$(quoted "$0") ;;
esac
remove=
[ $action = install ] || remove=' --remove'
# With an exported CDPATH, cd would print the folder.
source=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
# The mode and the name of each file, one per line.
[ -f "$source/manifest" ] || fail "$source: manifest is missing" "unpack the whole archive"

debian_package() {
  command -v dpkg-query >/dev/null && dpkg-query -W -f='${db:Status-Status}' benchd 2>/dev/null |
    grep -qx installed
}
rpm_package() { command -v rpm >/dev/null && rpm -q benchd >/dev/null 2>&1; }
systemd_runs() { [ -d /run/systemd/system ]; }

if [ $action = install ] && [ -f "$source/processor" ]; then
  processor=$(cat "$source/processor")
  machine=$(uname -m)
  [ "$machine" = "$processor" ] ||
    fail "the archive is for $processor, and the processor of this machine is $machine" \
      "unpack the archive whose name ends with linux-$machine.tar.zst; the processors are x86_64 and aarch64"
fi
if [ $mode = system ]; then
  [ -z "$prefix" ] || fail "--prefix: the services need /usr/local" "omit --prefix, or use --user"
  [ "$(id -u)" -eq 0 ] || fail "--system: requires root" "sudo $self --system$remove"
  if [ $action = install ]; then
    systemd_runs || fail "--system: systemd is not running" "$self --user"
    # Removing keeps the sessions, which purging would delete.
    ! debian_package || fail "--system: the Debian package benchd is installed" \
      "sudo apt remove benchd benchctl"
    ! rpm_package || fail "--system: the RPM package benchd is installed" \
      "sudo dnf remove benchd benchctl"
  fi
  prefix=/usr/local
elif [ -z "$prefix" ]; then
  [ -n "${HOME:-}" ] || fail "--user: HOME is not set" "$self --prefix DIR$remove"
  prefix=$HOME/.local
fi
[ $action = remove ] || mkdir -p "$prefix"
[ ! -d "$prefix" ] || prefix=$(CDPATH='' cd -- "$prefix" && pwd -P)
service=$prefix/lib/systemd/system/benchd.service
# They would get the programs of another version, or lose theirs.
if [ $mode = user ] && [ "$prefix" != "$source" ] && [ -f "$service" ]; then
  hint="$self --prefix DIR, with another folder"
  [ "$prefix" != /usr/local ] || hint="sudo $self --system$remove"
  fail "$prefix: benchd is installed there with its services" "$hint"
fi
# Of the installed version, which may have had other files.
installed=$prefix/share/benchd/manifest
# While an installation runs, and after one that was interrupted: the files of both versions.
unfinished=$installed.unfinished
services='benchd.service benchd-runner.service'
units="benchd.socket benchd-runner.socket $services"

# Files for a machine rather than a user: services, their users and their folders.
is_part() {
  case $1 in
    lib/*) [ $mode = system ] ;;
    *) return 0 ;;
  esac
}

# The files that may be installed, as in a manifest.
installed_files() { cat "$installed" "$unfinished" 2>/dev/null || true; }

# Removes the listed files that are installed, and copies that an interrupted installation left.
# Folders stay, because others may use them.
remove_files() {
  while read -r _ file; do
    if is_part "$file"; then rm -f "$prefix/$file" "$prefix/$file.new"; fi
  done
}

if [ $action = remove ]; then
  if [ ! -f "$installed" ] && [ ! -f "$unfinished" ]; then
    hint="$self --prefix DIR --remove, or --system --remove for that of the machine"
    [ $mode = user ] || hint="$self --remove removes that of one user"
    fail "$prefix: benchd is not installed there from an archive" "$hint"
  fi
  # A package has services of the same names, which must keep running.
  packaged=no
  if [ $mode = system ] && { debian_package || rpm_package; }; then packaged=yes; fi
  if [ $mode = system ] && [ $packaged = no ]; then
    # The runner restores the machine's settings when it stops. A unit that is missing is no reason
    # to let the others run.
    # shellcheck disable=SC2086
    ! systemd_runs || systemctl stop $units bench.slice >/dev/null 2>&1 || true
    # Removes links, for which systemd need not run.
    for unit in $units; do systemctl disable "$unit" >/dev/null 2>&1 || true; done
  fi
  installed_files | remove_files
  rm -f "$installed" "$unfinished"
  if [ $mode = system ]; then
    if systemd_runs; then
      systemctl daemon-reload
      # shellcheck disable=SC2086
      [ $packaged = no ] || systemctl try-restart $services
    fi
    journal=/run/benchd-runner/settings.journal
    if [ $packaged = no ] && [ -s "$journal" ]; then
      printf 'warning: %s: not all settings of this machine were restored\n' "$journal" >&2
      printf 'hint: reboot, or set the old values: a line has kind, target, old and new value\n' >&2
    fi
  fi
  echo "removed from $prefix"
  exit 0
fi

if [ "$source" = "$prefix" ]; then
  fail "$source: the archive was unpacked where it would be installed" "unpack it into a folder of its own"
fi
# A version that was installed completely, in the same mode.
upgrade=no
if [ -f "$installed" ] && { [ $mode = user ] || [ -f "$service" ]; }; then upgrade=yes; fi

# shellcheck disable=SC2317 # called by the traps
clean_up() {
  while read -r _ file; do
    if is_part "$file"; then rm -f "$prefix/$file.new"; fi
  done <"$source/manifest"
  rm -f "$unfinished.new" "$installed.new"
  if [ -f "$unfinished" ]; then
    printf 'error: %s: the installation is incomplete\n' "$prefix" >&2
    printf 'hint: run install.sh again, or remove the files with --remove\n' >&2
  fi
}
trap clean_up EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
# All files are copied before the first one is replaced, because that is what takes time and may
# fail for lack of space.
while read -r file_mode file; do
  is_part "$file" || continue
  mkdir -p "$prefix/${file%/*}"
  # The copies belong to the user who installs, even if another one unpacked the archive.
  rm -f "$prefix/$file.new"
  cp -P "$source/$file" "$prefix/$file.new"
  chmod "$file_mode" "$prefix/$file.new"
done <"$source/manifest"
mkdir -p "$prefix/share/benchd"
{
  installed_files
  cat "$source/manifest"
} | awk '{ name = $0; sub(/^[^ ]* /, "", name) } !(name in seen) { seen[name]; print }' >"$unfinished.new"
mv -f "$unfinished.new" "$unfinished"
# Files are replaced instead of overwritten, so that running programs keep theirs.
while read -r _ file; do
  is_part "$file" || continue
  mv -f "$prefix/$file.new" "$prefix/$file"
done <"$source/manifest"
# Files that this version no longer has.
awk '{ name = $0; sub(/^[^ ]* /, "", name) }
     FNR == NR { kept[name]; next }
     !(name in kept)' "$source/manifest" "$unfinished" | remove_files

if [ $mode = system ]; then
  systemd-sysusers "$prefix/lib/sysusers.d/benchd.conf"
  systemd-tmpfiles --create "$prefix/lib/tmpfiles.d/benchd.conf" || true
  systemctl daemon-reload
  if [ $upgrade = no ]; then
    systemctl enable --now benchd-runner.socket benchd.socket
    systemctl enable benchd.service
    started=$services
  else
    # What the administrator has disabled, stopped or masked stays so.
    started=
    for unit in $services; do
      ! systemctl --quiet is-active "$unit" || started="$started $unit"
    done
  fi
  # In one command: the previous daemon ends its run, then the runner restores the settings. The
  # session resumes from its stored blocks.
  # shellcheck disable=SC2086
  [ -z "$started" ] || systemctl restart $started
fi
cp "$source/manifest" "$installed.new"
chmod 644 "$installed.new"
mv -f "$installed.new" "$installed"
rm -f "$unfinished"
trap - EXIT HUP INT TERM

echo "installed below $prefix"
if [ $mode = system ]; then
  echo "to let a user submit: usermod -aG benchd USER"
  echo "the user must log in again before the group takes effect"
else
  case :$PATH: in
    *:"$prefix/bin":*) ;;
    *) echo "add it to your PATH: export PATH=\"$prefix/bin:\$PATH\"" ;;
  esac
  if [ $upgrade = yes ] && pgrep -x -u "$(id -u)" benchd >/dev/null 2>&1; then
    echo "your benchd still runs the previous version; it exits after ten idle minutes"
  fi
  echo "try it: benchctl compare 'sleep 0.01' 'sleep 0.012'"
fi
