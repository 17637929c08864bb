#include <algorithm>
#include <array>
#include <cmath>
#include <map>
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

constexpr std::string_view kHyperfineHint =
    "make hyperfine print only JSON to stdout: --style none --export-json /dev/stdout";

constexpr std::string_view kTime = "time";

/// A metric that has another name in schema 2 than in schema 1. Renaming allows comparing files of
/// both schemas. CPU times are parts of the time and gate only if named.
struct Renamed {
  std::string_view theirs;
  std::string_view ours;
  bool by_name_only;
};
constexpr std::array<Renamed, 5> kRenamed{{{"time_wall_clock", kTime, false},
                                           {"time_cpu", "cpu", true},
                                           {"time_user", "user", true},
                                           {"time_system", "system", true},
                                           {"memory_peak_resident", "memory_usage", false}}};

/// Returns whether the metric is a processor counter. Counters have no unit.
bool IsCounter(std::string_view name) {
  return name == "instructions" || name.starts_with("cpu_") || name.starts_with("cache_") ||
         name.starts_with("branch_");
}

/// Returns a name that differs from those of benchd's own metrics, which describe the harness's
/// process.
std::string OwnName(std::string_view theirs) {
  const char* const prefix = IsCounter(theirs) && !theirs.starts_with("cpu_") ? "cpu_"
                             : FindBuiltinMetric(theirs) != nullptr           ? "timed_"
                                                                              : "";
  return prefix + std::string(theirs);
}

/// Converts hyperfine's names of units to symbols; others are kept.
std::string UnitOfWord(const std::string& word) {
  if (word == "second") return "s";
  if (word == "byte") return "B";
  return word;
}

HyperfineSeries SeriesCalled(std::string_view theirs, const std::string& unit) {
  HyperfineSeries series;
  for (const Renamed& known : kRenamed) {
    if (known.theirs != theirs) continue;
    series.metric = {std::string(known.ours), unit, Better::kLower, 0, known.by_name_only};
    return series;
  }
  series.metric = {OwnName(theirs), unit, {}, 0, true};
  if (!IsCounter(theirs)) return series;
  series.metric.better = Better::kLower;
  if (unit.empty()) series.metric.unit = "1";
  return series;
}

void Append(const PrintedNumber& number, HyperfineSeries& series) {
  double& resolution = series.metric.resolution;
  if (number.resolution > 0) {
    resolution = resolution > 0 ? std::min(resolution, number.resolution) : number.resolution;
  }
  series.values.push_back(number.value);
}

/// Returns the exit code, or std::nullopt for null: a signal ended the command, on a system that
/// does not number signals.
Result<std::optional<int>> ExitCodeOf(const JsonValue& value) {
  if (value.kind == JsonValue::Kind::kNull) return std::optional<int>();
  TRY(auto number, AsNumber(value, "an exit code"));
  if (std::trunc(number.value) == number.value && std::abs(number.value) <= 0x7fffffff) {
    return std::optional<int>(static_cast<int>(number.value));
  }
  return JsonError(value.line, "an exit code is not a 32-bit integer");
}

class HyperfineReader {
 public:
  Result<std::vector<HyperfineCommand>> Read(std::string_view text) {
    const JsonLayout layout{JsonRecords::kNamedArray, "results", kHyperfineHint};
    const auto take = [this](const std::string&, const JsonValue& result) { return Take(result); };
    TRY_VOID(ReadJsonRecords(text, layout, take));
    return std::move(commands_);
  }

 private:
  Result<void> Take(const JsonValue& result) {
    TRY(auto name, NameOfCommand(result));
    if (!seen_.insert(name).second) {
      return JsonError(result.line, Quoted(name) + " occurs twice",
                       "give each command its own name: hyperfine -n NAME COMMAND");
    }
    HyperfineCommand command{std::move(name), result.line, {}, {}};
    const JsonValue* runs = result.Find("measurements");
    auto taken = runs != nullptr ? TakeRuns(*runs, command) : TakeLists(result, command);
    if (!taken) return taken;
    commands_.push_back(std::move(command));
    return {};
  }

  /// Returns the command's name. Schema 1 stores the name given by -n as `command`; schema 2 has a
  /// member `name`.
  static Result<std::string> NameOfCommand(const JsonValue& result) {
    return RequiredText(result, result.Find("name") != nullptr ? "name" : "command");
  }

  /// Reads schema 1: a list of times, and means of the CPU times.
  static Result<void> TakeLists(const JsonValue& result, HyperfineCommand& command) {
    if (result.Find("times") == nullptr) {
      return JsonError(result.line, "missing array 'times' or 'measurements'");
    }
    for (const auto& [key, theirs, unit] : {std::tuple("times", "time_wall_clock", "s"),
                                            {"memory_usage_byte", "memory_peak_resident", "B"}}) {
      HyperfineSeries series = SeriesCalled(theirs, unit);
      TRY_VOID(TakeList(result, key, series));
      if (!series.values.empty()) command.series.push_back(std::move(series));
    }
    if (command.series.empty() || command.series.front().metric.name != kTime) {
      return JsonError(result.line, Quoted(command.name) + " has no time");
    }
    for (const char* key : {"user", "system"}) {
      TRY(auto mean, RequiredNumber(result, key));
      HyperfineSeries series = SeriesCalled("time_" + std::string(key), "s");
      series.is_mean = true;
      Append(mean, series);
      command.series.push_back(std::move(series));
    }
    return TakeExitCodes(result, command);
  }

