#include <algorithm>
#include <map>
#include <string_view>

#include "client/command_options.h"
#include "client/commands.h"
#include "client/manual.h"
#include "core/base/text.h"

namespace benchd::client {
namespace {

constexpr char kOrigin[] = "# Written by benchctl from the tables behind its --help.\n";

// What stands for a value or a word of a command line, in the terms of all three shells.
enum class Kind { kText, kFile, kFolder, kLiveSession, kSession };

Kind KindOfValue(const OptionInfo& option) {
  const auto mentions = [&option](std::string_view what) {
    return option.value.find(what) != std::string_view::npos;
  };
  if (mentions("DIR")) return Kind::kFolder;
  return mentions("FILE") || mentions("PATH") ? Kind::kFile : Kind::kText;
}

Kind KindOfWords(const Command& command) {
  switch (command.words) {
    case Words::kSession:
      return Kind::kLiveSession;
    case Words::kSessionOrNewest:
      return command.name == "watch" ? Kind::kLiveSession : Kind::kSession;
    case Words::kFile:
    case Words::kOwn:
      return Kind::kFile;
    case Words::kNone:
    case Words::kProfile:
    case Words::kBenchmark:
      break;
  }
  return Kind::kText;
}

struct Choice {
  std::string name;
  std::string_view summary;  ///< empty for a group
};

// The words that may follow `before`: commands and groups, or the words of a group.
std::vector<Choice> NextWords(std::string_view before) {
  std::vector<Choice> words;
  for (const Command& command : Commands()) {
    if (command.hidden) continue;
    const std::string_view group = GroupOf(command);
    if (!before.empty()) {
      if (group != before) continue;
      words.push_back({std::string(command.name.substr(group.size() + 1)), command.summary});
    } else if (group.empty()) {
      words.push_back({std::string(command.name), command.summary});
    } else if (std::ranges::find(words, group, &Choice::name) == words.end()) {
      words.push_back({std::string(group), {}});
    }
  }
  return words;
}

std::string NamesOf(const std::vector<Choice>& words) { return Join(words, " ", &Choice::name); }

std::vector<std::string> Groups() {
  std::vector<std::string> groups;
  for (const Choice& word : NextWords("")) {
    if (word.summary.empty()) groups.push_back(word.name);
  }
  return groups;
}

// What the shells ask benchctl for: never a daemon that does not run, never for long. The newest
// twenty of each kind are enough.
std::string SessionsOf(std::string_view program, Kind kind) {
  std::string lists;
  for (const char* state : {"", " --state done", " --state failed"}) {
    const bool ended = state[0] != '\0';
    if (ended && kind != Kind::kSession) break;
    lists += "timeout 2 " + std::string(program) + " --no-autostart list" + state + "; ";
  }
  return "{ " + lists + "} 2>/dev/null </dev/null | awk '$1 != \"ID\" { print $1 }'";
}

// --- bash: three tables, by the words of the command, and one function that walks the line.

std::string BashKey(std::string_view command) {
  return "'benchctl" + (command.empty() ? "" : " " + std::string(command)) + "'";
}

std::string BashRow(const std::string& key, const std::string& value) {
  return "  [" + key + "]=" + ShellQuoted(value) + "\n";
}

std::string BashValue(const OptionInfo& option) {
  static const std::map<Kind, std::string> kNames = {
      {Kind::kText, "text"}, {Kind::kFile, "file"}, {Kind::kFolder, "folder"}};
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
  esac
  if (($#)); then mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$*" -- "$cur"); fi
}

_benchctl() {
  local cur=${COMP_WORDS[COMP_CWORD]} command=benchctl option='' word i rest=0
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
    case ${_benchctl_words[$command]-} in
      file) _benchctl_files -f "$cur" ;;
      live) mapfile -t COMPREPLY < <(compgen -W "$(_benchctl_live)" -- "$cur") ;;
      session) mapfile -t COMPREPLY < <(compgen -W "$(_benchctl_sessions)" -- "$cur") ;;
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
    words += BashRow(BashKey(command.name), kind == Kind::kFile      ? "file"
                                            : kind == Kind::kSession ? "session"
                                                                     : "live");
  }
  const std::string program = "\"${COMP_WORDS[0]}\"";
  return "# bash completion of benchctl(1)\n" + std::string(kOrigin) +
         "\n# Words that may follow.\ndeclare -gA _benchctl_next=(\n" + next +
         ")\n# Options.\ndeclare -gA _benchctl_options=(\n" + names +
         ")\n# What their values are: how many words, of which kind, and fixed ones.\n"
         "declare -gA _benchctl_values=(\n" +
         values + ")\n# What a command is about.\ndeclare -gA _benchctl_words=(\n" + words +
         ")\n\n_benchctl_live() {\n  " + SessionsOf(program, Kind::kLiveSession) +
         "\n}\n\n_benchctl_sessions() {\n  " + SessionsOf(program, Kind::kSession) + "\n}\n" +
         kBashFunctions;
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
    case Kind::kLiveSession:
      return "_benchctl_live";
    case Kind::kSession:
      return "_benchctl_sessions";
    case Kind::kText:
      break;
  }
  return " ";
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
    const std::string about(word.summary.empty() ? "the machine's settings" : word.summary);
    lines += "    " + ShellQuoted(word.name + ":" + Escaped(about, ":")) + "\n";
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
  const auto sessions = [](Kind kind) {
    return "() {\n  local -a ids=(${(f)\"$(" + SessionsOf("benchctl", kind) +
           ")\"})\n  compadd -a ids\n}\n\n";
  };
  std::string text = "#compdef benchctl\n" + std::string(kOrigin) + "\n_benchctl_live" +
                     sessions(Kind::kLiveSession) + "_benchctl_sessions" + sessions(Kind::kSession);
  for (const Command& command : Commands()) {
    if (!command.hidden) text += ZshCommand(command);
  }
  for (const std::string& group : Groups()) text += ZshLevel(group);
  return text + ZshLevel("") + "_benchctl \"$@\"\n";
}

