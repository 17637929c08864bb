#include "daemon/run/run_outcome.h"

#include <array>
#include <cmath>
#include <set>
#include <string>
#include <utility>

namespace benchd {
namespace {

void AddFigures(const wire::RunFigures& figures, std::vector<Sample>& samples) {
  const auto count = [](std::int64_t value) { return static_cast<double>(value); };
  // Division keeps 1234567 us at the double nearest to 1.234567 s; a factor would not.
  const double user_s = count(figures.user_time_us) / 1e6;
  const double system_s = count(figures.system_time_us) / 1e6;
  const double cpu_s = count(figures.user_time_us + figures.system_time_us) / 1e6;
  const std::array<std::pair<const char*, double>, 9> values{{
      {"wall_time", count(figures.wall_time_ns) / 1e9},
      {"user_time", user_s},
      {"system_time", system_s},
      {"cpu_time", cpu_s},
      {"max_rss", count(figures.max_rss_bytes)},
      {"minor_faults", count(figures.minor_faults)},
      {"major_faults", count(figures.major_faults)},
      {"voluntary_switches", count(figures.voluntary_switches)},
      {"involuntary_switches", count(figures.involuntary_switches)},
  }};
  samples.reserve(values.size());
  for (const auto& [name, value] : values) samples.push_back(Sample{name, {}, 0, value});
}

Error Unreadable(const std::string& why) {
  return Error{ErrorCode::kInternal, "benchd-helper's output cannot be read: " + why,
               "install benchd and benchd-helper from the same build"};
}

Result<void> CheckMetrics(const wire::ParsedOutput& parsed, std::set<std::string>& names) {
  for (const MetricInfo& metric : parsed.metrics) {
    if (FindBuiltinMetric(metric.name) != nullptr) {
      return Error{ErrorCode::kInvalidArgument,
                   "parse: '" + metric.name + "' is a metric that benchd measures itself",
                   "let the program print another name"};
    }
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
    if (!names.contains(sample.metric)) return Unreadable("a sample of an unknown metric");
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
  AddFigures(figures, outcome.samples);
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
