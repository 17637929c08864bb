#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/printable.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/parse/harness_builder.h"
#include "core/parse/harness_output.h"
#include "core/parse/json_records.h"

namespace benchd {
namespace {

constexpr std::string_view kJmhHint =
    "make JMH print only JSON to stdout: -rf json -rff /dev/stdout -o /dev/null";
constexpr std::string_view kRawDataHint =
    "run JMH without -Djmh.json.rawData=false; benchd needs the raw data";

Error Expected(const JsonValue& at, const std::string& what) {
  return JsonError(at.line, "expected " + what);
}

/// Returns the value of a parameter as part of a name. A parameter is an arbitrary string, but a
/// name has no control characters, so these are written as in JSON: \u0009.
std::string ParameterInName(std::string_view value) {
  return WithoutControls(value, [](std::string_view control) {
    return fmt::format("\\u{:04x}", static_cast<std::uint32_t>(CodePointOf(control)));
  });
}

/// Returns the benchmark's name with its parameters: "a.B.c" or "a.B.c:size=10,kind=x".
Result<std::string> NameWithParameters(const JsonValue& record) {
  auto name = RequiredText(record, "benchmark");
  const JsonValue* params = record.Find("params");
  if (!name || params == nullptr) return name;
  for (std::size_t i = 0; i < params->keys.size(); ++i) {
    auto value = RequiredText(*params, params->keys[i]);
    if (!value) return value;
    name->append(i == 0 ? ":" : ",")
        .append(params->keys[i])
        .append("=")
        .append(ParameterInName(*value));
  }
  return name;
}

/// Adds an iteration's value to the current fork.
void AddValue(const PrintedNumber& printed, const UnitScale& scale, JmhSeries& series) {
  const PrintedNumber number = Scaled(printed, scale);
  if (number.resolution > 0) {
    series.resolution =
        series.resolution > 0 ? std::min(series.resolution, number.resolution) : number.resolution;
  }
  series.values.back().push_back(number.value);
}

/// Returns the mean of an iteration's histogram, [[value, count], ...].
Result<PrintedNumber> MeanOfHistogram(const JsonValue& histogram, const std::string& of) {
  double sum = 0;
  double total = 0;
  double resolution = 0;
  for (const JsonValue& bin : histogram.items) {
    if (bin.items.size() != 2) return Expected(bin, "[VALUE, COUNT] in a histogram of " + of);
    auto value = AsNumber(bin.items[0], "a value of " + of);
    if (!value) return value;
    auto count = AsNumber(bin.items[1], "a count of " + of);
    if (!count) return count;
    if (count->value < 0) return Expected(bin, "a count of at least 0 in a histogram of " + of);
    sum += value->value * count->value;
    total += count->value;
    if (value->resolution > 0) {
      resolution = resolution > 0 ? std::min(resolution, value->resolution) : value->resolution;
    }
  }
  if (!(total > 0)) return Expected(histogram, "at least one value in a histogram of " + of);
  return PrintedNumber{sum / total, resolution};
}

class JmhReader {
 public:
  Result<std::vector<JmhSeries>> Read(std::string_view text) {
    const JsonLayout layout{.records = JsonRecords::kTopArray, .hint = kJmhHint};
    const auto take = [this](const std::string&, const JsonValue& record) { return Take(record); };
    TRY_VOID(ReadJsonRecords(text, layout, take));
    TRY_VOID(NameModes());
    if (series_.empty()) {
      return Error{ErrorCode::kInvalidArgument, "no value: expected at least one benchmark",
                   std::string(kJmhHint)};
    }
    return std::move(series_);
  }

 private:
  Result<void> Take(const JsonValue& record) {
    TRY(auto benchmark, NameWithParameters(record));
    TRY(auto mode, RequiredText(record, "mode"));
    const JsonValue* primary = record.Find("primaryMetric");
    if (primary == nullptr) {
      return Expected(record, "the object 'primaryMetric' of " + Quoted(benchmark));
    }
    if (!modes_[benchmark].insert(mode).second) {
      return JsonError(primary->line, Quoted(benchmark) + " has " + Quoted(mode) + " twice",
                       "run every benchmark once in each mode");
    }
    TRY_VOID(TakeMetric(benchmark, mode, nullptr, *primary));
    const JsonValue* secondary = record.Find("secondaryMetrics");
    if (secondary == nullptr) return {};
    for (std::size_t i = 0; i < secondary->keys.size(); ++i) {
      // Up to JMH 1.36, the names of profiler metrics began with a middle dot.
      std::string name = secondary->keys[i];
      if (name.starts_with("\u00B7")) name.erase(0, 2);
      auto taken = TakeMetric(benchmark, mode, &name, secondary->items[i]);
      if (!taken) return taken;
    }
    return {};
  }

