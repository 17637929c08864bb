#include "client/run.h"

#include <cstdlib>
#include <iostream>

#include "client/commands.h"
#include "client/help.h"
#include "client/render/text.h"
#include "client/suggest.h"

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

ClientError UnknownCommand(const std::string& word) {
  std::vector<std::string_view> names;
  for (const Command& command : Commands()) names.push_back(command.name);
  const std::string nearest = Nearest(word, names);
  const bool option = word.starts_with('-');
  return UsageError(
      word + (option ? ": unknown option" : ": unknown command"),
      nearest.empty() ? "benchctl --help lists the commands" : "did you mean " + nearest + "?");
}

Outcome<ExitCode> Dispatch(const std::vector<std::string>& words) {
  if (words.empty()) {
    std::cerr << RenderHelp();
    return ExitCode::kUsage;
  }
  const std::string& name = words.front();
  if (name == "--help" || name == "-h" || name == "help") {
    std::cout << RenderHelp();
    return ExitCode::kPass;
  }
  if (name == "--version") {
    std::cout << "benchctl " << BENCHD_VERSION << "\n";
    return ExitCode::kPass;
  }
  const Command* command = FindCommand(name);
  if (command == nullptr) return UnknownCommand(name);
  auto arguments = ParseArguments(std::span(words).subspan(1), AllOptions(*command));
  if (!arguments) return std::move(arguments).error();
  if (IsGiven(*arguments, "help")) {
    std::cout << RenderHelp(*command);
    return ExitCode::kPass;
  }
  CommandContext context;
  context.link = ReadLinkOptions(*arguments);
  context.json = IsGiven(*arguments, "json");
  context.arguments = *std::move(arguments);
  return command->run(context);
}

}  // namespace

ExitCode RunBenchctl(const std::vector<std::string>& words) {
  const Outcome<ExitCode> outcome = Dispatch(words);
  std::cout << std::flush;
  if (outcome) return *outcome;
  const ClientError& error = outcome.error();
  std::cerr << "error: " << OneLine(error.message) << "\n";
  if (!error.hint.empty()) std::cerr << "hint: " << OneLine(error.hint) << "\n";
  return error.exit;
}

}  // namespace benchd::client
