#include "client/report/plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "client/present/units.h"

namespace benchd::client {
namespace {

constexpr int kTicks = 5;
constexpr double kTickGap = 4;
constexpr double kLegendLine = 18;
constexpr double kLegendLeft = 0;
constexpr double kLegendMark = 14;  // distance from the middle of the mark to the text
constexpr double kLegendGap = 14;

double StepOf(const std::vector<double>& ticks) {
  return ticks.size() > 1 ? ticks[1] - ticks[0] : 0;
}

// Returns the position (x, line) of each entry.
std::vector<std::pair<double, int>> LegendPlaces(const std::vector<LegendEntry>& entries) {
  std::vector<std::pair<double, int>> places;
  double x = kLegendLeft;
  int line = 0;
  for (const LegendEntry& entry : entries) {
    const double width = kLegendMark + std::min(TextWidth(entry.text), kPictureWidth / 2);
    if (x > kLegendLeft && x + width > kPlotRight) {
      x = kLegendLeft;
      ++line;
    }
    places.emplace_back(x, line);
    x += width + kLegendGap;
  }
  return places;
}

double DrawEnd(Svg* svg, double end, const AxisScale& x, double y, std::string_view style) {
  const double at = PlaceWithin(x, end);
  if (at == x(end)) {
    svg->Line(at, y - 5, at, y + 5, style);
  } else {
    const double back = end > x.high() ? at - 5 : at + 5;
    svg->Line(back, y - 4, at, y, style);
    svg->Line(back, y + 4, at, y, style);
  }
  return at;
}

}  // namespace

void Range::Include(double value) {
  if (!std::isfinite(value)) return;
  low = std::min(low, value);
  high = std::max(high, value);
}

Range Range::Padded(double share) const {
  const double air = (high - low) * share;
  return {low - air, high + air};
}

std::string AxisLabel(double value, double step, const AxisUnit& axis) {
  if (axis.ratio) {
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%.3g", value);
    return text.data() + std::string("\u00d7");
  }
  if (!axis.relative) {
    const ColumnFormat format(std::max(std::abs(value), step), 10 * step, axis.unit, Style());
    return format.WithUnit(format.Format(value));
  }
  const double digits = step > 0 ? -std::floor(std::log10(100 * step) + 1e-9) : 1;
  const double percent = 100 * value;
  const std::string number = Fixed(percent, static_cast<int>(std::clamp(digits, 0.0, 9.0)));
  return (percent > 0 ? "+" : "") + number + " %";
}

std::string ValueLabel(double value, const Range& range, const std::string& unit) {
  const double largest = std::max(std::abs(range.low), std::abs(range.high));
  const ColumnFormat format(largest, (range.high - range.low) / 10, unit, Style());
  return format.WithUnit(format.Format(value));
}

void DrawGrid(Svg* svg, const AxisScale& x, double top, double bottom) {
  for (const double tick : x.Ticks(kTicks)) svg->Line(x(tick), top, x(tick), bottom, "axis");
}

void DrawHorizontalAxis(Svg* svg, const AxisScale& x, double bottom, const AxisUnit& axis) {
  const std::vector<double> ticks = x.Ticks(kTicks);
  std::vector<std::string> labels;
  double widest = 0;
  for (const double tick : ticks) {
    labels.push_back(AxisLabel(tick, StepOf(ticks), axis));
    widest = std::max(widest, TextWidth(labels.back()));
  }
  svg->Line(x(x.low()), bottom, x(x.high()), bottom, "axis");
  if (ticks.empty()) return;
  // The ticks of a range of a few steps of double are at one place.
  const double gap = ticks.size() > 1 ? std::max(1.0, x(ticks[1]) - x(ticks[0])) : kPictureWidth;
  const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil((widest + 8) / gap)));
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    const double at = x(ticks[i]);
    const double half = TextWidth(labels[i]) / 2;
    if (i % every != 0 || at < half || at + half > kPictureWidth) continue;
    svg->Text(at, bottom + 15, labels[i], "small", Anchor::kMiddle);
  }
}

void DrawCountAxis(Svg* svg, const AxisScale& x, double bottom, std::string_view what) {
  double free = kPlotLeft - 2;
  svg->Text(free - 4, bottom + 16, what, "small", Anchor::kEnd);
  for (const double tick : x.Ticks(kTicks)) {
    if (tick != std::floor(tick)) continue;
    svg->Line(x(tick), bottom, x(tick), bottom + kTickGap, "axis");
    const std::string label = Fixed(tick, 0);
    const double half = TextWidth(label) / 2;
    if (x(tick) - half < free || x(tick) + half > kPictureWidth) continue;
    svg->Text(x(tick), bottom + 16, label, "small", Anchor::kMiddle);
    free = x(tick) + half + 6;
  }
  svg->Line(kPlotLeft, bottom, kPlotRight, bottom, "axis");
}

void DrawVerticalAxis(Svg* svg, const AxisScale& y, const AxisUnit& axis) {
  const std::vector<double> ticks = y.Ticks(kTicks);
  for (const double tick : ticks) {
    svg->Line(kPlotLeft, y(tick), kPlotRight, y(tick), "axis");
    svg->Text(kPlotLeft - kTickGap - 2, y(tick) + 4, AxisLabel(tick, StepOf(ticks), axis), "small",
              Anchor::kEnd);
  }
}

std::string MarginText(const MarginLine& margin, const AxisUnit& axis) {
  return AxisLabel(margin.at, std::abs(margin.at) / 10, axis);
}

void DrawMargin(Svg* svg, const MarginLine& margin, const AxisUnit& axis, const AxisScale& x,
                double top, double bottom) {
  const double at = PlaceWithin(x, margin.at);
  const double edge = margin.worse_above ? x(x.high()) : x(x.low());
  svg->Rect(std::min(at, edge), top, std::abs(edge - at), bottom - top, "beyond");
  svg->Line(at, top, at, bottom, "margin", "margin " + MarginText(margin, axis));
}

void DrawInterval(Svg* svg, double lo, double hi, const AxisScale& x, double y,
                  std::string_view style, std::string_view title) {
  const double left = DrawEnd(svg, lo, x, y, style);
  const double right = DrawEnd(svg, hi, x, y, style);
  svg->Line(left, y, right, y, style, title);
}

std::string_view ClassOf(const ArmOfPicture& arm) {
  return arm.reference ? "reference" : "candidate";
}

Shape ShapeOf(const ArmOfPicture& arm) {
  return arm.reference ? Shape::kCircle : ShapeOfCandidate(arm.number);
}

double LegendHeight(const std::vector<LegendEntry>& entries) {
  return entries.empty() ? 0 : kLegendLine * (LegendPlaces(entries).back().second + 1);
}

void DrawLegend(Svg* svg, const std::vector<LegendEntry>& entries, double top) {
  const auto places = LegendPlaces(entries);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const double y = top + kLegendLine * places[i].second + 9;
    svg->Mark(entries[i].shape, places[i].first + 5, y, 3.5, entries[i].style);
    svg->ShortText(places[i].first + kLegendMark, y + 4, kPictureWidth / 2, entries[i].text, "key");
  }
}

}  // namespace benchd::client