  /// Adds the values of the list `key`, if it is present.
  static Result<void> TakeList(const JsonValue& result, std::string_view key,
                               HyperfineSeries& series) {
    const JsonValue* list = result.Find(key);
    if (list == nullptr) return {};
    if (list->kind != JsonValue::Kind::kArray) {
      return JsonError(list->line, Quoted(key) + " is not an array");
    }
    for (const JsonValue& item : list->items) {
      TRY(auto number, AsNumber(item, "a value of " + Quoted(key)));
      Append(number, series);
    }
    return {};
  }

  static Result<void> TakeExitCodes(const JsonValue& result, HyperfineCommand& command) {
    const std::size_t runs = command.series.front().values.size();
    const JsonValue* codes = result.Find("exit_codes");
    if (codes == nullptr) return {};
    for (const JsonValue& item : codes->items) {
      TRY(auto code, ExitCodeOf(item));
      command.exit_codes.push_back(code);
    }
    if (command.exit_codes.size() == runs) return {};
    return JsonError(codes->line, "'exit_codes' has " +
                                      Counted(command.exit_codes.size(), "entry", "entries") +
                                      " for " + Counted(runs, "time"));
  }

  /// Reads schema 2: all metrics of each run.
  static Result<void> TakeRuns(const JsonValue& runs, HyperfineCommand& command) {
    if (runs.kind != JsonValue::Kind::kArray) {
      return JsonError(runs.line, "'measurements' is not an array");
    }
    if (runs.items.empty()) {
      return JsonError(runs.line, Quoted(command.name) + " has no measurements");
    }
    for (const JsonValue& run : runs.items) {
      if (run.Find("time_wall_clock") == nullptr) {
        return JsonError(run.line, "missing object 'time_wall_clock'");
      }
      TRY_VOID(TakeRun(run, command));
    }
    return {};
  }

  static Result<void> TakeRun(const JsonValue& run, HyperfineCommand& command) {
    std::optional<int> exit_code = 0;
    for (std::size_t i = 0; i < run.keys.size(); ++i) {
      const JsonValue& member = run.items[i];
      if (run.keys[i] == "exit_code") {
        TRY(auto code, ExitCodeOf(member));
        exit_code = code;
      } else if (member.Find("value") != nullptr) {
        auto taken = TakeMetric(run.keys[i], member, command);
        if (!taken) return taken;
      }
    }
    command.exit_codes.push_back(exit_code);
    return {};
  }

  static Result<void> TakeMetric(const std::string& name, const JsonValue& metric,
                                 HyperfineCommand& command) {
    TRY(auto value, AsNumber(*metric.Find("value"), "the value of " + Quoted(name)));
    std::string unit;
    if (metric.Find("unit") != nullptr) {
      TRY(auto word, RequiredText(metric, "unit"));
      unit = UnitOfWord(word);
    }
    HyperfineSeries series = SeriesCalled(name, unit);
    const auto known = std::find_if(
        command.series.begin(), command.series.end(),
        [&series](const HyperfineSeries& one) { return one.metric.name == series.metric.name; });
    if (known == command.series.end()) {
      Append(value, series);
      command.series.push_back(std::move(series));
      return {};
    }
    if (known->metric.unit != series.metric.unit) {
      return JsonError(metric.line, Quoted(name) + " has the unit " + Quoted(series.metric.unit) +
                                        ", but had " + Quoted(known->metric.unit));
    }
    Append(value, *known);
    return {};
  }

  std::vector<HyperfineCommand> commands_;
  std::set<std::string> seen_;
};

/// Adds each exit code other than 0 once, with its count.
void AddFailures(const HyperfineCommand& command, std::string_view inner, HarnessOutput& output) {
  std::map<std::optional<int>, std::uint64_t> counts;
  for (const std::optional<int>& code : command.exit_codes) {
    if (code != 0) ++counts[code];
  }
  for (const auto& [code, count] : counts) {
    output.exits.push_back({std::string(inner), code, count, command.exit_codes.size()});
  }
}

}  // namespace

Result<std::vector<HyperfineCommand>> ReadHyperfine(std::string_view text) {
  auto commands = HyperfineReader().Read(text);
  if (commands && commands->empty()) {
    return Error{ErrorCode::kInvalidArgument, "no value: expected at least one command",
                 std::string(kHyperfineHint)};
  }
  return commands;
}

Result<HarnessOutput> ParseHyperfine(std::string_view text) {
  TRY(auto commands, ReadHyperfine(text));
  HarnessBuilder builder(kHyperfineHint);
  for (const HyperfineCommand& command : commands) {
    const std::string_view inner = commands.size() == 1 ? std::string_view() : command.name;
    for (const HyperfineSeries& series : command.series) {
      const MetricInfo& info = series.metric;
      const HarnessMetric metric{inner, info.name, info.unit, info.better, info.by_name_only};
      for (const double value : series.values) {
        TRY_VOID(builder.AddAt(command.line, metric, {value, info.resolution}));
      }
    }
  }
  auto output = std::move(builder).Finish("at least one command");
  if (!output) return output;
  for (const HyperfineCommand& command : commands) {
    AddFailures(command, commands.size() == 1 ? std::string_view() : command.name, *output);
  }
  return output;
}

}  // namespace benchd
