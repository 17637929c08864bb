#include "client/app/invocation.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "client/request/quantity.h"
#include "client/request/session_options.h"
#include "core/base/shell_words.h"
#include "core/base/text.h"

namespace benchd::client {
namespace {

constexpr std::size_t kMostBytes = 8192;

// Returns the definition of an option that describes the session (its arms and benchmarks, and how
// they are measured and judged), or null for any other option.
const OptionInfo* OptionOfSession(std::string_view name) {
  static constexpr OptionInfo kText{.value = "TEXT"};
  constexpr std::string_view kArms[] = {"file",      "benchmark", "name",
                                        "reference", "against",   "precision"};
  if (std::ranges::find(kArms, name) != std::end(kArms)) return &kText;
  const SessionOption* const option = FindSessionOption(name);
  return option == nullptr || name == "seed" ? nullptr : &option->info;
}

bool IsVariable(std::string_view name) {
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  return !name.empty() && name.find_first_not_of(kLetters) == std::string_view::npos &&
         (name.front() < '0' || name.front() > '9');
}

std::string WithoutValue(const std::string& assignment) {
  const std::string name = assignment.substr(0, assignment.find('='));
  return IsVariable(name) ? name + "=\"$" + name + "\"" : ShellQuoted(name + "=...");
}

// Splits a value at spaces into `count` words, of which only the last may contain spaces.
std::string WordsOfLine(std::string text, int count) {
  std::vector<std::string> words;
  for (; count > 1; --count) {
    const std::size_t blank = text.find(' ');
    if (blank == std::string::npos) break;
    words.push_back(text.substr(0, blank));
    text.erase(0, blank + 1);
  }
  words.push_back(std::move(text));
  return Join(words, " ", ShellQuoted);
}

}  // namespace

std::string OptionWords(const OptionInfo& option, const GivenOption& given) {
  const std::string name = "--" + given.name;
  if (option.optional) return given.value.empty() ? name : name + "=" + ShellQuoted(given.value);
  if (option.value.empty()) return name;
  return name + " " +
         (given.name == "env" ? WithoutValue(given.value) : WordsOfLine(given.value, option.words));
}

std::string InvocationOf(const ParsedArguments& arguments, const std::string& commits) {
  std::vector<std::string> parts;
  if (!commits.empty()) parts.push_back("--git " + ShellQuoted(commits));
  for (const GivenOption& given : arguments.options) {
    const OptionInfo* const option = OptionOfSession(given.name);
    if (option == nullptr || (given.name == "git" && !commits.empty())) continue;
    parts.push_back(OptionWords(*option, given));
  }
  if (!arguments.positionals.empty()) {
    parts.push_back("-- " + Join(arguments.positionals, " ", ShellQuoted));
  }
  std::string text = Join(parts, " ");
  const bool fits = text.size() <= kMostBytes && IsSendableText(text) && !HasControlCharacter(text);
  return fits ? text : "";
}

}  // namespace benchd::client
