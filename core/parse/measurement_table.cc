#include "core/parse/measurement_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <span>
#include <system_error>
#include <utility>

#include "core/base/fields.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/model/run.h"
#include "core/parse/number.h"

namespace benchd {
namespace {

constexpr std::string_view kHeaderHint =
    "the first line names the columns, separated by commas: ARM,METRIC...";
constexpr std::string_view kRowHint = "every row has one field for each column of the first line";
constexpr std::string_view kValueHint = "leave the field empty if there is no value";
constexpr std::string_view kTimeHint = "write it as 2026-03-01T12:00:00Z, or leave the field empty";
constexpr std::string_view kRoleHint = "a role is reference, candidate or placebo, or empty";
constexpr std::string_view kArmHint = "name the arm of each row in the first column";
constexpr std::string_view kNamelessBenchmark = "main";
constexpr std::size_t kNamesInAList = 20;
// The coarsest resolution of a metric in an export. It applies to metrics that a program printed,
// because exports do not include their resolution.
constexpr double kWorstExportResolution = 1;

// The reserved column names, in the order of benchd's own export. The export has `exit_code` only
// if needed.
constexpr std::array<std::string_view, 7> kReservedNames{"arm",   "role",       "benchmark", "pair",
                                                         "order", "started_at", "exit_code"};
constexpr std::size_t kNamesOfEveryExport = 6;
// The column after these, in an export of a session with --confirm. In any other place, the name
// is that of a metric, as in exports of earlier releases.
constexpr std::string_view kPhaseName = "phase";

Error RefuseField(const CsvRecord& record, std::size_t field, std::string_view why,
                  std::string_view hint) {
  return ErrorAt(record.position(field), why, hint);
}

// Checks that a name is valid UTF-8 without control characters, because names are transferred as
// UTF-8 and printed on one line.
Result<void> CheckName(const CsvRecord& record, std::size_t field) {
  const std::string_view name = record.text(field);
  if (FirstInvalidUtf8(name)) {
    return RefuseField(record, field, Quoted(name) + " is not valid UTF-8",
                       "save the table as UTF-8");
  }
  if (HasControlCharacter(name)) {
    return RefuseField(record, field, "a control character in " + Quoted(name),
                       "a name must be on one line");
  }
  return {};
}

constexpr char kGuard = '\'';

// Returns whether a spreadsheet would treat the text after any leading apostrophes as a formula.
bool BeginsAFormula(std::string_view text) {
  static constexpr std::string_view kStarts[] = {"=",  "+",      "-",      "@",      "\t",
                                                 "\r", "\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"};
  text.remove_prefix(std::min(text.find_first_not_of(kGuard), text.size()));
  return std::ranges::any_of(kStarts,
                             [text](std::string_view start) { return text.starts_with(start); });
}

// Returns the index of the arm or benchmark in the field.
Result<std::size_t> NumberOf(TableNames& names, const CsvRecord& record, std::size_t field,
                             bool is_arm) {
  const std::string_view text = record.text(field);
  const std::string_view name = text.empty() ? kNamelessBenchmark : UnguardedName(text);
  if (const auto found = names.Find(name)) return *found;
  TRY_VOID(CheckName(record, field));
  const std::size_t most = is_arm ? kMaxTableArms : kMaxTableBenchmarks;
  if (names.all().size() == most) {
    return RefuseField(record, field,
                       fmt::format("more than {} {}", most, is_arm ? "arms" : "benchmarks"),
                       "a column of names contains numbers; check the order of the columns");
  }
  return names.Add(name);
}

Result<std::optional<std::uint64_t>> WholeNumber(const CsvRecord& record, std::size_t field,
                                                 std::string_view column) {
  const std::string_view text = record.text(field);
  if (text.empty()) return std::optional<std::uint64_t>();
  std::uint64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed == std::errc() && end == text.data() + text.size()) return std::optional(value);
  return RefuseField(
      record, field,
      "expected a whole number for '" + std::string(column) + "', found " + Quoted(text),
      "count from 0, or leave the field empty");
}

// An empty field is refused: other programs write one for a run that a signal ended, so it cannot
// count as success.
Result<int> ExitCodeIn(const CsvRecord& record, std::size_t field) {
  const std::string_view text = record.text(field);
  int value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed == std::errc() && end == text.data() + text.size()) return value;
  const std::string found = text.empty() ? "an empty field" : Quoted(text);
  return RefuseField(record, field, "expected a whole number for 'exit_code', found " + found,
                     "write 0 for success and -N for signal N, or remove the column");
}

