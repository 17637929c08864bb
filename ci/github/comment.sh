#!/usr/bin/env bash
# Creates or updates the one comment of a pull request, which is found by the marker in its first
# line. Every failure is one line that says what to do, and exit code 1.
#
# BENCHD_COMMENT_FILE    the comment; its first line is the marker
# BENCHD_TOKEN           a token that may write to pull requests
# BENCHD_PULL_REQUEST    its number; or else
# BENCHD_HEAD            OWNER:BRANCH and
# BENCHD_HEAD_SHA        the commit, by which the pull request is found
# BENCHD_COMMENT_AUTHOR  login that the token writes as (default: github-actions[bot])
# BENCHD_FORK            true: the token has no rights, so the comment is left to a second workflow
# GITHUB_REPOSITORY, GITHUB_API_URL  set by GitHub
set -euo pipefail

. "${BASH_SOURCE[0]%/*}/say.sh"

fail() {
  say warning "comment: $1${2:+; hint: $2}"
  exit 1
}

if [ "${BENCHD_FORK:-}" = true ]; then
  say notice "comment: a pull request from a fork may not comment; a second workflow can post \
$BENCHD_COMMENT_FILE from the artifact, as docs/ci.md shows"
  exit 0
fi
for program in curl jq; do
  command -v $program >/dev/null || fail "$program: not installed" "install it on the runner"
done
[ -n "${BENCHD_TOKEN:-}" ] || fail 'no token' 'give the action the input token'
[ -r "$BENCHD_COMMENT_FILE" ] || fail "$BENCHD_COMMENT_FILE: missing" 'see the step before'
IFS= read -r marker <"$BENCHD_COMMENT_FILE" || true
[[ $marker =~ ^'<!-- benchd: '[A-Za-z0-9._/-]+' -->'$ ]] ||
  fail "$BENCHD_COMMENT_FILE: does not begin with a marker" 'benchctl ci writes this file'
author=${BENCHD_COMMENT_AUTHOR:-github-actions[bot]}
repository=${GITHUB_API_URL:-https://api.github.com}/repos/$GITHUB_REPOSITORY

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# call WORD...: asks the API by curl; $status is the answer's code, 000 without an answer. The token
# is not a word, because any user can read those.
call() {
  status=$(printf 'header = "Authorization: Bearer %s"\n' "$BENCHD_TOKEN" |
    curl --config - --silent --max-time 60 --output "$scratch/answer" \
      --dump-header "$scratch/headers" --write-out '%{http_code}' \
      --header 'Accept: application/vnd.github+json' \
      --header 'X-GitHub-Api-Version: 2022-11-28' "$@") || status=000
}

# The value of a header in the last answer.
header() {
  sed -n "s/^$1: *//Ip" "$scratch/headers" 2>/dev/null | tr -d '\r' | head -n 1
}

# Ends unless the last answer was a success.
check() {
  case $status in 2??) return ;; esac
  local said wait
  said=$(jq -r '.message? // empty' "$scratch/answer" 2>/dev/null | head -c 300) || said=
  said=${said:+: $said}
  wait=$(header retry-after)
  if [ "$status" = 403 ] && { [ -n "$wait" ] || [ "$(header x-ratelimit-remaining)" = 0 ]; }; then
    status=429
  fi
  case $status in
    000) fail "no answer from $repository" 'see the network of the runner' ;;
    401) fail "the token is not valid (401)$said" 'give the action the input token' ;;
    403) fail "the token may not comment (403)$said" 'permissions: {pull-requests: write}' ;;
    404) fail "no pull request ${number:-} in $GITHUB_REPOSITORY for this token (404)$said" \
      'permissions: {pull-requests: write}' ;;
    422) fail "the comment was refused (422)$said" 'is the pull request locked?' ;;
    429) fail "too many requests (429)$said" "run the job again in ${wait:-60} seconds" ;;
    *) fail "the answer was $status$said" 'run the job again' ;;
  esac
}

number=${BENCHD_PULL_REQUEST:-}
if [ -z "$number" ]; then
  [ -n "${BENCHD_HEAD:-}" ] || fail 'no pull request' 'run the action on pull_request'
  call --get --data-urlencode "head=$BENCHD_HEAD" --data state=open --data per_page=100 \
    "$repository/pulls"
  check
  number=$(jq -r --arg sha "$BENCHD_HEAD_SHA" \
    '[.[] | select(.head.sha == $sha)] | first | .number // empty' "$scratch/answer")
  if [ -z "$number" ]; then
    say notice "comment: no open pull request of $BENCHD_HEAD has the commit $BENCHD_HEAD_SHA"
    exit 0
  fi
fi
[[ $number =~ ^[0-9]+$ ]] || fail "$number: not the number of a pull request"

# Somebody else's comment may begin with the same line, and its author could change it later.
id=
for ((page = 1; page <= 30; ++page)); do
  call "$repository/issues/$number/comments?per_page=100&page=$page"
  check
  id=$(jq -r --arg marker "$marker" --arg author "$author" '[.[] | select(.user.login == $author)
    | select(.body // "" | startswith($marker))] | first | .id // empty' "$scratch/answer")
  if [ -n "$id" ] || [ "$(jq length "$scratch/answer")" -lt 100 ]; then break; fi
done

jq -Rs '{body: .}' "$BENCHD_COMMENT_FILE" >"$scratch/body"
if [ -n "$id" ]; then
  call --request PATCH --data-binary "@$scratch/body" "$repository/issues/comments/$id"
  check
  echo "benchd: updated comment $id of pull request $number"
else
  call --request POST --data-binary "@$scratch/body" "$repository/issues/$number/comments"
  check
  echo "benchd: commented on pull request $number"
fi
