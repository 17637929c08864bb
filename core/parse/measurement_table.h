#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"
#include "core/model/metric.h"
#include "core/model/session_spec.h"
#include "core/parse/csv.h"
#include "core/parse/number.h"

namespace benchd {

/// Most different arms and benchmarks of a table: a number in the place of a name has more.
inline constexpr std::size_t kMaxTableArms = 1000;
inline constexpr std::size_t kMaxTableBenchmarks = 10'000;

/// One row of a table: what one run of one arm gave.
struct MeasurementRow {
  std::size_t line = 0;                 ///< where it begins, from 1
  std::size_t arm = 0;                  ///< index into MeasurementTableReader::arms()
  std::size_t benchmark = 0;            ///< index into MeasurementTableReader::benchmarks()
  std::optional<ArmRole> role;          ///< of the arm in this benchmark
  std::optional<std::uint64_t> pair;    ///< absent in a warm-up row of an export
  std::optional<std::uint64_t> order;   ///< of execution
  std::optional<Timestamp> started_at;  ///< UTC
  /// By metric, absent where the field is empty: that run lacks the metric. `resolution` is the
  /// worth of this field's last printed digit, or the metric's own (see the reader).
  std::vector<std::optional<PrintedNumber>> values;
  bool operator==(const MeasurementRow&) const = default;
};

/// What stands before the name of a metric that would not be taken for one.
inline constexpr std::string_view kMetricPrefix = "metric:";

/// The names that a table has; each list is in order of appearance.
class TableNames {
 public:
  const std::vector<std::string>& all() const { return names_; }
  std::optional<std::size_t> Find(std::string_view name) const;
  std::size_t Add(std::string_view name);

 private:
  std::vector<std::string> names_;
  std::map<std::string, std::size_t, std::less<>> numbers_;
};

/// A table of measurements in CSV: benchd's own export
/// `arm,role,benchmark,pair,order,started_at,METRIC...`, cbdr's `ARM,METRIC...`, and what is like
/// them.
///
/// The first line names the columns. The first column is the arm, whatever it is called;
/// `role` (reference, candidate or placebo), `benchmark`, `pair`, `order` and `started_at` are what
/// they say, in any order, each may be missing; every further column is a metric and has numbers
/// only. An empty field is a missing value for a metric, "not known" for role, pair, order and
/// started_at, and `main` for the benchmark; an empty arm is an error.
///
/// A column `metric:NAME` is the metric NAME, whatever that is called: an export writes one that
/// has a reserved name, or is a number, in this way.
///
/// Metrics: the name of a built-in metric has its unit and direction; any other has none. The
/// resolution is the last printed decimal, the finest so far. An export prints each value in the
/// shortest form that reads back as the same double, which says little about the clock: there the
/// built-in metrics have their own resolution, and any other one has 1 at most (1e+06 is a million,
/// not "to a million").
///
/// Used like CsvParser: Feed(), Next() until nullptr, at the end Finish() and Next() until nullptr.
/// Memory is that of one record and the names. One owner, one thread.
class MeasurementTableReader {
 public:
  /// @param references  arms that have to appear in the table (`--base`, `--references`).
  explicit MeasurementTableReader(std::vector<std::string> references = {}, CsvLimits limits = {});

  void Feed(std::string_view chunk) { csv_.Feed(chunk); }
  void Finish();

  /// The next row, valid until the next call; nullptr when more bytes are needed, or after Finish()
  /// when the table has ended and is sound as a whole.
  ///
  /// @errors kInvalidArgument "line 3, column 5: ...", the first one only and then always that: a
  ///         row with another number of fields than the header, text, NaN or infinity where a
  ///         number is due, no number for a column, no such role, no name or no valid one, two
  ///         columns of one name, no metric; those of CsvParser. At the end, with its line: no
  ///         rows, a reference that no row has, a single arm.
  Result<const MeasurementRow*> Next();

  /// Empty until the header has been read; resolutions are the finest so far, 0 before a value.
  const std::vector<MetricInfo>& metrics() const { return metrics_; }
  const std::vector<std::string>& arms() const { return arms_.all(); }
  const std::vector<std::string>& benchmarks() const { return benchmarks_.all(); }
  bool has_pairs() const { return has_pairs_; }
  /// The header begins as benchd's own export does.
  bool is_export() const { return is_export_; }

 private:
  enum class Kind : std::uint8_t { kArm, kRole, kBenchmark, kPair, kOrder, kStartedAt, kMetric };
  struct Column {
    Kind kind = Kind::kMetric;
    std::size_t metric = 0;
  };

  Result<const MeasurementRow*> TakeNext();
  Result<void> TakeHeader(const CsvRecord& record);
  Result<Column> TakeColumn(const CsvRecord& record, std::size_t field);
  void AddMetric(std::string_view name);
  Result<void> TakeRow(const CsvRecord& record);
  Result<void> TakeField(const CsvRecord& record, std::size_t field, Kind kind);
  Result<void> TakeValue(const CsvRecord& record, std::size_t field, std::size_t metric);
  Result<void> CheckEnd() const;

  CsvParser csv_;
  std::vector<std::string> references_;
  bool finished_ = false;
  bool has_pairs_ = false;
  bool is_export_ = false;
  std::vector<Column> columns_;
  TableNames column_names_;
  std::vector<MetricInfo> metrics_;
  std::vector<double> own_resolutions_;  // by metric; 0 = by what is printed
  TableNames arms_;
  TableNames benchmarks_;
  std::size_t rows_ = 0;
  MeasurementRow row_;
  std::optional<Error> error_;
};

}  // namespace benchd