Result<std::optional<ArmRole>> RoleOf(const CsvRecord& record, std::size_t field) {
  const std::string_view text = record.text(field);
  // A measurement does not have a reference.
  if (text.empty() || text == "measured") return std::optional<ArmRole>();
  if (text == "reference") return std::optional(ArmRole::kReference);
  if (text == "candidate") return std::optional(ArmRole::kCandidate);
  if (text == "placebo") return std::optional(ArmRole::kPlacebo);
  return RefuseField(record, field, "expected a role, found " + Quoted(text), kRoleHint);
}

// Returns whether the row is of the second phase.
Result<bool> IsConfirmingIn(const CsvRecord& record, std::size_t field) {
  const std::string_view text = record.text(field);
  if (text.empty() || text == NameOf(RunPhase::kMeasured)) return false;
  if (text == NameOf(RunPhase::kConfirming)) return true;
  return RefuseField(record, field, "expected a phase, found " + Quoted(text),
                     "a phase is measured or confirming, or empty");
}

bool IsExport(const CsvRecord& header) {
  for (std::size_t i = 0; i < kNamesOfEveryExport; ++i) {
    if (i >= header.size() || header.text(i) != kReservedNames[i]) return false;
  }
  return true;
}

std::string ListOf(const std::vector<std::string>& names) {
  const std::size_t shown = std::min(names.size(), kNamesInAList);
  return Join(std::span(names).first(shown), ", ", Quoted) + (names.size() > shown ? ", ..." : "");
}

}  // namespace

std::string GuardedName(std::string_view name) {
  return (BeginsAFormula(name) ? std::string(1, kGuard) : std::string()) + std::string(name);
}

std::string_view UnguardedName(std::string_view field) {
  const bool guarded = field.starts_with(kGuard) && BeginsAFormula(field);
  return guarded ? field.substr(1) : field;
}

std::optional<std::size_t> TableNames::Find(std::string_view name) const {
  const auto found = numbers_.find(name);
  if (found == numbers_.end()) return std::nullopt;
  return found->second;
}

std::size_t TableNames::Add(std::string_view name) {
  const std::size_t number = names_.size();
  names_.emplace_back(name);
  numbers_.emplace(name, number);
  return number;
}

namespace {

class TableReader {
 public:
  explicit TableReader(const RowLabels& labels) : labels_(labels) {}

  Result<void> Take(const CsvRecord& record) {
    return columns_.empty() ? TakeHeader(record) : TakeRow(record);
  }
  /// Returns the table.
  /// @param end  position of the end of the text.
  Result<MeasurementTable> Finish(TextPosition end, const std::vector<std::string>& references) &&;

 private:
  // The kinds of columns, in the order of kReservedNames.
  enum class Kind {
    kArm,
    kRole,
    kBenchmark,
    kPair,
    kOrder,
    kStartedAt,
    kExitCode,
    kMetric,
    kLabel,
    kPhase
  };
  struct Column {
    Kind kind = Kind::kMetric;
    std::size_t metric = 0;
  };

