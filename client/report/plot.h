#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "client/report/pictures.h"
#include "client/report/svg.h"

namespace benchd::client {

// The common parts of the pictures: size, axes, legends and the format of values.

/// The width of a phone, so that pictures are not scaled there. Wider screens show several pictures
/// per row.
inline constexpr double kPictureWidth = 420;
inline constexpr double kPlotRight = kPictureWidth - 12;
inline constexpr double kPlotLeft = 62;   ///< left edge of a plot with an axis on the left
inline constexpr double kPlotMargin = 8;  ///< margin of a plot without such an axis
inline constexpr double kAxisHeight = 22;
inline constexpr double kPlotHeight = 220;  ///< including the axis below

/// The range that a picture shows.
struct Range {
  double low = 0;
  double high = 0;

  void Include(double value);
  /// Returns the range with `share` of its size added on both sides.
  Range Padded(double share) const;
  bool Holds(double value) const { return value >= low && value <= high; }
};

/// Returns the place of a value on a horizontal axis, or the nearest end of the axis.
inline double PlaceWithin(const AxisScale& scale, double value) {
  return std::clamp(scale(value), scale(scale.low()), scale(scale.high()));
}

/// Formats a number for axis labels and titles, precise enough to show steps of `step`.
std::string AxisLabel(double value, double step, const AxisUnit& axis);

/// Formats a number with the precision that its range needs.
std::string ValueLabel(double value, const Range& range, const std::string& unit);

/// Draws vertical lines at the ticks of the axis below.
void DrawGrid(Svg* svg, const AxisScale& x, double top, double bottom);
/// Draws the axis below a plot, with as many labels as fit.
void DrawHorizontalAxis(Svg* svg, const AxisScale& x, double bottom, const AxisUnit& axis);
/// Draws the axis below a plot for counts of `what`, from kPlotLeft to kPlotRight.
void DrawCountAxis(Svg* svg, const AxisScale& x, double bottom, std::string_view what);
/// Draws the axis on the left: labels to the left of kPlotLeft, lines from there to kPlotRight.
void DrawVerticalAxis(Svg* svg, const AxisScale& y, const AxisUnit& axis);

/// Formats the value of a margin: "+2.0 %".
std::string MarginText(const MarginLine& margin, const AxisUnit& axis);
/// Draws a margin and the shaded area beyond it, on a plot with changes along x.
void DrawMargin(Svg* svg, const MarginLine& margin, const AxisUnit& axis, const AxisScale& x,
                double top, double bottom);
/// Draws an interval at height `y`. An end beyond the plot is drawn as an arrow at the edge.
void DrawInterval(Svg* svg, double lo, double hi, const AxisScale& x, double y,
                  std::string_view style, std::string_view title);

/// Returns the class of an arm's marks: "reference" or "candidate".
std::string_view ClassOf(const ArmOfPicture& arm);
Shape ShapeOf(const ArmOfPicture& arm);

struct LegendEntry {
  Shape shape;
  std::string style;
  std::string text;
};
/// Returns the height that DrawLegend() needs. DrawLegend() draws the entries in lines from `top`
/// on.
double LegendHeight(const std::vector<LegendEntry>& entries);
void DrawLegend(Svg* svg, const std::vector<LegendEntry>& entries, double top);

}  // namespace benchd::client
