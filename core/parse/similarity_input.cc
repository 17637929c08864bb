#include "core/parse/similarity_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <optional>
#include <utility>

#include "core/base/little_endian.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/parse/csv.h"
#include "core/parse/harness_output.h"
#include "core/parse/json_records.h"
#include "core/parse/measurement_table.h"
#include "core/parse/number.h"

namespace benchd {
namespace {

constexpr const char* kForms = "write one column per run, or rows of run,value";

Result<double> NumberAt(const CsvRecord& record, std::size_t field) {
  const Result<PrintedNumber> number = ParseNumber(record.text(field));
  if (number) return number->value;
  return ErrorAt(record.position(field), number.error().message, kForms);
}

bool AllNumbers(const CsvRecord& record) {
  for (std::size_t i = 0; i < record.size(); ++i) {
    if (!LooksLikeNumber(record.text(i))) return false;
  }
  return true;
}

bool IsRun(std::string_view name) {
  return std::ranges::equal(name, std::string_view("run"), [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == b;
  });
}

class RunSetReader {
 public:
  explicit RunSetReader(const RunSetLimits& limits) : limits_(limits) {}

  Result<void> Take(const CsvRecord& record) {
    if (form_ == Form::kUnknown) return TakeFirst(record);
    if (record.size() != fields_) {
      return ErrorAt(
          record.position(std::min(fields_, record.size() - 1)),
          fmt::format("the row has {} fields, but the first line has {}", record.size(), fields_),
          kForms);
    }
    return form_ == Form::kRows ? TakeValueOfRun(record) : TakeRow(record);
  }

  Result<RunSet> End(TextPosition end) {
    if (values_ == 0) return ErrorAt(end, "no values", kForms);
    return std::move(set_);
  }

 private:
  enum class Form : std::uint8_t { kUnknown, kColumns, kRows };

  Result<void> TakeFirst(const CsvRecord& record) {
    fields_ = record.size();
    form_ = fields_ == 2 && IsRun(record.text(0)) && !LooksLikeNumber(record.text(1))
                ? Form::kRows
                : Form::kColumns;
    if (form_ == Form::kRows) return {};
    const bool has_names = !AllNumbers(record);
    for (std::size_t i = 0; i < fields_; ++i) {
      const std::string name = has_names ? std::string(record.text(i)) : std::to_string(i + 1);
      TRY_VOID(AddRun(name, record.position(i)));
    }
    if (has_names) return {};
    return TakeRow(record);
  }

  Result<void> AddRun(std::string_view name, TextPosition at) {
    if (name.empty()) return ErrorAt(at, "a run without a name", kForms);
    if (FirstInvalidUtf8(name) || HasControlCharacter(name)) {
      return ErrorAt(at, Quoted(name) + " is not a valid run name", "use printable UTF-8");
    }
    if (names_.Find(name)) {
      return ErrorAt(at, "duplicate run " + Quoted(name), "give each run its own name");
    }
    if (set_.runs.size() == limits_.runs) {
      return ErrorAt(at, fmt::format("more than {} runs", limits_.runs), kForms);
    }
    names_.Add(name);
    set_.run_names.emplace_back(name);
    set_.runs.emplace_back();
    return {};
  }

  Result<void> AddValue(std::size_t run, const CsvRecord& record, std::size_t field) {
    TRY(const double value, NumberAt(record, field));
    if (++values_ > limits_.values) {
      return ErrorAt(record.position(field), fmt::format("more than {} values", limits_.values),
                     "assess fewer runs, or only the first values of each");
    }
    set_.runs[run].push_back(value);
    return {};
  }

  Result<void> TakeRow(const CsvRecord& record) {
    ++rows_;
    for (std::size_t i = 0; i < record.size(); ++i) {
      if (record.text(i).empty()) continue;
      if (set_.runs[i].size() + 1 < rows_) {
        return ErrorAt(record.position(i),
                       "run " + Quoted(set_.run_names[i]) + " has an empty field above this value",
                       "only the end of a column may be empty");
      }
      TRY_VOID(AddValue(i, record, i));
    }
    return {};
  }

