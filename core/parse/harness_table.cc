#include "core/parse/harness_table.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/parse/harness_builder.h"
#include "core/parse/harness_output.h"

namespace benchd {
namespace {

constexpr std::string_view kHyperfine = "hyperfine";
constexpr std::string_view kOnlyBenchmark = "main";

/// The values of one metric of one benchmark in a file.
struct HarnessSeries {
  std::string benchmark;
  MetricInfo metric;
  std::vector<std::vector<double>> processes;
  std::vector<int> exit_codes;  ///< by process, as in MeasurementTable; empty: unknown
};

struct SeriesList : std::vector<HarnessSeries> {
  bool means_alone = false;  ///< as in HarnessOutput
};

std::vector<std::vector<double>> EachAlone(const std::vector<double>& values) {
  std::vector<std::vector<double>> processes;
  for (const double value : values) processes.push_back({value});
  return processes;
}

/// Reads a file in any other format. It contains the iterations of one process, in order of
/// appearance.
Result<SeriesList> SeriesOfOutput(std::string_view format, std::string_view text,
                                  std::string_view adapter) {
  TRY(auto output, ParseHarnessOutput(format, text, adapter));
  std::map<std::string, const MetricInfo*, std::less<>> infos;
  for (const MetricInfo& info : output.metrics) infos.emplace(info.name, &info);
  SeriesList list;
  list.means_alone = output.means_alone;
  std::map<std::string, std::size_t> numbers;
  for (const Sample& sample : output.samples) {
    std::string key = sample.inner_benchmark;
    key += (key.empty() ? "" : "/") + sample.metric;
    const auto [known, is_new] = numbers.try_emplace(key, list.size());
    if (is_new) {
      MetricInfo metric{sample.metric, {}, {}, 0};
      if (const auto info = infos.find(key); info != infos.end()) metric = *info->second;
      metric.name = sample.metric;
      list.push_back({sample.inner_benchmark, std::move(metric), {{}}, {}});
    }
    list[known->second].processes.front().push_back(sample.value);
  }
  return list;
}

/// Reads a hyperfine file. hyperfine starts the command anew for each run, so each run is a
/// process. Means are skipped.
Result<SeriesList> SeriesOfHyperfine(std::string_view text) {
  TRY(auto commands, ReadHyperfine(text));
  SeriesList list;
  for (HyperfineCommand& command : commands) {
    const std::string name = commands.size() == 1 ? "" : command.name;
    for (HyperfineSeries& series : command.series) {
      if (series.is_mean) continue;
      list.push_back({name, std::move(series.metric), EachAlone(series.values), {}});
      for (const std::optional<int>& code : command.exit_codes) {
        list.back().exit_codes.push_back(code.value_or(kExitWithoutCode));
      }
    }
  }
  return list;
}

/// Reads a report of JMH, whose forks are processes.
Result<SeriesList> SeriesOfJmh(std::string_view text) {
  TRY(auto forks, ReadJmh(text));
  SeriesList list;
  for (JmhSeries& series : forks) {
    std::erase_if(series.values, [](const auto& fork) { return fork.empty(); });
    list.push_back({std::move(series.benchmark),
                    {std::move(series.metric), std::move(series.unit), series.better,
                     series.resolution, !series.primary},
                    std::move(series.values),
                    {}});
  }
  return list;
}

Result<SeriesList> SeriesOfReport(Result<ProcessReport> report) {
  if (!report) return std::move(report).error();
  SeriesList list;
  list.means_alone = report->means_alone;
  for (ProcessSeries& series : report->series) {
    list.push_back(
        {std::move(series.benchmark), std::move(series.metric), std::move(series.processes), {}});
  }
  return list;
}

Result<SeriesList> SeriesOf(std::string_view format, std::string_view text,
                            std::string_view adapter) {
  if (adapter.empty() && format == kHyperfine) return SeriesOfHyperfine(text);
  if (adapter.empty() && format == "jmh") return SeriesOfJmh(text);
  if (adapter.empty() && format == "pyperf") return SeriesOfReport(ReadPyperf(text));
  if (adapter.empty() && format == "benchmarkdotnet") {
    return SeriesOfReport(ReadBenchmarkDotNet(text));
  }
  return SeriesOfOutput(format, text, adapter);
}

double ValueOfProcess(const std::vector<double>& values, bool rate) {
  double sum = 0;
  double inverse_sum = 0;
  for (const double value : values) {
    sum += value;
    inverse_sum += 1 / value;
  }
  const auto n = static_cast<double>(values.size());
  const bool positive = std::all_of(values.begin(), values.end(), [](double v) { return v > 0; });
  return rate && positive ? n / inverse_sum : sum / n;
}

/// The rows of an arm in one benchmark, by metric.
class ArmRows {
 public:
  void Add(std::size_t metric, HarnessSeries series) {
    Processes& processes = columns_[metric];
    for (std::size_t process = 0; process < series.exit_codes.size(); ++process) {
      exit_codes_.emplace(processes.size() + process, series.exit_codes[process]);
    }
    std::move(series.processes.begin(), series.processes.end(), std::back_inserter(processes));
  }

