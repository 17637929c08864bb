#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "client/report/pictures.h"
#include "client/report/plot.h"
#include "core/analysis/table_figures.h"
#include "core/base/text.h"

namespace benchd::client {
namespace {

std::vector<std::span<const double>> ValuesOf(const std::vector<ArmOfPicture>& arms) {
  std::vector<std::span<const double>> values;
  for (const ArmOfPicture& arm : arms) values.emplace_back(arm.values);
  return values;
}

Range RangeOf(const Distributions& all) { return {all.edges.front(), all.edges.back()}; }

std::string BinLabel(const Distributions& all, std::size_t bin, const std::string& unit) {
  return ValueLabel(all.edges[bin], RangeOf(all), unit) + " … " +
         ValueLabel(all.edges[bin + 1], RangeOf(all), unit);
}

void DrawArm(Svg* svg, const ArmOfPicture& arm, const Distributions& all, std::size_t number,
             const AxisScale& x, double top, double bottom, const std::string& unit) {
  const std::string style(ClassOf(arm));
  const double room = bottom - top - 22;
  const double highest = all.Highest();
  const ArmDistribution& drawn = all.arms[number];
  const auto up = [&](double density) { return bottom - density / highest * room; };
  const std::vector<std::uint64_t>& counts = drawn.counts;
  const std::string of_n = " of " + Counted(arm.values.size(), "run");
  for (std::size_t bin = 0; bin < counts.size(); ++bin) {
    if (counts[bin] == 0) continue;
    const double left = x(all.edges[bin]);
    const double width = std::max(1.0, x(all.edges[bin + 1]) - left - 1);
    const double y = up(all.Height(number, bin));
    svg->Rect(left, y, width, std::max(0.5, bottom - y), style + " bar",
              fmt::format("{}: {}{}", BinLabel(all, bin, unit), counts[bin], of_n));
  }
  std::vector<double> points;
  for (std::size_t i = 0; i < drawn.x.size(); ++i) {
    points.insert(points.end(), {x(drawn.x[i]), up(drawn.density[i])});
  }
  svg->Curve(points, /*closed=*/false, "curve " + style);
  svg->Line(x(x.low()), bottom, x(x.high()), bottom, "axis");
  const double mean = drawn.mean;
  const std::string said = arm.name + ": mean " + ValueLabel(mean, RangeOf(all), unit);
  svg->Line(x(mean), up(0), x(mean), top + 18, "span " + style, said);
  svg->Mark(ShapeOf(arm), x(mean), top + 16, 4.5, style + " mean", said);
  svg->ShortText(0, top + 12, x(mean) > 210 ? 190 : 400, arm.name, "strong");
}

// Describes the values beyond the axis: "3 of base to the right (up to 12.5 ms)".
std::string BeyondNote(const std::vector<ArmOfPicture>& arms, const Distributions& all,
                       const std::string& unit) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    const auto [least, most] = std::ranges::minmax(arms[i].values);
    const auto add = [&](std::size_t count, const char* side, double farthest) {
      if (count == 0) return;
      parts.push_back(fmt::format("{} of {} {} (up to {})", count, arms[i].name, side,
                                  ValueLabel(farthest, RangeOf(all), unit)));
    };
    add(all.arms[i].below, "to the left", least);
    add(all.arms[i].above, "to the right", most);
  }
  return parts.empty() ? "" : "Beyond the axis: " + Join(parts, ", ") + ".";
}

Rows TableOf(const std::vector<ArmOfPicture>& arms, const Distributions& all,
             const std::string& unit) {
  Rows table = {{"values"}};
  for (const ArmOfPicture& arm : arms) table.front().push_back(arm.name);
  for (std::size_t bin = 0; bin + 1 < all.edges.size(); ++bin) {
    table.push_back({BinLabel(all, bin, unit)});
    for (const ArmDistribution& arm : all.arms) {
      table.back().push_back(std::to_string(arm.counts[bin]));
    }
  }
  return table;
}

}  // namespace

