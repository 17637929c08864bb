#include "core/parse/run_set_csv.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "core/parse/csv.h"
#include "core/parse/measurement_table.h"
#include "core/parse/number.h"
#include "core/parse/text.h"

namespace benchd {
namespace {

constexpr const char* kForms = "write a column for each run, or rows of run,value";

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
      return ErrorAt(record.position(std::min(fields_, record.size() - 1)),
                     "the row has " + std::to_string(record.size()) + " fields, the first line " +
                         std::to_string(fields_),
                     kForms);
    }
    return form_ == Form::kRows ? TakeValueOfRun(record) : TakeRow(record);
  }

  Result<RunSet> End(TextPosition end) {
    if (values_ == 0) return ErrorAt(end, "there are no values", kForms);
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
      if (Result<void> added = AddRun(name, record.position(i)); !added) return added;
    }
    if (has_names) return {};
    return TakeRow(record);
  }

  Result<void> AddRun(std::string_view name, TextPosition at) {
    if (name.empty()) return ErrorAt(at, "a run has no name", kForms);
    if (FirstInvalidUtf8(name) || HasControlCharacter(name)) {
      return ErrorAt(at, Quoted(name) + " is no name for a run", "use printable UTF-8");
    }
    if (names_.Find(name)) {
      return ErrorAt(at, "run " + Quoted(name) + " is there twice", "give each run its own name");
    }
    if (set_.runs.size() == limits_.runs) {
      return ErrorAt(at, "more than " + std::to_string(limits_.runs) + " runs", kForms);
    }
    names_.Add(name);
    set_.run_names.emplace_back(name);
    set_.runs.emplace_back();
    return {};
  }

  Result<void> AddValue(std::size_t run, const CsvRecord& record, std::size_t field) {
    const Result<double> value = NumberAt(record, field);
    if (!value) return value.error();
    if (++values_ > limits_.values) {
      return ErrorAt(record.position(field),
                     "more than " + std::to_string(limits_.values) + " values",
                     "assess fewer runs, or the first values of each");
    }
    set_.runs[run].push_back(*value);
    return {};
  }

  Result<void> TakeRow(const CsvRecord& record) {
    ++rows_;
    for (std::size_t i = 0; i < record.size(); ++i) {
      if (record.text(i).empty()) continue;
      if (set_.runs[i].size() + 1 < rows_) {
        return ErrorAt(record.position(i),
                       "run " + Quoted(set_.run_names[i]) + " has a value missing above it",
                       "a run may only end early");
      }
      if (Result<void> added = AddValue(i, record, i); !added) return added;
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

}  // namespace

Result<RunSet> ParseRunsCsv(std::string_view text, const RunSetLimits& limits) {
  CsvParser csv;
  RunSetReader reader(limits);
  csv.Feed(text);
  for (bool finished = false;;) {
    const Result<const CsvRecord*> record = csv.Next();
    if (!record) return record.error();
    if (*record == nullptr) {
      if (finished) return reader.End(csv.position());
      csv.Finish();
      finished = true;
      continue;
    }
    if (Result<void> taken = reader.Take(**record); !taken) return taken.error();
  }
}

}  // namespace benchd
