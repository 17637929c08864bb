#include "client/app/completions.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "core/base/text.h"

namespace benchd::client {
namespace {

constexpr char kOrigin[] = "# Written by benchctl from the tables behind its --help.\n";

// --- bash: three tables, by the words of the command, and one function that walks the line.

std::string BashKey(std::string_view command) {
  return "'benchctl" + (command.empty() ? "" : " " + std::string(command)) + "'";
}

std::string BashRow(const std::string& key, const std::string& value) {
  return "  [" + key + "]=" + ShellQuoted(value) + "\n";
}

std::string BashValue(const OptionInfo& option) {
  static const std::map<Kind, std::string> kNames = {{Kind::kText, "text"},
                                                     {Kind::kFile, "file"},
                                                     {Kind::kFolder, "folder"},
                                                     {Kind::kArm, "arms"}};
  const std::vector<std::string_view> words = FixedWords(option);
  return std::to_string(option.words) + " " + kNames.at(KindOfValue(option)) +
         (words.empty() ? "" : " " + Join(words, " "));
}

void AddBashOptions(std::string_view command, std::span<const OptionInfo> options,
                    std::string* names, std::string* values) {
  std::string list;
  for (const OptionInfo& option : options) {
    std::vector<std::string> spellings = {"--" + std::string(option.name)};
    if (option.letter != 0) spellings.push_back(std::string("-") + option.letter);
    for (const std::string& spelling : spellings) {
      list += (list.empty() ? "" : " ") + spelling;
      if (option.value.empty()) continue;
      std::string key = BashKey(command);
      key.insert(key.size() - 1, " " + spelling);
      *values += BashRow(key, BashValue(option));
    }
  }
  *names += BashRow(BashKey(command), list);
}

constexpr char kBashFunctions[] = R"sh(
_benchctl_files() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen "$1" -- "$2")
}

_benchctl_value() {
  local cur=$1 words=$2 kind=$3
  shift 3
  if ((words > 1)); then return; fi
  case $kind in
    file) _benchctl_files -f "$cur" ;;
    folder) _benchctl_files -d "$cur" ;;
    arms) mapfile -t COMPREPLY < <(compgen -W "$(_benchctl_arms)" -- "$cur") ;;
  esac
  if (($#)); then mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$*" -- "$cur"); fi
}

_benchctl() {
  local cur=${COMP_WORDS[COMP_CWORD]} command=benchctl option='' kind word i rest=0
  local -i left=0
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if ((left > 0)); then
      # Readline makes three words of --option=value.
      if [[ $word != = ]]; then left=left-1; fi
    elif [[ $word == -- ]]; then
      rest=1
      break
    elif [[ $word == -* ]]; then
      option=$word
      word=${_benchctl_values["$command $option"]-0}
      left=${word%% *}
    elif [[ -n ${_benchctl_next[$command]-} ]]; then
      command+=" $word"
    fi
  done
  if [[ $cur == = ]]; then cur=''; fi
  if ((left > 0)); then
    # shellcheck disable=SC2086
    _benchctl_value "$cur" ${_benchctl_values["$command $option"]}
  elif [[ $cur == -* && $rest == 0 ]]; then
    mapfile -t COMPREPLY < <(compgen -W "${_benchctl_options[$command]-}" -- "$cur")
  elif [[ -n ${_benchctl_next[$command]-} ]]; then
    mapfile -t COMPREPLY < <(compgen -W "${_benchctl_next[$command]}" -- "$cur")
  else
    kind=${_benchctl_words[$command]-}
    case $kind in
      '') ;;
      file) _benchctl_files -f "$cur" ;;
      *) mapfile -t COMPREPLY < <(compgen -W "$("_benchctl_$kind")" -- "$cur") ;;
    esac
  fi
}

complete -F _benchctl benchctl
)sh";

