#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/parse/harness_builder.h"
#include "core/parse/harness_output.h"
#include "core/parse/json_records.h"
#include "core/parse/printed_value.h"

namespace benchd {
namespace {

constexpr std::string_view kLibtestHint =
    "print the output of cargo bench, such as test NAME ... bench: 1,234 ns/iter (+/- 56); for "
    "Criterion, add -- --output-format bencher";
constexpr std::string_view kLibtestAloneHint = "run it by itself to see why: cargo bench NAME";
constexpr std::string_view kLibtestTwiceHint =
    "run one bench target at a time: cargo bench --bench TARGET";
constexpr std::string_view kLibtestNoResultHint =
    "the benchmark did not finish, or its output was truncated; run it alone: cargo bench NAME";
constexpr std::string_view kBenchOutcome = "bench:";

/// Returns whether the line reports a failure that is not that of a named test: a summary, a panic
/// that the harness or the default hook printed, or an error of cargo.
bool SaysCargoFailed(std::string_view line) {
  constexpr std::array<std::string_view, 5> kBeginnings{
      "test result: FAILED", "error: bench failed", "error: test failed",
      "error: could not compile", "error: process didn't exit successfully"};
  const auto begins = [line](std::string_view text) { return line.starts_with(text); };
  if (std::ranges::any_of(kBeginnings, begins)) return true;
  return begins("thread '") && line.find(" panicked at ") != std::string_view::npos;
}

/// Returns whether a word or words after "test NAME ... " say that a test ended well.
bool SaysTestPassed(std::string_view outcome) {
  return outcome == "ok" || outcome.starts_with("ok <") || outcome == "ignored" ||
         outcome.starts_with("ignored, ");
}

bool SaysTestFailed(std::string_view outcome) {
  return outcome == "FAILED" || outcome == "failed" || outcome.starts_with("FAILED (") ||
         outcome.starts_with("failed (");
}

class LibtestReader {
 public:
  Result<HarnessOutput> Read(std::string_view text) {
    const std::size_t start = text.find_first_not_of(" \t\r\n");
    const bool events = start != std::string_view::npos && text[start] == '{';
    const auto take = [this, events](std::string_view line) -> Result<void> {
      ++line_;
      line = WithoutBlanks(line);
      if (!events) return TakeLine(line);
      return line.starts_with('{') ? TakeEvent(line) : Result<void>();
    };
    TRY_VOID(ForEachLine(text, kLibtestHint, take));
    if (auto dropped = DropBegun(); !dropped) {
      return std::move(dropped).error().Within(fmt::format("line {}", line_));
    }
    TRY(auto output, std::move(builder_).Finish("at least one line test NAME ... bench: VALUE"));
    output.means_alone = true;
    return output;
  }

 private:
  Result<void> TakeLine(std::string_view line) {
    constexpr std::string_view kTest = "test ";
    constexpr std::string_view kDots = " ...";
    if (SaysCargoFailed(line)) {
      return RefuseText("cargo bench failed: " + Quoted(line),
                        "see the lines around it for the cause");
    }
    const bool ends = line.starts_with("running ") || line.starts_with("test result: ");
    if (ends) return DropBegun();
    std::size_t dots = line.find(std::string(kDots) + " " + std::string(kBenchOutcome));
    if (dots == std::string_view::npos) dots = line.find(kDots);
    if (!line.starts_with(kTest) || dots == std::string_view::npos || dots <= kTest.size()) {
      return begun_.name.empty() ? Result<void>() : TakeRest(line);
    }
    TRY_VOID(DropBegun());
    const std::string_view name = WithoutBlanks(line.substr(kTest.size(), dots - kTest.size()));
    const std::string_view outcome = WithoutBlanks(line.substr(dots + kDots.size()));
    TRY(const bool taken, TakeOutcome(name, outcome));
    if (!taken) begun_ = {std::string(name), line_};
    return {};
  }

  /// Takes a line after a test whose outcome has not been read yet, because log output is in
  /// between.
  Result<void> TakeRest(std::string_view line) {
    TRY(const bool taken, TakeOutcome(begun_.name, line));
    if (taken) begun_ = {};
    return {};
  }

  /// Returns false if the text is not an outcome.
  Result<bool> TakeOutcome(std::string_view name, std::string_view outcome) {
    if (SaysTestFailed(outcome)) return RefuseText(Quoted(name) + " failed", kLibtestAloneHint);
    if (SaysTestPassed(outcome)) return true;
    if (!outcome.starts_with(kBenchOutcome)) return false;
    TRY_VOID(TakeBench(name, WithoutBlanks(outcome.substr(kBenchOutcome.size()))));
    return true;
  }

