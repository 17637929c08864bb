#include "client/app/arguments.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/base/try.h"

namespace benchd::client {
namespace {

std::vector<std::string_view> SplitChoices(const OptionInfo& option) {
  std::string_view rest = option.choices.empty() ? option.value : option.choices;
  std::vector<std::string_view> choices;
  while (!rest.empty()) {
    const std::size_t bar = std::min(rest.find('|'), rest.size());
    choices.push_back(rest.substr(0, bar));
    rest.remove_prefix(std::min(bar + 1, rest.size()));
  }
  return choices;
}

bool IsLiteral(std::string_view choice) {
  return !choice.empty() && std::ranges::all_of(choice, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

bool IsNumber(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double ignored = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, ignored);
  return at == end && error != std::errc::invalid_argument;
}

constexpr char kListed[] = "--help lists the options";

// Suggests the same letter in the other case, or the long name if only its second dash is missing.
Error UnknownLetter(std::string_view word, char letter, std::span<const OptionInfo> options) {
  std::vector<std::string_view> names;
  for (const OptionInfo& option : options) names.push_back(option.name);
  std::string hint = word.size() > 2 ? HintForUnknown(word.substr(1), names, "", "--") : "";
  if (!hint.empty()) return UsageError(std::string(word) + ": unknown option", std::move(hint));
  hint = kListed;
  for (const OptionInfo& option : options) {
    if (option.letter == 0 || std::tolower(option.letter) != std::tolower(letter)) continue;
    hint = std::string("did you mean -") + option.letter + ", --" + std::string(option.name) + "?";
  }
  return UsageError(std::string("-") + letter + ": unknown option", std::move(hint));
}

Error UnknownOption(std::string_view name, std::span<const OptionInfo> options) {
  std::vector<std::string_view> names;
  for (const OptionInfo& option : options) names.push_back(option.name);
  return UsageError("--" + std::string(name) + ": unknown option",
                    HintForUnknown(name, names, kListed, "--"));
}

// Parses the words in one pass; `next_` is the index of the next word.
class Scanner {
 public:
  Scanner(std::span<const std::string> words, std::span<const OptionInfo> options)
      : words_(words), options_(options) {}

  Result<ParsedArguments> All() {
    while (next_ < words_.size()) {
      const std::string& word = words_[next_++];
      if (word == "--") {
        parsed_.positionals.insert(parsed_.positionals.end(),
                                   words_.begin() + static_cast<std::ptrdiff_t>(next_),
                                   words_.end());
        break;
      }
      if (!IsOption(word)) {
        parsed_.positionals.push_back(word);
      } else if (auto taken = Take(word); !taken) {
        return std::move(taken).error();
      }
    }
    return std::move(parsed_);
  }

  Result<LeadingOptions> Leading() {
    while (next_ < words_.size() && IsOption(words_[next_]) && words_[next_] != "--") {
      const std::string& word = words_[next_++];
      TRY_VOID(Take(word));
    }
    return LeadingOptions{std::move(parsed_.options), next_};
  }

 private:
  static bool IsOption(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

  Result<void> Take(const std::string& word) {
    return word.starts_with("--") ? TakeLong(word) : TakeLetters(word);
  }

  Result<void> TakeLong(const std::string& word) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(2, equals == std::string::npos ? equals : equals - 2);
    const auto option = std::ranges::find(options_, name, &OptionInfo::name);
    if (option == options_.end()) return UnknownOption(name, options_);
    if (equals == std::string::npos) return TakeValue(*option, "--" + name);
    if (option->value.empty()) return UsageError("--" + name + ": takes no value");
    if (option->optional && equals + 1 == word.size()) return Missing(*option, "--" + name);
    return TakeRest(*option, "--" + name, word.substr(equals + 1));
  }

  Result<void> TakeLetters(const std::string& word) {
    for (std::size_t i = 1; i < word.size(); ++i) {
      const auto option = std::ranges::find(options_, word[i], &OptionInfo::letter);
      if (option == options_.end()) return UnknownLetter(word, word[i], options_);
      const std::string shown = "-" + word.substr(i, 1);
      if (!option->value.empty() && !option->optional && i + 1 < word.size()) {
        return TakeRest(*option, shown, word.substr(i + 1));
      }
      TRY_VOID(TakeValue(*option, shown));
    }
    return {};
  }

  Result<void> TakeValue(const OptionInfo& option, const std::string& shown) {
    if (option.value.empty() || option.optional) {
      parsed_.options.push_back({std::string(option.name), ""});
      return {};
    }
    if (next_ == words_.size()) return Missing(option, shown);
    return TakeRest(option, shown, words_[next_++]);
  }

  // Takes the remaining words of a value, after the first one.
  Result<void> TakeRest(const OptionInfo& option, const std::string& shown, std::string value) {
    for (int word = 1; word < option.words; ++word) {
      if (next_ == words_.size()) return Missing(option, shown);
      const std::string& next = words_[next_++];
      // Without this check, a missing number would consume the command that follows.
      if (word >= option.words - option.numbers && !IsNumber(next)) {
        return NoNumber(option, shown + " " + value, word, next);
      }
      value += " " + next;
    }
    TRY_VOID(CheckChoice(option, shown, value));
    parsed_.options.push_back({std::string(option.name), std::move(value)});
    return {};
  }

  static Result<void> CheckChoice(const OptionInfo& option, const std::string& shown,
                                  const std::string& value) {
    const std::vector<std::string_view> choices = SplitChoices(option);
    if (!std::ranges::all_of(choices, IsLiteral)) return {};
    if (choices.empty() || std::ranges::find(choices, value) != choices.end()) return {};
    return UsageError(shown + " " + value + ": unknown value", HintForUnknown(value, choices));
  }

  static Error Missing(const OptionInfo& option, const std::string& shown) {
    std::string hint = "write " + shown;
    if (option.optional) hint += " or " + shown;
    return UsageError(shown + ": missing value",
                      hint + (option.optional ? "=" : " ") + std::string(option.value));
  }

  static Error NoNumber(const OptionInfo& option, const std::string& given, int word,
                        const std::string& next) {
    const std::vector<std::string_view> names = WordsOf(option.value);
    const std::string name(names[static_cast<std::size_t>(word)]);
    return UsageError(given + ": missing " + name + ": " + Quoted(next) + " is not a number",
                      "write --" + std::string(option.name) + " " + std::string(option.value));
  }

  std::span<const std::string> words_;
  std::span<const OptionInfo> options_;
  std::size_t next_ = 0;
  ParsedArguments parsed_;
};

/// Returns the key that may occur only once: the name of the option, followed by K for a repeatable
/// K=V option. Returns an empty string if the option may be repeated freely.
std::string OnceKey(const GivenOption& given, const OptionInfo& info) {
  if (info.value.empty()) return {};
  if (!info.repeatable) return given.name;
  if (!info.value.ends_with("K=V")) return {};
  return given.name + " " + given.value.substr(0, given.value.find('='));
}

}  // namespace

std::string Placeholder(const OptionInfo& option) {
  const std::string value(option.value);
  if (option.optional) return "[=" + value + "]";
  return value.empty() ? "" : " " + value;
}

std::vector<std::string_view> FixedWords(const OptionInfo& option) {
  std::vector<std::string_view> words = SplitChoices(option);
  std::erase_if(words, [](std::string_view word) { return !IsLiteral(word); });
  return words;
}

Result<ParsedArguments> ParseArguments(std::span<const std::string> words,
                                       std::span<const OptionInfo> options) {
  return Scanner(words, options).All();
}

Result<LeadingOptions> ParseLeadingOptions(std::span<const std::string> words,
                                           std::span<const OptionInfo> options) {
  return Scanner(words, options).Leading();
}

Result<void> CheckRepeats(const ParsedArguments& arguments, std::span<const OptionInfo> options) {
  std::map<std::string, const GivenOption*> seen;
  for (const GivenOption& given : arguments.options) {
    const auto info = std::ranges::find(options, given.name, &OptionInfo::name);
    const std::string key = info == options.end() ? "" : OnceKey(given, *info);
    if (key.empty()) continue;
    const auto [before, first] = seen.try_emplace(key, &given);
    if (first) continue;
    return UsageError(
        "--" + given.name + " " + given.value + ": given twice",
        "it was already given as " + Quoted(before->second->value) + "; leave one of the two out");
  }
  return {};
}

const std::string* LastValue(const ParsedArguments& arguments, std::string_view name) {
  const std::string* value = nullptr;
  for (const GivenOption& option : arguments.options) {
    if (option.name == name) value = &option.value;
  }
  return value;
}

bool IsGiven(const ParsedArguments& arguments, std::string_view name) {
  return LastValue(arguments, name) != nullptr;
}

std::span<const OptionInfo> EveryOption() {
  static constexpr std::string_view kEvery = "Global options";
  static constexpr auto kOptions = std::to_array<OptionInfo>(
      {{"json", 0, "", "print one JSON object per line", kEvery},
       {"socket", 0, "PATH",
        "connect to the daemon at this socket (default: BENCHD_SOCKET, else the system's daemon, "
        "else your own)",
        kEvery},
       {"host", 0, "ADDRESS",
        "use the daemon of another machine: ssh://[USER@]HOST[:PORT] (default: BENCHD_HOST, "
        "else this machine)",
        kEvery},
       {"no-autostart", 0, "", "do not start a daemon if none is running", kEvery},
       {"help", 'h', "", "show this help", kEvery}});
  return kOptions;
}

std::vector<OptionInfo> WithEveryOption(std::vector<OptionInfo> options) {
  options.insert(options.end(), EveryOption().begin(), EveryOption().end());
  return options;
}

}  // namespace benchd::client