std::string BashCompletion() {
  std::string next = BashRow(BashKey(""), NamesOf(NextWords(""))) +
                     BashRow(BashKey("help"), NamesOf(NextWords("")));
  for (const std::string& group : Groups()) {
    next += BashRow(BashKey(group), NamesOf(NextWords(group)));
    next += BashRow(BashKey("help " + group), NamesOf(NextWords(group)));
  }
  std::string names;
  std::string values;
  AddBashOptions("", EveryOption(), &names, &values);
  std::string words;
  for (const Command& command : Commands()) {
    if (command.hidden) continue;
    AddBashOptions(command.name, AllOptions(command), &names, &values);
    const Kind kind = KindOfWords(command);
    if (kind == Kind::kText || command.name == "help") continue;
    words += BashRow(BashKey(command.name),
                     kind == Kind::kFile ? "file" : std::string(ListerOf(kind)->name));
  }
  std::string listers;
  for (const Lister& lister : Listers()) {
    listers += "\n_benchctl_" + std::string(lister.name) + "() {\n  " +
               ListedBy("\"${COMP_WORDS[0]}\"", lister) + "\n}\n";
  }
  return "# bash completion of benchctl(1)\n" + std::string(kOrigin) +
         "\n# Words that may follow.\ndeclare -gA _benchctl_next=(\n" + next +
         ")\n# Options.\ndeclare -gA _benchctl_options=(\n" + names +
         ")\n# What their values are: how many words, of which kind, and fixed ones.\n"
         "declare -gA _benchctl_values=(\n" +
         values + ")\n# What a command is about.\ndeclare -gA _benchctl_words=(\n" + words + ")\n" +
         listers + kBashFunctions;
}

// --- zsh: _arguments has the same tables as its own language.