  /// @param printed  "1,234.56 ns/iter (+/- 7) = 8 MB/s"
  Result<void> TakeBench(std::string_view name, std::string_view printed) {
    constexpr std::string_view kPerIteration = "/iter";
    constexpr std::string_view kRate = ") = ";
    const std::size_t spread = printed.find(" (+/- ");
    if (spread == std::string_view::npos) {
      return RefuseText("expected VALUE ns/iter (+/- SPREAD) for " + Quoted(name) + ", found " +
                        Quoted(printed));
    }
    TRY(const auto time, ParsePrintedValue(printed.substr(0, spread)));
    std::string_view unit = time.unit;
    const bool per_iteration = unit.ends_with(kPerIteration);
    if (per_iteration) unit.remove_suffix(kPerIteration.size());
    const auto seconds = SecondsIn(unit);
    if (!per_iteration || !seconds) {
      return RefuseText("expected a time per iteration of " + Quoted(name) + ", found the unit " +
                        Quoted(time.unit));
    }
    TRY_VOID(AddTime(name, Scaled(time.number, *seconds)));
    const std::size_t rate = printed.find(kRate, spread);
    if (rate == std::string_view::npos) return {};
    TRY(const auto bytes, ParsePrintedValue(printed.substr(rate + kRate.size())));
    const HarnessUnit per_second = SiUnitOf(bytes.unit);
    if (per_second.unit != "B/s") {
      return RefuseText("expected MB/s for " + Quoted(name) + ", found the unit " +
                        Quoted(bytes.unit));
    }
    return AddRate(name, Scaled(bytes.number, per_second.scale));
  }

  Result<void> AddTime(std::string_view name, const PrintedNumber& seconds) {
    if (!seen_.emplace(name).second) {
      return RefuseText(Quoted(name) + " occurs twice", kLibtestTwiceHint);
    }
    return builder_.Add({name, "time", "s", Better::kLower}, seconds, line_);
  }

  Result<void> AddRate(std::string_view name, const PrintedNumber& bytes_per_second) {
    const HarnessMetric rate{name, "bytes_per_second", "B/s", Better::kHigher, true};
    return builder_.Add(rate, bytes_per_second, line_);
  }

  /// Takes an event of `--format json`.
  Result<void> TakeEvent(std::string_view line) {
    const JsonLayout layout{
        .records = JsonRecords::kWhole, .hint = kLibtestHint, .first_line = line_};
    std::optional<Error> refused;
    const auto take = [this, &refused](const std::string&, const JsonValue& event) {
      // Its line is added by ForEachLine().
      if (auto taken = TakeMembers(event); !taken) refused = std::move(taken).error();
      return Result<void>();
    };
    if (!ReadJsonRecords(line, layout, take)) return RefuseText("not an event of libtest");
    if (refused) return *std::move(refused);
    return {};
  }

  Result<void> TakeMembers(const JsonValue& event) {
    const auto text_of = [&event](std::string_view key) {
      const JsonValue* const found = event.Find(key);
      return found == nullptr ? std::string() : found->text;
    };
    const std::string type = text_of("type");
    const std::string name = text_of("name");
    if (text_of("event") == "failed" || text_of("event") == "timeout") {
      if (type == "suite") return RefuseText("cargo bench failed: the suite failed");
      return RefuseText(Quoted(name) + " failed", kLibtestAloneHint);
    }
    if (type != "bench") return {};
    TRY(const PrintedNumber median, NumberOf(event, name, "median"));
    TRY_VOID(AddTime(name, Scaled(median, {1, 1e9})));
    const JsonValue* const rate = event.Find("mib_per_second");
    if (rate == nullptr || rate->kind == JsonValue::Kind::kNull) return {};
    TRY(const PrintedNumber megabytes, NumberOf(event, name, "mib_per_second"));
    // In spite of the name, libtest divides by 1e6.
    return AddRate(name, Scaled(megabytes, {1e6, 1}));
  }

  static Result<PrintedNumber> NumberOf(const JsonValue& event, const std::string& name,
                                        std::string_view key) {
    const JsonValue* const found = event.Find(key);
    if (found != nullptr && found->kind == JsonValue::Kind::kNumber) return found->number;
    return RefuseText("missing number " + Quoted(key) + " of " + Quoted(name));
  }

  /// Returns an error for a test whose outcome is missing.
  Result<void> DropBegun() {
    const Begun begun = std::exchange(begun_, {});
    if (begun.name.empty()) return {};
    return RefuseText(
        fmt::format("the result of {} (line {}) is missing", Quoted(begun.name), begun.line),
        kLibtestNoResultHint);
  }

  /// A test whose outcome has not been read yet.
  struct Begun {
    std::string name;
    std::size_t line = 0;
  };

  std::size_t line_ = 0;
  Begun begun_;
  std::set<std::string, std::less<>> seen_;
  HarnessBuilder builder_{kLibtestHint};
};

}  // namespace

Result<HarnessOutput> ParseLibtest(std::string_view text) { return LibtestReader().Read(text); }

}  // namespace benchd