Picture DrawDistributions(const std::string& id, const std::vector<ArmOfPicture>& arms,
                          const std::string& unit, double resolution) {
  const double row = arms.size() <= 2 ? 99 : 66;
  const double bottom = row * static_cast<double>(arms.size());
  Svg svg(id, kPictureWidth, bottom + kAxisHeight);
  const Result<Distributions> all = DistributeValues(ValuesOf(arms), resolution);
  if (!all) return {std::move(svg), "Distributions", "", "The range is too large to draw.", {}};
  const auto mean_of = [&](const ArmOfPicture& arm) {
    const ArmDistribution& one = all->arms[static_cast<std::size_t>(&arm - arms.data())];
    return arm.name + ": mean " + ValueLabel(one.mean, RangeOf(*all), unit) + " of " +
           Counted(one.n, "run");
  };
  const Range shown = RangeOf(*all).Padded(0.03);
  const AxisScale x(shown.low, shown.high, kPlotMargin + 4, kPlotRight - 4);
  DrawGrid(&svg, x, 0, bottom);
  DrawHorizontalAxis(&svg, x, bottom, {false, unit});
  for (std::size_t i = 0; i < arms.size(); ++i) {
    const double top = row * static_cast<double>(i);
    DrawArm(&svg, arms[i], *all, i, x, top + 4, top + row, unit);
  }
  return {std::move(svg), "Distributions", Join(arms, "; ", mean_of), BeyondNote(arms, *all, unit),
          TableOf(arms, *all, unit)};
}

namespace {

constexpr double kStretchPixels = 2;
constexpr std::size_t kMostWarmups = 50;

/// The axes of a picture of runs, and the fences for outliers.
struct RunsPlot {
  const std::vector<ArmOfPicture>& arms;
  const std::string& unit;
  Range shown;  ///< range of the values
  AxisScale x;
  AxisScale y;
  double rug;                 ///< height at which disturbed runs are marked
  std::vector<Range> fences;  ///< outlier fences of each arm

