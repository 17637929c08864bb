#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
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

namespace benchd {

/// Most different arms and benchmarks of a table: a number in the place of a name has more.
inline constexpr std::size_t kMaxTableArms = 1000;
inline constexpr std::size_t kMaxTableBenchmarks = 10'000;

/// Most that the columns of a table may take: a pipe that never ends shall not take all memory.
inline constexpr std::size_t kMaxTableBytes = std::size_t{4} << 30;
/// Most combinations (benchmark, arm) and (benchmark, metric): something is known about each.
inline constexpr std::size_t kMaxTableCells = 1'000'000;

/// A column whose fields may be empty: eight bytes and a bit a row. One that the table does not
/// have takes none, and all of its fields are empty.
template <typename T>
class OptionalColumn {
 public:
  void Add(const std::optional<T>& field) {
    fields_.push_back(field.value_or(T{}));
    is_there_.push_back(field.has_value());
  }
  bool HasAny() const {
    return std::find(is_there_.begin(), is_there_.end(), true) != is_there_.end();
  }
  std::optional<T> operator[](std::size_t row) const {
    return row < fields_.size() && is_there_[row] ? std::optional<T>(fields_[row]) : std::nullopt;
  }

 private:
  std::vector<T> fields_;
  std::vector<bool> is_there_;
};

/// Of a run that a signal ended, where nothing says which; with its number it is -9.
inline constexpr int kExitWithoutCode = -1;

/// What was measured, column by column: a row is what one run of one arm gave, an index into each
/// column. Rows are in the order of the text. A value; it takes about the memory of its numbers.
struct MeasurementTable {
  std::vector<std::string> arms;        ///< in order of appearance, as benchmarks
  std::vector<std::string> benchmarks;  ///< at least one
  std::vector<MetricInfo> metrics;      ///< in order of columns, with their finest resolution
  bool has_pairs = false;               ///< there is a column `pair`
  bool is_export = false;               ///< the header begins as benchd's own export does
  bool from_harness = false;            ///< files of a harness: ReadHarnessTable()
  bool one_process = false;  ///< rows of an arm are iterations of one process, no replicates
  bool means_alone = false;  ///< a row is the mean of iterations that nobody kept
  /// By benchmark and arm, as far as a measured row says it.
  std::vector<std::vector<std::optional<ArmRole>>> roles;

  std::vector<std::uint32_t> line;       ///< where the row begins, from 1
  std::vector<std::uint16_t> arm;        ///< index into `arms`
  std::vector<std::uint16_t> benchmark;  ///< index into `benchmarks`
  OptionalColumn<std::uint64_t> pair;
  OptionalColumn<std::uint64_t> order;   ///< of execution
  OptionalColumn<Timestamp> started_at;  ///< UTC
  /// How the run ended; kExitWithoutCode where it did so without an exit code.
  OptionalColumn<int> exit_code;
  /// By metric, then row; NaN where the field is empty: that run lacks the metric.
  std::vector<std::vector<double>> values;

  std::size_t rows() const { return arm.size(); }
  /// In an export only warm-ups have no pair.
  bool IsWarmup(std::size_t row) const { return is_export && !pair[row]; }
};

/// By the name of a column: what a row has to have there.
using RowLabels = std::map<std::string, std::string, std::less<>>;

/// What stands before the name of a metric that would not be taken for one.
inline constexpr std::string_view kMetricPrefix = "metric:";

/// `name` as a table has it: behind an apostrophe where a spreadsheet would take it for a formula
/// (it begins with =, +, -, @, a tab or CR, or the wide forms of these), or would take off its own
/// apostrophe before one of these.
///
/// Source: OWASP, CSV Injection.
std::string GuardedName(std::string_view name);
/// The inverse: of any field, also of one that a spreadsheet has written.
std::string_view UnguardedName(std::string_view field);

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
/// `role` (reference, candidate or placebo), `benchmark`, `pair`, `order`, `started_at` and
/// `exit_code` (-9: ended by signal 9) are what they say, in any order, each may be missing; every
/// further column is a metric and has numbers only. An empty field is a missing value for a metric,
/// "not known" for role, pair, order, started_at and exit_code, and `main` for the benchmark; an
/// empty arm is an error.
///
/// A column `metric:NAME` is the metric NAME, whatever that is called: an export writes one that
/// has a reserved name, or is a number, in this way.
///
/// Metrics: the name of a built-in metric has its unit and direction; any other has none. The
/// resolution is the worth of the last printed decimal, the finest of the column. An export prints
/// each value in the shortest form that reads back as the same double, which says little about the
/// clock: there the built-in metrics have their own resolution, and any other one has 1 at most
/// (1e+06 is a million, not "to a million").
///
/// @param references  arms that have to appear in the table (`--base`, `--references`).
/// @param labels      columns that say which rows are wanted: of a row with anything else in one of
///                    them nothing is read. Such a column is no metric.
/// @errors kInvalidArgument "line 3, column 5: ...", the first one in the text: a row with another
///         number of fields than the header, text, NaN or infinity where a number is due, no number
///         for a column, no such role, no name or no valid one, two columns of one name, no metric;
///         those of ReadCsv(). "line 3: ..." for an arm with two roles in one benchmark, and above
///         kMaxTableCells. At the end, with its line: no rows, a reference that no row has, a
///         single arm. kResourceExhausted above kMaxTableBytes. Those of `read`.
Result<MeasurementTable> ReadMeasurementTable(const ReadPiece& read,
                                              const std::vector<std::string>& references = {},
                                              const RowLabels& labels = {},
                                              const CsvLimits& limits = {});

}  // namespace benchd