  Result<void> TakeValueOfRun(const CsvRecord& record) {
    std::optional<std::size_t> run = names_.Find(record.text(0));
    if (!run) {
      run = set_.runs.size();
      const Result<void> added = AddRun(record.text(0), record.position(0));
      if (!added) return added;
    }
    return AddValue(*run, record, 1);
  }

  RunSetLimits limits_;
  Form form_ = Form::kUnknown;
  std::size_t fields_ = 0;
  std::size_t rows_ = 0;
  std::size_t values_ = 0;
  TableNames names_;
  RunSet set_;
};

Result<RunSet> ParseRunsCsv(std::string_view text, const RunSetLimits& limits) {
  RunSetReader reader(limits);
  const Result<TextPosition> end =
      ReadCsv(WholeText(text), [&reader](const CsvRecord& record) { return reader.Take(record); });
  if (!end) return end.error();
  return reader.End(*end);
}

constexpr std::string_view kRunSetHint =
    "give an array with an array of numbers for each run, or the output of JMH with -rf json";
constexpr std::string_view kSmaller = "assess fewer runs, or only the first values of each";

// Counts the values, runs and benchmarks of all sets together.
class Counter {
 public:
  explicit Counter(const RunSetLimits& limits) : limits_(limits) {}

  Result<void> AddValue(std::size_t line) {
    if (++values_ <= limits_.values) return {};
    return JsonError(line, fmt::format("more than {} values", limits_.values), kSmaller);
  }
  Result<void> AddRun(const RunSet& set, std::size_t line) const {
    if (set.runs.size() < limits_.runs) return {};
    return JsonError(line, fmt::format("more than {} runs", limits_.runs), kSmaller);
  }
  Result<void> AddSet(std::size_t sets, std::size_t line) const {
    if (sets < limits_.sets) return {};
    return JsonError(line, fmt::format("more than {} benchmarks", limits_.sets), kSmaller);
  }