  bool IsOutlier(const RunOfPicture& run) const {
    return !run.warmup && !fences[run.arm].Holds(run.value);
  }
  double Y(double value) const { return y(std::clamp(value, y.low(), y.high())); }
  std::string ValueText(double value) const { return ValueLabel(value, shown, unit); }
};

std::string WordsOf(const RunOfPicture& run, const RunsPlot& plot) {
  std::string words;
  if (run.warmup) words += ", warm-up";
  if (plot.IsOutlier(run)) words += ", outlier";
  if (run.disturbances > 0) words += ", " + Counted(run.disturbances, "disturbance");
  return words;
}

// Returns the name of the arm, with the build if the arm has several.
std::string NameOf(const RunOfPicture& run, const ArmOfPicture& arm) {
  return run.layout == 0 ? arm.name : fmt::format("{}/{}", arm.name, run.layout);
}

void DrawRun(Svg* svg, const RunOfPicture& run, const RunsPlot& plot, Rows* table) {
  const ArmOfPicture& arm = plot.arms[run.arm];
  const std::string name = NameOf(run, arm);
  const std::string words = WordsOf(run, plot);
  const double x = plot.x(static_cast<double>(run.order));
  const double y = plot.Y(run.value);
  const std::string title =
      fmt::format("run {}, {}: {}{}", run.order, name, plot.ValueText(run.value), words);
  svg->Mark(ShapeOf(arm), x, y, 2.8,
            "run " + std::string(ClassOf(arm)) + (run.warmup ? " open" : ""), title);
  if (plot.IsOutlier(run)) svg->Mark(Shape::kCircle, x, y, 5.5, "flagged outlier");
  if (run.disturbances > 0) svg->Mark(Shape::kCross, x, plot.rug, 2.5, "flagged disturbed", title);
  table->push_back({std::to_string(run.order), name, plot.ValueText(run.value),
                    words.empty() ? "" : words.substr(2)});
}

/// Consecutive runs of one arm.
struct Stretch {
  Range range;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::size_t runs = 0;
  double mean = 0;
  std::size_t disturbed = 0;
  std::size_t outliers = 0;
};

void Take(const RunOfPicture& run, bool outlier, Stretch* stretch) {
  if (stretch->runs == 0) {
    stretch->range = {run.value, run.value};
    stretch->first = run.order;
  }
  stretch->range.Include(run.value);
  stretch->last = run.order;
  ++stretch->runs;
  stretch->mean += (run.value - stretch->mean) / static_cast<double>(stretch->runs);
  if (run.disturbances > 0) ++stretch->disturbed;
  if (outlier) ++stretch->outliers;
}

void DrawStretch(Svg* svg, const Stretch& stretch, std::size_t number, const RunsPlot& plot,
                 Rows* table) {
  const ArmOfPicture& arm = plot.arms[number];
  std::string words;
  if (stretch.outliers > 0) words += ", " + Counted(stretch.outliers, "outlier");
  if (stretch.disturbed > 0) words += fmt::format(", {} disturbed", stretch.disturbed);
  const double middle = static_cast<double>(stretch.first + stretch.last) / 2;
  // Marks of different arms for the same group of runs are side by side.
  const double aside = static_cast<double>(number) - static_cast<double>(plot.arms.size() - 1) / 2;
  const double x = plot.x(middle) + aside * kStretchPixels;
  const std::string values =
      plot.ValueText(stretch.range.low) + " … " + plot.ValueText(stretch.range.high);
  const std::string orders = fmt::format("{} to {}", stretch.first, stretch.last);
  const std::string title = "runs " + orders + ", " + Counted(stretch.runs, "run") + " of " +
                            arm.name + ": " + values + words;
  const double low = plot.Y(stretch.range.low);
  const double high = plot.Y(stretch.range.high);
  svg->Line(x, low, x, low - high < 1 ? low - 1 : high, "run span " + std::string(ClassOf(arm)),
            title);
  svg->Mark(ShapeOf(arm), x, plot.Y(stretch.mean), 2, std::string(ClassOf(arm)));
  if (stretch.disturbed > 0) svg->Mark(Shape::kCross, x, plot.rug, 2, "flagged disturbed", title);
  table->push_back({orders, arm.name, values, Counted(stretch.runs, "run") + words});
}

// Draws the range of each arm for each group of consecutive runs, and warm-up runs one by one.
std::size_t DrawStretches(Svg* svg, const std::vector<RunOfPicture>& runs, const RunsPlot& plot,
                          std::size_t most_marks, Rows* table) {
  const std::size_t by_room = static_cast<std::size_t>(
      (kPlotRight - kPlotLeft) / (kStretchPixels * static_cast<double>(plot.arms.size())));
  const std::size_t columns =
      std::max<std::size_t>(1, std::min(by_room, most_marks / plot.arms.size()));
  const std::uint64_t first = runs.front().order;
  const std::uint64_t span = runs.back().order - first + 1;
  std::vector<std::vector<Stretch>> stretches(columns, std::vector<Stretch>(plot.arms.size()));
  std::size_t warmups = 0;
  for (const RunOfPicture& run : runs) {
    if (run.warmup) {
      if (++warmups <= kMostWarmups) DrawRun(svg, run, plot, table);
      continue;
    }
    Take(run, plot.IsOutlier(run), &stretches[(run.order - first) * columns / span][run.arm]);
  }
  for (const auto& column : stretches) {
    for (std::size_t arm = 0; arm < column.size(); ++arm) {
      if (column[arm].runs > 0) DrawStretch(svg, column[arm], arm, plot, table);
    }
  }
  return columns;
}

std::vector<LegendEntry> LegendOf(const std::vector<RunOfPicture>& runs, const RunsPlot& plot,
                                  bool thinned) {
  std::vector<LegendEntry> legend;
  for (const ArmOfPicture& arm : plot.arms) {
    legend.push_back({ShapeOf(arm), std::string(ClassOf(arm)), arm.name});
  }
  if (std::ranges::any_of(runs, &RunOfPicture::warmup)) {
    legend.push_back({Shape::kCircle, "open reference", "warm-up"});
  }
  if (!thinned && std::ranges::any_of(runs, [&](const auto& run) { return plot.IsOutlier(run); })) {
    legend.push_back({Shape::kCircle, "flagged", "outlier"});
  }
  if (std::ranges::any_of(runs, [](const auto& run) { return run.disturbances > 0; })) {
    legend.push_back({Shape::kCross, "flagged", "disturbed"});
  }
  return legend;
}

// Returns the usual range of the measured values; without measured values, that of the warm-up
// runs.
Range ShownOf(const std::vector<ArmOfPicture>& arms, const std::vector<RunOfPicture>& runs) {
  if (const auto usual = UsualRange(ValuesOf(arms))) return {usual->first, usual->second};
  Range of_warmups{runs.front().value, runs.front().value};
  for (const RunOfPicture& run : runs) of_warmups.Include(run.value);
  return of_warmups;
}

std::vector<Range> FencesOf(const std::vector<ArmOfPicture>& arms) {
  std::vector<Range> all;
  for (const ArmOfPicture& arm : arms) {
    const auto fences = OutlierFences(arm.values);
    all.push_back(fences ? Range{fences->first, fences->second} : Range{-HUGE_VAL, HUGE_VAL});
  }
  return all;
}

}  // namespace

