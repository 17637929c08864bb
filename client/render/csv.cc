#include "client/render/csv.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "client/render/units.h"
#include "client/render/words.h"
#include "proto/convert/enum_values.h"

namespace benchd::client {
namespace {

// Readers drop blanks around a field, so those that belong to it need quotes too.
bool HasOuterBlank(const std::string& field) {
  constexpr std::string_view kBlanks = " \t";
  return !field.empty() && (kBlanks.find(field.front()) != std::string_view::npos ||
                            kBlanks.find(field.back()) != std::string_view::npos);
}

std::string Quoted(const std::string& field) {
  if (field.find_first_of(",\"\r\n") == std::string::npos && !HasOuterBlank(field)) return field;
  std::string quoted = "\"";
  for (const char c : field) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

// Samples inside a run are no replicates (the table's unit is the run): they become one value,
// their mean, for rates the harmonic one where all are positive. Whoever reads the table has to get
// the session's numbers to the last bit, so the sums run as the daemon's do: updated sample by
// sample.
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

// The columns of the reader of tables that are no metrics.
constexpr std::array<std::string_view, 6> kOtherColumns = {"arm",  "role",  "benchmark",
                                                           "pair", "order", "started_at"};

// A name that a reader would take for something else: a column's, a number, or a prefix.
bool NeedsPrefix(std::string_view metric) {
  return std::ranges::find(kOtherColumns, metric) != kOtherColumns.end() ||
         metric.find_first_not_of("0123456789+-.eE") == std::string_view::npos ||
         metric.starts_with(kMetricPrefix);
}

std::string MetricHeading(const std::string& metric) {
  return "," + Quoted(NeedsPrefix(metric) ? std::string(kMetricPrefix) + metric : metric);
}

using Roles = std::map<std::pair<std::string, std::string>, std::string_view>;

// By benchmark and arm: a suite's benchmarks may differ.
Roles RolesOf(const v1::SessionSpec& spec) {
  Roles roles;
  for (const v1::Benchmark& benchmark : spec.benchmarks()) {
    for (const v1::Arm& arm : benchmark.arms()) {
      roles[{benchmark.name(), arm.name()}] = Word(arm.role());
    }
  }
  return roles;
}

}  // namespace

std::string MetricName(const v1::Sample& sample) {
  return sample.inner_benchmark().empty() ? sample.metric()
                                          : sample.inner_benchmark() + "/" + sample.metric();
}

std::string RunsToCsv(std::span<const v1::Run> runs, const v1::Session& session) {
  const Roles roles = RolesOf(session.spec());
  // A suite's benchmarks may give one name to a rate and to a time.
  std::set<std::pair<std::string, std::string>> rates;
  for (const v1::Comparison& comparison : session.report().comparisons()) {
    if (comparison.better() == v1::BETTER_HIGHER) {
      rates.insert({comparison.benchmark(), comparison.metric()});
    }
  }
  std::vector<std::string> metrics;
  for (const v1::Run& run : runs) {
    for (const v1::Sample& sample : run.samples()) {
      const std::string name = MetricName(sample);
      if (std::ranges::find(metrics, name) == metrics.end()) metrics.push_back(name);
    }
  }
  std::string csv = "arm,role,benchmark,pair,order,started_at";
  for (const std::string& metric : metrics) csv += MetricHeading(metric);
  csv += "\n";
  std::size_t order = 0;
  for (const v1::Run& run : runs) {
    if (run.phase() == v1::RUN_PHASE_DROPPED) continue;
    std::map<std::string, std::vector<double>> values;
    for (const v1::Sample& sample : run.samples())
      values[MetricName(sample)].push_back(sample.value());
    const auto role = roles.find({run.benchmark(), run.arm()});
    csv += Quoted(run.arm()) + "," + std::string(role == roles.end() ? "" : role->second) + ",";
    csv += Quoted(run.benchmark()) + ",";
    if (run.phase() != v1::RUN_PHASE_WARMUP) csv += std::to_string(run.block());
    csv += "," + std::to_string(++order) + "," + Rfc3339(run.started_at());
    for (const std::string& metric : metrics) {
      csv += ",";
      const auto found = values.find(metric);
      if (found == values.end()) continue;
      const bool rate = rates.contains({run.benchmark(), metric});
      csv += FormatRoundTrip(Collapse(found->second, rate));
    }
    csv += "\n";
  }
  return csv;
}

std::string TableToCsv(const MeasurementTable& table) {
  std::string csv = "arm,benchmark";
  for (const MetricInfo& metric : table.metrics) csv += MetricHeading(metric.name);
  csv += "\n";
  for (std::size_t row = 0; row < table.rows(); ++row) {
    csv +=
        Quoted(table.arms[table.arm[row]]) + "," + Quoted(table.benchmarks[table.benchmark[row]]);
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
    // A metric of the harness' own benchmarks may be described for each of them.
    const std::string name = MetricName(sample);
    auto found = infos.find(name);
    if (found == infos.end()) found = infos.find(sample.metric());
    if (found == infos.end()) continue;
    const v1::MetricInfo& info = *found->second;
    const auto [known, is_new] = numbers_.try_emplace(name, columns_.size());
    if (is_new) {
      TableColumn& column = columns_.emplace_back();
      column.metric = known->first;
      column.unit = info.unit();
      column.better = convert::ToModel<Better>(info.better());
    }
    if (!info.has_resolution()) continue;
    TableColumn& column = columns_[known->second];
    column.resolution = std::min(column.resolution.value_or(info.resolution()), info.resolution());
  }
}

}  // namespace benchd::client
