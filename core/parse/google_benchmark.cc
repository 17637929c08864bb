#include "core/parse/google_benchmark.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/parse/harness_builder.h"
#include "core/parse/harness_units.h"
#include "core/parse/json_records.h"
#include "core/parse/text.h"

namespace benchd {
namespace {

constexpr std::string_view kGoogleHint =
    "let the benchmark print JSON and nothing else to stdout: --benchmark_format=json";

// Numbers of an entry that measure nothing.
constexpr std::array<std::string_view, 6> kBookkeeping{"family_index", "per_family_instance_index",
                                                       "repetitions",  "repetition_index",
                                                       "threads",      "iterations"};

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
    if (auto read = ReadJsonRecords(text, layout, take); !read) return std::move(read).error();
    if (first_aggregate_ && !has_samples_) {
      return JsonError(*first_aggregate_,
                       "nothing but aggregates: expected the repetitions themselves",
                       "run it without --benchmark_report_aggregates_only and "
                       "--benchmark_display_aggregates_only");
    }
    return std::move(builder_).Finish("at least one benchmark");
  }

 private:
  Result<void> Take(const JsonValue& entry) {
    auto name = RequiredText(entry, "name", kGoogleHint);
    if (!name) return std::move(name).error();
    if (IsTrue(entry, "error_occurred")) {
      return JsonError(
          entry.line,
          Quoted(*name) + " failed: " + OnOneLine(TextOf(entry, "error_message")).substr(0, 200),
          "run it by itself: --benchmark_filter");
    }
    if (TextOf(entry, "run_type") == "aggregate") {
      if (!first_aggregate_) first_aggregate_ = entry.line;
      return {};
    }
    if (IsTrue(entry, "skipped")) return {};
    has_samples_ = true;
    // Without the "/repeats:3" that only the name of an aggregate lacks.
    const std::string run_name = TextOf(entry, "run_name");
    const std::string inner = run_name.empty() ? *name : run_name;
    if (auto checked = CheckOnce(entry, inner); !checked) return checked;
    return TakeNumbers(entry, inner);
  }

  Result<void> CheckOnce(const JsonValue& entry, const std::string& inner) {
    const JsonValue* repetition = entry.Find("repetition_index");
    const double index = repetition == nullptr ? 0 : repetition->number.value;
    if (seen_.emplace(inner, index).second) return {};
    return JsonError(entry.line, Quoted(inner) + " twice with the same repetition_index",
                     "give every benchmark its own name");
  }

  Result<void> TakeNumbers(const JsonValue& entry, const std::string& inner) {
    auto unit = RequiredText(entry, "time_unit", kGoogleHint);
    if (!unit) return std::move(unit).error();
    const auto scale = SecondsIn(*unit);
    if (!scale) {
      return JsonError(entry.Find("time_unit")->line,
                       "time_unit is " + Quoted(*unit) + ", expected ns, us, ms or s", kGoogleHint);
    }
    for (const std::string_view time : {"real_time", "cpu_time"}) {
      auto number = RequiredNumber(entry, time, kGoogleHint);
      if (!number) return std::move(number).error();
      const HarnessMetric metric{inner, time, "s", Better::kLower};
      if (auto added = Add(metric, Scaled(*number, *scale), entry); !added) return added;
    }
    for (std::size_t i = 0; i < entry.keys.size(); ++i) {
      if (auto added = TakeCounter(entry, entry.keys[i], entry.items[i], inner); !added) {
        return added;
      }
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
    if (key == "items_per_second") metric = {inner, key, "1/s", Better::kHigher};
    if (key == "bytes_per_second") metric = {inner, key, "B/s", Better::kHigher};
    if (metric.better && value.kind != JsonValue::Kind::kNumber) {
      return AsNumber(value, Quoted(key), kGoogleHint).error();
    }
    if (value.kind != JsonValue::Kind::kNumber) return {};
    return Add(metric, value.number, entry);
  }

  Result<void> Add(const HarnessMetric& metric, const PrintedNumber& number,
                   const JsonValue& entry) {
    auto added = builder_.Add(metric, number, entry.line);
    if (!added) return JsonError(entry.line, added.error().message, added.error().hint);
    return {};
  }

  std::optional<std::size_t> first_aggregate_;
  bool has_samples_ = false;
  std::set<std::pair<std::string, double>> seen_;
  HarnessBuilder builder_{kGoogleHint};
};

}  // namespace

Result<HarnessOutput> ParseGoogleBenchmark(std::string_view text) {
  return GoogleBenchmarkReader().Read(text);
}

}  // namespace benchd
