#include "client/app/command.h"

#include <algorithm>

#include "client/request/quantity.h"

namespace benchd::client {

const Command* FindCommand(std::string_view name) {
  const auto found = std::ranges::find(Commands(), name, &Command::name);
  return found == Commands().end() ? nullptr : &*found;
}

std::string_view GroupOf(const Command& command) {
  const std::size_t space = command.name.find(' ');
  return space == std::string_view::npos ? std::string_view() : command.name.substr(0, space);
}

std::vector<OptionInfo> AllOptions(const Command& command) {
  return WithEveryOption(command.options);
}

namespace {

Result<std::string> ReadProfile(const std::string& command, const std::vector<std::string>& words) {
  const std::string usage = "write benchctl " + command + " [PROFILE]";
  if (words.size() > 1) return UsageError(words[1] + ": only one profile is allowed", usage);
  if (words.empty()) return std::string();
  if (words.front().empty()) return UsageError(command + ": empty profile name", usage);
  if (!IsSendableText(words.front()))
    return UsageError(command + ": profile name is not valid UTF-8", usage);
  return words.front();
}

// Returns the only word. `missing` is the error if there is none. `one` names the kind of word in
// the error if there are several.
Result<std::string> ReadOne(const std::vector<std::string>& words, const std::string& missing,
                            const std::string& one, const std::string& usage) {
  if (words.empty() || words.front().empty()) return UsageError(missing, usage);
  if (words.size() > 1) return UsageError(words[1] + ": only one " + one + " is allowed", usage);
  return words.front();
}

}  // namespace

Result<std::string> ReadWord(const Command& command, const std::vector<std::string>& words) {
  const std::string name(command.name);
  switch (command.words) {
    case Words::kNone:
      if (words.empty()) break;
      return UsageError(words.front() + ": " + name + " takes only options");
    case Words::kSession:
      return ReadOne(words, name + ": missing session ID", "session",
                     "write benchctl " + name + " ID; benchctl list --all shows the IDs");
    case Words::kSessionOrNewest:
      if (words.empty()) break;
      return ReadOne(words, name + ": empty session ID", "session",
                     "write benchctl " + name + " [ID]; benchctl list --all shows the IDs");
    case Words::kProfile:
      return ReadProfile(name, words);
    case Words::kArm:
      return ReadOne(words, name + ": missing name", "stored arm",
                     "write benchctl " + name + " NAME; benchctl arm list shows the names");
    case Words::kBenchmark:
      if (words.empty()) break;
      return ReadOne(words, name + ": empty benchmark name", "benchmark",
                     "write benchctl " + name + " [BENCHMARK]; omit BENCHMARK to list them all");
    case Words::kFile:
      return ReadOne(words, name + ": missing file", "table",
                     "write benchctl " + name + " FILE.csv, or - for stdin");
    case Words::kOwn:
      break;
  }
  return std::string();
}

}  // namespace benchd::client
