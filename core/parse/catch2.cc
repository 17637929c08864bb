#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/parse/harness_builder.h"
#include "core/parse/harness_output.h"
#include "core/parse/printed_value.h"

namespace benchd {
namespace {

constexpr std::string_view kCatchHint =
    "print the report of Catch2's console reporter, which is the default: ./bench '[!benchmark]'";
constexpr std::string_view kCatchFailureHint = "see the lines around it for the cause";

Error RefuseCatch(std::string why, std::string_view hint = kCatchHint) {
  return Error{ErrorCode::kInvalidArgument, std::move(why), std::string(hint)};
}

/// Returns whether the line consists of one character, such as the lines around a test case's name.
bool IsRule(std::string_view line, char c) {
  constexpr std::size_t kShortest = 20;
  return line.size() >= kShortest && line.find_first_not_of(c) == std::string_view::npos;
}

/// Returns the duration in seconds. Catch2 prints minutes as "m".
std::optional<PrintedNumber> CatchSeconds(std::string_view text) {
  const auto value = ParsePrintedValue(text);
  if (!value) return std::nullopt;
  const auto scale = value->unit == "m" ? std::optional(UnitScale{60, 1}) : SecondsIn(value->unit);
  return scale ? std::optional(Scaled(value->number, *scale)) : std::nullopt;
}

/// Returns whether a line of the summary, "test cases: 3 | 1 passed | 2 failed", counts failures.
/// "1 failed as expected" is not one.
bool CountsFailures(std::string_view summary) {
  while (!summary.empty()) {
    const std::size_t bar = std::min(summary.find('|'), summary.size());
    const std::vector<std::string_view> words = WordsOf(summary.substr(0, bar));
    if (words.size() == 2 && words[1] == "failed" && words[0] != "0") return true;
    summary.remove_prefix(std::min(bar + 1, summary.size()));
  }
  return false;
}

/// Returns whether the line introduces an assertion or a message: "a.cpp:9: PASSED:".
bool IsMessage(std::string_view line) {
  constexpr std::array<std::string_view, 4> kEnds{
      ": PASSED:", ": FAILED:", ": warning:", ": SKIPPED:"};
  return std::ranges::any_of(kEnds, [line](std::string_view end) { return line.ends_with(end); });
}

class CatchReader {
 public:
  Result<HarnessOutput> Read(std::string_view text) {
    const auto take = [this](std::string_view line) {
      ++line_;
      return Take(WithoutReturn(line));
    };
    TRY_VOID(ForEachLine(text, kCatchHint, take));
    if (auto left = LeaveTable(); !left) {
      return std::move(left).error().Within(fmt::format("line {}", line_));
    }
    // Without a summary, nothing says that the failure was expected.
    if (!failed_.empty()) return RefuseCatch(failed_, kCatchFailureHint);
    TRY(auto output, std::move(builder_).Finish("at least one table of benchmarks"));
    output.means_alone = true;
    return output;
  }

 private:
  /// The part of the report that the next line belongs to.
  enum class Part { kOther, kHeading, kPlace, kTableHead, kTable };

  Result<void> Take(std::string_view line) {
    if (line.starts_with("<?xml")) {
      return RefuseCatch("expected a report of the console reporter, found XML",
                         "omit -r xml, or write --parse catch2-xml");
    }
    const std::string_view plain = WithoutBlanks(line);
    if (plain.ends_with(": FAILED:") && failed_.empty()) {
      failed_ = fmt::format("line {}: an assertion failed: {}", line_, Quoted(plain));
    }
    if (IsRule(plain, '-')) return TakeRule();
    if (IsRule(plain, '=') || IsRule(plain, '.') || IsMessage(plain)) {
      part_ = Part::kOther;
      return LeaveTable();
    }
    if (line.starts_with("test cases:") || line.starts_with("assertions:") ||
        line.starts_with("All tests passed")) {
      return TakeSummary(line);
    }
    if (line.starts_with("benchmark name ")) return TakeTableHead(line);
    if (part_ == Part::kHeading) TakeHeading(line);
    return part_ == Part::kTable ? TakeRow(line) : Result<void>();
  }

  /// Takes a line of dashes, which is above and below a heading and below the head of a table.
  Result<void> TakeRule() {
    TRY_VOID(LeaveTable());
    if (part_ == Part::kTableHead) {
      part_ = Part::kTable;
    } else if (part_ == Part::kHeading) {
      part_ = Part::kPlace;
    } else {
      part_ = Part::kHeading;
      heading_.clear();
    }
    return {};
  }

