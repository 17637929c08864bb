#include "client/request/spec_input.h"

#include <fmt/format.h>

#include <algorithm>

#include "client/request/quantity.h"
#include "core/base/shell_words.h"
#include "core/base/text.h"
#include "core/parse/command_line.h"

namespace benchd::client {
namespace {

constexpr char kTwoCommands[] =
    "give two commands, each one string: benchctl compare 'BASE' 'CANDIDATE'";

std::string CandidateName(std::size_t index) {
  return index == 0 ? "candidate" : fmt::format("candidate-{}", index + 1);
}

std::string CandidateOrigin(std::size_t index) {
  return index == 0 ? "CANDIDATE" : fmt::format("CANDIDATE {}", index + 1);
}

// Joins the words of a command and quotes them to preserve them. A single word is a whole command
// line, as without --git.
std::string JoinedCommand(const std::vector<std::string>& words) {
  if (words.size() == 1) return words.front();
  return Join(words, " ", ShellQuoted);
}

// Returns the input of --between with one command. ExpandSuite() makes the arms from the values of
// the parameter.
Result<SpecInput> OneCommandForValues(const ParsedArguments& arguments, SpecInput input) {
  for (const GivenOption& option : arguments.options) {
    if (option.name != "name" && option.name != "reference" && option.name != "git") continue;
    return UsageError("--" + option.name + " " + option.value + ": --between defines the arms",
                      "leave one of the two out");
  }
  if (arguments.positionals.size() != 1) {
    return UsageError(
        fmt::format("--between: expected one command, got {}", arguments.positionals.size()),
        "write --parameter-list t 1,2,4 --between t 'COMMAND {t}'");
  }
  input.arms.push_back({"", "", arguments.positionals.front(), "", "COMMAND", {}});
  input.benchmarks.push_back({});
  return input;
}

Result<SpecInput> OneCommandForCommits(const ParsedArguments& arguments, SpecInput input) {
  std::vector<std::string> names;
  for (const GivenOption& option : arguments.options) {
    if (option.name == "name") names.push_back(option.value);
    if (option.name == "reference") {
      return UsageError("--reference " + option.value + ": the base of --git is the reference",
                        "leave one of them out");
    }
  }
  if (arguments.positionals.empty()) {
    return UsageError("compare: missing command",
                      "write it after all options: --git BASE..CANDIDATE -- COMMAND ARGS...");
  }
  if (names.size() > 2) {
    return UsageError("--name " + names[2] + ": more names than commits",
                      "the names belong to base and candidate, in order");
  }
  if (std::ranges::find(names, "") != names.end()) return UsageError("--name: empty name");
  // An arm without a name gets the name of its commit (FillInCommits).
  names.resize(2);
  input.arms.push_back({names[0], "reference", "", "", "BASE", {}});
  input.arms.push_back({names[1], "candidate", "", "", "CANDIDATE", {}});
  input.benchmarks.push_back({"", JoinedCommand(arguments.positionals), {}, "COMMAND"});
  return input;
}

Result<SpecInput> ArmsFromCommandLine(const ParsedArguments& arguments) {
  SpecInput input;
  input.options = CollectSessionOptions(arguments);
  if (input.options.contains("between")) {
    return OneCommandForValues(arguments, std::move(input));
  }
  if (input.options.contains("git")) return OneCommandForCommits(arguments, std::move(input));
  std::vector<std::string> names;
  for (const GivenOption& option : arguments.options) {
    if (option.name == "name") names.push_back(option.value);
    if (option.name != "reference") continue;
    auto reference = ParseAssignment(option.value);
    if (!reference) {
      reference.error().hint = "write --reference NAME=COMMAND";
      return std::move(reference).error().Within("--reference " + option.value);
    }
    input.arms.push_back({reference->first, "reference", reference->second, "", "--reference", {}});
  }
  const bool first_is_reference = input.arms.empty();
  const std::size_t expected = first_is_reference ? 2 : 1;
  if (arguments.positionals.empty() && first_is_reference) {
    return UsageError("compare: missing commands", kTwoCommands);
  }
  if (arguments.positionals.size() < expected) {
    return UsageError("compare: missing second command", kTwoCommands);
  }
  if (names.size() > arguments.positionals.size()) {
    return UsageError(
        "--name " + names[arguments.positionals.size()] + ": more names than commands",
        "the names belong to the commands in order");
  }
  for (std::size_t i = 0; i < arguments.positionals.size(); ++i) {
    ArmInput arm;
    arm.command = arguments.positionals[i];
    const bool reference = first_is_reference && i == 0;
    const std::size_t candidate = first_is_reference ? i - 1 : i;
    arm.role = reference ? "reference" : "candidate";
    arm.origin = reference ? "BASE" : CandidateOrigin(candidate);
    arm.name = i < names.size() ? names[i] : reference ? "base" : CandidateName(candidate);
    input.arms.push_back(std::move(arm));
  }
  input.benchmarks.push_back({});
  return input;
}

// Returns the name of the program of a command, or "program" if it has no usable name.
std::string ProgramName(const std::string& command) {
  constexpr std::size_t kLongest = 40;
  const auto words = SplitCommandLine(command);
  std::string name = words && !words->empty() ? words->front() : std::string();
  name.erase(0, name.find_last_of('/') + 1);
  const bool usable = !name.empty() && name.size() <= kLongest && !HasControlCharacter(name);
  return usable ? name : "program";
}

// Returns the name with the smallest number behind it that is not taken: "gzip", "gzip-2".
std::string FreeName(const std::string& name, const std::vector<std::string>& taken) {
  std::string free = name;
  for (int number = 2; std::ranges::find(taken, free) != taken.end(); ++number) {
    free = fmt::format("{}-{}", name, number);
  }
  return free;
}

// Names the only benchmark by --benchmark.
Result<SpecInput> WithBenchmarkName(const ParsedArguments& arguments, Result<SpecInput> input) {
  const std::string* const name = LastValue(arguments, "benchmark");
  if (!input || name == nullptr) return input;
  if (name->empty()) return UsageError("--benchmark: empty name");
  input->benchmarks.front().name = *name;
  return input;
}

Result<SpecInput> MeasuredArms(const ParsedArguments& arguments) {
  SpecInput input;
  input.measures = true;
  input.options = CollectSessionOptions(arguments);
  if (input.options.contains("between")) return OneCommandForValues(arguments, std::move(input));
  std::vector<std::string> names;
  for (const GivenOption& option : arguments.options) {
    if (option.name == "name") names.push_back(option.value);
  }
  const std::vector<std::string>& commands = arguments.positionals;
  if (commands.empty()) {
    return UsageError("measure: missing command",
                      "give one or more commands, each one string: benchctl measure 'COMMAND'");
  }
  if (names.size() > commands.size()) {
    return UsageError("--name " + names[commands.size()] + ": more names than commands",
                      "the names belong to the commands in order");
  }
  for (std::size_t i = names.size(); i < commands.size(); ++i) {
    names.push_back(FreeName(ProgramName(commands[i]), names));
  }
  for (std::size_t i = 0; i < commands.size(); ++i) {
    input.arms.push_back({names[i], "", commands[i], "", fmt::format("COMMAND {}", i + 1), {}});
  }
  input.benchmarks.push_back({});
  return input;
}

}  // namespace

Result<SpecInput> MeasuredInput(const ParsedArguments& arguments) {
  return WithBenchmarkName(arguments, MeasuredArms(arguments));
}

Result<SpecInput> InputFromCommandLine(const ParsedArguments& arguments) {
  return WithBenchmarkName(arguments, ArmsFromCommandLine(arguments));
}

}  // namespace benchd::client
