# shellcheck shell=bash
# say LEVEL TEXT: one line for the log, in the form that GitHub also shows above it. comment.sh and
# site.sh read this file.
say() {
  local text
  text=$(printf '%s' "$2" | tr -d '\000-\010\013-\037\177' | tr '\n\t' '  ')
  printf '::%s title=benchd::%s\n' "$1" "${text//'%'/'%25'}"
}
