#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "client/present/units.h"
#include "client/report/pictures.h"
#include "client/report/plot.h"
#include "core/base/text.h"

namespace benchd::client {
namespace {

constexpr double kRowHeight = 46;
constexpr double kRowPlot = 21;  // below the label

double Extent(const IntervalRow& row) {
  double extent = std::abs(row.estimate);
  for (const std::optional<double>& end : {row.lo, row.hi}) {
    if (end && std::isfinite(*end)) extent = std::max(extent, std::abs(*end));
  }
  return row.margin ? std::max(extent, std::abs(row.margin->at)) : extent;
}

// Returns the range of all rows. It is limited so that very wide intervals do not shrink the others
// to points.
Range RangeOf(const std::vector<IntervalRow>& rows) {
  constexpr double kWide = 6;
  std::vector<double> extents;
  Range range;
  for (const IntervalRow& row : rows) {
    extents.push_back(Extent(row));
    range.Include(row.estimate);
    if (row.lo) range.Include(*row.lo);
    if (row.hi) range.Include(*row.hi);
    if (row.margin) range.Include(1.25 * row.margin->at);
  }
  std::ranges::sort(extents);
  const double median = extents[extents.size() / 2];
  if (median > 0) {
    range.low = std::max(range.low, -kWide * median);
    range.high = std::min(range.high, kWide * median);
  }
  return range.Padded(0.05);
}

// Returns whether the changes differ so much that small ones would be points on a linear axis, such
// as changes by factors of 1/3 and 10. A wide interval does not count: its ends may lie beyond the
// axis.
bool NeedsRatios(const std::vector<IntervalRow>& rows, const AxisUnit& axis) {
  constexpr double kFarApart = 5;  // largest ratio over smallest ratio
  if (!axis.relative) return false;
  double smallest = 1;
  double largest = 1;
  for (const IntervalRow& row : rows) {
    if (std::isfinite(row.estimate)) {
      smallest = std::min(smallest, 1 + row.estimate);
      largest = std::max(largest, 1 + row.estimate);
    }
    if (row.margin) smallest = std::min(smallest, 1 + row.margin->at);
    // An improvement that a rate requires may be by a large factor.
    if (row.margin && !row.margin->worse_above) largest = std::max(largest, 1 + row.margin->at);
  }
  return smallest > 0 && largest > kFarApart * smallest;
}

// Converts changes to ratios. An end below -100 % becomes 0, which lies beyond every axis of
// ratios.
std::vector<IntervalRow> AsRatios(std::vector<IntervalRow> rows) {
  for (IntervalRow& row : rows) {
    row.estimate += 1;
    if (row.lo) row.lo = std::max(0.0, *row.lo + 1);
    if (row.hi) row.hi = std::max(0.0, *row.hi + 1);
    if (row.margin) row.margin->at += 1;
  }
  return rows;
}

// Returns the range of all estimates and margins, and of the intervals that are not much wider.
Range RangeOfRatios(const std::vector<IntervalRow>& rows) {
  constexpr double kAir = 1.1;
  constexpr double kWide = 2;
  Range marks{1, 1};
  Range range{1, 1};
  for (const IntervalRow& row : rows) {
    marks.Include(row.estimate);
    if (row.margin) marks.Include(row.margin->at);
    if (row.lo) range.Include(*row.lo);
    if (row.hi) range.Include(*row.hi);
  }
  return {std::clamp(range.low, marks.low / kWide, marks.low) / kAir,
          std::clamp(range.high, marks.high, marks.high * kWide) * kAir};
}

std::string RowTitle(const IntervalRow& row) {
  std::string title = row.label + ": " + row.numbers;
  return row.verdict.empty() ? title : title + ", " + row.verdict;
}

void DrawRow(Svg* svg, const IntervalRow& row, const AxisScale& x, double top) {
  const double numbers = TextWidth(row.numbers);
  const double y = top + 32;
  if (row.lo && row.hi) {
    DrawInterval(svg, *row.lo, *row.hi, x, y, "span candidate", RowTitle(row));
  }
  svg->Mark(row.shape, PlaceWithin(x, row.estimate), y, 5, "candidate estimate", RowTitle(row));
  svg->ShortText(0, top + 15, kPlotRight - numbers - 14, row.label, "strong");
  svg->Text(kPlotRight, top + 15, row.numbers, "number", Anchor::kEnd);
}

}  // namespace

Picture DrawIntervals(const std::string& id, const std::vector<IntervalRow>& comparisons,
                      const AxisUnit& changes, const std::vector<IntervalRow>& of_axis) {
  const std::vector<IntervalRow>& all = of_axis.empty() ? comparisons : of_axis;
  const bool ratios = NeedsRatios(all, changes);
  const std::vector<IntervalRow> rows = ratios ? AsRatios(comparisons) : comparisons;
  const AxisUnit axis{changes.relative, changes.unit, ratios};
  const double none = ratios ? 1 : 0;
  const double bottom = kRowHeight * static_cast<double>(rows.size());
  Svg svg(id, kPictureWidth, bottom + kAxisHeight);
  const Range range = ratios ? RangeOfRatios(AsRatios(all)) : RangeOf(all);
  const AxisScale x(range.low, range.high, kPlotMargin + 8, kPlotRight - 8, ratios);
  DrawHorizontalAxis(&svg, x, bottom, axis);
  Rows table = {{"comparison", "estimate and interval", "margin", "verdict"}};
  bool gates = false;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const IntervalRow& row = rows[i];
    const double top = kRowHeight * static_cast<double>(i);
    const std::string margin = row.margin ? MarginText(*comparisons[i].margin, changes) : "";
    DrawGrid(&svg, x, top + kRowPlot, top + kRowHeight - 3);
    svg.Line(x(none), top + kRowPlot, x(none), top + kRowHeight - 3, "zero", "no change");
    if (row.margin) {
      DrawMargin(&svg, *row.margin, axis, x, top + kRowPlot, top + kRowHeight - 3);
    }
    gates = gates || row.margin;
    DrawRow(&svg, row, x, top);
    table.push_back({row.label, row.numbers, margin, row.verdict});
  }
  std::string note = gates ? "The shaded area is worse than the margin (dashed line)." : "";
  if (ratios) {
    note += std::string(gates ? " " : "") +
            "The axis shows ratios: 2\u00d7 is +100 %, 0.5\u00d7 is -50 %.";
  }
  return {std::move(svg), gates ? "Intervals against their margins" : "Intervals",
          Counted(rows.size(), "comparison") + ": " + rows.front().label + ", " +
              rows.front().numbers + (rows.size() > 1 ? ", and more in the table" : ""),
          std::move(note), std::move(table)};
}

