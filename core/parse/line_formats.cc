#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/base/text.h"
#include "core/model/metric.h"
#include "core/parse/harness_builder.h"
#include "core/parse/harness_output.h"
#include "core/parse/number.h"

namespace benchd {
namespace {

/// Longest line that is taken, without its newline.
constexpr std::size_t kMaxLineBytes = 64 * 1024;
constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kDirectiveHint = "write for example: #! prefer=lower unit=s";

Error RefuseLine(std::string why, std::string_view hint) {
  return Error{ErrorCode::kInvalidArgument, std::move(why), std::string(hint)};
}

/// Calls `take(line)` for each line of a text, counted from 1, without its newline.
///
/// @errors kInvalidArgument "line 3: ..." for a line over kMaxLineBytes or that is no UTF-8, and
///         what `take` returns, with the line in front. `hint` is that of the first two.
Result<void> ForEachLine(std::string_view text, std::string_view hint,
                         const std::function<Result<void>(std::string_view)>& take) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    Result<void> taken;
    if (line.size() > kMaxLineBytes) {
      taken = RefuseLine(std::to_string(line.size()) + " bytes, " + std::to_string(kMaxLineBytes) +
                             " are possible",
                         hint);
    } else if (const auto invalid = FirstInvalidUtf8(line)) {
      taken = RefuseLine("not valid UTF-8 at byte " + std::to_string(*invalid + 1), hint);
    } else {
      taken = take(line);
    }
    if (!taken) return std::move(taken).error().Within("line " + std::to_string(number));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

/// The words of a line, separated by blanks, tabs and carriage returns.
std::vector<std::string_view> WordsOf(std::string_view line) {
  std::vector<std::string_view> words;
  std::size_t at = 0;
  while ((at = line.find_first_not_of(kBlanks, at)) != std::string_view::npos) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

/// What one line of values says. Views into the line.
struct LineReading {
  std::string_view iteration;  ///< empty = none
  std::string_view sample;     ///< likewise
  std::string_view name;
  PrintedNumber number;
  std::string_view unit;  ///< empty = that of the last `#! unit=`
};

/// Where a format has its words.
struct LineFormat {
  /// The words are never none. Errors without the line.
  Result<LineReading> (*read)(const std::vector<std::string_view>& words);
  std::string_view hint;
  /// What a text without a value lacks: "at least one line NAME VALUE [UNIT]".
  std::string_view expected;
  /// What tells the values of one name apart, for the error of one that is there twice.
  std::string_view number_hint;
};

/// Reads a text line by line; one object per text.
class LineReader {
 public:
  explicit LineReader(const LineFormat& format) : format_(format), builder_(format.hint) {}

  Result<HarnessOutput> Read(std::string_view text) {
    const auto take = [this](std::string_view line) {
      ++line_;
      return TakeLine(line);
    };
    if (auto read = ForEachLine(text, format_.hint, take); !read) return std::move(read).error();
    return std::move(builder_).Finish(format_.expected);
  }

 private:
  using ReadingKey = std::tuple<std::size_t, std::string, std::string>;

  Result<void> TakeLine(std::string_view line) {
    const std::size_t start = line.find_first_not_of(kBlanks);
    if (start == std::string_view::npos) return {};
    line.remove_prefix(start);
    if (line.starts_with("#!")) return TakeDirective(line.substr(2));
    if (line.starts_with('#')) return {};
    if (HasControlCharacter(line, "\t\r")) {
      return RefuseLine("a control character in " + Quoted(line), format_.hint);
    }
    auto reading = format_.read(WordsOf(line));
    if (!reading) return std::move(reading).error();
    return TakeReading(*reading);
  }

  Result<void> TakeDirective(std::string_view directive) {
    if (HasControlCharacter(directive, "\t\r")) {
      return RefuseLine("a control character in " + Quoted(directive), kDirectiveHint);
    }
    const std::vector<std::string_view> words = WordsOf(directive);
    if (words.empty()) return RefuseLine("expected prefer= or unit= after #!", kDirectiveHint);
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
      return RefuseLine("expected lower or higher after prefer=, found " + Quoted(word.substr(7)),
                        kDirectiveHint);
    } else if (word.starts_with("unit=") && word.size() > 5) {
      unit_ = word.substr(5);
    } else if (word == "unit=") {
      return RefuseLine("expected a unit after unit=", kDirectiveHint);
    } else {
      return RefuseLine("expected prefer= or unit= after #!, found " + Quoted(word),
                        kDirectiveHint);
    }
    return {};
  }

  Result<void> TakeReading(const LineReading& reading) {
    const HarnessMetric metric{
        {}, reading.name, reading.unit.empty() ? std::string_view(unit_) : reading.unit, better_};
    if (auto added = builder_.Add(metric, reading.number, line_); !added) return added;
    return CheckOnce(*builder_.Find(reading.name), reading);
  }

  Result<void> CheckOnce(const HarnessBuilder::Known& known, const LineReading& reading) {
    const std::string name = Quoted(reading.name);
    const ReadingKey unnumbered{known.metric, {}, {}};
    const bool is_mixed =
        known.values > 1 && (reading.iteration.empty() || lines_.contains(unnumbered));
    const auto [twin, is_first] = lines_.try_emplace(
        {known.metric, std::string(reading.iteration), std::string(reading.sample)}, line_);
    if (is_mixed) {
      return RefuseLine(name + " twice without an iteration number (line " +
                            std::to_string(known.first_line) + ")",
                        format_.number_hint);
    }
    if (!is_first) {
      return RefuseLine(name + " twice with the same iteration number (line " +
                            std::to_string(twin->second) + ")",
                        format_.number_hint);
    }
    return {};
  }

  const LineFormat& format_;
  std::size_t line_ = 0;
  std::string unit_;
  std::optional<Better> better_;
  HarnessBuilder builder_;
  std::map<ReadingKey, std::size_t> lines_;
};

/// Reads a text of one value a line: what `lines` and `mmtests` have in common.
///
/// Empty lines and lines starting with `#` say nothing. `#! prefer=lower|higher unit=U` (one or
/// both) holds for all lines after it. A NAME may be there several times when each has its own
/// iteration and sample.
///
/// @errors see ParseLines().
Result<HarnessOutput> ReadLines(std::string_view text, const LineFormat& format) {
  return LineReader(format).Read(text);
}

constexpr std::string_view kLinesHint = "each line is [ITERATION] [SAMPLE] NAME VALUE [UNIT]";

Error RefuseLines(std::string why) {
  return Error{ErrorCode::kInvalidArgument, std::move(why), std::string(kLinesHint)};
}

/// Without leading zeros, so that 1 and 01 are the same iteration.
Result<std::string_view> ParseIndex(std::string_view word, const char* what) {
  std::uint32_t index = 0;
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), index);
  if (failed != std::errc()) {
    return RefuseLines("the " + std::string(what) + " number " + Quoted(word) + " is too large");
  }
  const std::size_t zeros = std::min(word.find_first_not_of('0'), word.size() - 1);
  return word.substr(zeros);
}

