#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "client/report/pictures.h"
#include "client/report/svg.h"

namespace benchd::client {

// What the pictures have in common: their size, axes, legends, and the values that they show.

/// Pictures are as wide as a phone, where they keep their size; elsewhere several stand abreast.
inline constexpr double kPictureWidth = 420;
inline constexpr double kPlotRight = kPictureWidth - 12;
inline constexpr double kPlotLeft = 62;   ///< with an axis to the left
inline constexpr double kPlotMargin = 8;  ///< without
inline constexpr double kAxisHeight = 22;
inline constexpr double kPlotHeight = 220;  ///< with the axis below

/// The ends of what is shown.
struct Range {
  double low = 0;
  double high = 0;

  void Include(double value);
  /// A little air on both sides.
  Range Padded(double share) const;
  bool Holds(double value) const { return value >= low && value <= high; }
};

/// The place of a value, or of the nearest one that is shown, on an axis from left to right.
inline double PlaceWithin(const AxisScale& scale, double value) {
  return std::clamp(scale(value), scale(scale.low()), scale(scale.high()));
}

/// A number as the axis and the titles say it, fine enough to tell `step` apart.
std::string AxisLabel(double value, double step, const AxisUnit& axis);

/// A number beside others of the range, with four digits of what the range tells apart.
std::string ValueLabel(double value, const Range& range, const std::string& unit);

/// Lines where the ticks of the axis below are.
void DrawGrid(Svg* svg, const AxisScale& x, double top, double bottom);
/// The axis below a plot, with as many labels as have room.
void DrawHorizontalAxis(Svg* svg, const AxisScale& x, double bottom, const AxisUnit& axis);
/// The same for counts of `what`, from kPlotLeft to kPlotRight.
void DrawCountAxis(Svg* svg, const AxisScale& x, double bottom, std::string_view what);
/// Labels to the left of kPlotLeft, lines from there to kPlotRight.
void DrawVerticalAxis(Svg* svg, const AxisScale& y, const AxisUnit& axis);

/// "+2.0 %": where a margin is.
std::string MarginText(const MarginLine& margin, const AxisUnit& axis);
/// A margin with what lies beyond it, on a plot with changes along x.
void DrawMargin(Svg* svg, const MarginLine& margin, const AxisUnit& axis, const AxisScale& x,
                double top, double bottom);
/// An interval at that height. An end beyond the plot is an arrow at its edge.
void DrawInterval(Svg* svg, double lo, double hi, const AxisScale& x, double y,
                  std::string_view style, std::string_view title);

/// "reference" or "candidate": the class of an arm's marks.
std::string_view ClassOf(const ArmOfPicture& arm);
Shape ShapeOf(const ArmOfPicture& arm);

struct LegendEntry {
  Shape shape;
  std::string style;
  std::string text;
};
/// In lines from `top` on; the height that it takes.
double LegendHeight(const std::vector<LegendEntry>& entries);
void DrawLegend(Svg* svg, const std::vector<LegendEntry>& entries, double top);

}  // namespace benchd::client
