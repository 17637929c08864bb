#!/usr/bin/env bash
# Publishes the history of a repository on one of its branches. Adds the session of this job to the
# folder of exports there, writes the pages of all of them with benchctl history --site, commits what
# changed, and pushes. Jobs that do the same at the same time are not lost: the push is refused, and
# everything is done again on what they pushed.
#
# Only a push to the default branch publishes, never a pull request. Every failure is one line that
# says what to do, and exit code 1.
#
# BENCHD_SITE_BRANCH     the branch; it is created if it is missing
# BENCHD_SITE_FOLDER     its folder for the pages
# BENCHD_SITE_EXPORTS    its folder for the exports
# BENCHD_SITE_URL        address of the folder of pages, for the feed; may be empty
# BENCHD_RESULTS         the folder in which benchctl ci wrote its files
# BENCHD_SESSION         ID of the session
# BENCHD_VERDICT         its verdict
# BENCHD_DEFAULT_BRANCH  the default branch of the repository
# BENCHD_TOKEN           a token that may write contents
# GITHUB_EVENT_NAME, GITHUB_REF, GITHUB_REPOSITORY, GITHUB_SERVER_URL, GITHUB_SHA  set by GitHub
set -euo pipefail

. "${BASH_SOURCE[0]%/*}/say.sh"

told=
fail() {
  say warning "site: $1${2:+; hint: $2}"
  told=1
  exit 1
}

readonly attempts=5
branch=$BENCHD_SITE_BRANCH
site=$BENCHD_SITE_FOLDER
exports=$BENCHD_SITE_EXPORTS
page=$GITHUB_SERVER_URL/$GITHUB_REPOSITORY
export_file=$BENCHD_RESULTS/history.json

if [ "$GITHUB_EVENT_NAME" != push ] || [ "$GITHUB_REF" != "refs/heads/$BENCHD_DEFAULT_BRANCH" ]; then
  echo "benchd: the site is published by pushes to $BENCHD_DEFAULT_BRANCH"
  exit 0
fi
git check-ref-format "refs/heads/$branch" || fail "$branch: not the name of a branch"
[ "$branch" != "$BENCHD_DEFAULT_BRANCH" ] ||
  fail "$branch: is the default branch" 'use another one, as in site-branch: gh-pages'
readonly name='[A-Za-z0-9_][A-Za-z0-9._-]*'
for folder in "$site" "$exports"; do
  [[ $folder =~ ^$name(/$name)*$ ]] || fail "$folder: not the name of a folder on a branch" \
    "use letters, digits, '.', '_' and '-', as in site-folder: benchd"
done
[[ $BENCHD_SESSION =~ ^[A-Za-z0-9]+$ ]] || fail "$BENCHD_SESSION: not the ID of a session"
[ -r "$export_file" ] || fail "$export_file: missing" 'benchctl ci writes this file'
export_name=$(date -u +%Y-%m-%d)-$BENCHD_SESSION.json
words=(--exports "$exports" --site "$site")
if [[ $page == http* ]]; then words+=(--commit-url "$page/commit/{commit}"); fi
if [ -n "$BENCHD_SITE_URL" ]; then words+=(--site-url "$BENCHD_SITE_URL"); fi

scratch=$(mktemp -d)
# shellcheck disable=SC2317  # the trap calls it
finish() {
  local code=$?
  rm -rf "$scratch"
  if [ "$code" != 0 ] && [ -z "$told" ]; then
    say warning "site: a command failed with exit code $code; hint: see the lines above"
  fi
}
trap finish EXIT
said=$scratch/said
tree=$scratch/tree

# The messages of git are read, and nobody is there to answer a question. The token is not a word of
# a command, because any user can read those. The empty value removes headers that a configuration
# of the runner adds, because GitHub refuses a second one.
export LC_ALL=C GIT_TERMINAL_PROMPT=0 GIT_HTTP_LOW_SPEED_LIMIT=1000 GIT_HTTP_LOW_SPEED_TIME=60
if [ -n "$BENCHD_TOKEN" ]; then
  secret=$(printf 'x-access-token:%s' "$BENCHD_TOKEN" | base64 | tr -d '\n')
  export GIT_CONFIG_COUNT=2
  export GIT_CONFIG_KEY_0="http.$GITHUB_SERVER_URL/.extraheader" GIT_CONFIG_VALUE_0=
  export GIT_CONFIG_KEY_1=$GIT_CONFIG_KEY_0 GIT_CONFIG_VALUE_1="AUTHORIZATION: basic $secret"
