#include "daemon/parse/lines.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "daemon/parse/number.h"
#include "daemon/parse/text.h"

namespace benchd {
namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kHint = "each line is [ITERATION] [SAMPLE] NAME VALUE [UNIT]";
constexpr std::string_view kDirectiveHint = "write for example: #! prefer=lower unit=s";

Error Refuse(std::string why, std::string_view hint = kHint) {
  return Error{ErrorCode::kInvalidArgument, std::move(why), std::string(hint)};
}

std::vector<std::string_view> Words(std::string_view line) {
  std::vector<std::string_view> words;
  std::size_t at = 0;
  while ((at = line.find_first_not_of(kBlanks, at)) != std::string_view::npos) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

Result<void> CheckWord(std::string_view word, const char* what) {
  if (word.size() <= kMaxMetricNameBytes) return {};
  return Refuse("the " + std::string(what) + " " + Quoted(word) + " has " +
                std::to_string(word.size()) + " bytes, " + std::to_string(kMaxMetricNameBytes) +
                " are possible");
}

/// What one line says.
struct Reading {
  std::optional<std::uint32_t> iteration;
  std::optional<std::uint32_t> sample;
  std::string_view name;
  PrintedNumber number;
  std::string_view unit;
};

Result<std::uint32_t> ParseIndex(std::string_view word, const char* what) {
  std::uint32_t index = 0;
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), index);
  if (failed != std::errc()) {
    return Refuse("the " + std::string(what) + " number " + Quoted(word) + " is too large");
  }
  return index;
}

Result<Reading> ParseReading(std::string_view line) {
  const std::vector<std::string_view> words = Words(line);
  Reading reading;
  std::size_t at = 0;
  for (auto [index, what] :
       {std::pair(&reading.iteration, "iteration"), std::pair(&reading.sample, "sample")}) {
    if (at == words.size() || !IsWholeNumber(words[at])) break;
    auto number = ParseIndex(words[at], what);
    if (!number) return std::move(number).error();
    *index = *number;
    ++at;
  }
  if (at == words.size()) return Refuse("expected a name after " + Quoted(words.back()));
  if (LooksLikeNumber(words[at])) {
    return Refuse("expected a name, found the number " + Quoted(words[at]));
  }
  reading.name = words[at++];
  if (auto checked = CheckWord(reading.name, "name"); !checked) return std::move(checked).error();
  if (at == words.size()) return Refuse(Quoted(reading.name) + " has no value");
  auto number = ParseNumber(words[at++]);
  if (!number) {
    return Refuse("expected the value of " + Quoted(reading.name) + ": " +
                  std::move(number).error().message);
  }
  reading.number = *number;
  if (at == words.size()) return reading;
  reading.unit = words[at++];
  if (auto checked = CheckWord(reading.unit, "unit"); !checked) return std::move(checked).error();
  if (at != words.size()) {
    return Refuse("expected the end of the line after the unit, found " + Quoted(words[at]));
  }
  return reading;
}

/// Reads a text line by line; one object per text.
class LinesReader {
 public:
  Result<HarnessOutput> Read(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      ++line_;
      if (auto taken = TakeLine(text.substr(0, end)); !taken) {
        return std::move(taken).error().Within("line " + std::to_string(line_));
      }
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (output_.samples.empty()) {
      return Refuse("no value: expected at least one line NAME VALUE [UNIT]");
    }
    return std::move(output_);
  }

 private:
  /// What is known of one NAME besides its MetricInfo.
  struct Known {
    std::size_t metric = 0;  // index into output_.metrics
    std::size_t first_line = 0;
    std::uint32_t values = 0;
  };
  using ReadingKey =
      std::tuple<std::size_t, std::optional<std::uint32_t>, std::optional<std::uint32_t>>;

  Result<void> TakeLine(std::string_view line) {
    if (line.size() > kMaxLineBytes) {
      return Refuse(std::to_string(line.size()) + " bytes, " + std::to_string(kMaxLineBytes) +
                    " are possible");
    }
    if (const auto invalid = FirstInvalidUtf8(line)) {
      return Refuse("not valid UTF-8 at byte " + std::to_string(*invalid + 1));
    }
    const std::size_t start = line.find_first_not_of(kBlanks);
    if (start == std::string_view::npos) return {};
    line.remove_prefix(start);
    if (line.starts_with("#!")) return TakeDirective(line.substr(2));
    if (line.starts_with('#')) return {};
    if (HasControlCharacter(line, "\t\r")) return Refuse("a control character in " + Quoted(line));
    auto reading = ParseReading(line);
    if (!reading) return std::move(reading).error();
    return TakeReading(*reading);
  }

