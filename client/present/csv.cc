#include "client/present/csv.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "client/present/text.h"
#include "client/present/units.h"
#include "client/present/words.h"
#include "core/parse/number.h"
#include "proto/convert/convert.h"

namespace benchd::client {
namespace {

// Readers strip blanks around an unquoted field, so a field that begins or ends with one is quoted.
bool HasOuterBlank(const std::string& field) {
  constexpr std::string_view kBlanks = " \t";
  return !field.empty() && (kBlanks.find(field.front()) != std::string_view::npos ||
                            kBlanks.find(field.back()) != std::string_view::npos);
}

// Puts an apostrophe before a name that a spreadsheet would evaluate; the reader removes it again.
// Control characters occur only in names of sessions of older releases.
std::string Quoted(const std::string& name) {
  const std::string field = GuardedName(Printable(name));
  if (field.find_first_of(",\"\r\n") == std::string::npos && !HasOuterBlank(field)) return field;
  std::string quoted = "\"";
  for (const char c : field) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

// Reduces the samples of one run to their mean, because the unit of the table is the run. For rates
// the mean is harmonic if all samples are positive. The mean is updated sample by sample, as in the
// daemon, so that a reader of the table gets the session's numbers to the last bit.
double Collapse(const std::vector<double>& values, bool rate) {
  double mean = 0;
  double inverse_mean = 0;
  double n = 0;
  for (const double value : values) {
    n += 1;
    mean += (value - mean) / n;
    inverse_mean += (1 / value - inverse_mean) / n;
  }
  if (std::ranges::count(values, values.front()) == std::ssize(values)) return values.front();
  const bool positive = std::ranges::all_of(values, [](double value) { return value > 0; });
  return rate && positive ? 1 / inverse_mean : mean;
}

// The columns of a table that are not metrics.
constexpr std::array<std::string_view, 8> kOtherColumns = {
    "arm", "role", "benchmark", "pair", "order", "started_at", "phase", "exit_code"};

// Returns whether a reader would mistake the name for that of another column, a number or a prefix.
bool NeedsPrefix(std::string_view metric) {
  return std::ranges::find(kOtherColumns, metric) != kOtherColumns.end() ||
         metric.find_first_not_of("0123456789+-.eE") == std::string_view::npos ||
         metric.starts_with(kMetricPrefix);
}

std::string MetricHeading(const std::string& metric) {
  return "," + Quoted(NeedsPrefix(metric) ? std::string(kMetricPrefix) + metric : metric);
}

using Roles = std::map<std::pair<std::string, std::string>, v1::ArmRole>;

// Returns the roles by benchmark and arm, because the benchmarks of a suite may differ.
Roles RolesOf(const v1::SessionSpec& spec) {
  Roles roles;
  for (const v1::Benchmark& benchmark : spec.benchmarks()) {
    for (const v1::Arm& arm : benchmark.arms()) {
      roles[{benchmark.name(), arm.name()}] = arm.role();
    }
  }
  return roles;
}

// The metrics that are rates, by benchmark, because one name may be a rate in one benchmark of a
// suite and a time in another.
using Rates = std::set<std::pair<std::string, std::string>>;

Rates RatesOf(const v1::Update& report) {
  Rates rates;
  for (const v1::Comparison& comparison : report.comparisons()) {
    if (comparison.better() == v1::BETTER_HIGHER) {
      rates.insert({comparison.benchmark(), comparison.metric()});
    }
  }
  return rates;
}

// The metrics of some runs, in order of appearance. An export can have millions of samples, and
// nearly every run has the same metrics in the same order as the run before. The lookup therefore
// first tries the metric at the same position.
class Columns {
 public:
  explicit Columns(std::span<const v1::Run> runs) {
    for (const v1::Run& run : runs) {
      for (int i = 0; i < run.samples_size(); ++i)
        Learn(run.samples(i), static_cast<std::size_t>(i));
    }
  }

  const std::vector<std::string>& names() const { return names_; }

  /// Returns one value per column for a run; NaN if the run lacks the metric.
  std::vector<double> RowOf(const v1::Run& run, const Rates& rates) const {
    std::vector<double> row;
    const std::vector<std::vector<double>> all = ValuesOf(run);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool rate = all[i].size() > 1 && rates.contains({run.benchmark(), names_[i]});
      row.push_back(all[i].empty() ? std::numeric_limits<double>::quiet_NaN()
                                   : Collapse(all[i], rate));
    }
    return row;
  }

 private:
  std::vector<std::vector<double>> ValuesOf(const v1::Run& run) const {
    std::vector<std::vector<double>> values(names_.size());
    for (int i = 0; i < run.samples_size(); ++i) {
      values[IndexOf(run.samples(i), static_cast<std::size_t>(i))].push_back(
          run.samples(i).value());
    }
    return values;
  }

  void Learn(const v1::Sample& sample, std::size_t expected) {
    if (IndexOf(sample, expected) < names_.size()) return;
    names_.push_back(MetricName(sample));
    first_.push_back(&sample);
  }

  std::size_t IndexOf(const v1::Sample& sample, std::size_t expected) const {
    if (expected < first_.size() && first_[expected]->metric() == sample.metric() &&
        first_[expected]->inner_benchmark() == sample.inner_benchmark()) {
      return expected;
    }
    const auto known = std::ranges::find(names_, MetricName(sample));
    return static_cast<std::size_t>(known - names_.begin());
  }

  std::vector<std::string> names_;
  std::vector<const v1::Sample*> first_;  // the first sample of each metric
};

}  // namespace

std::string MetricName(const v1::Sample& sample) {
  return sample.inner_benchmark().empty() ? sample.metric()
                                          : sample.inner_benchmark() + "/" + sample.metric();
}

namespace {

int ExitCodeOf(const v1::Run& run) { return run.signal() != 0 ? -run.signal() : run.exit_code(); }

// Exit codes are needed if some run did not exit with 0, or if 0 may be a failure.
bool HasExitCodes(std::span<const v1::Run> runs, const v1::SessionSpec& spec) {
  return std::ranges::any_of(
             runs, [](const auto& run) { return run.exit_code() != 0 || run.signal() != 0; }) ||
         std::ranges::any_of(spec.benchmarks(),
                             [](const auto& one) { return one.accept_exit_size() > 0; });
}

bool IsConfirming(const v1::Run& run) { return run.phase() == v1::RUN_PHASE_CONFIRMING; }

// Only a session that may have two phases states the phase of each run, even if it ended before the
// second one had a run: without the column, a reader would take what is to be confirmed for a
// regression.
bool HasPhases(const v1::SessionSpec& spec) { return spec.confirm(); }

}  // namespace

std::string RunsToCsv(std::span<const v1::Run> runs, const v1::Session& session) {
  const Roles roles = RolesOf(session.spec());
  const Rates rates = RatesOf(session.report());
  const Columns columns(runs);
  const std::vector<std::string>& metrics = columns.names();
  const bool has_exit_codes = HasExitCodes(runs, session.spec());
  const bool has_phases = HasPhases(session.spec());
  std::string csv = "arm,role,benchmark,pair,order,started_at";
  if (has_phases) csv += ",phase";
  if (has_exit_codes) csv += ",exit_code";
  for (const std::string& metric : metrics) csv += MetricHeading(metric);
  csv += "\n";
  std::size_t order = 0;
  for (const v1::Run& run : runs) {
    if (run.phase() == v1::RUN_PHASE_DROPPED) continue;
    const auto role = roles.find({run.benchmark(), run.arm()});
    csv += Quoted(run.arm()) + ",";
    if (role != roles.end()) csv += Word(role->second);
    csv += ",";
    csv += Quoted(run.benchmark()) + ",";
    if (run.phase() != v1::RUN_PHASE_WARMUP) csv += std::to_string(run.block());
    csv += "," + std::to_string(++order) + "," + Rfc3339(run.started_at());
    if (has_phases) {
      csv += ",";
      if (run.phase() != v1::RUN_PHASE_WARMUP) csv += Word(run.phase());
    }
    if (has_exit_codes) {
      csv += "," + std::to_string(ExitCodeOf(run));
    }
    for (const double value : columns.RowOf(run, rates)) {
      csv += "," + (std::isnan(value) ? "" : FormatRoundTrip(value));
    }
    csv += "\n";
  }
  return csv;
}

namespace {

/// Describes a metric as the reader of an export does. A built-in metric has its known resolution.
/// The resolution of any other metric is one unit of the last digit of its values, at most 1.
MetricInfo InfoOf(const std::string& name, std::span<const double> values) {
  const MetricInfo* const builtin = FindBuiltinMetric(name);
  MetricInfo info = builtin != nullptr ? *builtin : MetricInfo{name, {}, {}, 0};
  if (info.resolution > 0) return info;
  for (const double value : values) {
    const auto printed = benchd::ParseNumber(FormatRoundTrip(value));
    if (!printed || !(printed->resolution > 0)) continue;
    const double step = std::min(printed->resolution, 1.0);
    info.resolution = info.resolution > 0 ? std::min(info.resolution, step) : step;
  }
  return info;
}

void SetRole(MeasurementTable& table, std::optional<ArmRole> role) {
  const std::size_t benchmark = table.benchmark.back();
  const std::size_t arm = table.arm.back();
  if (benchmark >= table.roles.size()) table.roles.resize(benchmark + 1);
  if (arm >= table.roles[benchmark].size()) table.roles[benchmark].resize(arm + 1);
  table.roles[benchmark][arm] = role;
}

}  // namespace

Result<MeasurementTable> TableOfRuns(std::span<const v1::Run> runs, const v1::Session& session) {
  const Roles roles = RolesOf(session.spec());
  const Rates rates = RatesOf(session.report());
  const Columns columns(runs);
  const bool has_exit_codes = HasExitCodes(runs, session.spec());
  const bool has_phases = HasPhases(session.spec());
  MeasurementTable table;
  table.is_export = true;
  table.has_pairs = true;
  table.values.resize(columns.names().size());
  TableNames arms;
  TableNames benchmarks;
  const auto number = [](TableNames& names, const std::string& name) {
    const auto known = names.Find(name);
    return static_cast<std::uint16_t>(known ? *known : names.Add(name));
  };
  for (const v1::Run& run : runs) {
    if (run.phase() == v1::RUN_PHASE_DROPPED) continue;
    const bool warmup = run.phase() == v1::RUN_PHASE_WARMUP;
    table.arm.push_back(number(arms, Printable(run.arm())));
    table.benchmark.push_back(number(benchmarks, Printable(run.benchmark())));
    if (arms.all().size() > kMaxTableArms || benchmarks.all().size() > kMaxTableBenchmarks) {
      return InvalidArgument("runs", "too many arms or benchmarks");
    }
    table.pair.Add(warmup ? std::nullopt : std::optional(run.block()));
    table.order.Add(table.rows());
    table.line.push_back(static_cast<std::uint32_t>(table.rows() + 1));  // its line in the CSV
    table.started_at.Add(convert::FromProto(run.started_at()));
    if (has_phases) table.confirming.push_back(IsConfirming(run));
    if (has_exit_codes) table.exit_code.Add(ExitCodeOf(run));
    const auto role = roles.find({run.benchmark(), run.arm()});
    if (!warmup && role != roles.end()) SetRole(table, convert::ToModel<ArmRole>(role->second));
    const std::vector<double> row = columns.RowOf(run, rates);
    for (std::size_t i = 0; i < row.size(); ++i) table.values[i].push_back(row[i]);
  }
  if (table.values.empty()) return InvalidArgument("runs", "no metric");
  if (arms.all().size() < 2) return InvalidArgument("runs", "fewer than two arms");
  for (std::size_t i = 0; i < columns.names().size(); ++i) {
    table.metrics.push_back(InfoOf(Printable(columns.names()[i]), table.values[i]));
  }
  table.arms = arms.all();
  table.benchmarks = benchmarks.all();
  table.roles.resize(table.benchmarks.size());
  return table;
}

std::string TableToCsv(const MeasurementTable& table) {
  const bool has_exit_codes = table.exit_code.HasAny();
  std::string csv = has_exit_codes ? "arm,benchmark,exit_code" : "arm,benchmark";
  for (const MetricInfo& metric : table.metrics) csv += MetricHeading(metric.name);
  csv += "\n";
  for (std::size_t row = 0; row < table.rows(); ++row) {
    csv +=
        Quoted(table.arms[table.arm[row]]) + "," + Quoted(table.benchmarks[table.benchmark[row]]);
    if (has_exit_codes) {
      // A run without a known code is not a failure, and a reader refuses an empty field.
      csv += "," + std::to_string(table.exit_code[row].value_or(0));
    }
    for (const std::vector<double>& column : table.values) {
      csv += "," + (std::isnan(column[row]) ? "" : FormatRoundTrip(column[row]));
    }
    csv += "\n";
  }
  return csv;
}

void ParsedMetrics::Learn(const v1::Run& run) {
  if (run.phase() == v1::RUN_PHASE_DROPPED || run.metrics().empty()) return;
  std::map<std::string_view, const v1::MetricInfo*> infos;
  for (const v1::MetricInfo& info : run.metrics()) infos.emplace(info.name(), &info);
  for (const v1::Sample& sample : run.samples()) {
    // A harness may describe a metric once, or once for each of its inner benchmarks.
    const std::string name = MetricName(sample);
    auto found = infos.find(name);
    if (found == infos.end()) found = infos.find(sample.metric());
    if (found == infos.end()) continue;
    const v1::MetricInfo& info = *found->second;
    const auto [known, is_new] = numbers_.try_emplace(name, columns_.size());
    if (is_new) {
      TableColumn& column = columns_.emplace_back().column;
      column.metric = known->first;
      column.unit = info.unit();
      column.better = convert::ToModel<Better>(info.better());
    }
    if (run.phase() != v1::RUN_PHASE_WARMUP) columns_[known->second].measured = true;
    if (!info.has_resolution()) continue;
    TableColumn& column = columns_[known->second].column;
    column.resolution = std::min(column.resolution.value_or(info.resolution()), info.resolution());
  }
}

std::vector<TableColumn> ParsedMetrics::columns() const {
  std::vector<TableColumn> columns;
  for (const Column& one : columns_) {
    if (one.measured) columns.push_back(one.column);
  }
  return columns;
}

}  // namespace benchd::client
