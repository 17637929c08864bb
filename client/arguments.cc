#include "client/arguments.h"

#include <algorithm>
#include <vector>

namespace benchd::client {
namespace {

// Optimal string alignment distance: Levenshtein's, with a swap of neighbours as one step.
std::size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::string Nearest(std::string_view typed, std::span<const std::string_view> names) {
  constexpr std::size_t kLongestWord = 40;
  if (typed.empty() || typed.size() > kLongestWord) return "";
  constexpr std::size_t kShortestStart = 3;
  for (const std::string_view name : names) {
    if (typed.size() >= kShortestStart && name.starts_with(typed)) return std::string(name);
  }
  std::string_view best;
  std::size_t best_distance = std::min<std::size_t>(2, (typed.size() - 1) / 2) + 1;
  for (const std::string_view name : names) {
    const std::size_t distance = Distance(typed, name);
    if (distance < best_distance) {
      best = name;
      best_distance = distance;
    }
  }
  return std::string(best);
}
namespace {

Error UnknownOption(std::string_view word, std::string_view name,
                    std::span<const OptionInfo> options) {
  std::vector<std::string_view> names;
  for (const OptionInfo& option : options) names.push_back(option.name);
  const std::string nearest = Nearest(name, names);
  return UsageError(
      std::string(word) + ": unknown option",
      nearest.empty() ? "--help lists the options" : "did you mean --" + nearest + "?");
}

// One pass over the words; `next_` is the word that comes next.
class Scanner {
 public:
  Scanner(std::span<const std::string> words, std::span<const OptionInfo> options)
      : words_(words), options_(options) {}

  Result<ParsedArguments> Run() {
    while (next_ < words_.size()) {
      const std::string& word = words_[next_++];
      if (word == "--") {
        parsed_.positionals.insert(parsed_.positionals.end(),
                                   words_.begin() + static_cast<std::ptrdiff_t>(next_),
                                   words_.end());
        break;
      }
      Result<void> taken;
      if (word.starts_with("--")) {
        taken = TakeLong(word);
      } else if (word.size() > 1 && word[0] == '-') {
        taken = TakeLetters(word);
      } else {
        parsed_.positionals.push_back(word);
      }
      if (!taken) return std::move(taken).error();
    }
    return std::move(parsed_);
  }

 private:
  Result<void> TakeLong(const std::string& word) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(2, equals == std::string::npos ? equals : equals - 2);
    const auto option = std::ranges::find(options_, name, &OptionInfo::name);
    if (option == options_.end()) return UnknownOption("--" + name, name, options_);
    if (equals == std::string::npos) return TakeValue(*option, "--" + name);
    if (option->value.empty()) return UsageError("--" + name + ": it takes no value");
    return TakeRest(*option, "--" + name, word.substr(equals + 1));
  }

  Result<void> TakeLetters(const std::string& word) {
    for (std::size_t i = 1; i < word.size(); ++i) {
      const auto option = std::ranges::find(options_, word[i], &OptionInfo::letter);
      if (option == options_.end()) {
        return UsageError("-" + word.substr(i, 1) + ": unknown option", "--help lists the options");
      }
      if (option->value.empty() || i + 1 == word.size()) {
        auto taken = TakeValue(*option, "-" + word.substr(i, 1));
        if (!taken) return taken;
        continue;
      }
      return TakeRest(*option, "-" + word.substr(i, 1), word.substr(i + 1));
    }
    return {};
  }

  Result<void> TakeValue(const OptionInfo& option, const std::string& shown) {
    if (option.value.empty()) {
      parsed_.options.push_back({std::string(option.name), ""});
      return {};
    }
    if (next_ == words_.size()) return Missing(option, shown);
    return TakeRest(option, shown, words_[next_++]);
  }

  // The words of a value after its first.
  Result<void> TakeRest(const OptionInfo& option, const std::string& shown, std::string value) {
    for (int word = 1; word < option.words; ++word) {
      if (next_ == words_.size()) return Missing(option, shown);
      value += " " + words_[next_++];
    }
    parsed_.options.push_back({std::string(option.name), std::move(value)});
    return {};
  }

  static Error Missing(const OptionInfo& option, const std::string& shown) {
    return UsageError(shown + ": a value is missing",
                      "write " + shown + " " + std::string(option.value));
  }

  std::span<const std::string> words_;
  std::span<const OptionInfo> options_;
  std::size_t next_ = 0;
  ParsedArguments parsed_;
};

}  // namespace

Result<ParsedArguments> ParseArguments(std::span<const std::string> words,
                                       std::span<const OptionInfo> options) {
  return Scanner(words, options).Run();
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

}  // namespace benchd::client
