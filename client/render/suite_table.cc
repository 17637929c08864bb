#include "client/render/suite_table.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "client/render/sentence.h"
#include "client/render/text.h"
#include "client/render/units.h"
#include "client/render/words.h"

namespace benchd::client {
namespace {

constexpr int kSuiteGap = 2;

// Which columns tell anything in this suite.
struct Columns {
  bool arms = false;    // not all gates compare the same two
  bool metric = false;  // not all gates are of the same
  bool means = true;
};

std::vector<const v1::Comparison*> GatesOf(const v1::Update& update) {
  std::vector<const v1::Comparison*> gates;
  for (const v1::Comparison& c : update.comparisons()) {
    if (c.role() == v1::COMPARISON_ROLE_GATE) gates.push_back(&c);
  }
  return gates;
}

Columns ColumnsFor(const std::vector<const v1::Comparison*>& gates) {
  std::set<std::pair<std::string, std::string>> arms;
  std::set<std::string> metrics;
  for (const v1::Comparison* gate : gates) {
    arms.insert({gate->reference(), gate->candidate()});
    metrics.insert(gate->metric());
  }
  return {arms.size() > 1, metrics.size() > 1};
}

std::vector<std::string> Header(const v1::Comparison& first, const Columns& columns) {
  std::vector<std::string> row = {columns.metric ? "benchmark" : Printable(first.metric())};
  if (columns.metric) row.push_back("metric");
  if (columns.arms) row.push_back("arms");
  if (columns.means) {
    row.push_back(columns.arms ? "reference" : Printable(first.reference()));
    row.push_back(columns.arms ? "candidate" : Printable(first.candidate()));
  }
  for (const char* name : {"change", "interval", "margin", "blocks", "verdict"}) {
    row.emplace_back(name);
  }
  return row;
}

std::string VerdictCell(const v1::Comparison& gate, const Style& style) {
  const Tint tint = gate.verdict() == v1::VERDICT_PASS         ? Tint::kGreen
                    : gate.verdict() == v1::VERDICT_REGRESSION ? Tint::kRed
                                                               : Tint::kYellow;
  return Paint(Word(gate.verdict()), tint, style);
}

std::vector<std::string> GateRow(const v1::Comparison& gate, bool named, const Columns& columns,
                                 const Style& style) {
  const Judged judged = JudgedBy(gate);
  const std::string interval = judged.Interval(style);
  std::vector<std::string> row = {named ? Printable(gate.benchmark()) : ""};
  if (columns.metric) row.push_back(Printable(gate.metric()));
  if (columns.arms) row.push_back(Printable(gate.candidate() + " vs " + gate.reference()));
  if (columns.means) {
    const auto mean = [&gate, &style](bool known, double value) {
      return known ? FormatQuantity(value, gate.unit(), style) : "-";
    };
    row.push_back(mean(gate.has_mean_reference(), gate.mean_reference()));
    row.push_back(mean(gate.has_mean_candidate(), gate.mean_candidate()));
  }
  row.push_back(judged.estimate ? judged.FormatSigned(*judged.estimate, style) : "-");
  row.push_back(interval.empty() ? "-" : interval);
  row.push_back(judged.margin ? judged.Format(*judged.margin, style) : "");
  row.push_back(std::to_string(std::max(gate.n_reference(), gate.n_candidate())));
  row.push_back(VerdictCell(gate, style));
  return row;
}

std::string GateTable(const std::vector<const v1::Comparison*>& gates, const Columns& columns,
                      const Style& style) {
  std::vector<std::vector<std::string>> rows = {Header(*gates.front(), columns)};
  const std::string* last = nullptr;
  for (const v1::Comparison* gate : gates) {
    const bool named = last == nullptr || *last != gate->benchmark();
    rows.push_back(GateRow(*gate, named, columns, style));
    last = &gate->benchmark();
  }
  return AlignColumns(rows, kSuiteGap);
}

int TableWidth(const std::string& table) {
  int width = 0;
  std::size_t start = 0;
  while (start < table.size()) {
    const std::size_t end = std::min(table.find('\n', start), table.size());
    width = std::max(width, Width(std::string_view(table).substr(start, end - start)));
    start = end + 1;
  }
  return width;
}

// A flag is earned at one look and kept; where the present interval has come to contain no change
// it belongs to `show`, not into a summary.
bool IsChangedStill(const v1::Comparison& c) {
  if (c.flag() != v1::FLAG_WORSE && c.flag() != v1::FLAG_IMPROVEMENT) return false;
  const Judged judged = JudgedBy(c);
  return judged.lo && judged.hi && (*judged.lo > 0 || *judged.hi < 0);
}

// What does not gate, and surely changed.
std::string FlaggedLines(const v1::Update& update, const Style& style) {
  constexpr std::size_t kMostLines = 10;
  std::string text;
  std::size_t flagged = 0;
  for (const v1::Comparison& c : update.comparisons()) {
    if (!IsChangedStill(c)) continue;
    if (++flagged > kMostLines) continue;
    const Judged judged = JudgedBy(c);
    const std::string interval = judged.Interval(style);
    text += "also: " + Printable(c.benchmark()) + ": " + Printable(c.metric()) + " of " +
            Printable(c.candidate()) + " " +
            (judged.estimate ? judged.FormatSigned(*judged.estimate, style) : "-") +
            (interval.empty() ? "" : " (" + interval + ")") + ": " + std::string(Word(c.flag())) +
            "\n";
  }
  if (flagged > kMostLines) {
    text += "also: " + std::to_string(flagged - kMostLines) + " more metrics changed\n";
  }
  return text.empty() ? "" : text + "\n";
}

}  // namespace

std::string RenderSuite(const v1::Update& update, const Style& style) {
  const std::vector<const v1::Comparison*> gates = GatesOf(update);
  if (gates.empty()) return "";
  Columns columns = ColumnsFor(gates);
  std::string table = GateTable(gates, columns, style);
  if (style.width > 0 && TableWidth(table) > style.width) {
    columns.means = false;
    table = GateTable(gates, columns, style);
  }
  return table + "\n" + FlaggedLines(update, style);
}

}  // namespace benchd::client