  /// Returns std::nullopt if the exit code is unknown.
  std::optional<int> ExitCode(std::size_t row) const {
    const auto known = exit_codes_.find(row);
    return known == exit_codes_.end() ? std::nullopt : std::optional(known->second);
  }

  /// Returns whether the rows are several iterations of a single process.
  bool OneProcess() const {
    return !SeveralProcesses() &&
           std::any_of(columns_.begin(), columns_.end(), [](const auto& column) {
             return !column.second.empty() && column.second[0].size() > 1;
           });
  }

  /// Returns the values by metric; lengths may differ.
  /// @param metrics  the metrics with their directions, which may come from another file
  std::map<std::size_t, std::vector<double>> Values(const std::vector<MetricInfo>& metrics) const {
    std::map<std::size_t, std::vector<double>> values;
    const bool several = SeveralProcesses();
    for (const auto& [metric, processes] : columns_) {
      std::vector<double>& rows = values[metric];
      const bool rate = metrics[metric].better == Better::kHigher;
      for (const std::vector<double>& process : processes) {
        if (several) {
          rows.push_back(ValueOfProcess(process, rate));
        } else {
          rows.insert(rows.end(), process.begin(), process.end());
        }
      }
    }
    return values;
  }

 private:
  using Processes = std::vector<std::vector<double>>;

  bool SeveralProcesses() const {
    return std::any_of(columns_.begin(), columns_.end(),
                       [](const auto& column) { return column.second.size() > 1; });
  }

  std::map<std::size_t, Processes> columns_;  // by metric
  std::map<std::size_t, int> exit_codes_;     // by process
};

class HarnessTableMaker {
 public:
  explicit HarnessTableMaker(std::string_view format) { table_.format = format; }

  Result<void> Add(const std::string& arm, const std::string& benchmark, HarnessSeries series) {
    TRY(auto metric, MetricOf(series));
    const std::size_t arm_number = NumberIn(arms_, arm);
    const std::size_t benchmark_number =
        NumberIn(benchmarks_, benchmark.empty() ? kOnlyBenchmark : std::string_view(benchmark));
    for (const std::vector<double>& process : series.processes) values_ += process.size();
    rows_[{arm_number, benchmark_number}].Add(metric, std::move(series));
    return CheckRoom();
  }

  void SayMeansAlone() { table_.means_alone = true; }

  Result<MeasurementTable> Finish() && {
    if (arms_.all().size() == 1) {
      return InvalidArgument("all files belong to arm " + Quoted(arms_.all().front()),
                             "nothing to compare it with", "name the arm of each file: -n NAME");
    }
    table_.arms = arms_.all();
    table_.benchmarks = benchmarks_.all();
    table_.roles.resize(table_.benchmarks.size());
    table_.values.resize(table_.metrics.size());
    table_.from_harness = true;
    for (const auto& [place, rows] : rows_) {
      table_.one_process = table_.one_process || rows.OneProcess();
      AddRows(place.first, place.second, rows);
    }
    return std::move(table_);
  }

 private:
  static std::size_t NumberIn(TableNames& names, std::string_view name) {
    const auto found = names.Find(name);
    return found ? *found : names.Add(name);
  }

  static std::string UnitInWords(const std::string& unit) {
    return unit.empty() ? "without a unit" : "in " + Quoted(unit);
  }

