# The time of the files in the portable archive, for ./dev and ci/platform.sh, whose die() it calls.
# shellcheck shell=bash

# commit_time SUBJECT HINT: prints SOURCE_DATE_EPOCH, or else the time of the last commit, in seconds
# since 1970.
commit_time() {
  if [ -n "${SOURCE_DATE_EPOCH:-}" ]; then
    echo "$SOURCE_DATE_EPOCH"
  else
    # Git refuses to read another user's checkout without this, as with sudo.
    git -c safe.directory="$PWD" log -1 --format=%ct 2>/dev/null ||
      die "$1: $PWD has no commit, whose time the files would get" "$2"
  fi
}