Picture DrawRuns(const std::string& id, const std::vector<ArmOfPicture>& arms,
                 const std::vector<RunOfPicture>& runs, const std::string& unit,
                 std::size_t most_marks) {
  const Range values = ShownOf(arms, runs);
  const Range shown = values.Padded(0.06);
  const double bottom = kPlotHeight - kAxisHeight;
  RunsPlot plot{arms,
                unit,
                values,
                AxisScale(static_cast<double>(runs.front().order),
                          static_cast<double>(runs.back().order), kPlotLeft + 6, kPlotRight - 6),
                AxisScale(shown.low, shown.high, bottom - 12, 8),
                bottom - 5,
                FencesOf(arms)};
  const bool thinned = runs.size() > most_marks;
  const std::vector<LegendEntry> legend = LegendOf(runs, plot, thinned);
  const double above = LegendHeight(legend);
  Svg plotted(id, kPictureWidth, kPlotHeight);
  DrawVerticalAxis(&plotted, plot.y, {false, unit});
  Rows table = {{"run", "arm", "value", "remarks"}};
  std::string note;
  if (thinned) {
    const std::size_t stretches = DrawStretches(&plotted, runs, plot, most_marks, &table);
    note = fmt::format(
        "{}: each line is the range of an arm's runs, with their mean, in one of {} groups of "
        "consecutive runs.",
        Counted(runs.size(), "run"), stretches);
  } else {
    for (const RunOfPicture& run : runs) DrawRun(&plotted, run, plot, &table);
  }
  const auto beyond =
      std::ranges::count_if(runs, [&](const RunOfPicture& run) { return !shown.Holds(run.value); });
  if (beyond > 0) {
    if (!note.empty()) note += " ";
    note += Counted(static_cast<std::uint64_t>(beyond), "value") +
            " beyond the axis, drawn at its edge.";
  }
  DrawCountAxis(&plotted, plot.x, bottom, "run");
  Svg svg(id, kPictureWidth, kPlotHeight + above);
  DrawLegend(&svg, legend, 0);
  svg.Place(0, above, plotted);
  return {std::move(svg), "Runs in order of execution",
          Counted(runs.size(), "run") + " of " + Counted(arms.size(), "arm") + " from " +
              plot.ValueText(values.low) + " to " + plot.ValueText(values.high),
          std::move(note), std::move(table)};
}

