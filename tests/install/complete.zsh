# zsh -f complete.zsh FOLDER LINE: prints zsh's completions of LINE, one word per line, with the
# completions of FOLDER. It uses an interactive shell in a pseudo-terminal, because zsh completes
# nowhere else. The shell's compadd prints its arguments.
zmodload zsh/zpty || exit 77
zpty shell zsh -f -i
setup=$(mktemp)
trap 'rm -f $setup' EXIT
cat >$setup <<'END'
PROMPT=
fpath=($COMPLETIONS $fpath)
autoload -Uz compinit
compinit -D -u
bindkey '^I' complete-word
zstyle ':completion:*' insert-tab false
edge() { print -r - '@@edge' }
compprefuncs=(edge)
comppostfuncs=(edge)
compadd() {
  # Only sorts words into arrays, for _describe and _arguments.
  if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then
    builtin compadd "$@"
    return
  fi
  local -a offered
  builtin compadd -O offered "$@"
  if (($#offered)); then print -rl - "@@word "$^offered; fi
  builtin compadd "$@"
}
print ready
END
COMPLETIONS=$1 zpty -w shell "COMPLETIONS=${(q)1}; source $setup"
while zpty -r shell line; do [[ $line == ready* ]] && break; done
zpty -w -n shell "$2"$'\t'
integer edges=0
while ((edges < 2)) && zpty -r shell line; do
  case $line in
    *@@edge*) edges+=1 ;;
    *@@word\ *) print -r - ${${line#*@@word }%%[$'\r\n']*} ;;
  esac
done
zpty -d shell