 private:
  RunSetLimits limits_;
  std::size_t values_ = 0;
};

Result<void> TakeRun(const JsonValue& record, Counter& counter, RunSet& set) {
  const std::string number = std::to_string(set.runs.size() + 1);
  if (record.kind != JsonValue::Kind::kArray) {
    return JsonError(record.line, "expected an array of numbers for run " + number);
  }
  TRY_VOID(counter.AddRun(set, record.line));
  set.run_names.push_back(number);
  std::vector<double>& run = set.runs.emplace_back();
  for (const JsonValue& item : record.items) {
    TRY(const auto value,
        AsNumber(item, fmt::format("value {} of run {}", run.size() + 1, number)));
    TRY_VOID(counter.AddValue(item.line));
    run.push_back(value.value);
  }
  return {};
}

Result<std::vector<RunSet>> ParseArrays(std::string_view text, const RunSetLimits& limits) {
  std::vector<RunSet> sets(1);
  Counter counter(limits);
  const JsonLayout layout{.records = JsonRecords::kTopArray, .hint = kRunSetHint};
  const Result<void> read =
      ReadJsonRecords(text, layout, [&](const std::string&, const JsonValue& record) {
        return TakeRun(record, counter, sets.front());
      });
  if (!read) return read.error();
  return sets;
}

Result<std::vector<RunSet>> ParseJmhForks(std::string_view text, const RunSetLimits& limits) {
  TRY(std::vector<JmhSeries> all, ReadJmh(text));
  std::vector<RunSet> sets;
  Counter counter(limits);
  for (JmhSeries& series : all) {
    if (!series.primary) continue;
    TRY_VOID(counter.AddSet(sets.size(), series.line));
    RunSet& set = sets.emplace_back();
    set.name = std::move(series.benchmark);
    for (std::vector<double>& fork : series.values) {
      TRY_VOID(counter.AddRun(set, series.line));
      for (std::size_t i = 0; i < fork.size(); ++i) {
        TRY_VOID(counter.AddValue(series.line));
      }
      set.run_names.push_back(std::to_string(set.runs.size() + 1));
      set.runs.push_back(std::move(fork));
    }
  }
  return sets;
}

// Returns whether the text is an array whose first element is an object.
bool IsJmh(std::string_view text) {
  const std::size_t open = text.find('[');
  if (open == std::string_view::npos) return false;
  const std::size_t first = text.find_first_not_of(" \t\r\n", open + 1);
  return first != std::string_view::npos && text[first] == '{';
}

Result<std::vector<RunSet>> ParseRunsJson(std::string_view text, const RunSetLimits& limits) {
  return IsJmh(text) ? ParseJmhForks(text, limits) : ParseArrays(text, limits);
}

constexpr std::size_t kBytes = 8;
constexpr const char* kRawForm = "write runs x values: --shape 10x3000";

double ValueAt(std::string_view bytes, std::size_t index) {
  return std::bit_cast<double>(GetLittleEndian(bytes.substr(index * kBytes, kBytes)));
}

Result<void> CheckShape(std::string_view bytes, std::size_t runs, std::size_t values,
                        const RunSetLimits& limits) {
  const std::string shape = fmt::format("shape {}x{}", runs, values);
  if (runs == 0 || values == 0) return InvalidArgument(shape, "no values", kRawForm);
  if (runs > limits.runs || values > limits.values / runs) {
    return InvalidArgument(
        shape, fmt::format("over {} runs or {} values in total", limits.runs, limits.values),
        "assess fewer runs, or only the first values of each");
  }
  if (bytes.size() == runs * values * kBytes) return {};
  return InvalidArgument(shape,
                         fmt::format("needs {} bytes of doubles, but the data has {}",
                                     runs * values * kBytes, bytes.size()),
                         kRawForm);
}

Result<RunSet> ParseRunsRaw(std::string_view bytes, std::size_t runs, std::size_t values,
                            const RunSetLimits& limits) {
  TRY_VOID(CheckShape(bytes, runs, values, limits));
  RunSet set;
  for (std::size_t r = 0; r < runs; ++r) {
    set.run_names.push_back(std::to_string(r + 1));
    std::vector<double>& run = set.runs.emplace_back();
    run.reserve(values);
    for (std::size_t v = 0; v < values; ++v) {
      run.push_back(ValueAt(bytes, r * values + v));
      if (std::isfinite(run.back())) continue;
      return InvalidArgument(fmt::format("run {}, value {}", set.run_names.back(), v + 1),
                             "not finite", "leave the run out, or measure it again");
    }
  }
  return set;
}

bool BeginsAsJson(std::string_view data) {
  data = WithoutByteOrderMark(data);
  const std::size_t first = data.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (data[first] == '[' || data[first] == '{');
}

Result<std::vector<RunSet>> Alone(Result<RunSet> set) {
  if (!set) return std::move(set).error();
  std::vector<RunSet> sets;
  sets.push_back(std::move(set).value());
  return sets;
}

}  // namespace

Result<std::vector<RunSet>> ParseRuns(std::string_view data, const RunsLayout& layout,
                                      const RunSetLimits& limits) {
  const bool shaped = layout.runs > 0 || layout.values > 0;
  RunsFormat format = layout.format;
  if (format == RunsFormat::kByContent) {
    format = shaped ? RunsFormat::kRaw : BeginsAsJson(data) ? RunsFormat::kJson : RunsFormat::kCsv;
  }
  if (shaped != (format == RunsFormat::kRaw)) {
    return InvalidArgument("shape",
                           shaped ? "only raw doubles take a shape; CSV and JSON "
                                    "have their own"
                                  : "raw doubles need a shape",
                           "use --shape RxN only with raw doubles");
  }
  if (format == RunsFormat::kRaw) {
    return Alone(ParseRunsRaw(data, layout.runs, layout.values, limits));
  }
  if (format == RunsFormat::kJson) return ParseRunsJson(data, limits);
  return Alone(ParseRunsCsv(data, limits));
}

}  // namespace benchd
