#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "client/present/report.h"
#include "client/present/row_selection.h"
#include "client/present/sentence.h"
#include "client/present/units.h"
#include "client/present/verdict_words.h"
#include "core/base/text.h"
#include "core/model/metric.h"

namespace benchd::client {
namespace {

constexpr int kWidestArm = 24;

enum Column : std::size_t {
  kBenchmark,
  kMetric,
  kArms,
  kReference,
  kCandidate,
  kChange,
  kInterval,
  kMargin,
  kVerdict,
  kColumns
};
using Columns = std::vector<Column>;
using Cells = std::array<std::string, kColumns>;

// The properties that vary between the rows.
struct Shape {
  bool benchmarks = false;
  bool metrics = false;
  bool pairs = false;
  bool references = false;

  explicit Shape(const Comparisons& rows) {
    std::set<std::string> all_benchmarks;
    std::set<std::string> all_metrics;
    std::set<std::string> all_references;
    std::set<std::pair<std::string, std::string>> all_pairs;
    for (const v1::Comparison* c : rows) {
      all_benchmarks.insert(c->benchmark());
      all_metrics.insert(c->metric());
      all_references.insert(c->reference());
      all_pairs.insert({c->reference(), c->candidate()});
    }
    benchmarks = all_benchmarks.size() > 1 || *all_benchmarks.begin() != "main";
    metrics = all_metrics.size() > 1;
    pairs = all_pairs.size() > 1;
    references = all_references.size() > 1;
  }

