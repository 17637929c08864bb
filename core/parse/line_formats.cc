#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/parse/harness_builder.h"
#include "core/parse/harness_output.h"
#include "core/parse/number.h"

namespace benchd {
namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kDirectiveHint = "write, for example: #! prefer=lower unit=s";

/// The parts of one line of values. The members are views into the line.
struct LineReading {
  std::string_view iteration;  ///< empty = none
  std::string_view sample;     ///< empty = none
  std::string_view name;
  PrintedNumber number;
  std::string_view unit;  ///< empty = the unit of the last `#! unit=`
};

/// The syntax of a format.
struct LineFormat {
  /// Parses a line of at least one word. Errors do not include the line number.
  Result<LineReading> (*read)(std::string_view line);
  std::string_view hint;
  /// For the error about a text without values: "at least one line NAME VALUE [UNIT]".
  std::string_view expected;
  /// The hint for a duplicate: how to distinguish the values of a name.
  std::string_view number_hint;
};

bool IsSameDimension(std::string_view a, std::string_view b) {
  return a == b || (SecondsIn(a) && SecondsIn(b));
}

/// Returns the usual direction of a unit: lower is better for times, higher for rates. The opposite
/// must be stated explicitly.
std::optional<Better> UsualDirection(std::string_view unit) {
  if (SecondsIn(unit)) return Better::kLower;
  if (unit.ends_with("/s") || unit.ends_with("/sec")) return Better::kHigher;
  return std::nullopt;
}

/// Reads a text line by line; one object per text.
class LineReader {
 public:
  explicit LineReader(const LineFormat& format) : format_(format), builder_(format.hint) {}

  Result<HarnessOutput> Read(std::string_view text) {
    const auto take = [this](std::string_view line) {
      ++line_;
      return TakeLine(line);
    };
    TRY_VOID(ForEachLine(text, format_.hint, take));
    return std::move(builder_).Finish(format_.expected);
  }

 private:
  /// The settings of a `#!` line.
  struct Header {
    std::optional<Better> better;
    std::optional<std::string> unit;
  };
  using ReadingKey = std::tuple<std::size_t, std::string, std::string>;

  Result<void> TakeLine(std::string_view line) {
    const std::size_t start = line.find_first_not_of(kBlanks);
    if (start == std::string_view::npos) return {};
    line.remove_prefix(start);
    if (line.starts_with("#!")) return TakeDirective(line.substr(2));
    if (line.starts_with('#')) return {};
    if (HasControlCharacter(line, "\t\r")) {
      return RefuseText("a control character in " + Quoted(line));
    }
    TRY(auto reading, format_.read(line));
    return TakeReading(reading);
  }

  Result<void> TakeDirective(std::string_view directive) {
    if (HasControlCharacter(directive, "\t\r")) {
      return RefuseText("a control character in " + Quoted(directive), kDirectiveHint);
    }
    const std::vector<std::string_view> words = WordsOf(directive);
    if (words.empty()) return RefuseText("expected prefer= or unit= after #!", kDirectiveHint);
    Header said;
    for (const std::string_view word : words) {
      TRY_VOID(TakeSetting(word, said));
    }
    if (said.unit) unit_ = *said.unit;
    if (said.better) header_ = said;
    return {};
  }

  static Result<void> TakeSetting(std::string_view word, Header& said) {
    if (word == "prefer=lower") {
      said.better = Better::kLower;
    } else if (word == "prefer=higher") {
      said.better = Better::kHigher;
    } else if (word.starts_with("prefer=")) {
      return RefuseText("expected lower or higher after prefer=, found " + Quoted(word.substr(7)),
                        kDirectiveHint);
    } else if (word.starts_with("unit=") && word.size() > 5) {
      said.unit = word.substr(5);
    } else if (word == "unit=") {
      return RefuseText("expected a unit after unit=", kDirectiveHint);
    } else {
      return RefuseText("expected prefer= or unit= after #!, found " + Quoted(word),
                        kDirectiveHint);
    }
    return {};
  }