namespace {

constexpr double kTop = 8;

Range RangeOf(const SeriesOfPicture& series) {
  Range range{series.entries.front().value, series.entries.front().value};
  for (const SeriesEntry& entry : series.entries) {
    range.Include(entry.value);
    if (!entry.range) continue;
    range.Include(entry.range->first);
    range.Include(entry.range->second);
  }
  return range;
}

std::size_t CountOf(const SeriesOfPicture& series) {
  std::size_t count = 0;
  for (const SeriesEntry& entry : series.entries) count += entry.count;
  return count;
}

// A level that begins at an entry is drawn from halfway before that entry.
double Before(std::size_t entry) { return static_cast<double>(entry) + 0.5; }

void DrawLevels(Svg* svg, const SeriesOfPicture& series, const Range& values, const AxisScale& x,
                const AxisScale& y, double bottom) {
  for (std::size_t i = 0; i < series.levels.size(); ++i) {
    const SeriesLevel& level = series.levels[i];
    const std::size_t end =
        i + 1 < series.levels.size() ? series.levels[i + 1].begin : CountOf(series);
    svg->Line(x(Before(level.begin)), y(level.mean), x(Before(end)), y(level.mean),
              "span reference",
              (level.count == 0 ? "the first entry"
                                : "mean of " + Counted(level.count, "entry", "entries")) +
                  ": " + ValueLabel(level.mean, values, series.unit));
    if (level.begin == 0) continue;
    const double at = x(Before(level.begin));
    svg->Line(at, kTop, at, bottom, level.step ? "step" : "zero", level.why);
  }
}

std::string TitleOf(const SeriesEntry& entry) { return Join(entry.cells, ", "); }

std::vector<LegendEntry> LegendOf(const SeriesOfPicture& series) {
  std::vector<LegendEntry> legend = {{Shape::kTriangle, "candidate", "the candidate's mean"}};
  if (std::ranges::any_of(series.entries, &SeriesEntry::regression)) {
    legend.push_back({Shape::kCircle, "flagged", "regression"});
  }
  return legend;
}

}  // namespace

Picture DrawSeries(const std::string& id, const SeriesOfPicture& series) {
  const Range values = RangeOf(series);
  const Range shown = values.Padded(0.08);
  const double bottom = kPlotHeight - kAxisHeight;
  const std::size_t count = CountOf(series);
  Svg plotted(id, kPictureWidth, kPlotHeight);
  const AxisScale x(0.5, static_cast<double>(count) + 0.5, kPlotLeft + 4, kPlotRight - 4);
  const AxisScale y(shown.low, shown.high, bottom, kTop);
  DrawVerticalAxis(&plotted, y, {false, series.unit});
  DrawLevels(&plotted, series, values, x, y, bottom);
  Rows table = {series.heading};
  auto level = series.levels.begin();
  std::size_t before = 0;  // entries before the mark
  for (const SeriesEntry& entry : series.entries) {
    const double at = x(static_cast<double>(before) + static_cast<double>(entry.count + 1) / 2);
    if (entry.range) {
      plotted.Line(at, y(entry.range->first), at, y(entry.range->second), "run span candidate");
    }
    plotted.Mark(Shape::kTriangle, at, y(entry.value), 3, "candidate entry", TitleOf(entry));
    if (entry.regression) plotted.Mark(Shape::kCircle, at, y(entry.value), 6, "flagged");
    table.push_back(entry.cells);
    while (level != series.levels.end() && level->begin < before) ++level;
    const bool begins = level != series.levels.end() && level->begin == before;
    table.back().push_back(begins ? level->why : "");
    before += entry.count;
  }
  DrawCountAxis(&plotted, x, bottom, "entry");
  const std::vector<LegendEntry> legend = LegendOf(series);
  const double above = LegendHeight(legend);
  Svg svg(id, kPictureWidth, kPlotHeight + above);
  DrawLegend(&svg, legend, 0);
  svg.Place(0, above, plotted);
  const auto steps = std::ranges::count_if(series.levels, &SeriesLevel::step);
  return {std::move(svg), series.name,
          Counted(count, "entry", "entries") + " from " +
              ValueLabel(values.low, values, series.unit) + " to " +
              ValueLabel(values.high, values, series.unit) + ", " +
              Counted(static_cast<std::uint64_t>(steps), "step"),
          series.note, std::move(table)};
}

}  // namespace benchd::client
