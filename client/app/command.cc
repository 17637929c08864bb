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
  if (words.size() > 1) return UsageError(words[1] + ": one profile at a time", usage);
  if (words.empty()) return std::string();
  if (words.front().empty()) return UsageError(command + ": empty profile name", usage);
  if (!IsSendableText(words.front()))
    return UsageError(command + ": name is not valid UTF-8", usage);
  return words.front();
}

// `missing` is the error for no word, `one` names what there can be only one of.
Result<std::string> ReadOne(const std::vector<std::string>& words, const std::string& missing,
                            const std::string& one, const std::string& usage) {
  if (words.empty() || words.front().empty()) return UsageError(missing, usage);
  if (words.size() > 1) return UsageError(words[1] + ": one " + one + " at a time", usage);
  return words.front();
}

}  // namespace

Result<std::string> ReadWord(const Command& command, const std::vector<std::string>& words) {
  const std::string name(command.name);
  switch (command.words) {
    case Words::kNone:
      if (words.empty()) break;
      return UsageError(words.front() + ": " + name + " takes options only");
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
