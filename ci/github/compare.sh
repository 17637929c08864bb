#!/usr/bin/env bash
# Runs `benchctl ci` with the inputs of the action, which are its options.
#
# Each option is a variable, BENCHD_MARGIN for --margin, and is left out if it is empty. The exit
# code becomes an output, because the steps that upload and comment come before the job may fail.
set -euo pipefail

words=()
add() {
  if [ -n "$2" ]; then words+=("--$1" "$2"); fi
}
# Adds an option for each line of a value.
add_lines() {
  local line
  while IFS= read -r line; do
    line=${line#"${line%%[![:space:]]*}"}
    add "$1" "${line%"${line##*[![:space:]]}"}"
  done <<<"$2"
}

add base "${BENCHD_BASE:-}"
add build "${BENCHD_BUILD:-}"
add harness "${BENCHD_HARNESS:-}"
add margin "${BENCHD_MARGIN:-}"
add max-time "${BENCHD_MAX_TIME:-}"
add calibrate "${BENCHD_CALIBRATE:-}"
add_lines metric "${BENCHD_METRIC:-}"
add fail-on "${BENCHD_FAIL_ON:-}"
add results "${BENCHD_RESULTS:-}"
case ${BENCHD_COMMENT:-} in true | false) ;; *) add comment "${BENCHD_COMMENT:-}" ;; esac
while IFS= read -r word; do
  if [ -n "$word" ]; then words+=("$word"); fi
done <<<"${BENCHD_OPTIONS:-}"
add file "${BENCHD_SUITE:-}"
if [ -n "${BENCHD_COMMAND:-}" ]; then words+=(-- "$BENCHD_COMMAND"); fi

# Names of benchmarks and metrics are the job's: no line that has them may be a workflow command.
token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$token"
code=0
benchctl ci "${words[@]}" || code=$?
echo "::$token::"
printf 'exit-code=%s\n' "$code" >>"${GITHUB_OUTPUT:-/dev/null}"
