#include <algorithm>
#include <utility>

#include "client/report/pictures.h"
#include "client/report/plot.h"
#include "core/base/text.h"

namespace benchd::client {
namespace {

constexpr double kTop = 8;

Range RangeOf(const SeriesOfPicture& series) {
  Range range{series.entries.front().value, series.entries.front().value};
  for (const SeriesEntry& entry : series.entries) range.Include(entry.value);
  return range;
}

// What begins between two entries is drawn between them.
double Before(std::size_t entry) { return static_cast<double>(entry) + 0.5; }

void DrawLevels(Svg* svg, const SeriesOfPicture& series, const Range& values, const AxisScale& x,
                const AxisScale& y, double bottom) {
  for (std::size_t i = 0; i < series.levels.size(); ++i) {
    const SeriesLevel& level = series.levels[i];
    const std::size_t end =
        i + 1 < series.levels.size() ? series.levels[i + 1].begin : series.entries.size();
    svg->Line(x(Before(level.begin)), y(level.mean), x(Before(end)), y(level.mean),
              "span reference",
              "mean of " + Counted(end - level.begin, "entry", "entries") + ": " +
                  ValueLabel(level.mean, values, series.unit));
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
  const double count = static_cast<double>(series.entries.size());
  Svg plotted(id, kPictureWidth, kPlotHeight);
  const AxisScale x(0.5, count + 0.5, kPlotLeft + 4, kPlotRight - 4);
  const AxisScale y(shown.low, shown.high, bottom, kTop);
  DrawVerticalAxis(&plotted, y, {false, series.unit});
  DrawLevels(&plotted, series, values, x, y, bottom);
  Rows table = {series.heading};
  auto level = series.levels.begin();
  for (std::size_t i = 0; i < series.entries.size(); ++i) {
    const SeriesEntry& entry = series.entries[i];
    const double at = x(static_cast<double>(i + 1));
    plotted.Mark(Shape::kTriangle, at, y(entry.value), 3, "candidate entry", TitleOf(entry));
    if (entry.regression) plotted.Mark(Shape::kCircle, at, y(entry.value), 6, "flagged");
    table.push_back(entry.cells);
    while (level != series.levels.end() && level->begin < i) ++level;
    const bool begins = level != series.levels.end() && level->begin == i;
    table.back().push_back(begins ? level->why : "");
  }
  DrawCountAxis(&plotted, x, bottom, "entry");
  const std::vector<LegendEntry> legend = LegendOf(series);
  const double above = LegendHeight(legend);
  Svg svg(id, kPictureWidth, kPlotHeight + above);
  DrawLegend(&svg, legend, 0);
  svg.Place(0, above, plotted);
  const auto steps = std::ranges::count_if(series.levels, &SeriesLevel::step);
  return {std::move(svg), series.name,
          Counted(series.entries.size(), "entry", "entries") + " from " +
              ValueLabel(values.low, values, series.unit) + " to " +
              ValueLabel(values.high, values, series.unit) + ", " +
              Counted(static_cast<std::uint64_t>(steps), "step"),
          series.note, std::move(table)};
}

}  // namespace benchd::client