// --- fish: one line for each option of each command.

std::string FishQuoted(std::string_view text) { return "'" + Escaped(text, "'") + "'"; }

std::string FishOption(std::string_view command, const OptionInfo& option) {
  std::string line = "complete -c benchctl -n " +
                     FishQuoted("__benchctl_is " + FishQuoted(command)) + " -l " +
                     std::string(option.name);
  if (option.letter != 0) line += std::string(" -s ") + option.letter;
  if (!option.value.empty()) {
    const std::vector<std::string_view> words = FixedWords(option);
    const Kind kind = KindOfValue(option);
    line += kind == Kind::kText ? " -x" : " -r";
    if (kind == Kind::kFolder) line += " -a '(__fish_complete_directories)'";
    if (kind != Kind::kText) line += " -F";
    if (!words.empty()) line += " -a " + FishQuoted(Join(words, " "));
  }
  return line + " -d " + FishQuoted(option.help) + "\n";
}

std::string FishWords(std::string_view before) {
  std::string lines;
  for (const Choice& word : NextWords(before)) {
    lines += "complete -c benchctl -n " + FishQuoted("__benchctl_is " + FishQuoted(before)) +
             " -a " + word.name + (word.summary.empty() ? "" : " -d " + FishQuoted(word.summary)) +
             "\n";
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
  return text +
         "        end\n"
         "    end\n"
         "    echo $found\n"
         "end\n\n"
         "function __benchctl_is\n"
         "    test \"$(__benchctl_command)\" = \"$argv\"\n"
         "end\n\n"
         "function __benchctl_live\n    sh -c " +
         FishQuoted(SessionsOf("benchctl", Kind::kLiveSession)) +
         "\nend\n\nfunction __benchctl_sessions\n    sh -c " +
         FishQuoted(SessionsOf("benchctl", Kind::kSession)) + "\nend\n\n";
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
    text += command.name == "help"       ? " -a " + FishQuoted(NamesOf(NextWords("")))
            : kind == Kind::kFile        ? " -F"
            : kind == Kind::kLiveSession ? " -a '(__benchctl_live)'"
                                         : " -a '(__benchctl_sessions)'";
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