  Result<void> TakeReading(const LineReading& reading) {
    TRY_VOID(CheckDirection(reading));
    const HarnessMetric metric{{},
                               reading.name,
                               reading.unit.empty() ? std::string_view(unit_) : reading.unit,
                               header_.better};
    TRY_VOID(builder_.Add(metric, reading.number, line_));
    return CheckOnce(*builder_.Find(reading.name), reading);
  }

  /// Checks that the direction of the header applies to the unit on the line. It must not apply to
  /// other units: after `prefer=higher unit=1/s`, a latency would pass if it doubled.
  Result<void> CheckDirection(const LineReading& reading) const {
    if (!header_.better || reading.unit.empty()) return {};
    const bool other_unit = header_.unit && !IsSameDimension(*header_.unit, reading.unit);
    std::optional<Better> usual;
    if (!header_.unit) usual = UsualDirection(reading.unit);
    if (!other_unit && (!usual || *usual == *header_.better)) return {};
    const std::string prefer = "prefer=" + std::string(NameOf(*header_.better));
    const std::string unit(reading.unit);
    return RefuseText(
        Quoted(reading.name) + " is in " + Quoted(unit) + ", but " + prefer +
            (header_.unit ? " applies to " + Quoted(*header_.unit) : " was given without a unit"),
        "state its direction on an earlier line: #! prefer=" +
            std::string(NameOf(usual.value_or(Better::kLower))) + " unit=" + unit);
  }

  Result<void> CheckOnce(const HarnessBuilder::Known& known, const LineReading& reading) {
    const std::string name = Quoted(reading.name);
    const ReadingKey unnumbered{known.metric, {}, {}};
    const bool is_mixed =
        known.values > 1 && (reading.iteration.empty() || lines_.contains(unnumbered));
    const auto [twin, is_first] = lines_.try_emplace(
        {known.metric, std::string(reading.iteration), std::string(reading.sample)}, line_);
    if (is_mixed) {
      return RefuseText(fmt::format("{} occurs twice without an iteration number (line {})", name,
                                    known.first_line),
                        format_.number_hint);
    }
    if (!is_first) {
      return RefuseText(fmt::format("{} occurs twice with the same iteration number (line {})",
                                    name, twin->second),
                        format_.number_hint);
    }
    return {};
  }

  const LineFormat& format_;
  std::size_t line_ = 0;
  std::string unit_;
  Header header_;  // the last header with a direction
  HarnessBuilder builder_;
  std::map<ReadingKey, std::size_t> lines_;
};

/// Reads a text with one value per line, in the format `lines` or `mmtests`.
///
/// Empty lines and lines starting with `#` are ignored. `#! prefer=lower|higher unit=U` (one or
/// both) applies to all lines after it. A NAME may occur several times with different iterations
/// and samples.
///
/// @errors as for ParseLines().
Result<HarnessOutput> ReadLines(std::string_view text, const LineFormat& format) {
  return LineReader(format).Read(text);
}

constexpr std::string_view kLinesHint =
    "each line must be [ITERATION] [SAMPLE] NAME VALUE [UNIT]; quote a NAME of several words";

/// Checks an index and removes its leading zeros, so that 1 and 01 are the same iteration.
Result<std::string_view> ParseIndex(std::string_view word, const char* what) {
  std::uint32_t index = 0;
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), index);
  if (failed != std::errc()) {
    return RefuseText("the " + std::string(what) + " number " + Quoted(word) + " is too large");
  }
  const std::size_t zeros = std::min(word.find_first_not_of('0'), word.size() - 1);
  return word.substr(zeros);
}

/// A word, or a name in double quotes that may contain blanks.
struct LineWord {
  std::string_view text;
  bool quoted = false;
};

Result<std::vector<LineWord>> WordsAndNames(std::string_view line) {
  std::vector<LineWord> words;
  for (std::size_t at = line.find_first_not_of(kBlanks); at != std::string_view::npos;
       at = line.find_first_not_of(kBlanks, at)) {
    if (line[at] != '"') {
      const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
      words.push_back({line.substr(at, end - at)});
      at = end;
      continue;
    }
    const std::size_t end = line.find('"', at + 1);
    if (end == std::string_view::npos) {
      return RefuseText("expected a second quote after " + Quoted(line.substr(at)));
    }
    words.push_back({line.substr(at + 1, end - at - 1), true});
    at = end + 1;
    if (at < line.size() && kBlanks.find(line[at]) == std::string_view::npos) {
      return RefuseText("expected a blank after the quoted name " + Quoted(words.back().text));
    }
  }
  return words;
}