Result<LineReading> ReadLineWords(const std::vector<std::string_view>& words) {
  LineReading reading;
  std::size_t at = 0;
  for (auto [index, what] :
       {std::pair(&reading.iteration, "iteration"), std::pair(&reading.sample, "sample")}) {
    if (at == words.size() || !IsWholeNumber(words[at])) break;
    auto number = ParseIndex(words[at], what);
    if (!number) return std::move(number).error();
    *index = *number;
    ++at;
  }
  if (at == words.size()) return RefuseLines("expected a name after " + Quoted(words.back()));
  if (LooksLikeNumber(words[at])) {
    return RefuseLines("expected a name, found the number " + Quoted(words[at]));
  }
  reading.name = words[at++];
  if (at == words.size()) return RefuseLines(Quoted(reading.name) + " has no value");
  auto number = ParseNumber(words[at++]);
  if (!number) {
    return RefuseLines("expected the value of " + Quoted(reading.name) + ": " +
                       std::move(number).error().message);
  }
  reading.number = *number;
  if (at == words.size()) return reading;
  reading.unit = words[at++];
  if (at != words.size()) {
    return RefuseLines("expected the end of the line after the unit, found " + Quoted(words[at]));
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
    "each line is OPERATION ITERATION SAMPLE VALUE, as extract-mmtests.pl --format script prints";

Error RefuseMmtests(std::string why) {
  return Error{ErrorCode::kInvalidArgument, std::move(why), std::string(kMmtestsHint)};
}

Result<LineReading> ReadMmtestsWords(const std::vector<std::string_view>& words) {
  if (words.size() < 3 || words.size() > 4) {
    return RefuseMmtests("expected OPERATION ITERATION SAMPLE VALUE, found " +
                         std::to_string(words.size()) + (words.size() == 1 ? " word" : " words"));
  }
  LineReading reading;
  reading.name = words.front();
  reading.iteration = words[1];
  // A sample's number may be a time, such as 0.5.
  if (words.size() == 4) reading.sample = words[2];
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    if (LooksLikeNumber(words[i])) continue;
    return RefuseMmtests("expected the number of the " +
                         std::string(i == 1 ? "iteration" : "sample") + " of " +
                         Quoted(reading.name) + ", found " + Quoted(words[i]));
  }
  auto number = ParseNumber(words.back());
  if (!number) {
    return RefuseMmtests("expected the value of " + Quoted(reading.name) + ": " +
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

namespace {

constexpr std::string_view kGoHint =
    "print what go test -bench prints; let the benchmarks themselves log to stderr";
constexpr std::string_view kUnitHint = "write for example: Unit reqs/s better=higher";

Error RefuseGo(std::string why, std::string_view hint = kGoHint) {
  return Error{ErrorCode::kInvalidArgument, std::move(why), std::string(hint)};
}

/// "BenchmarkX", but not "Benchmarking".
bool IsBenchmarkName(std::string_view word) {
  constexpr std::string_view kPrefix = "Benchmark";
  if (!word.starts_with(kPrefix)) return false;
  return word.size() == kPrefix.size() || word[kPrefix.size()] < 'a' || word[kPrefix.size()] > 'z';
}

class GoReader {
 public:
  Result<HarnessOutput> Read(std::string_view text) {
    // Unit lines may stand behind the results that they speak of.
    const auto scan = [this](std::string_view line) { return Scan(line); };
    if (auto read = ForEachLine(text, kGoHint, scan); !read) return std::move(read).error();
    const auto take = [this](std::string_view line) {
      ++line_;
      return Take(line);
    };
    if (auto read = ForEachLine(text, kGoHint, take); !read) return std::move(read).error();
    return std::move(builder_).Finish("at least one line BenchmarkNAME ITERATIONS VALUE UNIT");
  }

 private:
  Result<void> Scan(std::string_view line) {
    if (line.starts_with("pkg:")) packages_.insert(std::string(line));
    if (!line.starts_with("Unit ") && !line.starts_with("Unit\t")) return {};
    const std::vector<std::string_view> words = WordsOf(line);
    if (words.size() < 2) return RefuseGo("expected a unit after Unit", kUnitHint);
    for (std::size_t i = 2; i < words.size(); ++i) {
      if (auto taken = TakeSetting(words[1], words[i]); !taken) return taken;
    }
    return {};
  }

  Result<void> TakeSetting(std::string_view unit, std::string_view setting) {
    const auto equals = setting.find('=');
    if (equals == 0 || equals == std::string_view::npos) {
      return RefuseGo("expected KEY=VALUE after the unit, found " + Quoted(setting), kUnitHint);
    }
    if (setting.substr(0, equals) != "better") return {};
    const std::string_view value = setting.substr(equals + 1);
    if (value != "lower" && value != "higher") {
      return RefuseGo("expected lower or higher after better=, found " + Quoted(value), kUnitHint);
    }
    const Better better = value == "lower" ? Better::kLower : Better::kHigher;
    const auto [known, is_new] = directions_.try_emplace(TidyGoUnit(unit).name, better);
    if (is_new || known->second == better) return {};
    return RefuseGo(Quoted(unit) + " has another direction than before", kUnitHint);
  }

  Result<void> Take(std::string_view line) {
    if (line.starts_with("pkg:")) package_ = WordsOf(line).back();
    constexpr std::string_view kFailed = "--- FAIL: ";
    if (line.starts_with(kFailed) && IsBenchmarkName(line.substr(kFailed.size()))) {
      return RefuseGo(Quoted(WordsOf(line.substr(kFailed.size())).front()) + " failed",
                      "run it by itself to see why: go test -bench NAME");
    }
    if (!line.starts_with("Benchmark")) return {};
    const std::vector<std::string_view> words = WordsOf(line);
    // A name alone is what -v prints when a benchmark begins.
    if (!IsBenchmarkName(words.front()) || words.size() == 1) return {};
    return TakeResult(words);
  }

  Result<void> TakeResult(const std::vector<std::string_view>& words) {
    const std::string name = Quoted(words.front());
    if (!IsWholeNumber(words[1])) {
      return RefuseGo("expected the number of iterations of " + name + ", found " +
                      Quoted(words[1]));
    }
    if (words.size() == 2) return RefuseGo(name + " has no value");
    std::string inner(words.front());
    if (packages_.size() > 1) inner = std::string(package_) + "." + inner;
    std::set<std::string> units;
    for (std::size_t i = 2; i < words.size(); i += 2) {
      auto number = ParseNumber(words[i]);
      if (!number) {
        return RefuseGo("expected a value of " + name + ": " + std::move(number).error().message);
      }
      if (i + 1 == words.size()) return RefuseGo("expected the unit of " + Quoted(words[i]));
      const GoUnit unit = TidyGoUnit(words[i + 1]);
      if (!units.insert(unit.name).second) {
        return RefuseGo(Quoted(words[i + 1]) + " twice for " + name);
      }
      const auto known = directions_.find(unit.name);
      const HarnessMetric metric{inner, unit.name, unit.unit.unit,
                                 known == directions_.end() ? unit.unit.better : known->second};
      const PrintedNumber scaled = Scaled(*number, unit.unit.scale);
      if (auto added = builder_.Add(metric, scaled, line_); !added) return added;
    }
    return {};
  }

  std::size_t line_ = 0;
  std::string_view package_;
  std::set<std::string> packages_;
  std::map<std::string, Better> directions_;  // by tidied unit
  HarnessBuilder builder_{kGoHint};
};

}  // namespace

Result<HarnessOutput> ParseGoBenchmark(std::string_view text) { return GoReader().Read(text); }

}  // namespace benchd
