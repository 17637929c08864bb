#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/parse/harness_builder.h"
#include "core/parse/harness_output.h"
#include "core/parse/json_records.h"

namespace benchd {
namespace {

constexpr std::string_view kGoogleHint =
    "make the benchmark print only JSON to stdout: --benchmark_format=json";

// The names of numbers in an entry that are not measurements.
constexpr std::array<std::string_view, 6> kBookkeeping{"family_index", "per_family_instance_index",
                                                       "repetitions",  "repetition_index",
                                                       "threads",      "iterations"};

/// A counter of the library itself. Rates are reciprocals of cpu_time. Allocations are only counted
/// if a MemoryManager is registered.
struct OwnCounter {
  std::string_view name;
  std::string_view unit;
  Better better;
  bool by_name_only;
};
constexpr std::array<OwnCounter, 6> kOwnCounters{
    {{"items_per_second", "1/s", Better::kHigher, true},
     {"bytes_per_second", "B/s", Better::kHigher, true},
     {"allocs_per_iter", "1", Better::kLower, false},
     {"max_bytes_used", "B", Better::kLower, false},
     {"total_allocated_bytes", "B", Better::kLower, false},
     {"net_heap_growth", "B", Better::kLower, false}}};

bool IsTrue(const JsonValue& entry, std::string_view key) {
  const JsonValue* found = entry.Find(key);
  return found != nullptr && found->boolean;
}

std::string TextOf(const JsonValue& entry, std::string_view key) {
  const JsonValue* found = entry.Find(key);
  return found == nullptr ? "" : found->text;
}

class GoogleBenchmarkReader {
 public:
  Result<HarnessOutput> Read(std::string_view text) {
    const JsonLayout layout{JsonRecords::kNamedArray, "benchmarks", kGoogleHint};
    const auto take = [this](const std::string&, const JsonValue& entry) { return Take(entry); };
    TRY_VOID(ReadJsonRecords(text, layout, take));
    if (first_aggregate_ && !has_samples_) {
      return JsonError(*first_aggregate_, "only aggregates: expected the repetitions",
                       "run it without --benchmark_report_aggregates_only and "
                       "--benchmark_display_aggregates_only");
    }
    return std::move(builder_).Finish("at least one benchmark");
  }

 private:
  Result<void> Take(const JsonValue& entry) {
    TRY(auto name, RequiredText(entry, "name"));
    if (IsTrue(entry, "error_occurred")) {
      return JsonError(
          entry.line,
          Quoted(name) + " failed: " + OnOneLine(TextOf(entry, "error_message")).substr(0, 200),
          "run it by itself with --benchmark_filter to see why");
    }
    if (IsAggregate(entry, name)) {
      if (!first_aggregate_) first_aggregate_ = entry.line;
      return {};
    }
    if (IsTrue(entry, "skipped")) return {};
    has_samples_ = true;
    // run_name lacks "/repeats:3", a suffix that the names of aggregates do not have either.
    const std::string run_name = TextOf(entry, "run_name");
    const std::string inner = run_name.empty() ? name : run_name;
    TRY_VOID(CheckOnce(entry, inner));
    return TakeNumbers(entry, inner);
  }

  /// Returns whether the entry is an aggregate. Before version 1.5, entries do not state their
  /// type. An aggregate then has a name such as NAME_mean, and follows the repetitions of NAME.
  bool IsAggregate(const JsonValue& entry, const std::string& name) const {
    if (entry.Find("run_type") != nullptr) return TextOf(entry, "run_type") == "aggregate";
    if (entry.Find("big_o") != nullptr || entry.Find("rms") != nullptr) return true;
    for (const std::string_view suffix : {"_mean", "_median", "_stddev"}) {
      if (name.ends_with(suffix) && names_.contains(name.substr(0, name.size() - suffix.size()))) {
        return true;
      }
    }
    return false;
  }

  /// Checks that a repetition occurs only once. Before version 1.6, repetitions are not numbered,
  /// so duplicates cannot be detected.
  Result<void> CheckOnce(const JsonValue& entry, const std::string& inner) {
    names_.insert(inner);
    const JsonValue* repetition = entry.Find("repetition_index");
    if (repetition == nullptr) return {};
    const double index = repetition->number.value;
    if (seen_.emplace(inner, index).second) return {};
    return JsonError(entry.line, Quoted(inner) + " occurs twice with the same repetition_index",
                     "give every benchmark its own name");
  }

  Result<void> TakeNumbers(const JsonValue& entry, const std::string& inner) {
    TRY(auto unit, RequiredText(entry, "time_unit"));
    const auto scale = SecondsIn(unit);
    if (!scale) {
      return JsonError(entry.Find("time_unit")->line,
                       "time_unit is " + Quoted(unit) + ", expected ns, us, ms or s");
    }
    for (const std::string_view time : {"real_time", "cpu_time"}) {
      TRY(auto number, RequiredNumber(entry, time));
      const HarnessMetric metric{inner, time, "s", Better::kLower};
      TRY_VOID(builder_.AddAt(entry.line, metric, Scaled(number, *scale)));
    }
    for (std::size_t i = 0; i < entry.keys.size(); ++i) {
      TRY_VOID(TakeCounter(entry, entry.keys[i], entry.items[i], inner));
    }
    return {};
  }