Result<LineReading> ReadLineWords(std::string_view line) {
  TRY(auto split, WordsAndNames(line));
  std::vector<std::string_view> words;
  for (const LineWord& word : split) words.push_back(word.text);
  const auto is_quoted = [&split](std::size_t at) { return split[at].quoted; };
  LineReading reading;
  std::size_t at = 0;
  for (auto [index, what] :
       {std::pair(&reading.iteration, "iteration"), std::pair(&reading.sample, "sample")}) {
    if (at == words.size() || is_quoted(at) || !IsWholeNumber(words[at])) break;
    TRY(auto number, ParseIndex(words[at], what));
    *index = number;
    ++at;
  }
  if (at == words.size()) return RefuseText("expected a name after " + Quoted(words.back()));
  if (!is_quoted(at) && LooksLikeNumber(words[at])) {
    return RefuseText("expected a name, found the number " + Quoted(words[at]));
  }
  reading.name = words[at++];
  if (at == words.size()) return RefuseText(Quoted(reading.name) + " has no value");
  auto number = ParseNumber(words[at++]);
  if (!number) {
    return RefuseText("expected the value of " + Quoted(reading.name) + ": " +
                      std::move(number).error().message);
  }
  reading.number = *number;
  if (at == words.size()) return reading;
  if (!is_quoted(at) && LooksLikeNumber(words[at])) {
    return RefuseText(
        "expected the unit of " + Quoted(reading.name) + ", found the number " + Quoted(words[at]),
        "put a name of several words in quotes: \"" + std::string(reading.name) + " " +
            std::string(words[at - 1]) + "\" " + std::string(words[at]));
  }
  reading.unit = words[at++];
  if (at != words.size()) {
    return RefuseText("expected the end of the line after the unit, found " + Quoted(words[at]));
  }
  return reading;
}

}  // namespace

Result<HarnessOutput> ParseLines(std::string_view text) {
  constexpr LineFormat kFormat{&ReadLineWords, kLinesHint, "at least one line NAME VALUE [UNIT]",
                               "number its values: ITERATION NAME VALUE"};
  return ReadLines(text, kFormat);
}

namespace {

constexpr std::string_view kMmtestsHint =
    "each line must be OPERATION ITERATION SAMPLE VALUE, as in extract-mmtests.pl --format script";

Result<LineReading> ReadMmtestsWords(std::string_view line) {
  const std::vector<std::string_view> words = WordsOf(line);
  if (words.size() < 3 || words.size() > 4) {
    return RefuseText(fmt::format("expected OPERATION ITERATION SAMPLE VALUE, found {} {}",
                                  words.size(), words.size() == 1 ? "word" : "words"));
  }
  LineReading reading;
  reading.name = words.front();
  reading.iteration = words[1];
  // The number of the sample may be a time, such as 0.5.
  if (words.size() == 4) reading.sample = words[2];
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    if (LooksLikeNumber(words[i])) continue;
    return RefuseText("expected the number of the " + std::string(i == 1 ? "iteration" : "sample") +
                      " of " + Quoted(reading.name) + ", found " + Quoted(words[i]));
  }
  auto number = ParseNumber(words.back());
  if (!number) {
    return RefuseText("expected the value of " + Quoted(reading.name) + ": " +
                      std::move(number).error().message);
  }
  reading.number = *number;
  return reading;
}

}  // namespace

Result<HarnessOutput> ParseMmtests(std::string_view text) {
  constexpr LineFormat kFormat{&ReadMmtestsWords, kMmtestsHint,
                               "at least one line OPERATION ITERATION SAMPLE VALUE",
                               "give every sample of an operation its own number"};
  return ReadLines(text, kFormat);
}

}  // namespace benchd
