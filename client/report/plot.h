#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "client/report/pictures.h"
#include "client/report/svg.h"

namespace benchd::client {

// Common parts of the pictures: size, axes, legends and the formatting of values.

/// As wide as a phone, so that pictures keep their size there. Wider screens show several per row.
inline constexpr double kPictureWidth = 420;
inline constexpr double kPlotRight = kPictureWidth - 12;
inline constexpr double kPlotLeft = 62;   ///< with an axis on the left
inline constexpr double kPlotMargin = 8;  ///< without one
inline constexpr double kAxisHeight = 22;
inline constexpr double kPlotHeight = 220;  ///< with the axis below

/// The range that a picture shows.
struct Range {
  double low = 0;
  double high = 0;

  void Include(double value);
  /// The range with `share` of its size added on both sides.
  Range Padded(double share) const;
  bool Holds(double value) const { return value >= low && value <= high; }
};

/// The place of a value on a horizontal axis, or the nearest end of the axis.
inline double PlaceWithin(const AxisScale& scale, double value) {
  return std::clamp(scale(value), scale(scale.low()), scale(scale.high()));
}

/// A number for axis labels and titles, precise enough to show steps of `step`.
std::string AxisLabel(double value, double step, const AxisUnit& axis);

/// A number with the precision that its range needs.
std::string ValueLabel(double value, const Range& range, const std::string& unit);

/// Vertical lines at the ticks of the axis below.
void DrawGrid(Svg* svg, const AxisScale& x, double top, double bottom);
/// The axis below a plot, with as many labels as fit.
void DrawHorizontalAxis(Svg* svg, const AxisScale& x, double bottom, const AxisUnit& axis);
/// The same for counts of `what`, from kPlotLeft to kPlotRight.
void DrawCountAxis(Svg* svg, const AxisScale& x, double bottom, std::string_view what);
/// The axis on the left: labels to the left of kPlotLeft, lines from there to kPlotRight.
void DrawVerticalAxis(Svg* svg, const AxisScale& y, const AxisUnit& axis);

/// The value of a margin: "+2.0 %".
std::string MarginText(const MarginLine& margin, const AxisUnit& axis);
/// A margin and the shaded area beyond it, on a plot with changes along x.
void DrawMargin(Svg* svg, const MarginLine& margin, const AxisUnit& axis, const AxisScale& x,
                double top, double bottom);
/// An interval at height `y`. An end beyond the plot is drawn as an arrow at the edge.
void DrawInterval(Svg* svg, double lo, double hi, const AxisScale& x, double y,
                  std::string_view style, std::string_view title);

/// The class of an arm's marks: "reference" or "candidate".
std::string_view ClassOf(const ArmOfPicture& arm);
Shape ShapeOf(const ArmOfPicture& arm);

struct LegendEntry {
  Shape shape;
  std::string style;
  std::string text;
};
/// The height that DrawLegend() needs. It draws the entries in lines from `top` on.
double LegendHeight(const std::vector<LegendEntry>& entries);
void DrawLegend(Svg* svg, const std::vector<LegendEntry>& entries, double top);

}  // namespace benchd::client