  /// Takes the name of a test case, or of a section, which is indented. A long name of a test case
  /// continues on the next line.
  void TakeHeading(std::string_view line) {
    const std::string_view name = WithoutBlanks(line);
    if (name.empty()) return;
    if (!heading_.empty()) heading_ += line.starts_with(' ') ? "/" : " ";
    heading_ += name;
  }

  /// Takes the summary. It decides whether failures were expected.
  Result<void> TakeSummary(std::string_view line) {
    TRY_VOID(LeaveTable());
    part_ = Part::kOther;
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos && CountsFailures(line.substr(colon + 1))) {
      if (!failed_.empty()) return Failed();
      return RefuseCatch("Catch2 counts failures: " + Quoted(WithoutBlanks(line)),
                         kCatchFailureHint);
    }
    if (!line.starts_with("assertions:")) return {};
    failed_.clear();
    return {};
  }

  /// Returns the first failure. It names its own line, so the place of the summary is omitted.
  Result<void> Failed() { return RefuseCatch("a test failed; " + failed_, kCatchFailureHint); }

  /// Takes the first line of a table's head, which shows where the names end.
  Result<void> TakeTableHead(std::string_view line) {
    TRY_VOID(LeaveTable());
    const std::size_t samples = line.find(" samples");
    if (samples == std::string_view::npos || line.find("iterations") == std::string_view::npos) {
      return {};
    }
    name_width_ = samples + 1;
    // --benchmark-no-analysis prints one line for each benchmark, which ends with the mean.
    one_line_ = WordsOf(line).back() == "mean";
    part_ = Part::kTableHead;
    return {};
  }

  /// Takes a line of a table: a name, or the values of the benchmark that was named.
  Result<void> TakeRow(std::string_view line) {
    constexpr std::string_view kFailed = "Benchmark failed";
    const std::size_t end = EndOfName(line);
    std::string_view name = WithoutBlanks(line.substr(0, end));
    const std::string_view values = WithoutBlanks(line.substr(end));
    const bool failed = name.starts_with(kFailed) || values.starts_with(kFailed);
    if (failed && name.starts_with(kFailed)) name = {};
    if (!name.empty()) name_ += (name_.empty() ? "" : " ") + std::string(name);
    if (failed) {
      return RefuseCatch(
          Quoted(std::exchange(name_, {})) + " failed: " + Quoted(WithoutBlanks(line)),
          kCatchFailureHint);
    }
    const bool mean = one_line_ || name.empty();
    return mean && !values.empty() && !name_.empty() ? TakeMean(values) : Result<void>();
  }

  /// Returns where the column of names ends, but not within a character.
  std::size_t EndOfName(std::string_view line) const {
    std::size_t end = std::min(name_width_, line.size());
    while (end < line.size() && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U) ++end;
    return end;
  }

  /// @param values  "32.5 ns  32.1 ns  32.9 ns", or "20  700  32.5 ns" of a table without analysis
  Result<void> TakeMean(std::string_view values) {
    const std::string name = std::exchange(name_, {});
    const std::vector<std::string_view> words = WordsOf(values);
    const std::size_t at = one_line_ ? 2 : 0;
    const std::string_view mean =
        words.size() < at + 2 ? std::string_view() : Span(words[at], words[at + 1]);
    const auto seconds = CatchSeconds(mean);
    if (!seconds) {
      return RefuseCatch("expected the mean of " + Quoted(name) + " with a unit of time, found " +
                         Quoted(values));
    }
    const std::string inner = heading_.empty() ? name : heading_ + "/" + name;
    if (!seen_.insert(inner).second) {
      return RefuseCatch(Quoted(inner) + " occurs twice", "give every benchmark its own name");
    }
    return builder_.Add({inner, "time", "s", Better::kLower}, *seconds, line_);
  }

  /// Returns the text from the first word to the end of the second one.
  static std::string_view Span(std::string_view first, std::string_view last) {
    return {first.data(), static_cast<std::size_t>(last.data() + last.size() - first.data())};
  }

  /// Returns an error if the table ends before the values of a benchmark.
  Result<void> LeaveTable() {
    const std::string name = std::exchange(name_, {});
    if (part_ == Part::kTable) part_ = Part::kOther;
    if (name.empty()) return {};
    return RefuseCatch("the result of " + Quoted(name) + " is missing");
  }

  std::size_t line_ = 0;
  Part part_ = Part::kOther;
  std::string heading_;  // TEST_CASE/SECTION
  std::string name_;     // of the benchmark whose values follow
  std::size_t name_width_ = 0;
  bool one_line_ = false;
  std::string failed_;  // the first failed assertion
  std::set<std::string> seen_;
  HarnessBuilder builder_{kCatchHint};
};

}  // namespace

Result<HarnessOutput> ParseCatch2(std::string_view text) { return CatchReader().Read(text); }

}  // namespace benchd