  Result<void> TakeDirective(std::string_view directive) {
    if (HasControlCharacter(directive, "\t\r")) {
      return Refuse("a control character in " + Quoted(directive), kDirectiveHint);
    }
    const std::vector<std::string_view> words = Words(directive);
    if (words.empty()) return Refuse("expected prefer= or unit= after #!", kDirectiveHint);
    for (const std::string_view word : words) {
      if (auto taken = TakeSetting(word); !taken) return taken;
    }
    return {};
  }

  Result<void> TakeSetting(std::string_view word) {
    if (word == "prefer=lower") {
      better_ = Better::kLower;
    } else if (word == "prefer=higher") {
      better_ = Better::kHigher;
    } else if (word.starts_with("prefer=")) {
      return Refuse("expected lower or higher after prefer=, found " + Quoted(word.substr(7)),
                    kDirectiveHint);
    } else if (word.starts_with("unit=") && word.size() > 5) {
      unit_ = word.substr(5);
      return CheckWord(unit_, "unit");
    } else if (word == "unit=") {
      return Refuse("expected a unit after unit=", kDirectiveHint);
    } else {
      return Refuse("expected prefer= or unit= after #!, found " + Quoted(word), kDirectiveHint);
    }
    return {};
  }

  Result<void> TakeReading(const Reading& reading) {
    if (FindBuiltinMetric(reading.name) != nullptr) {
      return Refuse(Quoted(reading.name) + " is a metric that benchd measures itself",
                    "let the program print another name");
    }
    if (output_.samples.size() == kMaxSamples) {
      return Refuse("more than " + std::to_string(kMaxSamples) + " values in one run",
                    "let the program print a summary of its values");
    }
    const auto [found, is_new] = known_.try_emplace(std::string(reading.name));
    Known& known = found->second;
    if (is_new) {
      known = Known{output_.metrics.size(), line_, 0};
      output_.metrics.push_back(
          MetricInfo{found->first, UnitOf(reading), better_, reading.number.resolution});
    }
    if (auto checked = CheckAgainst(known, reading); !checked) return checked;
    double& resolution = output_.metrics[known.metric].resolution;
    resolution = std::min(resolution, reading.number.resolution);
    output_.samples.push_back(Sample{found->first, {}, known.values++, reading.number.value});
    return {};
  }

  Result<void> CheckAgainst(const Known& known, const Reading& reading) {
    const MetricInfo& metric = output_.metrics[known.metric];
    const std::string name = Quoted(reading.name);
    const std::string before = " (line " + std::to_string(known.first_line) + ")";
    if (UnitOf(reading) != metric.unit) {
      return Refuse(name + " has the unit " + Quoted(UnitOf(reading)) + ", before " +
                        Quoted(metric.unit) + before,
                    "print every value of a name in one unit");
    }
    if (better_ != metric.better) {
      return Refuse(name + " has another direction than before" + before,
                    "write `#! prefer=` once, before the first value of a name");
    }
    const ReadingKey unnumbered{known.metric, std::nullopt, std::nullopt};
    const bool is_mixed = known.values > 0 && (!reading.iteration || lines_.contains(unnumbered));
    const auto [twin, is_first] =
        lines_.try_emplace({known.metric, reading.iteration, reading.sample}, line_);
    if (is_mixed) {
      return Refuse(name + " twice without an iteration number" + before,
                    "number its values: ITERATION NAME VALUE");
    }
    if (!is_first) {
      return Refuse(name + " twice with the same iteration number (line " +
                        std::to_string(twin->second) + ")",
                    "number its values: ITERATION NAME VALUE");
    }
    return {};
  }

  std::string UnitOf(const Reading& reading) const {
    return std::string(reading.unit.empty() ? std::string_view(unit_) : reading.unit);
  }

  std::size_t line_ = 0;
  std::string unit_;
  std::optional<Better> better_;
  HarnessOutput output_;
  std::map<std::string, Known, std::less<>> known_;
  std::map<ReadingKey, std::size_t> lines_;
};

}  // namespace

Result<HarnessOutput> ParseLines(std::string_view text) { return LinesReader().Read(text); }

}  // namespace benchd