fi
in_tree() { git -C "$tree" "$@"; }
git init --quiet --initial-branch=site "$tree"
in_tree config core.hooksPath /dev/null
in_tree config commit.gpgSign false
in_tree config user.name 'github-actions[bot]'
in_tree config user.email '41898282+github-actions[bot]@users.noreply.github.com'

# Ends with what the server said to a command of git whose output is in $said.
refuse() {
  local reason
  reason=$(grep -m 1 '^remote: .' "$said" || grep -m 1 -E '^(fatal|error): ' "$said" || true)
  reason=${reason#*: }
  reason=${reason%"${reason##*[![:space:]]}"}  # git adds spaces
  case $(<"$said") in
    *'error: 403'* | *denied* | *declined* | *'not granted'* | *'not found'* | \
      *'Authentication failed'* | *'could not read Username'*)
      fail "$branch: $1 was refused${reason:+: $reason}" 'permissions: {contents: write}'
      ;;
  esac
  fail "$branch: $1 failed${reason:+: $reason}" 'run the job again'
}

# Brings the newest commit of the branch into the tree. Without such a branch, the next commit is
# its first one.
check_out() {
  local code=0
  in_tree ls-remote --exit-code "$page" "refs/heads/$branch" >"$said" 2>&1 || code=$?
  case $code in
    0)
      in_tree fetch --quiet --depth=1 --no-tags "$page" "refs/heads/$branch" >"$said" 2>&1 ||
        refuse 'the fetch'
      in_tree checkout --quiet --force --detach FETCH_HEAD >"$said" 2>&1 || refuse 'the checkout'
      in_tree clean --quiet --force -dx
      ;;
    2)
      in_tree symbolic-ref HEAD "refs/heads/first-$attempt"
      in_tree read-tree --empty
      # GitHub would otherwise run Jekyll over the pages.
      touch "$tree/.nojekyll"
      ;;
    *) refuse 'the fetch' ;;
  esac
}

# Adds the session, and writes the pages of all sessions.
write() {
  mkdir -p "$tree/$exports" "$(dirname "$tree/$site")"
  cp -- "$export_file" "$tree/$exports/$export_name"
  (cd "$tree" && benchctl history "${words[@]}") >"$said" 2>&1 ||
    fail "$(sed -n 's/^error: //p' "$said" | head -n 1)" \
      "$(sed -n 's/^hint: //p' "$said" | head -n 1)"
  if grep -q '^warning: ' "$said"; then
    say warning "site: $(grep -c '^warning: ' "$said") of the sessions in $exports have no place in \
the history, such as $(sed -n 's/^warning: //p' "$said" | head -n 1)"
  fi
}

for ((attempt = 1; attempt <= attempts; ++attempt)); do
  check_out
  write
  in_tree add --all --force
  if in_tree diff --cached --quiet; then
    echo "benchd: $branch has this session already"
    exit 0
  fi
  in_tree commit --quiet \
    --message "benchd: $BENCHD_VERDICT at ${GITHUB_SHA:0:12}, session $BENCHD_SESSION"
  if in_tree push --porcelain "$page" "HEAD:refs/heads/$branch" >"$said" 2>&1; then
    echo "benchd: published session $BENCHD_SESSION in $site on $branch"
    exit 0
  fi
  case $(sed -n 's/^!\t[^\t]*\t//p' "$said") in
    '[rejected]'* | *'cannot lock ref'* | *'failed to update ref'* | *'incorrect old value'*) ;;
    *) refuse 'the push' ;;
  esac
  # Jobs that were refused together try again at different times.
  if [ $attempt -lt $attempts ]; then sleep "$((RANDOM % attempt)).$((RANDOM % 10))"; fi
done
fail "$branch: other jobs pushed before this one, $attempts times" 'run the job again'