  /// Prefixes secondary metrics by their mode if a benchmark was run in several modes.
  Result<void> NameModes() {
    std::set<std::pair<std::string, std::string>> seen;
    for (std::size_t i = 0; i < series_.size(); ++i) {
      JmhSeries& series = series_[i];
      if (!series.primary && modes_[series.benchmark].size() > 1) {
        series.metric = mode_of_[i] + "/" + series.metric;
      }
      if (!seen.emplace(series.benchmark, series.metric).second) {
        return JsonError(series.line,
                         Quoted(series.benchmark) + " has " + Quoted(series.metric) + " twice",
                         "give the auxiliary counter another name");
      }
    }
    return {};
  }

  /// @param secondary  the metric's name; nullptr: the mode's own metric
  Result<void> TakeMetric(const std::string& benchmark, const std::string& mode,
                          const std::string* secondary, const JsonValue& metric) {
    const bool primary = secondary == nullptr;
    TRY(auto unit_text, RequiredText(metric, "scoreUnit"));
    const HarnessUnit unit = JmhUnit(unit_text);
    JmhSeries series;
    series.benchmark = benchmark;
    series.metric = primary ? mode : *secondary;
    series.unit = unit.unit;
    series.better = unit.better;
    // An auxiliary counter that looks like a rate has no known direction: it may count misses per
    // second.
    if (!primary && unit.better == Better::kHigher) series.better.reset();
    series.primary = primary;
    TRY_VOID(ReadRaw(metric, unit.scale, series));
    const bool empty = std::all_of(series.values.begin(), series.values.end(),
                                   [](const auto& fork) { return fork.empty(); });
    if (empty && primary) {
      return JsonError(metric.line, Quoted(benchmark) + " has no raw data", kRawDataHint);
    }
    // A profiler may have no values for a benchmark.
    if (empty) return {};
    series_.push_back(std::move(series));
    mode_of_.push_back(mode);
    return {};
  }

  static Result<void> ReadRaw(const JsonValue& metric, const UnitScale& scale, JmhSeries& series) {
    const std::string of = Quoted(series.benchmark);
    const JsonValue* raw = metric.Find("rawData");
    const JsonValue* histograms = metric.Find("rawDataHistogram");
    const JsonValue* forks = raw != nullptr ? raw : histograms;
    if (forks == nullptr) {
      return JsonError(metric.line, "expected the list 'rawData' of " + of, kRawDataHint);
    }
    series.line = forks->line;
    for (const JsonValue& fork : forks->items) {
      if (fork.kind != JsonValue::Kind::kArray) {
        return Expected(fork, "a list of iterations for each fork of " + of);
      }
      series.values.emplace_back();
      for (const JsonValue& iteration : fork.items) {
        TRY(auto number, raw != nullptr ? AsNumber(iteration, "an iteration of " + of)
                                        : MeanOfHistogram(iteration, of));
        AddValue(number, scale, series);
      }
    }
    return {};
  }

  std::vector<JmhSeries> series_;
  std::vector<std::string> mode_of_;                    // mode of each series
  std::map<std::string, std::set<std::string>> modes_;  // by benchmark
};

}  // namespace

Result<std::vector<JmhSeries>> ReadJmh(std::string_view text) { return JmhReader().Read(text); }

Result<HarnessOutput> ParseJmh(std::string_view text) {
  TRY(auto all, ReadJmh(text));
  HarnessBuilder builder(kJmhHint);
  for (const JmhSeries& series : all) {
    const HarnessMetric metric{series.benchmark, series.metric, series.unit, series.better,
                               !series.primary};
    for (const std::vector<double>& fork : series.values) {
      for (const double value : fork) {
        TRY_VOID(builder.AddAt(series.line, metric, {value, series.resolution}));
      }
    }
  }
  return std::move(builder).Finish("at least one benchmark");
}

}  // namespace benchd
