#include "core/parse/run_set_json.h"

#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/parse/jmh.h"
#include "core/parse/json_records.h"

namespace benchd {
namespace {

constexpr std::string_view kRunSetHint =
    "give an array with an array of numbers for each run, or what JMH writes by -rf json";
constexpr std::string_view kSmaller = "assess fewer runs, or the first values of each";

// Counts what all sets hold together.
class Counter {
 public:
  explicit Counter(const RunSetLimits& limits) : limits_(limits) {}

  Result<void> AddValue(std::size_t line) {
    if (++values_ <= limits_.values) return {};
    return JsonError(line, "more than " + std::to_string(limits_.values) + " values", kSmaller);
  }
  Result<void> AddRun(const RunSet& set, std::size_t line) const {
    if (set.runs.size() < limits_.runs) return {};
    return JsonError(line, "more than " + std::to_string(limits_.runs) + " runs", kSmaller);
  }
  Result<void> AddSet(std::size_t sets, std::size_t line) const {
    if (sets < limits_.sets) return {};
    return JsonError(line, "more than " + std::to_string(limits_.sets) + " benchmarks", kSmaller);
  }

 private:
  RunSetLimits limits_;
  std::size_t values_ = 0;
};

Result<void> TakeRun(const JsonValue& record, Counter& counter, RunSet& set) {
  const std::string number = std::to_string(set.runs.size() + 1);
  if (record.kind != JsonValue::Kind::kArray) {
    return JsonError(record.line, "expected an array of numbers for run " + number, kRunSetHint);
  }
  if (Result<void> added = counter.AddRun(set, record.line); !added) return added;
  set.run_names.push_back(number);
  std::vector<double>& run = set.runs.emplace_back();
  for (const JsonValue& item : record.items) {
    const auto value = AsNumber(
        item, "value " + std::to_string(run.size() + 1) + " of run " + number, kRunSetHint);
    if (!value) return value.error();
    if (Result<void> added = counter.AddValue(item.line); !added) return added;
    run.push_back(value->value);
  }
  return {};
}

Result<std::vector<RunSet>> ParseArrays(std::string_view text, const RunSetLimits& limits) {
  std::vector<RunSet> sets(1);
  Counter counter(limits);
  const JsonLayout layout{.records = JsonRecords::kTopArray, .hint = kRunSetHint};
  const Result<void> read =
      ReadJsonRecords(text, layout, [&](const std::string&, const JsonValue& record) {
        return TakeRun(record, counter, sets.front());
      });
  if (!read) return read.error();
  return sets;
}

Result<std::vector<RunSet>> ParseJmhForks(std::string_view text, const RunSetLimits& limits) {
  Result<std::vector<JmhSeries>> all = ReadJmh(text);
  if (!all) return std::move(all).error();
  std::vector<RunSet> sets;
  Counter counter(limits);
  for (JmhSeries& series : *all) {
    if (!series.primary) continue;
    if (Result<void> added = counter.AddSet(sets.size(), series.line); !added) return added.error();
    RunSet& set = sets.emplace_back();
    set.name = std::move(series.benchmark);
    for (std::vector<double>& fork : series.values) {
      if (Result<void> added = counter.AddRun(set, series.line); !added) return added.error();
      for (std::size_t i = 0; i < fork.size(); ++i) {
        if (Result<void> added = counter.AddValue(series.line); !added) return added.error();
      }
      set.run_names.push_back(std::to_string(set.runs.size() + 1));
      set.runs.push_back(std::move(fork));
    }
  }
  return sets;
}

// An array whose first element is an object.
bool IsJmh(std::string_view text) {
  const std::size_t open = text.find('[');
  if (open == std::string_view::npos) return false;
  const std::size_t first = text.find_first_not_of(" \t\r\n", open + 1);
  return first != std::string_view::npos && text[first] == '{';
}

}  // namespace

Result<std::vector<RunSet>> ParseRunsJson(std::string_view text, const RunSetLimits& limits) {
  return IsJmh(text) ? ParseJmhForks(text, limits) : ParseArrays(text, limits);
}

}  // namespace benchd