std::string Escaped(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || special.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string ZshAction(Kind kind) {
  switch (kind) {
    case Kind::kFile:
      return "_files";
    case Kind::kFolder:
      return "_files -/";
    case Kind::kText:
      return " ";
    case Kind::kLiveSession:
    case Kind::kSession:
    case Kind::kArm:
      break;
  }
  return "_benchctl_" + std::string(ListerOf(kind)->name);
}

std::string ZshOption(const OptionInfo& option) {
  std::string argument;
  if (!option.value.empty()) {
    const std::vector<std::string_view> words = FixedWords(option);
    const Kind kind = KindOfValue(option);
    for (int i = 0; i < option.words; ++i) {
      argument +=
          ":" + Escaped(option.value, ":") + ":" +
          (words.empty() || kind == Kind::kFile ? ZshAction(kind) : "(" + Join(words, " ") + ")");
    }
  }
  const std::string about = "[" + Escaped(option.help, "[]") + "]" + argument;
  const bool joined = option.words == 1 && !option.value.empty();
  std::string lines =
      "    " + ShellQuoted("*--" + std::string(option.name) + (joined ? "=" : "") + about) + "\n";
  if (option.letter != 0) {
    lines += "    " + ShellQuoted(std::string("*-") + option.letter + (joined ? "+" : "") + about) +
             "\n";
  }
  return lines;
}

std::string ZshArray(const std::string& name, const std::vector<Choice>& words) {
  std::string lines = "  local -a " + name + "=(\n";
  for (const Choice& word : words) {
    lines += "    " + ShellQuoted(word.name + ":" + Escaped(word.summary, ":")) + "\n";
  }
  return lines + "  )\n  _describe command " + name + "\n";
}

std::string FunctionName(std::string_view command) {
  std::string name = "_benchctl_" + std::string(command);
  std::ranges::replace(name, ' ', '_');
  return name;
}

// The functions of the words behind `before`, and what leads to them.
std::string ZshLevel(const std::string& before) {
  const std::string name = before.empty() ? "_benchctl" : FunctionName(before);
  std::string text = name + "_words() {\n" + ZshArray("words_here", NextWords(before)) + "}\n\n" +
                     name +
                     "() {\n  local curcontext=$curcontext state line\n"
                     "  typeset -A opt_args\n  _arguments -C -S \\\n";
  for (const OptionInfo& option : EveryOption()) {
    std::string lines = ZshOption(option);
    for (std::size_t end = lines.find('\n'); end != std::string::npos;
         end = lines.find('\n', end + 3)) {
      lines.replace(end, 1, " \\\n");
    }
    text += lines;
  }
  text += "    '1: :" + name +
          "_words' '*:: :->rest'\n  if [[ $state != rest ]]; then return; fi\n"
          "  case $words[1] in\n";
  for (const Choice& word : NextWords(before)) {
    const std::string command = before.empty() ? word.name : before + " " + word.name;
    text += "    " + word.name + ") " + FunctionName(command) + " ;;\n";
  }
  return text + "  esac\n}\n\n";
}

std::string ZshCommand(const Command& command) {
  std::string text = FunctionName(command.name) + "() {\n  local -a specs=(\n";
  for (const OptionInfo& option : AllOptions(command)) text += ZshOption(option);
  const Kind kind = KindOfWords(command);
  const std::string action = command.name == "help" ? "_benchctl_words" : ZshAction(kind);
  if (kind != Kind::kText) text += "    '*:word:" + action + "'\n";
  return text + "  )\n  _arguments -s -S $specs\n}\n\n";
}

std::string ZshCompletion() {
  std::string text = "#compdef benchctl\n" + std::string(kOrigin) + "\n";
  for (const Lister& lister : Listers()) {
    text += "_benchctl_" + std::string(lister.name) + "() {\n  local -a ids=(${(f)\"$(" +
            ListedBy("benchctl", lister) + ")\"})\n  compadd -a ids\n}\n\n";
  }
  for (const Command& command : Commands()) {
    if (!command.hidden) text += ZshCommand(command);
  }
  for (const std::string& group : Groups()) text += ZshLevel(group);
  return text + ZshLevel("") + "_benchctl \"$@\"\n";
}

// --- fish: one line for each option of each command.

std::string FishQuoted(std::string_view text) { return "'" + Escaped(text, "'") + "'"; }

std::string FishLister(const Lister& lister) {
  return " -a '(__benchctl_" + std::string(lister.name) + ")'";
}

std::string FishOption(std::string_view command, const OptionInfo& option) {
  std::string line = "complete -c benchctl -n " +
                     FishQuoted("__benchctl_is " + FishQuoted(command)) + " -l " +
                     std::string(option.name);
  if (option.letter != 0) line += std::string(" -s ") + option.letter;
  if (!option.value.empty()) {
    const std::vector<std::string_view> words = FixedWords(option);
    const Kind kind = KindOfValue(option);
    const bool file = kind == Kind::kFile || kind == Kind::kFolder;
    line += file ? " -r -F" : " -x";
    if (kind == Kind::kFolder) line += " -a '(__fish_complete_directories)'";
    if (const Lister* lister = ListerOf(kind)) line += FishLister(*lister);
    if (!words.empty()) line += " -a " + FishQuoted(Join(words, " "));
  }
  return line + " -d " + FishQuoted(option.help) + "\n";
}

std::string FishWords(std::string_view before) {
  std::string lines;
  for (const Choice& word : NextWords(before)) {
    lines += "complete -c benchctl -n " + FishQuoted("__benchctl_is " + FishQuoted(before)) +
             " -a " + word.name + " -d " + FishQuoted(word.summary) + "\n";
  }
  return lines;
}

std::string FishFunctions() {
  std::string text =
      "# The command of the line so far; empty while there is none.\n"
      "function __benchctl_command\n"
      "    set -l found ''\n"
      "    for word in (commandline -opc)[2..-1]\n"
      "        switch $found\n"
      "            case ''\n"
      "                contains -- $word " +
      NamesOf(NextWords("")) + "\n                and set found $word\n";
  for (const std::string& group : Groups()) {
    text += "            case " + group + "\n                contains -- $word " +
            NamesOf(NextWords(group)) + "\n                and set found \"" + group + " $word\"\n";
  }
  text +=
      "        end\n"
      "    end\n"
      "    echo $found\n"
      "end\n\n"
      "function __benchctl_is\n"
      "    test \"$(__benchctl_command)\" = \"$argv\"\n"
      "end\n\n";
  for (const Lister& lister : Listers()) {
    text += "function __benchctl_" + std::string(lister.name) + "\n    sh -c " +
            FishQuoted(ListedBy("benchctl", lister)) + "\nend\n\n";
  }
  return text;
}

std::string FishCompletion() {
  std::string text = "# fish completion of benchctl(1)\n" + std::string(kOrigin) + "\n" +
                     FishFunctions() + "complete -c benchctl -f\n" + FishWords("");
  for (const OptionInfo& option : EveryOption()) text += FishOption("", option);
  for (const std::string& group : Groups()) text += FishWords(group);
  for (const Command& command : Commands()) {
    if (command.hidden) continue;
    for (const OptionInfo& option : AllOptions(command)) text += FishOption(command.name, option);
    const Kind kind = KindOfWords(command);
    if (kind == Kind::kText) continue;
    text += "complete -c benchctl -n " + FishQuoted("__benchctl_is " + FishQuoted(command.name));
    text += command.name == "help" ? " -a " + FishQuoted(NamesOf(NextWords("")))
            : kind == Kind::kFile  ? " -F"
                                   : FishLister(*ListerOf(kind));
    text += "\n";
  }
  return text;
}

}  // namespace

std::vector<GeneratedFile> Completions() {
  return {{"bash-completion/completions/benchctl", BashCompletion()},
          {"zsh/vendor-completions/_benchctl", ZshCompletion()},
          {"fish/vendor_completions.d/benchctl.fish", FishCompletion()}};
}

}  // namespace benchd::client
