#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/parse/harness_builder.h"
#include "core/parse/harness_output.h"
#include "core/parse/json_records.h"
#include "core/parse/printed_value.h"

namespace benchd {
namespace {

constexpr std::string_view kNanobenchHint =
    "print only nanobench's table, or its JSON: bench.render(ankerl::nanobench::templates::json(), "
    "std::cout); names must not contain quotes, which nanobench does not escape";

/// A counter of the processor or the kernel, as the JSON and the head of the table name it.
struct NanobenchCounter {
  std::string_view name;    ///< in the JSON, and the metric's name
  std::string_view column;  ///< in the table, before the slash; empty: only in the JSON
};
constexpr auto kNanobenchCounters = std::to_array<NanobenchCounter>({{"instructions", "ins"},
                                                                     {"cpucycles", "cyc"},
                                                                     {"branchinstructions", "bra"},
                                                                     {"branchmisses", ""},
                                                                     {"pagefaults", ""},
                                                                     {"contextswitches", ""}});

std::string TitledName(std::string_view title, std::string_view name) {
  return title.empty() ? std::string(name) : std::string(title).append("/").append(name);
}

/// Reads the JSON template.
class NanobenchJson {
 public:
  Result<HarnessOutput> Read(std::string_view text) {
    const JsonLayout layout{JsonRecords::kNamedArray, "results", kNanobenchHint};
    const auto take = [this](const std::string&, const JsonValue& result) { return Take(result); };
    TRY_VOID(ReadJsonRecords(text, layout, take));
    TRY(auto output, std::move(builder_).Finish("at least one result"));
    output.means_alone = means_alone_;
    return output;
  }

 private:
  Result<void> Take(const JsonValue& result) {
    TRY(const auto name, RequiredText(result, "name"));
    const JsonValue* const title = result.Find("title");
    const std::string inner = TitledName(title == nullptr ? "" : title->text, name);
    if (!seen_.insert(inner).second) {
      return JsonError(result.line, Quoted(inner) + " occurs twice",
                       "give every benchmark its own name");
    }
    TRY(const auto batch, RequiredNumber(result, "batch"));
    if (!(batch.value > 0)) {
      return JsonError(result.line, "expected a positive batch of " + Quoted(inner));
    }
    const UnitScale per_unit{1, batch.value};
    const HarnessMetric time{inner, "time", "s", Better::kLower};
    const JsonValue* const epochs = result.Find("measurements");
    if (epochs == nullptr || epochs->items.empty()) {
      TRY(const auto median, RequiredNumber(result, "median(elapsed)"));
      means_alone_ = true;
      return builder_.AddAt(result.line, time, Scaled(median, per_unit));
    }
    for (const JsonValue& epoch : epochs->items) {
      TRY(const auto elapsed, RequiredNumber(epoch, "elapsed"));
      TRY_VOID(builder_.AddAt(epoch.line, time, Scaled(elapsed, per_unit)));
    }
    return HasCounters(*epochs) ? TakeCounters(inner, *epochs, per_unit) : Result<void>();
  }

  /// Returns whether the processor counted. Otherwise nanobench prints 0 for every counter.
  static bool HasCounters(const JsonValue& epochs) {
    return std::ranges::any_of(epochs.items, [](const JsonValue& epoch) {
      const JsonValue* const cycles = epoch.Find("cpucycles");
      const JsonValue* const instructions = epoch.Find("instructions");
      return (cycles != nullptr && cycles->number.value > 0) ||
             (instructions != nullptr && instructions->number.value > 0);
    });
  }

  Result<void> TakeCounters(const std::string& inner, const JsonValue& epochs,
                            const UnitScale& per_unit) {
    for (const JsonValue& epoch : epochs.items) {
      for (const NanobenchCounter& counter : kNanobenchCounters) {
        if (epoch.Find(counter.name) == nullptr) continue;
        TRY(const auto number, RequiredNumber(epoch, counter.name));
        const HarnessMetric metric{inner, counter.name, "1", Better::kLower, true};
        TRY_VOID(builder_.AddAt(epoch.line, metric, Scaled(number, per_unit)));
      }
    }
    return {};
  }

  bool means_alone_ = false;
  std::set<std::string> seen_;
  HarnessBuilder builder_{kNanobenchHint};
};

/// Reads the table, which is Markdown.
class NanobenchTable {
 public:
  Result<HarnessOutput> Read(std::string_view text) {
    const auto take = [this](std::string_view line) -> Result<void> {
      ++line_;
      line = WithoutBlanks(line);
      if (!line.starts_with('|')) {
        columns_.clear();
        return {};
      }
      if (line.starts_with("|--") || line.starts_with("|:-")) return {};
      return columns_.empty() ? TakeHead(line) : TakeRow(line);
    };
    TRY_VOID(ForEachLine(text, kNanobenchHint, take));
    TRY(auto output, std::move(builder_).Finish("at least one row of a table, or JSON"));
    output.means_alone = true;
    return output;
  }

