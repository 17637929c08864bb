#include "core/parse/ratings.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/parse/csv.h"
#include "core/parse/measurement_table.h"

namespace benchd {
namespace {

constexpr const char* kRatingsForm = "write a header, then one row per subject";

struct Cell {
  std::string text;
  TextPosition at;
};

// The whole table as text. It is kept because the rating columns are known only at the end.
struct Sheet {
  TableNames names;
  std::vector<std::vector<Cell>> columns;
  std::size_t cells = 0;
};

Result<void> TakeNames(const CsvRecord& record, Sheet& sheet) {
  for (std::size_t i = 0; i < record.size(); ++i) {
    const std::string_view name = record.text(i);
    if (name.empty()) return ErrorAt(record.position(i), "a column has no name", kRatingsForm);
    if (FirstInvalidUtf8(name) || HasControlCharacter(name)) {
      return ErrorAt(record.position(i), Quoted(name) + " is not a valid name",
                     "use printable UTF-8");
    }
    if (sheet.names.Find(name)) {
      return ErrorAt(record.position(i), "duplicate column " + Quoted(name),
                     "give each rater its own name");
    }
    sheet.names.Add(name);
  }
  sheet.columns.resize(record.size());
  return {};
}

Result<void> TakeSubject(const CsvRecord& record, Sheet& sheet) {
  const std::size_t columns = sheet.columns.size();
  if (record.size() != columns) {
    return ErrorAt(
        record.position(std::min(columns, record.size() - 1)),
        fmt::format("the row has {} fields, but the header has {}", record.size(), columns),
        kRatingsForm);
  }
  sheet.cells += columns;
  if (sheet.cells > kMaxRatings) {
    return ErrorAt(record.position(0), fmt::format("more than {} fields", kMaxRatings),
                   "leave out columns without ratings");
  }
  for (std::size_t i = 0; i < columns; ++i) {
    const std::string_view text = record.text(i);
    if (FirstInvalidUtf8(text) || HasControlCharacter(text)) {
      return ErrorAt(record.position(i), Quoted(text) + " is not a valid category",
                     "use printable UTF-8");
    }
    sheet.columns[i].push_back({std::string(text), record.position(i)});
  }
  return {};
}

Result<Sheet> ReadSheet(std::string_view text) {
  Sheet sheet;
  const auto take = [&sheet](const CsvRecord& record) {
    return sheet.columns.empty() ? TakeNames(record, sheet) : TakeSubject(record, sheet);
  };
  TRY(const TextPosition end, ReadCsv(WholeText(text), take));
  if (sheet.cells == 0) return ErrorAt(end, "no subjects", kRatingsForm);
  return sheet;
}

bool MayNameSubjects(const std::vector<Cell>& column) {
  std::set<std::string_view> seen;
  return column.size() > 1 && std::ranges::all_of(column, [&seen](const Cell& cell) {
           return seen.insert(cell.text).second;
         });
}

Result<std::size_t> FindColumn(const Sheet& sheet, const std::string& name) {
  const std::optional<std::size_t> found = sheet.names.Find(name);
  if (found) return *found;
  return InvalidArgument("column " + Quoted(name), "the table has no such column",
                         "the first line of the table names its columns");
}

Result<std::vector<std::size_t>> ChooseWanted(const Sheet& sheet,
                                              const std::vector<std::string>& wanted,
                                              const std::string& subjects) {
  std::vector<std::size_t> chosen;
  for (const std::string& name : wanted) {
    TRY(const std::size_t found, FindColumn(sheet, name));
    if (name == subjects || std::ranges::find(chosen, found) != chosen.end()) {
      return InvalidArgument("column " + Quoted(name), "named twice");
    }
    chosen.push_back(found);
  }
  return chosen;
}

Result<std::vector<std::size_t>> ChooseAll(const Sheet& sheet, const std::string& subjects) {
  std::vector<std::size_t> chosen;
  const std::string& first = sheet.names.all().front();
  // Raters who never repeat a category are rare, but a wrong guess would silently drop ratings.
  if (subjects.empty() && MayNameSubjects(sheet.columns.front())) {
    return InvalidArgument("column " + Quoted(first),
                           "all its fields differ, so it may name the subjects or rate them",
                           "use --subjects " + first + ", or name all raters with --raters");
  }
  for (std::size_t i = 0; i < sheet.columns.size(); ++i) {
    if (sheet.names.all()[i] != subjects) chosen.push_back(i);
  }
  return chosen;
}

Result<std::vector<std::size_t>> Choose(const Sheet& sheet, const std::vector<std::string>& wanted,
                                        const std::string& subjects) {
  if (!subjects.empty()) {
    TRY_VOID(FindColumn(sheet, subjects));
  }
  auto chosen = wanted.empty() ? ChooseAll(sheet, subjects) : ChooseWanted(sheet, wanted, subjects);
  if (chosen && chosen->size() < 2) {
    return InvalidArgument("ratings", "fewer than two raters", "give one column per rater");
  }
  return chosen;
}

}  // namespace

Result<RatingTable> ParseRatings(std::string_view text, const std::vector<std::string>& wanted,
                                 const std::string& subjects) {
  TRY(const Sheet sheet, ReadSheet(text));
  TRY(const std::vector<std::size_t> chosen, Choose(sheet, wanted, subjects));
  RatingTable table;
  TableNames categories;
  for (const std::size_t column : chosen) {
    table.raters.push_back(sheet.names.all()[column]);
    std::vector<std::uint32_t>& ratings = table.ratings.emplace_back();
    for (const Cell& cell : sheet.columns[column]) {
      if (cell.text.empty()) {
        return ErrorAt(cell.at, Quoted(table.raters.back()) + " has no rating in this row",
                       "leave out subjects that some raters have not rated");
      }
      std::optional<std::size_t> category = categories.Find(cell.text);
      if (!category && categories.all().size() == kMaxCategories) {
        return ErrorAt(
            cell.at, fmt::format("more than {} categories", kMaxCategories),
            "if this column has no ratings, name only the columns that do, with --raters");
      }
      if (!category) category = categories.Add(cell.text);
      ratings.push_back(static_cast<std::uint32_t>(*category));
    }
  }
  table.categories = categories.all();
  return table;
}

}  // namespace benchd
