#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/parse/harness_builder.h"
#include "core/parse/harness_output.h"
#include "core/parse/json_records.h"

// vitest, which measures by tinybench, tinybench itself, and mitata.

namespace benchd {
namespace {

constexpr std::string_view kVitestHint =
    "make vitest write its JSON and print only that: vitest bench --run --outputJson=FILE "
    ">/dev/null && cat FILE, with --shell";
constexpr std::string_view kTinybenchHint =
    "print the tasks as JSON: console.log(JSON.stringify({tasks: bench.tasks.map(t => ({name: "
    "t.name, result: t.result}))}))";
constexpr std::string_view kMitataHint =
    "make mitata print JSON without samples: run({format: {json: {debug: false, samples: false}}})";

constexpr UnitScale kMilliseconds{1, 1e3};
constexpr UnitScale kNanoseconds{1, 1e9};

bool HasItems(const JsonValue* list) {
  return list != nullptr && list->kind == JsonValue::Kind::kArray && !list->items.empty();
}

/// Collects the statistics of benchmarks.
class StatisticsReader {
 public:
  explicit StatisticsReader(std::string_view hint) : builder_(hint) {}

  Result<void> CheckOnce(const std::string& inner, std::size_t line) {
    if (seen_.insert(inner).second) return {};
    return JsonError(line, Quoted(inner) + " occurs twice", "give every benchmark its own name");
  }

  /// Adds the samples of a benchmark, or the mean if it has none.
  /// @param mean  the key of the mean in `statistics`
  Result<void> TakeTime(const std::string& inner, const JsonValue& statistics,
                        std::string_view mean, const UnitScale& scale) {
    const HarnessMetric time{inner, "time", "s", Better::kLower};
    const JsonValue* const samples = statistics.Find("samples");
    if (!HasItems(samples)) return TakeMean(inner, statistics, mean, scale);
    for (const JsonValue& sample : samples->items) {
      TRY(const auto number, AsNumber(sample, "a sample of " + Quoted(inner)));
      TRY_VOID(builder_.AddAt(sample.line, time, Scaled(number, scale)));
    }
    return {};
  }

  Result<void> TakeMean(const std::string& inner, const JsonValue& statistics,
                        std::string_view mean, const UnitScale& scale) {
    TRY(const auto number, RequiredNumber(statistics, mean));
    means_alone_ = true;
    const HarnessMetric time{inner, "time", "s", Better::kLower};
    return builder_.AddAt(statistics.line, time, Scaled(number, scale));
  }

  Result<void> TakePercentiles(const std::string& inner, const JsonValue& statistics,
                               const UnitScale& scale) {
    constexpr std::array<std::string_view, 4> kPercentiles{"p50", "p75", "p99", "p999"};
    for (const std::string_view name : kPercentiles) {
      TRY_VOID(TakeOptional({inner, name, "s", Better::kLower, true}, statistics, name, scale));
    }
    return {};
  }

  /// Adds a number if there is one.
  Result<void> TakeOptional(const HarnessMetric& metric, const JsonValue& object,
                            std::string_view key, const UnitScale& scale) {
    if (IsAbsent(object.Find(key))) return {};
    TRY(const auto number, RequiredNumber(object, key));
    return builder_.AddAt(object.line, metric, Scaled(number, scale));
  }

  Result<HarnessOutput> Finish() && {
    TRY(auto output, std::move(builder_).Finish("at least one benchmark"));
    output.means_alone = means_alone_;
    return output;
  }

