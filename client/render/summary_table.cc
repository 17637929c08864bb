#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "client/render/analysis.h"
#include "client/render/sentence.h"
#include "client/render/text.h"
#include "client/render/units.h"
#include "client/render/words.h"
#include "core/base/text.h"

namespace benchd::client {
namespace {

constexpr int kSummaryGap = 3;
constexpr int kWidestName = 24;

// One benchmark in one metric.
struct Block {
  std::string reference;
  bool several_references = false;
  std::vector<const ArmSummary*> arms;  // never empty

  const ArmSummary& first() const { return *arms.front(); }
  bool rate() const { return first().better == Better::kHigher; }
  const ArmSummary* Reference() const {
    const auto found = std::ranges::find(arms, reference, &ArmSummary::arm);
    return found == arms.end() ? nullptr : *found;
  }
};

std::vector<Block> BlocksOf(std::span<const ArmSummary> summaries, const v1::Update& verdict) {
  std::vector<Block> blocks;
  for (const ArmSummary& summary : summaries) {
    const auto same = std::ranges::find_if(blocks, [&summary](const Block& block) {
      return block.first().benchmark == summary.benchmark && block.first().metric == summary.metric;
    });
    if (same != blocks.end()) {
      same->arms.push_back(&summary);
    } else {
      blocks.push_back({summary.arm, false, {&summary}});
    }
  }
  for (Block& block : blocks) {
    std::vector<std::string> references;
    for (const v1::Comparison& c : verdict.comparisons()) {
      const bool known = std::ranges::find(references, c.reference()) != references.end();
      if (c.benchmark() == block.first().benchmark && !known) references.push_back(c.reference());
    }
    if (!references.empty()) block.reference = references.front();
    block.several_references = references.size() > 1;
  }
  return blocks;
}

// A row: its name, its figure of an arm, and how it is good.
struct Figure {
  const char* name;
  const char* name_of_rate;  // where higher is better
  std::optional<double> (*of)(const ArmSummary& arm);
  bool spread = false;  // best low, whatever the metric
};

std::optional<double> Mean(const ArmSummary& arm) { return arm.mean; }
std::optional<double> Deviation(const ArmSummary& arm) { return arm.standard_deviation; }
std::optional<double> Variation(const ArmSummary& arm) { return arm.variation; }
std::optional<double> BestMean(const ArmSummary& arm) { return arm.best_mean; }

constexpr Figure kFigures[] = {
    {"Min", "Min", [](const ArmSummary& arm) { return std::optional(arm.min); }},
    {"1st-qrtle", "1st-qrtle",
     [](const ArmSummary& arm) { return std::optional(arm.lower_quartile); }},
    {"2nd-qrtle", "2nd-qrtle", [](const ArmSummary& arm) { return std::optional(arm.median); }},
    {"3rd-qrtle", "3rd-qrtle",
     [](const ArmSummary& arm) { return std::optional(arm.upper_quartile); }},
    {"Max", "Max", [](const ArmSummary& arm) { return std::optional(arm.max); }},
    {"Amean", "Hmean", Mean},
    {"Stddev", "HStddev", Deviation, true},
    {"CoeffVar", "HCoeffVar", Variation, true},
    {"BAmean-95", "BHmean-95", BestMean},
};

ColumnFormat FormatFor(const Block& block, const Style& style) {
  double largest = 0;
  double finest = 0;
  for (const ArmSummary* arm : block.arms) {
    largest = std::max({largest, std::abs(arm->min), std::abs(arm->max)});
    const double sd = arm->standard_deviation.value_or(0);
    if (std::isfinite(sd) && sd > 0 && (finest == 0 || sd < finest)) finest = sd;
  }
  return {largest, finest, block.first().unit, style};
}

// "(+1.2 %)" against the reference, positive = better.
std::string Gain(const Block& block, const Figure& figure, const ArmSummary& arm) {
  const ArmSummary* reference = block.Reference();
  const bool known = figure.spread || block.first().better.has_value();
  if (reference == nullptr || reference == &arm || !known) return "";
  const auto value = figure.of(arm);
  const auto against = figure.of(*reference);
  if (!value || !against || (*against == 0 && *value != 0)) return "";
  const bool high_is_good = !figure.spread && block.rate();
  const double more = *against == 0 ? 0 : (*value - *against) / *against;
  return "(" + FormatChange(high_is_good ? more : -more, 1) + ")";
}

std::string Stars(const Block& block, const Figure& figure, const ArmSummary& arm) {
  if (figure.of != Mean || arm.starred.empty()) return "";
  if (!block.several_references) return " *";
  return " *" +
         Join(arm.starred, ",", [](const std::string& arm_name) { return Printable(arm_name); });
}

struct Cell {
  std::string number;
  std::string gain;
  std::string stars;
};

// One arm's cells, below its name.
std::vector<std::string> ArmColumn(const Block& block, const ArmSummary& arm,
                                   const ColumnFormat& format, const Style& style) {
  std::vector<Cell> cells = {{std::to_string(arm.n), "", ""}};
  for (const Figure& figure : kFigures) {
    const auto value = figure.of(arm);
    const bool share = figure.of == Variation;
    cells.push_back({!value  ? "-"
                     : share ? FormatChange(*value, 2).substr(*value < 0 ? 0 : 1)
                             : format.Format(*value),
                     Gain(block, figure, arm), Stars(block, figure, arm)});
  }
  int number_width = 0;
  int gain_width = 0;
  for (const Cell& cell : cells) {
    number_width = std::max(number_width, Width(cell.number));
    gain_width = std::max(gain_width, Width(cell.gain));
  }
  const std::string name = Shorten(Printable(arm.arm), kWidestName, style);
  std::vector<std::string> column = {PadLeft(name, number_width)};
  for (const Cell& cell : cells) {
    const std::string gain = gain_width > 0 ? " " + PadLeft(cell.gain, gain_width) : "";
    column.push_back(PadLeft(cell.number, number_width) + gain + cell.stars);
  }
  return column;
}

std::vector<std::string> NameColumn(const Block& block, const ColumnFormat& format) {
  std::vector<std::string> column = {Printable(block.first().metric) +
                                     (format.unit().empty() ? "" : ", " + format.unit())};
  column.emplace_back("n");
  for (const Figure& figure : kFigures) {
    column.emplace_back(block.rate() ? figure.name_of_rate : figure.name);
  }
  return column;
}

std::string RenderBlock(const Block& block, const Style& style) {
  const ColumnFormat format = FormatFor(block, style);
  const std::vector<std::string> names = NameColumn(block, format);
  std::string text;
  std::vector<std::vector<std::string>> columns = {names};
  int width = Widest(names);
  for (const ArmSummary* arm : block.arms) {
    std::vector<std::string> column = ArmColumn(block, *arm, format, style);
    const int more = kSummaryGap + Widest(column);
    if (columns.size() > 1 && style.width > 0 && width + more > style.width) {
      text += SideBySide(columns, kSummaryGap) + "\n";
      columns = {names};
      width = Widest(names);
    }
    width += more;
    columns.push_back(std::move(column));
  }
  return text + SideBySide(columns, kSummaryGap) + "\n";
}

}  // namespace

std::string RenderSummaries(std::span<const ArmSummary> summaries, const v1::Update& verdict,
                            bool mmtests_stars, const Style& style) {
  const std::vector<Block> blocks = BlocksOf(summaries, verdict);
  if (blocks.empty()) return "";
  std::string text;
  std::string benchmark;
  for (const Block& block : blocks) {
    const std::string& name = block.first().benchmark;
    if (name != benchmark && (name != "main" || !benchmark.empty())) {
      text += Paint(Printable(name), Tint::kBold, style) + "\n";
    }
    benchmark = name;
    text += RenderBlock(block, style);
  }
  const std::string rule = mmtests_stars ? std::string("mean ") + (style.unicode ? "±" : "+-") +
                                               " 1.96 standard deviations lies apart"
                                         : "Welch's test, two-sided, p < 0.05, one look";
  text += Paint("(+) better than " + Printable(blocks.front().reference) + ", (-) worse",
                Tint::kDim, style) +
          "\n" + Paint("* differs: " + rule, Tint::kDim, style) + "\n\n";
  return text;
}

namespace {

constexpr int kSuiteGap = 2;

// Which columns tell anything in this suite.
struct Columns {
  bool arms = false;    // not all gates compare the same two
  bool metric = false;  // not all gates are of the same
  bool means = true;
};

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

std::vector<std::string> GateRow(const v1::Comparison& gate, bool named, const Columns& columns,
                                 const Style& style) {
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
  for (std::string& cell : JudgedBy(gate).Cells(style)) row.push_back(std::move(cell));
  row.push_back(std::to_string(std::max(gate.n_reference(), gate.n_candidate())));
  row.push_back(Paint(Word(gate.verdict()), VerdictTint(gate.verdict()), style));
  return row;
}

std::string GateTable(const std::vector<const v1::Comparison*>& gates, const Columns& columns,
                      const Style& style) {
  Rows rows = {Header(*gates.front(), columns)};
  const std::string* last = nullptr;
  for (const v1::Comparison* gate : gates) {
    const bool named = last == nullptr || *last != gate->benchmark();
    rows.push_back(GateRow(*gate, named, columns, style));
    last = &gate->benchmark();
  }
  return AlignColumns(rows, kSuiteGap);
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
            Printable(c.candidate()) + " " + judged.Estimate(style) +
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
  if (style.width > 0 && Widest(Lines(table)) > style.width) {
    columns.means = false;
    table = GateTable(gates, columns, style);
  }
  return table + "\n" + FlaggedLines(update, style);
}

}  // namespace benchd::client
