#!/usr/bin/env bash
# Installs benchctl for this job from the portable archive, or finds the one that is there.
#
# BENCHD_ARCHIVE  the archive, as a file or an https address; empty: benchctl is installed already
# BENCHD_SHA256   its SHA-256
set -euo pipefail

# One line for the log, in the form that GitHub also shows above it.
fail() {
  local text="$1${2:+; hint: $2}"
  text=${text//'%'/'%25'}
  text=${text//$'\r'/'%0D'}
  printf '::error title=benchd::%s\n' "${text//$'\n'/'%0A'}"
  exit 2
}

archive=${BENCHD_ARCHIVE:-}
if [ -z "$archive" ]; then
  command -v benchctl >/dev/null ||
    fail 'benchctl: not installed' 'give the action the inputs archive and sha256'
  benchctl --version
  exit 0
fi
sum=${BENCHD_SHA256:-}
[[ $sum =~ ^[0-9a-f]{64}$ ]] ||
  fail 'sha256: not 64 hexadecimal digits' 'copy it from the file ARCHIVE.sha256 of the release'
command -v zstd >/dev/null || fail 'zstd: not installed' 'install it, as in: apt-get install zstd'

folder=${RUNNER_TEMP:-/tmp}/benchd
mkdir -p "$folder/unpacked"
case $archive in
  https://*)
    curl --fail --silent --show-error --location --proto '=https' --retry 3 --max-time 300 \
      --output "$folder/archive.tar.zst" -- "$archive" || fail "$archive: cannot be fetched"
    ;;
  *://*) fail "$archive: only https addresses are fetched" ;;
  *) cp -- "$archive" "$folder/archive.tar.zst" || fail "$archive: cannot be read" ;;
esac
printf '%s  %s\n' "$sum" "$folder/archive.tar.zst" | sha256sum --check --status ||
  fail "$archive: its SHA-256 is not the given one" 'give the sum of this release, or fetch it again'
tar --extract --zstd --strip-components=1 --file="$folder/archive.tar.zst" \
  --directory="$folder/unpacked" || fail "$archive: not an archive of benchd"
[ -x "$folder/unpacked/install.sh" ] || fail "$archive: not an archive of benchd"
"$folder/unpacked/install.sh" --user --prefix "$folder/installed" >/dev/null ||
  fail "$archive: cannot be installed (see above)"
printf '%s\n' "$folder/installed/bin" >>"${GITHUB_PATH:-/dev/null}"
"$folder/installed/bin/benchctl" --version