 private:
  bool means_alone_ = false;
  std::set<std::string> seen_;
  HarnessBuilder builder_;
};

/// Takes the members of a benchmark in vitest, or of a result of tinybench before version 3.
Result<void> TakeFlat(const std::string& inner, const JsonValue& result, StatisticsReader& reader) {
  TRY_VOID(reader.TakeTime(inner, result, "mean", kMilliseconds));
  TRY_VOID(reader.TakePercentiles(inner, result, kMilliseconds));
  return reader.TakeOptional({inner, "throughput", "1/s", Better::kHigher, true}, result, "hz", {});
}

/// Returns whether a benchmark of vitest never completed. vitest exits with 0 nevertheless, and
/// writes such a benchmark without its mean; older versions with a count of 0.
bool IsWithoutSamples(const JsonValue& benchmark) {
  const JsonValue* const count = benchmark.Find("sampleCount");
  if (count != nullptr) return count->number.value <= 0;
  return IsAbsent(benchmark.Find("mean")) && !HasItems(benchmark.Find("samples"));
}

Result<void> TakeVitestGroup(const JsonValue& group, StatisticsReader& reader) {
  TRY(const auto group_name, RequiredText(group, "fullName"));
  TRY(const auto* const benchmarks, RequiredList(group, "benchmarks"));
  for (const JsonValue& benchmark : benchmarks->items) {
    TRY(const auto name, RequiredText(benchmark, "name"));
    const std::string inner = group_name + " > " + name;
    TRY_VOID(reader.CheckOnce(inner, benchmark.line));
    if (IsWithoutSamples(benchmark)) {
      return JsonError(benchmark.line, Quoted(inner) + " has no samples: it failed",
                       "run it by itself to see why: vitest bench -t NAME");
    }
    TRY_VOID(TakeFlat(inner, benchmark, reader));
  }
  return {};
}

/// Returns why a result of tinybench is not one of a completed task; empty if it is.
std::string WhyIncomplete(const JsonValue& result) {
  if (!IsAbsent(result.Find("error"))) return "failed";
  const JsonValue* const state = result.Find("state");
  if (state == nullptr || state->text == "completed") return {};
  return "did not complete: its state is " + Quoted(state->text);
}

Result<void> TakeTinybenchTask(const JsonValue& task, StatisticsReader& reader) {
  TRY(const auto name, RequiredText(task, "name"));
  TRY_VOID(reader.CheckOnce(name, task.line));
  const JsonValue* const result = task.Find("result");
  if (IsAbsent(result))
    return JsonError(task.line, Quoted(name) + " has no result", kTinybenchHint);
  if (const std::string why = WhyIncomplete(*result); !why.empty()) {
    return JsonError(result->line, Quoted(name) + " " + why, "run it by itself to see why");
  }
  const JsonValue* const latency = result->Find("latency");
  if (latency == nullptr) return TakeFlat(name, *result, reader);
  TRY_VOID(reader.TakeTime(name, *latency, "mean", kMilliseconds));
  TRY_VOID(reader.TakePercentiles(name, *latency, kMilliseconds));
  const JsonValue* const throughput = result->Find("throughput");
  if (throughput == nullptr) return {};
  const HarnessMetric rate{name, "throughput", "1/s", Better::kHigher, true};
  return reader.TakeOptional(rate, *throughput, "mean", {});
}

Result<void> TakeMitataRun(const JsonValue& run, StatisticsReader& reader) {
  TRY(const auto name, RequiredText(run, "name"));
  TRY_VOID(reader.CheckOnce(name, run.line));
  if (!IsAbsent(run.Find("error"))) {
    return JsonError(run.line, Quoted(name) + " failed", "run it by itself to see why");
  }
  const JsonValue* const stats = run.Find("stats");
  if (IsAbsent(stats)) return JsonError(run.line, "missing object 'stats' of " + Quoted(name));
  TRY_VOID(reader.TakeMean(name, *stats, "avg", kNanoseconds));
  TRY_VOID(reader.TakePercentiles(name, *stats, kNanoseconds));
  const JsonValue* const heap = stats->Find("heap");
  if (IsAbsent(heap)) return {};
  return reader.TakeOptional({name, "heap", "B", Better::kLower, true}, *heap, "avg", {});
}

using TakeRecord = Result<void> (*)(const JsonValue& record, StatisticsReader& reader);

Result<HarnessOutput> ReadStatistics(std::string_view text, const JsonLayout& layout,
                                     TakeRecord take_record) {
  StatisticsReader reader(layout.hint);
  const auto take = [&reader, take_record](const std::string&, const JsonValue& record) {
    return take_record(record, reader);
  };
  TRY_VOID(ReadJsonRecords(text, layout, take));
  return std::move(reader).Finish();
}

/// Calls `take` for each item of a list of a record.
Result<void> ForEachIn(const JsonValue& record, std::string_view key, StatisticsReader& reader,
                       TakeRecord take) {
  TRY(const auto* const list, RequiredList(record, key));
  for (const JsonValue& item : list->items) {
    TRY_VOID(take(item, reader));
  }
  return {};
}

}  // namespace

Result<HarnessOutput> ParseVitest(std::string_view text) {
  return ReadStatistics(text, {JsonRecords::kNamedArray, "files", kVitestHint},
                        [](const JsonValue& file, StatisticsReader& reader) {
                          return ForEachIn(file, "groups", reader, TakeVitestGroup);
                        });
}

Result<HarnessOutput> ParseTinybench(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  const bool list = start != std::string_view::npos && text[start] == '[';
  const JsonRecords records = list ? JsonRecords::kTopArray : JsonRecords::kNamedArray;
  return ReadStatistics(text, {records, "tasks", kTinybenchHint}, TakeTinybenchTask);
}

Result<HarnessOutput> ParseMitata(std::string_view text) {
  return ReadStatistics(text, {JsonRecords::kNamedArray, "benchmarks", kMitataHint},
                        [](const JsonValue& benchmark, StatisticsReader& reader) {
                          return ForEachIn(benchmark, "runs", reader, TakeMitataRun);
                        });
}

}  // namespace benchd
