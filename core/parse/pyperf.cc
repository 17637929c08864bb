#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/parse/harness_output.h"
#include "core/parse/json_records.h"
#include "core/parse/process_series.h"

namespace benchd {
namespace {

constexpr std::string_view kPyperfHint =
    "print pyperf's JSON: python3 bench.py -q -o FILE >/dev/null && cat FILE, with --shell";
constexpr std::string_view kPyperfExpected = "at least one benchmark with a run that has values";

/// Returns a string of the metadata. What all benchmarks have in common is in the metadata of the
/// file.
std::string MetadataOf(const JsonValue& benchmark, const JsonValue& file, std::string_view key) {
  for (const JsonValue* const holder : {&benchmark, &file}) {
    const JsonValue* const metadata = holder->Find("metadata");
    const JsonValue* const found = metadata == nullptr ? nullptr : metadata->Find(key);
    if (found != nullptr) return found->text;
  }
  return {};
}

/// Returns the metric of a unit. Source: pyperf/_formatter.py.
Result<MetricInfo> MetricOfPyperf(const std::string& unit, std::size_t line) {
  if (unit.empty() || unit == "second") return MetricInfo{"time", "s", Better::kLower};
  if (unit == "byte") return MetricInfo{"memory", "B", Better::kLower};
  if (unit == "integer") return MetricInfo{"value", "1", {}};
  return JsonError(line, "the unit is " + Quoted(unit) + ", expected second, byte or integer");
}

/// Adds the values of a run, which is a process. A run that only calibrates has only warmups.
Result<void> TakePyperfRun(const JsonValue& run, ProcessSeries& series) {
  const std::string of = Quoted(series.benchmark);
  if (run.Find("values") == nullptr && run.Find("warmups") != nullptr) return {};
  TRY(const auto* const values, RequiredList(run, "values"));
  if (values->items.empty()) return {};
  series.processes.emplace_back();
  for (const JsonValue& value : values->items) {
    TRY(const auto number, AsNumber(value, "a value of " + of));
    AddToLastProcess(number, series);
  }
  return {};
}

Result<ProcessSeries> SeriesOfPyperf(const JsonValue& benchmark, const JsonValue& file) {
  ProcessSeries series;
  series.benchmark = MetadataOf(benchmark, file, "name");
  series.line = benchmark.line;
  if (series.benchmark.empty()) {
    return JsonError(benchmark.line, "missing string 'name' in the metadata of a benchmark");
  }
  TRY(series.metric, MetricOfPyperf(MetadataOf(benchmark, file, "unit"), benchmark.line));
  TRY(const auto* const runs, RequiredList(benchmark, "runs"));
  for (const JsonValue& run : runs->items) {
    TRY_VOID(TakePyperfRun(run, series));
  }
  if (series.processes.empty()) {
    return JsonError(runs->line, "no run of " + Quoted(series.benchmark) + " has values");
  }
  return series;
}

Result<void> TakePyperfFile(const JsonValue& file, ProcessReport& report) {
  TRY(const auto* const benchmarks, RequiredList(file, "benchmarks"));
  std::set<std::string> seen;
  for (const JsonValue& benchmark : benchmarks->items) {
    TRY(auto series, SeriesOfPyperf(benchmark, file));
    if (!seen.insert(series.benchmark).second) {
      return JsonError(series.line, Quoted(series.benchmark) + " occurs twice",
                       "give every benchmark its own name");
    }
    report.series.push_back(std::move(series));
  }
  return {};
}

}  // namespace

Result<ProcessReport> ReadPyperf(std::string_view text) {
  ProcessReport report;
  const JsonLayout layout{.records = JsonRecords::kWhole, .hint = kPyperfHint};
  const auto take = [&report](const std::string&, const JsonValue& file) {
    return TakePyperfFile(file, report);
  };
  TRY_VOID(ReadJsonRecords(text, layout, take));
  if (!report.series.empty()) return report;
  return Error{ErrorCode::kInvalidArgument, "no value: expected " + std::string(kPyperfExpected),
               std::string(kPyperfHint)};
}

Result<HarnessOutput> ParsePyperf(std::string_view text) {
  TRY(const auto report, ReadPyperf(text));
  return OutputOfReport(report, kPyperfHint, kPyperfExpected);
}

}  // namespace benchd
