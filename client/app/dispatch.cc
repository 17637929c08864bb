#include "client/app/dispatch.h"

#include <algorithm>
#include <iostream>

#include "client/app/arguments.h"
#include "client/app/command.h"
#include "client/app/help.h"
#include "client/app/output.h"
#include "client/app/standard_output.h"
#include "client/link/daemon_link.h"
#include "client/link/host.h"
#include "client/present/text.h"
#include "core/base/text.h"
#include "core/base/try.h"

namespace benchd::client {
namespace {

/// Reads how to find the daemon. The command line takes precedence over the environment.
Result<LinkOptions> ReadLinkOptions(const ParsedArguments& arguments) {
  LinkOptions options;
  options.places = DefaultPlaces();
  if (const std::string* socket = LastValue(arguments, "socket")) options.socket = *socket;
  const std::string socket = Variable("BENCHD_SOCKET");
  if (!socket.empty()) options.environment_socket = socket;
  options.may_start = !IsGiven(arguments, "no-autostart");
  const std::string* given = LastValue(arguments, "host");
  if (given != nullptr && options.socket) {
    return UsageError(
        "--host: conflicts with --socket",
        "omit --socket: the remote benchctl finds it; set BENCHD_SOCKET there to use another");
  }
  const std::string named = Variable("BENCHD_HOST");
  const bool by_environment = given == nullptr && !options.socket && !named.empty();
  if (by_environment && options.environment_socket) {
    return UsageError("BENCHD_HOST: conflicts with BENCHD_SOCKET", "unset one of the two");
  }
  if (given == nullptr && !by_environment) return options;
  auto target = ParseSshTarget(given != nullptr ? *given : named);
  if (!target) {
    return std::move(target).error().Within(given != nullptr ? "--host" : "BENCHD_HOST");
  }
  options.host = *std::move(target);
  return options;
}

/// Returns the second words of the commands of a group; none if there is no such group.
std::vector<std::string_view> WordsOfGroup(std::string_view group) {
  std::vector<std::string_view> words;
  if (group.empty()) return words;
  for (const Command& command : Commands()) {
    if (GroupOf(command) == group) words.push_back(command.name.substr(group.size() + 1));
  }
  return words;
}

Error UnknownCommand(const std::string& word, bool has_more) {
  std::vector<std::string_view> names;
  std::string in_group;
  for (const Command& command : Commands()) {
    if (command.hidden) continue;
    const std::string_view group = GroupOf(command);
    names.push_back(group.empty() ? command.name : group);
    // `benchctl status` probably means `benchctl machine status`.
    if (!group.empty() && command.name.substr(group.size() + 1) == word) in_group = command.name;
  }
  const std::string said = word + ": unknown command";
  if (!in_group.empty()) return UsageError(said, "did you mean " + in_group + "?");
  const bool is_command_line = has_more && word.find_first_of(" /.") != std::string::npos;
  return UsageError(said,
                    HintForUnknown(word, names,
                                   is_command_line ? "to compare commands: benchctl compare 'BASE' "
                                                     "'CANDIDATE'"
                                                   : "benchctl help lists the commands"));
}

Error UnknownWord(const std::string& group, const std::string& word) {
  const std::vector<std::string_view> known = WordsOfGroup(group);
  return UsageError(
      word.empty() ? group + ": missing command" : group + " " + word + ": unknown command",
      HintForUnknown(word, known, "write benchctl " + group + " " + JoinWithOr(known),
                     group + " "));
}

/// Replaces the error about an unknown option with a better one if the option belongs to a command:
/// only global options may precede the command.
Error Misplaced(Error error) {
  constexpr std::string_view kUnknown = ": unknown option";
  if (!error.message.ends_with(kUnknown)) return error;
  const std::string word = error.message.substr(0, error.message.size() - kUnknown.size());
  const bool is_long = word.starts_with("--");
  std::vector<std::string_view> names;
  for (const Command& command : Commands()) {
    if (command.hidden) continue;
    for (const OptionInfo& option : command.options) {
      names.push_back(option.name);
      if (is_long ? option.name != word.substr(2) : std::string("-") + option.letter != word) {
        continue;
      }
      return UsageError(word + ": not a global option", "write it after the command: benchctl " +
                                                            std::string(command.name) + " " + word);
    }
  }
  const std::string nearest = is_long ? Nearest(word.substr(2), names) : "";
  if (!nearest.empty() && !error.hint.starts_with("did you mean")) {
    error.hint = "did you mean --" + nearest + "? It belongs after the command";
  }
  return error;
}

constexpr OptionInfo kVersion{.name = "version", .letter = 'V'};

/// The command and the options that precede its arguments.
struct NamedCommand {
  const Command* command = nullptr;  ///< null if the words name only a group, or nothing
  std::string group;
  std::vector<GivenOption> options;
  std::span<const std::string> rest;

