#include "daemon/run/run_outcome.h"

#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace benchd {
namespace {

double Count(std::int64_t value) { return static_cast<double>(value); }

void AddFigures(const wire::RunFigures& figures, std::vector<Sample>& samples) {
  // Division keeps 1234567 us at the double nearest to 1.234567 s; a factor would not.
  const double user_s = Count(figures.user_time_us) / 1e6;
  const double system_s = Count(figures.system_time_us) / 1e6;
  const double cpu_s = Count(figures.user_time_us + figures.system_time_us) / 1e6;
  const std::array<std::pair<const char*, double>, 9> values{{
      {"wall_time", Count(figures.wall_time_ns) / 1e9},
      {"user_time", user_s},
      {"system_time", system_s},
      {"cpu_time", cpu_s},
      {"max_rss", Count(figures.max_rss_bytes)},
      {"minor_faults", Count(figures.minor_faults)},
      {"major_faults", Count(figures.major_faults)},
      {"voluntary_switches", Count(figures.voluntary_switches)},
      {"involuntary_switches", Count(figures.involuntary_switches)},
  }};
  samples.reserve(values.size() + OptionalMetrics().size());
  for (const auto& [name, value] : values) samples.push_back(Sample{name, {}, 0, value});
}

/// What a counter would have shown, had it not shared its place in the CPU with others; empty when
/// it never had its turn. Source: perf_event_open(2), PERF_FORMAT_TOTAL_TIME_RUNNING.
std::optional<double> ValueOf(const wire::CounterFigure& counter) {
  if (counter.running_ns == 0 || counter.enabled_ns == 0) return std::nullopt;
  auto value = static_cast<double>(counter.value);
  if (counter.running_ns < counter.enabled_ns) {
    value *= static_cast<double>(counter.enabled_ns) / static_cast<double>(counter.running_ns);
  }
  return counter.metric == "task_clock" ? value / 1e9 : value;
}

void AddOptionalFigures(const wire::RunFigures& figures, std::vector<Sample>& samples) {
  const auto add = [&samples](const std::string& name, std::optional<double> value) {
    if (value) samples.push_back(Sample{name, {}, 0, *value});
  };
  const auto as_count = [](std::optional<std::int64_t> value) {
    return value ? std::optional(Count(*value)) : std::nullopt;
  };
  add("read_bytes", as_count(figures.read_bytes));
  add("write_bytes", as_count(figures.write_bytes));
  if (figures.tree_cpu_time_us) add("tree_cpu_time", Count(*figures.tree_cpu_time_us) / 1e6);
  add("tree_memory_peak", as_count(figures.tree_memory_peak_bytes));
  for (const wire::CounterFigure& counter : figures.counters) {
    add(counter.metric, ValueOf(counter));
  }
  add("interrupts", as_count(figures.interrupts));
  if (figures.stolen_us) add("stolen_time", Count(*figures.stolen_us) / 1e6);
  add("foreign_switches", as_count(figures.foreign_switches));
  add("migrations", as_count(figures.migrations));
}

/// That a metric which was asked for is not to be had with this program.
std::optional<Error> FirstMissing(const wire::RunFigures& figures) {
  if (figures.missing.empty() || !figures.exit.Succeeded()) return std::nullopt;
  const wire::MissingMetric& first = figures.missing.front();
  return Error{ErrorCode::kFailedPrecondition,
               "metric " + first.metric + ": not available here: " + first.why,
               "gate on another metric, such as cpu_time"};
}

Error Unreadable(const std::string& why) {
  return Error{ErrorCode::kInternal, "benchd-helper's output cannot be read: " + why,
               "install benchd and benchd-helper from the same build"};
}

Result<void> CheckMetrics(const wire::ParsedOutput& parsed, std::set<std::string>& names) {
  for (const MetricInfo& metric : parsed.metrics) {
    const bool is_sane = std::isfinite(metric.resolution) && metric.resolution >= 0;
    if (metric.name.empty() || !is_sane) return Unreadable("a metric without name or resolution");
    if (!names.insert(metric.name).second) return Unreadable("a metric twice");
  }
  return {};
}

Result<void> CheckParsed(const wire::ParsedOutput& parsed) {
  std::set<std::string> names;
  if (auto checked = CheckMetrics(parsed, names); !checked) return checked;
  if (parsed.samples.empty()) return Unreadable("no sample");
  for (const Sample& sample : parsed.samples) {
    const std::string& inner = sample.inner_benchmark;
    if (!names.contains(inner.empty() ? sample.metric : inner + "/" + sample.metric)) {
      return Unreadable("a sample of an unknown metric");
    }
    // One of an inner benchmark is called INNER/NAME and cannot be mistaken for ours.
    if (sample.inner_benchmark.empty() && FindBuiltinMetric(sample.metric) != nullptr) {
      return Error{ErrorCode::kInvalidArgument,
                   "parse: '" + sample.metric + "' is a metric that benchd measures itself",
                   "let the program print another name"};
    }
    if (!std::isfinite(sample.value)) return Unreadable("a sample that is not a finite number");
  }
  return {};
}

Result<wire::ParsedOutput> DecodeParsed(std::string_view bytes) {
  if (bytes.empty()) return Unreadable("it wrote nothing");
  auto parsed = wire::DecodeParsedOutput(bytes);
  if (!parsed) return Unreadable(parsed.error().message);
  if (!parsed->result) {
    Error error = std::move(parsed->result).error();
    // The format's own complaint names the option already; a line's does not.
    if (!error.message.starts_with("parse: ")) error = std::move(error).Within("parse");
    return error;
  }
  if (auto checked = CheckParsed(*parsed); !checked) return std::move(checked).error();
  return parsed;
}

}  // namespace

Result<RunOutcome> MakeRunOutcome(wire::RunFigures figures, std::string_view format) {
  RunOutcome outcome;
  outcome.started_at = Timestamp(Nanoseconds(figures.started_at_ns));
  outcome.ended_at = SteadyTime(Nanoseconds(figures.ended_at_ns));
  outcome.exit = figures.exit;
  outcome.limit = std::move(figures.limit);
  if (auto missing = FirstMissing(figures)) return std::move(*missing);
  AddFigures(figures, outcome.samples);
  AddOptionalFigures(figures, outcome.samples);
  outcome.stderr_tail = std::move(figures.stderr_tail);
  outcome.output = std::move(figures.output);
  if (format.empty()) return outcome;
  auto parsed = DecodeParsed(figures.parsed);
  if (!parsed && figures.exit.Succeeded()) return std::move(parsed).error();
  if (!parsed) return outcome;
  for (Sample& sample : parsed->samples) outcome.samples.push_back(std::move(sample));
  outcome.metrics = std::move(parsed->metrics);
  return outcome;
}

}  // namespace benchd