  Columns Labels() const {
    Columns columns;
    if (benchmarks) columns.push_back(kBenchmark);
    if (metrics || !benchmarks) columns.push_back(kMetric);
    if (pairs) columns.push_back(kArms);
    return columns;
  }
};

// For benchd's own metrics, lower is better. For a gate on any other metric the table shows the
// direction, so that a wrong `prefer=higher` in a header becomes visible. That a benchmark exists
// has none.
std::string MetricCell(const v1::Comparison& c, const Style& style) {
  std::string name = Printable(c.metric());
  const bool known = FindBuiltinMetric(c.metric()) != nullptr;
  if (!IsGate(c) || known || c.better() == v1::BETTER_UNSPECIFIED) return name;
  const bool lower = c.better() == v1::BETTER_LOWER;
  if (style.unicode) return name + (lower ? " \u2193" : " \u2191");
  return name + (lower ? " (lower is better)" : " (higher is better)");
}

Cells Header(const v1::Comparison& first, const Shape& shape, const Style& style) {
  const auto arm = [&style](const std::string& name) {
    return Shorten(Printable(name), kWidestArm, style);
  };
  Cells cells;
  // With a single metric, the corner has its name; a heading "metric" there would be redundant.
  cells[kBenchmark] = shape.metrics ? "benchmark" : MetricCell(first, style);
  cells[kMetric] = shape.benchmarks ? "metric" : "";
  cells[kArms] = shape.references ? "compared" : "candidate";
  // For a single pair, the headings are the names of the arms.
  const std::string reference = shape.references ? "reference" : arm(first.reference());
  cells[kReference] = shape.pairs ? reference + " mean" : reference;
  cells[kCandidate] = shape.pairs ? "candidate mean" : arm(first.candidate());
  cells[kChange] = "change";
  cells[kInterval] = "interval";
  cells[kMargin] = "margin";
  cells[kVerdict] = "verdict";
  return cells;
}

std::optional<double> IfHad(bool has, double value) {
  return has ? std::optional(value) : std::nullopt;
}

std::pair<std::string, std::string> Means(const v1::Comparison& c, const Judged& judged,
                                          RowsShown shown, const Style& style) {
  const auto reference = IfHad(c.has_mean_reference(), c.mean_reference());
  const auto candidate = IfHad(c.has_mean_candidate(), c.mean_candidate());
  if (shown == RowsShown::kWhatMatters) {
    const bool has_width = judged.relative && judged.lo && judged.hi;
    return FormatMeans(reference, candidate, has_width ? *judged.hi - *judged.lo : 0, c.unit(),
                       style);
  }
  const auto mean = [&c, &style](std::optional<double> value, std::optional<double> sd) {
    return value ? FormatMeanSd(*value, sd, c.unit(), style) : "-";
  };
  return {mean(reference, IfHad(c.has_sd_reference(), c.sd_reference())),
          mean(candidate, IfHad(c.has_sd_candidate(), c.sd_candidate()))};
}

std::string VerdictCell(const v1::Comparison& c, const Judged& judged, RowsShown shown,
                        const Style& style) {
  if (IsGate(c)) {
    const std::string earlier = shown == RowsShown::kAll ? DecidedEarlier(c) : "";
    const std::string confirmed = IsConfirmed(c) ? "confirmed" : earlier;
    // The word of a control that changed is its reason.
    const bool reason = !c.reason().empty() && c.control() != v1::CONTROL_STATE_CHANGED;
    std::string more = reason ? ReasonWords(c) : confirmed;
    if (reason && IsConfirmed(c)) more += ", confirmed";
    const std::string word = IsNotBetter(c) ? VerdictWords(c, style) : LeadingWord(c);
    return Paint(word, VerdictTint(c.verdict()), style) + (IsImproved(c) ? ", improved" : "") +
           (more.empty() ? "" : ", " + more);
  }
  if (const std::string control = ControlWord(c); !control.empty()) return "control " + control;
  if (c.flag() == v1::FLAG_WORSE) return "worse";
  if (c.flag() == v1::FLAG_IMPROVEMENT) return "improved";
  const bool differs = c.better() == v1::BETTER_UNSPECIFIED && judged.ExcludesNoChange();
  return differs ? "differs" : "";
}

Cells RowOf(const v1::Comparison& c, RowsShown shown, const Style& style) {
  const Judged judged = JudgedBy(c);
  Cells cells;
  cells[kBenchmark] = Printable(c.benchmark());
  cells[kMetric] = MetricCell(c, style);
  std::tie(cells[kReference], cells[kCandidate]) = Means(c, judged, shown, style);
  cells[kChange] = judged.Estimate(style);
  const std::string interval = judged.Interval(style);
  cells[kInterval] = interval.empty() ? "-" : interval;
  cells[kMargin] = judged.Margin(style);
  cells[kVerdict] = VerdictCell(c, judged, shown, style);
  return cells;
}

// Returns the header and the rows. Omits names that equal those of the row above.
std::vector<Cells> CellsOf(const Comparisons& comparisons, const Shape& shape, RowsShown shown,
                           const Style& style) {
  std::vector<Cells> cells = {Header(*comparisons.front(), shape, style)};
  const v1::Comparison* above = nullptr;
  for (const v1::Comparison* c : comparisons) {
    Cells row = RowOf(*c, shown, style);
    row[kArms] =
        Printable(shape.references ? c->candidate() + " vs " + c->reference() : c->candidate());
    if (above != nullptr && above->benchmark() == c->benchmark() && IsGate(*above) == IsGate(*c)) {
      if (above->metric() == c->metric()) row[kMetric].clear();
      row[kBenchmark].clear();
    }
    cells.push_back(std::move(row));
    above = c;
  }
  return cells;
}

Rows Picked(const std::vector<Cells>& cells, const Columns& columns) {
  Rows rows;
  for (const Cells& row : cells) {
    std::vector<std::string>& picked = rows.emplace_back();
    for (const Column column : columns) picked.push_back(row[column]);
  }
  return rows;
}

bool Fits(const std::string& text, const Style& style) {
  return style.width <= 0 || Widest(Lines(text)) <= style.width;
}

Columns Joined(Columns columns, const Columns& more) {
  columns.insert(columns.end(), more.begin(), more.end());
  return columns;
}

// Renders each row on two lines: the names, then the numbers, indented.
std::string TwoLinesARow(const std::vector<Cells>& cells, const Columns& labels,
                         const Columns& numbers, const Style& style) {
  constexpr int kGap = 2;
  const Rows names = Picked(cells, labels);
  const std::vector<std::string> lines = Lines(AlignColumns(Picked(cells, numbers), kGap, kGap));
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string name;
    for (const std::string& cell : names[i]) name += (name.empty() ? "" : "  ") + cell;
    if (i > 0 && !name.empty()) text += Shorten(name, style.width, style) + "\n";
    text += lines[i] + "\n";
  }
  return text;
}

std::string Fitted(const std::vector<Cells>& cells, const Columns& labels, const Style& style) {
  const std::array<Columns, 3> wide = {
      Columns{kReference, kCandidate, kChange, kInterval, kMargin, kVerdict},
      Columns{kChange, kInterval, kMargin, kVerdict}, Columns{kChange, kInterval, kVerdict}};
  for (const Columns& numbers : wide) {
    std::string text = AlignColumns(Picked(cells, Joined(labels, numbers)));
    if (Fits(text, style)) return text;
  }
  const std::array<Columns, 3> narrow = {Columns{kChange, kInterval, kVerdict},
                                         Columns{kInterval, kVerdict}, Columns{kVerdict}};
  std::string text;
  for (const Columns& numbers : narrow) {
    text = TwoLinesARow(cells, labels, numbers, style);
    if (Fits(text, style)) break;
  }
  return text;
}

// Counts the rows that the table omits, and names the command or option that shows them.
std::string RestLine(const v1::Update& update, const RowSelection& selection, RowsShown shown,
                     const std::string& session, const Style& style) {
  std::string text;
  if (selection.changed > 0) {
    text += WrapSentence(fmt::format("{} more changed: {} lists them", selection.changed,
                                     session.empty() ? "--verbose" : "benchctl show " + session),
                         style);
  }
  const std::string unchanged = UnchangedWords(update, selection);
  if (!unchanged.empty()) text += WrapSentence(unchanged, style);
  if (selection.repeats_cpu_time && shown == RowsShown::kAll) {
    text += WrapSentence("tree_cpu_time: equal to cpu_time within 2 %", style);
  }
  return text;
}

}  // namespace

std::string RenderResultTable(const v1::Update& update, RowsShown shown, const std::string& session,
                              const Style& style) {
  const RowSelection selection = SelectRows(update, shown);
  if (selection.rows.empty()) return "";
  const Shape shape(selection.rows);
  const std::vector<Cells> cells = CellsOf(selection.rows, shape, shown, style);
  return Fitted(cells, shape.Labels(), style) + RestLine(update, selection, shown, session, style);
}

}  // namespace benchd::client
