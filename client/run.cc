#include "client/run.h"

#include <cstdlib>
#include <iostream>

#include "client/arguments.h"
#include "client/commands.h"
#include "client/render/text.h"
#include "core/base/text.h"

namespace benchd::client {
namespace {

LinkOptions ReadLinkOptions(const ParsedArguments& arguments) {
  LinkOptions options;
  options.places = DefaultPlaces();
  if (const std::string* socket = LastValue(arguments, "socket")) options.socket = *socket;
  const char* environment = std::getenv("BENCHD_SOCKET");
  if (environment != nullptr && environment[0] != '\0') options.environment_socket = environment;
  options.may_start = !IsGiven(arguments, "no-autostart");
  return options;
}

Error UnknownCommand(const std::string& word) {
  std::vector<std::string_view> names;
  for (const Command& command : Commands()) {
    if (command.hidden) continue;
    names.push_back(GroupOf(command).empty() ? command.name : GroupOf(command));
  }
  const std::string nearest = Nearest(word, names);
  const bool option = word.starts_with('-');
  return UsageError(
      word + (option ? ": unknown option" : ": unknown command"),
      nearest.empty() ? "benchctl --help lists the commands" : "did you mean " + nearest + "?");
}

bool IsHelp(const std::string& word) { return word == "--help" || word == "-h" || word == "help"; }

/// Second words of the commands of a group; none where there is no such group.
std::vector<std::string_view> WordsOf(std::string_view group) {
  std::vector<std::string_view> words;
  if (group.empty()) return words;
  for (const Command& command : Commands()) {
    if (GroupOf(command) == group) words.push_back(command.name.substr(group.size() + 1));
  }
  return words;
}

Error UnknownWord(const std::string& group, const std::vector<std::string_view>& known,
                  const std::string& word) {
  const std::string nearest = Nearest(word, known);
  if (!nearest.empty()) {
    return UsageError(group + " " + word + ": unknown command",
                      "did you mean " + group + " " + nearest + "?");
  }
  return UsageError(word.empty() || word.starts_with('-')
                        ? group + ": no command: what to do is missing"
                        : group + " " + word + ": unknown command",
                    "write benchctl " + group + " and " + JoinWithOr(known));
}

/// The command that the words begin with, and how many of them name it.
struct NamedCommand {
  const Command* command = nullptr;
  std::size_t words = 1;
};

Result<NamedCommand> FindNamed(const std::vector<std::string>& words) {
  const std::string& name = words.front();
  if (const Command* command = FindCommand(name)) return NamedCommand{command, 1};
  const std::vector<std::string_view> known = WordsOf(name);
  if (known.empty()) return UnknownCommand(name);
  const std::string word = words.size() > 1 ? words[1] : "";
  if (const Command* command = FindCommand(name + " " + word)) return NamedCommand{command, 2};
  return UnknownWord(name, known, word);
}

Result<ExitCode> Dispatch(const std::vector<std::string>& words) {
  if (words.empty()) {
    std::cerr << RenderHelp();
    return ExitCode::kUsage;
  }
  const std::string& name = words.front();
  if (IsHelp(name)) {
    std::cout << RenderHelp();
    return ExitCode::kPass;
  }
  if (name == "--version") {
    std::cout << "benchctl " << BENCHD_VERSION << "\n";
    return ExitCode::kPass;
  }
  if (words.size() > 1 && IsHelp(words[1]) && !WordsOf(name).empty()) {
    std::cout << RenderGroupHelp(name);
    return ExitCode::kPass;
  }
  auto named = FindNamed(words);
  if (!named) return std::move(named).error();
  const Command* const command = named->command;
  auto arguments = ParseArguments(std::span(words).subspan(named->words), AllOptions(*command));
  if (!arguments) return std::move(arguments).error();
  if (IsGiven(*arguments, "help")) {
    std::cout << RenderHelp(*command);
    return ExitCode::kPass;
  }
  auto word = ReadWord(*command, arguments->positionals);
  if (!word) return std::move(word).error();
  CommandContext context;
  context.word = *std::move(word);
  context.link = ReadLinkOptions(*arguments);
  context.json = IsGiven(*arguments, "json");
  context.arguments = *std::move(arguments);
  return command->run(context);
}

}  // namespace

ExitCode RunBenchctl(const std::vector<std::string>& words) {
  const auto final_code = [bisect = AsksForBisect(words)](ExitCode code) {
    return bisect ? ForBisect(code) : code;
  };
  const Result<ExitCode> outcome = Dispatch(words);
  std::cout << std::flush;
  if (outcome) return final_code(*outcome);
  PrintError(outcome.error());
  return final_code(ExitFor(outcome.error()));
}

void PrintError(const Error& error) {
  std::cerr << "error: " << OneLine(error.message) << "\n";
  if (!error.hint.empty()) std::cerr << "hint: " << OneLine(error.hint) << "\n";
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
    case ExitCode::kBisectStop:
      break;
  }
  return ExitCode::kBisectStop;
}

}  // namespace benchd::client
