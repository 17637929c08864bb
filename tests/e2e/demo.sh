#!/usr/bin/env bash
# `./dev demo`: two comparisons of real programs with a user daemon that only the demo uses.
#
#   demo.sh BIN_DIR
set -euo pipefail
bin=$(realpath "$1")

if [ -S /run/benchd/benchd.sock ]; then
  echo "error: demo: a system daemon owns this machine, and a second one would disturb it" >&2
  echo "hint: use that daemon: benchctl compare 'gzip -1 -c FILE' 'gzip -2 -c FILE'" >&2
  exit 2
fi

work=$(mktemp -d /tmp/benchd-demo.XXXXXX)
daemon=
end_demo() {
  # Ends the daemon of this demo by its pid, and no other daemon.
  if [ -n "$daemon" ] && kill "$daemon" 2>/dev/null; then
    tail --pid="$daemon" -f /dev/null
  fi
  rm -rf "$work"
}
trap end_demo EXIT

# There is no daemon below these folders, so benchctl starts one there.
unset BENCHD_SOCKET
export XDG_RUNTIME_DIR=$work/run XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config
mkdir -m 700 "$XDG_RUNTIME_DIR" "$XDG_STATE_HOME" "$XDG_CONFIG_HOME"

compare() {
  local word code=0
  printf '\n$ benchctl compare'
  for word in "$@"; do
    case $word in
      *' '*) printf " '%s'" "$word" ;;
      *) printf ' %s' "$word" ;;
    esac
  done
  printf '\n'
  "$bin/benchctl" compare "$@" || code=$?
  if [ -z "$daemon" ]; then
    daemon=$("$bin/benchctl" version --json | sed -n 's/.*"pid": *\([0-9]*\).*/\1/p')
  fi
  case $code in
    0) echo "exit code 0: pass" ;;
    1) echo "exit code 1: regression" ;;
    3) echo "exit code 3: undecided in the time given" ;;
    *)
      echo "exit code $code"
      exit "$code"
      ;;
  esac
}

seq 1 1000000 >"$work/numbers.txt"
cp "$(command -v gzip)" "$work/gzip-copy"
cd "$work"

echo "gzip -2 compresses better than gzip -1. Is it slower by 2 % or more?"
compare --max-time 25s 'gzip -1 -c numbers.txt' 'gzip -2 -c numbers.txt'

echo
echo "Compare a program with its own copy by CPU time, the metric that other work disturbs least:"
compare --max-time 25s --margin 5% --metric cpu_time -n gzip -n its-copy \
  'gzip -1 -c numbers.txt' './gzip-copy -1 -c numbers.txt'

echo
echo "A pass is as sure as a regression here: each is wrong in at most one of 200 comparisons. If only"
echo "false alarms are costly, as in most CI jobs, --pass-confidence 95% passes after about 0.6 times the"
echo "runs, and false alarms are as rare as before (docs/ci.md)."
