#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/parse/harness_builder.h"
#include "core/parse/harness_output.h"
#include "core/parse/json_records.h"
#include "core/parse/process_series.h"

namespace benchd {
namespace {

constexpr std::string_view kDotNetHint =
    "print the full JSON export of BenchmarkDotNet: dotnet run -c Release -- --exporters fulljson "
    ">/dev/null && cat BenchmarkDotNet.Artifacts/results/*-report-full.json, with --shell";
constexpr std::string_view kDotNetExpected = "at least one benchmark";

bool HasText(const JsonValue& object, std::string_view key, std::string_view text) {
  const JsonValue* const found = object.Find(key);
  return found != nullptr && found->text == text;
}

bool IsObject(const JsonValue* value) {
  return value != nullptr && value->kind == JsonValue::Kind::kObject;
}

/// Reads one benchmark.
class DotNetCase {
 public:
  DotNetCase(const JsonValue& record, std::string name)
      : record_(record), name_(std::move(name)), of_(Quoted(name_)) {}

  Result<void> Read(ProcessReport& report) {
    const JsonValue* const statistics = record_.Find("Statistics");
    if (!IsObject(statistics)) {
      return JsonError(record_.line, of_ + " has no statistics: it failed",
                       "run it by itself with --filter to see why");
    }
    ProcessSeries time{name_, {"time", "s", Better::kLower}, record_.line, {}};
    // Results are measurements without outliers and without the overhead of the loop.
    TRY_VOID(TakeMeasurements("Result", time));
    if (time.processes.empty()) {
      TRY_VOID(TakeMeasurements("Actual", time));
    }
    if (time.processes.empty()) {
      TRY_VOID(TakeStatistics(*statistics, time, report));
    }
    report.series.push_back(std::move(time));
    return TakeMemory(report);
  }

 private:
  /// Adds the iterations of a stage; each launch is a process.
  Result<void> TakeMeasurements(std::string_view stage, ProcessSeries& time) const {
    const JsonValue* const measurements = record_.Find("Measurements");
    if (measurements == nullptr) return {};
    std::map<double, std::vector<const JsonValue*>> launches;
    for (const JsonValue& one : measurements->items) {
      if (!HasText(one, "IterationMode", "Workload") || !HasText(one, "IterationStage", stage)) {
        continue;
      }
      TRY(const auto launch, RequiredNumber(one, "LaunchIndex"));
      launches[launch.value].push_back(&one);
    }
    for (const auto& [number, iterations] : launches) {
      time.processes.emplace_back();
      for (const JsonValue* const iteration : iterations) {
        TRY_VOID(TakeIteration(*iteration, time));
      }
    }
    return {};
  }

  Result<void> TakeIteration(const JsonValue& iteration, ProcessSeries& time) const {
    TRY(const auto nanoseconds, RequiredNumber(iteration, "Nanoseconds"));
    TRY(const auto operations, RequiredNumber(iteration, "Operations"));
    if (!(operations.value >= 1)) {
      return JsonError(iteration.line, "expected at least 1 operation in an iteration of " + of_);
    }
    AddToLastProcess(Scaled(nanoseconds, {1, 1e9 * operations.value}), time);
    return {};
  }

  Result<void> TakeStatistics(const JsonValue& statistics, ProcessSeries& time,
                              ProcessReport& report) const {
    time.processes.emplace_back();
    const JsonValue* const values = statistics.Find("OriginalValues");
    if (values == nullptr || values->items.empty()) {
      TRY(const auto mean, RequiredNumber(statistics, "Mean"));
      AddToLastProcess(Scaled(mean, {1, 1e9}), time);
      report.means_alone = true;
      return {};
    }
    for (const JsonValue& value : values->items) {
      TRY(const auto number, AsNumber(value, "a value of " + of_));
      AddToLastProcess(Scaled(number, {1, 1e9}), time);
    }
    return {};
  }

  /// Adds what MemoryDiagnoser measured, once, in a launch of its own.
  Result<void> TakeMemory(ProcessReport& report) const {
    const JsonValue* const memory = record_.Find("Memory");
    if (!IsObject(memory)) return {};
    const JsonValue* const bytes = memory->Find("BytesAllocatedPerOperation");
    if (bytes == nullptr || bytes->kind == JsonValue::Kind::kNull) return {};
    TRY(const auto number, AsNumber(*bytes, "'BytesAllocatedPerOperation' of " + of_));
    ProcessSeries allocated{name_, {"allocated", "B", Better::kLower}, bytes->line, {{}}};
    AddToLastProcess(number, allocated);
    report.series.push_back(std::move(allocated));
    return {};
  }

  const JsonValue& record_;
  std::string name_;
  std::string of_;
};

/// Counts the benchmarks by FullName, to find those that ran in several jobs.
Result<std::map<std::string, std::size_t>> CountFullNames(std::string_view text,
                                                          const JsonLayout& layout) {
  std::map<std::string, std::size_t> counts;
  const auto take = [&counts](const std::string&, const JsonValue& record) -> Result<void> {
    TRY(auto name, RequiredText(record, "FullName"));
    ++counts[std::move(name)];
    return {};
  };
  TRY_VOID(ReadJsonRecords(text, layout, take));
  return counts;
}

}  // namespace

Result<ProcessReport> ReadBenchmarkDotNet(std::string_view text) {
  const JsonLayout layout{JsonRecords::kNamedArray, "Benchmarks", kDotNetHint};
  TRY(const auto counts, CountFullNames(text, layout));
  ProcessReport report;
  std::set<std::string> seen;
  const auto take = [&](const std::string&, const JsonValue& record) -> Result<void> {
    TRY(auto name, RequiredText(record, "FullName"));
    if (counts.at(name) > 1 && record.Find("DisplayInfo") != nullptr) {
      TRY(name, RequiredText(record, "DisplayInfo"));
    }
    if (!seen.insert(name).second) {
      return JsonError(record.line, Quoted(name) + " occurs twice", "run every benchmark once");
    }
    return DotNetCase(record, std::move(name)).Read(report);
  };
  TRY_VOID(ReadJsonRecords(text, layout, take));
  if (!report.series.empty()) return report;
  return Error{ErrorCode::kInvalidArgument, "no value: expected " + std::string(kDotNetExpected),
               std::string(kDotNetHint)};
}

Result<HarnessOutput> ParseBenchmarkDotNet(std::string_view text) {
  TRY(const auto report, ReadBenchmarkDotNet(text));
  return OutputOfReport(report, kDotNetHint, kDotNetExpected);
}

}  // namespace benchd