  /// Adds the metric, or converts the series to the metric's first unit if both are units of time.
  Result<std::size_t> MetricOf(HarnessSeries& series) {
    MetricInfo& metric = series.metric;
    const std::size_t number = NumberIn(metrics_, metric.name);
    if (number == table_.metrics.size()) {
      table_.metrics.push_back(metric);
      return number;
    }
    MetricInfo& known = table_.metrics[number];
    if (const auto scale = TimeScale(metric.unit, known.unit); scale && metric.unit != known.unit) {
      const auto in_unit = [&scale](double value) { return Scaled({value, 0}, *scale).value; };
      for (std::vector<double>& process : series.processes) {
        for (double& value : process) value = in_unit(value);
      }
      metric.resolution = in_unit(metric.resolution);
      metric.unit = known.unit;
    }
    known.by_name_only = known.by_name_only && metric.by_name_only;
    if (known.unit != metric.unit) {
      return InvalidArgument(Quoted(metric.name),
                             UnitInWords(known.unit) + " and " + UnitInWords(metric.unit),
                             "analyze files that print it in one unit");
    }
    // As in a session, one file may state a direction that another omits.
    if (!known.better) known.better = metric.better;
    if (metric.better && known.better != metric.better) {
      return InvalidArgument(Quoted(metric.name),
                             "printed with conflicting directions, " +
                                 Quoted(NameOf(*known.better)) + " and " +
                                 Quoted(NameOf(*metric.better)),
                             "analyze files that print one direction, or none");
    }
    if (metric.resolution > 0 && (known.resolution <= 0 || metric.resolution < known.resolution)) {
      known.resolution = metric.resolution;
    }
    return number;
  }

  // Checks the limits. Each row takes a field for every metric, whether present or not.
  Result<void> CheckRoom() const {
    const std::size_t metrics = table_.metrics.size();
    const std::size_t cells = benchmarks_.all().size() * (arms_.all().size() + metrics);
    if (arms_.all().size() <= kMaxTableArms && benchmarks_.all().size() <= kMaxTableBenchmarks &&
        cells <= kMaxTableCells && values_ * metrics * sizeof(double) <= kMostHarnessBytes) {
      return {};
    }
    return Error{ErrorCode::kResourceExhausted,
                 "too many benchmarks, metrics or values for one table",
                 "analyze fewer benchmarks at a time"};
  }

  void AddRows(std::size_t arm, std::size_t benchmark, const ArmRows& of) {
    const std::map<std::size_t, std::vector<double>> values = of.Values(table_.metrics);
    std::size_t count = 0;
    for (const auto& [metric, rows] : values) count = std::max(count, rows.size());
    for (std::size_t row = 0; row < count; ++row) {
      table_.line.push_back(1);
      table_.arm.push_back(static_cast<std::uint16_t>(arm));
      table_.benchmark.push_back(static_cast<std::uint16_t>(benchmark));
      table_.exit_code.Add(of.ExitCode(row));
      for (auto& column : table_.values) {
        column.push_back(std::numeric_limits<double>::quiet_NaN());
      }
      for (const auto& [metric, rows] : values) {
        if (row < rows.size()) table_.values[metric].back() = rows[row];
      }
    }
  }

  static constexpr std::size_t kMostHarnessBytes = std::size_t{1} << 30;

  MeasurementTable table_;
  TableNames arms_;
  TableNames benchmarks_;
  TableNames metrics_;
  std::size_t values_ = 0;
  std::map<std::pair<std::size_t, std::size_t>, ArmRows> rows_;  // by arm and benchmark
};

// Checks that a single file has several commands, which hyperfine measured for comparison.
Result<void> CheckCommands(std::string_view format, const SeriesList& list) {
  const bool several = std::any_of(list.begin(), list.end(), [&list](const HarnessSeries& series) {
    return series.benchmark != list.front().benchmark;
  });
  if (format == kHyperfine && several) return {};
  return InvalidArgument(
      "a single file", "nothing to compare it with",
      "name the base's file first: benchctl analyze OLD NEW --parse " + std::string(format));
}

}  // namespace

Result<MeasurementTable> ReadHarnessTable(std::string_view format,
                                          std::span<const HarnessFile> files,
                                          std::string_view adapter) {
  HarnessTableMaker maker(format);
  for (const HarnessFile& file : files) {
    auto list = SeriesOf(format, WithoutByteOrderMark(file.text), adapter);
    if (!list) return std::move(list).error().Within(file.name);
    if (list->means_alone) maker.SayMeansAlone();
    const bool commands = files.size() == 1;
    if (commands) {
      if (auto checked = CheckCommands(format, *list); !checked) {
        return std::move(checked).error().Within(file.name);
      }
    }
    for (HarnessSeries& series : *list) {
      const std::string benchmark = commands ? "" : series.benchmark;
      const std::string arm = commands ? series.benchmark : file.arm;
      auto added = maker.Add(arm, benchmark, std::move(series));
      if (!added) return std::move(added).error().Within(file.name);
    }
  }
  return std::move(maker).Finish();
}

}  // namespace benchd
