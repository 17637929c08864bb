#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "client/present/analysis.h"
#include "client/present/text.h"
#include "client/present/units.h"
#include "core/base/text.h"

namespace benchd::client {
namespace {

constexpr int kSummaryGap = 3;
constexpr int kWidestName = 24;

// The arms of one benchmark in one metric.
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

// One row of the table: its name, its value for an arm, and the better direction.
struct Figure {
  const char* name;
  const char* name_of_rate;  // for metrics where higher is better
  std::optional<double> (*of)(const ArmSummary& arm);
  bool spread = false;  // lower is better, whatever the metric
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

// Formats the gain over the reference: "(+1.2 %)". Positive is better.
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

// Returns the column of one arm, with its name as the heading.
std::vector<std::string> ArmColumn(const Block& block, const ArmSummary& arm,
                                   const ColumnFormat& format, const Style& style) {
  std::vector<Cell> cells = {{std::to_string(arm.n), "", ""}};
  for (const Figure& figure : kFigures) {
    const auto value = figure.of(arm);
    const bool share = figure.of == Variation;
    cells.push_back({!value  ? "-"
                     : share ? FormatUnsigned(*value, 2)
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
  const std::string rule = mmtests_stars
                               ? std::string("the ranges of mean ") + (style.unicode ? "±" : "+-") +
                                     " 1.96 standard deviations do not overlap"
                               : "Welch's test, two-sided, p < 0.05, one look";
  text += Paint("(+) better than " + Printable(blocks.front().reference) + ", (-) worse",
                Tint::kDim, style) +
          "\n" + Paint("* differs: " + rule, Tint::kDim, style) + "\n\n";
  return text;
}

}  // namespace benchd::client