 private:
  /// What a column of the table has.
  struct Column {
    std::string metric;  ///< empty: nothing that is read
    HarnessUnit unit;
    bool by_name_only = false;
  };

  /// Splits a line into cells. The last one takes the rest, because a name may contain a bar.
  /// @param most  0: every bar separates
  static std::vector<std::string_view> CellsOf(std::string_view line, std::size_t most) {
    std::vector<std::string_view> cells;
    line.remove_prefix(1);
    while (true) {
      const std::size_t bar = line.find('|');
      const bool last = bar == std::string_view::npos || cells.size() + 1 == most;
      cells.push_back(WithoutBlanks(line.substr(0, last ? line.size() : bar)));
      if (last) return cells;
      line.remove_prefix(bar + 1);
    }
  }

  /// Takes the head: "|  ns/op |  op/s | err% |  ins/op | ... | total | TITLE".
  Result<void> TakeHead(std::string_view line) {
    bool has_time = false;
    // A title may contain a bar, but the columns before it end with "total".
    std::vector<std::string_view> cells = CellsOf(line, 0);
    const auto total = std::ranges::find(cells, "total");
    if (total == cells.end() || total + 1 == cells.end()) return {};
    cells = CellsOf(line, static_cast<std::size_t>(total - cells.begin()) + 2);
    for (const std::string_view cell : std::span(cells).first(cells.size() - 1)) {
      columns_.push_back(ColumnOf(cell));
      has_time = has_time || columns_.back().metric == "time";
    }
    title_ = cells.back();
    if (has_time) return {};
    return RefuseText("expected a column such as ns/op, found " + Quoted(line));
  }

  static Column ColumnOf(std::string_view head) {
    const std::string_view top = head.substr(0, head.find('/'));
    if (top.size() == head.size()) return {};
    if (const auto scale = SecondsIn(top)) return {"time", {"s", *scale, {}}, false};
    const auto* const counter =
        std::ranges::find(kNanobenchCounters, top, &NanobenchCounter::column);
    if (counter == kNanobenchCounters.end()) return {};
    return {std::string(counter->name), {"1", {}, {}}, true};
  }

  /// Takes a row: "|  36.83 |  27,153,861.09 |  3.9% |  0.01 | `fib 10`".
  Result<void> TakeRow(std::string_view line) {
    const std::vector<std::string_view> cells = CellsOf(line, columns_.size() + 1);
    if (cells.size() != columns_.size() + 1) {
      return RefuseText(
          fmt::format("expected {} cells, found {}", columns_.size() + 1, Quoted(line)));
    }
    const auto name = NameOf(cells.back());
    if (!name) {
      return RefuseText("expected a name in backticks, found " + Quoted(cells.back()));
    }
    const std::string inner = TitledName(title_, *name);
    if (cells.back().starts_with(":boom:")) {
      return RefuseText(Quoted(inner) + " failed: " + Quoted(cells.back()),
                        "the compiler may have removed the code: use doNotOptimizeAway()");
    }
    if (!seen_.insert(inner).second) {
      return RefuseText(Quoted(inner) + " occurs twice", "give every benchmark its own name");
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].metric.empty()) continue;
      TRY_VOID(TakeCell(inner, columns_[i], cells[i]));
    }
    return {};
  }

  Result<void> TakeCell(const std::string& inner, const Column& column, std::string_view cell) {
    const auto value = ParsePrintedValue(cell);
    if (!value || !value->unit.empty()) {
      return RefuseText("expected the " + column.metric + " of " + Quoted(inner) + ", found " +
                        Quoted(cell));
    }
    const HarnessMetric metric{inner, column.metric, column.unit.unit, Better::kLower,
                               column.by_name_only};
    return builder_.Add(metric, Scaled(value->number, column.unit.scale), line_);
  }

  /// Returns the name in a cell such as ":wavy_dash: `fib 10` (Unstable ...)". nanobench doubles a
  /// backtick within the name.
  static std::optional<std::string> NameOf(std::string_view cell) {
    std::string name;
    const std::size_t begin = cell.find('`');
    if (begin == std::string_view::npos) return std::nullopt;
    for (std::size_t at = begin + 1; at < cell.size(); ++at) {
      if (cell[at] != '`') {
        name += cell[at];
      } else if (at + 1 < cell.size() && cell[at + 1] == '`') {
        name += cell[at++];
      } else {
        return name;
      }
    }
    return std::nullopt;
  }

  std::size_t line_ = 0;
  std::vector<Column> columns_;  // all but the last; empty outside a table
  std::string title_;
  std::set<std::string> seen_;
  HarnessBuilder builder_{kNanobenchHint};
};

}  // namespace

Result<HarnessOutput> ParseNanobench(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  const bool json = start != std::string_view::npos && text[start] == '{';
  return json ? NanobenchJson().Read(text) : NanobenchTable().Read(text);
}

}  // namespace benchd