namespace {

// Returns a range that includes the later intervals, the margin and zero. Wide intervals at the
// beginning may exceed it.
Range RangeOf(const IntervalHistory& history) {
  const IntervalPoint& last = history.points.back();
  const double first_runs = static_cast<double>(history.points.front().runs);
  const double middle = std::sqrt(first_runs * static_cast<double>(last.runs));
  Range range;
  if (history.margin) range.Include(1.25 * history.margin->at);
  for (const IntervalPoint& point : history.points) {
    if (static_cast<double>(point.runs) < middle) continue;
    range.Include(point.lo);
    range.Include(point.hi);
  }
  return range.Padded(0.08);
}

std::string IntervalText(const IntervalPoint& point, const AxisUnit& axis) {
  const ColumnFormat format =
      axis.relative
          ? ColumnFormat::OfChanges(point.lo, point.hi)
          : ColumnFormat::OfDifferences(point.estimate, point.lo, point.hi, axis.unit, Style());
  return format.WithUnit(format.Signed(point.estimate)) + " (" +
         format.Interval(point.lo, point.hi, Style()) + ")";
}

}  // namespace

Picture DrawHistory(const std::string& id, const IntervalHistory& history, const AxisUnit& axis) {
  const std::vector<IntervalPoint>& points = history.points;
  const double bottom = kPlotHeight - kAxisHeight;
  Svg svg(id, kPictureWidth, kPlotHeight);
  const Range range = RangeOf(history);
  const AxisScale x(static_cast<double>(points.front().runs),
                    static_cast<double>(points.back().runs), kPlotLeft + 4, kPlotRight - 4,
                    /*logarithmic=*/true);
  const AxisScale y(range.low, range.high, bottom, 10);
  DrawVerticalAxis(&svg, y, axis);
  svg.Line(kPlotLeft, y(0), kPlotRight, y(0), "zero", "no change");
  if (history.margin) {
    const double at = y(history.margin->at);
    const double edge = history.margin->worse_above ? 10 : bottom;
    svg.Rect(kPlotLeft, std::min(at, edge), kPlotRight - kPlotLeft, std::abs(edge - at), "beyond");
    svg.Line(kPlotLeft, at, kPlotRight, at, "margin",
             "margin " + MarginText(*history.margin, axis));
  }
  std::vector<double> band;
  std::vector<double> line;
  for (const IntervalPoint& point : points) {
    const double at = x(static_cast<double>(point.runs));
    band.insert(band.end(), {at, y(point.hi)});
    line.insert(line.end(), {at, y(point.estimate)});
  }
  for (auto point = points.rbegin(); point != points.rend(); ++point) {
    band.insert(band.end(), {x(static_cast<double>(point->runs)), y(point->lo)});
  }
  svg.BeginClip(kPlotLeft, 10, kPlotRight - kPlotLeft, bottom - 10);
  svg.Curve(band, /*closed=*/true, "candidate band");
  svg.Curve(line, /*closed=*/false, "curve");
  Rows table = {{"runs each", "estimate and interval"}};
  for (const IntervalPoint& point : points) {
    const std::string runs = std::to_string(point.runs);
    const std::string text = IntervalText(point, axis);
    svg.Mark(Shape::kCircle, x(static_cast<double>(point.runs)), y(point.estimate), 1.8,
             "candidate look", runs + " runs each: " + text);
    table.push_back({runs, text});
  }
  svg.EndClip();
  if (history.decided_at) {
    const double at = x(static_cast<double>(*history.decided_at));
    const bool left_half = at < (kPlotLeft + kPlotRight) / 2;
    svg.Line(at, 10, at, bottom, "zero", fmt::format("decided at {}", *history.decided_at));
    svg.Text(at + (left_half ? 5 : -5), bottom - 6, "decided", "small",
             left_half ? Anchor::kStart : Anchor::kEnd);
  }
  DrawCountAxis(&svg, x, bottom, "runs each");
  const IntervalPoint& last = points.back();
  return {std::move(svg), "How the interval shrank",
          fmt::format("After {} runs each {}, after {} {}", points.front().runs,
                      IntervalText(points.front(), axis), last.runs, IntervalText(last, axis)),
          "", std::move(table)};
}

namespace {

constexpr double kLabel = 24;
constexpr double kMean = 24;
constexpr double kGap = 8;
constexpr double kLane = 9;        // height per unit, if there are few
constexpr double kLanes = 128;     // limit for all units together
constexpr double kWholeShare = 1;  // share by which intervals may extend the range

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

// Returns a range that includes all marks and margins. Much wider intervals may exceed it.
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
  svg->Rect(left, top, right - left, bottom - top, "candidate band", "prediction for one more");
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
