#include <algorithm>
#include <cmath>
#include <utility>

#include "client/report/pictures.h"
#include "client/report/plot.h"
#include "core/base/text.h"

namespace benchd::client {
namespace {

constexpr double kLabel = 24;
constexpr double kMean = 24;
constexpr double kGap = 8;
constexpr double kLane = 9;        // of a unit, as long as there are few
constexpr double kLanes = 128;     // of many, together
constexpr double kWholeShare = 1;  // an interval may take so much of the marks' range to each side

double LaneOf(const UnitGroup& group) {
  return std::min(kLane, kLanes / static_cast<double>(group.units.size()));
}

double HeightOf(const UnitGroup& group) {
  return kLabel + LaneOf(group) * static_cast<double>(group.units.size()) + kMean + kGap;
}

void IncludeEnds(const UnitOfPicture& unit, Range* range) {
  if (unit.lo) range->Include(*unit.lo);
  if (unit.hi) range->Include(*unit.hi);
}

// All marks and margins; of intervals that are far wider, what has room.
Range RangeOf(const std::vector<UnitGroup>& groups) {
  Range marks;
  for (const UnitGroup& group : groups) {
    for (const UnitOfPicture& unit : group.units) marks.Include(unit.value);
    marks.Include(group.mean.value);
    if (group.margin) marks.Include(1.25 * group.margin->at);
  }
  Range range = marks;
  for (const UnitGroup& group : groups) {
    for (const UnitOfPicture& unit : group.units) IncludeEnds(unit, &range);
    IncludeEnds(group.mean, &range);
    if (!group.prediction) continue;
    range.Include(group.prediction->first);
    range.Include(group.prediction->second);
  }
  const double room = kWholeShare * (marks.high - marks.low);
  if (room > 0) {
    range.low = std::max(range.low, marks.low - room);
    range.high = std::min(range.high, marks.high + room);
  }
  return range.Padded(0.05);
}

std::string TitleOf(const UnitOfPicture& unit) {
  std::string title = unit.cells.front();
  const char* between = ": ";
  for (std::size_t i = 1; i < unit.cells.size(); ++i) {
    if (unit.cells[i].empty()) continue;
    title += std::exchange(between, ", ") + unit.cells[i];
  }
  return title;
}

void DrawPrediction(Svg* svg, const std::pair<double, double>& prediction, const AxisScale& x,
                    double top, double bottom) {
  const double left = PlaceWithin(x, prediction.first);
  const double right = PlaceWithin(x, prediction.second);
  svg->Rect(left, top, right - left, bottom - top, "candidate band", "where one more would be");
}

void DrawGroup(Svg* svg, const UnitGroup& group, const AxisUnit& axis, const AxisScale& x,
               double top) {
  const std::string style = group.reference ? "reference" : "candidate";
  const Shape shape = group.reference ? Shape::kCircle : Shape::kTriangle;
  const double lane = LaneOf(group);
  const double first = top + kLabel;
  const double bottom = top + HeightOf(group) - kGap;
  const double at_mean = bottom - kMean / 2;
  DrawGrid(svg, x, first, bottom);
  svg->Line(x(0), first, x(0), bottom, "zero", "no change");
  if (group.margin) DrawMargin(svg, *group.margin, axis, x, first, bottom);
  if (group.prediction) DrawPrediction(svg, *group.prediction, x, at_mean - 9, at_mean + 9);
  const double mean = PlaceWithin(x, group.mean.value);
  svg->Line(mean, first, mean, at_mean, "unit span " + style);
  for (std::size_t i = 0; i < group.units.size(); ++i) {
    const UnitOfPicture& unit = group.units[i];
    const double y = first + lane * (static_cast<double>(i) + 0.5);
    if (unit.lo && unit.hi) {
      svg->Line(PlaceWithin(x, *unit.lo), y, PlaceWithin(x, *unit.hi), y, "unit span " + style,
                TitleOf(unit));
    }
    svg->Mark(shape, PlaceWithin(x, unit.value), y, 2.8, "unit " + style, TitleOf(unit));
  }
  if (group.mean.lo && group.mean.hi) {
    DrawInterval(svg, *group.mean.lo, *group.mean.hi, x, at_mean, "span " + style,
                 TitleOf(group.mean));
  }
  svg->Mark(shape, mean, at_mean, 5, style + " mean", TitleOf(group.mean));
  svg->ShortText(0, top + 15, kPlotRight - TextWidth(group.numbers) - 14, group.label, "strong");
  svg->Text(kPlotRight, top + 15, group.numbers, "number", Anchor::kEnd);
}

}  // namespace

Picture DrawUnits(const std::string& id, const UnitsOfPicture& units) {
  double bottom = 0;
  for (const UnitGroup& group : units.groups) bottom += HeightOf(group);
  Svg svg(id, kPictureWidth, bottom + kAxisHeight);
  const Range range = RangeOf(units.groups);
  const AxisScale x(range.low, range.high, kPlotMargin + 8, kPlotRight - 8);
  DrawHorizontalAxis(&svg, x, bottom, units.axis);
  Rows table = {units.heading};
  double top = 0;
  for (const UnitGroup& group : units.groups) {
    DrawGroup(&svg, group, units.axis, x, top);
    top += HeightOf(group);
    for (const UnitOfPicture& unit : group.units) table.push_back(unit.cells);
    table.push_back(group.mean.cells);
  }
  const auto said = [](const UnitGroup& group) { return TitleOf(group.mean); };
  return {std::move(svg), units.name, Join(units.groups, "; ", said), units.note, std::move(table)};
}

}  // namespace benchd::client