  Result<void> TakeHeader(const CsvRecord& record);
  Result<Column> TakeColumn(const CsvRecord& record, std::size_t field);
  void AddMetric(std::string_view name);
  Result<void> TakeRow(const CsvRecord& record);
  Result<void> TakeField(const CsvRecord& record, std::size_t field, Kind kind);
  Result<void> TakeValue(const CsvRecord& record, std::size_t field, std::size_t metric);
  bool IsWanted(const CsvRecord& record) const;
  Result<void> CheckLabels(const CsvRecord& header) const;
  Result<void> CheckRoom() const;
  Result<void> TakeRole();

  const RowLabels& labels_;
  bool any_row_ = false;  // including rows not selected
  MeasurementTable table_;
  std::vector<Column> columns_;
  TableNames column_names_;
  TableNames arms_;
  TableNames benchmarks_;
  std::vector<double> own_resolutions_;  // by metric; 0 = derived from the printed decimals
  std::optional<ArmRole> role_;          // of the current row
};

Result<void> TableReader::TakeHeader(const CsvRecord& record) {
  table_.is_export = IsExport(record);
  for (std::size_t field = 0; field < record.size(); ++field) {
    TRY(auto column, TakeColumn(record, field));
    columns_.push_back(column);
    table_.has_pairs = table_.has_pairs || column.kind == Kind::kPair;
  }
  if (table_.metrics.empty()) {
    return RefuseField(record, record.size() - 1, "no column with a metric", kHeaderHint);
  }
  if (std::ranges::find(columns_, Kind::kBenchmark, &Column::kind) == columns_.end()) {
    benchmarks_.Add(kNamelessBenchmark);
  }
  table_.values.resize(table_.metrics.size());
  return CheckLabels(record);
}

Result<void> TableReader::CheckLabels(const CsvRecord& header) const {
  for (const auto& [name, value] : labels_) {
    if (column_names_.Find(name)) continue;
    return RefuseField(header, header.size() - 1, "no column " + Quoted(name) + " for --label",
                       "the columns of the table: " + ListOf(column_names_.all()));
  }
  return {};
}

bool TableReader::IsWanted(const CsvRecord& record) const {
  for (std::size_t field = 0; !labels_.empty() && field < columns_.size(); ++field) {
    const auto label = labels_.find(column_names_.all()[field]);
    if (label != labels_.end() && record.text(field) != label->second) return false;
  }
  return true;
}

Result<TableReader::Column> TableReader::TakeColumn(const CsvRecord& record, std::size_t field) {
  const std::string_view name = UnguardedName(record.text(field));
  const bool is_first = field == 0;
  if (name.empty() && !is_first)
    return RefuseField(record, field, "a column without a name", kHeaderHint);
  TRY_VOID(CheckName(record, field));
  if (column_names_.Find(name)) {
    return RefuseField(record, field, "duplicate column " + Quoted(name),
                       "give every column a unique name");
  }
  column_names_.Add(name);
  if (LooksLikeNumber(name)) {
    return RefuseField(record, field,
                       "expected the name of a column, found the number " + Quoted(name),
                       kHeaderHint);
  }
  if (table_.is_export && field == kNamesOfEveryExport && name == kPhaseName) {
    return Column{Kind::kPhase, 0};
  }
  const auto reserved = std::find(kReservedNames.begin(), kReservedNames.end(), name);
  const auto kind = static_cast<Kind>(reserved - kReservedNames.begin());
  // cbdr's examples call the arm "benchmark"; the other reserved names cannot mean the arm.
  const bool may_be_arm = kind == Kind::kArm || kind == Kind::kBenchmark || kind == Kind::kMetric;
  if (is_first && may_be_arm) return Column{Kind::kArm};
  if (is_first || kind == Kind::kArm) {
    return RefuseField(record, field,
                       Quoted(name) + (is_first ? " is the first column, which must be the arm"
                                                : " is not the first column"),
                       "put the column with the names of the arms first");
  }
  if (kind != Kind::kMetric) return Column{kind, 0};
  if (labels_.contains(name)) return Column{Kind::kLabel, 0};
  const bool prefixed = name.starts_with(kMetricPrefix);
  const std::string_view metric = prefixed ? name.substr(kMetricPrefix.size()) : name;
  if (metric.empty()) return RefuseField(record, field, "a column without a name", kHeaderHint);
  if (std::ranges::find(table_.metrics, metric, &MetricInfo::name) != table_.metrics.end()) {
    return RefuseField(record, field, "duplicate metric " + Quoted(metric),
                       "give every column a unique name");
  }
  AddMetric(metric);
  return Column{kind, table_.metrics.size() - 1};
}

void TableReader::AddMetric(std::string_view name) {
  const MetricInfo* builtin = FindBuiltinMetric(name);
  MetricInfo metric = builtin != nullptr ? *builtin : MetricInfo{std::string(name), {}, {}, 0};
  if (!table_.is_export) metric.resolution = 0;
  own_resolutions_.push_back(metric.resolution);
  table_.metrics.push_back(std::move(metric));
}

Result<void> TableReader::TakeRow(const CsvRecord& record) {
  if (record.size() != columns_.size()) {
    const std::size_t field = std::min(columns_.size(), record.size() - 1);
    return RefuseField(record, field,
                       "a row of " + Counted(record.size(), "field") + ", but the first line has " +
                           Counted(columns_.size(), "field"),
                       kRowHint);
  }
  any_row_ = true;
  if (!IsWanted(record)) return {};
  table_.line.push_back(static_cast<std::uint32_t>(record.position(0).line));
  table_.benchmark.push_back(0);
  role_.reset();
  for (std::size_t field = 0; field < columns_.size(); ++field) {
    const auto [kind, metric] = columns_[field];
    if (kind == Kind::kLabel) continue;
    auto taken =
        kind == Kind::kMetric ? TakeValue(record, field, metric) : TakeField(record, field, kind);
    if (!taken) return taken;
  }
  TRY_VOID(CheckRoom());
  return table_.IsWarmup(table_.rows() - 1) ? Result<void>{} : TakeRole();
}

Result<void> TableReader::CheckRoom() const {
  const std::string line = fmt::format("line {}", table_.line.back());
  if (benchmarks_.all().size() * (arms_.all().size() + table_.metrics.size()) > kMaxTableCells) {
    return InvalidArgument(
        line,
        fmt::format("more than {} combinations of a benchmark with an arm or a metric",
                    kMaxTableCells),
        "analyze fewer benchmarks at a time, or leave out columns that you do not need");
  }
  constexpr std::size_t kFieldBytes = 8;  // names take less
  if (table_.rows() * columns_.size() * kFieldBytes > kMaxTableBytes) {
    return Error{ErrorCode::kResourceExhausted,
                 fmt::format("{}: the table takes more than {} MiB", line, kMaxTableBytes >> 20U),
                 "leave out columns that you do not need, or analyze the table in parts"};
  }
  return {};
}

Result<void> TableReader::TakeRole() {
  if (!role_) return {};
  const std::size_t benchmark = table_.benchmark.back();
  const std::size_t arm = table_.arm.back();
  if (benchmark >= table_.roles.size()) table_.roles.resize(benchmark + 1);
  std::vector<std::optional<ArmRole>>& roles = table_.roles[benchmark];
  if (arm >= roles.size()) roles.resize(arm + 1);
  if (roles[arm] && roles[arm] != role_) {
    return InvalidArgument(fmt::format("line {}", table_.line.back()),
                           fmt::format("conflicting roles of '{}'", arms_.all()[arm]),
                           "give an arm the same role in all rows of a benchmark");
  }
  roles[arm] = role_;
  return {};
}

Result<void> TableReader::TakeField(const CsvRecord& record, std::size_t field, Kind kind) {
  const std::string_view text = record.text(field);
  if (kind == Kind::kArm || kind == Kind::kBenchmark) {
    const bool is_arm = kind == Kind::kArm;
    if (is_arm && text.empty()) return RefuseField(record, field, "a row without an arm", kArmHint);
    TRY(auto number, NumberOf(is_arm ? arms_ : benchmarks_, record, field, is_arm));
    // The number is below kMaxTableBenchmarks, so it fits.
    const auto index = static_cast<std::uint16_t>(number);
    if (is_arm) {
      table_.arm.push_back(index);
    } else {
      table_.benchmark.back() = index;
    }
  } else if (kind == Kind::kRole) {
    TRY(auto role, RoleOf(record, field));
    role_ = role;
  } else if (kind == Kind::kStartedAt) {
    if (text.empty()) {
      table_.started_at.Add({});
      return {};
    }
    auto time = ParseRfc3339(text);
    if (!time) return RefuseField(record, field, std::move(time).error().message, kTimeHint);
    table_.started_at.Add(*time);
  } else if (kind == Kind::kPhase) {
    TRY(const bool confirming, IsConfirmingIn(record, field));
    table_.confirming.push_back(confirming);
  } else if (kind == Kind::kExitCode) {
    TRY(auto code, ExitCodeIn(record, field));
    table_.exit_code.Add(code);
  } else {
    TRY(auto number, WholeNumber(record, field, kReservedNames[static_cast<std::size_t>(kind)]));
    (kind == Kind::kPair ? table_.pair : table_.order).Add(number);
  }
  return {};
}

Result<void> TableReader::TakeValue(const CsvRecord& record, std::size_t field,
                                    std::size_t metric) {
  const std::string_view text = record.text(field);
  if (text.empty()) {
    table_.values[metric].push_back(std::numeric_limits<double>::quiet_NaN());
    return {};
  }
  auto number = ParseNumber(text);
  MetricInfo& info = table_.metrics[metric];
  if (!number) {
    return RefuseField(
        record, field,
        "expected a number for " + Quoted(info.name) + ": " + std::move(number).error().message,
        kValueHint);
  }
  table_.values[metric].push_back(number->value);
  double resolution = number->resolution;
  if (table_.is_export) resolution = std::min(resolution, kWorstExportResolution);
  if (own_resolutions_[metric] > 0) resolution = own_resolutions_[metric];
  if (resolution > 0 && (info.resolution <= 0 || resolution < info.resolution)) {
    info.resolution = resolution;
  }
  return {};
}

Result<MeasurementTable> TableReader::Finish(TextPosition end,
                                             const std::vector<std::string>& references) && {
  const auto refuse = [end](const std::string& why, std::string_view hint) {
    return ErrorAt(end, why, hint);
  };
  if (columns_.empty()) return refuse("the table is empty", kHeaderHint);
  if (!any_row_) return refuse("the table has no rows", kHeaderHint);
  if (table_.rows() == 0) {
    return refuse("no row matches --label", "check the values in the columns of --label");
  }
  const std::vector<std::string>& arms = arms_.all();
  for (const std::string& reference : references) {
    if (arms_.Find(reference)) continue;
    return refuse("the table has no rows of the base " + Quoted(reference),
                  "the arms of the table: " + ListOf(arms));
  }
  if (arms.size() == 1) {
    return refuse("the table has only one arm, " + Quoted(arms.front()),
                  "a comparison needs at least two arms");
  }
  table_.arms = arms;
  table_.benchmarks = benchmarks_.all();
  table_.roles.resize(table_.benchmarks.size());
  return std::move(table_);
}

}  // namespace

Result<MeasurementTable> ReadMeasurementTable(const ReadPiece& read,
                                              const std::vector<std::string>& references,
                                              const RowLabels& labels, const CsvLimits& limits) {
  TableReader reader(labels);
  const auto take = [&reader](const CsvRecord& record) { return reader.Take(record); };
  TRY(const TextPosition end, ReadCsv(read, take, limits));
  return std::move(reader).Finish(end, references);
}

}  // namespace benchd