  Result<void> TakeCounter(const JsonValue& entry, const std::string& key, const JsonValue& value,
                           const std::string& inner) {
    const bool known =
        std::find(kBookkeeping.begin(), kBookkeeping.end(), key) != kBookkeeping.end() ||
        key == "real_time" || key == "cpu_time";
    if (known) return {};
    HarnessMetric metric{inner, key, {}, {}};
    for (const auto& [name, unit, better, by_name_only] : kOwnCounters) {
      if (name == key) metric = {inner, key, unit, better, by_name_only};
    }
    if (!metric.better && value.kind != JsonValue::Kind::kNumber) return {};
    TRY(auto number, AsNumber(value, Quoted(key)));
    return builder_.AddAt(entry.line, metric, number);
  }

  std::optional<std::size_t> first_aggregate_;
  bool has_samples_ = false;
  std::set<std::string> names_;
  std::set<std::pair<std::string, double>> seen_;
  HarnessBuilder builder_{kGoogleHint};
};

}  // namespace

Result<HarnessOutput> ParseGoogleBenchmark(std::string_view text) {
  return GoogleBenchmarkReader().Read(text);
}

namespace {

constexpr std::string_view kPytestHint =
    "make pytest write only its JSON to stdout: "
    "pytest --benchmark-json=/dev/fd/3 3>&1 >/dev/null, with --shell";

/// Adds the values of a test.
/// @param means_alone  set to true if the rounds are missing
Result<void> TakeTest(const JsonValue& test, std::set<std::string>& seen, HarnessBuilder& builder,
                      bool& means_alone) {
  TRY(auto name, RequiredText(test, "fullname"));
  if (!seen.insert(name).second) {
    return JsonError(test.line, Quoted(name) + " occurs twice", "run every test once");
  }
  const JsonValue* stats = test.Find("stats");
  if (stats == nullptr || stats->kind != JsonValue::Kind::kObject) {
    return JsonError(test.line, "expected the object 'stats' of " + Quoted(name));
  }
  const HarnessMetric time{name, "time", "s", Better::kLower};
  const JsonValue* rounds = stats->Find("data");
  if (rounds == nullptr || rounds->items.empty()) {
    TRY(auto mean, RequiredNumber(*stats, "mean"));
    means_alone = true;
    return builder.AddAt(stats->line, time, mean);
  }
  for (const JsonValue& round : rounds->items) {
    TRY(auto number, AsNumber(round, "a round of " + Quoted(name)));
    TRY_VOID(builder.AddAt(round.line, time, number));
  }
  return {};
}

}  // namespace

Result<HarnessOutput> ParsePytestBenchmark(std::string_view text) {
  HarnessBuilder builder(kPytestHint);
  bool means_alone = false;
  std::set<std::string> seen;
  const JsonLayout layout{JsonRecords::kNamedArray, "benchmarks", kPytestHint};
  const auto take = [&](const std::string&, const JsonValue& test) {
    return TakeTest(test, seen, builder, means_alone);
  };
  TRY_VOID(ReadJsonRecords(text, layout, take));
  auto output = std::move(builder).Finish("at least one benchmark");
  if (output) output->means_alone = means_alone;
  return output;
}

namespace {

constexpr std::string_view kBmfHint =
    "print Bencher Metric Format: {\"BENCHMARK\": {\"MEASURE\": {\"value\": 88.0}}}";

// Returns the unit of a default measure of Bencher. Source:
// https://bencher.dev/docs/how-to/track-custom-benchmarks.
HarnessUnit UnitOfMeasure(std::string_view measure) {
  if (measure == "latency") return {"s", {1, 1e9}, Better::kLower};
  if (measure == "throughput") return {"1/s", {}, Better::kHigher};
  if (measure == "build-time") return {"s", {}, Better::kLower};
  if (measure == "file-size") return {"B", {}, Better::kLower};
  return {};
}

Result<void> TakeMeasure(const std::string& inner, const std::string& name,
                         const JsonValue& measure, HarnessBuilder& builder) {
  TRY(auto value, RequiredNumber(measure, "value"));
  const HarnessUnit unit = UnitOfMeasure(name);
  return builder.AddAt(measure.line, {inner, name, unit.unit, unit.better},
                       Scaled(value, unit.scale));
}

}  // namespace

Result<HarnessOutput> ParseBmf(std::string_view text) {
  HarnessBuilder builder(kBmfHint);
  const JsonLayout layout{.records = JsonRecords::kTopMembers, .hint = kBmfHint};
  const auto take = [&builder](const std::string& name, const JsonValue& measures) -> Result<void> {
    if (measures.kind != JsonValue::Kind::kObject) {
      return JsonError(measures.line, "expected an object of measures for " + Quoted(name));
    }
    for (std::size_t i = 0; i < measures.keys.size(); ++i) {
      auto taken = TakeMeasure(name, measures.keys[i], measures.items[i], builder);
      if (!taken) return taken;
    }
    return {};
  };
  TRY_VOID(ReadJsonRecords(text, layout, take));
  return std::move(builder).Finish("at least one benchmark with a measure");
}

}  // namespace benchd
