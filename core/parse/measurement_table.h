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

/// The maximum number of different arms and of different benchmarks in a table. If there are more,
/// the column probably contains numbers instead of names.
inline constexpr std::size_t kMaxTableArms = 1000;
inline constexpr std::size_t kMaxTableBenchmarks = 10'000;

/// The maximum size of the columns of a table. It prevents an endless pipe from exhausting the
/// memory of the machine.
inline constexpr std::size_t kMaxTableBytes = std::size_t{4} << 30;
/// The maximum number of combinations (benchmark, arm) and (benchmark, metric), each of which takes
/// memory.
inline constexpr std::size_t kMaxTableCells = 1'000'000;

/// A column whose fields may be empty. A column that is missing in the table takes no memory, and
/// all of its fields are empty.
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

/// The exit code of a run that an unknown signal ended. A known signal N is stored as -N.
inline constexpr int kExitWithoutCode = -1;

/// A table of measurements, stored by column. A row is the result of one run of one arm; its number
/// is an index into each column. Rows are in the order of the text.
struct MeasurementTable {
  std::vector<std::string> arms;        ///< in order of appearance, like benchmarks
  std::vector<std::string> benchmarks;  ///< at least one
  std::vector<MetricInfo> metrics;      ///< in column order, with their finest resolution
  bool has_pairs = false;               ///< there is a `pair` column
  bool is_export = false;               ///< the header begins like that of a benchd export
  bool from_harness = false;            ///< from harness files, by ReadHarnessTable()
  std::string format;                   ///< the format of the harness files
  bool one_process = false;  ///< rows of an arm are iterations of one process, not replicates
  bool means_alone = false;  ///< a row is the mean of iterations that were not kept
  /// By benchmark and arm; std::nullopt if no measured row states the role.
  std::vector<std::vector<std::optional<ArmRole>>> roles;

  std::vector<std::uint32_t> line;       ///< line in which the row begins, from 1
  std::vector<std::uint16_t> arm;        ///< index into `arms`
  std::vector<std::uint16_t> benchmark;  ///< index into `benchmarks`
  OptionalColumn<std::uint64_t> pair;
  OptionalColumn<std::uint64_t> order;   ///< of execution
  OptionalColumn<Timestamp> started_at;  ///< UTC
  /// kExitWithoutCode if the run ended without an exit code.
  OptionalColumn<int> exit_code;
  /// By row: whether it is of the second phase of its session (SessionSpec::confirm). Empty if the
  /// table does not have the column `phase`.
  std::vector<bool> confirming;
  /// By metric, then row; NaN if the field is empty because the run lacks the metric.
  std::vector<std::vector<double>> values;

  std::size_t rows() const { return arm.size(); }
  /// Returns whether the row is a warm-up. In an export, only warm-ups lack a pair.
  bool IsWarmup(std::size_t row) const { return is_export && !pair[row]; }
  bool IsConfirming(std::size_t row) const { return row < confirming.size() && confirming[row]; }
  /// Returns whether the rows are of a session that confirms regressions in a second phase, which
  /// may have no row.
  bool HasPhases() const { return !confirming.empty(); }
  bool HasSecondPhase() const {
    return std::find(confirming.begin(), confirming.end(), true) != confirming.end();
  }
};

/// The values that select rows, by column name.
using RowLabels = std::map<std::string, std::string, std::less<>>;

/// The prefix that marks a column as a metric whatever its name, such as a reserved name.
inline constexpr std::string_view kMetricPrefix = "metric:";

/// Returns `name` as it is written to a table. An apostrophe is added in front if a spreadsheet
/// would take the name for a formula (it begins with =, +, -, @, a tab or CR, or the full-width
/// forms of these), or if the name itself has an apostrophe before such a beginning, which a
/// spreadsheet would remove.
///
/// Source: OWASP, CSV Injection.
std::string GuardedName(std::string_view name);
/// Reverses GuardedName(), for any field, including those written by a spreadsheet.
std::string_view UnguardedName(std::string_view field);

/// The names in a table, in order of appearance.
class TableNames {
 public:
  const std::vector<std::string>& all() const { return names_; }
  std::optional<std::size_t> Find(std::string_view name) const;
  std::size_t Add(std::string_view name);

 private:
  std::vector<std::string> names_;
  std::map<std::string, std::size_t, std::less<>> numbers_;
};

/// Reads a table of measurements in CSV: benchd's own export
/// `arm,role,benchmark,pair,order,started_at,METRIC...`, cbdr's `ARM,METRIC...`, and similar ones.
///
/// The first line names the columns. The first column is the arm, whatever its name. The columns
/// `role` (reference, candidate or placebo), `benchmark`, `pair`, `order`, `started_at` and
/// `exit_code` (-9: ended by signal 9) have fixed meanings, are optional, and may be in any order.
/// Every other column is a metric and contains only numbers. An empty field means a missing value
/// for a metric, "unknown" for role, pair, order, started_at and exit_code, and `main` for the
/// benchmark. An empty arm is an error.
///
/// A column `metric:NAME` is the metric NAME, whatever that name is. An export uses this form for a
/// metric whose name is reserved or a number.
///
/// In an export of a session with --confirm, a column `phase` after `started_at` states the phase
/// of each row: `confirming` is the second one, and any other row has `measured`, or an empty
/// field.
///
/// A built-in metric has its usual unit and direction; any other metric has neither. The resolution
/// is the value of the last printed decimal, the finest of the column. An export prints each value
/// in the shortest form that reads back as the same double, so its decimals do not show the
/// resolution. In an export, built-in metrics therefore keep their own resolution, and that of any
/// other metric is at most 1 (1e+06 means exactly a million, not a multiple of a million).
///
/// @param references  arms that must appear in the table (`--base`, `--references`).
/// @param labels      columns that select rows: a row with any other value in one of them is
///                    skipped. Such a column is not a metric.
/// @errors kInvalidArgument, for the first error in the text. "line 3, column 5: ..." for a row
///         with another number of fields than the header, text, NaN or infinity instead of a
///         number, a column without numbers, an unknown role, a missing or invalid name, two
///         columns with the same name, a header without a metric, and the errors of ReadCsv().
///         "line 3: ..." for an arm with two roles in one benchmark, and above kMaxTableCells. With
///         the line of the end of the text: no rows, a reference without rows, a single arm.
///         kResourceExhausted above kMaxTableBytes. Errors of `read` are passed on.
Result<MeasurementTable> ReadMeasurementTable(const ReadPiece& read,
                                              const std::vector<std::string>& references = {},
                                              const RowLabels& labels = {},
                                              const CsvLimits& limits = {});

}  // namespace benchd