  bool Has(std::string_view option) const {
    return std::ranges::find(options, option, &GivenOption::name) != options.end();
  }
};

Result<void> TakeLeading(NamedCommand* named) {
  std::vector<OptionInfo> known(EveryOption().begin(), EveryOption().end());
  known.push_back(kVersion);
  auto leading = ParseLeadingOptions(named->rest, known);
  if (!leading) return Misplaced(std::move(leading).error());
  named->options.insert(named->options.end(), leading->options.begin(), leading->options.end());
  named->rest = named->rest.subspan(leading->words);
  return {};
}

/// Finds the command that the words name. A command of a group has two words; options may precede
/// each of them.
Result<NamedCommand> FindNamed(std::span<const std::string> words) {
  NamedCommand named;
  named.rest = words;
  TRY_VOID(TakeLeading(&named));
  if (named.rest.empty()) return named;
  const std::string& name = named.rest.front();
  named.command = FindCommand(name);
  if (named.command == nullptr && WordsOfGroup(name).empty()) {
    return UnknownCommand(name, named.rest.size() > 1);
  }
  named.rest = named.rest.subspan(1);
  if (named.command != nullptr) return named;
  named.group = name;
  TRY_VOID(TakeLeading(&named));
  if (named.rest.empty()) return named;
  named.command = FindCommand(name + " " + named.rest.front());
  if (named.command == nullptr && named.rest.front() != "help") {
    return UnknownWord(name, named.rest.front());
  }
  if (named.command != nullptr) named.rest = named.rest.subspan(1);
  return named;
}

ExitCode PrintHelp(const NamedCommand& named) {
  std::cout << (named.command != nullptr ? RenderHelp(*named.command)
                : named.group.empty()    ? RenderHelp()
                                         : RenderGroupHelp(named.group));
  return ExitCode::kPass;
}

Result<ExitCode> Dispatch(const std::vector<std::string>& words) {
  if (words.empty()) {
    std::cerr << RenderUsage();
    return ExitCode::kUsage;
  }
  TRY(auto named, FindNamed(words));
  if (named.Has("version")) {
    std::cout << "benchctl " << BENCHD_VERSION << "\n";
    return ExitCode::kPass;
  }
  const Command* const command = named.command;
  const bool group_help = !named.group.empty() && !named.rest.empty();  // "machine help"
  if (named.Has("help") || (command == nullptr && group_help)) return PrintHelp(named);
  if (command == nullptr) {
    if (!named.group.empty()) return UnknownWord(named.group, "");
    return UsageError("missing command", "benchctl help lists the commands");
  }
  TRY(auto arguments, ParseArguments(named.rest, AllOptions(*command)));
  arguments.options.insert(arguments.options.begin(), named.options.begin(), named.options.end());
  if (IsGiven(arguments, "help")) return PrintHelp(named);
  TRY_VOID(CheckRepeats(arguments, AllOptions(*command)));
  TRY(auto word, ReadWord(*command, arguments.positionals));
  CommandContext context;
  context.word = std::move(word);
  TRY(auto link, ReadLinkOptions(arguments));
  context.link = std::move(link);
  if (command->here) context.link.host.reset();
  context.json = IsGiven(arguments, "json");
  context.arguments = std::move(arguments);
  return command->run(context);
}

}  // namespace

Result<ExitCode> PrintHelpOf(std::span<const std::string> words) {
  TRY(auto named, FindNamed(words));
  if (!named.rest.empty()) {
    return UsageError(named.rest.front() + ": only one command is allowed",
                      "write benchctl help COMMAND");
  }
  return PrintHelp(named);
}

ExitCode RunBenchctl(const std::vector<std::string>& words) {
  const auto final_code = [bisect = AsksForBisect(words)](ExitCode code) {
    return bisect ? ForBisect(code) : code;
  };
  StandardOutput output;
  const Result<ExitCode> outcome = Dispatch(words);
  const Result<void> written = output.Finish();
  if (!outcome) PrintError(outcome.error());
  if (!written) return final_code(OutputFailed(written.error()));
  return final_code(outcome ? *outcome : ExitFor(outcome.error()));
}

bool AsksForBisect(std::span<const std::string> words) {
  for (const std::string& word : words) {
    if (word == "--") return false;
    if (word == "--bisect") return true;
  }
  return false;
}

ExitCode ForBisect(ExitCode code) {
  switch (code) {
    case ExitCode::kPass:
    case ExitCode::kRegression:
      return code;
    case ExitCode::kUndecided:
    case ExitCode::kFailed:
    case ExitCode::kBisectSkip:
      return ExitCode::kBisectSkip;
    case ExitCode::kUsage:
    case ExitCode::kRefused:
    case ExitCode::kCancelled:
    case ExitCode::kInterrupted:
    case ExitCode::kOutput:
    case ExitCode::kBisectStop:
      break;
  }
  return ExitCode::kBisectStop;
}

}  // namespace benchd::client
